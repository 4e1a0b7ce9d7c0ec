//! Recipes of MIN, MAX, SLT and SGE under the model `hw`: see `num/compare.rs`.
//!
//! The legacy order is that of sign and magnitude as integers; turning the magnitude of negative patterns round makes
//! it the order of two's complement. The modern order is that of numbers, NaNs left to the guard.

use super::Legalizer;
use crate::ir::func::Value;
use crate::ir::ops::Op;

impl Legalizer {
    pub(super) fn compare(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.require_visible(&[a, b]);
        let less = if self.f.func().numerics.rules.is_modern() {
            self.require_ordered(a);
            self.require_ordered(b);
            self.f.flt(a, b)
        } else {
            let (key_a, key_b) = (self.order_key(a), self.order_key(b));
            self.f.igt(key_b, key_a)
        };
        match op {
            Op::Min => self.f.select(less, a, b),
            Op::Max => self.f.select(less, b, a),
            Op::Slt => self.truth(less),
            _ => {
                let one = self.f.bits(0x3f80_0000);
                self.f.andnot(one, less)
            }
        }
    }

    /// A pattern as an integer that orders like sign and magnitude.
    fn order_key(&mut self, a: Value) -> Value {
        let negative = self.f.sar(a, 31);
        let flip = self.f.shr(negative, 1);
        self.f.xor(a, flip)
    }
}
