//! Recipes of EXP, LOG and LIT: the table functions of the chip, the same in both models (arithmetic.md; golden
//! functions in `num/explog.rs`). A NaN operand raises the guard, and so does LIT's y = +infinity.

use super::Legalizer;
use crate::ir::func::Value;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::num::bits::{INFINITY, ONE, SIGN};

/// The least positive normal number.
const NORMAL: u32 = 0x0080_0000;

impl Legalizer {
    /// Expands a component of LOG. An operand with its sign bit set, whose LOG is NaN under modern rules, raises the guard.
    pub(super) fn logarithm(&mut self, a: Value, recipe: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        if self.f.func().numerics.rules.sees_signs() {
            let negative = self.f.sar(a, 31);
            self.f.guard(negative);
        }
        self.with_ordered(a, recipe)
    }

    pub(super) fn with_ordered(&mut self, a: Value, recipe: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        self.require_ordered(a);
        let result = recipe(self, a);
        self.mark_ordered(result)
    }

    /// s.13 fixed point, rounded down, of a number clamped to `low ..= high`; magnitudes below 2^-23 give 0 even if
    /// they are negative.
    fn fixed(&mut self, t: Value, low: f32, high: f32) -> Value {
        let f = &mut self.f;
        let (low, high, scale) = (f.float(low), f.float(high), f.float(8192.0));
        let (magnitude_mask, tiny) = (f.bits(!SIGN), f.bits(104 << 23));
        let clamped = f.fmax(t, low);
        let clamped = f.fmin(clamped, high);
        let scaled = f.fmul(clamped, scale);
        let floor = f.ffloor(scaled);
        let fixed = f.cvt_i(floor);
        let magnitude = f.and(t, magnitude_mask);
        let is_tiny = f.igt(tiny, magnitude);
        f.andnot(fixed, is_tiny)
    }

    /// 2^p for s.13 fixed point: 0 from exponent -127 down, infinity from 128 up.
    fn exp_core(&mut self, p: Value) -> Value {
        let (exponent, regular) = self.exp_exponent(p);
        let f = &mut self.f;
        let (segment_mask, rest_mask) = (f.bits(31), f.bits(255));
        let segment = f.shr(p, 8);
        let segment = f.and(segment, segment_mask);
        let base = f.table(Table::Exp, 0, segment);
        let slope = f.table(Table::Exp, 1, segment);
        let rest = f.and(p, rest_mask);
        let rise = f.imul(slope, rest);
        let base = f.shl(base, 8);
        let fraction = f.iadd(base, rise);
        let fraction = f.shl(fraction, 1);
        let fraction = f.and(fraction, regular);
        f.or(exponent, fraction)
    }

    /// The exponent field of 2^p, saturated, and a mask of the lanes in which it is neither 0 nor 255.
    fn exp_exponent(&mut self, p: Value) -> (Value, Value) {
        let f = &mut self.f;
        let (zero, bias, top) = (f.bits(0), f.bits(127), f.bits(255));
        let n = f.sar(p, 13);
        let biased = f.iadd(n, bias);
        let above = f.igt(biased, zero);
        let below = f.igt(top, biased);
        let regular = f.and(above, below);
        let biased = f.imax(biased, zero);
        let biased = f.imin(biased, top);
        (f.shl(biased, 23), regular)
    }

    fn exp_argument(&mut self, t: Value) -> Value {
        self.fixed(t, -200.0, 200.0)
    }

    pub(super) fn exp_x(&mut self, t: Value) -> Value {
        let p = self.exp_argument(t);
        self.exp_exponent(p).0
    }

    pub(super) fn exp_z(&mut self, t: Value) -> Value {
        let p = self.exp_argument(t);
        self.exp_core(p)
    }

    /// The operand minus its floor; a negative operand is first rounded down to a multiple of 2^-23.
    pub(super) fn exp_y(&mut self, t: Value) -> Value {
        let f = &mut self.f;
        let (one, magnitude_mask) = (f.bits(ONE), f.bits(!SIGN));
        let (up, down) = (f.float(8_388_608.0), f.float(1.0 / 8_388_608.0));
        let scaled = f.fmul(t, up);
        let rounded = f.ffloor(scaled);
        let rounded = f.fmul(rounded, down);
        let negative = f.sar(t, 31);
        let rounded = f.select(negative, rounded, t);
        let floor = f.ffloor(rounded);
        let fraction = f.fsub(rounded, floor);

        let magnitude = f.and(t, magnitude_mask);
        let (tiny, integral, normal) = (f.bits(104 << 23), f.bits((150 << 23) - 1), f.bits(NORMAL));
        let is_tiny = f.igt(tiny, magnitude);
        let is_tiny = f.and(is_tiny, negative);
        let fraction = f.select(is_tiny, one, fraction);
        let is_integral = f.igt(magnitude, integral);
        let is_zero = f.igt(normal, magnitude);
        let vanishes = f.or(is_integral, is_zero);
        f.andnot(fraction, vanishes)
    }

    /// `zero` where |t| is zero or denormal, `infinite` where it is infinite, else `value`.
    fn log_select(&mut self, magnitude: Value, zero: u32, infinite: u32, value: Value) -> Value {
        let f = &mut self.f;
        let (normal, infinity) = (f.bits(NORMAL), f.bits(INFINITY));
        let (at_zero, at_infinity) = (f.bits(zero), f.bits(infinite));
        let is_zero = f.igt(normal, magnitude);
        let is_infinite = f.ieq(magnitude, infinity);
        let value = f.select(is_infinite, at_infinity, value);
        f.select(is_zero, at_zero, value)
    }

    pub(super) fn log_x(&mut self, t: Value) -> Value {
        let magnitude = self.magnitude(t);
        let exponent = self.exponent(magnitude);
        let exponent = self.f.cvt_f(exponent);
        self.log_select(magnitude, INFINITY | SIGN, INFINITY, exponent)
    }

    pub(super) fn log_y(&mut self, t: Value) -> Value {
        let magnitude = self.magnitude(t);
        let f = &mut self.f;
        let (fraction_mask, one) = (f.bits(0x7f_ffff), f.bits(ONE));
        let fraction = f.and(magnitude, fraction_mask);
        let mantissa = f.or(fraction, one);
        self.log_select(magnitude, ONE, ONE, mantissa)
    }

    /// Unbiased exponent of a positive normal number.
    fn exponent(&mut self, magnitude: Value) -> Value {
        let bias = self.f.bits(127);
        let exponent = self.f.shr(magnitude, 23);
        self.f.isub(exponent, bias)
    }

    /// log2 of the mantissa of a positive normal number with 26 fraction bits.
    fn log_fraction(&mut self, magnitude: Value) -> Value {
        let f = &mut self.f;
        let (segment_mask, rest_mask) = (f.bits(31), f.bits(255));
        let segment = f.shr(magnitude, 18);
        let segment = f.and(segment, segment_mask);
        let base = f.table(Table::Log, 0, segment);
        let slope = f.table(Table::Log, 1, segment);
        let rest = f.shr(magnitude, 10);
        let rest = f.and(rest, rest_mask);
        let rise = f.imul(slope, rest);
        let base = f.shl(base, 8);
        f.iadd(base, rise)
    }

    /// Exponent plus fraction as one number of up to 34 bits, truncated to 24. Its magnitude is `whole` * 2^26 +
    /// `part`; from 2^26 on the three lowest bits cannot survive the truncation, so that 30 bits hold it.
    pub(super) fn log_z(&mut self, t: Value) -> Value {
        let magnitude = self.magnitude(t);
        let exponent = self.exponent(magnitude);
        let fraction = self.log_fraction(magnitude);
        let f = &mut self.f;
        let (zero, unit) = (f.bits(0), f.bits(1 << 26));
        let negative = f.sar(exponent, 31);
        // For a negative exponent -n the magnitude is (n - 1) + (1 - fraction), and n - 1 is the one's complement of -n.
        let whole = f.xor(exponent, negative);
        let complement = f.isub(unit, fraction);
        let part = f.select(negative, complement, fraction);

        let is_small = f.ieq(whole, zero);
        let high = f.shl(whole, 23);
        let low = f.shr(part, 3);
        let large = f.iadd(high, low);
        let integer = f.select(is_small, part, large);
        let (small_scale, large_scale) =
            (f.float(1.0 / (1u32 << 26) as f32), f.float(1.0 / (1u32 << 23) as f32));
        let scale = f.select(is_small, small_scale, large_scale);
        let float = self.truncated_float(integer);
        let f = &mut self.f;
        let float = f.fmul(float, scale);
        let sign_bit = f.bits(SIGN);
        let sign = f.and(negative, sign_bit);
        let value = f.or(float, sign);
        self.log_select(magnitude, INFINITY | SIGN, INFINITY, value)
    }

    /// A non-negative integer below 2^30 as a float, truncated in either environment.
    pub(super) fn truncated_float(&mut self, integer: Value) -> Value {
        let env = self.f.func().env();
        let f = &mut self.f;
        let float = f.cvt_f(integer);
        if env == FpEnv::Truncate {
            return float;
        }
        let back = f.cvt_i(float);
        let rounded_up = f.igt(back, integer);
        // The mask is -1: subtract one unit in the last place.
        f.iadd(float, rounded_up)
    }

    /// x, or 0 where its sign is set.
    pub(super) fn lit_y(&mut self, x: Value) -> Value {
        let negative = self.f.sar(x, 31);
        self.f.andnot(x, negative)
    }

    pub(super) fn lit_z(&mut self, x: Value, y: Value, w: Value) -> Value {
        self.require_visible(&[x]);
        self.require_ordered(y);
        self.require_ordered(w);
        let infinity = self.f.bits(INFINITY);
        let y_infinite = self.f.ieq(y, infinity);
        self.f.guard(y_infinite);
        let value = self.lit_z_of(x, y, w, |_, value| value);
        self.mark_ordered(value)
    }

    /// LIT.z of numbers of which y is finite; `special` has the last word of what becomes of y and w, unless x or w vanishes.
    pub(super) fn lit_z_of(
        &mut self,
        x: Value,
        y: Value,
        w: Value,
        special: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        let power = self.fixed(w, -128.0, 127.999_88);
        let exponent = self.exponent(y);
        let fraction = self.log_fraction(y);
        let f = &mut self.f;
        // (log2(y) * power) >> 26, with the integer part of the logarithm multiplied separately.
        let whole = f.imul(exponent, power);
        let part = f.mulshr(fraction, power, 26);
        let product = f.iadd(whole, part);
        let value = self.exp_core(product);

        let f = &mut self.f;
        let (zero, normal, one) = (f.bits(0), f.bits(NORMAL), f.bits(ONE));
        let (magnitude_mask, infinity) = (f.bits(!SIGN), f.bits(INFINITY));
        // y <= 0 or denormal: infinity for a negative power, else 0.
        let y_vanishes = f.igt(normal, y);
        let w_negative = f.sar(w, 31);
        let at_zero = f.and(w_negative, infinity);
        let value = f.select(y_vanishes, at_zero, value);
        let value = special(self, value);
        let f = &mut self.f;
        // w zero or denormal: 1, whatever y.
        let w_magnitude = f.and(w, magnitude_mask);
        let w_vanishes = f.igt(normal, w_magnitude);
        let value = f.select(w_vanishes, one, value);
        // x <= 0 or denormal: 0.
        let x_vanishes = f.igt(normal, x);
        f.select(x_vanishes, zero, value)
    }
}
