//! Condition codes: less, equal, greater or unordered, kept as the value that was written (rankine_curie.md 2.3).

use super::bits::{is_flushed, is_nan};
use super::{Model, Numerics};

/// How a value compares with zero; `None` for a NaN. Under `hw` denormals count as zero.
///
/// Evidence: the tests of the codes are those of the hardware test's source; that a denormal is "equal" is document
/// (rankine_curie.md 2.3). `ieee`: IEEE comparison, in which a denormal has its sign.
fn code(n: Numerics, value: u32) -> Option<std::cmp::Ordering> {
    if n.model == Model::Hw && is_flushed(value) {
        return Some(std::cmp::Ordering::Equal);
    }
    if is_nan(value) { None } else { f32::from_bits(value).partial_cmp(&0.0) }
}

/// Whether a code passes a test, whose bit 0 accepts less, bit 1 equal, bit 2 greater. NE, which accepts less and
/// greater, and TR accept an unordered code, too.
#[inline]
pub fn passes(n: Numerics, test: u32, value: u32) -> bool {
    match code(n, value) {
        Some(ordering) => test >> (ordering as i8 + 1) & 1 != 0,
        None => matches!(test, 5 | 7),
    }
}

/// All ones if the code is "less".
#[inline]
pub fn is_less(n: Numerics, value: u32) -> u32 {
    u32::from(passes(n, 1, value)).wrapping_neg()
}

/// All ones if the code is "equal".
#[inline]
pub fn is_equal(n: Numerics, value: u32) -> u32 {
    u32::from(passes(n, 2, value)).wrapping_neg()
}

/// All ones if the code is "greater".
#[inline]
pub fn is_greater(n: Numerics, value: u32) -> u32 {
    u32::from(passes(n, 4, value)).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Rules;

    #[test]
    fn each_test_accepts_its_codes() {
        let hw = Numerics { model: Model::Hw, rules: Rules::RankineModern };
        let ieee = Numerics { model: Model::Ieee, ..hw };
        let tests = |n, value: u32| (0..8).filter(|&test| passes(n, test, value)).collect::<Vec<_>>();
        for n in [hw, ieee] {
            assert_eq!(tests(n, (-2f32).to_bits()), [1, 3, 5, 7]);
            assert_eq!(tests(n, 0), [2, 3, 6, 7]);
            assert_eq!(tests(n, 0x8000_0000), [2, 3, 6, 7]);
            assert_eq!(tests(n, 2f32.to_bits()), [4, 5, 6, 7]);
            assert_eq!(tests(n, 0x7fff_ffff), [5, 7]);
        }
        assert_eq!(tests(hw, 0x8000_0001), [2, 3, 6, 7]);
        assert_eq!(tests(ieee, 0x8000_0001), [1, 3, 5, 7]);
    }
}
