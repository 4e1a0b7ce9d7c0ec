//! What is known of the values made so far.
//!
//! A fact may rest on a guard: then it is one of the lanes whose group has not been deoptimised, in the block of the guard.

use super::Legalizer;
use crate::ir::func::{Inst, Value};
use crate::ir::ops::Op;
use crate::ir::properties::Makes;
use rustc_hash::{FxHashMap, FxHashSet};
use xfjit_runtime::num::bits::{EXPONENT, FRACTION, SIGN};

/// Facts.
#[derive(Default)]
pub(super) struct Known {
    /// Float products, and what is picked from or made of them by the sign bit, whose NaNs are the host's, not the chip's.
    pub raw: FxHashSet<Value>,
    /// Neither infinite nor NaN.
    pub finite: FxHashSet<Value>,
    /// Reciprocals and roots, which are infinite for a zero.
    pub unbounded: FxHashSet<Value>,
    /// Not denormal.
    pub normal: FxHashSet<Value>,
    /// No NaN.
    pub ordered: FxHashSet<Value>,
    /// All ones or all zeros in each lane.
    pub masks: FxHashSet<Value>,
    /// Infinite where the mask is set, and finite elsewhere.
    pub infinite: FxHashMap<Value, Value>,
}

impl Known {
    /// Forgets what guards of a block have made sure of.
    pub(super) fn leave_block(&mut self) {
        self.finite.clear();
        self.normal.clear();
        self.ordered.clear();
    }
}

impl Legalizer {
    /// Whether a value is known to be finite.
    pub(super) fn is_finite(&self, value: Value) -> bool {
        let literal = self.f.literal(value);
        literal.is_some_and(|bits| bits & EXPONENT != EXPONENT) || self.known.finite.contains(&value)
    }

    /// Whether a value is known not to be a NaN.
    pub(super) fn is_number(&self, value: Value) -> bool {
        let known = &self.known;
        self.is_finite(value) || known.ordered.contains(&value) || known.unbounded.contains(&value)
    }

    /// Whether a value is known not to be denormal.
    pub(super) fn is_normal(&self, value: Value) -> bool {
        let made = self.f.func().inst(value).op.properties().result;
        made == Makes::Rounded || self.known.normal.contains(&value)
    }

    /// A sum, or what has been made of one: finite and not denormal.
    pub(super) fn is_plain(&self, value: Value) -> bool {
        self.is_finite(value) && self.is_normal(value)
    }

    /// Deoptimises the group if a value is an infinity or a NaN, or greater than [`crate::ir::host::greatest_exponent`].
    pub(super) fn require_small(&mut self, value: Value) {
        let exponent = self.exponent_field(value);
        self.f.big_guard(exponent);
        self.mark_finite(value);
    }

    /// Deoptimises the group if a value is an infinity or a NaN; so that of very great numbers.
    pub(super) fn require_finite(&mut self, value: Value) {
        if !self.is_finite(value) {
            self.require_small(value);
        }
    }

    /// A guard has seen that a value is finite. So are the factors of a product then: an infinite factor makes an
    /// infinite product or a NaN, of a zero, too.
    pub(super) fn mark_finite(&mut self, value: Value) {
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            if self.known.finite.insert(value) {
                let Inst { op, args: [a, b, ..], .. } = *self.f.func().inst(value);
                // Of a NaN an infinity may be left.
                let keeps = |kept: u32| kept & EXPONENT == EXPONENT;
                let is_cut = op == Op::And && self.f.literal(b).is_some_and(keeps);
                let is_negation = op == Op::Xor && self.f.literal(b) == Some(SIGN);
                if op == Op::Fmul {
                    stack.extend([a, b]);
                } else if is_cut || is_negation {
                    stack.push(a);
                }
            }
        }
    }

    /// The product of two values is about to be made: whether it will be finite. The environment of the model `hw`
    /// saturates; on Rankine the chip does not.
    pub(super) fn is_product_finite(&self, a: Value, b: Value) -> bool {
        let saturates = !self.f.func().numerics.rules.is_rankine();
        saturates && self.is_finite(a) && self.is_finite(b)
    }

    /// A product has been made: its NaNs are the host's, unless it is finite.
    pub(super) fn mark_product(&mut self, product: Value, is_finite: bool) -> Value {
        self.known.normal.insert(product);
        if is_finite {
            self.known.finite.insert(product);
        } else {
            self.known.raw.insert(product);
        }
        product
    }

    /// Whether a value has no sign bit: a square, unless it is a NaN.
    pub(super) fn is_square(&self, value: Value) -> bool {
        let Inst { op, args: [a, b, ..], .. } = *self.f.func().inst(value);
        let is_cut = || op == Op::And && self.f.literal(b).is_some() && self.is_square(a);
        op == Op::Fmul && a == b && self.is_finite(value) || is_cut()
    }

    /// Whether the result is the first operand or 0, or it with another sign.
    pub(super) fn is_masked(&self, inst: &Inst) -> bool {
        let [_, mask, ..] = inst.args;
        let is_cleared = || match self.f.literal(mask) {
            Some(bits) => bits == SIGN,
            // A mask of whole lanes: what the recipe of a test has made.
            None => self.known.masks.contains(&mask),
        };
        let is_negation = || inst.op == Op::Xor && self.f.literal(mask) == Some(SIGN);
        inst.op == Op::AndNot && is_cleared() || is_negation()
    }

    /// The operand that the result is, but for bits of its fraction.
    pub(super) fn but_for_fraction(&self, inst: &Inst) -> Option<Value> {
        let literal = |value| self.f.literal(value).is_some_and(|bits| bits & !FRACTION == 0);
        let fraction = |value: Value| {
            let inst = self.f.func().inst(value);
            inst.op == Op::And && literal(inst.args[1])
        };
        let [a, b, ..] = inst.args;
        let is_cut = inst.op == Op::AndNot && literal(b);
        if is_cut || inst.op == Op::Or && fraction(b) {
            Some(a)
        } else {
            (inst.op == Op::Or && fraction(a)).then_some(b)
        }
    }

    /// The exponent field of a number, in place.
    pub(super) fn exponent_field(&mut self, a: Value) -> Value {
        let mask = self.f.bits(EXPONENT);
        self.f.and(a, mask)
    }
}
