//! Recipes of MIN, MAX, the set-on-condition family and SSG under the model `hw`: see `num/compare.rs`.
//!
//! The legacy order is that of sign and magnitude as integers; turning the magnitude of negative patterns round makes
//! it the order of two's complement. The modern order is that of numbers, NaNs left to the guard.

use super::Legalizer;
use crate::ir::func::Value;
use crate::ir::ops::Op;

impl Legalizer {
    pub(super) fn compare(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.require_visible(&[a, b]);
        let modern = self.f.func().numerics.rules.is_modern();
        if modern {
            self.require_ordered(a);
            self.require_ordered(b);
        }
        if let Op::Seq | Op::Sne = op {
            let equal = if modern { self.f.feq(a, b) } else { self.f.ieq(a, b) };
            return if op == Op::Seq { self.truth(equal) } else { self.untruth(equal) };
        }
        // a > b is b < a.
        let (a, b) = if matches!(op, Op::Sgt | Op::Sle) { (b, a) } else { (a, b) };
        let less = if modern {
            self.f.flt(a, b)
        } else {
            let (key_a, key_b) = (self.order_key(a), self.order_key(b));
            self.f.igt(key_b, key_a)
        };
        match op {
            Op::Min => self.f.select(less, a, b),
            Op::Max => self.f.select(less, b, a),
            Op::Slt | Op::Sgt => self.truth(less),
            Op::Sge | Op::Sle => self.untruth(less),
            op => unreachable!("no recipe for {}", op.text()),
        }
    }

    /// 1.0 with the sign of the operand, or +0 for a zero: of either sign where zeros are equal, else for +0 only.
    pub(super) fn ssg(&mut self, a: Value) -> Value {
        self.require_visible(&[a]);
        let numerics = self.f.func().numerics;
        let zero = self.f.bits(0);
        let is_zero = if numerics.rules.is_modern() || self.speculates() {
            self.require_ordered(a);
            self.f.feq(a, zero)
        } else {
            self.f.ieq(a, zero)
        };
        let f = &mut self.f;
        let (sign_bit, one) = (f.bits(0x8000_0000), f.bits(0x3f80_0000));
        let sign = f.and(a, sign_bit);
        let unit = f.or(sign, one);
        f.andnot(unit, is_zero)
    }

    /// A test of a condition code, which a NaN never passes: see `num/condition.rs`. Where denormals are zeros, the
    /// environment makes them so.
    pub(super) fn condition(&mut self, op: Op, a: Value) -> Value {
        self.require_visible(&[a]);
        let zero = self.f.bits(0);
        match op {
            Op::IsLess => self.f.flt(a, zero),
            Op::IsEqual => self.f.feq(a, zero),
            Op::IsGreater => self.f.flt(zero, a),
            op => unreachable!("no recipe for {}", op.text()),
        }
    }

    /// A pattern as an integer that orders like sign and magnitude.
    fn order_key(&mut self, a: Value) -> Value {
        let negative = self.f.sar(a, 31);
        let flip = self.f.shr(negative, 1);
        self.f.xor(a, flip)
    }
}
