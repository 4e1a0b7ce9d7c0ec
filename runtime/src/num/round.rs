//! FLR and FRC.

use super::bits::{MINUS_ONE, SIGN, exponent, fraction, is_flushed, is_nan, is_negative, sign};
use super::{CANONICAL_NAN, Model, Numerics, ieee, sum2};

/// Greatest integer not above the operand.
///
/// `hw`, first rule that applies: zero or denormal of either sign: +0 (the API specification keeps the sign, the
/// hardware does not); NaN: canonical NaN; infinities and integers: unchanged; -1 < x < 0: -1.0; 0 < x < 1: +0.
///
/// Evidence: hardware-tested model (rankine_curie.md 4). Celsius and Kelvin have no FLR; they take the same rule.
///
/// `ieee`: see [`ieee::flr`].
#[inline]
pub fn flr(n: Numerics, a: u32) -> u32 {
    match n.model {
        Model::Hw => floor(a),
        Model::Ieee => ieee::flr(a),
    }
}

/// The operand less its floor: `x + (-FLR(x))` through the truncating adder; infinities give the canonical NaN.
///
/// Evidence: hardware-tested model (rankine_curie.md 4). `ieee`: see [`ieee::frc`].
#[inline]
pub fn frc(n: Numerics, a: u32) -> u32 {
    match n.model {
        Model::Hw => sum2(n, a, floor(a) ^ SIGN),
        Model::Ieee => ieee::frc(a),
    }
}

fn floor(a: u32) -> u32 {
    if is_flushed(a) {
        return 0;
    }
    if is_nan(a) {
        return CANONICAL_NAN;
    }
    if exponent(a) >= 127 + 23 {
        return a;
    }
    if exponent(a) < 127 {
        return if is_negative(a) { MINUS_ONE } else { 0 };
    }
    let below_one = (1 << (127 + 23 - exponent(a))) - 1;
    let truncated = a & !below_one;
    if is_negative(a) && fraction(a) & below_one != 0 {
        // Add one to the magnitude; a carry out of the fraction increments the exponent.
        return sign(a) | (truncated + below_one + 1);
    }
    truncated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Rules;

    const MODERN: Numerics = Numerics { model: Model::Hw, rules: Rules::RankineModern };

    #[test]
    fn floor_equals_the_host_floor_on_ordinary_numbers() {
        for x in (0..4_000_000u32).map(|i| i.wrapping_mul(0x9e37_79b1)) {
            let host = f32::from_bits(x).floor();
            if f32::from_bits(x).is_normal() && host != 0.0 {
                assert_eq!(flr(MODERN, x), host.to_bits(), "{x:08x}");
            }
        }
    }

    #[test]
    fn minus_zero_floors_to_plus_zero() {
        assert_eq!(flr(MODERN, 0x8000_0000), 0);
        assert_eq!(flr(MODERN, 0x8000_0001), 0);
    }

    #[test]
    fn infinity_has_no_fraction() {
        assert_eq!(frc(MODERN, 0x7f80_0000), CANONICAL_NAN);
        assert_eq!(frc(MODERN, 0xff80_0000), CANONICAL_NAN);
    }
}
