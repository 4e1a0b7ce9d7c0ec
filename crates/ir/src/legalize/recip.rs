//! Recipes of RCP, RCC and RSQ under the model `hw`: see `num/recip.rs`.
//!
//! A table seed and two fixed-point Newton steps, rearranged to avoid the chip's wide products. With a seed s of the
//! reciprocal of f, s * (2 - s * f) = s + s * e, where e = 1 - s * f is small enough for 32 bits: RCP is integer
//! arithmetic throughout. The error term of RSQ does not fit 32 bits, so RSQ computes in doubles, in an order in which the
//! chip's flooring shifts are truncations of exact numbers (the second step needs 63 bits, of which the truncating
//! environment keeps the upper 53 and the chip 24).
//!
//! Zeros and denormals give infinity, as on the chip; infinities and NaNs raise the guard.

use super::Legalizer;
use crate::ir::build::Builder;
use crate::ir::func::Value;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::num::Rules;
use xfjit_runtime::num::bits::{EXPONENT, FRACTION, ONE, SIGN};
use xfjit_runtime::num::rules::Seeds;

/// The leading bit of a significand.
const HIDDEN: u32 = 0x80_0000;

/// 2^52: a double's last bit is that of an integer from there on.
const INTEGER: f32 = 4_503_599_627_370_496.0;

/// 3 * 2^49 over 2^39.
const THREE: f32 = 3.0 * 1024.0;

/// Columns of the table of seeds s of a reciprocal square root: 96 s and 128 s^3.
struct Seed {
    base: Value,
    slope: Value,
}

/// Both steps from a seed of a reciprocal square root, for a significand over 2^39.
fn steps(f: &mut Builder, Seed { base, slope }: Seed, scaled: Value) -> Value {
    let operand = f.promote(scaled);
    let (base, slope) = (f.promote(base), f.promote(slope));
    let integer = f.double(INTEGER);
    let product = f.dmul(slope, operand);
    let first = f.dsub(base, product);
    let first = f.dadd(first, integer);
    let first = f.dsub(first, integer);
    // ((3 * 2^49 - s^2 f) * s) >> 39, everything over 2^39.
    let three = f.double(THREE);
    let square = f.dmul(first, first);
    let product = f.dmul(square, operand);
    let rest = f.dsub(three, product);
    let second = f.dmul(rest, first);
    let second = f.dadd(second, integer);
    f.dlow(second)
}

/// Both steps with products that are added exactly, for a negative significand: the first step is one of floats.
fn fused_steps(f: &mut Builder, Seed { base, slope }: Seed, negative: Value) -> Value {
    let first = f.fma(slope, negative, base);
    let first = f.ffloor(first);
    let (first, operand) = (f.promote(first), f.promote(negative));
    let (three, integer) = (f.double(THREE), f.double(INTEGER));
    let square = f.dmul(first, first);
    let rest = f.dfma(square, operand, three);
    let second = f.dfma(rest, first, integer);
    f.dlow(second)
}

impl Legalizer {
    /// Reciprocal; a result below 2^-126 raises the guard.
    pub(super) fn rcp(&mut self, a: Value) -> Value {
        self.require_small(a);
        let reciprocal = self.reciprocal(a);
        self.known.unbounded.insert(reciprocal);
        reciprocal
    }

    /// Reciprocal, clamped. The bounds of the clamp lie well inside the range of [`Legalizer::reciprocal`].
    pub(super) fn rcc_hw(&mut self, a: Value) -> Value {
        if !self.f.func().numerics.rules.clamp_keeps_fraction() {
            self.require_small(a);
            let reciprocal = self.reciprocal(a);
            return self.clamp_magnitude(reciprocal);
        }
        // The exponent alone is clamped, and denormal operands have a fraction, too: those raise the guard.
        self.guard_outside(a, HIDDEN, 0xfd << 23);
        let reciprocal = self.reciprocal(a);
        let f = &mut self.f;
        let (exponent_mask, low, high) = (f.bits(EXPONENT), f.bits(0x1f80_0000), f.bits(0x5f80_0000));
        let rest = f.andnot(reciprocal, exponent_mask);
        let exponent = f.and(reciprocal, exponent_mask);
        let exponent = f.imax(exponent, low);
        let exponent = f.imin(exponent, high);
        f.or(exponent, rest)
    }

    /// Deoptimises the group where the magnitude of `a` is not in `low..high`.
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

    /// 8192 / (64 + i + 1/2), where i is the value of the top six fraction bits. For each of the 64 rows the floor of this
    /// is the seed in the table of Celsius and LT, and the nearest integer is the seed in Kelvin's table. The division is
    /// cheaper than a table look-up.
    pub(super) fn reciprocal_quotient(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let (row_mask, middle, top) = (f.bits(0x7e_0000), f.bits(ONE | 0x1_0000), f.float(128.0));
        let row = f.and(a, row_mask);
        let divisor = f.or(row, middle);
        f.fdiv(top, divisor)
    }

    /// Reciprocal of a number of magnitude below 2^126; infinite for zeros and denormals.
    pub(super) fn reciprocal(&mut self, a: Value) -> Value {
        let field = self.exponent_field(a);
        let significand = self.significand(a);
        let quotient = self.reciprocal_quotient(a);
        let rounds = self.f.func().numerics.rules.seeds() == Seeds::V2;
        let f = &mut self.f;
        let (unit, rest_mask, zero, half) = (f.bits(1 << 30), f.bits(0x1fff), f.bits(0), f.float(0.5));
        let seed = if rounds { f.fadd(quotient, half) } else { quotient };
        let seed = f.cvt_i(seed);
        // ((2^31 - s f) * s) >> 24 with e = 2^30 - s f: (s << 6) + (s e >> 24). s e has 31 bits.
        let product = f.imul(seed, significand);
        let error = f.isub(unit, product);
        let step = f.imul(seed, error);
        let step = f.sar(step, 24);
        let base = f.shl(seed, 6);
        let first = f.iadd(base, step);
        // ((2^37 - s f) * s) >> 25 with e = 2^36 - s f: (s << 11) + (s e >> 25). e has 26 bits and is never negative,
        // since a Newton step does not overshoot; its product with the 13 bits of s is computed in two parts.
        let product = f.imul(first, significand);
        let error = f.isub(zero, product);
        let (upper, lower) = (f.shr(error, 13), f.and(error, rest_mask));
        let (upper, lower) = (f.imul(first, upper), f.imul(first, lower));
        let lower = f.shr(lower, 13);
        let step = f.iadd(upper, lower);
        let step = f.shr(step, 12);
        let base = f.shl(first, 11);
        let second = f.iadd(base, step);

        // Adding `second` carries its leading bit into the exponent field, so `mirror` is one less.
        let (fraction_mask, two, mirror) = (f.bits(FRACTION), f.bits(2 * HIDDEN), f.bits(0xfc << 23));
        let (rest_mask, normal, infinity) = (f.bits(SIGN | EXPONENT), f.bits(HIDDEN), f.bits(EXPONENT));
        let own = f.and(a, fraction_mask);
        let is_power = f.ieq(own, zero);
        let second = f.select(is_power, two, second);
        // The subtraction keeps the sign bit: -2^31 = 2^31 modulo 2^32.
        let rest = f.and(a, rest_mask);
        let exponent = f.isub(mirror, rest);
        let value = f.iadd(exponent, second);
        let is_zero = f.igt(normal, field);
        let at_zero = f.or(rest, infinity);
        f.select(is_zero, at_zero, value)
    }

    /// Reciprocal square root of the magnitude; under modern rules a negative operand raises the guard.
    pub(super) fn rsq_hw(&mut self, a: Value) -> Value {
        let rules = self.f.func().numerics.rules;
        self.require_finite(a);
        if rules.sees_signs() {
            let negative = self.f.sar(a, 31);
            self.f.guard(negative);
        }
        let root = self.root(a, rules);
        let magnitude = self.magnitude(a);
        let f = &mut self.f;
        let (normal, infinity) = (f.bits(HIDDEN), f.bits(EXPONENT));
        let is_zero = f.igt(normal, magnitude);
        let root = f.select(is_zero, infinity, root);
        self.known.unbounded.insert(root);
        root
    }

    /// Reciprocal square root of the magnitude of a normal number.
    pub(super) fn root(&mut self, a: Value, rules: Rules) -> Value {
        let table = match rules.seeds() {
            Seeds::V1 => Table::RsqV1,
            Seeds::V2 => Table::RsqV2,
        };
        let index = self.root_index(a);
        let f = &mut self.f;
        let (base, slope) = (f.table(table, 0, index), f.table(table, 1, index));

        // The significand, doubled for an even exponent, over 2^39: a float between 2^-16 and 2^-14. Its negative adds products that
        // are to be subtracted.
        let sign = if self.has_fused { SIGN } else { 0 };
        let (fraction_mask, odd_scale, even_bit) =
            (f.bits(FRACTION), f.bits(sign | (127 - 16) << 23), f.bits(HIDDEN));
        let fraction = f.and(a, fraction_mask);
        let odd = f.and(a, even_bit);
        let even = f.xor(odd, even_bit);
        let scaled = f.or(fraction, odd_scale);
        let scaled = f.iadd(scaled, even);
        let seed = Seed { base, slope };
        let second = if self.has_fused { fused_steps(f, seed, scaled) } else { steps(f, seed, scaled) };

        // Adding `second` carries its leading bit into the exponent field, so the exponent is one less.
        let magnitude = self.magnitude(a);
        let exponent = self.root_exponent(magnitude, 1);
        let f = &mut self.f;
        let result = f.iadd(exponent, second);
        if !rules.exact_roots() {
            return result;
        }
        // Even powers of two, whose exponent field is odd, are exact on Rankine.
        let (zero, two) = (f.bits(0), f.bits(2 * HIDDEN));
        let is_power = f.ieq(fraction, zero);
        let is_odd = f.ieq(odd, even_bit);
        let is_exact = f.and(is_power, is_odd);
        let above = f.iadd(exponent, two);
        f.select(is_exact, above, result)
    }

    /// Table row of the seed of a reciprocal square root: lowest exponent bit and top six fraction bits. The upper half of
    /// the table is for even exponent fields.
    pub(super) fn root_index(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let (index_mask, other_half) = (f.bits(127), f.bits(64));
        let index = f.shr(a, 17);
        let index = f.xor(index, other_half);
        f.and(index, index_mask)
    }

    /// Exponent field of a reciprocal square root minus `less`, in place.
    pub(super) fn root_exponent(&mut self, magnitude: Value, less: u32) -> Value {
        let f = &mut self.f;
        // 0x7e - (e - 0x7f) / 2 for an odd exponent field e, 0x7e - (e - 0x80) / 2 for an even one: half of 0x17c - e.
        // The fraction bits of `top` are all ones, so that the fraction does not borrow from the exponent.
        let (top, exponent_mask) = (f.bits((0x17c - 2 * less) << 23 | FRACTION), f.bits(EXPONENT));
        let exponent = f.isub(top, magnitude);
        let exponent = f.shr(exponent, 1);
        f.and(exponent, exponent_mask)
    }
}
