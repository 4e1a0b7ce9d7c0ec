//! What the form of values tells of their bits: how great they are at most, and whether they are numbers of LT.
//!
//! One pass in the order in which the values run, one step for each.

use super::func::{Func, Value};
use super::ops::Op;
use super::properties::{Bound, Short};

/// The bits that a number of the lighting engine has not: it is left-aligned in a word, 22 bits long (docs/NUMERICS.md).
pub(super) const NO_LT_BITS: u32 = 0x3ff;

/// The facts, for the values noted so far.
#[derive(Debug)]
pub(super) struct Facts {
    /// Not below the value as an unsigned integer.
    most: Vec<u32>,
    /// Whether the bits that LT's numbers have not are 0.
    is_short: Vec<bool>,
}

impl Facts {
    /// For a function of so many values.
    pub(super) fn new(values: usize) -> Self {
        Facts { most: vec![u32::MAX; values], is_short: vec![false; values] }
    }

    /// Notes what follows from a value's operands, which have been noted before.
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
            // What wraps around may be anything, as what ends there may.
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

    /// Whether a value is certainly a number of LT.
    pub(super) fn is_short(&self, value: Value) -> bool {
        self.is_short[value.index()]
    }
}
