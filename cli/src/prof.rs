//! `xfjit prof`: what the programs of a capture cost here, and the chip.

mod cost;

use crate::args::{Format, Global, Prof};
use crate::capture::Capture;
use crate::fail::{Failure, note};
use crate::table::{self, Table};
use crate::{backends, files, html, perf};
use cost::{Cost, Slot};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use xfjit::engine::{ProgramProfile, Tier, default_backend};
use xfjit::{Engine, Model};

/// Everything that is told.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    capture: String,
    target: String,
    /// How often the capture was played and timed.
    times: u32,
    /// What all programs took in one play, in nanoseconds.
    ns: f64,
    /// How the time of a program is divided among its slots.
    divided_by: &'static str,
    programs: Vec<Cost>,
}

/// Plays a capture, and tells.
pub fn run(args: &Prof, global: &Global) -> Result<(), Failure> {
    let name = files::name(&args.capture);
    let bytes = files::read(&args.capture)?;
    let capture = Capture::read(&name, &bytes, global)?;
    let perf = perf::wanted()?;
    let backend = match args.target {
        Some(_) => backends::native(args.target).map_err(Failure::Unsupported)?,
        None => default_backend(),
    };
    let options = perf::options(perf::in_sight(perf.as_ref(), backend), perf.as_ref());
    let options = options.with(|options| options.time_one_in = 1);
    let engine = Arc::new(Engine::new(options));
    let model = args.model.unwrap_or(Model::Hw);
    // What it compiles, and what it touches for the first time, is not what it costs again and again.
    capture.play(&engine, model)?;
    let before = engine.profile();
    for _ in 0..args.times {
        capture.play(&engine, model)?;
    }
    let after = engine.profile();
    let mut programs: Vec<Cost> = engine
        .programs()
        .iter()
        .filter_map(|program| {
            let of =
                |all: &[ProgramProfile]| all.iter().find(|profile| profile.name == program.name()).cloned();
            let profile = of(&after.programs)?;
            Some(Cost::new(program.shader(), of(&before.programs).as_ref(), profile, args.times))
        })
        .collect();
    let ns = programs.iter().map(|program| program.ns).sum::<f64>();
    programs.sort_by(|a, b| b.ns.total_cmp(&a.ns));
    for program in &mut programs {
        program.share = if ns > 0.0 { program.ns / ns } else { 0.0 };
    }
    if programs.is_empty() {
        note("nothing was drawn: there is no program in it");
    }
    let report = Report {
        schema: "xfjit.prof.1",
        capture: name,
        target: after.target,
        times: args.times,
        ns,
        divided_by: "host operations",
        programs,
    };
    if let Some(file) = &args.folded {
        files::write(file, folded(&report).as_bytes())?;
    }
    if let Some(file) = &args.out {
        files::write(file, page(&report)?.as_bytes())?;
    }
    write(&report, args, global)
}

/// The report as a page.
fn page(report: &Report) -> Result<String, Failure> {
    let (template, script) = (include_str!("prof/page.html"), include_str!("prof/page.js"));
    let styles = [include_str!("explore/page.css"), include_str!("prof/page.css")];
    html::page(template, &format!("{}: programs by cost", report.capture), &styles, script, report)
}

/// A line for each slot of each program: the stack, and nanoseconds of one play.
fn folded(report: &Report) -> String {
    // A semicolon divides a stack, and a line is one.
    let frame = |text: &str| text.replace([';', '\n'], ",");
    let capture = frame(&report.capture);
    let mut text = String::new();
    for program in &report.programs {
        let slots = program.slots.iter().map(|slot| (format!("{} {}", slot.place, slot.text), slot.ns));
        let known: f64 = program.slots.iter().map(|slot| slot.ns).sum();
        for (slot, ns) in slots.chain([("other".to_owned(), program.ns - known)]) {
            let ns = ns.round();
            if ns >= 1.0 {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{capture};{};{} {ns}", frame(&program.name), frame(slot.trim()));
            }
        }
    }
    text
}

fn write(report: &Report, args: &Prof, global: &Global) -> Result<(), Failure> {
    let mut out = files::stdout();
    let or_dash = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    match global.format {
        Format::Json => {
            serde_json::to_writer(&mut out, report).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text | Format::Csv => {
            let mut table = Table::new([
                "program",
                "tier",
                ">share",
                ">ns",
                ">batches",
                ">vertices",
                ">ns/vertex",
                ">clocks/vertex",
                ">guarded",
                ">bytes",
                ">compile us",
            ]);
            for program in &report.programs {
                table.row([
                    program.name.clone(),
                    program.tier.clone(),
                    format!("{:.1}%", 100.0 * program.share),
                    format!("{:.0}", program.ns),
                    format!("{:.0}", program.batches),
                    format!("{:.0}", program.vertices),
                    or_dash(program.ns_per_vertex()),
                    or_dash(program.chip_clocks),
                    format!("{:.0}", program.guarded),
                    program.code_bytes.to_string(),
                    format!("{:.0}", program.compile_us),
                ]);
            }
            if global.format == Format::Csv {
                table.write_csv(&mut out)?;
            } else {
                let time = table::duration(Duration::from_nanos(report.ns as u64));
                let (count, times) = (report.programs.len(), report.times);
                // The first words of it; what features the processor has is no matter here.
                let target: Vec<&str> =
                    report.target.split(' ').take_while(|word| !word.starts_with("has_")).collect();
                let s = if count == 1 { "" } else { "s" };
                let target = target.join(" ");
                writeln!(
                    out,
                    "{}: {count} program{s}, {time} a play (of {times}), {target}\n",
                    report.capture
                )?;
                table.write(&mut out)?;
                for program in report.programs.iter().take(args.top) {
                    slots(program, report.divided_by, &mut out)?;
                }
            }
        }
    }
    Ok(out.flush()?)
}

/// The slots of a program, or the parts of a configuration, with what they cost, and what its guards are about.
fn slots(program: &Cost, divided_by: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}, divided by {divided_by}:\n", program.name)?;
    let mut table = Table::new([">share", ">ns/vertex", ">clocks", "place", "instruction"]);
    for Slot { place, text, share, clocks, .. } in &program.slots {
        let of_vertex =
            program.ns_per_vertex().map_or_else(|| "-".to_owned(), |ns| format!("{:.2}", ns * share));
        let clocks = clocks.map_or_else(|| "-".to_owned(), |clocks| format!("{clocks:.2}"));
        table.row([format!("{:.1}%", 100.0 * share), of_vertex, clocks, place.clone(), text.clone()]);
    }
    table.write(out)?;
    for guard in &program.guards {
        writeln!(out, "left to the interpreter: {guard}")?;
    }
    Ok(())
}

/// The name of a tier, with why.
fn tier(tier: &Tier, lanes: usize) -> String {
    match tier {
        Tier::Native => format!("native, {lanes}"),
        tier => tier.name().to_owned(),
    }
}
