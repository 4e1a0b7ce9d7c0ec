//! The report as text, a table and JSON.

use super::cost::{Cost, Literals, Slot};
use super::finding;
use super::report::{Attached, Report};
use crate::args::{Format, Global, Prof};
use crate::fail::Failure;
use crate::table::{self, Table};
use std::io::{self, Write};
use std::time::Duration;

/// Writes it as the options say.
pub(super) fn write(report: &Report, args: &Prof, global: &Global) -> Result<(), Failure> {
    let mut out = args.outputs()?.report();
    let or_dash = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    match global.format {
        Format::Json => {
            serde_json::to_writer(&mut out, report).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text | Format::Csv => {
            let columns = [
                "program",
                "tier",
                ">share",
                ">ns",
                ">batches",
                ">vertices",
                ">ns/vertex",
                ">clocks/vertex",
                ">guarded",
                ">run again",
                ">bytes",
                ">compile us",
            ];
            // People read the label beside the program, tools in a column of its own.
            let is_csv = global.format == Format::Csv;
            let mut table = Table::new(columns.into_iter().chain(is_csv.then_some("label")));
            for program in &report.programs {
                let cells = [
                    if is_csv { program.name.clone() } else { program.shown() },
                    program.tier.clone(),
                    format!("{:.1}%", 100.0 * program.share),
                    format!("{:.0}", program.ns),
                    format!("{:.0}", program.batches),
                    format!("{:.0}", program.vertices),
                    or_dash(program.ns_per_vertex()),
                    or_dash(program.chip_clocks),
                    format!("{:.0}", program.guarded),
                    percent(program.fallback_ns, program.ns),
                    program.code_bytes.to_string(),
                    format!("{:.0}", program.compile_us),
                ];
                let label = is_csv.then(|| program.label.clone().unwrap_or_default());
                table.row(cells.into_iter().chain(label));
            }
            if is_csv {
                table.write_csv(&mut out)?;
            } else {
                let time = table::duration(Duration::from_nanos(report.ns as u64));
                let (count, times) = (report.programs.len(), report.times);
                // The first words of it; what features the processor has is no matter here.
                let target: Vec<&str> =
                    report.target.split(' ').take_while(|word| !word.starts_with("has_")).collect();
                let programs = table::count(count, "program");
                let target = target.join(" ");
                match &report.attached {
                    None => writeln!(
                        out,
                        "{}: {programs}, {time} a play (of {times}), {}, {target}\n",
                        report.capture, report.arithmetic
                    )?,
                    Some(attached) => {
                        writeln!(out, "{}: {programs}, {time}, {target}", report.capture)?;
                        writeln!(out, "{}\n", records(attached))?;
                    }
                }
                for sentence in finding::sentences(report) {
                    writeln!(out, "{sentence}")?;
                }
                writeln!(out)?;
                table.write(&mut out)?;
                for program in report.programs.iter().take(args.top) {
                    slots(program, args.literals, &mut out)?;
                }
            }
        }
    }
    Ok(out.flush()?)
}

/// What was read of a process, and what was not.
fn records(attached: &Attached) -> String {
    let &Attached { seconds, is_whole, has_ended, records, lost, damaged, unkept, .. } = attached;
    let since = if is_whole { "since its beginning" } else { "since it was attached to" };
    let mut text =
        format!("{records} records in {seconds:.1} s, {lost} lost; counters are of all batches {since}");
    if has_ended {
        text += "; it has ended";
    }
    if damaged > 0 {
        text += &format!("; {damaged} records make no sense");
    }
    if unkept > 0 {
        text += &format!("; {unkept} batches are in no trace");
    }
    if attached.left_programs > 0 {
        let (programs, vertices) = (attached.left_programs, attached.left_vertices);
        text += &format!("; {programs} programs with {vertices} vertices had no room in its file");
    }
    text
}

fn percent(part: f64, whole: f64) -> String {
    format!("{:.1}%", 100.0 * part / whole.max(1e-9))
}

/// The slots of a program, or the parts of a configuration, with what they cost, and what its guards are about.
fn slots(program: &Cost, with_literals: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}, divided by {}:\n", program.shown(), program.divided_by)?;
    let mut table = Table::new([">share", ">ns/vertex", ">clocks", "place", "instruction"]);
    for Slot { place, text, share, clocks, .. } in &program.slots {
        let of_vertex =
            program.ns_per_vertex().map_or_else(|| "-".to_owned(), |ns| format!("{:.2}", ns * share));
        let clocks = clocks.map_or_else(|| "-".to_owned(), |clocks| format!("{clocks:.2}"));
        table.row([format!("{:.1}%", 100.0 * share), of_vertex, clocks, place.clone(), text.clone()]);
    }
    let left = match format!("{:.0}", program.guarded_vertices).as_str() {
        "1" => format!("1 vertex, by {}", program.runs_again()),
        count => format!("{count} vertices, by {}", program.runs_again()),
    };
    let texts = [left, "begin and end of groups, calls".to_owned()];
    let beside = program.beside_slots().into_iter().zip(texts);
    for ((place, ns), text) in beside.filter(|((_, ns), _)| *ns > 0.0) {
        let of_vertex = program
            .ns_per_vertex()
            .map_or_else(|| "-".to_owned(), |all| format!("{:.2}", all * ns / program.ns));
        table.row([percent(ns, program.ns), of_vertex, "-".to_owned(), place.to_owned(), text]);
    }
    table.write(out)?;
    if let Some(Literals { routines, vertices, times_less }) = &program.literals {
        let [routines, vertices] =
            [(*routines, "routine"), (*vertices, "vertex")].map(|(n, one)| table::count(n, one));
        write!(out, "constants as literals: {routines}, {vertices}")?;
        match times_less {
            Some(times) => writeln!(out, ", each in {times:.2} times as fast as in other draws")?,
            None => writeln!(out)?,
        }
    } else if with_literals {
        writeln!(out, "constants as literals: none, since none stayed the same or little would be gained")?;
    }
    for guard in &program.guards {
        writeln!(out, "raises a guard: {}", guard.text)?;
    }
    Ok(())
}
