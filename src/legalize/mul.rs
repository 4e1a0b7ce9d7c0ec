//! Recipe of the product under the model `hw`: see `num/product.rs`.
//!
//! The host multiplies truncating, flushes what underflows to a zero of its sign, saturates what overflows, and takes
//! denormal operands for zeros: all as the chip does. What it does not do: +0 for a zero operand, the canonical NaN,
//! and on Rankine infinity for an overflow.

use super::{Demand, Legalizer};
use crate::ir::func::Value;
use xfjit_runtime::num::Rules;
use xfjit_runtime::num::bits::ONE;

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
        let is_finite = self.is_product_finite(a, b);
        let raw = self.f.fmul(a, b);
        let product = self.with_zeros(raw, a, b, demand);
        let rules = self.f.func().numerics.rules;
        if !is_finite && !demand.only_summed {
            match rules {
                // An infinite result has no sign. A NaN wins over a zero, so it has to be found before.
                Rules::Celsius if self.is_number(a) && self.is_number(b) => self.require_finite(product),
                Rules::Celsius => self.require_finite(raw),
                Rules::Kelvin => {}
                // What overflows is infinite.
                Rules::RankineLegacy => self.require_small(product),
                Rules::RankineModern => self.require_small(raw),
            }
        }
        let is_finite = is_finite || self.is_finite(raw) || self.is_finite(product);
        self.mark_product(product, is_finite)
    }

    /// A product that is +0 for a zero factor where that makes a difference.
    fn with_zeros(&mut self, product: Value, a: Value, b: Value, demand: Demand) -> Value {
        if demand.zero_sign {
            return self.without_zero_factors(product, a, b);
        }
        if self.f.func().numerics.rules.is_modern() {
            return product;
        }
        // To scale a zero by the reciprocal of its length is ordinary.
        match [(a, b), (b, a)].into_iter().find(|(root, _)| self.known.unbounded.contains(root)) {
            Some((_, factor)) => self.without_zero_factors(product, factor, factor),
            None => product,
        }
    }

    /// +0 where a factor is zero.
    pub(super) fn without_zero_factors(&mut self, product: Value, a: Value, b: Value) -> Value {
        let zero = self.f.bits(0);
        let zero_a = self.f.feq(a, zero);
        let zero_b = if a == b { zero_a } else { self.f.feq(b, zero) };
        let either = self.f.or(zero_a, zero_b);
        self.f.andnot(product, either)
    }
}
