//! The `ieee` model against the host's binary32 arithmetic, and what holds for every function on every pattern.

use proptest::prelude::*;
use xfjit_runtime::num::{self, CANONICAL_NAN, Model, Numerics, Rules};

const ALL_RULES: [Rules; 4] = Rules::ALL;

type Unary = (&'static str, fn(Numerics, u32) -> u32);
type Binary = (&'static str, fn(Numerics, u32, u32) -> u32);

const UNARY: [Unary; 6] = [
    ("ssg", num::ssg),
    ("flr", num::flr),
    ("frc", num::frc),
    ("rcp", num::rcp),
    ("rcc", num::rcc),
    ("rsq", num::rsq),
];

const BINARY: [Binary; 10] = [
    ("mul", num::mul),
    ("sum2", num::sum2),
    ("min", num::min),
    ("max", num::max),
    ("slt", num::slt),
    ("sge", num::sge),
    ("seq", num::seq),
    ("sgt", num::sgt),
    ("sle", num::sle),
    ("sne", num::sne),
];

/// The functions that are the same in both models.
const SHARED: [Unary; 11] = [
    ("exp_x", num::exp_x),
    ("exp_y", num::exp_y),
    ("exp_z", num::exp_z),
    ("log_x", num::log_x),
    ("log_y", num::log_y),
    ("log_z", num::log_z),
    ("lit_y", num::lit_y),
    ("lg2", num::lg2),
    ("ex2", num::ex2),
    ("sin", num::sin),
    ("cos", num::cos),
];

fn ieee(rules: Rules) -> Numerics {
    Numerics { model: Model::Ieee, rules }
}

fn hw(rules: Rules) -> Numerics {
    Numerics { model: Model::Hw, rules }
}

fn is_other_nan(x: u32) -> bool {
    f32::from_bits(x).is_nan() && x != CANONICAL_NAN
}

/// Any pattern; a quarter each of the time with the exponent field cleared, full, or near one.
fn pattern() -> impl Strategy<Value = u32> {
    let zero = any::<u32>().prop_map(|x| x & 0x807f_ffff);
    let full = (any::<u32>(), any::<bool>())
        .prop_map(|(x, nan)| x & if nan { 0x807f_ffff } else { 0x8000_0000 } | 0x7f80_0000);
    let near = any::<u32>().prop_map(|x| x & 0x83ff_ffff | 0x3c00_0000);
    let spicy =
        prop::sample::select(vec![0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x0080_0000, 0x7f7f_ffff]);
    prop_oneof![4 => any::<u32>(), 1 => zero, 1 => full, 4 => near, 2 => spicy]
}

fn rules() -> impl Strategy<Value = Rules> {
    prop::sample::select(ALL_RULES.to_vec())
}

/// The pattern of a host result with its NaN made canonical.
fn bits(x: f32) -> u32 {
    if x.is_nan() { CANONICAL_NAN } else { x.to_bits() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_product_is_the_host_product_unless_it_is_nan(rules in rules(), a in pattern(), b in pattern()) {
        let host = f32::from_bits(a) * f32::from_bits(b);
        let zero = f32::from_bits(a) == 0.0 || f32::from_bits(b) == 0.0;
        let expected = if host.is_nan() && zero && rules != Rules::RankineModern { 0 } else { bits(host) };
        prop_assert_eq!(num::mul(ieee(rules), a, b), expected);
    }

    #[test]
    fn sums_are_sequential_host_sums(rules in rules(), a in pattern(), b in pattern(), c in pattern(), d in pattern()) {
        let n = ieee(rules);
        let [x, y, z, w] = [a, b, c, d].map(f32::from_bits);
        prop_assert_eq!(num::sum2(n, a, b), bits(x + y));
        prop_assert_eq!(num::sum3(n, a, b, c), bits((x + y) + z));
        prop_assert_eq!(num::sum4(n, a, b, c, d), bits(((x + y) + z) + w));
    }

    #[test]
    fn arithmetic_yields_no_nan_but_the_canonical_one(rules in rules(), a in pattern(), b in pattern()) {
        for (name, f) in UNARY {
            prop_assert!(!is_other_nan(f(ieee(rules), a)), "{} {:08x}", name, a);
        }
        for (name, f) in BINARY {
            prop_assert!(!is_other_nan(f(ieee(rules), a, b)), "{} {:08x} {:08x}", name, a, b);
        }
    }

    #[test]
    fn reciprocals_are_host_divisions(a in pattern()) {
        let x = f32::from_bits(a);
        prop_assert_eq!(num::rcp(ieee(Rules::Kelvin), a), bits(1.0 / x));
        prop_assert_eq!(num::rsq(ieee(Rules::Kelvin), a), bits(1.0 / x.abs().sqrt()));
        prop_assert_eq!(num::rsq(ieee(Rules::RankineModern), a), bits(1.0 / x.sqrt()));
    }

    #[test]
    fn a_clamped_reciprocal_keeps_its_sign_and_range(a in pattern()) {
        let rcc = num::rcc(ieee(Rules::Kelvin), a);
        if !f32::from_bits(a).is_nan() {
            prop_assert_eq!(rcc >> 31, a >> 31);
            prop_assert!((0x1f80_0000..=0x5f80_0000).contains(&(rcc & 0x7fff_ffff)));
        }
    }

    #[test]
    fn comparisons_are_host_comparisons(a in pattern(), b in pattern()) {
        let n = ieee(Rules::RankineModern);
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        let holds = [x < y, x >= y, x == y, x > y, x <= y, x != y];
        let got = [num::slt, num::sge, num::seq, num::sgt, num::sle, num::sne].map(|f| f(n, a, b) == 0x3f80_0000);
        prop_assert_eq!(got, holds);
        prop_assert_eq!(num::ssg(n, a), f32::from(i8::from(x > 0.0) - i8::from(x < 0.0)).to_bits());
    }

    #[test]
    fn minimum_and_maximum_pick_an_operand(a in pattern(), b in pattern()) {
        let n = ieee(Rules::Kelvin);
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        prop_assert_eq!(num::min(n, a, b), bits(if x < y { x } else { y }));
        prop_assert_eq!(num::max(n, a, b), bits(if x < y { y } else { x }));
    }

    #[test]
    fn fractions_are_the_rest_of_the_floor(a in pattern()) {
        let (n, x) = (ieee(Rules::RankineModern), f32::from_bits(a));
        prop_assert_eq!(num::flr(n, a), bits(x.floor()));
        prop_assert_eq!(num::frc(n, a), bits(x - x.floor()));
    }

    #[test]
    fn table_functions_are_the_same_in_both_models(rules in rules(), a in pattern(), b in pattern(), c in pattern()) {
        for (name, f) in SHARED {
            prop_assert_eq!(f(ieee(rules), a), f(hw(rules), a), "{} {:08x}", name, a);
        }
        prop_assert_eq!(num::lit_z(ieee(rules), a, b, c), num::lit_z(hw(rules), a, b, c));
    }

    #[test]
    fn both_models_agree_on_addresses_of_normal_numbers(rules in rules(), a in pattern(), q in -4_000i16..4_000) {
        for x in [f32::from_bits(a), f32::from(q) / 4.0] {
            if x.is_normal() {
                let (limit, a) = (-rules.address_range().0 as f32, x.to_bits());
                prop_assert_eq!(num::arl(hw(rules), a), x.floor().clamp(-limit, limit - 1.0) as i32);
                prop_assert_eq!(num::arr(hw(rules), a), x.round_ties_even().clamp(-limit, limit - 1.0) as i32);
                prop_assert_eq!(num::arl(ieee(rules), a), num::arl(hw(rules), a));
                prop_assert_eq!(num::arr(ieee(rules), a), num::arr(hw(rules), a));
            }
        }
    }

    #[test]
    fn hardware_functions_take_every_pattern_and_make_no_nan_but_the_canonical_one(
        rules in rules(), a in pattern(), b in pattern(), c in pattern(), d in pattern()
    ) {
        let n = hw(rules);
        for (name, f) in UNARY {
            prop_assert!(!is_other_nan(f(n, a)), "{} {:08x}", name, a);
        }
        // MIN and MAX pass NaN operands under the legacy order.
        for (name, f) in BINARY {
            let got = f(n, a, b);
            prop_assert!(!is_other_nan(got) || got == a || got == b, "{} {:08x} {:08x}", name, a, b);
        }
        prop_assert!(!is_other_nan(num::sum3(n, a, b, c)));
        prop_assert!(!is_other_nan(num::sum4(n, a, b, c, d)));
    }
}
