//! What can be seen of a value at the XF level under the model `hw`.
//!
//! A product with a zero operand is +0 on the chip, but has the sign of its operands on the host. Making that right
//! costs four operations, which most products do not need: sums drop the sign of a zero, products with it are +0
//! whatever it was, and so on.

use crate::ir::func::{Func, Value};
use crate::ir::ops::Op;

/// For each value whether it makes a difference to have +0 or -0 in it.
pub(super) fn sign_matters(func: &Func) -> Vec<bool> {
    let mut matters = vec![false; func.insts.len()];
    for value in backwards(func) {
        let inst = func.inst(value);
        if inst.op == Op::AndNot {
            matters[inst.args[0].index()] |= matters[value.index()];
            matters[inst.args[1].index()] = true;
            continue;
        }
        let seen = match inst.op {
            Op::Xor | Op::Select => matters[value.index()],
            // Sums of zeros are +0, products with zeros are made +0; the tables see the exponent field first.
            Op::Mul | Op::Sum2 | Op::Sum3 | Op::Sum4 | Op::Arl | Op::Arr => false,
            Op::ExpX | Op::ExpY | Op::ExpZ | Op::LitY | Op::LitZ => false,
            // The floor of a zero is +0; LG2 and EX2 of it do not depend on its sign, SIN is +0, COS 1.0.
            Op::Flr | Op::Frc | Op::Lg2 | Op::Ex2 | Op::Sin | Op::Cos => false,
            // Sums and products of LT as those above; its conversions and roots see a zero in the exponent field.
            Op::LtMul | Op::LtsMul | Op::LtAdd | Op::LtAdd3 | Op::LtsAdd => false,
            Op::LtRcp | Op::LtRsq | Op::LtClamp | Op::LtcLoad | Op::Window => false,
            Op::IsLess | Op::IsEqual | Op::IsGreater => false,
            Op::Saturate => matters[value.index()],
            // The modern order takes zeros for equal, the legacy order does not.
            Op::Slt | Op::Sge | Op::Seq | Op::Sne | Op::Sgt | Op::Sle | Op::Ssg => {
                !func.numerics.rules.is_modern()
            }
            // The modern rules make a NaN of the logarithm of -0, and an infinity with its sign of its root.
            Op::LogX | Op::LogY | Op::LogZ | Op::Rsq => func.numerics.rules.is_modern(),
            _ => true,
        };
        for arg in inst.operands() {
            matters[arg.index()] |= seen;
        }
    }
    matters
}

/// For each value whether only sums read it, directly or negated.
pub(super) fn only_summed(func: &Func) -> Vec<bool> {
    let mut only = vec![true; func.insts.len()];
    for value in backwards(func) {
        let inst = func.inst(value);
        let summed = match inst.op {
            Op::Sum2 | Op::Sum3 | Op::Sum4 | Op::LtAdd | Op::LtAdd3 => true,
            Op::Xor | Op::Select => only[value.index()],
            _ => false,
        };
        for arg in inst.operands() {
            only[arg.index()] &= summed;
        }
    }
    only
}

fn backwards(func: &Func) -> Vec<Value> {
    let mut order: Vec<Value> = func.order().collect();
    order.reverse();
    order
}
