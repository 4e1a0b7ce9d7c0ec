//! The product of the multiply unit (MLU), used by MUL, MAD, DST and every dot product.
//!
//! All candidate results are computed and the rules select one, so that loops over lanes are vectorised.

use super::bits::{INFINITY, exponent, is_flushed, is_infinite, is_nan, pack, sign, significand};
use super::{CANONICAL_NAN, Model, Numerics, Rules, ieee};

/// Product of two operands.
///
/// `hw`: the exact 24 by 24 bit product **truncated** to 24 bits; underflow to a signed zero; overflow to the
/// greatest finite magnitude (Celsius, Kelvin) or infinity (Rankine). A denormal operand counts as zero. Which of
/// zero and NaN wins depends on the rules:
///
/// | rules | zero times anything | NaN | infinity times a normal |
/// |---|---|---|---|
/// | Celsius | +0, but NaN wins | canonical | **+Inf**, sign dropped |
/// | Kelvin, Rankine legacy | +0, even for NaN | canonical | signed Inf |
/// | Rankine modern | +0, but 0 * Inf is NaN | canonical | signed Inf |
///
/// Evidence: hardware-tested model (kelvin.md 4.1, rankine_curie.md 4); Celsius: fixed_function.md 1.2.
///
/// `ieee`: see [`ieee::mul`].
#[inline]
pub fn mul(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Ieee => ieee::mul(n.rules, a, b),
        Model::Hw => product(n.rules, a, b),
    }
}

/// NaN, zero and infinity in the order of the rules, then numbers.
#[inline]
fn product(rules: Rules, a: u32, b: u32) -> u32 {
    let finite = finite(rules, a, b);
    let zero = is_flushed(a) | is_flushed(b);
    let nan = is_nan(a) | is_nan(b);
    let infinite = is_infinite(a) | is_infinite(b);
    let sign = if rules.signed_infinities() { sign(a ^ b) } else { 0 };
    if (nan & (rules.nan_wins() | !zero)) | (zero & infinite & !rules.zero_rule()) {
        CANONICAL_NAN
    } else if zero {
        0
    } else if infinite {
        sign | INFINITY
    } else {
        finite
    }
}

/// Truncated product of two normal numbers.
#[inline]
fn finite(rules: Rules, a: u32, b: u32) -> u32 {
    let product = u64::from(significand(a)) * u64::from(significand(b));
    let top = (product >> 23) as u32;
    let carry = top >> 24;
    let significand = if carry == 1 { top >> 1 } else { top };
    pack(rules, sign(a ^ b), exponent(a) + exponent(b) - 127 + carry as i32, significand)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELSIUS: Numerics = Numerics { model: Model::Hw, rules: Rules::Celsius };
    const KELVIN: Numerics = Numerics { model: Model::Hw, rules: Rules::Kelvin };
    const LEGACY: Numerics = Numerics { model: Model::Hw, rules: Rules::RankineLegacy };
    const MODERN: Numerics = Numerics { model: Model::Hw, rules: Rules::RankineModern };

    #[test]
    fn zero_against_nan_and_infinity_differs_by_rules() {
        let nan = 0x7fc0_0000;
        assert_eq!(
            [CELSIUS, KELVIN, LEGACY, MODERN].map(|n| mul(n, 0, nan)),
            [0x7fff_ffff, 0, 0, 0x7fff_ffff]
        );
        assert_eq!([CELSIUS, KELVIN, LEGACY, MODERN].map(|n| mul(n, 0, INFINITY)), [0, 0, 0, 0x7fff_ffff]);
    }

    #[test]
    fn celsius_drops_the_sign_of_infinity() {
        assert_eq!(mul(CELSIUS, 0xff80_0000, 0x3f80_0000), 0x7f80_0000);
        assert_eq!(mul(KELVIN, 0xff80_0000, 0x3f80_0000), 0xff80_0000);
    }

    #[test]
    fn overflow_saturates_until_rankine_makes_it_infinite() {
        let (max, two) = (0xff7f_ffff, 0x4000_0000);
        assert_eq!(
            [CELSIUS, KELVIN, LEGACY, MODERN].map(|n| mul(n, max, two)),
            [0xff7f_ffff, 0xff7f_ffff, 0xff80_0000, 0xff80_0000]
        );
    }
}
