//! A recipe as machine code against the interpreter and against its golden function in a loop: one scalar function of a vertex each, streams and
//! all on the side of the machine code. Compare figures of one run only.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Worker};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs};
use xfjit::runtime::num::{self, Model, Numerics, Rules};
use xfjit::runtime::state::{Context, Row};
use xfjit::{Config, Generation, asm};
use xfjit_native::Jit;

fn main() {
    divan::main();
}

const BATCH: usize = 1024;
const KELVIN: Numerics = Numerics { model: Model::Hw, rules: Rules::Kelvin };

/// Name, program, what the program computes.
type Function = (&'static str, &'static str, fn(Row) -> u32);

const FUNCTIONS: [Function; 8] = [
    ("rcp", "RCP oPos.x, v0.x", |v| num::rcp(KELVIN, v[0])),
    ("rcc", "RCC oPos.x, v0.x", |v| num::rcc(KELVIN, v[0])),
    ("rsq", "RSQ oPos.x, v0.x", |v| num::rsq(KELVIN, v[0])),
    ("lit", "LIT oPos.yz, v0", |v| num::lit_y(KELVIN, v[0]) ^ num::lit_z(KELVIN, v[0], v[1], v[3])),
    ("lit_z", "LIT oPos.z, v0", |v| num::lit_z(KELVIN, v[0], v[1], v[3])),
    ("exp_z", "EXP oPos.z, v0.x", |v| num::exp_z(KELVIN, v[0])),
    ("log_z", "LOG oPos.z, v0.x", |v| num::log_z(KELVIN, v[0])),
    ("dp4", "DP4 oPos.x, v0, v0", |v| {
        let [x, y, z, w] = v.map(|component| num::mul(KELVIN, component, component));
        num::sum4(KELVIN, x, y, z, w)
    }),
];

const NAMES: [&str; 8] = ["rcp", "rcc", "rsq", "lit", "lit_z", "exp_z", "log_z", "dp4"];

fn function(name: &str) -> Function {
    *FUNCTIONS.iter().find(|function| function.0 == name).expect("one of the functions")
}

/// Numbers between 2^-7 and 2^7, without order.
fn operands() -> Vec<Row> {
    let word = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9);
    let number = |i: usize| (120 + word(i) % 14) << 23 | word(i) >> 9;
    (0..BATCH).map(|i| [0, 1, 2, 3].map(|component| number(4 * i + component))).collect()
}

#[divan::bench(args = NAMES)]
fn machine_code(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, &Jit::host().expect("this host has native code"), name);
}

/// What a guard costs.
#[divan::bench(args = NAMES)]
fn interpreter(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, &Interp::Batched, name);
}

fn run(bencher: Bencher<'_, '_>, backend: &dyn Backend, name: &str) {
    let program = Arc::new(asm::parse(Generation::Kelvin, function(name).1).expect("it assembles"));
    let config = Config::new(Generation::Kelvin)
        .model(Model::Hw)
        .live_outputs(1)
        .with(|config| config.layout = Layout::Planes);
    let routine = backend.prepare(&Microcode::shader(&program, &config)).expect("it compiles");
    let (mut worker, mut context) = (Worker::new(), Context::new(Generation::Kelvin.constants()));
    let (rows, mut out) = (operands(), vec![0; 4 * BATCH]);
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        let inputs = Inputs::new(BATCH).with(0, Attribute::rows(&rows));
        let mut outputs = Outputs::planes(&mut out, &[0], BATCH);
        let outcome = routine.run(&mut worker, &mut context, &inputs, &mut outputs);
        assert_eq!(outcome.expect("the streams are long enough").deopt_groups, 0);
    });
}

#[divan::bench(args = NAMES)]
fn golden(bencher: Bencher<'_, '_>, name: &str) {
    let (_, _, golden) = function(name);
    let (rows, mut out) = (operands(), vec![0; BATCH]);
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for (row, out) in rows.iter().zip(&mut out) {
            *out = golden(black_box(*row));
        }
    });
}
