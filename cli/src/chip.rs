//! `xfjit chip`

mod explain;
mod flipper;
mod given;
mod paths;
mod picture;

use crate::args::{Chip, Format, Global};
use crate::fail::Failure;
use crate::load::{self, Loaded};
use crate::table::{self, Table};
use crate::{files, outputs};
use explain::Explained;
use std::io::Write;
use std::path::Path;
use xfjit::asm;
use xfjit_isa::chip::boards::BOARDS;
use xfjit_isa::timing::{Diagram, Pipeline, Report, SlotCost, Waits};

/// What `--clocks` can be at most.
const MOST_CLOCKS: u64 = 400;

/// Tells what a vertex costs the chip.
pub fn run(args: &Chip, global: &Global) -> Result<(), Failure> {
    match (&args.flipper, &args.program) {
        (Some(file), _) => flipper::run(file, args, global),
        (None, Some(file)) => program(file, args, global),
        (None, None) => Err(Failure::Usage("no program and no configuration".to_owned())),
    }
}

/// Simulates the pipeline.
fn program(file: &Path, args: &Chip, global: &Global) -> Result<(), Failure> {
    let wanted = load::Wanted {
        generation: args.r#gen,
        start: args.start,
        order: args.byte_order,
        given: &global.given,
        configuration: None,
        pairing: args.pairing,
    };
    let inputs = [Some(file), args.vertices.as_deref(), args.constants.as_deref()];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().collect();
    let outputs = outputs::Files::apart([("--svg", args.svg.as_deref())], &inputs)?;
    let (loaded, _) = load::program(file, &wanted)?;
    let pipeline = given::pipeline(args, loaded.generation.family())?;
    let paths = paths::paths(args, file, &loaded)?;
    let Loaded { program, generation, .. } = &loaded;
    let text = |slot: usize| {
        let insn = slot.checked_sub(program.first).and_then(|at| program.insns.get(at));
        insn.map_or_else(String::new, |insn| asm::print_insn(*generation, insn))
    };
    let report = Report::new(&pipeline, &paths);
    let vertices = pipeline.vertices_at_a_time();
    let diagram = Diagram::new(&pipeline, &paths, vertices, args.clocks.into(), text);
    if let Some(picture) = &args.svg {
        files::write(picture, picture::svg(&diagram, &files::name(file)).as_bytes())?;
    }
    let explained = args.explain.then(|| {
        Explained::new(&pipeline.timing, |values| Report::clocks_of(&Pipeline::new(values.clone()), &paths))
    });
    let boards: Vec<(&str, u32, Option<u32>, Option<f64>)> = BOARDS
        .iter()
        .filter(|board| board.chip.family().microcode() == Some(*generation))
        .map(|board| {
            let rate =
                |units: u32| f64::from(board.mhz) * 1e6 * f64::from(units) / report.clocks_per_vertex();
            (board.name, board.mhz, board.units, board.units.map(rate).filter(|rate| rate.is_finite()))
        })
        .collect();
    let slots = report.slots.iter().map(|(&slot, cost)| (slot, of_vertex(&report, cost), text(slot)));
    let mut out = outputs.report();
    match global.format {
        Format::Text => {
            let clocks = report.clocks.max(1);
            let percent = |unit: usize| (100 * report.units[unit] + clocks / 2) / clocks;
            let stages = pipeline.stages.join(" ");
            let plural = if vertices == 1 { "vertex" } else { "vertices" };
            let buffers = pipeline.vertices_under_way();
            writeln!(out, "{vertices} {plural} at a time of {buffers} under way, stages {stages}")?;
            let (clocks, waits) = (report.clocks_per_vertex(), report.waits_per_vertex());
            writeln!(
                out,
                "a vertex: {clocks:.2} clocks, {waits:.2} of them waiting; alone {}",
                report.latency
            )?;
            writeln!(out, "more than {} at a time save nothing", report.vertices_needed)?;
            writeln!(out, "vector unit {} %, scalar unit {} %\n", percent(0), percent(1))?;
            let mut table = Table::new(["board", ">MHz", ">units", ">vertices/s"]);
            for (name, mhz, units, rate) in boards {
                let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
                let units = or_unknown(units.map(|units| units.to_string()));
                table.row([name.to_owned(), mhz.to_string(), units, or_unknown(rate.map(table::si))]);
            }
            table.write(&mut out)?;
            writeln!(out)?;
            if let Some(explained) = explained {
                explained.write(&mut out)?;
                return Ok(out.flush()?);
            }
            let mut table =
                Table::new([">slot", ">runs", ">waits", ">busy", ">unknown", ">missing", "instruction"]);
            for (slot, figures, text) in slots {
                let figures = figures.map(|value| format!("{value:.2}"));
                table.row([slot.to_string()].into_iter().chain(figures).chain([text]));
            }
            table.write(&mut out)?;
            write!(out, "\n{diagram}")?;
            if let Some(cut) = diagram.cut.filter(|cut| cut.clocks <= MOST_CLOCKS) {
                writeln!(out, "# --clocks {} shows all", cut.clocks)?;
            }
        }
        Format::Csv => {
            let table = match explained {
                Some(explained) => explained.table(),
                None => {
                    let mut table =
                        Table::new(["slot", "runs", "waits", "busy", "unknown", "missing", "instruction"]);
                    for (slot, figures, text) in slots {
                        let figures = figures.map(|value| value.to_string());
                        table.row([slot.to_string()].into_iter().chain(figures).chain([text]));
                    }
                    table
                }
            };
            table.write_csv(&mut out)?;
        }
        Format::Json => {
            let slots: Vec<serde_json::Value> = slots
                .map(|(slot, [runs, waits, busy, unknown, missing], text)| {
                    serde_json::json!({
                        "slot": slot, "runs": runs, "waits": waits, "busy": busy, "unknown": unknown,
                        "missing": missing, "text": text,
                    })
                })
                .collect();
            let boards: Vec<serde_json::Value> = boards
                .into_iter()
                .map(|(name, mhz, units, rate)| {
                    serde_json::json!({ "board": name, "mhz": mhz, "units": units, "vertices_per_second": rate })
                })
                .collect();
            let cut = diagram
                .cut
                .map(|cut| serde_json::json!({ "instructions": cut.instructions, "clocks": cut.clocks }));
            let mut value = serde_json::json!({
                "schema": "xfjit.chip.1", "generation": generation.name(), "stages": pipeline.stages,
                "threads": vertices, "buffers": pipeline.vertices_under_way(), "delay": pipeline.timing.get("delay"),
                "clocks_per_vertex": report.clocks_per_vertex(), "waits_per_vertex": report.waits_per_vertex(),
                "latency": report.latency, "threads_needed": report.vertices_needed,
                "boards": boards, "slots": slots, "diagram": diagram.to_string(), "cut": cut,
            });
            if let Some(explained) = explained {
                value["parameters"] = explained.json();
            }
            writeln!(out, "{value}")?;
        }
    }
    Ok(out.flush()?)
}

/// What a slot costs a vertex: how often it runs, and clocks of waiting for results, for units that are busy, for branches, and for vertices
/// that are not there.
fn of_vertex(report: &Report, cost: &SlotCost) -> [f64; 5] {
    let Waits { results, units, branches, vertices } = cost.waits;
    [cost.runs, results, units, branches, vertices].map(|sum| sum as f64 / report.vertices.max(1.0))
}
