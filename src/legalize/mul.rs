//! Recipe of the product under the model `hw`: see `num/product.rs`.
//!
//! The host multiplies truncating, flushes what underflows to a zero of its sign, saturates what overflows, and takes
//! denormal operands for zeros: all as the chip does. What it does not do: +0 for a zero operand, the canonical NaN,
//! and on Rankine infinity for an overflow.

use super::{Demand, Legalizer};
use crate::ir::func::Value;
use xfjit_runtime::num::Rules;

const ONE: u32 = 0x3f80_0000;

impl Legalizer {
    pub(super) fn mul(&mut self, a: Value, b: Value, demand: Demand) -> Value {
        // Sums flush a denormal and guard a NaN themselves, so they can take a factor of 1.0 away.
        if demand.only_summed {
            for (one, factor) in [(a, b), (b, a)] {
                if self.f.literal(one) == Some(ONE) {
                    return factor;
                }
            }
        }
        let mut product = self.f.fmul(a, b);
        let rules = self.f.func().numerics.rules;
        if !demand.only_summed {
            match rules {
                // A NaN wins over a zero; an infinite result has no sign.
                Rules::Celsius => self.guard_magnitude(product, 0x7f80_0000),
                Rules::Kelvin | Rules::RankineLegacy => {}
                Rules::RankineModern => self.require_ordered(product),
            }
            if rules.is_rankine() {
                self.guard_magnitude(product, 0x7f7f_ffff);
            }
        }
        if demand.zero_sign {
            product = self.without_zero_factors(product, a, b);
        } else if !rules.is_modern() {
            // To scale a zero by the reciprocal of its length is ordinary.
            for (root, factor) in [(a, b), (b, a)] {
                if self.unbounded.contains(&root) {
                    product = self.without_zero_factors(product, factor, factor);
                }
            }
        }
        self.raw.insert(product);
        self.normal.insert(product);
        product
    }

    /// +0 where a factor is zero.
    pub(super) fn without_zero_factors(&mut self, product: Value, a: Value, b: Value) -> Value {
        let zero = self.f.bits(0);
        let zero_a = self.f.feq(a, zero);
        let zero_b = if a == b { zero_a } else { self.f.feq(b, zero) };
        let either = self.f.or(zero_a, zero_b);
        self.f.andnot(product, either)
    }

    /// Voids the group where the magnitude of `value` is at least `limit`; NaNs included.
    pub(super) fn guard_magnitude(&mut self, value: Value, limit: u32) {
        let magnitude = self.magnitude(value);
        let below = self.f.bits(limit - 1);
        let outside = self.f.igt(magnitude, below);
        self.f.guard(outside);
    }
}
