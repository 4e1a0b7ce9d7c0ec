//! The vector unit and the table unit of the lighting engine (LT), in its own 22-bit format.
//!
//! An LT number is the top 22 bits of a binary32 pattern: sign, 8 exponent bits, 13 fraction bits. Here it is kept
//! **left-aligned** in 32 bits; every function takes and returns patterns whose low 10 bits are zero (bits there are
//! ignored, except that they can make a NaN of an infinity). There is one model only: what the hardware does.
//!
//! Evidence: the software model of Celsius, which its author checked against NV10 and NV15 cards in private
//! (fixed_function.md 0: very likely exact); sections 1.5 and 1.7.

use super::bits::{
    INFINITY, ONE, SIGN, exponent, fraction, is_flushed, is_infinite, is_nan, is_negative, nan_then_zero,
    sign, significand, truncated,
};
use super::recip::{reciprocal_root_exponent, reciprocal_root_index};
use super::tables::{RCP_V1, RSQ_V1};

/// The NaN that LT produces.
pub const NAN: u32 = 0x7fff_fc00;
/// The greatest finite magnitude of the 22-bit format.
pub const MAX_FINITE: u32 = 0x7f7f_fc00;

/// Low fraction bits of binary32 that the LT format lacks.
pub(super) const DROPPED: u32 = 10;
/// Bits kept below the significand of the greatest addend.
const GUARD_BITS: u32 = 5;

/// Product. First rule that applies: NaN: NaN; zero or denormal operand: +0; infinite operand: **+infinity**, sign
/// dropped; else the product truncated to 14 bits, underflow to a signed zero, overflow to the greatest finite
/// magnitude (fixed_function.md 1.5).
#[inline]
pub fn mul(a: u32, b: u32) -> u32 {
    let (exponent, _, significand) = product(a, b);
    let finite = pack(sign(a ^ b), exponent, significand);
    let number = if is_infinite(a) | is_infinite(b) { INFINITY } else { finite };
    nan_then_zero(a, b, NAN, number)
}

/// Sum of two numbers: [`add3`] with a zero.
#[inline]
pub fn add(a: u32, b: u32) -> u32 {
    add3(a, b, 0)
}

/// Sum of three numbers, aligned to the greatest exponent with 5 guard bits, each magnitude truncated there, added
/// once and truncated to 14 bits.
///
/// NaN: NaN; infinities of both signs: NaN; any infinity: **+infinity**, whatever its sign; exact zero: +0;
/// underflow to a signed zero, overflow to the greatest finite magnitude. Denormals leak in with exponent field 0, as
/// in the XF sum of Celsius (fixed_function.md 1.5).
#[inline]
pub fn add3(a: u32, b: u32, c: u32) -> u32 {
    let addends = [a, b, c];
    let greatest = addends.into_iter().map(exponent).fold(0, i32::max);
    let mut sum = 0i32;
    for x in addends {
        let significand = if is_flushed(x) { fraction(x) >> DROPPED } else { short_significand(x) };
        let aligned = (significand << GUARD_BITS >> (greatest - exponent(x)).min(31)) as i32;
        sum += if is_negative(x) { -aligned } else { aligned };
    }
    special_sum(addends, normalise(greatest, sum, GUARD_BITS as i32))
}

/// Dot product of two 3-vectors: three products, then one [`add3`].
#[inline]
pub fn dp(a: [u32; 3], b: [u32; 3]) -> u32 {
    add3(mul(a[0], b[0]), mul(a[1], b[1]), mul(a[2], b[2]))
}

/// Reciprocal, by table and one Newton step. NaN: NaN; zero or denormal of either sign: **+infinity**; infinity:
/// +0; underflow to a signed zero. Powers of two are not special: **rcp(1.0) = 0x3f7ff800**. Relative error 2^-10.85
/// (fixed_function.md 1.7).
#[inline]
pub fn rcp(x: u32) -> u32 {
    if is_nan(x) {
        return NAN;
    }
    if is_flushed(x) {
        return INFINITY;
    }
    if is_infinite(x) {
        return 0;
    }
    let f = short_significand(x);
    let s0 = u32::from(RCP_V1[(f >> 7 & 63) as usize]);
    let s1 = (((1 << 21) - s0 * f) * s0) >> 14;
    // The Newton step yields 12 fraction bits: the last of the 13 is always 0.
    pack(sign(x), 0xfd - exponent(x), s1 << 1)
}

/// Reciprocal square root, straight from the table. NaN: NaN; zero, denormal or **negative: +infinity**; infinity:
/// +0. rsqrt(1.0) = 0x3f7e0000. Relative error 2^-5.9 (fixed_function.md 1.7).
#[inline]
pub fn rsqrt(x: u32) -> u32 {
    if is_nan(x) {
        return NAN;
    }
    if is_flushed(x) || is_negative(x) {
        return INFINITY;
    }
    if is_infinite(x) {
        return 0;
    }
    let (exponent, _) = reciprocal_root_exponent(x);
    pack(0, exponent, u32::from(RSQ_V1[reciprocal_root_index(x)]) << 7)
}

/// Clamps to [0, 1] as the point size does: sign set (-0 and -NaN too): +0; greater than 1.0 **as an unsigned word**
/// (+NaN too): 1.0 (fixed_function.md 3 step 10, 4.4).
#[inline]
pub fn clamp01(x: u32) -> u32 {
    if is_negative(x) { 0 } else { x.min(ONE) }
}

/// The 14-bit significand of a normal number.
#[inline]
pub(super) fn short_significand(x: u32) -> u32 {
    significand(x) >> DROPPED
}

/// Exponent field (of any range), carry and truncated 14-bit significand of the product of two normal numbers.
#[inline]
pub(super) fn product(a: u32, b: u32) -> (i32, i32, u32) {
    let product = short_significand(a) * short_significand(b);
    let carry = (product >> 27) as i32;
    let significand = if carry == 1 { product >> 14 } else { product >> 13 };
    (exponent(a) + exponent(b) - 127 + carry, carry, significand)
}

/// The result of a sum with a NaN or infinite addend, else `finite`.
#[inline]
pub(super) fn special_sum<const N: usize>(addends: [u32; N], finite: u32) -> u32 {
    let (mut nan, mut plus, mut minus) = (false, false, false);
    for x in addends {
        nan |= is_nan(x);
        plus |= x == INFINITY;
        minus |= x == SIGN | INFINITY;
    }
    if nan | (plus & minus) {
        NAN
    } else if plus | minus {
        INFINITY
    } else {
        finite
    }
}

/// Truncates a sum whose bit `13 + guard` has the weight `2^(exponent - 127)`; exact zero is +0.
#[inline]
pub(super) fn normalise(exponent: i32, sum: i32, guard: i32) -> u32 {
    let sign = if sum < 0 { SIGN } else { 0 };
    let normal = truncated(sum.unsigned_abs());
    let exponent = exponent + super::bits::exponent(normal) - 127 - 13 - guard;
    let packed = pack(sign, exponent, fraction(normal) >> DROPPED);
    if sum == 0 { 0 } else { packed }
}

/// Packs a sign, a biased exponent of any range and a 14-bit significand: underflow becomes a signed zero, overflow the
/// greatest finite magnitude.
#[inline]
pub(super) fn pack(sign: u32, exponent: i32, significand: u32) -> u32 {
    if exponent <= 0 {
        return sign;
    }
    if exponent >= 255 {
        return sign | MAX_FINITE;
    }
    sign | (exponent as u32) << 23 | fraction(significand << DROPPED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_neither_its_own_reciprocal_nor_its_own_root() {
        assert_eq!(rcp(ONE), 0x3f7f_f800);
        assert_eq!(rsqrt(ONE), 0x3f7e_0000);
    }

    #[test]
    fn infinities_lose_their_sign() {
        let minus_infinity = SIGN | INFINITY;
        assert_eq!(mul(minus_infinity, ONE), INFINITY);
        assert_eq!(add(minus_infinity, ONE), INFINITY);
        assert_eq!(add(minus_infinity, INFINITY), NAN);
        assert_eq!(rcp(SIGN), INFINITY);
    }

    #[test]
    fn a_dot_product_is_one_sum_of_three_products() {
        let two = 0x4000_0000;
        assert_eq!(dp([ONE, two, 0], [two, two, NAN]), NAN);
        assert_eq!(dp([ONE, two, 0], [two, two, ONE]), 0x40c0_0000);
    }

    #[test]
    fn the_point_size_clamp_compares_words() {
        assert_eq!([NAN, SIGN | NAN, SIGN, 0x4000_0000, 1 << 10].map(clamp01), [ONE, 0, 0, ONE, 1 << 10]);
    }

    #[test]
    fn every_result_has_22_bits() {
        let patterns = || (0..1 << 22).step_by(1543).map(|x: u32| x << DROPPED);
        for a in patterns() {
            assert_eq!((rcp(a) | rsqrt(a)) & 0x3ff, 0);
            for b in patterns().step_by(29) {
                assert_eq!((mul(a, b) | add3(a, b, a ^ b)) & 0x3ff, 0, "{a:08x} {b:08x}");
            }
        }
    }
}
