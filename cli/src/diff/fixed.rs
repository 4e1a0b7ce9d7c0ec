//! `xfjit diff --fixed`: random configurations of the fixed function.

use super::configurations::{Column, Comparison};
use crate::args::{Diff, Global};
use crate::fail::{Failure, remark};
use crate::{backends, progress};
use std::sync::Arc;
use xfjit::Worker;
use xfjit::chip::{Family, Pipeline};
use xfjit_core::backend::{Backend, Eval, Runs};
use xfjit_testing::RandomFixed;
use xfjit_testing::case::Refusal;
use xfjit_testing::{Choices, FixedCase, FixedMismatch};

/// Compares the backends with the evaluator of the function as it was lowered.
pub fn run(args: &Diff, family: Family, global: &Global) -> Result<(), Failure> {
    let models = backends::models(args.model);
    // The evaluator of what was lowered is the reference here.
    let is_other = |backend: &Arc<dyn Backend>| backend.runs() != Runs::Primitives;
    let others: Vec<_> = super::all(args)?.into_iter().skip(1).filter(is_other).collect();
    let columns =
        models.iter().flat_map(|&model| others.clone().into_iter().map(move |backend| (model, backend)));
    let columns = columns.map(|(model, backend)| Column::new(model.name(), backend));
    let bar = progress::bar(args.programs * models.len() as u64, "comparing", global.quiet);
    let mut comparison = Comparison::new(columns.collect(), bar);
    let mut worker = Worker::new();
    for &model in &models {
        for number in 0..args.programs {
            let seed = args.seed.wrapping_add(number);
            let vertices = args.vertices as usize;
            let case = FixedCase::choose(&mut Choices::seed(seed), family, Some(model), vertices);
            let internal = |refusal: Refusal| Failure::Internal(format!("seed {seed}: {refusal}"));
            let want = case.run(&Eval::Xf, &mut worker).map_err(internal)?;
            comparison.vertices += case.count() as u64;
            let mut found = Vec::new();
            for column in comparison.columns.iter_mut().filter(|column| column.of == model.name()) {
                if let Some((what, position)) = column.compare(&case, &want, &mut worker).map_err(internal)? {
                    let backend = column.backend.name().to_owned();
                    found.push(FixedMismatch { backend, what, position, case: case.clone() });
                }
            }
            comparison.note(&found, |found| show(found, seed, args));
        }
    }
    comparison.finish(("model", "xfjit.diff.fixed.1"), args, global)
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
    // Of Curie's family one chip has a fixed function.
    let family = match pipeline {
        Pipeline::Curie => pipeline.name(),
        _ => pipeline.family().name(),
    };
    remark(format_args!(
        "  reproduce: xfjit diff --fixed {family} --model {model} --seed {seed} --programs 1 --vertices {}",
        args.vertices
    ));
}
