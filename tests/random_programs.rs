//! Random programs: every backend equals the reference on every bit.

use proptest::prelude::*;
use std::ops::Range;
use xfjit::runtime::num::Model;
use xfjit::testing::filetest::{Bless, FileTest, check_text};
use xfjit::testing::operand::Temper;
use xfjit::testing::program::Shape;
use xfjit::testing::{Case, Choices, Limits, Stats, check, check_with, fuzz_program};
use xfjit::{Generation, Worker};

fn run(seeds: Range<u64>, limits: impl Fn(&mut Choices<'_>) -> Limits) -> Stats {
    let mut stats = Stats::default();
    let mut worker = Worker::new();
    for seed in seeds {
        let mut c = Choices::seed(seed);
        let limits = limits(&mut c);
        match check_with(&Case::within(&mut c, limits), &mut worker) {
            Ok(more) => stats += more,
            Err(mismatch) => panic!("seed {seed}: {mismatch}"),
        }
    }
    println!("{stats}");
    assert_eq!(stats.refused, 0);
    stats
}

/// As many as `XFJIT_PROGRAMS` says, from seed `XFJIT_SEED` on.
#[test]
fn programs_of_every_kind_match_the_reference() {
    let variable = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = variable("XFJIT_SEED").unwrap_or(0);
    let count = variable("XFJIT_PROGRAMS").unwrap_or(3_000);
    for &generation in Generation::ALL {
        let stats = run(first..first + count, |c| Limits::choose(c, generation));
        // Most programs end as programs should.
        assert!(
            stats.faults.timeouts * 6 < stats.vertices && stats.faults.stack * 10 < stats.vertices,
            "{stats}"
        );
    }
}

/// If everything fell back to the interpreter, nothing would be tested.
#[test]
fn ordinary_operands_run_natively() {
    let shape = Shape { slots: 12, rare: 0, raw: 0, idioms: 30 };
    let limits = Limits {
        generation: Generation::Kelvin,
        shape,
        temper: Temper::Ordinary,
        vertices: 64,
        model: Some(Model::Ieee),
    };
    let stats = run(100_000..100_300, |_| limits);
    assert!(stats.vertices > 5_000, "{stats}");
    assert!(stats.deopt_groups * 4 < stats.native_vertices / 3, "{stats}");
}

#[test]
fn long_programs_match_the_reference() {
    let shape = Shape { slots: 136, rare: 5, raw: 1, idioms: 20 };
    let limits =
        Limits { generation: Generation::Kelvin, shape, temper: Temper::Mixed, vertices: 20, model: None };
    run(200_000..200_100, |_| limits);
}

#[test]
fn what_is_printed_for_a_case_is_a_test_that_passes() {
    for (seed, &generation) in (0..450).zip(Generation::ALL.iter().cycle()) {
        let mut c = Choices::seed(seed);
        let limits = Limits { vertices: 5, ..Limits::choose(&mut c, generation) };
        let mut case = Case::within(&mut c, limits);
        if case.count == 0 {
            continue;
        }
        let text = case.to_string();
        let test: FileTest = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(test.to_string(), text);
        if let Err(error) = check_text(&text, Bless::No) {
            panic!("seed {seed}: {error}\n{text}");
        }
        // And one that fails where an output is another.
        case.config.live_outputs = 0;
        assert!(check(&case).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// The same as the fuzz target, with bytes that shrink.
    #[test]
    fn any_bytes_name_a_case_on_which_all_agree(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        fuzz_program(&bytes);
    }
}
