//! Functions of one operand on every operand: the recipes, as the evaluator and as machine code run them, against the
//! golden functions (invariant I5). Normally a stride that meets every exponent and table segment; all 2^32 with
//! `XFJIT_EXHAUSTIVE=1` (in release mode: minutes).

use std::ops::Range;
use std::sync::Arc;
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs};
use xfjit::runtime::num::{self, Model, Numerics};
use xfjit::runtime::state::Context;
use xfjit::{Config, Generation, asm};
use xfjit_core::backend::{Backend, Eval, Interp, Routine, Worker};
use xfjit_testing::check::native_slow;
use xfjit_testing::{native, native_models, native_wide};

const GEN: Generation = Generation::Kelvin;
/// Operands of one batch.
const BATCH: usize = 1 << 15;
/// Rows of constants on either side of which an address is seen.
const BASE: i64 = 96;

/// A function, and the program whose oPos.x it is.
struct Function {
    name: &'static str,
    text: &'static str,
    golden: fn(Numerics, u32) -> u32,
}

const FUNCTIONS: &[Function] = &[
    Function { name: "rcp", text: "RCP oPos.x, v0.x", golden: num::rcp },
    Function { name: "rcc", text: "RCC oPos.x, v0.x", golden: num::rcc },
    Function { name: "rsq", text: "RSQ oPos.x, v0.x", golden: num::rsq },
    Function { name: "exp_x", text: "EXP oPos.x, v0.x", golden: num::exp_x },
    Function { name: "exp_y", text: "EXP r0.y, v0.x\nMOV oPos.x, r0.y", golden: num::exp_y },
    Function { name: "exp_z", text: "EXP r0.z, v0.x\nMOV oPos.x, r0.z", golden: num::exp_z },
    Function { name: "log_x", text: "LOG oPos.x, v0.x", golden: num::log_x },
    Function { name: "log_y", text: "LOG r0.y, v0.x\nMOV oPos.x, r0.y", golden: num::log_y },
    Function { name: "log_z", text: "LOG r0.z, v0.x\nMOV oPos.x, r0.z", golden: num::log_z },
    Function { name: "lit_y", text: "LIT r0.y, v0.x\nMOV oPos.x, r0.y", golden: num::lit_y },
    Function { name: "arl", text: "ARL a0.x, v0.x\nMOV oPos.x, c[a0 + 96].x", golden: row_at },
];

/// What the constants of the test hold at row + 96: the row number, marked; nothing out of range.
fn row_at(n: Numerics, bits: u32) -> u32 {
    let row = i64::from(num::arl(n, bits)) + BASE;
    if (0..192).contains(&row) { marked(row as usize) } else { 0 }
}

fn marked(row: usize) -> u32 {
    0x4100_0000 | row as u32
}

/// Operands that every run meets.
fn landmarks() -> Vec<u32> {
    let exponents = (0..256u32).flat_map(|exponent| {
        let bounds = (0..128u32).map(move |segment| exponent << 23 | segment << 16);
        bounds.flat_map(|bits| [bits.wrapping_sub(1), bits, bits + 1, bits | 0x8000_0000])
    });
    let integers = (0..2_048u32).flat_map(|i| [i, i + 1]).map(|i| (i as f32 / 4.0 - 256.0).to_bits());
    exponents.chain(integers.flat_map(|bits| [bits.wrapping_sub(1), bits, bits + 1])).collect()
}

/// One function on one backend.
struct Checker<'a> {
    function: &'a Function,
    routine: Arc<dyn Routine>,
    numerics: Numerics,
    backend: &'static str,
    worker: Worker,
    context: Context,
    output: Vec<u32>,
    /// Groups left to the interpreter.
    guarded: u64,
    groups: u64,
}

impl<'a> Checker<'a> {
    fn new(function: &'a Function, model: Model, backend: &dyn Backend) -> Self {
        let config =
            Config::new(GEN).model(model).live_outputs(1).with(|config| config.layout = Layout::Planes);
        let program = Arc::new(asm::parse(GEN, function.text).expect("it assembles"));
        let mut context = Context::new(GEN.constants());
        for row in 0..192 {
            context.set_row(row, [marked(row); 4]);
        }
        Checker {
            function,
            routine: backend.prepare(&Microcode::shader(&program, &config)).expect("it compiles"),
            numerics: config.numerics(),
            backend: backend.name(),
            worker: Worker::new(),
            context,
            output: vec![0; 4 * BATCH],
            guarded: 0,
            groups: 0,
        }
    }

    /// Checks operands; three more follow them in memory, since vertices overlap.
    fn check(&mut self, operands: &[u32]) {
        let count = operands.len() - 3;
        let data = Attribute::interleaved(operands, 0, 4, 1);
        let mut outputs = Outputs::planes(&mut self.output, &[0], BATCH);
        let inputs = Inputs::new(count).with(0, data);
        let outcome = self.routine.run(&mut self.worker, &mut self.context, &inputs, &mut outputs);
        self.guarded += outcome.expect("the streams are long enough").deopt_groups;
        self.groups += count.div_ceil(self.routine.lanes()) as u64;
        for (&bits, &got) in operands[..count].iter().zip(&self.output) {
            let want = num::canonical(self.numerics, (self.function.golden)(self.numerics, bits));
            if want != got {
                let Function { name, .. } = self.function;
                panic!("{name}({bits:08x}) on {}: expected {want:08x}, got {got:08x}", self.backend);
            }
        }
    }

    /// Checks every `step`th operand of a range.
    fn check_range(&mut self, range: Range<u64>, step: u64) {
        let mut operands = Vec::with_capacity(BATCH + 3);
        let mut next = range.start;
        while next < range.end {
            operands.clear();
            while operands.len() < BATCH && next < range.end {
                operands.push(next as u32);
                next += step;
            }
            operands.extend([0x3f80_0000; 3]);
            self.check(&operands);
        }
    }

    fn check_landmarks(&mut self) {
        for chunk in landmarks().chunks(BATCH) {
            let mut operands = chunk.to_vec();
            operands.extend([0x3f80_0000; 3]);
            self.check(&operands);
        }
    }
}

/// All operands in the first mode, about a million in the second.
fn step() -> u64 {
    if std::env::var_os("XFJIT_EXHAUSTIVE").is_some() { 1 } else { 20_011 }
}

fn check_all(model: Model, backend: &dyn Backend, step: u64) {
    for function in FUNCTIONS {
        let half = 1u64 << 31;
        let counts = std::thread::scope(|scope| {
            let halves = [0..half, half..2 * half].map(|range| {
                scope.spawn(move || {
                    let mut checker = Checker::new(function, model, backend);
                    if range.start == 0 {
                        checker.check_landmarks();
                    }
                    checker.check_range(range, step);
                    (checker.groups, checker.guarded)
                })
            });
            halves.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let [groups, guarded] = [counts[0].0 + counts[1].0, counts[0].1 + counts[1].1];
        println!("{} {model:?} {}: {guarded} of {groups} groups guarded", backend.name(), function.name);
    }
}

#[test]
fn machine_code_equals_the_golden_functions() {
    for backend in native().into_iter().chain(native_wide()).chain(native_slow()) {
        for &model in native_models() {
            check_all(model, &*backend, step());
        }
    }
}

/// The evaluator is slow: it never runs on all operands.
#[test]
fn recipes_equal_the_golden_functions() {
    for &model in native_models() {
        check_all(model, &Eval::Host, 200_003);
    }
}

#[test]
fn the_interpreter_equals_the_golden_functions() {
    for model in [Model::Hw, Model::Ieee] {
        check_all(model, &Interp::Batched, 50_021);
        check_all(model, &Eval::Xf, 200_003);
    }
}
