//! Random programs: every backend equals the reference on every bit.

use xfjit::Worker;
use xfjit::testing::{Case, Choices, Limits, Stats, check_with};

fn run(seeds: std::ops::Range<u64>) -> Stats {
    let mut stats = Stats::default();
    let mut worker = Worker::new();
    for seed in seeds {
        let mut c = Choices::seed(seed);
        let limits = Limits::choose(&mut c);
        let case = Case::within(&mut c, limits);
        match check_with(&case, &mut worker) {
            Ok(more) => stats += more,
            Err(mismatch) => panic!("seed {seed}: {mismatch}"),
        }
    }
    stats
}

#[test]
fn random_programs_match_the_reference() {
    let stats = run(0..2_000);
    println!("{stats}");
    assert_eq!(stats.refused, 0);
}
