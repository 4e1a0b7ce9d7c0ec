//! What a report comes to, in sentences: what somebody would say who has read it.

use super::cost::Cost;
use super::report::Report;
use crate::table;
use std::time::Duration;

/// A share from which on a program is named as the one that matters.
const MUCH: f64 = 0.25;

/// What is told if there is no time to divide.
pub(super) const NOTHING: &str = "No program has run: there is no draw and no call in this capture.";

/// The sentences, the most important one first.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let Some(first) = report.programs.first() else {
        return vec![NOTHING.to_owned()];
    };
    let count = report.programs.len();
    let time = |ns: f64| table::duration(Duration::from_nanos(ns as u64));
    let mut all = Vec::new();
    let each = |program: &Cost| {
        program.ns_per_vertex().map_or_else(String::new, |ns| format!(", {ns:.1} ns for each vertex"))
    };
    all.push(if count == 1 {
        format!("All of the time is one program's: {}{}.", first.name, each(first))
    } else if first.share >= MUCH {
        format!(
            "One of {count} programs takes {:.0}% of the time: {}{}{}.",
            100.0 * first.share,
            first.name,
            each(first),
            others(&report.programs)
        )
    } else {
        let mut sum = 0.0;
        let most = report.programs.iter().take_while(|program| {
            let before = sum;
            sum += program.share;
            before < 0.5
        });
        format!(
            "No program stands out: {} of {count} take half of the {} of a play. First is {} with {:.0}%{}.",
            most.count(),
            time(report.ns),
            first.name,
            100.0 * first.share,
            each(first)
        )
    });
    if first.tier.starts_with("refused") || first.tier.starts_with("retired") {
        all.push("It has no native code: the interpreter runs it.".to_owned());
    }
    if let Some(guard) = first.guards.first() {
        let guard = guard.split(" (").next().unwrap_or_default();
        let more = first.guards.len() - 1;
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        all.push(format!(
            "Native code leaves some of its vertices to the slower interpreter, because of {guard}{more}."
        ));
    }
    if let Some(slot) = first.slots.first().filter(|slot| slot.share > 0.0) {
        let what = format!("{}, {}", slot.place, slot.text);
        all.push(format!(
            "What costs most of its own code: {}, {:.0}% of it (by {}).",
            what.trim_end_matches([',', ' ']),
            100.0 * slot.share,
            first.divided_by
        ));
    }
    let slow = report.programs[1..].iter().filter(|program| program.guarded > 0.0).count();
    if slow > 0 {
        let s = if slow == 1 { " program leaves" } else { " programs leave" };
        all.push(format!("{slow} more{s} vertices to the interpreter."));
    }
    all
}

/// What the other programs take for a vertex.
fn others(programs: &[Cost]) -> String {
    let of: Vec<f64> = programs[1..].iter().filter_map(Cost::ns_per_vertex).collect();
    let low = of.iter().copied().fold(f64::INFINITY, f64::min);
    let high = of.iter().copied().fold(0.0, f64::max);
    match of.len() {
        0 => String::new(),
        1 => format!(" (the other one {low:.1})"),
        _ => format!(" (the others {low:.1} to {high:.1})"),
    }
}
