//! EXP, LOG and LIT: the piecewise-linear table unit (ILU). One function per result component.
//!
//! These functions are the same in both models: no IEEE definition would be much faster, and the results are accurate to
//! 12 or 13 bits only. Evidence: hardware-tested model (arithmetic.md, kelvin.md 4.1, rankine_curie.md
//! 4), unless noted. The fourth component of EXP, LOG and LIT is 1.0, and so is the first of LIT.

use super::bits::{
    FRACTION, INFINITY, ONE, SIGN, exponent, fraction, from_fixed, is_flushed, is_infinite, is_nan,
    is_negative, magnitude, significand,
};
use super::tables::{EXP_BASE, EXP_SLOPE, LOG_BASE, LOG_SLOPE};
use super::{CANONICAL_NAN, Numerics, Rules};

/// Fraction bits of the fixed-point argument of the exponential.
const ARGUMENT_BITS: u32 = 13;

/// EXP.x: two to the floor of the argument. Below 2^-126: +0; from 2^128 on, and for NaN: +infinity. An argument of
/// magnitude below 2^-23 has floor 0, negative ones too.
#[inline]
pub fn exp_x(_: Numerics, t: u32) -> u32 {
    let floor = !0 << ARGUMENT_BITS;
    exponential(i64::from(fixed_point(t) & floor))
}

/// EXP.y: the argument minus its floor, not computed as FRC.
///
/// NaN passes unchanged; zero, denormals and magnitudes from 2^23 on: +0; a negative argument of magnitude below
/// 2^-23: 1.0.
#[inline]
pub fn exp_y(_: Numerics, t: u32) -> u32 {
    let e = exponent(t);
    if is_nan(t) {
        return t;
    }
    if e == 0 || e >= 150 {
        return 0;
    }
    if !is_negative(t) && e < 127 {
        return t;
    }
    if e < 104 {
        return ONE;
    }
    // The significand as an integer over 2^scale; magnitudes below one are aligned to one, rounding up.
    let scale = (150 - e).min(23) as u32;
    let integer = significand(t).div_ceil(1 << (127 - e).max(0));
    let integer = if is_negative(t) { integer.wrapping_neg() } else { integer };
    from_fixed(i64::from(integer & ((1 << scale) - 1)), scale as i32)
}

/// EXP.z: approximate two to the argument, which is truncated (toward minus infinity) to 13 fraction bits; relative
/// error 2^-13.1. NaN: canonical NaN.
#[inline]
pub fn exp_z(_: Numerics, t: u32) -> u32 {
    if is_nan(t) {
        return CANONICAL_NAN;
    }
    exponential(i64::from(fixed_point(t)))
}

/// LOG.x: the exponent of the magnitude, as a float. Zero or denormal: -infinity; infinity: +infinity; NaN: see
/// [`log_z`].
#[inline]
pub fn log_x(n: Numerics, t: u32) -> u32 {
    if let Some(nan) = log_nan(n.rules, t) {
        return nan;
    }
    if is_flushed(t) {
        return SIGN | INFINITY;
    }
    if is_infinite(t) {
        return INFINITY;
    }
    from_fixed(i64::from(exponent(t) - 127), 0)
}

/// LOG.y: the significand of the magnitude, in [1, 2). Zero, denormals and infinity: 1.0; NaN: see [`log_z`].
#[inline]
pub fn log_y(n: Numerics, t: u32) -> u32 {
    if let Some(nan) = log_nan(n.rules, t) {
        return nan;
    }
    if is_flushed(t) || is_infinite(t) {
        return ONE;
    }
    ONE | fraction(t)
}

/// LOG.z: approximate base-two logarithm of the magnitude; absolute error 2^-12.0.
///
/// Zero or denormal: -infinity; infinity: +infinity. NaN, here and in [`log_x`] and [`log_y`]: Kelvin returns the
/// operand without its sign, Rankine the canonical NaN; and under modern rules **every operand with the sign bit set**
/// (-0 too) gives the canonical NaN, although the API specification takes the magnitude.
#[inline]
pub fn log_z(n: Numerics, t: u32) -> u32 {
    if let Some(nan) = log_nan(n.rules, t) {
        return nan;
    }
    if is_flushed(t) {
        return SIGN | INFINITY;
    }
    if is_infinite(t) {
        return INFINITY;
    }
    from_fixed(logarithm(t), 26)
}

/// LIT.y: the diffuse coefficient: 0 where the sign bit of `x` is set (-0 and -NaN too), else `x` unchanged, +NaN
/// included.
#[inline]
pub fn lit_y(_: Numerics, x: u32) -> u32 {
    if is_negative(x) { 0 } else { x }
}

/// LIT.z: the specular coefficient, approximately `y^w` where `x` is positive.
///
/// First rule that applies: sign bit of `x` set, or `x` zero or denormal: +0; `w` zero or denormal: 1.0, whatever `y`;
/// NaN in `y` or `w`: canonical NaN; `y` negative, zero or denormal: +infinity if `w` is negative, else +0; `y` infinite:
/// +0 if `w` is negative, else +infinity; else the exponential of `w`, clamped to -128 .. 127.99988, times the
/// logarithm of `y`.
#[inline]
pub fn lit_z(_: Numerics, x: u32, y: u32, w: u32) -> u32 {
    if is_negative(x) || is_flushed(x) {
        return 0;
    }
    if is_flushed(w) {
        return ONE;
    }
    if is_nan(y) || is_nan(w) {
        return CANONICAL_NAN;
    }
    if is_negative(y) || is_flushed(y) {
        return if is_negative(w) { INFINITY } else { 0 };
    }
    if is_infinite(y) {
        return if is_negative(w) { 0 } else { INFINITY };
    }
    let power = i64::from(fixed_point(w).clamp(-0x10_0000, 0xf_ffff));
    exponential((logarithm(y) * power) >> 26)
}

/// The argument of the exponential as a fixed-point number with 13 fraction bits (arithmetic.md).
#[doc(hidden)]
pub fn fixed_point(t: u32) -> i32 {
    let e = exponent(t);
    if is_nan(t) {
        return i32::MAX;
    }
    if e >= 145 {
        return if is_negative(t) { i32::MIN } else { i32::MAX };
    }
    if e < 104 {
        return 0;
    }
    // 64 bits, since the shift reaches 33. Negative numbers round down: at least one unit of magnitude remains.
    let f = u64::from(significand(t));
    let magnitude = match 137 - e {
        left if left < 0 => f << -left,
        right if is_negative(t) => f.div_ceil(1 << right),
        right => f >> right,
    } as i32;
    if is_negative(t) { -magnitude } else { magnitude }
}

/// Two to a fixed-point number with 13 fraction bits (arithmetic.md, exp_core).
fn exponential(p: i64) -> u32 {
    let n = p >> ARGUMENT_BITS;
    if n <= -127 {
        return 0;
    }
    if n >= 128 {
        return INFINITY;
    }
    let (segment, offset) = ((p >> 8 & 31) as usize, (p & 255) as u32);
    let value = (u32::from(EXP_BASE[segment]) << 8) + u32::from(EXP_SLOPE[segment]) * offset;
    ((n + 127) as u32) << 23 | value << 1 & FRACTION
}

/// Logarithm of the magnitude of a normal number, with 26 fraction bits (arithmetic.md, log_core).
fn logarithm(x: u32) -> i64 {
    let (segment, offset) = ((fraction(x) >> 18) as usize, fraction(x) >> 10 & 255);
    let value = (LOG_BASE[segment] << 8) + u32::from(LOG_SLOPE[segment]) * offset;
    i64::from(value) + (i64::from(exponent(x) - 127) << 26)
}

/// The NaN that LOG returns in x, y and z for a NaN, and under modern rules for an operand with its sign bit set.
fn log_nan(rules: Rules, t: u32) -> Option<u32> {
    if rules.sees_signs() && is_negative(t) {
        return Some(CANONICAL_NAN);
    }
    if !is_nan(t) {
        return None;
    }
    Some(if rules.log_keeps_nans() { magnitude(t) } else { CANONICAL_NAN })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Model;

    const KELVIN: Numerics = Numerics { model: Model::Hw, rules: Rules::Kelvin };

    #[test]
    fn floor_and_fraction_of_exp_agree_except_at_tiny_negatives() {
        for t in [0x4007_df3bu32, 0xc007_df3b, 0xbf00_0000, 0xc2c8_0000, 0x4180_0001] {
            let (x, y) = (exp_x(KELVIN, t), f32::from_bits(exp_y(KELVIN, t)));
            let floor = exponent(x) as f32 - 127.0;
            assert_eq!(floor + y, f32::from_bits(t), "{t:08x}");
        }
        let tiny = 0xb380_0000; // -2^-24
        assert_eq!((exp_x(KELVIN, tiny), exp_y(KELVIN, tiny)), (ONE, ONE));
        let least = 0xb400_0000; // -2^-23
        assert_eq!((exp_x(KELVIN, least), exp_y(KELVIN, least)), (0x3f00_0000, 0x3f7f_fffe));
    }

    #[test]
    fn exp_of_nan_is_infinite_in_x_itself_in_y_and_canonical_in_z() {
        let nan = 0xffc1_2345;
        let result = [exp_x(KELVIN, nan), exp_y(KELVIN, nan), exp_z(KELVIN, nan)];
        assert_eq!(result, [INFINITY, nan, CANONICAL_NAN]);
    }

    #[test]
    fn the_nan_of_log_depends_on_the_generation() {
        let rankine = |rules| Numerics { model: Model::Hw, rules };
        assert_eq!(log_x(KELVIN, 0xffc1_2345), 0x7fc1_2345);
        assert_eq!(log_x(rankine(Rules::RankineLegacy), 0xffc1_2345), CANONICAL_NAN);
        assert_eq!(log_y(rankine(Rules::RankineModern), 0x8000_0000), CANONICAL_NAN);
        assert_eq!(log_y(rankine(Rules::RankineLegacy), 0x8000_0000), ONE);
    }

    #[test]
    fn the_zeroth_power_is_one_whatever_the_base() {
        for base in [0, 0x7f80_0000, 0x7fc0_0000, 0xbf80_0000] {
            assert_eq!(lit_z(KELVIN, ONE, base, 0x8000_0001), ONE);
        }
    }
}
