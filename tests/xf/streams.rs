//! Random command streams, on everything that must hold of all of them.

use proptest::prelude::*;
use xfjit::Model;
use xfjit_testing::{Choices, CommandStats, check_commands, commands};

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn how_vertices_are_cut_into_batches_cannot_be_seen(seed: u64, cut in 0usize..200, ieee: bool) {
        let trace = commands(&mut Choices::seed(seed));
        let model = if ieee { Model::Ieee } else { Model::Hw };
        if let Err(mismatch) = check_commands(&trace, model, cut) {
            prop_assert!(false, "{mismatch}");
        }
    }
}

#[test]
fn streams_reach_what_they_are_meant_to() {
    let mut all = CommandStats::default();
    for seed in 0..30 {
        let trace = commands(&mut Choices::seed(seed));
        let stats = check_commands(&trace, Model::Hw, 30).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        all.items += stats.items;
        all.vertices += stats.vertices;
        all.batches += stats.batches;
        all.state_programs += stats.state_programs;
    }
    println!("{all:?}");
    assert!(all.vertices > 2 * all.batches && all.batches > 50 && all.state_programs > 5, "{all:?}");
}
