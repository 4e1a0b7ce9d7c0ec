//! Facts about the bits of values: upper bounds, and whether they are LT numbers.
//!
//! One pass over the values in the order in which they run, with one step for each.

use super::func::{Func, Value};
use super::ops::Op;
use super::properties::{Bound, Short};

/// The low bits of a word that are 0 in an LT number, which has 22 bits and is left-aligned (docs/NUMERICS.md).
pub(super) const NO_LT_BITS: u32 = 0x3ff;

/// The facts about the values noted so far.
#[derive(Debug)]
pub(super) struct Facts {
    /// An upper bound of each value as an unsigned integer.
    most: Vec<u32>,
    /// Whether each value is known to be an LT number.
    is_short: Vec<bool>,
}

impl Facts {
    /// For a function with this number of values.
    pub(super) fn new(values: usize) -> Self {
        Facts { most: vec![u32::MAX; values], is_short: vec![false; values] }
    }

    /// Derives the facts about a value from those about its operands, which have been noted before.
    pub(super) fn note(&mut self, func: &Func, value: Value) {
        let inst = func.inst(value);
        let most = |operand: usize| self.most[inst.args[operand].index()];
        let least_of_two = || most(0).min(most(1));
        let properties = inst.op.properties();
        let is_const = inst.op == Op::Const;
        self.most[value.index()] = match properties.bound {
            Bound::Unknown if is_const => inst.imm,
            Bound::Unknown => u32::MAX,
            Bound::Least => least_of_two(),
            Bound::Shifted => most(0) >> inst.imm,
            // A saturated bound, u32::MAX, also covers sums that wrap around.
            Bound::Sum => most(0).saturating_add(most(1)),
        };
        let is_short = |operand: usize| self.is_short[inst.args[operand].index()];
        self.is_short[value.index()] = match properties.short {
            Short::Unknown => is_const && inst.imm & NO_LT_BITS == 0,
            Short::Always => true,
            Short::Either => is_short(0) || is_short(1),
            Short::First => is_short(0),
            Short::Every => is_short(0) && is_short(1),
            Short::Chosen => is_short(1) && is_short(2),
        };
    }

    /// An upper bound of a value as an unsigned integer; [`u32::MAX`] if none is known.
    pub(super) fn most(&self, value: Value) -> u32 {
        self.most[value.index()]
    }

    /// Whether a value is known to be an LT number.
    pub(super) fn is_short(&self, value: Value) -> bool {
        self.is_short[value.index()]
    }
}
