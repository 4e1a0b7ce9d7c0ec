//! The scalar unit of the lighting engine (LTS: MAC0 and MAC2), in the 22-bit format of [`super::lt`].
//!
//! Its multiplier differs from that of the vector unit in infinities, its adder in guard bits and denormals. A
//! multiply-accumulate rounds twice. Evidence: as for [`super::lt`]; fixed_function.md 1.6.

use super::bits::{INFINITY, exponent, is_flushed, is_infinite, is_negative, nan_then_zero, sign};
use super::lt::{NAN, normalise, pack, product, short_significand, special_sum};

/// Product. As [`super::lt::mul`], but an infinite operand gives a **signed** infinity, and so does an exponent that
/// overflows before the carry of the significand; overflow by the carry alone gives the greatest finite magnitude.
#[inline]
pub fn mul(a: u32, b: u32) -> u32 {
    let (exponent, carry, significand) = product(a, b);
    let finite = pack(sign(a ^ b), exponent, significand);
    let infinite = is_infinite(a) | is_infinite(b) | (exponent - carry >= 255);
    let number = if infinite { sign(a ^ b) | INFINITY } else { finite };
    nan_then_zero(a, b, NAN, number)
}

/// Sum of two numbers **without guard bits**: the lesser is shifted right to the exponent of the greater and
/// truncated.
///
/// NaN: NaN; infinities of both signs: NaN; any infinity: +infinity; denormals count as zero; exact zero: +0;
/// underflow to a signed zero.
// UNKNOWN: overflow gives 0x7f7fffff in the model, which 22 bits cannot hold; the greatest finite magnitude instead
// (fixed_function.md 1.6).
#[inline]
pub fn add(a: u32, b: u32) -> u32 {
    let greatest = exponent(a).max(exponent(b));
    special_sum([a, b], normalise(greatest, aligned(a, greatest) + aligned(b, greatest), 0))
}

/// `x * factor + term`, rounded twice.
#[inline]
pub fn mac(x: u32, factor: u32, term: u32) -> u32 {
    add(mul(x, factor), term)
}

/// The signed significand, shifted right to the greater exponent and truncated; 0 for zero and denormals.
#[inline]
fn aligned(x: u32, greatest: i32) -> i32 {
    let significand = (short_significand(x) >> (greatest - exponent(x)).min(31)) as i32;
    let signed = if is_negative(x) { -significand } else { significand };
    if is_flushed(x) { 0 } else { signed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::lt;

    #[test]
    fn infinity_keeps_its_sign_in_the_scalar_product() {
        assert_eq!(mul(0xff80_0000, 0x3f80_0000), 0xff80_0000);
        assert_eq!(mul(0x7f00_0000, 0xc000_0000), 0xff80_0000);
    }

    #[test]
    fn overflow_by_carry_alone_saturates() {
        assert_eq!(mul(0x7f40_0000, 0xbfc0_0000), 0xff7f_fc00);
        assert_eq!(add(0x7f40_0000, 0x7f40_0000), 0x7f7f_fc00);
    }

    #[test]
    fn the_scalar_sum_has_no_guard_bits() {
        let (one, small) = (0x3f80_0000, 0xb880_0000); // 1.0 and -2^-14
        assert_eq!(add(one, small), one);
        assert_eq!(lt::add(one, small), 0x3f7f_fc00);
    }
}
