//! LG2, EX2, SIN and COS: the special-function unit, second-order interpolation over 65 table nodes.
//!
//! Both models compute it so. Evidence: hardware-tested model (arithmetic.md, rankine_curie.md 4). Only Rankine and
//! Curie have these operations; the rules argument changes nothing.

use super::bits::{
    INFINITY, ONE, SIGN, exponent, fraction, from_fixed, is_flushed, is_infinite, is_nan, is_negative,
    significand,
};
use super::tables::{EX2, INV_TAU, INV_TAU_ONE, LG2, Node, SINCOS};
use super::{CANONICAL_NAN, Numerics};

/// Fraction bits of an interpolated value.
const VALUE_BITS: i32 = 38;

/// Base-two logarithm. Zero or denormal of either sign: -infinity; NaN or negative: canonical NaN; +infinity:
/// itself. Negative results come out one unit short where they should be exact: LG2(2^-126) = 0xc2fbffff.
#[inline]
pub fn lg2(_: Numerics, x: u32) -> u32 {
    if is_flushed(x) {
        return SIGN | INFINITY;
    }
    if is_nan(x) || is_negative(x) {
        return CANONICAL_NAN;
    }
    if is_infinite(x) {
        return INFINITY;
    }
    let value = interpolate_concave(&LG2, fraction(x)) + (i64::from(exponent(x) - 127) << VALUE_BITS);
    // The magnitude of a negative result is the one's complement of the sum.
    if value < 0 { SIGN | from_fixed(!value, VALUE_BITS) } else { from_fixed(value, VALUE_BITS) }
}

/// Two to the operand. NaN: canonical NaN; magnitude below 2^-57: 1.0; magnitude from 128 on: +0 or +infinity; a
/// result below 2^-126: +0. Whole exponents are not exact: EX2(1.0) = 0x40000001, EX2(-1.0) = 0x3effffff.
#[inline]
pub fn ex2(_: Numerics, x: u32) -> u32 {
    let e = exponent(x);
    if is_nan(x) {
        return CANONICAL_NAN;
    }
    if e < 0x46 {
        return ONE;
    }
    if e >= 0x86 {
        return if is_negative(x) { 0 } else { INFINITY };
    }
    let f = i64::from(significand(x));
    let magnitude = if e < 127 { f >> (127 - e).min(63) } else { f << (e - 127) };
    // Negative arguments are the one's complement of the magnitude.
    let argument = if is_negative(x) { !magnitude } else { magnitude };
    let exponent = 127 + (argument >> 23);
    if exponent <= 0 {
        return 0;
    }
    let fraction = interpolate_convex(&EX2, (argument & 0x7f_ffff) as u32) >> (VALUE_BITS - 23);
    (exponent as u32) << 23 | fraction as u32 & 0x7f_ffff
}

/// Sine of an argument in radians. Infinity or NaN: canonical NaN; magnitude below 2^-31: +0, for -0 too.
///
/// **The hardware's faults are kept**: for magnitudes in 2^-31 .. 2^-28 and from 2^35 on the shifter of the range
/// reduction wraps, and the result is not a sine.
#[inline]
pub fn sin(_: Numerics, x: u32) -> u32 {
    if exponent(x) == 255 {
        return CANONICAL_NAN;
    }
    if exponent(x) < 0x60 {
        return 0;
    }
    quarter_wave(turns(x))
}

/// Cosine of an argument in radians. Infinity or NaN: canonical NaN; magnitude below 2^-15: 1.0. Faults for great
/// arguments as in [`sin`].
#[inline]
pub fn cos(_: Numerics, x: u32) -> u32 {
    if exponent(x) == 255 {
        return CANONICAL_NAN;
    }
    if exponent(x) < 0x70 {
        return ONE;
    }
    quarter_wave(turns(x).wrapping_add(1 << 23))
}

/// The argument over tau in quarter turns, as a two's complement number: bits 0..=22 are the position within the quarter,
/// bit 23 is set in odd quarters, bit 24 in the second half; higher bits are ignored (arithmetic.md, SIN and COS).
fn turns(x: u32) -> u64 {
    let shift = match exponent(x) {
        e if e < 0x63 => e - 0x62,
        e if e >= 0xe2 => e - 0xe2,
        e if e >= 0xc2 => e - 0xc2,
        e if e >= 0xa2 => e - 0xa2,
        e => e - 0x82,
    };
    let product: u64 = INV_TAU_ONE
        + INV_TAU.iter().enumerate().map(|(k, &part)| if x >> k & 1 != 0 { part } else { 0 }).sum::<u64>();
    let magnitude = product >> 8;
    let magnitude = if shift < 0 { magnitude >> -shift } else { magnitude << shift };
    if is_negative(x) { !magnitude } else { magnitude }
}

/// Sine of a number of quarter turns.
fn quarter_wave(turns: u64) -> u32 {
    let place = if turns >> 23 & 1 != 0 { !turns } else { turns } as u32 & 0x7f_ffff;
    let sign = if turns >> 24 & 1 != 0 { SIGN } else { 0 };
    sign | from_fixed(interpolate_concave(&SINCOS, place), VALUE_BITS)
}

/// Interpolated value with 38 fraction bits, curvature added (EX2).
fn interpolate_convex(table: &[Node; 65], u: u32) -> i64 {
    let (c0, product, (c2, q)) = terms(table, u);
    (c0 << 15) + (product << 6) + ((c2 * q) >> 5)
}

/// Interpolated value with 38 fraction bits, curvature subtracted (LG2, SIN, COS).
fn interpolate_concave(table: &[Node; 65], u: u32) -> i64 {
    let (c0, product, (c2, q)) = terms(table, u);
    (c0 << 15) + (product << 6) - ((c2 * q + ((q - 0x400) >> 12) + 0x20) >> 5)
}

/// The terms at the node nearest to the 23-bit argument: its constant, its slope times the distance, and the pair of its
/// curvature and the square of the distance.
fn terms(table: &[Node; 65], u: u32) -> (i64, i64, (i64, i64)) {
    let t = u >> 16;
    let (c0, c1, c2) = table[((t + 1) >> 1) as usize];
    let distance = i64::from(u & 0xffff) - if t & 1 != 0 { 0x1_0000 } else { 0 };
    (i64::from(c0), product(c1, distance), (i64::from(c2), square(distance)))
}

/// `value * 2^shift`; a right shift rounds half up.
fn scaled(value: i64, shift: i32) -> i64 {
    if shift >= 0 { value << shift } else { (value + (1 << (-shift - 1))) >> -shift }
}

/// The slope times the distance, as the radix-4 multiplier sums its rounded partial products (arithmetic.md: P).
fn product(c1: u32, r: i64) -> i64 {
    let (mut recoded, mut shift, mut sum) = (c1 << 1, -14, 0);
    while recoded != 0 {
        sum += match recoded & 7 {
            1 | 2 => scaled(r, shift),
            3 => scaled(r, shift + 1),
            4 => -scaled(r, shift + 1),
            5 | 6 => -scaled(r, shift),
            _ => 0,
        };
        recoded >>= 2;
        shift += 2;
    }
    sum
}

/// The square of the distance, rounded per partial product (arithmetic.md: q).
fn square(r: i64) -> i64 {
    let top = r >> 7;
    let half = if r >> 6 & 1 != 0 { top } else { 0 };
    let rest: i64 = (0..6).filter(|k| r >> k & 1 != 0).map(|k| scaled(r, k - 13)).sum();
    top * top + half + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::{Model, Rules};

    const MODERN: Numerics = Numerics { model: Model::Hw, rules: Rules::RankineModern };

    #[test]
    fn whole_exponents_are_one_unit_high_in_ex2_and_one_short_in_negative_logarithms() {
        for e in -126i32..=127 {
            let power = ((e + 127) as u32) << 23;
            let number = (e as f32).to_bits();
            let lost = if e < 0 { 1 } else { 0 };
            assert_eq!(lg2(MODERN, power), number - lost, "lg2 of 2^{e}");
            if e > 0 {
                assert_eq!(ex2(MODERN, number), power + 1, "2^{e}");
            }
        }
        assert_eq!(ex2(MODERN, 0), ONE);
        assert_eq!(ex2(MODERN, 0xbf80_0000), 0x3eff_ffff);
    }

    #[test]
    fn interpolated_sines_are_never_negative() {
        assert!((0..1 << 23).step_by(5).all(|place| interpolate_concave(&SINCOS, place) >= 0));
    }

    #[test]
    fn sine_and_cosine_of_ordinary_angles_are_close() {
        for i in -1000..1000 {
            let x = i as f32 * 0.037;
            let (sine, cosine) =
                (f32::from_bits(sin(MODERN, x.to_bits())), f32::from_bits(cos(MODERN, x.to_bits())));
            assert!((f64::from(sine) - f64::from(x).sin()).abs() < 2e-6, "sin {x} = {sine}");
            assert!((f64::from(cosine) - f64::from(x).cos()).abs() < 2e-6, "cos {x} = {cosine}");
        }
    }

    #[test]
    fn sine_of_minus_zero_is_plus_zero() {
        assert_eq!(sin(MODERN, 0x8000_0000), 0);
    }
}
