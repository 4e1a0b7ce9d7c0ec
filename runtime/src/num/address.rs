//! ARL, ARR and ARA: the integers that address registers hold.

use super::bits::{exponent, is_flushed, is_nan, is_negative, significand};
use super::{Model, Numerics, Rules, ieee};

/// Address by floor.
///
/// `hw`: zero and denormals of either sign: 0 (as FLR); else floor, clamped to the register's range: 9 bits signed
/// (-256 ..= 255) on Kelvin, 10 bits signed (-512 ..= 511) on Rankine and Curie.
///
/// Evidence: floor: document (kelvin.md 2, rankine_curie.md 2.4); no hardware test covers it.
///
/// `ieee`: see [`ieee::arl`].
#[inline]
pub fn arl(n: Numerics, a: u32) -> i32 {
    match n.model {
        Model::Hw => clamp(n.rules, floor(a)),
        Model::Ieee => ieee::arl(n, a),
    }
}

/// Address by rounding to the nearest integer, halves to even; the rest as [`arl`].
///
/// Evidence: document (rankine_curie.md 2.4).
#[inline]
pub fn arr(n: Numerics, a: u32) -> i32 {
    match n.model {
        Model::Hw => clamp(n.rules, nearest(a)),
        Model::Ieee => ieee::arr(n, a),
    }
}

/// The sum of two address components, clamped to the register's range: what ARA writes (rankine_curie.md 2.4).
#[inline]
pub fn ara(n: Numerics, a: i32, b: i32) -> i32 {
    clamp(n.rules, a.saturating_add(b))
}

fn clamp(rules: Rules, value: i32) -> i32 {
    let (low, high) = rules.address_range();
    value.clamp(low, high)
}

/// Fraction bits of the result of [`halves`].
const BITS: i32 = 1;

fn floor(a: u32) -> i32 {
    halves(a).0 >> BITS
}

fn nearest(a: u32) -> i32 {
    let (halves, inexact) = halves(a);
    let floor = halves >> BITS;
    let half = halves & 1 != 0;
    // Above a half: round up. At a half: to even.
    if half && (inexact || floor & 1 != 0) { floor + 1 } else { floor }
}

/// `2 * a` rounded down to an integer and saturated far outside any address, and whether a fraction was dropped.
fn halves(a: u32) -> (i32, bool) {
    // UNKNOWN: NaN (kelvin.md 10, rankine_curie.md 8.5): 0.
    if is_flushed(a) || is_nan(a) {
        return (0, false);
    }
    // UNKNOWN: infinity, and numbers out of range: saturate.
    if exponent(a) >= 127 + 16 {
        return (if is_negative(a) { -0x2_0000 } else { 0x2_0000 }, false);
    }
    let shift = (127 + 23 - BITS - exponent(a)).min(31);
    let signed = if is_negative(a) { -(significand(a) as i32) } else { significand(a) as i32 };
    (signed >> shift, signed & ((1u32 << shift) - 1) as i32 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KELVIN: Numerics = Numerics { model: Model::Hw, rules: Rules::Kelvin };
    const MODERN: Numerics = Numerics { model: Model::Hw, rules: Rules::RankineModern };

    fn both(n: Numerics, x: f32) -> (i32, i32) {
        (arl(n, x.to_bits()), arr(n, x.to_bits()))
    }

    #[test]
    fn arl_floors_and_arr_rounds_halves_to_even() {
        let cases = [
            (0.5, (0, 0)),
            (1.5, (1, 2)),
            (2.5, (2, 2)),
            (-0.5, (-1, 0)),
            (-1.5, (-2, -2)),
            (-2.5, (-3, -2)),
            (0.49999997, (0, 0)),
            (0.50000006, (0, 1)),
            (-0.50000006, (-1, -1)),
            (-1e-30, (-1, 0)),
            (3.0, (3, 3)),
        ];
        for (x, expected) in cases {
            assert_eq!(both(MODERN, x), expected, "{x}");
            assert_eq!(both(Numerics { model: Model::Ieee, ..MODERN }, x), expected, "ieee {x}");
        }
    }

    #[test]
    fn addresses_saturate_at_the_width_of_the_register() {
        for model in [Model::Hw, Model::Ieee] {
            let (kelvin, modern) = (Numerics { model, ..KELVIN }, Numerics { model, ..MODERN });
            assert_eq!([both(kelvin, 1e9), both(kelvin, -1e30)], [(255, 255), (-256, -256)]);
            assert_eq!([both(modern, 511.9), both(modern, f32::NEG_INFINITY)], [(511, 511), (-512, -512)]);
            assert_eq!(both(modern, f32::NAN), (0, 0));
        }
    }

    #[test]
    fn sums_of_addresses_are_clamped() {
        assert_eq!([ara(MODERN, 511, 511), ara(MODERN, -512, -1), ara(MODERN, 511, -512)], [511, -512, -1]);
    }
}
