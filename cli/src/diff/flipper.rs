//! `xfjit diff --flipper`: random configurations of Flipper's transform unit.

use super::configurations::{Column, Comparison};
use crate::args::{Diff, Global};
use crate::fail::{Failure, remark};
use crate::progress;
use std::sync::Arc;
use xfjit::Worker;
use xfjit::backend::Interp;
use xfjit::config::{Dialect, FlipperQuirks};
use xfjit_testing::RandomFlipper;
use xfjit_testing::case::Refusal;
use xfjit_testing::{Choices, FlipperCase, FlipperMismatch};

/// What configurations run in that mix the hypotheses of dialects.
const MIXED: &str = "mixed";

/// Dialects whose transform units differ.
const NAMED: [Dialect; 2] = [Dialect::Spec, Dialect::DolphinSw];

/// The dialect that a configuration is in.
fn dialect(quirks: FlipperQuirks) -> &'static str {
    NAMED.iter().find(|dialect| dialect.transform() == quirks).map_or(MIXED, |dialect| dialect.name())
}

/// Compares the backends with the interpreter of one vertex. Every configuration runs in the dialect that its seed chose,
/// which may be a mixture, and in all those with names.
pub fn run(args: &Diff, global: &Global) -> Result<(), Failure> {
    let others = super::all(args)?.split_off(1);
    let names = NAMED.map(Dialect::name).into_iter().chain([MIXED]);
    let columns =
        names.flat_map(|name| others.iter().map(move |other| Column::new(name, Arc::clone(other)))).collect();
    let mut comparison = Comparison::new(columns, progress::bar(args.programs, "comparing", global.quiet));
    let mut worker = Worker::new();
    for number in 0..args.programs {
        let seed = args.seed.wrapping_add(number);
        let chosen = FlipperCase::choose_flipper(&mut Choices::seed(seed), args.vertices as usize);
        let internal = |refusal: Refusal| Failure::Internal(format!("seed {seed}: {refusal}"));
        let mixed = (dialect(chosen.setup.quirks) == MIXED).then_some((MIXED, chosen.setup.quirks));
        let mut found = Vec::new();
        for (name, quirks) in
            NAMED.map(|dialect| (dialect.name(), dialect.transform())).into_iter().chain(mixed)
        {
            let mut case = chosen.clone();
            case.setup.quirks = quirks;
            let want = case.run(&Interp::Single, &mut worker).map_err(internal)?;
            comparison.vertices += case.count() as u64;
            for column in comparison.columns.iter_mut().filter(|column| column.of == name) {
                if let Some((what, position)) = column.compare(&case, &want, &mut worker).map_err(internal)? {
                    let backend = format!("dialect {name}, {}", column.backend.name());
                    found.push(FlipperMismatch { backend, what, position, case: case.clone() });
                }
            }
        }
        comparison.note(&found, |found| show(found, seed, args));
    }
    comparison.finish(("dialect", "xfjit.diff.flipper.1"), args, global)
}

/// A configuration on which backends differ, and how to see it again.
fn show(found: &[FlipperMismatch], seed: u64, args: &Diff) {
    let Some(first) = found.first() else { return };
    for FlipperMismatch { backend, what, .. } in found {
        remark(format_args!("seed {seed}, {backend}: {what}"));
    }
    remark(format_args!("    {}", first.to_string().trim_end().replace('\n', "\n    ")));
    remark(format_args!(
        "  reproduce: xfjit diff --flipper --seed {seed} --programs 1 --vertices {}",
        args.vertices
    ));
}
