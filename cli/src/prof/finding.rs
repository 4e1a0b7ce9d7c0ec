//! What a report comes to, in sentences: what somebody would say who has read it.

use super::cost::{Cost, Guard};
use super::report::Report;
use crate::table;
use std::time::Duration;

/// A share from which on a program is named as the one that matters.
const MUCH: f64 = 0.25;

/// A share of the interpreter's from which on it is told of.
const SOME: f64 = 0.05;

/// What is told if there is no time to divide.
pub(super) const NOTHING: &str = "No program has run: the capture contains no draw and no call.";
/// What is told of a process then.
const NOTHING_HERE: &str = "No program has run while the process was watched.";

/// The sentences, the most important one first.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let Some(first) = report.programs.first() else {
        return vec![if report.attached.is_some() { NOTHING_HERE } else { NOTHING }.to_owned()];
    };
    let count = report.programs.len();
    let mut all = Vec::new();
    let dearest = report.programs.iter().max_by(|a, b| a.fallback_ns.total_cmp(&b.fallback_ns));
    let verdict = dearest.and_then(|program| fallback(program, report.a_play()));
    let is_much = dearest.is_some_and(|program| program.fallback_ns >= MUCH * report.ns);
    if is_much {
        all.extend(verdict.clone());
    }
    let each = |program: &Cost| {
        program.ns_per_vertex().map_or_else(String::new, |ns| format!(", {ns:.1} ns for each vertex"))
    };
    all.push(if count == 1 {
        format!("One program takes all of the time: {}{}.", first.shown(), each(first))
    } else if first.share >= MUCH {
        format!(
            "One of {count} programs takes {:.0}% of the time: {}{}{}.",
            100.0 * first.share,
            first.shown(),
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
            "No program stands out: {} of {count} take half of the {}{}. First is {} with {:.0}%{}.",
            most.count(),
            time(report.ns),
            if report.attached.is_some() { "" } else { " of a play" },
            first.shown(),
            100.0 * first.share,
            each(first)
        )
    });
    if first.tier.starts_with("refused") || first.tier.starts_with("retired") {
        all.push("It has no native code: the interpreter runs it.".to_owned());
    }
    if !is_much {
        all.extend(verdict);
    }
    if let Some(slot) = first.slots.first().filter(|slot| slot.share > 0.0) {
        let what = format!("{}, {}", slot.place, slot.text);
        all.push(format!(
            "The most expensive slot of {}: {}, {:.0}% of the program's time (by {}).",
            first.shown(),
            what.trim_end_matches([',', ' ']),
            100.0 * slot.share,
            first.divided_by
        ));
    }
    let others = report.programs.iter().filter(|program| program.fallback_ns > 0.0);
    let others: Vec<f64> = others
        .filter(|&program| !dearest.is_some_and(|it| std::ptr::eq(it, program)))
        .map(|it| it.fallback_ns)
        .collect();
    if !others.is_empty() {
        let (count, ns) = (others.len(), others.iter().sum());
        let s = if count == 1 { " program leaves" } else { " programs leave" };
        all.push(format!(
            "{count} other{s} vertices that run again, which takes {}{}.",
            time(ns),
            report.a_play()
        ));
    }
    all
}

fn time(ns: f64) -> String {
    table::duration(Duration::from_nanos(ns as u64))
}

/// What a program loses to vertices that native code leaves, and why it does.
fn fallback(program: &Cost, a_play: &str) -> Option<String> {
    let share = program.fallback_ns / program.ns.max(1e-9);
    if share < SOME {
        return None;
    }
    // What somebody can mend is an operand.
    let guard = program.guards.iter().find(|guard| guard.operand.is_some()).or(program.guards.first());
    let is_one = program.guarded_vertices.round() as u64 == 1;
    let (who, them) = if is_one {
        ("One vertex costs".to_owned(), "it")
    } else {
        (format!("{:.0} vertices cost", program.guarded_vertices), "them")
    };
    let why = match guard {
        Some(Guard { what, operand: Some(operand), vertex, .. }) => {
            let example = if is_one { "" } else { ", for example," };
            // The operand says why.
            let place = what.split(": ").next().unwrap_or_default();
            format!("vertex {vertex} of its batch{example} has {operand} ({place})")
        }
        Some(Guard { what, .. }) => what.clone(),
        None => "no example was seen".to_owned(),
    };
    Some(format!(
        "{who} {:.0}% of {}: {} of {}{a_play}. Native code leaves {them} to {}: {why}.",
        100.0 * share,
        program.shown(),
        time(program.fallback_ns),
        time(program.ns),
        program.runs_again(),
    ))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prof::report::{Over, SCHEMA};

    fn cost(name: &str, ns: f64, fallback_ns: f64, vertices: f64, operand: Option<&str>) -> Cost {
        let guard = Guard {
            what: "slot 4, sum3: an exponent above the recipe's range".to_owned(),
            vertices: 4,
            of: 4,
            vertex: 17,
            operand: operand.map(str::to_owned),
            text: String::new(),
        };
        let guards = if fallback_ns > 0.0 { vec![guard] } else { Vec::new() };
        let (name, guarded_vertices) = (name.to_owned(), vertices);
        Cost { name, ns, fallback_ns, guarded_vertices, vertices: 48.0, guards, ..Cost::default() }
    }

    fn report(mut programs: Vec<Cost>) -> Vec<String> {
        let ns: f64 = programs.iter().map(|program| program.ns).sum();
        programs.iter_mut().for_each(|program| program.share = program.ns / ns);
        sentences(&Report {
            schema: SCHEMA.to_owned(),
            capture: String::new(),
            target: String::new(),
            arithmetic: String::new(),
            times: 1,
            ns,
            plays: Vec::new(),
            programs,
            over: Over { draws: 1, each: 1, parts: Vec::new() },
            attached: None,
            moments: Vec::new(),
            draws: Vec::new(),
        })
    }

    #[test]
    fn what_costs_most_comes_first() {
        let got = report(vec![
            cost("lit", 4500.0, 3600.0, 1.0, Some("a NaN in v2.x")),
            cost("plain", 1000.0, 0.0, 0.0, None),
        ]);
        let want = "One vertex costs 80% of lit: 3.6 us of 4.5 us a play. Native code leaves it to the interpreter: \
                    vertex 17 of its batch has a NaN in v2.x (slot 4, sum3).";
        assert_eq!(got[0], want);
        assert!(got[1].starts_with("One of 2 programs takes 82% of the time: lit"), "{got:?}");
        // Of several vertices one is an example; without an operand the guard says why.
        let got = report(vec![cost("lit", 1000.0, 500.0, 12.0, Some("a NaN in v2.x"))]);
        assert!(got[0].starts_with("12 vertices cost 50% of lit: 500 ns of 1.0 us a play."), "{got:?}");
        assert!(
            got[0].ends_with("vertex 17 of its batch, for example, has a NaN in v2.x (slot 4, sum3)."),
            "{got:?}"
        );
        let got = report(vec![cost("lit", 1000.0, 500.0, 12.0, None)]);
        assert!(got[0].ends_with("slot 4, sum3: an exponent above the recipe's range."), "{got:?}");
    }

    #[test]
    fn what_costs_little_comes_later_or_not_at_all() {
        let got = report(vec![
            cost("long", 9000.0, 0.0, 0.0, None),
            cost("lit", 1000.0, 400.0, 1.0, Some("a NaN in v2.x")),
            cost("other", 500.0, 10.0, 1.0, None),
        ]);
        assert!(got[0].starts_with("One of 3 programs takes 86% of the time: long"), "{got:?}");
        assert!(got[1].starts_with("One vertex costs 40% of lit"), "{got:?}");
        assert_eq!(got[2], "1 other program leaves vertices that run again, which takes 10 ns a play.");
        let got = report(vec![cost("lit", 10_000.0, 100.0, 1.0, Some("a NaN in v2.x"))]);
        assert!(got.iter().all(|line| !line.contains("One vertex")), "{got:?}");
    }
}
