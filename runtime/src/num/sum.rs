//! The aligned n-input sum of the adder (ALU), used by ADD, MAD and every dot product.
//!
//! The unit does not chain two-input additions: it aligns all addends to the greatest exponent, drops what falls
//! below five guard bits, adds once and truncates once. So the result does not depend on operand order, and it
//! differs from sequential float addition.
//!
//! As in [`super::product`], all candidate results are computed and the rules select one.

use super::bits::{
    INFINITY, SIGN, exponent, fraction, is_flushed, is_nan, is_negative, pack, significand, truncated,
};
use super::{CANONICAL_NAN, Model, Numerics, Rules, ieee};

/// Bits kept below the significand of the greatest addend.
const GUARD_BITS: u32 = 5;

/// Sum of two operands; the rules are those of [`sum4`].
#[inline]
pub fn sum2(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Hw => aligned(n.rules, [a, b]),
        Model::Ieee => ieee::sum2(a, b),
    }
}

/// Sum of three operands; the rules are those of [`sum4`].
#[inline]
pub fn sum3(n: Numerics, a: u32, b: u32, c: u32) -> u32 {
    match n.model {
        Model::Hw => aligned(n.rules, [a, b, c]),
        Model::Ieee => ieee::sum3(a, b, c),
    }
}

/// Sum of four operands.
///
/// `hw`, first rule that applies:
///
/// 1. any NaN: canonical NaN;
/// 2. infinities of both signs: canonical NaN; of one sign: that infinity;
/// 3. every magnitude is shifted to the greatest exponent with 5 guard bits and truncated (the dropped bits are not
///    sticky: 1 - 2^-29 is 1), then all are added exactly;
/// 4. exact zero: +0, so -0 + -0 is +0;
/// 5. the magnitude is truncated to 24 bits; underflow to a signed zero; overflow to the greatest finite magnitude
///    (Celsius, Kelvin) or infinity (Rankine).
///
/// Denormals: on Rankine they count as zero. On Celsius and Kelvin they leak into the sum with exponent field 0,
/// which is **half their IEEE value**.
///
/// Evidence: hardware-tested model (kelvin.md 4.1, fixed_function.md 1.3, rankine_curie.md 4).
///
/// `ieee`: `((a + b) + c) + d`, see [`ieee::sum4`].
#[inline]
pub fn sum4(n: Numerics, a: u32, b: u32, c: u32, d: u32) -> u32 {
    match n.model {
        Model::Hw => aligned(n.rules, [a, b, c, d]),
        Model::Ieee => ieee::sum4(a, b, c, d),
    }
}

// Always inlined: loops over lanes are vectorised only then.
#[inline(always)]
fn aligned<const N: usize>(rules: Rules, addends: [u32; N]) -> u32 {
    let (mut nan, mut plus_infinity, mut minus_infinity) = (false, false, false);
    let mut greatest = 0;
    for x in addends {
        nan |= is_nan(x);
        plus_infinity |= x == INFINITY;
        minus_infinity |= x == SIGN | INFINITY;
        greatest = exponent(x).max(greatest);
    }
    let mut sum = 0i32; // four magnitudes below 2^29
    for x in addends {
        let aligned = (addend(rules, x) << GUARD_BITS >> (greatest - exponent(x)).min(31)) as i32;
        sum += if is_negative(x) { -aligned } else { aligned };
    }
    let finite = normalise(rules, greatest, sum);
    if nan | (plus_infinity & minus_infinity) {
        CANONICAL_NAN
    } else if minus_infinity {
        SIGN | INFINITY
    } else if plus_infinity {
        INFINITY
    } else {
        finite
    }
}

/// The magnitude of an addend before alignment: its significand, or for exponent field 0 the leaked fraction.
#[inline]
fn addend(rules: Rules, x: u32) -> u32 {
    let leaked = if rules.denormals_leak() { fraction(x) } else { 0 };
    if is_flushed(x) { leaked } else { significand(x) }
}

/// Truncates a sum whose bit 28 has the weight `2^(exponent - 127)`; exact zero is +0.
#[inline]
fn normalise(rules: Rules, exponent: i32, sum: i32) -> u32 {
    let sign = if sum < 0 { SIGN } else { 0 };
    let normal = truncated(sum.unsigned_abs());
    let packed = pack(rules, sign, exponent + super::bits::exponent(normal) - 127 - 28, fraction(normal));
    if sum == 0 { 0 } else { packed }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KELVIN: Numerics = Numerics { model: Model::Hw, rules: Rules::Kelvin };
    const RANKINE: Numerics = Numerics { model: Model::Hw, rules: Rules::RankineModern };

    #[test]
    fn bits_below_the_guard_bits_are_dropped_and_not_sticky() {
        assert_eq!(sum2(KELVIN, 0x3f80_0000, 0xb100_0000), 0x3f80_0000, "1 - 2^-29");
        assert_eq!(sum2(KELVIN, 0x3f80_0000, 0xb180_0000), 0x3f7f_ffff, "1 - 2^-28");
    }

    #[test]
    fn kelvin_denormals_leak_at_half_their_value_and_rankine_skips_them() {
        assert_eq!(sum2(KELVIN, 0x0080_0000, 0x0040_0000), 0x00a0_0000);
        assert_eq!(sum2(RANKINE, 0x0080_0000, 0x0040_0000), 0x0080_0000);
    }

    #[test]
    fn operand_order_does_not_matter() {
        let (a, b, c) = (0x4b80_0000, 0x3f80_0001, 0xcb80_0000);
        let sums = [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]];
        assert!(sums.iter().all(|&[x, y, z]| sum3(KELVIN, x, y, z) == sum3(KELVIN, a, b, c)));
    }

    #[test]
    fn no_zero_is_negative() {
        assert_eq!(sum2(KELVIN, 0x8000_0000, 0x8000_0000), 0);
        assert_eq!(sum4(RANKINE, 0x8000_0000, 0x8000_0000, 0x8000_0000, 0x8000_0001), 0);
    }
}
