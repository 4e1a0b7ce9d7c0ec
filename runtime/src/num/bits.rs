//! The fields of a binary32 pattern, and how the unit packs a result.

use super::rules::{Overflow, Rules};

/// The sign bit.
pub const SIGN: u32 = 0x8000_0000;
/// The exponent field, which is also the pattern of +infinity.
pub const INFINITY: u32 = 0x7f80_0000;
/// The exponent field in place.
pub const EXPONENT: u32 = INFINITY;
/// The fraction field.
pub const FRACTION: u32 = 0x007f_ffff;
/// The greatest finite magnitude.
pub const MAX_FINITE: u32 = 0x7f7f_ffff;
/// 1.0.
pub const ONE: u32 = 0x3f80_0000;
/// 0.5.
pub const HALF: u32 = 0x3f00_0000;
/// 2.0.
pub const TWO: u32 = 0x4000_0000;
/// -1.0.
pub const MINUS_ONE: u32 = 0xbf80_0000;

/// The sign bit in place.
pub(super) const fn sign(x: u32) -> u32 {
    x & SIGN
}

/// The pattern without its sign.
pub(super) const fn magnitude(x: u32) -> u32 {
    x & !SIGN
}

/// True where the sign bit is set, for zero and NaN as well.
pub(super) const fn is_negative(x: u32) -> bool {
    x & SIGN != 0
}

/// The exponent field, 0..=255.
pub(super) const fn exponent(x: u32) -> i32 {
    (x >> 23 & 0xff) as i32
}

/// The fraction field.
pub(super) const fn fraction(x: u32) -> u32 {
    x & FRACTION
}

/// The 24-bit significand of a normal number.
pub(super) const fn significand(x: u32) -> u32 {
    fraction(x) | 0x0080_0000
}

/// True for NaN of either sign.
pub(super) const fn is_nan(x: u32) -> bool {
    magnitude(x) > INFINITY
}

/// True for infinity of either sign.
pub(super) const fn is_infinite(x: u32) -> bool {
    magnitude(x) == INFINITY
}

/// True where the exponent field is 0: zero, or a denormal, which counts as zero in most operations of the unit.
pub(super) const fn is_flushed(x: u32) -> bool {
    x & INFINITY == 0
}

/// 1.0 or 0.0.
pub(super) const fn truth(condition: bool) -> u32 {
    if condition { ONE } else { 0 }
}

/// `value * 2^-scale` as a float, truncated to 24 bits; exact zero is +0. For fixed-point results of tables, whose
/// range stays far from overflow and underflow.
pub(super) const fn from_fixed(value: i64, scale: i32) -> u32 {
    if value == 0 {
        return 0;
    }
    let sign = if value < 0 { SIGN } else { 0 };
    let magnitude = value.unsigned_abs();
    let top = 63 - magnitude.leading_zeros() as i32;
    let fraction = if top >= 23 { magnitude >> (top - 23) } else { magnitude << (23 - top) };
    sign | ((127 + top - scale) as u32) << 23 | fraction as u32 & FRACTION
}

/// Packs a sign, a biased exponent of any range and a 24-bit significand: underflow becomes a signed zero, overflow
/// infinity on Rankine and the greatest finite magnitude before.
#[inline]
pub(super) const fn pack(rules: Rules, sign: u32, exponent: i32, significand: u32) -> u32 {
    if exponent <= 0 {
        return sign;
    }
    if exponent >= 255 {
        return sign | overflow(rules);
    }
    sign | (exponent as u32) << 23 | significand & FRACTION
}

/// A product with the special operands of Celsius and its lighting engine: `nan` for a NaN, else 0 for a zero, else `other`.
#[inline]
pub(super) const fn nan_then_zero(a: u32, b: u32, nan: u32, other: u32) -> u32 {
    if is_nan(a) | is_nan(b) {
        nan
    } else if is_flushed(a) | is_flushed(b) {
        0
    } else {
        other
    }
}

/// The magnitude of a result that overflows.
#[inline]
const fn overflow(rules: Rules) -> u32 {
    match rules.overflow() {
        Overflow::Saturates => MAX_FINITE,
        Overflow::Infinite => INFINITY,
    }
}

/// A positive integer below 2^31 as a binary32 pattern, truncated to 24 bits; 0 is 0.
#[inline]
pub(super) const fn truncated(value: u32) -> u32 {
    // The conversion rounds to nearest. It rounds down once the most significant dropped bit is cleared, which is the top
    // bit of `value >> 24`; the lower bits that are cleared with it are dropped, too.
    ((value & !(value >> 24)) as i32 as f32).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_truncated_not_rounded() {
        for top in 0..31 {
            for low in [0, 1, 0x55_5555, 0xff_ffff, 0x1ff_ffff, 0x7fff_ffff] {
                let value = 1 << top | low & ((1 << top) - 1);
                let significand = if top > 23 { value >> (top - 23) } else { value << (23 - top) };
                assert_eq!(truncated(value), (127 + top) << 23 | fraction(significand), "{value:x}");
            }
        }
        assert_eq!(truncated(0), 0);
    }

    #[test]
    fn fixed_point_becomes_a_truncated_float() {
        assert_eq!(from_fixed(0, 13), 0);
        assert_eq!(from_fixed(1 << 13, 13), ONE);
        assert_eq!(from_fixed(-1, 0), MINUS_ONE);
        assert_eq!(from_fixed(0x1ff_ffff, 0), 0x4bff_ffff);
        assert_eq!(from_fixed(i64::MIN, 38), 0xcc00_0000);
    }
}
