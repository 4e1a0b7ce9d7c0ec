//! Condition codes, and the tests of them.
//!
//! A code is stored as the 32-bit value that set it. A test derives less, equal, greater or unordered from this value
//! (rankine_curie.md 2.3).

use super::bits::{SIGN, is_flushed, is_nan, is_negative};
use super::{Model, Numerics};

/// Bit of a test that accepts "less".
pub const LESS: u32 = 1;
/// Bit of a test that accepts "equal".
pub const EQUAL: u32 = 2;
/// Bit of a test that accepts "greater".
pub const GREATER: u32 = 4;

/// The code that ARL, ARR and ARA write for their integer result: its value as a float.
#[inline]
pub fn integer_code(integer: i32) -> u32 {
    (integer as f32).to_bits()
}

/// Whether the code `value` passes a test, a mask of [`LESS`], [`EQUAL`] and [`GREATER`].
///
/// NaN is unordered: it passes "not equal" and "always", the tests that accept both less and greater. Zeros of both
/// signs are equal, and under `hw` denormals, too; under `ieee` these have their sign.
///
/// Evidence: test table: hardware-tested model; codes: document (rankine_curie.md 2.3).
#[inline]
pub fn passes(n: Numerics, test: u32, value: u32) -> bool {
    let zero = match n.model {
        Model::Hw => is_flushed(value),
        Model::Ieee => value & !SIGN == 0,
    };
    match (zero, is_negative(value)) {
        _ if is_nan(value) => test & LESS != 0 && test & GREATER != 0,
        (true, _) => test & EQUAL != 0,
        (false, true) => test & LESS != 0,
        (false, false) => test & GREATER != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Rules;
    use crate::num::bits::INFINITY;

    const HW: Numerics = Numerics { model: Model::Hw, rules: Rules::RankineModern };
    const IEEE: Numerics = Numerics { model: Model::Ieee, ..HW };

    /// The tests that a value passes, as a set of their numbers.
    fn passed(n: Numerics, value: u32) -> u32 {
        (0..8).filter(|&test| passes(n, test, value)).fold(0, |set, test| set | 1 << test)
    }

    // FL LT EQ LE GT NE GE TR, lowest bit first.
    const OF_LESS: u32 = 0b1010_1010;
    const OF_EQUAL: u32 = 0b1100_1100;
    const OF_GREATER: u32 = 0b1111_0000;
    const OF_UNORDERED: u32 = 0b1010_0000;

    #[test]
    fn the_table_of_the_document() {
        for n in [HW, IEEE] {
            for value in [0xbf80_0000, 0x8080_0000, SIGN | INFINITY] {
                assert_eq!(passed(n, value), OF_LESS, "{value:08x}");
            }
            for value in [0x3f80_0000, 0x0080_0000, INFINITY] {
                assert_eq!(passed(n, value), OF_GREATER, "{value:08x}");
            }
            for value in [0, SIGN] {
                assert_eq!(passed(n, value), OF_EQUAL, "{value:08x}");
            }
            for value in [INFINITY + 1, 0x7fff_ffff, 0xffff_ffff] {
                assert_eq!(passed(n, value), OF_UNORDERED, "{value:08x}");
            }
        }
    }

    #[test]
    fn denormals_are_zero_for_the_chip_only() {
        assert_eq!([1, 0x807f_ffff].map(|value| passed(HW, value)), [OF_EQUAL; 2]);
        assert_eq!([1, 0x807f_ffff].map(|value| passed(IEEE, value)), [OF_GREATER, OF_LESS]);
    }

    #[test]
    fn integers_have_the_code_of_their_sign() {
        assert_eq!(
            [-512, 0, 511].map(integer_code).map(|code| passed(HW, code)),
            [OF_LESS, OF_EQUAL, OF_GREATER]
        );
    }
}
