//! Facts about the values built so far.
//!
//! A fact may rest on a guard: then it holds for groups that were not deoptimised, in the block of the guard.

use super::Legalizer;
use crate::ir::func::{Inst, Value};
use crate::ir::ops::Op;
use crate::ir::properties::Makes;
use rustc_hash::FxHashMap;
use xfjit_runtime::num::bits::{EXPONENT, FRACTION, SIGN};
use xfjit_runtime::num::rules::Overflow;

/// A set of values, which is emptied in one step.
#[derive(Default)]
pub(super) struct Values {
    /// For each value, when it came in last: it is in if that was since the set was emptied.
    since: Vec<u32>,
    /// How often the set has been emptied.
    emptied: u32,
}

impl Values {
    /// Adds a value; tells whether it is new.
    pub(super) fn insert(&mut self, value: Value) -> bool {
        if self.since.len() <= value.index() {
            self.since.resize(value.index() + 1, 0);
        }
        let now = self.emptied + 1;
        std::mem::replace(&mut self.since[value.index()], now) != now
    }

    #[inline]
    pub(super) fn contains(&self, value: &Value) -> bool {
        self.since.get(value.index()) == Some(&(self.emptied + 1))
    }

    fn clear(&mut self) {
        self.emptied += 1;
    }
}

/// Sets of values that share a property.
#[derive(Default)]
pub(super) struct Known {
    /// May be a NaN with the host's bits rather than the chip's: products, floors and fractions, and results of operations
    /// common to both levels that read one.
    pub raw: Values,
    /// Neither infinite nor NaN.
    pub finite: Values,
    /// Reciprocals and reciprocal square roots, infinite for a zero operand; never NaN.
    pub unbounded: Values,
    /// Not denormal.
    pub normal: Values,
    /// No NaN.
    pub ordered: Values,
    /// May be a NaN, but then the chip's, in code for a model whose NaNs are guarded where they can be seen.
    pub chosen: Values,
    /// Words of two halves, neither infinite nor NaN.
    pub finite_halves: Values,
    /// All ones or all zeros in each lane.
    pub masks: Values,
    /// Infinite where the mask is set, and finite elsewhere.
    pub infinite: FxHashMap<Value, Value>,
}

impl Known {
    /// Forgets the facts that rest on guards of the block that ends.
    pub(super) fn leave_block(&mut self) {
        self.finite.clear();
        self.normal.clear();
        self.ordered.clear();
        self.finite_halves.clear();
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

    /// Whether a value is known to be finite and not denormal, as sums are.
    pub(super) fn is_finite_and_normal(&self, value: Value) -> bool {
        self.is_finite(value) && self.is_normal(value)
    }

    /// Deoptimises the group if the exponent field of a value is above [`crate::ir::host::greatest_exponent`], which
    /// includes infinities and NaNs.
    pub(super) fn require_small(&mut self, value: Value) {
        let exponent = self.exponent_field(value);
        self.f.big_guard(exponent);
        self.mark_finite(value);
    }

    /// Deoptimises the group if a value is an infinity or a NaN, unless it is known to be finite. The guard is
    /// [`Legalizer::require_small`], so very large finite numbers raise it, too.
    pub(super) fn require_finite(&mut self, value: Value) {
        if !self.is_finite(value) {
            self.require_small(value);
        }
    }

    /// Notes that a guard has checked that a value is finite. If it is a product, its factors are finite, too: an infinite
    /// factor gives an infinite product, or a NaN if the other is zero.
    pub(super) fn mark_finite(&mut self, value: Value) {
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            if self.known.finite.insert(value) {
                let Inst { op, args: [a, b, ..], .. } = *self.f.func().inst(value);
                // A mask that keeps the exponent field keeps infinities and NaNs non-finite.
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

    /// Notes a value that is a zero or a normal number.
    pub(super) fn mark_ordinary(&mut self, value: Value) {
        self.known.finite.insert(value);
        self.known.normal.insert(value);
    }

    /// Whether the product of two values will be finite. On overflow the environment of the model `hw` saturates, and so
    /// does the chip before Rankine.
    pub(super) fn is_product_finite(&self, a: Value, b: Value) -> bool {
        let saturates = self.f.func().numerics.rules.overflow() == Overflow::Saturates;
        saturates && self.is_finite(a) && self.is_finite(b)
    }

    /// Notes a product: its NaNs have the host's bits, unless it is finite.
    pub(super) fn mark_product(&mut self, product: Value, is_finite: bool) -> Value {
        self.known.normal.insert(product);
        if is_finite {
            self.known.finite.insert(product);
        } else {
            self.known.raw.insert(product);
        }
        product
    }

    /// Whether a value is a finite square, perhaps with bits cleared: its sign bit is 0.
    pub(super) fn is_square(&self, value: Value) -> bool {
        let Inst { op, args: [a, b, ..], .. } = *self.f.func().inst(value);
        let is_cut = || op == Op::And && self.f.literal(b).is_some() && self.is_square(a);
        op == Op::Fmul && a == b && self.is_finite(value) || is_cut()
    }

    /// Whether the result is 0 or the first operand, perhaps with another sign.
    pub(super) fn is_masked(&self, inst: &Inst) -> bool {
        let [_, mask, ..] = inst.args;
        let is_cleared = || match self.f.literal(mask) {
            Some(bits) => bits == SIGN,
            // All ones or all zeros in each lane: a test result.
            None => self.known.masks.contains(&mask),
        };
        let is_negation = || inst.op == Op::Xor && self.f.literal(mask) == Some(SIGN);
        inst.op == Op::AndNot && is_cleared() || is_negation()
    }

    /// Whether the result is an integer too small to look like a NaN: bits of a literal, or what a literal bounds.
    pub(super) fn is_small_integer(&self, inst: &Inst) -> bool {
        let [a, b, ..] = inst.args;
        if inst.op == Op::And {
            return self.f.literal(b).is_some_and(|bits| bits < EXPONENT);
        }
        if inst.op != Op::CvtI {
            return false;
        }
        // The least of two is not above the literal; what is far below 0 is no operand of the conversion.
        let below = self.f.func().inst(a);
        if below.op != Op::Fmin {
            return false;
        }
        let [x, most, ..] = below.args;
        let least = self.f.func().inst(x);
        self.f.literal(most).is_some_and(|most| most < 0x4e80_0000)
            && least.op == Op::Fmax
            && self.f.literal(least.args[1]) == Some(0)
    }

    /// The operand that differs from the result in fraction bits only.
    pub(super) fn same_but_fraction(&self, inst: &Inst) -> Option<Value> {
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

    /// The exponent field of a number, not shifted down.
    pub(super) fn exponent_field(&mut self, a: Value) -> Value {
        let mask = self.f.bits(EXPONENT);
        self.f.and(a, mask)
    }
}
