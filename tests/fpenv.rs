//! The caller's floating-point environment has no influence and comes back unchanged, sticky flags included
//! (invariant I11).
#![cfg(target_arch = "x86_64")]

use std::arch::asm;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Routine};
use xfjit::testing::operand::Temper;
use xfjit::testing::program::Shape;
use xfjit::testing::{Case, Choices, Limits, backends};
use xfjit::{Generation, Worker};

const MASKS: u32 = 0x1f80;

fn read() -> u32 {
    let mut state = 0;
    // SAFETY: stores MXCSR into a live local.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut state, options(nostack, preserves_flags)) };
    state
}

/// Runs `body` under another MXCSR; returns what it leaves there.
fn under<R>(state: u32, body: impl FnOnce() -> R) -> (R, u32) {
    let saved = read();
    // SAFETY: no reserved bit is set; the state is put back before anything but `body` runs.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &state, options(nostack, readonly)) };
    let result = body();
    let left = read();
    // SAFETY: the value was read from MXCSR.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &saved, options(nostack, readonly)) };
    (result, left)
}

/// Every rounding mode, flush mode and denormal mode, with exceptions masked and not, with flags clear and set.
fn states() -> impl Iterator<Item = u32> {
    let modes = (0..16u32).map(|mode| (mode & 3) << 13 | (mode >> 2 & 1) << 15 | (mode >> 3) << 6);
    modes
        .flat_map(|mode| [MASKS, 0].map(|masks| mode | masks))
        .flat_map(|state| [0, 0x15, 0x3f].map(|flags| state | flags))
}

fn cases() -> Vec<Case> {
    let shape = Shape { slots: 24, rare: 10, raw: 0, idioms: 30 };
    let tempers = [Temper::Ordinary, Temper::Mixed, Temper::Wild];
    let case = |seed: u64| {
        let limits = Limits {
            generation: Generation::ALL[seed as usize / 3 % 3],
            shape,
            temper: tempers[seed as usize % 3],
            vertices: 20,
            model: None,
        };
        Case::within(&mut Choices::seed(seed), limits)
    };
    (0..24).map(case).filter(|case| case.count > 0).collect()
}

#[test]
fn results_do_not_depend_on_the_callers_environment() {
    for case in cases() {
        let want = case.run(&Interp::Single, &mut Worker::new()).expect("the reference runs every case");
        let mut all = backends(case.config.model);
        all.push(Arc::new(Interp::Single));
        let program = case.program().expect("it decodes");
        for backend in all {
            let routine: Arc<dyn Routine> = backend.prepare(&program, &case.config).expect("it compiles");
            for state in states() {
                let (mut output, mut context) = (case.fresh_output(), case.context());
                let (inputs, mut worker) = (case.inputs(), Worker::new());
                let mut outputs = case.outputs(&mut output);
                let (result, left) =
                    under(state, || routine.run(&mut worker, &mut context, &inputs, &mut outputs));
                result.expect("the streams are long enough");
                let name = backend.name();
                assert_eq!(left, state, "{name} leaves another environment");
                assert!(output == want.output, "{name} under {state:04x}\n{case}");
                assert!(context == want.context, "{name} under {state:04x}\n{case}");
            }
        }
    }
}

#[test]
fn compiling_does_not_depend_on_the_callers_environment() {
    for case in cases() {
        let want = case.run(&Interp::Single, &mut Worker::new()).expect("the reference runs every case");
        let program = case.program().expect("it decodes");
        for backend in backends(case.config.model) {
            for state in states().filter(|state| state & MASKS == MASKS) {
                let (routine, _) = under(state, || backend.prepare(&program, &case.config));
                let (mut output, mut context) = (case.fresh_output(), case.context());
                routine
                    .expect("it compiles")
                    .run(&mut Worker::new(), &mut context, &case.inputs(), &mut case.outputs(&mut output))
                    .expect("the streams are long enough");
                assert!(output == want.output, "{} compiled under {state:04x}\n{case}", backend.name());
            }
        }
    }
}
