//! Folding: constant operands and identities.
//!
//! Literal operands are evaluated by the golden functions (invariant I4), never by host arithmetic, which the Rust
//! compiler might fold under another rounding mode. Identities are limited to those that hold for every bit pattern.

use super::func::{Func, Inst, Level, Value};
use super::ops::{At, Kind, Op, Pure};
use super::properties::{Makes, Order};
use xfjit_runtime::fpenv::FpEnv;

/// The result of folding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simple {
    /// An existing value.
    Value(Value),
    /// An instruction, the same or another one.
    Inst(Inst),
}

/// The simplest form of a pure instruction whose operands are in `func`.
pub fn simplify(func: &Func, mut inst: Inst) -> Simple {
    if inst.op.properties().order == Order::Commutes && order(func, inst.args[0]) > order(func, inst.args[1])
    {
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

/// The result for literal operands, computed in the golden functions' environment whatever the caller's is.
fn evaluate(func: &Func, inst: &Inst, x: [u32; 4]) -> Option<u32> {
    FpEnv::Default.within(|| inst.op.evaluate(func.numerics, func.env(), inst.imm, x))
}

/// Whether folding would give a NaN with unspecified bits: a machine operation's NaN must not become a literal.
fn is_nan_prone(op: Op, bits: u32) -> bool {
    op.properties().result == Makes::Rounded && bits & 0x7fff_ffff > 0x7f80_0000
}

/// The order of operands of commutative operations: literals last, other values by number.
fn order(func: &Func, value: Value) -> (bool, Value) {
    (func.inst(value).op == Op::Const, value)
}

fn literal(func: &Func, value: Value) -> Option<u32> {
    let inst = func.inst(value);
    (inst.op == Op::Const).then_some(inst.imm)
}

/// The operand that the result always equals, if there is one.
fn identity(func: &Func, inst: &Inst) -> Option<Value> {
    let Kind::Pure(op) = inst.op.kind() else { return None };
    let [a, b, c, _] = inst.args;
    let right = || literal(func, b);
    match op {
        Pure::Iadd | Pure::AndNot => (right() == Some(0)).then_some(a),
        Pure::Or => (right() == Some(0) || a == b).then_some(a),
        Pure::And => match right() {
            Some(u32::MAX) => Some(a),
            Some(0) => Some(b),
            Some(_) | None => (a == b).then_some(a),
        },
        Pure::Imin | Pure::Imax | Pure::Umin => (a == b).then_some(a),
        Pure::Xor if right() == Some(0) => Some(a),
        Pure::Xor => {
            // xor(xor(a, k), k) = a
            let inner = func.inst(a);
            (inner.op == Op::Xor && right().is_some() && right() == literal(func, inner.args[1]))
                .then_some(inner.args[0])
        }
        Pure::Shl | Pure::Shr | Pure::Sar => (inst.imm == 0).then_some(a),
        Pure::Select if b == c => Some(b),
        Pure::Select => match literal(func, a) {
            Some(0) => Some(c),
            Some(u32::MAX) => Some(b),
            Some(_) | None => None,
        },
        // IEEE: x * 1 and x / 1 equal x, except for the bits of a NaN, which are never observable.
        Pure::Fmul | Pure::Fdiv => {
            let by_one = func.level == Level::Host && right() == Some(0x3f80_0000);
            if by_one { keeps_denormals(func, a) } else { None }
        }
        // No identity holds for every bit pattern.
        Pure::Isub | Pure::Imul | Pure::MulShr | Pure::Ieq | Pure::Igt | Pure::Fadd | Pure::Fsub => None,
        Pure::Fsqrt | Pure::Ffloor | Pure::Fmin | Pure::Fmax | Pure::Feq | Pure::Flt | Pure::Fle => None,
        Pure::Fmaxmag | Pure::Fminmag | Pure::Fma => None,
        Pure::Funord | Pure::CvtF | Pure::CvtI | Pure::Swap => None,
    }
}

/// The operand, if denormals are not flushed: only then a host-level product with 1.0 equals it.
fn keeps_denormals(func: &Func, a: Value) -> Option<Value> {
    (func.env() == FpEnv::Default).then_some(a)
}
