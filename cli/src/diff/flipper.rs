//! `xfjit diff --flipper`: random configurations of Flipper's transform unit.

use super::fixed::{Column, summary};
use crate::args::{Diff, Global};
use crate::fail::{Failure, remark};
use crate::progress;
use std::sync::Arc;
use xfjit::Worker;
use xfjit::backend::Interp;
use xfjit::config::FlipperQuirks;
use xfjit::testing::case::Refusal;
use xfjit::testing::check::difference;
use xfjit::testing::{Choices, FlipperCase, FlipperMismatch, native_eight_lanes};

/// Differences that are shown.
const SHOWN: u64 = 10;
/// What configurations run in that mix the hypotheses of dialects.
const MIXED: &str = "mixed";

/// The dialect that a configuration is in.
fn dialect(quirks: FlipperQuirks) -> &'static str {
    let named = FlipperQuirks::DIALECTS.iter().find(|(_, dialect)| *dialect == quirks);
    named.map_or(MIXED, |(name, _)| name)
}

/// Compares the backends with the interpreter of one vertex. Every configuration runs in the dialect that its seed chose,
/// which may be a mixture, and in all those with names.
pub fn run(args: &Diff, global: &Global) -> Result<(), Failure> {
    let mut others = super::all(args)?.split_off(1);
    others.extend(native_eight_lanes().filter(|_| args.target.is_none()));
    let names = FlipperQuirks::DIALECTS.iter().map(|&(name, _)| name).chain([MIXED]);
    let mut columns: Vec<Column> =
        names.flat_map(|name| others.iter().map(move |other| Column::new(name, Arc::clone(other)))).collect();
    let bar = progress::bar(args.programs, "comparing", global.quiet);
    let [mut configurations, mut vertices, mut mismatches] = [0u64; 3];
    let mut worker = Worker::new();
    for number in 0..args.programs {
        let seed = args.seed.wrapping_add(number);
        let chosen = FlipperCase::choose_flipper(&mut Choices::seed(seed), args.vertices as usize);
        let internal = |refusal: Refusal| Failure::Internal(format!("seed {seed}: {refusal}"));
        let mixed = (dialect(chosen.setup.quirks) == MIXED).then_some((MIXED, chosen.setup.quirks));
        let mut found = Vec::new();
        for &(name, quirks) in FlipperQuirks::DIALECTS.iter().chain(&mixed) {
            let mut case = chosen.clone();
            case.setup.quirks = quirks;
            let want = case.run(&Interp::Single, &mut worker).map_err(internal)?;
            vertices += case.count() as u64;
            for column in columns.iter_mut().filter(|column| column.of == name) {
                let Ok(routine) = column.backend.prepare(&case.shader()) else {
                    column.refused += 1;
                    continue;
                };
                let got = case.run_on(&*routine, &mut worker);
                let got = got.map_err(|error| internal(Refusal::Streams(error)))?;
                column.groups += case.count().div_ceil(routine.lanes()) as u64;
                column.deopt_groups += got.outcome.deopt_groups;
                if let Some((what, position)) = difference(&case.placement(), &want, &got) {
                    column.mismatches += 1;
                    let backend = format!("dialect {name}, {}", column.backend.name());
                    found.push(FlipperMismatch { backend, what, position, case: case.clone() });
                }
            }
        }
        configurations += 1;
        if !found.is_empty() {
            mismatches += 1;
            if mismatches <= SHOWN {
                bar.suspend(|| show(&found, seed, args));
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if mismatches > SHOWN {
        remark(format_args!("... and {} more configurations", mismatches - SHOWN));
    }
    let counts = [configurations, vertices, mismatches];
    summary(&columns, ("dialect", "xfjit.diff.flipper.1"), args.seed, counts, global)?;
    if mismatches == 0 { Ok(()) } else { Err(Failure::Mismatch) }
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
