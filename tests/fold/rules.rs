//! The rules of literal operands, by the golden functions.

use super::{ONE, SIGN};
use xfjit::Model;
use xfjit::runtime::num::{self, Numerics, Rules};

/// Words of all kinds, or all words with `XFJIT_EXHAUSTIVE=1`.
fn words() -> impl Iterator<Item = u32> {
    let step = if std::env::var_os("XFJIT_EXHAUSTIVE").is_some() { 1 } else { 9_973 };
    CORNERS.into_iter().chain((0..=u32::MAX).step_by(step))
}

/// Zeros, denormals, bounds of ranges, infinities and NaNs, of both signs.
const CORNERS: [u32; 26] = [
    0,
    SIGN,
    1,
    SIGN | 1,
    0x7f_ffff,
    0x807f_ffff,
    0x80_0000,
    0x8080_0000,
    0x1f80_0000,
    0x9f80_0000,
    ONE - 1,
    ONE,
    ONE + 1,
    SIGN | ONE,
    0x4000_0000,
    0xc120_0000,
    0x5f80_0000,
    0xdf80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7f80_0001,
    0xff80_0001,
    0x7fff_ffff,
    0xffff_ffff,
];

/// What `crates/ir/src/opt/literals` rests on: each of its rules, by the golden functions. Its heads say what they are for.
#[test]
fn rules_of_literals_hold_for_every_operand() {
    let is_nan = |x: u32| x & !SIGN > 0x7f80_0000;
    let is_finite = |x: u32| x & 0x7f80_0000 != 0x7f80_0000;
    let is_zero = |x: u32| x & !SIGN == 0;
    for rules in Rules::ALL {
        let n = Numerics { model: Model::Hw, rules };
        for x in words() {
            for zero in [0, SIGN, 1, 0x807f_ffff] {
                let is_ordinary = match (rules.zero_rule(), rules.nan_wins()) {
                    (true, false) => true,
                    (true, true) => !is_nan(x),
                    (false, _) => is_finite(x),
                };
                assert!(!is_ordinary || num::mul(n, x, zero) == 0, "{rules:?}: {x:08x} * {zero:08x}");
                assert_eq!(num::mul(n, x, zero), num::mul(n, zero, x));
            }
            let y = x.rotate_left(7) ^ 0x1234;
            for result in [num::mul(n, x, y), num::sum2(n, x, y), num::sum3(n, x, y, ONE)] {
                if rules.signed_infinities() {
                    let same = num::mul(n, result, ONE);
                    assert!(same == result || is_zero(result) && same == 0, "{rules:?}: {result:08x} * 1");
                }
                for zero in [0, SIGN] {
                    let same = num::sum2(n, result, zero);
                    assert!(same == result || is_zero(result) && same == 0, "{rules:?}: {result:08x} + 0");
                }
            }
        }
        let n = Numerics { model: Model::Ieee, rules };
        for x in words() {
            let product = num::mul(n, x, 0);
            assert!(!rules.zero_rule() || is_zero(product) && (x & SIGN != 0 || product == 0), "{x:08x} * 0");
            assert_eq!(num::sum2(n, x, SIGN), num::canonical(n, x), "{x:08x} + -0");
            assert!(x == SIGN || num::sum2(n, x, 0) == num::canonical(n, x), "{x:08x} + 0");
            // The signs of results.
            let signless = [num::mul(n, x, x), num::frc(n, x), num::lit_y(n, x)];
            assert!(signless.iter().all(|result| result & SIGN == 0), "{rules:?}: {x:08x}");
            assert!(rules.sees_signs() || num::rsq(n, x) & SIGN == 0, "{rules:?}: rsq {x:08x}");
            // An attribute of at least 2^-64 makes no zero with a factor that is not below it.
            if x as i32 >= 0x1f80_0000 {
                let factors =
                    CORNERS.into_iter().filter(|x| (0x1f80_0000..=0x7f80_0000).contains(&(x & !SIGN)));
                factors
                    .for_each(|factor| assert!(!is_zero(num::mul(n, x, factor)), "{x:08x} * {factor:08x}"));
                assert!(!rules.zero_rule() || num::mul(n, x, 0) == 0);
            }
        }
        for numerics in [Model::Hw, Model::Ieee].map(|model| Numerics { model, rules }) {
            for x in CORNERS.into_iter().chain(words().step_by(101)) {
                for y in CORNERS {
                    sums_without_zeros(numerics, x, y);
                    if numerics.model == Model::Ieee {
                        zeros_without_signs(numerics, x, y);
                    }
                }
            }
        }
    }
}

/// Addends of 0 that are dropped: under `hw` any, under `ieee` -0, or both where one of the other addends is never -0.
fn sums_without_zeros(n: Numerics, x: u32, y: u32) {
    use num::{sum2, sum3, sum4};
    let zeros: &[u32] = if n.model == Model::Hw || y != SIGN && x != SIGN { &[0, SIGN] } else { &[SIGN] };
    for &zero in zeros {
        let sum = sum2(n, x, y);
        for same in [sum3(n, zero, x, y), sum3(n, x, zero, y), sum3(n, x, y, zero)] {
            assert_eq!(same, sum, "{n:?}: {x:08x} + {y:08x} + {zero:08x}");
        }
        for same in [sum4(n, zero, x, zero, y), sum4(n, x, zero, y, zero), sum4(n, x, y, zero, zero)] {
            assert_eq!(same, sum, "{n:?}: {x:08x} + {y:08x} + {zero:08x} twice");
        }
    }
}

/// Who does not see which zero an operand is, under `ieee`.
fn zeros_without_signs(n: Numerics, x: u32, y: u32) {
    let alike = |a: u32, b: u32| a == b || a & !SIGN == 0 && b & !SIGN == 0;
    let [plus, minus] = [0, SIGN].map(|zero| {
        let seen = [num::slt(n, zero, y), num::sge(n, zero, y), num::seq(n, zero, y), num::sne(n, zero, y)];
        let more = [num::sgt(n, zero, y), num::sle(n, zero, y), num::ssg(n, zero), num::frc(n, zero)];
        let chosen = [num::min(n, zero, y), num::max(n, zero, y), num::min(n, y, zero), num::max(n, y, zero)];
        let kept = [num::mul(n, zero, y), num::flr(n, zero), num::saturate(n, zero), num::sum2(n, zero, x)];
        (seen, more, chosen, kept)
    });
    assert_eq!((plus.0, plus.1), (minus.0, minus.1), "{n:?}: {y:08x}");
    let all = plus.2.into_iter().zip(minus.2).chain(plus.3.into_iter().zip(minus.3));
    all.for_each(|(plus, minus)| {
        assert!(alike(plus, minus), "{n:?}: {y:08x} gives {plus:08x} and {minus:08x}")
    });
    assert!(n.rules.sees_signs() || num::rsq(n, 0) == num::rsq(n, SIGN));
    // A sum is -0 only if all of its addends are.
    assert_eq!(num::sum2(n, x, y) == SIGN, x == SIGN && y == SIGN, "{x:08x} + {y:08x}");
    assert!(x & SIGN != 0 || num::max(n, x, y) & SIGN == 0, "max {x:08x}, {y:08x}");
    let truths = [num::slt(n, x, y), num::sge(n, x, y), num::seq(n, x, y), num::sne(n, x, y)];
    assert!(truths.iter().all(|truth| truth & SIGN == 0) && num::sgt(n, x, y) & SIGN == 0);
    assert!((x | y) & SIGN != 0 || num::mul(n, x, y) & SIGN == 0, "{x:08x} * {y:08x}");
}
