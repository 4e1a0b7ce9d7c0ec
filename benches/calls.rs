//! What a call costs beside its vertices: batches of one and of three vertices of P1, with the handle at hand.
//! `bound` runs a batch that has been bound before, `anew` describes, checks and runs it each time.

use divan::Bencher;
use std::hint::black_box;
use xfjit::runtime::batch::Outputs;
use xfjit::runtime::bound::Bound;
use xfjit::runtime::constants::Constants;
use xfjit::{Engine, Model, Options, Program, Worker};
use xfjit_native::Jit;
use xfjit_testing::programs::Fixed;

fn main() {
    divan::main();
}

const MODELS: [&str; 2] = ["ieee", "hw"];

/// P1 as native code, with its fixture.
fn p1(model: &str) -> (&'static Fixed, std::sync::Arc<Program>) {
    let fixed = Fixed::find("P1").expect("one of the fixed set");
    let model = if model == "hw" { Model::Hw } else { Model::Ieee };
    Jit::host().expect("this host has native code");
    let program = Engine::new(Options::default()).decoded(fixed.program(), &fixed.config(model));
    assert!(program.stats().native, "P1 is compiled");
    (fixed, program)
}

#[divan::bench(args = MODELS, consts = [1, 3, 4, 64], sample_size = 1000)]
fn bound<const COUNT: usize>(bencher: Bencher<'_, '_>, model: &str) {
    let (fixed, program) = p1(model);
    let (mut worker, context) = (Worker::new(), fixed.context());
    let (words, mut out) = (fixed.vertices(COUNT), vec![0; COUNT * fixed.output_words()]);
    let inputs = fixed.inputs(&words, COUNT);
    let outputs = Outputs::interleaved(&mut out, fixed.outputs);
    let mut bound = Bound::new(program.needs(), &inputs, &outputs).expect("the fixture holds the batch");
    let mut constants = Constants::read_only(context.rows());
    bencher.bench_local(|| {
        program.run_bound(black_box(&mut worker), &mut constants, black_box(&mut bound), 0..COUNT)
    });
}

#[divan::bench(args = MODELS, consts = [1, 3, 4, 64], sample_size = 1000)]
fn anew<const COUNT: usize>(bencher: Bencher<'_, '_>, model: &str) {
    let (fixed, program) = p1(model);
    let (mut worker, mut context) = (Worker::new(), fixed.context());
    let (words, mut out) = (fixed.vertices(COUNT), vec![0; COUNT * fixed.output_words()]);
    bencher.bench_local(|| {
        let inputs = fixed.inputs(black_box(&words), COUNT);
        let mut outputs = Outputs::interleaved(&mut out, fixed.outputs);
        program.run(&mut worker, &mut context, &inputs, &mut outputs)
    });
}
