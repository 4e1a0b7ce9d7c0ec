//! Recipes of the model `ieee` (docs/NUMERICS.md, "Two models"): see [`xfjit_runtime::num::ieee`].

use super::Legalizer;
use crate::ir::func::{Inst, Value};
use crate::ir::ops::{Arithmetic, Op};
use xfjit_runtime::num::CANONICAL_NAN;
use xfjit_runtime::num::bits::{ONE, SIGN};

impl Legalizer {
    /// Expands arithmetic.
    pub(super) fn ieee(&mut self, op: Arithmetic, [a, b, c, d]: [Value; 4]) -> Value {
        match op {
            Arithmetic::Mul => self.product(a, b),
            Arithmetic::Sum2 => self.sum(a, b),
            Arithmetic::Sum3 => {
                let ab = self.sum(a, b);
                self.sum(ab, c)
            }
            Arithmetic::Sum4 => {
                let ab = self.sum(a, b);
                let abc = self.sum(ab, c);
                self.sum(abc, d)
            }
            Arithmetic::Min | Arithmetic::Max | Arithmetic::Slt | Arithmetic::Sge => {
                self.ordered_pair(a, b, |l| l.ieee_compared(op, a, b))
            }
            Arithmetic::Seq | Arithmetic::Sne | Arithmetic::Sgt | Arithmetic::Sle => {
                self.ordered_pair(a, b, |l| l.ieee_compared(op, a, b))
            }
            Arithmetic::Ssg => self.ssg(a),
            Arithmetic::Flr => self.f.ffloor(a),
            Arithmetic::Frc => {
                let floor = self.f.ffloor(a);
                self.f.fsub(a, floor)
            }
            Arithmetic::Rcp => {
                let one = self.f.bits(ONE);
                self.f.fdiv(one, a)
            }
            Arithmetic::Rcc => self.rcc(a),
            Arithmetic::Rsq => self.rsq(a),
            Arithmetic::Canonical => self.canonical(a),
        }
    }

    /// Only outputs read it, and they guard NaNs themselves: that is cheaper, as NaNs are rare. But vectors of no length that are
    /// made unit vectors come in whole meshes, namely those without normals, and each such quotient is a NaN: of quotients
    /// the canonical one is chosen here. A reciprocal is a NaN only if its operand is.
    fn canonical(&mut self, a: Value) -> Value {
        let Inst { op, args: [dividend, ..], .. } = *self.f.func().inst(a);
        if op != Op::Fdiv || self.f.literal(dividend).is_some() {
            return a;
        }
        let is_nan = self.f.funord(a, a);
        let nan = self.f.bits(CANONICAL_NAN);
        let chosen = self.f.select(is_nan, nan, a);
        self.known.chosen.insert(chosen);
        chosen
    }

    /// The result of an operation that compares two operands. No comparison holds of a NaN; MIN and MAX may pick one.
    pub(super) fn ieee_compared(&mut self, op: Arithmetic, a: Value, b: Value) -> Value {
        match op {
            Arithmetic::Min => self.f.fmin(a, b),
            Arithmetic::Max => self.f.fmax(b, a),
            Arithmetic::Slt => {
                let less = self.f.flt(a, b);
                self.truth(less)
            }
            Arithmetic::Sge => {
                let greater_or_equal = self.f.fle(b, a);
                self.truth(greater_or_equal)
            }
            Arithmetic::Seq => {
                let equal = self.f.feq(a, b);
                self.truth(equal)
            }
            Arithmetic::Sne => {
                let equal = self.f.feq(a, b);
                self.not_truth(equal)
            }
            Arithmetic::Sgt => {
                let greater = self.f.flt(b, a);
                self.truth(greater)
            }
            Arithmetic::Sle => {
                let less_or_equal = self.f.fle(a, b);
                self.truth(less_or_equal)
            }
            Arithmetic::Mul | Arithmetic::Sum2 | Arithmetic::Sum3 | Arithmetic::Sum4 | Arithmetic::Ssg => {
                unreachable!("{op:?} compares no two operands")
            }
            Arithmetic::Flr | Arithmetic::Frc | Arithmetic::Rcp | Arithmetic::Rcc | Arithmetic::Rsq => {
                unreachable!("{op:?} compares no two operands")
            }
            Arithmetic::Canonical => unreachable!("{op:?} compares no two operands"),
        }
    }

    fn ordered_pair(&mut self, a: Value, b: Value, recipe: impl FnOnce(&mut Self) -> Value) -> Value {
        self.require_ordered(a);
        self.require_ordered(b);
        let result = recipe(self);
        self.mark_ordered(result)
    }

    /// 1.0 where the mask is set, else 0.0.
    pub(super) fn truth(&mut self, mask: Value) -> Value {
        let one = self.f.bits(ONE);
        self.f.and(mask, one)
    }

    /// 0.0 where the mask is set, else 1.0.
    pub(super) fn not_truth(&mut self, mask: Value) -> Value {
        let one = self.f.bits(ONE);
        self.f.andnot(one, mask)
    }

    /// `a * b`. The negation of a varying factor becomes a negation of the product, which a sum can turn into a
    /// subtraction.
    fn product(&mut self, a: Value, b: Value) -> Value {
        for (factor, other) in [(a, b), (b, a)] {
            if let Some(factor) = self.varying_negated(factor) {
                let product = self.product(factor, other);
                return self.f.neg(product);
            }
        }
        self.f.fmul(a, b)
    }

    /// `a + b`; adding a negation is subtracting, bit for bit.
    fn sum(&mut self, a: Value, b: Value) -> Value {
        if let Some(b) = self.varying_negated(b) {
            return self.f.fsub(a, b);
        }
        if let Some(a) = self.varying_negated(a) {
            return self.f.fsub(b, a);
        }
        self.f.fadd(a, b)
    }

    /// The operand of a negation that runs for every group. Negations of uniform values run once per batch and stay.
    pub(super) fn varying_negated(&self, value: Value) -> Option<Value> {
        self.f.negated(value).filter(|_| !self.f.is_uniform(value))
    }

    fn rsq(&mut self, a: Value) -> Value {
        let signed = self.f.func().numerics.rules.sees_signs() || self.is_nonnegative(a);
        let magnitude = if signed { a } else { self.magnitude(a) };
        let root = self.f.fsqrt(magnitude);
        let one = self.f.bits(ONE);
        self.f.fdiv(one, root)
    }

    pub(super) fn magnitude(&mut self, a: Value) -> Value {
        let mask = self.f.bits(!SIGN);
        self.f.and(a, mask)
    }

    /// Whether a value is a square or a sum of squares: its sign bit is 0 unless it is a NaN.
    fn is_nonnegative(&self, value: Value) -> bool {
        let Inst { op, args: [a, b, ..], .. } = *self.f.func().inst(value);
        let is_sum = || op == Op::Fadd && self.is_nonnegative(a) && self.is_nonnegative(b);
        op == Op::Fmul && a == b || is_sum()
    }

    /// Clamps the magnitude to 2^-64 ..= 2^64, the range of RCC, and keeps the sign. Magnitudes compare as integers.
    pub(super) fn clamp_magnitude(&mut self, value: Value) -> Value {
        let f = &mut self.f;
        let (sign_bit, low, high) = (f.bits(SIGN), f.bits(0x1f80_0000), f.bits(0x5f80_0000));
        let sign = f.and(value, sign_bit);
        let magnitude = f.andnot(value, sign_bit);
        let magnitude = f.imax(magnitude, low);
        let magnitude = f.imin(magnitude, high);
        f.or(magnitude, sign)
    }

    fn rcc(&mut self, a: Value) -> Value {
        self.require_ordered(a);
        let one = self.f.bits(ONE);
        let reciprocal = self.f.fdiv(one, a);
        let result = self.clamp_magnitude(reciprocal);
        self.mark_ordered(result)
    }
}
