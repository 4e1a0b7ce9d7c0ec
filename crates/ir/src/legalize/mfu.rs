//! Recipes of LG2, EX2, SIN and COS, the same in both models: see `num/mfu.rs` (arithmetic.md, special-function unit).
//!
//! The chip's multiplier is radix 4 and rounds each partial product, so the recipe computes it digit by digit. The digits
//! of a node's slope are in its table row: the six upper ones, whose partial products need no rounding, as one number; the
//! seven lower ones as fields of four bits. A partial product `d * r / 2^k` rounded half up in magnitude is
//! `(d * r + 2^(k-1)) >> k`, with 1 subtracted before the shift where d is negative.
//!
//! An interpolated value has 38 fraction bits; it is held in two words, with 23 fraction bits and the 15 bits below.

use super::Legalizer;
use crate::ir::func::Value;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::num::bits::{FRACTION, INFINITY, ONE, SIGN};

const NAN: u32 = xfjit_runtime::num::CANONICAL_NAN;
/// The least positive normal number, and the unit of the exponent field.
const NORMAL: u32 = 0x0080_0000;

/// A number of 38 fraction bits: `whole * 2^-23 + rest * 2^-38`, the rest in `0..2^15`.
struct FixedPoint {
    whole: Value,
    rest: Value,
}

/// The function of an angle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wave {
    Sine,
    Cosine,
}

impl Legalizer {
    /// Base-two logarithm; raises no guard of its own.
    pub(super) fn lg2(&mut self, x: Value) -> Value {
        self.require_visible(&[x]);
        let fraction_mask = self.f.bits(FRACTION);
        let fraction = self.f.and(x, fraction_mask);
        let FixedPoint { whole, rest } = self.interpolate_concave(Table::Lg2, fraction);
        let f = &mut self.f;
        let (exponent_mask, bias, rest_mask) = (f.bits(INFINITY), f.bits(ONE), f.bits(0x7fff));
        let exponent = f.and(x, exponent_mask);
        let exponent = f.isub(exponent, bias);
        let whole = f.iadd(whole, exponent);
        // A negative result is the one's complement of the sum.
        let negative = f.sar(whole, 31);
        let flip = f.and(negative, rest_mask);
        let (whole, rest) = (f.xor(whole, negative), f.xor(rest, flip));
        let magnitude = self.fixed_to_float(FixedPoint { whole, rest });
        let f = &mut self.f;
        let sign_bit = f.bits(SIGN);
        let sign = f.and(negative, sign_bit);
        let value = f.or(magnitude, sign);

        let magnitude = self.magnitude(x);
        let f = &mut self.f;
        let (normal, infinity, nan, at_zero) =
            (f.bits(NORMAL), f.bits(INFINITY), f.bits(NAN), f.bits(SIGN | INFINITY));
        let below_infinity = f.bits(INFINITY - 1);
        let is_infinite = f.ieq(x, infinity);
        // As unsigned integers, infinity, NaNs and all patterns with the sign bit set are above `below_infinity`.
        let least = f.umin(x, below_infinity);
        let inside = f.ieq(least, x);
        let special = f.select(is_infinite, infinity, nan);
        let value = f.select(inside, value, special);
        let is_zero = f.igt(normal, magnitude);
        f.select(is_zero, at_zero, value)
    }

    /// Two to the operand; a NaN raises the guard.
    pub(super) fn ex2(&mut self, x: Value) -> Value {
        self.with_ordered(x, Self::power_of_two)
    }

    pub(super) fn power_of_two(&mut self, x: Value) -> Value {
        let magnitude = self.magnitude(x);
        let f = &mut self.f;
        let (limit, up, fraction_mask) = (f.bits(0x86 << 23), f.float(8_388_608.0), f.bits(FRACTION));
        let clamped = f.imin(magnitude, limit);
        let scaled = f.fmul(clamped, up);
        let fixed = f.cvt_i(scaled);
        // A negative argument is the one's complement of its magnitude.
        let negative = f.sar(x, 31);
        let argument = f.xor(fixed, negative);
        let place = f.and(argument, fraction_mask);
        let fraction = self.interpolate_convex(Table::Ex2, place);
        let f = &mut self.f;
        let (zero, one, infinity) = (f.bits(0), f.bits(ONE), f.bits(INFINITY));
        let (bias, tiny, top) = (f.bits(127), f.bits(0x46 << 23), f.bits((0x86 << 23) - 1));
        let fraction = f.and(fraction, fraction_mask);
        let exponent = f.sar(argument, 23);
        let exponent = f.iadd(exponent, bias);
        let regular = f.igt(exponent, zero);
        let exponent = f.shl(exponent, 23);
        let value = f.or(exponent, fraction);
        let value = f.and(value, regular);
        let is_great = f.igt(x, top);
        let value = f.select(is_great, infinity, value);
        let is_tiny = f.igt(tiny, magnitude);
        f.select(is_tiny, one, value)
    }

    /// Sine and cosine. Infinity, NaN and arguments for which the range reduction wraps raise the guard.
    pub(super) fn quarter_wave(&mut self, wave: Wave, x: Value) -> Value {
        let magnitude = self.magnitude(x);
        let f = &mut self.f;
        // Below `tiny` the result is constant. The shifter wraps between `tiny` and `low`, and from `high` on.
        let (tiny, low) =
            if wave == Wave::Sine { (0x60 << 23, 0x63 << 23) } else { (0x70 << 23, 0x70 << 23) };
        let high = 0xa2u32 << 23;
        let tiny_limit = f.bits(tiny);
        let is_tiny = f.igt(tiny_limit, magnitude);
        let top = f.bits(high - 1);
        let mut outside = f.igt(magnitude, top);
        if low != tiny {
            let low_limit = f.bits(low);
            let below = f.igt(low_limit, magnitude);
            let wraps = f.andnot(below, is_tiny);
            outside = f.or(outside, wraps);
        }
        f.guard(outside);

        let mut turns = self.turns(x, magnitude);
        let f = &mut self.f;
        if wave == Wave::Cosine {
            let quarter = f.bits(1 << 23);
            turns = f.iadd(turns, quarter);
        }
        let (fraction_mask, sign_bit) = (f.bits(FRACTION), f.bits(SIGN));
        let odd = f.shl(turns, 8);
        let odd = f.sar(odd, 31);
        let place = f.xor(turns, odd);
        let place = f.and(place, fraction_mask);
        let sign = f.shl(turns, 7);
        let sign = f.and(sign, sign_bit);
        let fixed = self.interpolate_concave(Table::SinCos, place);
        let value = self.fixed_to_float(fixed);
        let value = self.f.or(value, sign);
        let at_tiny = if wave == Wave::Sine { 0 } else { ONE };
        let at_tiny = self.f.bits(at_tiny);
        let value = self.f.select(is_tiny, at_tiny, value);
        self.mark_ordered(value)
    }

    /// The argument over tau in quarter turns with 23 fraction bits, of which the low 25 bits are exact for exponent fields
    /// 0x63 ..= 0xa1.
    ///
    /// The chip's product with 1/tau is a sum of one table entry per set fraction bit, and the entries are not exact
    /// multiples of each other: the recipe looks the sum up in three parts.
    fn turns(&mut self, x: Value, magnitude: Value) -> Value {
        let f = &mut self.f;
        let (byte, upper) = (f.bits(255), f.bits(127));
        let low = f.and(x, byte);
        let middle = f.shr(x, 8);
        let middle = f.and(middle, byte);
        let high = f.shr(x, 16);
        let high = f.and(high, upper);
        let low = f.table(Table::InvTau, 0, low);
        let middle = f.table(Table::InvTau, 1, middle);
        let (part, whole) = (f.table(Table::InvTau, 2, high), f.table(Table::InvTau, 3, high));
        let part = f.iadd(part, low);
        let part = f.iadd(part, middle);
        let part = f.shr(part, 8);
        let product = f.iadd(whole, part);

        // Shifts left by e - 0x82 or right by 0x82 - e, as products with powers of two. Only the low 25 bits matter, and a
        // left shift by 25 or more clears them: 30 serves for 31.
        let (exponent_mask, middle) = (f.bits(INFINITY), f.bits(0x82 << 23));
        let (least, greatest) = (f.bits(0x63 << 23), f.bits(0xa0 << 23));
        let exponent = f.and(magnitude, exponent_mask);
        let left = f.imax(exponent, middle);
        let left = f.imin(left, greatest);
        let right = f.imin(exponent, middle);
        let right = f.imax(right, least);
        let (left_bias, right_bias) = (f.bits(3 << 23), f.bits(27 << 23));
        let left = f.isub(left, left_bias);
        let left = f.cvt_i(left);
        let right = f.iadd(right, right_bias);
        let right = f.cvt_i(right);
        let shifted = f.imul(product, left);
        let shifted = f.mulshr(shifted, right, 30);
        let negative = f.sar(x, 31);
        f.xor(shifted, negative)
    }

    /// A non-negative number as a float, truncated to 24 bits.
    fn fixed_to_float(&mut self, FixedPoint { whole, rest }: FixedPoint) -> Value {
        let high = self.truncated_float(whole);
        let env = self.f.func().env();
        let f = &mut self.f;
        let (down, scale) = (f.float(1.0 / 32_768.0), f.float(1.0 / 8_388_608.0));
        let low = f.cvt_f(rest);
        let low = f.fmul(low, down);
        let mut sum = f.fadd(high, low);
        if env == FpEnv::Default {
            // If the sum was rounded up, subtract one unit in the last place: the mask is -1.
            let kept = f.fsub(sum, high);
            let rounded_up = f.flt(low, kept);
            sum = f.iadd(sum, rounded_up);
        }
        f.fmul(sum, scale)
    }

    /// Interpolated value, curvature subtracted (LG2, SIN, COS).
    fn interpolate_concave(&mut self, table: Table, place: Value) -> FixedPoint {
        let Terms { constant, product, curvature, square } = self.terms(table, place);
        let f = &mut self.f;
        let (offset, half, zero) = (f.bits(0x400), f.bits(0x20), f.bits(0));
        let bent = f.imul(curvature, square);
        let correction = f.isub(square, offset);
        let correction = f.sar(correction, 12);
        let bent = f.iadd(bent, correction);
        let bent = f.iadd(bent, half);
        let bent = f.sar(bent, 5);
        // constant * 2^15 + product * 2^6 - bent
        let bent = f.isub(zero, bent);
        let (low_mask, middle_mask) = (f.bits(63), f.bits(511));
        let low = f.and(bent, low_mask);
        let bent = f.sar(bent, 6);
        let middle = f.iadd(product, bent);
        let high = f.sar(middle, 9);
        let whole = f.iadd(constant, high);
        let middle = f.and(middle, middle_mask);
        let middle = f.shl(middle, 6);
        FixedPoint { whole, rest: f.or(middle, low) }
    }

    /// Interpolated value, curvature added (EX2), rounded down to 23 fraction bits.
    fn interpolate_convex(&mut self, table: Table, place: Value) -> Value {
        let Terms { constant, product, curvature, square } = self.terms(table, place);
        let f = &mut self.f;
        let bent = f.imul(curvature, square);
        let bent = f.sar(bent, 11);
        let middle = f.iadd(product, bent);
        let high = f.sar(middle, 9);
        f.iadd(constant, high)
    }

    /// The terms of the interpolation around the node nearest to the 23-bit argument.
    fn terms(&mut self, table: Table, place: Value) -> Terms {
        let f = &mut self.f;
        let row = f.shr(place, 16);
        let [constant, upper, digits, curvature] = [0, 1, 2, 3].map(|column| f.table(table, column, row));
        // The distance to the node: the low 17 bits, sign-extended.
        let distance = f.shl(place, 15);
        let distance = f.sar(distance, 15);

        let mut product = f.imul(distance, upper);
        for digit in 0..7 {
            let right = 14 - 2 * digit;
            let half = f.bits(1 << (right - 1));
            let factor = f.shl(digits, 28 - 4 * digit);
            let factor = f.sar(factor, 28);
            let negative = f.sar(factor, 31);
            let term = f.imul(distance, factor);
            let term = f.iadd(term, half);
            let term = f.iadd(term, negative);
            let term = f.sar(term, right);
            product = f.iadd(product, term);
        }

        let one = f.bits(1);
        let top = f.sar(distance, 7);
        let next = f.shr(distance, 6);
        let next = f.and(next, one);
        let next = f.iadd(top, next);
        let mut square = f.imul(top, next);
        for bit in 0..6 {
            let half = f.bits(1 << (12 - bit));
            let set = f.shl(distance, 31 - bit);
            let set = f.sar(set, 31);
            let term = f.iadd(distance, half);
            let term = f.sar(term, 13 - bit);
            let term = f.and(term, set);
            square = f.iadd(square, term);
        }
        Terms { constant, product, curvature, square }
    }
}

/// The parts of an interpolated value.
struct Terms {
    constant: Value,
    product: Value,
    curvature: Value,
    square: Value,
}
