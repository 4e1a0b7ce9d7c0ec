//! `xfjit diff`

mod configurations;
mod fixed;
mod flipper;

use crate::args::{Diff, Format, Global};
use crate::fail::{Failure, note, remark};
use crate::table::Table;
use crate::{backends, files, progress};
use std::io::Write;
use std::sync::Arc;
use xfjit::backend::{Backend, Runs};
use xfjit::chip::Pipeline;
use xfjit::{Generation, Model, Worker};
use xfjit_testing::RandomCase;
use xfjit_testing::case::Refusal;
use xfjit_testing::check::difference;
use xfjit_testing::filetest::FileTest;
use xfjit_testing::{Case, Choices, Limits};

/// Failing programs that are shown.
const SHOWN: usize = 10;

/// Compares the backends on random programs.
pub fn run(args: &Diff, global: &Global) -> Result<(), Failure> {
    if let Some(pipeline) = args.fixed.as_deref().and_then(Pipeline::from_name) {
        return fixed::run(args, pipeline.family(), global);
    }
    if args.flipper {
        return flipper::run(args, global);
    }
    let generation = args.r#gen;
    let models = backends::models(args.model);
    let all = all(args)?;
    let mut comparison = Comparison {
        args,
        generation,
        reference: backends::reference(),
        worker: Worker::new(),
        columns: models
            .iter()
            .flat_map(|&model| {
                let others = all.clone().into_iter().skip(1);
                others
                    .filter(move |backend| backends::knows(&**backend, model))
                    .map(move |backend| (model, backend))
            })
            .map(|(model, backend)| Column { model, backend, mismatches: 0, deopt_groups: 0, refused: 0 })
            .collect(),
        programs: 0,
        vertices: 0,
        mismatches: 0,
    };
    let bar = progress::bar(args.programs * models.len() as u64, "comparing", global.quiet);
    for &model in &models {
        for number in 0..args.programs {
            comparison.program(args.seed.wrapping_add(number), model, &bar)?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if comparison.mismatches > SHOWN {
        remark(format_args!("... and {} more programs", comparison.mismatches - SHOWN));
    }
    comparison.summary(global)?;
    if comparison.mismatches == 0 { Ok(()) } else { Err(Failure::Mismatch) }
}

/// The backends to compare, the reference first.
fn all(args: &Diff) -> Result<Vec<Arc<dyn Backend>>, Failure> {
    if args.target.is_none() {
        backends::note_missing();
    }
    backends::every(args.target)
}

/// A backend under a model, and how it did.
struct Column {
    model: Model,
    backend: Arc<dyn Backend>,
    /// Programs with a difference.
    mismatches: u64,
    deopt_groups: u64,
    /// Programs that it cannot prepare.
    refused: u64,
}

struct Comparison<'a> {
    args: &'a Diff,
    generation: Generation,
    reference: Arc<dyn Backend>,
    worker: Worker,
    columns: Vec<Column>,
    programs: u64,
    vertices: u64,
    /// Programs with a difference on any backend.
    mismatches: usize,
}

/// The program that a seed names.
fn case(seed: u64, generation: Generation, model: Model, vertices: u32) -> Case {
    let mut choices = Choices::seed(seed);
    let limits = Limits::choose(&mut choices, generation).model(model);
    Case::within(&mut choices, Limits { vertices, ..limits })
}

impl Comparison<'_> {
    fn program(&mut self, seed: u64, model: Model, bar: &indicatif::ProgressBar) -> Result<(), Failure> {
        let case = case(seed, self.generation, model, self.args.vertices);
        let internal = |refusal: Refusal| Failure::Internal(format!("seed {seed}: {refusal}"));
        let want = case.run(&*self.reference, &mut self.worker).map_err(internal)?;
        self.programs += 1;
        self.vertices += case.count as u64;
        let mut found = Vec::new();
        for column in self.columns.iter_mut().filter(|column| column.model == model) {
            let got = match case.run(&*column.backend, &mut self.worker) {
                Ok(got) => got,
                Err(Refusal::Compile(error)) => {
                    column.refused += 1;
                    if column.refused == 1 {
                        let name = column.backend.name();
                        bar.suspend(|| note(format_args!("seed {seed}: {name} rejects it: {error}")));
                    }
                    continue;
                }
                Err(refusal) => return Err(internal(refusal)),
            };
            column.deopt_groups += got.outcome.deopt_groups;
            if let Some((what, position)) = difference(&case.placement(), &want, &got) {
                column.mismatches += 1;
                found.push((column.backend.name(), what, position));
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        self.mismatches += 1;
        if self.mismatches <= SHOWN {
            bar.suspend(|| show(&case, seed, model, &found, self.args));
        }
        Ok(())
    }

    fn summary(&self, global: &Global) -> Result<(), Failure> {
        let Comparison { programs, vertices, mismatches, .. } = self;
        // The evaluator and wide code guard the same vertices as the first native code: they are not counted twice.
        let natives = || self.columns.iter().filter(|column| column.backend.runs() == Runs::Native);
        let first = natives().next().map(|column| column.backend.name());
        let counted = natives().filter(|column| Some(column.backend.name()) == first);
        let deopts: u64 = counted.map(|column| column.deopt_groups).sum();
        let mut table =
            Table::new(["model", "backend", ">programs that differ", ">deoptimised groups", ">refused"]);
        for column in &self.columns {
            let names = [column.model.name(), column.backend.name()].map(str::to_owned);
            let numbers = [column.mismatches, column.deopt_groups, column.refused].map(|n| n.to_string());
            table.row(names.into_iter().chain(numbers));
        }
        let value = || {
            let rows: Vec<serde_json::Value> = self.columns.iter().map(json).collect();
            serde_json::json!({
                "schema": "xfjit.diff.1", "seed": self.args.seed, "programs": programs, "vertices": vertices,
                "mismatches": mismatches, "deopt_groups": deopts, "runs": rows,
            })
        };
        let line = format!(
            "{programs} programs, {vertices} vertices, {mismatches} mismatches, {deopts} deoptimised groups"
        );
        write(&table, value, &line, global)
    }
}

/// Writes what came of a comparison: a table and a line below it, or the value that says the same.
fn write(
    table: &Table,
    value: impl FnOnce() -> serde_json::Value,
    line: &str,
    global: &Global,
) -> Result<(), Failure> {
    let mut out = files::stdout();
    match global.format {
        Format::Json => writeln!(out, "{}", value())?,
        Format::Csv => table.write_csv(&mut out)?,
        Format::Text => {
            if !global.quiet {
                table.write(&mut out)?;
            }
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

fn json(column: &Column) -> serde_json::Value {
    serde_json::json!({
        "model": column.model.name(), "backend": column.backend.name(),
        "mismatches": column.mismatches, "deopt_groups": column.deopt_groups, "refused": column.refused,
    })
}

/// A program on which backends differ, and how to see it again.
fn show(case: &Case, seed: u64, model: Model, found: &[(&str, String, Option<usize>)], args: &Diff) {
    let model = model.name();
    for (backend, what, _) in found {
        remark(format_args!("seed {seed}, model {model}, {backend}: {what}"));
    }
    // The first vertex that differs is enough to see the rest.
    let positions = found[0].2.map_or(0..case.count, |position| position..position + 1);
    let test = FileTest::of_case(case, vec![found[0].1.clone()], positions);
    let text = test.map_or_else(|| case.to_string(), |test| test.to_string());
    remark(format_args!("    {}", text.trim_end().replace('\n', "\n    ")));
    remark(format_args!(
        "  reproduce: xfjit diff --gen {} --model {model} --seed {seed} --programs 1 --vertices {}",
        case.config.generation.name(),
        args.vertices
    ));
}
