//! What emitters ask of a function before they begin.

use crate::ir::func::{Func, Value};
use crate::ir::ops::Op;

/// What raises guards in a function.
#[derive(Clone, Copy)]
pub(crate) struct Raises {
    /// Masks.
    pub(crate) masks: bool,
    /// Exponent fields.
    pub(crate) exponents: bool,
}

impl Raises {
    pub(crate) fn of(func: &Func) -> Self {
        let mut raises = Raises { masks: false, exponents: false };
        for op in func.order().map(|value| func.inst(value).op) {
            raises.exponents |= matches!(op, Op::BigGuard | Op::SmallGuard);
            raises.masks |= matches!(op, Op::Guard | Op::RowGuard);
        }
        raises
    }

    /// Whether anything does.
    pub(crate) fn any(self) -> bool {
        self.masks || self.exponents
    }
}

/// The operands of the body that the prologue makes, literals excepted: each as often as it is read.
pub(crate) fn crossing(func: &Func) -> impl Iterator<Item = Value> {
    let mut is_made = vec![false; func.insts.len()];
    func.prologue.iter().for_each(|value| is_made[value.index()] = true);
    let operands = func.body.iter().flat_map(|&value| func.inst(value).operands());
    operands.copied().filter(move |arg| is_made[arg.index()] && !func.is_literal(*arg))
}
