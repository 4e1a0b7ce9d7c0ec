//! Folding: an instruction whose value is known becomes that value.
//!
//! Literal operands are evaluated by the golden functions (invariant I4), never by host arithmetic that the
//! compiler of this crate might fold under another rounding mode. Identities are limited to those that hold for
//! every bit pattern.

use crate::ir::func::{Func, Inst, Level, Value};
use crate::ir::ops::{At, Op};
use xfjit_runtime::fpenv::FpEnv;

/// What became of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simple {
    /// It is this value that exists already.
    Value(Value),
    /// It stays an instruction, perhaps another one.
    Inst(Inst),
}

/// The simplest form of a pure instruction whose operands are in `func`.
pub fn simplify(func: &Func, mut inst: Inst) -> Simple {
    if commutes(inst.op) && order(func, inst.args[0]) > order(func, inst.args[1]) {
        inst.args.swap(0, 1);
    }
    let mut x = [0; 4];
    let all_literal = inst.operands().iter().zip(&mut x).all(|(&arg, slot)| {
        let literal = literal(func, arg);
        *slot = literal.unwrap_or(0);
        literal.is_some()
    });
    if all_literal
        && inst.op != Op::Const
        && let Some(bits) = evaluate(func, &inst, x)
        && (inst.op.at() == At::Xf || !is_nan_prone(inst.op, bits))
    {
        return Simple::Inst(Inst::new(Op::Const, bits, &[]));
    }
    identity(func, &inst).map_or(Simple::Inst(inst), Simple::Value)
}

/// The result for literal operands. Whoever builds a function, in whatever environment: the golden functions get theirs.
fn evaluate(func: &Func, inst: &Inst, x: [u32; 4]) -> Option<u32> {
    FpEnv::Default.within(|| inst.op.evaluate(func.numerics, func.env(), inst.imm, x))
}

/// The bits of a NaN that a machine operation makes are unspecified, so it must not be frozen into a literal.
fn is_nan_prone(op: Op, bits: u32) -> bool {
    matches!(op, Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Fsqrt) && bits & 0x7fff_ffff > 0x7f80_0000
}

/// Whether the operands may be exchanged without changing a bit that can be seen.
fn commutes(op: Op) -> bool {
    matches!(
        op,
        Op::Mul
            | Op::Sum2
            | Op::Iadd
            | Op::Imul
            | Op::MulShr
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Ieq
            | Op::Imin
            | Op::Imax
            | Op::Umin
            | Op::Fadd
            | Op::Fmul
            | Op::Funord
    )
}

/// Literals go last, other values in order of definition.
fn order(func: &Func, value: Value) -> (bool, Value) {
    (func.inst(value).op == Op::Const, value)
}

fn literal(func: &Func, value: Value) -> Option<u32> {
    let inst = func.inst(value);
    (inst.op == Op::Const).then_some(inst.imm)
}

fn identity(func: &Func, inst: &Inst) -> Option<Value> {
    let [a, b, c, _] = inst.args;
    let right = || literal(func, b);
    match inst.op {
        Op::Iadd | Op::Or | Op::Xor if right() == Some(0) => Some(a),
        Op::And if right() == Some(u32::MAX) => Some(a),
        Op::And | Op::Or | Op::Imin | Op::Imax | Op::Umin if a == b => Some(a),
        Op::And if right() == Some(0) => Some(b),
        Op::AndNot if right() == Some(0) => Some(a),
        Op::Xor => {
            // A negation undone: xor(xor(a, k), k).
            let inner = func.inst(a);
            (inner.op == Op::Xor && right().is_some() && right() == literal(func, inner.args[1]))
                .then_some(inner.args[0])
        }
        Op::Shl | Op::Shr | Op::Sar if inst.imm == 0 => Some(a),
        Op::Select if b == c => Some(b),
        Op::Select => match literal(func, a) {
            Some(0) => Some(c),
            Some(u32::MAX) => Some(b),
            _ => None,
        },
        // IEEE: x * 1 and x / 1 are x, but for the bits of a NaN, which never show.
        Op::Fmul | Op::Fdiv if func.level == Level::Host && right() == Some(0x3f80_0000) => {
            keeps_denormals(func, a)
        }
        _ => None,
    }
}

/// A host-level product with 1.0 is its other operand only where denormals are not flushed.
fn keeps_denormals(func: &Func, a: Value) -> Option<Value> {
    (func.env() == FpEnv::Default).then_some(a)
}
