//! Recipes of RCP, RCC and RSQ under the model `hw`: see `num/recip.rs`.
//!
//! A table seed and two fixed-point Newton steps, multiplied out so that each is a number less a product: the
//! flooring shifts of the chip then are shifts of a negative product (RCP), or truncations of exact doubles (RSQ,
//! whose second step needs 63 bits: of these the truncating environment keeps the upper 53, and the chip 24).
//! Zeros, denormals, infinities and NaNs raise the guard.

use super::Legalizer;
use crate::ir::func::Value;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::num::Rules;

const FRACTION: u32 = 0x7f_ffff;
/// The leading bit of a significand.
const HIDDEN: u32 = 0x80_0000;
const EXPONENT: u32 = 0x7f80_0000;
const SIGN: u32 = 0x8000_0000;

impl Legalizer {
    /// Reciprocal; a result below 2^-126 raises the guard, too.
    pub(super) fn rcp(&mut self, a: Value) -> Value {
        self.guard_outside(a, HIDDEN, 0xfd << 23);
        self.reciprocal(a)
    }

    /// Reciprocal, clamped. The clamp acts on exponents that stay well inside of what [`Legalizer::reciprocal`] can do.
    pub(super) fn rcc_hw(&mut self, a: Value) -> Value {
        self.guard_outside(a, HIDDEN, 0xfd << 23);
        let reciprocal = self.reciprocal(a);
        if self.f.func().numerics.rules != Rules::Celsius {
            return self.clamp_magnitude(reciprocal);
        }
        // Celsius clamps the exponent alone.
        let f = &mut self.f;
        let (exponent_mask, low, high) = (f.bits(EXPONENT), f.bits(0x1f80_0000), f.bits(0x5f80_0000));
        let rest = f.andnot(reciprocal, exponent_mask);
        let exponent = f.and(reciprocal, exponent_mask);
        let exponent = f.imax(exponent, low);
        let exponent = f.imin(exponent, high);
        f.or(exponent, rest)
    }

    /// Voids the group where the magnitude of `a` is not in `low..high`.
    pub(super) fn guard_outside(&mut self, a: Value, low: u32, high: u32) {
        let magnitude = self.magnitude(a);
        let f = &mut self.f;
        let (low, top) = (f.bits(low), f.bits(high - 1));
        let below = f.igt(low, magnitude);
        let above = f.igt(magnitude, top);
        let outside = f.or(below, above);
        f.guard(outside);
    }

    /// Significand of a normal number, as an integer.
    pub(super) fn significand(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let (fraction_mask, hidden) = (f.bits(FRACTION), f.bits(HIDDEN));
        let fraction = f.and(a, fraction_mask);
        f.or(fraction, hidden)
    }

    fn reciprocal(&mut self, a: Value) -> Value {
        let table = match self.f.func().numerics.rules {
            Rules::Celsius => Table::RcpV1,
            _ => Table::RcpV2,
        };
        let significand = self.significand(a);
        let f = &mut self.f;
        let (seed_mask, fraction_mask, hidden, zero) =
            (f.bits(63), f.bits(FRACTION), f.bits(HIDDEN), f.bits(0));
        let (exponent_mask, sign_bit, mirror) = (f.bits(EXPONENT), f.bits(SIGN), f.bits(0xfd << 23));
        let seed = f.shr(a, 17);
        let seed = f.and(seed, seed_mask);
        let (base, slope) = (f.table(table, 0, seed), f.table(table, 1, seed));
        let step = f.mulshr(slope, significand, 24);
        let first = f.iadd(base, step);
        let square = f.imul(first, first);
        let slope = f.isub(zero, square);
        let step = f.mulshr(slope, significand, 25);
        let base = f.shl(first, 12);
        let second = f.iadd(base, step);
        let fraction = f.and(second, fraction_mask);
        // A power of two is exact, and one exponent up.
        let own = f.and(a, fraction_mask);
        let is_power = f.ieq(own, zero);
        let fraction = f.select(is_power, hidden, fraction);
        let exponent = f.and(a, exponent_mask);
        let exponent = f.isub(mirror, exponent);
        let magnitude = f.iadd(exponent, fraction);
        let sign = f.and(a, sign_bit);
        f.or(magnitude, sign)
    }

    /// Reciprocal square root of the magnitude; under modern rules a negative operand raises the guard.
    pub(super) fn rsq_hw(&mut self, a: Value) -> Value {
        let rules = self.f.func().numerics.rules;
        self.guard_outside(a, HIDDEN, EXPONENT);
        if rules.is_modern() {
            let negative = self.f.sar(a, 31);
            self.f.guard(negative);
        }
        let table = if rules == Rules::Celsius { Table::RsqV1 } else { Table::RsqV2 };
        let index = self.root_index(a);
        let f = &mut self.f;
        let (base, slope) = (f.table(table, 0, index), f.table(table, 1, index));

        // The significand, doubled for an even exponent, over 2^32: a float between 2^-9 and 2^-7.
        let (fraction_mask, odd_scale, even_bit) =
            (f.bits(FRACTION), f.bits((127 - 9) << 23), f.bits(HIDDEN));
        let fraction = f.and(a, fraction_mask);
        let odd = f.and(a, even_bit);
        let even = f.xor(odd, even_bit);
        let scaled = f.or(fraction, odd_scale);
        let scaled = f.iadd(scaled, even);

        let operand = f.promote(scaled);
        let (base, slope) = (f.promote(base), f.promote(slope));
        let integer = f.double(4_503_599_627_370_496.0);
        let product = f.dmul(slope, operand);
        let first = f.dsub(base, product);
        let first = f.dadd(first, integer);
        let first = f.dsub(first, integer);
        // ((3 * 2^49 - s^2 f) * s) >> 39, everything over 2^32.
        let (three, down) = (f.double(3.0 * 131_072.0), f.double(1.0 / 128.0));
        let square = f.dmul(first, first);
        let product = f.dmul(square, operand);
        let rest = f.dsub(three, product);
        let rest = f.dmul(rest, down);
        let second = f.dmul(rest, first);
        let second = f.dadd(second, integer);
        let second = f.dlow(second);
        let result = f.and(second, fraction_mask);

        let exponent = self.root_exponent(a);
        let f = &mut self.f;
        let result = f.or(exponent, result);
        if !rules.is_rankine() {
            return result;
        }
        // Even powers of two are exact on Rankine: those with an odd exponent field.
        let zero = f.bits(0);
        let is_power = f.ieq(fraction, zero);
        let is_odd = f.ieq(odd, even_bit);
        let is_exact = f.and(is_power, is_odd);
        let above = f.iadd(exponent, even_bit);
        f.select(is_exact, above, result)
    }

    /// Row of the seed of a reciprocal root: lowest exponent bit and top six fraction bits; the table has the even
    /// exponents in its upper half.
    pub(super) fn root_index(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let (index_mask, other_half) = (f.bits(127), f.bits(64));
        let index = f.shr(a, 17);
        let index = f.xor(index, other_half);
        f.and(index, index_mask)
    }

    /// Exponent field of a reciprocal root, in place.
    pub(super) fn root_exponent(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        // 0x7e - (e - 0x7f) / 2 for an odd exponent field e, 0x7e - (e - 0x80) / 2 for an even one.
        let (exponent_mask, top) = (f.bits(0xff), f.bits(0x17c));
        let exponent = f.shr(a, 23);
        let exponent = f.and(exponent, exponent_mask);
        let exponent = f.isub(top, exponent);
        let exponent = f.shr(exponent, 1);
        f.shl(exponent, 23)
    }
}
