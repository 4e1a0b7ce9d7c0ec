//! Recipe of the product under the model `hw`: see `num/product.rs`.
//!
//! The host's product truncates, underflows to a signed zero, saturates on overflow and takes denormal operands for
//! zero, all as the chip does. The host differs in three points: the chip gives +0 for a zero operand, the canonical NaN,
//! and on Rankine infinity on overflow.

use super::{Demand, Legalizer};
use crate::ir::func::Value;
use xfjit_runtime::num::bits::ONE;
use xfjit_runtime::num::rules::Overflow;

impl Legalizer {
    pub(super) fn mul(&mut self, a: Value, b: Value, demand: Demand) -> Value {
        // Times 1.0, in sums only: the sum itself flushes or guards denormal addends and guards NaNs.
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
            // A NaN that wins over a zero has to be found before the zero is made, unless there is none.
            let is_hidden =
                rules.nan_wins() && !(rules.zero_rule() && self.is_number(a) && self.is_number(b));
            let seen = if is_hidden { raw } else { product };
            match rules.overflow() {
                Overflow::Infinite => self.require_small(seen),
                // An infinite result has another sign.
                Overflow::Saturates if !rules.signed_infinities() => self.require_finite(seen),
                Overflow::Saturates => {}
            }
        }
        let is_finite = is_finite || self.is_finite(raw) || self.is_finite(product);
        self.mark_product(product, is_finite)
    }

    /// Makes the product +0 for a zero factor where a user can observe the difference.
    fn with_zeros(&mut self, product: Value, a: Value, b: Value, demand: Demand) -> Value {
        if demand.zero_sign {
            return self.without_zero_factors(product, a, b);
        }
        if !self.f.func().numerics.rules.zero_rule() {
            return product;
        }
        // Zero times infinity is a NaN on the host and +0 on the chip. Normalising a zero vector is common, and must not
        // raise the guard.
        match [(a, b), (b, a)].into_iter().find(|(root, _)| self.known.unbounded.contains(root)) {
            Some((_, factor)) => self.without_zero_factors(product, factor, factor),
            None => product,
        }
    }

    /// The product, replaced by +0 where a factor is zero.
    pub(super) fn without_zero_factors(&mut self, product: Value, a: Value, b: Value) -> Value {
        let zero = self.f.bits(0);
        let zero_a = self.f.feq(a, zero);
        let zero_b = if a == b { zero_a } else { self.f.feq(b, zero) };
        let either = self.f.or(zero_a, zero_b);
        self.f.andnot(product, either)
    }
}
