//! Runs a function of either level, one vertex at a time: to bisect a mismatch, and as a backend of its own.
//!
//! If this at the XF level differs from the interpreter, lowering is wrong; if the host level differs from the XF
//! level where no guard was raised, a recipe is; if machine code differs from the host level, code generation is.

use super::func::{Func, Value};
use super::host;
use super::ops::Op;
use xfjit_runtime::state::{Context, DEFAULT_ROW, OUTPUTS, Row};

/// What one vertex did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Output registers; those that were not written hold (0, 0, 0, 1).
    pub outputs: [Row; OUTPUTS],
    /// Constants to be written, in order.
    pub stores: Vec<(usize, Row)>,
    /// A guard was raised: nothing else of this is valid.
    pub guarded: bool,
}

/// Runs one vertex; constants are read, not written.
pub fn run(func: &Func, context: &Context, attribute: impl Fn(usize) -> Row) -> Outcome {
    let mut lane = vec![0u32; func.insts.len()];
    let mut wide = vec![0u64; func.insts.len()];
    let mut outcome = Outcome { outputs: [DEFAULT_ROW; OUTPUTS], stores: Vec::new(), guarded: false };
    let env = func.env();
    for value in func.order() {
        let inst = func.inst(value);
        let x = inst.args.map(|arg| if arg == Value::NONE { 0 } else { lane[arg.index()] });
        let imm = inst.imm as usize;
        let result = match inst.op {
            Op::Const => inst.imm,
            Op::Input => attribute(imm / 4)[imm % 4],
            Op::Ctx => context.row(imm / 4)[imm % 4],
            Op::CtxRel => {
                let row = i64::from(x[0] as i32) + (imm / 4) as i64;
                let inside = row >= i64::from(func.window.start) && row < i64::from(func.window.end);
                if inside { context.row(row as usize)[imm % 4] } else { 0 }
            }
            Op::Gather => context.row(x[0] as usize)[imm],
            Op::Output => {
                outcome.outputs[imm] = x;
                continue;
            }
            Op::Store => {
                outcome.stores.push((imm, x));
                continue;
            }
            Op::Guard => {
                outcome.guarded |= x[0] != 0;
                continue;
            }
            Op::SumGuard => {
                outcome.guarded |= host::sum_guard(func.numerics, x[0]);
                continue;
            }
            Op::Promote | Op::Dadd | Op::Dsub | Op::Dmul => {
                let [a, b] = [0, 1].map(|i| inst.args.get(i).filter(|arg| **arg != Value::NONE));
                let double = |arg: Option<&Value>| arg.map_or(0, |arg| wide[arg.index()]);
                wide[value.index()] = match inst.op {
                    Op::Dadd => host::dadd(env, double(a), double(b)),
                    Op::Dsub => host::dsub(env, double(a), double(b)),
                    Op::Dmul => host::dmul(env, double(a), double(b)),
                    _ => host::promote(env, x[0]),
                };
                continue;
            }
            Op::Dlow => wide[inst.args[0].index()] as u32,
            Op::RowGuard => {
                outcome.guarded |= attribute(imm).iter().any(|&word| word & 0x7fff_ffff > 0x7f80_0000);
                continue;
            }
            Op::RowCopy => {
                outcome.outputs[imm >> 8] = attribute(imm & 255);
                continue;
            }
            op => match op.evaluate(func.numerics, env, inst.imm, x) {
                Some(bits) => bits,
                None => unreachable!("{} has a meaning of its own above", op.text()),
            },
        };
        lane[value.index()] = result;
    }
    outcome
}
