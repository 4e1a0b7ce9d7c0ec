//! The saturate modifier of Curie.

use super::bits::{ONE, is_flushed, is_nan, is_negative};
use super::{Model, Numerics, ieee};

/// Clamps to [0, 1].
///
/// `hw`: below zero: +0; above one: 1.0. NaN, -0 and denormals of either sign (which count as zero) pass unchanged.
/// Evidence: document (arithmetic.md, Small rules).
///
/// `ieee`: see [`ieee::saturate`].
#[inline]
pub fn saturate(n: Numerics, a: u32) -> u32 {
    match n.model {
        Model::Hw => clamped(a),
        Model::Ieee => ieee::saturate(a),
    }
}

fn clamped(a: u32) -> u32 {
    // UNKNOWN: NaN is not verified on hardware (rankine_curie.md 4 and 8.1): it passes, as in the API's pseudo-code.
    if is_nan(a) || is_flushed(a) {
        return a;
    }
    if is_negative(a) {
        return 0;
    }
    a.min(ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Rules;

    #[test]
    fn nan_and_minus_zero_pass_and_the_rest_is_clamped() {
        let n = Numerics { model: Model::Hw, rules: Rules::RankineModern };
        for x in [0xffc0_0001, 0x8000_0000, 0x8000_0001, 0x0000_0001, 0x3f00_0000] {
            assert_eq!(saturate(n, x), x);
        }
        assert_eq!(
            [0xff80_0000, 0x8080_0000, 0x3f80_0001, 0x7f80_0000].map(|x| saturate(n, x)),
            [0, 0, ONE, ONE]
        );
    }
}
