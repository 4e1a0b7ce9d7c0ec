//! Random programs: every backend equals the reference on every bit.

use proptest::prelude::*;
use std::ops::Range;
use xfjit::backend::Interp;
use xfjit::config::{Forms, Quirk, QuirkSet};
use xfjit::runtime::num::Model;
use xfjit::shader::Faults;
use xfjit::{Config, Generation, Worker};
use xfjit_testing::RandomCase;
use xfjit_testing::case::config;
use xfjit_testing::filetest::{Bless, FileTest, check_text};
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{Case, Choices, Limits, Stats, check, check_with, fuzz_program, share};

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
    // Few are too large for compiled code.
    assert!(stats.refused * 50 <= stats.cases, "{stats}");
    stats
}

/// As many as `XFJIT_PROGRAMS` says, from seed `XFJIT_SEED` on.
fn programs_of_every_kind(generation: Generation) {
    let variable = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = variable("XFJIT_SEED").unwrap_or(0);
    let count = variable("XFJIT_PROGRAMS").unwrap_or_else(|| share(300));
    let stats = run(first..first + count, |c| Limits::choose(c, generation));
    // Most programs end as programs should.
    assert!(
        stats.faults.timeouts * 6 < stats.vertices && stats.faults.stack * 10 < stats.vertices,
        "{stats}"
    );
}

#[test]
fn programs_of_kelvin_match_the_reference() {
    programs_of_every_kind(Generation::Kelvin);
}

#[test]
fn programs_of_rankine_match_the_reference() {
    programs_of_every_kind(Generation::Rankine);
}

#[test]
fn programs_of_curie_match_the_reference() {
    programs_of_every_kind(Generation::Curie);
}

/// Vertices that branch around what they write, or write it under a condition: others read it, and the caller is told of it.
#[test]
fn programs_that_write_constants_match_the_reference() {
    let (mut stats, mut writers) = (Stats::default(), 0);
    let mut worker = Worker::new();
    let count = share(400);
    for seed in 300_000..300_000 + count {
        let mut c = Choices::seed(seed);
        let mut limits = Limits::choose(&mut c, Generation::ALL[seed as usize % 3]);
        limits.shape.slots = limits.shape.slots.min(40);
        let mut case = Case::within(&mut c, limits);
        case.config.constant_writes = true;
        let ran = case.run(&Interp::Single, &mut worker).expect("the reference runs every case");
        writers += u32::from(ran.written.contains(&1));
        match check_with(&case, &mut worker) {
            Ok(more) => stats += more,
            Err(mismatch) => panic!("seed {seed}: {mismatch}"),
        }
    }
    println!("{stats}");
    assert!(
        u64::from(writers) * 25 > count && stats.refused * 20 <= stats.cases,
        "{writers} writers, {stats}"
    );
}

/// If everything fell back to the interpreter, nothing would be tested.
#[test]
fn ordinary_operands_run_natively() {
    for &generation in Generation::ALL {
        let shape = Shape { slots: 12, rare: 0, raw: 0, idioms: 30 };
        let limits =
            Limits { generation, shape, temper: Temper::Ordinary, vertices: 64, model: Some(Model::Ieee) };
        let stats = run(100_000..100_120, |_| limits);
        assert!(stats.vertices > 2_000, "{stats}");
        assert!(stats.deopt_groups * 4 < stats.native_vertices / 3, "{stats}");
    }
}

#[test]
fn long_programs_match_the_reference() {
    for &generation in Generation::ALL {
        let shape = Shape { slots: generation.slots() as u32, rare: 5, raw: 1, idioms: 20 };
        let limits = Limits { generation, shape, temper: Temper::Mixed, vertices: 20, model: None };
        let mut stats = Stats::default();
        for seed in 200_000..200_000 + share(40) {
            match check(&Case::within(&mut Choices::seed(seed), limits)) {
                Ok(more) => stats += more,
                Err(mismatch) => panic!("seed {seed}: {mismatch}"),
            }
        }
        println!("{stats}");
        // Some are too large for compiled code: beside their state there is no room for what is uniform.
        assert!(stats.refused * 4 <= stats.cases, "{stats}");
    }
}

/// Options that came with Rankine are nothing to Kelvin, whoever runs it.
#[test]
fn options_of_later_generations_leave_kelvin_alone() {
    for seed in 300_000..300_000 + share(200) {
        let mut c = Choices::seed(seed);
        let limits = Limits::choose(&mut c, Generation::Kelvin);
        let case = Case::within(&mut c, limits);
        let reference = &xfjit::backend::Interp::Single;
        let want = case.run(reference, &mut Worker::new()).expect("the reference runs every case");
        let later = config(&mut c, Limits { generation: Generation::Curie, ..limits }, 0, 9)
            .with(|config| config.generation = Generation::Kelvin);
        let Config {
            generation,
            model,
            live_outputs,
            layout,
            access,
            constant_writes,
            quirks: kelvin,
            forms: heard,
            ..
        } = case.config;
        // Those that matter to Kelvin are the case's.
        let mut quirks = later.quirks;
        for quirk in Quirk::ALL.iter().filter(|quirk| quirk.matters(Generation::Kelvin)) {
            assert!((quirk.set)(&mut quirks, (quirk.get)(&kelvin)));
        }
        let mut forms = later.forms;
        for form in Forms::TABLE.iter().filter(|form| form.matters(Generation::Kelvin)) {
            assert!((form.set)(&mut forms, (form.get)(&heard)));
        }
        let config = later.with(|config| {
            config.generation = generation;
            config.model = model;
            config.live_outputs = live_outputs;
            config.layout = layout;
            config.access = access;
            config.constant_writes = constant_writes;
            config.quirks = quirks;
            config.forms = forms;
        });
        let case = Case { config, ..case };
        let got = case.run(reference, &mut Worker::new()).expect("the reference runs every case");
        assert_eq!(got.output, want.output, "seed {seed}: {case}");
        let stats = check(&case).unwrap_or_else(|mismatch| panic!("seed {seed}: {mismatch}"));
        assert_eq!(stats.faults, Faults::default(), "seed {seed}");
    }
}

#[test]
fn what_is_printed_for_a_case_is_a_test_that_passes() {
    let (mut without_text, mut refused) = (0, 0);
    for (seed, &generation) in (0..share(210)).zip(Generation::ALL.iter().cycle()) {
        let mut c = Choices::seed(seed);
        let mut limits = Limits { vertices: 5, ..Limits::choose(&mut c, generation) };
        // Whatever is larger may be too large for compiled code.
        limits.shape.slots = limits.shape.slots.min(112);
        let mut case = Case::within(&mut c, limits);
        if case.count == 0 {
            continue;
        }
        // A test file fails where a back end refuses its program.
        if check(&case).is_ok_and(|stats| stats.refused > 0) {
            refused += 1;
            continue;
        }
        if FileTest::of_case(&case, Vec::new(), 0..0).is_none() {
            without_text += 1;
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
    assert!(refused < 5, "{refused}");
    // Programs that are read in an unusual way.
    assert!(without_text < 21, "{without_text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: share(200) as u32, ..ProptestConfig::default() })]

    /// Does what the fuzz target does, with bytes that shrink.
    #[test]
    fn any_bytes_name_a_case_on_which_all_agree(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        fuzz_program(&bytes);
    }
}
