//! `xfjit chip`

mod paths;
mod picture;

use crate::args::{Chip, Format, Global};
use crate::fail::Failure;
use crate::files;
use crate::load::{self, Loaded};
use crate::table::{self, Table};
use std::io::Write;
use xfjit::asm;
use xfjit_isa::chip::boards::BOARDS;
use xfjit_isa::timing::{Diagram, Pipeline, Report};

/// The longest name of a stage: a column of the diagram is as wide.
const LONGEST_STAGE: usize = 8;

/// Simulates the chip's pipeline, and tells what a vertex costs.
pub fn run(args: &Chip, global: &Global) -> Result<(), Failure> {
    let pipeline = pipeline(args)?;
    let wanted = load::Wanted {
        generation: args.r#gen,
        start: args.start,
        order: args.byte_order,
        given: &global.given,
        configuration: None,
        pairing: args.pairing,
    };
    let (loaded, _) = load::program(&args.program, &wanted)?;
    let paths = paths::paths(args, &loaded)?;
    let Loaded { program, generation, .. } = &loaded;
    let text = |slot: usize| {
        let insn = slot.checked_sub(program.first).and_then(|at| program.insns.get(at));
        insn.map_or_else(String::new, |insn| asm::print_insn(*generation, insn))
    };
    let report = Report::new(&pipeline, &paths);
    let diagram = Diagram::new(&pipeline, &paths, pipeline.threads, args.clocks.into(), text);
    if let Some(file) = &args.svg {
        files::write(file, picture::svg(&diagram).as_bytes())?;
    }
    let boards: Vec<(&str, u32, Option<u32>, Option<f64>)> = BOARDS
        .iter()
        .filter(|board| board.chip.family().microcode() == Some(*generation))
        .map(|board| {
            let rate =
                |units: u32| f64::from(board.mhz) * 1e6 * f64::from(units) / report.clocks_per_vertex();
            (board.name, board.mhz, board.units, board.units.map(rate).filter(|rate| rate.is_finite()))
        })
        .collect();
    let slots = report.slots.iter().map(|(&slot, cost)| {
        let of_vertex = |sum: u64| sum as f64 / report.vertices.max(1.0);
        (slot, of_vertex(cost.runs), of_vertex(cost.waits), of_vertex(cost.unknown), text(slot))
    });
    let mut out = files::stdout();
    match global.format {
        Format::Text => {
            let percent = |unit: usize| 100 * report.units[unit] / report.clocks.max(1);
            let stages = pipeline.stages.join(" ");
            let plural = if pipeline.threads == 1 { "" } else { "s" };
            writeln!(out, "{} thread{plural}, stages {stages}", pipeline.threads)?;
            let (clocks, waits) = (report.clocks_per_vertex(), report.waits_per_vertex());
            writeln!(
                out,
                "a vertex: {clocks:.2} clocks, {waits:.2} of them waiting; alone {}",
                report.latency
            )?;
            writeln!(out, "nothing waits from {} threads on", report.threads_needed)?;
            writeln!(out, "vector unit {} %, scalar unit {} %\n", percent(0), percent(1))?;
            let mut table = Table::new(["board", ">MHz", ">units", ">vertices/s"]);
            for (name, mhz, units, rate) in boards {
                let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
                let units = or_unknown(units.map(|units| units.to_string()));
                table.row([name.to_owned(), mhz.to_string(), units, or_unknown(rate.map(table::si))]);
            }
            table.write(&mut out)?;
            writeln!(out)?;
            let mut table = Table::new([">slot", ">runs", ">waits", ">unknown", "instruction"]);
            for (slot, runs, waits, unknown, text) in slots {
                let number = |value: f64| format!("{value:.2}");
                table.row([slot.to_string(), number(runs), number(waits), number(unknown), text]);
            }
            table.write(&mut out)?;
            write!(out, "\n{diagram}")?;
        }
        Format::Csv => {
            let mut table = Table::new(["slot", "runs", "waits", "unknown", "instruction"]);
            for (slot, runs, waits, unknown, text) in slots {
                table.row([slot.to_string(), runs.to_string(), waits.to_string(), unknown.to_string(), text]);
            }
            table.write_csv(&mut out)?;
        }
        Format::Json => {
            let slots: Vec<serde_json::Value> = slots
                .map(|(slot, runs, waits, unknown, text)| {
                    serde_json::json!({
                        "slot": slot, "runs": runs, "waits": waits, "unknown": unknown, "text": text,
                    })
                })
                .collect();
            let boards: Vec<serde_json::Value> = boards
                .into_iter()
                .map(|(name, mhz, units, rate)| {
                    serde_json::json!({ "board": name, "mhz": mhz, "units": units, "vertices_per_second": rate })
                })
                .collect();
            let value = serde_json::json!({
                "schema": "xfjit.chip.1", "generation": generation.name(), "stages": pipeline.stages,
                "threads": pipeline.threads, "delay": pipeline.delay,
                "clocks_per_vertex": report.clocks_per_vertex(), "waits_per_vertex": report.waits_per_vertex(),
                "latency": report.latency, "threads_needed": report.threads_needed,
                "boards": boards, "slots": slots, "diagram": diagram.to_string(),
            });
            writeln!(out, "{value}")?;
        }
    }
    Ok(out.flush()?)
}

fn pipeline(args: &Chip) -> Result<Pipeline, Failure> {
    let wrong = |message: &str| Err(Failure::Usage(format!("--stages: {message}")));
    if args.stages.len() < 2 {
        return wrong("a pipeline has two stages at least, RR,WB");
    }
    if args.stages.len() > 64 {
        return wrong("more than 64");
    }
    let is_name = |stage: &String| {
        (1..=LONGEST_STAGE).contains(&stage.chars().count()) && stage.chars().all(|c| c.is_ascii_graphic())
    };
    if !args.stages.iter().all(is_name) {
        return wrong("names have one to eight letters, digits or signs");
    }
    Ok(Pipeline { stages: args.stages.clone(), threads: args.threads.into(), delay: args.delay.into() })
}
