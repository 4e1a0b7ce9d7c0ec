//! Which values at the XF level need the chip's sign of zero under the model `hw`.
//!
//! A product with a zero operand is +0 on the chip, but has the sign of its operands on the host. The correction takes
//! four operations, and few products need it: a sum drops the sign of a zero addend, a product with a zero factor is +0
//! for either sign, and so on.

use crate::ir::func::{Func, Value};
use crate::ir::properties::Zeros;
use xfjit_runtime::num::rules::Order;

/// For each value whether some user distinguishes +0 from -0.
pub(crate) fn sign_matters(func: &Func) -> Vec<bool> {
    let mut matters = vec![false; func.insts.len()];
    for value in backwards(func) {
        let inst = func.inst(value);
        let rules = func.numerics.rules;
        let seen = match inst.op.properties().zeros {
            Zeros::Added | Zeros::Hidden => false,
            Zeros::Kept | Zeros::Passed => matters[value.index()],
            Zeros::First => {
                matters[inst.args[0].index()] |= matters[value.index()];
                matters[inst.args[1].index()] = true;
                continue;
            }
            Zeros::Seen => true,
            Zeros::Compared => rules.order() == Order::Integers,
            Zeros::Signed => rules.sees_signs(),
        };
        for arg in inst.operands() {
            matters[arg.index()] |= seen;
        }
    }
    matters
}

/// For each value whether only sums use it, directly or negated.
pub(super) fn only_summed(func: &Func) -> Vec<bool> {
    let mut only = vec![true; func.insts.len()];
    for value in backwards(func) {
        let inst = func.inst(value);
        let summed = match inst.op.properties().zeros {
            Zeros::Added => true,
            Zeros::Passed => only[value.index()],
            Zeros::Hidden | Zeros::Kept | Zeros::First => false,
            Zeros::Seen | Zeros::Compared | Zeros::Signed => false,
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
