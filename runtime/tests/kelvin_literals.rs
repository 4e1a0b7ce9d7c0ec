//! The golden vectors of kelvin.md 4.2, one sentence per test.

use xfjit_runtime::num::{self, Model, Numerics, Rules};

const KELVIN: Numerics = Numerics { model: Model::Hw, rules: Rules::Kelvin };
const NAN: u32 = 0x7fff_ffff;

/// Checks rows of (operand, result).
fn check(f: fn(Numerics, u32) -> u32, rows: &[(u32, u32)]) {
    for &(x, expected) in rows {
        assert_eq!(f(KELVIN, x), expected, "of {x:08x}: got {:08x}, expected {expected:08x}", f(KELVIN, x));
    }
}

fn exp(x: u32) -> [u32; 3] {
    [num::exp_x, num::exp_y, num::exp_z].map(|f| f(KELVIN, x))
}

fn log(x: u32) -> [u32; 3] {
    [num::log_x, num::log_y, num::log_z].map(|f| f(KELVIN, x))
}

fn lit_z(x: f32, y: f32, w: f32) -> u32 {
    num::lit_z(KELVIN, x.to_bits(), y.to_bits(), w.to_bits())
}

#[test]
fn reciprocals_come_from_the_table_and_two_newton_steps() {
    check(
        num::rcp,
        &[
            (0x3f80_0000, 0x3f80_0000),
            (0x41c8_0000, 0x3d23_d709),
            (0x4040_0000, 0x3eaa_aaaa),
            (0x4007_df3b, 0x3ef1_2b0d),
        ],
    );
}

#[test]
fn the_reciprocal_of_a_zero_or_denormal_is_a_signed_infinity() {
    check(
        num::rcp,
        &[(0, 0x7f80_0000), (0x807f_ffff, 0xff80_0000), (0x8000_0001, 0xff80_0000), (1, 0x7f80_0000)],
    );
}

#[test]
fn the_reciprocal_of_the_greatest_number_underflows_to_zero() {
    check(num::rcp, &[(0x7f7f_ffff, 0)]);
}

#[test]
fn reciprocals_agree_with_captures_of_a_console() {
    // (1, 2.123, 2^-126, max), (0, Inf, -Inf, NaN) and (-NaN, -max denormal, min denormal, -min denormal).
    let close = f32::from_bits(num::rcp(KELVIN, 2.123f32.to_bits()));
    assert!((close - 0.471_032).abs() < 1e-6, "1 / 2.123 = {close}");
    check(num::rcp, &[(0x0080_0000, 0x7e80_0000), (0x7f80_0000, 0), (0xff80_0000, 0x8000_0000)]);
    check(num::rcp, &[(0x7fc0_0000, NAN), (0xffc0_0000, NAN)]);
}

#[test]
fn reciprocal_roots_of_even_powers_of_two_are_one_unit_too_small() {
    check(num::rsq, &[(0x3f80_0000, 0x3f7f_ffff), (0x4080_0000, 0x3eff_ffff), (0x0080_0000, 0x5eff_ffff)]);
}

#[test]
fn reciprocal_roots_come_from_the_table_and_two_newton_steps() {
    check(
        num::rsq,
        &[
            (0x41c8_0000, 0x3e4c_cccc),
            (0x4000_0000, 0x3f35_04f3),
            (0x4040_0000, 0x3f13_cd39),
            (0xc000_0000, 0x3f35_04f3),
        ],
    );
}

#[test]
fn clamped_reciprocals_stay_within_two_to_the_plus_or_minus_64() {
    check(
        num::rcc,
        &[
            (0, 0x5f80_0000),
            (0x8000_0000, 0xdf80_0000),
            (0x7f80_0000, 0x1f80_0000),
            (0xff80_0000, 0x9f80_0000),
            (0x7fc0_0000, NAN),
        ],
    );
}

#[test]
fn exp_gives_the_power_of_the_floor_the_fraction_and_the_table_value() {
    assert_eq!(exp(0x3f00_0000), [0x3f80_0000, 0x3f00_0000, 0x3fb5_0600]);
    assert_eq!(exp(0x4007_df3b), [0x4080_0000, 0x3dfb_e760, 0x408b_6322]);
}

#[test]
fn log_gives_the_exponent_the_mantissa_and_the_table_value() {
    assert_eq!(log(0x3f00_0000), [0xbf80_0000, 0x3f80_0000, 0xbf80_0000]);
    assert_eq!(log(0x41c8_0000), [0x4080_0000, 0x3fc8_0000, 0x4094_9b58]);
    assert_eq!(log(0x4040_0000), [0x3f80_0000, 0x3fc0_0000, 0x3fca_e3c0]);
}

#[test]
fn log_of_zero_and_infinity_is_infinite_around_a_one() {
    assert_eq!(log(0x8000_0001), [0xff80_0000, 0x3f80_0000, 0xff80_0000]);
    assert_eq!(log(0xff80_0000), [0x7f80_0000, 0x3f80_0000, 0x7f80_0000]);
}

#[test]
fn a_finite_product_never_becomes_infinite() {
    assert_eq!(num::mul(KELVIN, 0x7f7f_ffff, 0x4000_0000), 0x7f7f_ffff);
}

#[test]
fn an_underflowing_product_is_a_signed_zero_but_a_zero_operand_gives_plus_zero() {
    assert_eq!(num::mul(KELVIN, 0x0080_0000, 0xbf00_0000), 0x8000_0000);
    assert_eq!(num::mul(KELVIN, 0x8000_0000, 0x4000_0000), 0);
}

#[test]
fn zero_times_infinity_is_zero() {
    assert_eq!(num::mul(KELVIN, 0, 0x7f80_0000), 0);
}

#[test]
fn a_nan_product_is_canonical() {
    assert_eq!(num::mul(KELVIN, 0x3f80_0000, 0xffc0_0001), NAN);
}

#[test]
fn two_negative_denormals_sum_to_minus_zero() {
    assert_eq!(num::sum2(KELVIN, 0x8000_0001, 0x8000_0001), 0x8000_0000);
}

#[test]
fn opposite_infinities_sum_to_the_canonical_nan() {
    assert_eq!(num::sum2(KELVIN, 0x7f80_0000, 0xff80_0000), NAN);
}

#[test]
fn the_sum_truncates() {
    assert_eq!(num::sum2(KELVIN, 0x3f80_0000, 0xb200_0000), 0x3f7f_ffff);
    assert_eq!(num::sum2(KELVIN, 0x0080_0000, 0x0040_0000), 0x00a0_0000);
}

#[test]
fn lit_raises_y_to_the_power_w() {
    assert_eq!(lit_z(1.0, 0.5, 10.0), 0x3a80_0000);
    assert_eq!(lit_z(1.0, 2.0, 512.0), 0x7f7f_f88a);
}

#[test]
fn lit_of_a_negative_y_is_one_for_the_zeroth_power_and_infinite_for_negative_powers() {
    assert_eq!(lit_z(1.0, -1.0, 0.0), 0x3f80_0000);
    assert_eq!(lit_z(1.0, -1.0, -2.0), 0x7f80_0000);
}

#[test]
fn lit_of_a_nan_power_is_canonical_nan() {
    assert_eq!(lit_z(1.0, 0.5, f32::NAN), NAN);
}

#[test]
fn a_positive_nan_is_the_greatest_and_a_negative_one_the_least() {
    assert_eq!(num::min(KELVIN, 0x7fc0_0000, 0x3f80_0000), 0x3f80_0000);
    assert_eq!(num::max(KELVIN, 0x7fc0_0000, 0x3f80_0000), 0x7fc0_0000);
    assert_eq!(num::min(KELVIN, 0xffc0_0000, 0x3f80_0000), 0xffc0_0000);
}
