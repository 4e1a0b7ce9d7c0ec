//! Finding the handle of a program that the guest starts: as the engine does it, by decoding, and by its words.

use divan::Bencher;
use std::num::NonZeroUsize;
use std::sync::Arc;
use xfjit::engine::Finder;
use xfjit::{Config, Engine, Generation, Model, Options};
use xfjit_testing::programs::Fixed;

fn main() {
    divan::main();
}

const PROGRAMS: [&str; 3] = ["P1", "P3", "P5"];

/// A memory of programs that holds one, and its configuration.
fn memory(name: &str) -> (Vec<u32>, Config) {
    let fixed = Fixed::find(name).expect("one of the fixed set");
    let mut words = xfjit::isa::encode(Generation::Kelvin, &fixed.program());
    words.resize(Generation::Kelvin.slots() * 4, 0);
    (words, fixed.config(Model::Hw))
}

fn finder() -> Finder {
    let engine = Engine::new(Options::default());
    Finder::new(Arc::new(engine), NonZeroUsize::new(64).expect("it is not zero"))
}

#[divan::bench(args = PROGRAMS)]
fn engine(bencher: Bencher<'_, '_>, name: &str) {
    let (words, config) = memory(name);
    let engine = Engine::new(Options::default());
    bencher.bench_local(|| engine.program(&words, 0, &config));
}

/// Finds the program that was found last.
#[divan::bench(args = PROGRAMS)]
fn same(bencher: Bencher<'_, '_>, name: &str) {
    let (words, config) = memory(name);
    let mut finder = finder();
    bencher.bench_local(|| Arc::as_ptr(finder.find(&words, 0, &config).expect("it decodes")));
}

/// Another one than the last, of which the time is that of two.
#[divan::bench(args = PROGRAMS)]
fn two_in_turn(bencher: Bencher<'_, '_>, name: &str) {
    let (words, config) = memory(name);
    let mut other = words.clone();
    other[1] ^= 1 << 9;
    let mut finder = finder();
    bencher.bench_local(|| {
        let first = Arc::as_ptr(finder.find(&words, 0, &config).expect("it decodes"));
        (first, Arc::as_ptr(finder.find(&other, 0, &config).expect("it decodes")))
    });
}
