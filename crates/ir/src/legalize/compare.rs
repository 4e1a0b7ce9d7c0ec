//! Recipes of MIN, MAX, the set-on-condition family and SSG under the model `hw`: see `num/compare.rs`.
//!
//! The legacy order compares bit patterns as sign-magnitude integers; inverting the magnitude bits of negative patterns
//! maps it to two's complement order. The modern order is that of floats; NaNs raise the guard.

use super::Legalizer;
use crate::ir::build::Builder;
use crate::ir::func::Value;
use crate::ir::ops::Arithmetic;
use xfjit_runtime::num::rules::Order;

impl Legalizer {
    /// Expands an operation that compares two operands, with their NaNs guarded as the order requires.
    pub(super) fn compare(&mut self, a: Value, b: Value, recipe: impl FnOnce(&mut Self) -> Value) -> Value {
        self.require_visible(&[a, b]);
        if self.f.func().numerics.rules.order() == Order::Numbers {
            self.require_ordered(a);
            self.require_ordered(b);
        }
        recipe(self)
    }

    /// The result of an operation that compares two operands which the order knows.
    pub(super) fn compared(&mut self, op: Arithmetic, a: Value, b: Value) -> Value {
        match op {
            Arithmetic::Min => {
                let less = self.less_mask(a, b);
                self.f.select(less, a, b)
            }
            Arithmetic::Max => {
                let less = self.less_mask(a, b);
                self.f.select(less, b, a)
            }
            Arithmetic::Slt => {
                let less = self.less_mask(a, b);
                self.truth(less)
            }
            Arithmetic::Sge => {
                let less = self.less_mask(a, b);
                self.not_truth(less)
            }
            Arithmetic::Seq => {
                let equal = self.equal_mask(a, b);
                self.truth(equal)
            }
            Arithmetic::Sne => {
                let equal = self.equal_mask(a, b);
                self.not_truth(equal)
            }
            // a > b is b < a.
            Arithmetic::Sgt => {
                let greater = self.less_mask(b, a);
                self.truth(greater)
            }
            Arithmetic::Sle => {
                let greater = self.less_mask(b, a);
                self.not_truth(greater)
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

    /// Mask of lanes in which two operands are equal; called from [`Legalizer::compared`].
    pub(super) fn equal_mask(&mut self, a: Value, b: Value) -> Value {
        match self.f.func().numerics.rules.order() {
            Order::Numbers => self.f.feq(a, b),
            Order::Integers => self.f.ieq(a, b),
        }
    }

    /// Mask of lanes in which the first operand is less; called from [`Legalizer::compared`].
    pub(super) fn less_mask(&mut self, a: Value, b: Value) -> Value {
        if self.f.func().numerics.rules.order() == Order::Numbers {
            return self.f.flt(a, b);
        }
        let (key_a, key_b) = (self.order_key(a), self.order_key(b));
        self.f.igt(key_b, key_a)
    }

    /// 1.0 with the sign of the operand, or +0 for a zero. -0 counts as zero where zeros of both signs are equal (modern
    /// rules, `ieee`); in the legacy order it gives -1.0.
    pub(super) fn ssg(&mut self, a: Value) -> Value {
        self.require_visible(&[a]);
        let numerics = self.f.func().numerics;
        let zero = self.f.bits(0);
        let is_zero = if numerics.rules.order() == Order::Numbers || self.speculates() {
            self.require_ordered(a);
            self.f.feq(a, zero)
        } else {
            self.f.ieq(a, zero)
        };
        self.sign_as_number(a, is_zero)
    }

    /// 1.0 with the sign of the operand, or +0 where the mask is set.
    pub(super) fn sign_as_number(&mut self, a: Value, is_zero: Value) -> Value {
        let f = &mut self.f;
        let (sign_bit, one) = (f.bits(0x8000_0000), f.bits(0x3f80_0000));
        let sign = f.and(a, sign_bit);
        let unit = f.or(sign, one);
        f.andnot(unit, is_zero)
    }

    /// A test of a condition code; a NaN never passes: see `num/condition.rs`. Where denormals count as zero, the
    /// environment flushes them.
    pub(super) fn condition(&mut self, a: Value, test: impl FnOnce(&mut Builder, Value) -> Value) -> Value {
        self.require_visible(&[a]);
        let zero = self.f.bits(0);
        test(&mut self.f, zero)
    }

    /// Maps sign-magnitude order to signed integer order.
    fn order_key(&mut self, a: Value) -> Value {
        let negative = self.f.sar(a, 31);
        let flip = self.f.shr(negative, 1);
        self.f.xor(a, flip)
    }
}
