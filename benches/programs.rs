//! The fixed set under each tier, for `cargo bench`. Compare figures of one run only; `xfjit bench` takes the tiers in
//! turn, adds the hand-written reference and prints ratios.

use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Worker};
use xfjit::front::Microcode;
use xfjit::runtime::batch::Outputs;
use xfjit::{Config, Model, isa};
use xfjit_native::Jit;
use xfjit_testing::programs::Fixed;

fn main() {
    divan::main();
}

const PROGRAMS: [&str; 7] = ["P1", "P2", "P3", "P4", "P5", "P6", "P7"];

fn fixed(name: &str, model: Model) -> (&'static Fixed, Arc<isa::Program>, Config) {
    let fixed = Fixed::find(name).expect("one of the fixed set");
    (fixed, Arc::new(fixed.program()), fixed.config(model))
}

fn run(bencher: Bencher<'_, '_>, backend: &dyn Backend, model: Model, name: &str, batch: usize) {
    let (fixed, program, config) = fixed(name, model);
    let routine =
        backend.prepare(&Microcode::shader(&program, &config)).expect("every backend takes the fixed set");
    let mut worker = Worker::new();
    let mut context = fixed.context();
    let words = fixed.vertices(batch);
    let mut out = vec![0; batch * fixed.output_words()];
    bencher.counter(ItemsCount::new(batch)).bench_local(|| {
        let inputs = fixed.inputs(&words, batch);
        let mut outputs = Outputs::interleaved(&mut out, fixed.outputs);
        routine.run(&mut worker, &mut context, &inputs, &mut outputs)
    });
}

fn jit() -> Jit {
    Jit::host().expect("this host has native code")
}

#[divan::bench(args = PROGRAMS, consts = [3, 1024])]
fn jit_ieee<const BATCH: usize>(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, &jit(), Model::Ieee, name, BATCH);
}

#[divan::bench(args = PROGRAMS, consts = [3, 1024])]
fn jit_hw<const BATCH: usize>(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, &jit(), Model::Hw, name, BATCH);
}

#[divan::bench(args = PROGRAMS)]
fn interp_batch_ieee(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, &Interp::Batched, Model::Ieee, name, 1024);
}

#[divan::bench(args = PROGRAMS)]
fn interp_batch_hw(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, &Interp::Batched, Model::Hw, name, 1024);
}

#[divan::bench(args = PROGRAMS)]
fn compile_ieee(bencher: Bencher<'_, '_>, name: &str) {
    let (_, program, config) = fixed(name, Model::Ieee);
    let jit = jit();
    bencher.bench_local(|| jit.prepare(&Microcode::shader(&program, &config)));
}

#[divan::bench(args = PROGRAMS)]
fn compile_hw(bencher: Bencher<'_, '_>, name: &str) {
    let (_, program, config) = fixed(name, Model::Hw);
    let jit = jit();
    bencher.bench_local(|| jit.prepare(&Microcode::shader(&program, &config)));
}
