//! MIN, MAX, the set-on-condition family and SSG.
//!
//! Two orders exist. The **legacy order** (Celsius, Kelvin, Rankine legacy) is that of sign and magnitude as
//! integers, so it is total: -NaN < -Inf < .. < -denormal < -0 < +0 < +denormal < .. < +Inf < +NaN; nothing is
//! flushed and no NaN is made. In the **modern order** NaNs are unordered (any NaN operand gives the canonical NaN, SNE
//! included), and zeros and denormals of both signs are equal.
//!
//! Evidence: hardware-tested model (kelvin.md 4.1, rankine_curie.md 4). Celsius has no programs, so its rows are a
//! hypothesis: it takes the legacy order.

use super::bits::{MINUS_ONE, ONE, is_flushed, is_nan, truth};
use super::rules::Order;
use super::{CANONICAL_NAN, Model, Numerics, Rules, ieee};

/// Lesser of two operands: `b` unless `a` is less, returned unmodified. Modern rules: NaN makes it canonical NaN.
/// `ieee`: see [`ieee::min`].
#[inline]
pub fn min(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Ieee => ieee::min(a, b),
        Model::Hw if unordered(n.rules, a, b) => CANONICAL_NAN,
        Model::Hw if key(n.rules, a) < key(n.rules, b) => a,
        Model::Hw => b,
    }
}

/// Greater of two operands: `a` unless it is less, returned unmodified. Modern rules: NaN makes it canonical NaN.
/// `ieee`: see [`ieee::max`].
#[inline]
pub fn max(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Ieee => ieee::max(a, b),
        Model::Hw if unordered(n.rules, a, b) => CANONICAL_NAN,
        Model::Hw if key(n.rules, a) < key(n.rules, b) => b,
        Model::Hw => a,
    }
}

/// 1.0 where `a < b`, else 0.0. Legacy: SLT(-0, +0) is 1. Modern rules: NaN makes it canonical NaN.
#[inline]
pub fn slt(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Hw => set(n.rules, a, b, |a, b| a < b),
        Model::Ieee => ieee::slt(a, b),
    }
}

/// 1.0 where `a >= b`, else 0.0. Legacy: SGE(-0, +0) is 0. Modern rules: NaN makes it canonical NaN.
#[inline]
pub fn sge(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Hw => set(n.rules, a, b, |a, b| a >= b),
        Model::Ieee => ieee::sge(a, b),
    }
}

/// 1.0 where `a == b`, else 0.0. Legacy: equal bits, so SEQ(-0, +0) is 0. Modern rules: NaN makes it canonical NaN.
#[inline]
pub fn seq(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Hw => set(n.rules, a, b, |a, b| a == b),
        Model::Ieee => ieee::seq(a, b),
    }
}

/// 1.0 where `a > b`, else 0.0. Modern rules: NaN makes it canonical NaN.
#[inline]
pub fn sgt(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Hw => set(n.rules, a, b, |a, b| a > b),
        Model::Ieee => ieee::sgt(a, b),
    }
}

/// 1.0 where `a <= b`, else 0.0. Modern rules: NaN makes it canonical NaN.
#[inline]
pub fn sle(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Hw => set(n.rules, a, b, |a, b| a <= b),
        Model::Ieee => ieee::sle(a, b),
    }
}

/// 1.0 where `a != b`, else 0.0. Modern rules: NaN makes it canonical NaN (not 1.0, as IEEE would have it).
#[inline]
pub fn sne(n: Numerics, a: u32, b: u32) -> u32 {
    match n.model {
        Model::Hw => set(n.rules, a, b, |a, b| a != b),
        Model::Ieee => ieee::sne(a, b),
    }
}

/// Sign of the operand as 1.0, 0.0 or -1.0, by the order of the rules against +0.
///
/// Legacy: only +0 gives 0.0; -0 and -NaN give -1.0, +NaN and denormals their sign. Modern: zeros and denormals
/// give 0.0, NaN the canonical NaN (rankine_curie.md 4). `ieee`: see [`ieee::ssg`].
#[inline]
pub fn ssg(n: Numerics, a: u32) -> u32 {
    match n.model {
        Model::Ieee => ieee::ssg(a),
        Model::Hw if unordered(n.rules, a, 0) => CANONICAL_NAN,
        Model::Hw if key(n.rules, a) < 0 => MINUS_ONE,
        Model::Hw if key(n.rules, a) > 0 => ONE,
        Model::Hw => 0,
    }
}

/// True where the operands are unordered: modern rules, and one is a NaN.
fn unordered(rules: Rules, a: u32, b: u32) -> bool {
    rules.order() == Order::Numbers && (is_nan(a) || is_nan(b))
}

/// Maps the order of the rules to that of signed integers, +0 to 0.
fn key(rules: Rules, x: u32) -> i32 {
    if rules.order() == Order::Numbers && is_flushed(x) {
        return 0;
    }
    let bits = x as i32;
    bits ^ (bits >> 31) & i32::MAX
}

/// 1.0 if the relation holds between the operands, else 0.0; the canonical NaN if they are unordered.
fn set(rules: Rules, a: u32, b: u32, holds: impl Fn(&i32, &i32) -> bool) -> u32 {
    if unordered(rules, a, b) {
        return CANONICAL_NAN;
    }
    truth(holds(&key(rules, a), &key(rules, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KELVIN: Numerics = Numerics { model: Model::Hw, rules: Rules::Kelvin };
    const MODERN: Numerics = Numerics { model: Model::Hw, rules: Rules::RankineModern };

    #[test]
    fn the_legacy_order_is_total_on_sign_and_magnitude() {
        let ascending = [
            0xffff_ffff,
            0xff80_0001,
            0xff80_0000,
            0xbf80_0000,
            0x8000_0001,
            0x8000_0000, //
            0x0000_0000,
            0x0000_0001,
            0x3f80_0000,
            0x7f80_0000,
            0x7f80_0001,
            0x7fff_ffff,
        ];
        for pair in ascending.windows(2) {
            assert_eq!(slt(KELVIN, pair[0], pair[1]), ONE, "{:08x} < {:08x}", pair[0], pair[1]);
            assert_eq!(sge(KELVIN, pair[0], pair[1]), 0);
            assert_eq!(min(KELVIN, pair[1], pair[0]), pair[0]);
            assert_eq!(max(KELVIN, pair[0], pair[1]), pair[1]);
        }
    }

    #[test]
    fn modern_ties_of_zeros_pick_the_second_minimum_and_the_first_maximum() {
        let (a, b) = (0x8000_0001, 0x0000_0002);
        assert_eq!((min(MODERN, a, b), max(MODERN, a, b)), (b, a));
        assert_eq!((min(MODERN, b, a), max(MODERN, b, a)), (a, b));
        assert_eq!(seq(MODERN, a, b), ONE);
    }

    #[test]
    fn modern_nan_is_not_even_unequal() {
        assert_eq!(sne(MODERN, 0x7fc0_0000, 0), CANONICAL_NAN);
        assert_eq!(sne(KELVIN, 0x7fc0_0000, 0), ONE);
    }

    #[test]
    fn sign_of_minus_zero_is_negative_only_in_the_legacy_order() {
        assert_eq!((ssg(KELVIN, 0x8000_0000), ssg(MODERN, 0x8000_0000)), (MINUS_ONE, 0));
        assert_eq!((ssg(KELVIN, 0), ssg(MODERN, 0)), (0, 0));
    }
}
