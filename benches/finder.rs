//! Finding the handle of a program that the guest starts: as the engine does it, by decoding, and by its words.

use divan::Bencher;
use std::num::NonZeroUsize;
use std::sync::Arc;
use xfjit::engine::Finder;
use xfjit::runtime::batch::Outputs;
use xfjit::{Config, Engine, Generation, Model, Options, Worker};
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

/// The first result of a program that was never seen: found, decoded, and run with three vertices by the interpreter. Where the engine
/// compiles in the background, a first draw waits for this.
#[divan::bench(args = PROGRAMS)]
fn first_result(bencher: Bencher<'_, '_>, name: &str) {
    const VERTICES: usize = 3;
    let (words, config) = memory(name);
    let fixed = Fixed::find(name).expect("one of the fixed set");
    let engine = Engine::new(Options::background(u64::MAX));
    let mut finder = Finder::new(Arc::new(engine), NonZeroUsize::new(64).expect("it is not zero"));
    let (mut worker, mut context) = (Worker::new(), fixed.context());
    let vertices = fixed.vertices(VERTICES);
    let inputs = fixed.inputs(&vertices, VERTICES);
    let mut room = vec![0; VERTICES * fixed.output_words()];
    let mut number = 0;
    // Other rows of constants in the third and the fourth slot: another program.
    let another = || {
        let mut words = words.clone();
        for (slot, row) in [(2, number % 96), (3, number / 96 % 96)] {
            words[4 * slot + 1] = words[4 * slot + 1] & !(0xff << 13) | row << 13;
        }
        number += 1;
        words
    };
    bencher.with_inputs(another).bench_local_refs(|words| {
        let program = finder.find(words, 0, &config).expect("it decodes");
        let mut outputs = Outputs::interleaved(&mut room, fixed.outputs);
        program.run(&mut worker, &mut context, &inputs, &mut outputs).expect("the streams serve")
    });
}
