//! RCP, RCC and RSQ: a table seed and two fixed-point Newton steps.

use super::bits::{
    FRACTION, INFINITY, exponent, fraction, is_flushed, is_infinite, is_nan, is_negative, magnitude, sign,
    significand,
};
use super::rules::Seeds;
use super::tables::{RCP_V1, RCP_V2, RSQ_V1, RSQ_V2};
use super::{CANONICAL_NAN, Model, Numerics, Rules, ieee};

/// Reciprocal.
///
/// `hw`, first rule that applies: NaN: canonical NaN; zero or denormal: signed infinity; infinity: signed zero; a
/// power of two: exact; else table and two Newton steps (relative error 2^-22.1 on Kelvin). Results below 2^-126
/// are signed zeros. Celsius has a table of its own.
///
/// Evidence: hardware-tested model (kelvin.md 4.1, fixed_function.md 1.4).
///
/// `ieee`: `1 / x`, see [`ieee::rcp`].
#[inline]
pub fn rcp(n: Numerics, a: u32) -> u32 {
    match n.model {
        Model::Hw => reciprocal(n.rules, a),
        Model::Ieee => ieee::rcp(a),
    }
}

/// Reciprocal with its magnitude clamped to `2^-64 ..= 2^64` and its sign kept.
///
/// `hw`: as [`rcp`], but zeros give `±2^64` and infinities `±2^-64`. **Celsius clamps the exponent alone** and keeps
/// the computed fraction (of denormals too); Kelvin and later zero it.
///
/// Evidence: hardware-tested model (kelvin.md 4.1, fixed_function.md 1.4).
///
/// `ieee`: see [`ieee::rcc`].
#[inline]
pub fn rcc(n: Numerics, a: u32) -> u32 {
    match n.model {
        Model::Hw => reciprocal_clamped(n.rules, a),
        Model::Ieee => ieee::rcc(a),
    }
}

/// Reciprocal square root, of the magnitude except under modern rules.
///
/// `hw`, first rule that applies: NaN: canonical NaN; zero or denormal: +infinity (modern: with its sign);
/// negative under modern rules: canonical NaN; infinity: +0; else table and two Newton steps. Even powers of two are
/// exact on Rankine; on Celsius and Kelvin they are one unit too small: **RSQ(1.0) = 0x3f7fffff**.
///
/// Evidence: hardware-tested model (kelvin.md 4.1, rankine_curie.md 4, fixed_function.md 1.4).
///
/// `ieee`: `1 / sqrt(|x|)`, see [`ieee::rsq`].
#[inline]
pub fn rsq(n: Numerics, a: u32) -> u32 {
    match n.model {
        Model::Hw => reciprocal_root(n.rules, a),
        Model::Ieee => ieee::rsq(n.rules, a),
    }
}

#[inline]
fn reciprocal(rules: Rules, a: u32) -> u32 {
    if is_nan(a) {
        return CANONICAL_NAN;
    }
    if is_flushed(a) {
        return sign(a) | INFINITY;
    }
    let (exponent, fraction) = reciprocal_parts(rules, a);
    if exponent <= 0 {
        return sign(a);
    }
    sign(a) | (exponent as u32) << 23 | fraction
}

#[inline]
fn reciprocal_clamped(rules: Rules, a: u32) -> u32 {
    /// Exponent fields of 2^-64 and 2^64.
    const RANGE: (i32, i32) = (0x3f, 0xbf);

    if is_nan(a) {
        return CANONICAL_NAN;
    }
    let (exponent, fraction) = reciprocal_parts(rules, a);
    let clamped = exponent.clamp(RANGE.0, RANGE.1);
    let outside = exponent < RANGE.0 || exponent >= RANGE.1;
    let fraction = if outside && !rules.clamp_keeps_fraction() { 0 } else { fraction };
    sign(a) | (clamped as u32) << 23 | fraction
}

/// Exponent field (of any range) and fraction of the reciprocal of anything but NaN.
#[inline]
fn reciprocal_parts(rules: Rules, a: u32) -> (i32, u32) {
    if fraction(a) == 0 {
        return (0xfe - exponent(a), 0);
    }
    let table = match rules.seeds() {
        Seeds::V1 => &RCP_V1,
        Seeds::V2 => &RCP_V2,
    };
    let f = u64::from(significand(a));
    let s0 = u64::from(table[(fraction(a) >> 17) as usize]);
    let s1 = (((1 << 31) - s0 * f) * s0) >> 24;
    let s2 = (((1 << 37) - s1 * f) * s1) >> 25;
    (0xfd - exponent(a), s2 as u32 & FRACTION)
}

#[inline]
fn reciprocal_root(rules: Rules, a: u32) -> u32 {
    if is_nan(a) {
        return CANONICAL_NAN;
    }
    if rules.sees_signs() && is_flushed(a) {
        return sign(a) | INFINITY;
    }
    if rules.sees_signs() && is_negative(a) {
        return CANONICAL_NAN;
    }
    if is_flushed(a) {
        return INFINITY;
    }
    if is_infinite(a) {
        return 0;
    }
    reciprocal_root_of_normal(rules, magnitude(a))
}

#[inline]
fn reciprocal_root_of_normal(rules: Rules, a: u32) -> u32 {
    let (exponent, even) = reciprocal_root_exponent(a);
    if rules.exact_roots() && !even && fraction(a) == 0 {
        return ((exponent + 1) as u32) << 23;
    }
    let table = match rules.seeds() {
        Seeds::V1 => &RSQ_V1,
        Seeds::V2 => &RSQ_V2,
    };
    let f = u64::from(significand(a)) << u32::from(even);
    let s0 = u64::from(table[reciprocal_root_index(a)]);
    let s1 = ((3 * (1 << 37) - s0 * s0 * f) * s0) >> 32;
    let s2 = ((3 * (1 << 49) - s1 * s1 * f) * s1) >> 39;
    (exponent as u32) << 23 | s2 as u32 & FRACTION
}

/// Exponent field of the reciprocal root of a positive normal number, and whether the operand's exponent field is even.
#[inline]
pub(super) fn reciprocal_root_exponent(a: u32) -> (i32, bool) {
    let even = exponent(a) & 1 == 0;
    let bias = if even { 0x80 } else { 0x7f };
    (0x7e - (exponent(a) - bias) / 2, even)
}

/// Index of the seed: top 6 fraction bits, plus 64 for an even exponent field.
#[inline]
pub(super) fn reciprocal_root_index(a: u32) -> usize {
    let even = exponent(a) & 1 == 0;
    (fraction(a) >> 17) as usize + if even { 64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hw(rules: Rules) -> Numerics {
        Numerics { model: Model::Hw, rules }
    }

    #[test]
    fn clamping_keeps_the_fraction_only_on_celsius() {
        let (huge, same_fraction) = (0x7f00_0001, 0x3f80_0001);
        let fraction = rcp(hw(Rules::Celsius), same_fraction) & FRACTION;
        assert_eq!(rcc(hw(Rules::Kelvin), huge), 0x1f80_0000);
        assert_eq!(rcc(hw(Rules::Celsius), huge), 0x1f80_0000 | fraction);
        assert_eq!(rcc(hw(Rules::Celsius), 0x8000_0000), 0xdf80_0000);
    }

    #[test]
    fn one_is_its_own_root_only_from_rankine_on() {
        assert_eq!(rsq(hw(Rules::Celsius), 0x3f80_0000), 0x3f7f_ffff);
        assert_eq!(rsq(hw(Rules::Kelvin), 0x3f80_0000), 0x3f7f_ffff);
        assert_eq!(rsq(hw(Rules::RankineLegacy), 0x3f80_0000), 0x3f80_0000);
    }

    #[test]
    fn modern_rules_take_the_root_of_the_number_itself() {
        assert_eq!(rsq(hw(Rules::RankineModern), 0xbf80_0000), CANONICAL_NAN);
        assert_eq!(rsq(hw(Rules::RankineModern), 0x8000_0000), 0xff80_0000);
        assert_eq!(rsq(hw(Rules::RankineLegacy), 0xbf80_0000), 0x3f80_0000);
    }

    #[test]
    fn newton_steps_stay_inside_the_fraction_for_every_significand() {
        for rules in [Rules::Celsius, Rules::Kelvin] {
            for fraction in (1..1 << 23).step_by(7) {
                let (_, reciprocal) = reciprocal_parts(rules, fraction | 0x3f80_0000);
                let exact = (1u64 << 48) / u64::from(fraction | 0x0080_0000) - (1 << 24);
                assert!(
                    exact.abs_diff(u64::from(reciprocal) * 2) < 40,
                    "{fraction:x}: {reciprocal:x} {exact:x}"
                );
            }
        }
    }

    /// What a description of the GeForce 3 promises of numbers between 1 and 2.
    #[test]
    fn reciprocals_lie_within_two_to_the_minus_22() {
        for a in (0x3f80_0000..0x4000_0000u32).step_by(5) {
            let (x, reciprocal) = (f32::from_bits(a), f32::from_bits(rcp(hw(Rules::Kelvin), a)));
            let error = f64::from(reciprocal) - 1.0 / f64::from(x);
            assert!(error.abs() < 2f64.powi(-22), "{a:08x}: {reciprocal}");
        }
        assert_eq!(rcp(hw(Rules::Kelvin), 0x3f80_0000), 0x3f80_0000);
    }

    /// That description also says that the last bit and a half may be wrong. Their unit is that of a result between 1/2 and 1.
    #[test]
    fn roots_of_kelvin_miss_by_less_than_one_and_a_half_bits() {
        for a in (0x3f80_0000..0x4080_0000u32).step_by(7) {
            let (x, root) = (f32::from_bits(a), f32::from_bits(rsq(hw(Rules::Kelvin), a)));
            let units = (f64::from(root) - 1.0 / f64::from(x).sqrt()) * 2f64.powi(24);
            assert!(units.abs() < 2f64.powf(1.5), "{a:08x}: {units}");
        }
    }

    #[test]
    fn roots_stay_close_for_every_significand_and_parity() {
        for rules in [Rules::Celsius, Rules::Kelvin, Rules::RankineLegacy] {
            for a in (0x3f80_0000..0x4080_0000u32).step_by(7) {
                let (x, root) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(rsq(hw(rules), a))));
                assert!((root * x.sqrt() - 1.0).abs() < 8e-7, "{a:08x}: {root}");
            }
        }
    }
}
