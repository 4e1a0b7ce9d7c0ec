//! `xfjit diff --fixed`: random configurations of the fixed function.

use crate::args::{Diff, Format, Global};
use crate::fail::{Failure, remark};
use crate::table::Table;
use crate::{backends, files, progress};
use std::io::Write;
use std::sync::Arc;
use xfjit::Worker;
use xfjit::backend::{Backend, Eval, Runs};
use xfjit::chip::Family;
use xfjit::testing::case::Refusal;
use xfjit::testing::check::difference;
use xfjit::testing::{Choices, FixedCase, FixedMismatch};

/// Differences that are shown.
const SHOWN: u64 = 10;

/// A backend under a model or in a dialect, and how it did.
pub(super) struct Column {
    /// The model's name, or the dialect's.
    pub(super) of: &'static str,
    pub(super) backend: Arc<dyn Backend>,
    pub(super) mismatches: u64,
    pub(super) groups: u64,
    pub(super) deopt_groups: u64,
    pub(super) refused: u64,
}

impl Column {
    pub(super) fn new(of: &'static str, backend: Arc<dyn Backend>) -> Self {
        Column { of, backend, mismatches: 0, groups: 0, deopt_groups: 0, refused: 0 }
    }
}

/// Compares the backends with the evaluator of the function as it was lowered.
pub fn run(args: &Diff, family: Family, global: &Global) -> Result<(), Failure> {
    let models = backends::models(args.model);
    // The evaluator of what was lowered is the reference here.
    let is_other = |backend: &Arc<dyn Backend>| backend.runs() != Runs::Primitives;
    let others: Vec<_> = super::all(args)?.into_iter().skip(1).filter(is_other).collect();
    let columns =
        models.iter().flat_map(|&model| others.clone().into_iter().map(move |backend| (model, backend)));
    let mut columns: Vec<Column> =
        columns.map(|(model, backend)| Column::new(model.name(), backend)).collect();
    let bar = progress::bar(args.programs * models.len() as u64, "comparing", global.quiet);
    let (mut configurations, mut run_vertices, mut mismatches) = (0u64, 0u64, 0u64);
    let mut worker = Worker::new();
    for &model in &models {
        for number in 0..args.programs {
            let seed = args.seed.wrapping_add(number);
            let vertices = args.vertices as usize;
            let case = FixedCase::choose(&mut Choices::seed(seed), family, Some(model), vertices);
            let internal = |refusal: Refusal| Failure::Internal(format!("seed {seed}: {refusal}"));
            let want = case.run(&Eval::Xf, &mut worker).map_err(internal)?;
            configurations += 1;
            run_vertices += case.count() as u64;
            let mut found = Vec::new();
            for column in columns.iter_mut().filter(|column| column.of == model.name()) {
                let got = match case.run(&*column.backend, &mut worker) {
                    Ok(got) => got,
                    Err(Refusal::Compile(_)) => {
                        column.refused += 1;
                        continue;
                    }
                    Err(refusal) => return Err(internal(refusal)),
                };
                column.groups += case.count().div_ceil(4) as u64;
                column.deopt_groups += got.outcome.deopt_groups;
                if let Some((what, position)) = difference(&case.placement(), &want, &got) {
                    column.mismatches += 1;
                    let backend = column.backend.name().to_owned();
                    found.push(FixedMismatch { backend, what, position, case: case.clone() });
                }
            }
            if !found.is_empty() {
                mismatches += 1;
                if mismatches <= SHOWN {
                    bar.suspend(|| show(&found, seed, args));
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if mismatches > SHOWN {
        remark(format_args!("... and {} more configurations", mismatches - SHOWN));
    }
    let counts = [configurations, run_vertices, mismatches];
    summary(&columns, ("model", "xfjit.diff.fixed.1"), args.seed, counts, global)?;
    if mismatches == 0 { Ok(()) } else { Err(Failure::Mismatch) }
}

/// A configuration on which backends differ, and how to see it again.
fn show(found: &[FixedMismatch], seed: u64, args: &Diff) {
    let Some(first) = found.first() else { return };
    let setup = &first.case.setup;
    let (model, pipeline) = (setup.model.name(), setup.mode.pipeline());
    for FixedMismatch { backend, what, .. } in found {
        remark(format_args!("seed {seed}, model {model}, {}, {backend}: {what}", pipeline.name()));
    }
    // The first vertex that differs is enough to see the rest.
    let text = first.filetest().map_or_else(|| first.to_string(), |test| test.to_string());
    remark(format_args!("    {}", text.trim_end().replace('\n', "\n    ")));
    let family = pipeline.family().name();
    remark(format_args!(
        "  reproduce: xfjit diff --fixed {family} --model {model} --seed {seed} --programs 1 --vertices {}",
        args.vertices
    ));
}

/// What came of all columns; the names are that of what they differ in, and of the schema.
pub(super) fn summary(
    columns: &[Column],
    (of, schema): (&str, &str),
    seed: u64,
    counts: [u64; 3],
    global: &Global,
) -> Result<(), Failure> {
    let [configurations, vertices, mismatches] = counts;
    let mut table = Table::new([
        of,
        "backend",
        ">configurations that differ",
        ">groups",
        ">deoptimised groups",
        ">refused",
    ]);
    for column in columns {
        let names = [column.of, column.backend.name()].map(str::to_owned);
        let numbers = [column.mismatches, column.groups, column.deopt_groups, column.refused];
        table.row(names.into_iter().chain(numbers.map(|number| number.to_string())));
    }
    let mut out = files::stdout();
    match global.format {
        Format::Json => {
            let rows: Vec<serde_json::Value> = columns.iter().map(|column| json(of, column)).collect();
            let value = serde_json::json!({
                "schema": schema, "seed": seed, "configurations": configurations,
                "vertices": vertices, "mismatches": mismatches, "runs": rows,
            });
            writeln!(out, "{value}")?;
        }
        Format::Csv => table.write_csv(&mut out)?,
        Format::Text => {
            if !global.quiet {
                table.write(&mut out)?;
            }
            writeln!(out, "{configurations} configurations, {vertices} vertices, {mismatches} mismatches")?;
        }
    }
    Ok(out.flush()?)
}

fn json(of: &str, column: &Column) -> serde_json::Value {
    serde_json::json!({
        of: column.of, "backend": column.backend.name(),
        "mismatches": column.mismatches, "groups": column.groups, "deopt_groups": column.deopt_groups,
        "refused": column.refused,
    })
}
