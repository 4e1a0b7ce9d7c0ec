//! Tables and polynomials are what their descriptions say, and results are near to the exact ones and, at the edges, those of C.

use super::*;

/// A double as a whole number of parts of 2^-60, truncated.
fn fixed(x: f64) -> i128 {
    (x * 2f64.powi(60)) as i128
}

/// The logarithm of a number from 0.5 to 2, as parts of 2^-60: bit after bit, by squaring.
fn exact_logarithm(x: f64) -> i128 {
    let (mut square, mut sum) = (fixed(x) as u128, 0i128);
    if x < 1.0 {
        (square, sum) = (2 * square, -1 << 60);
    }
    for bit in 1..=60 {
        square = (square * square) >> 60;
        if square >> 61 != 0 {
            square >>= 1;
            sum += 1 << (60 - bit);
        }
    }
    sum
}

#[test]
fn tables_are_powers_and_logarithms() {
    for (i, bits) in EXP_TABLE.into_iter().enumerate() {
        let error = exact_logarithm(f64::from_bits(bits)) - ((i as i128) << 55);
        assert!(error.abs() < 1 << 9, "{i}: {error}");
    }
    for (point, bits) in LOG_TABLE {
        let error = exact_logarithm(point) - fixed(f64::from_bits(bits));
        assert!(error.abs() < 1 << 9, "{point}: {error}");
    }
}

#[test]
fn points_lie_in_their_parts() {
    for (i, (point, _)) in LOG_TABLE.into_iter().enumerate() {
        let [begin, end] = [i, i + 1].map(|i| f64::from(f32::from_bits(LOG_BEGIN + ((i as u32) << 19))));
        match i {
            9 => assert!(point == 1.0 && begin < 1.0 && end > 1.0),
            10 => assert!(point > begin && point < end),
            _ => assert_eq!(point, (begin + end) / 2.0),
        }
    }
}

/// Extremes of an error on an interval, from one of its zeros to the next.
fn extremes(error: impl Fn(f64) -> f64, (begin, end): (f64, f64)) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    for step in 0..=20_000 {
        let value = error(begin + (end - begin) * f64::from(step) / 20_000.0);
        match found.last_mut() {
            Some(last) if last.signum() == value.signum() => {
                if value.abs() > last.abs() {
                    *last = value;
                }
            }
            _ => found.push(value),
        }
    }
    found
}

/// The best polynomial is the one whose error has its greatest magnitude once more often than there are factors, with changing signs.
fn assert_is_best(extremes: &[f64], factors: usize, greatest: f64) {
    assert_eq!(extremes.len(), factors + 1, "{extremes:?}");
    for extreme in extremes {
        assert!((extreme.abs() / greatest - 1.0).abs() < 1e-3, "{extremes:?}");
    }
}

#[test]
fn polynomials_have_the_least_relative_error() {
    let value = |factors: &[u64], r: f64| {
        factors.iter().rev().fold(0.0, |sum, &factor| (sum + f64::from_bits(factor)) * r)
    };
    // Beside 0, where the quotients have none.
    let apart = |r: f64| if r.abs() < 1e-9 { 1e-9 } else { r };
    let of_log = |factors: &[u64], r: f64| {
        let exact = apart(r).ln_1p() / std::f64::consts::LN_2;
        value(factors, apart(r)) / exact - 1.0
    };
    assert_is_best(&extremes(|r| of_log(&LOG, r), LOG_INTERVAL), 4, 1.540e-8);
    assert_is_best(&extremes(|r| of_log(&POW, r), POW_INTERVAL), 5, 2.1279e-10);
    // Its error is 0 at 0: there the sign that counts is that of the quotient.
    let of_exp = |r: f64| {
        let r = if r.abs() < 1e-5 { 1e-5 } else { r };
        (value(&EXP, r) - (r * std::f64::consts::LN_2).exp_m1()) / r.exp2() * r.signum()
    };
    assert_is_best(&extremes(of_exp, (-1.0 / 64.0, 1.0 / 64.0)), 3, 9.836e-11);
}

#[test]
fn results_are_within_a_unit_of_the_exact_ones() {
    let near = |got: f32, exact: f64| {
        let unit = f64::from(f32::from_bits((exact as f32).to_bits() + 1)) - f64::from(exact as f32);
        assert!((f64::from(got) - exact).abs() <= unit.abs(), "{got} for {exact}");
    };
    for step in 1..50_000u32 {
        let x = f32::from_bits(step.wrapping_mul(85_899) % 0x7f80_0000);
        if x != 0.0 && x != 1.0 {
            near(log2(x), f64::from(x).log2());
        }
        let power = (f64::from(step) / 100.0 - 250.0) as f32 / 2.0;
        near(exp2(power), f64::from(power).exp2());
        let w = (100.0 / f64::from(x).log2()) as f32;
        if w.is_finite() && x.is_normal() {
            near(pow(x, w), f64::from(x).powf(w.into()));
        }
    }
}

#[test]
fn edges_are_those_of_c() {
    const NAN: f32 = f32::NAN;
    const INF: f32 = f32::INFINITY;
    for (x, expected) in
        [(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (INF, INF), (-INF, NAN), (1.0, 0.0), (8.0, 3.0)]
    {
        assert_eq!(log2(x).to_bits() << 1, f32::to_bits(expected) << 1, "{x}");
    }
    assert_eq!(log2(f32::from_bits(1)), -149.0);
    for (x, expected) in
        [(128.0, INF), (-150.0, 0.0), (-149.0, f32::from_bits(1)), (-INF, 0.0), (-126.0, f32::MIN_POSITIVE)]
    {
        assert_eq!(exp2(x), expected, "{x}");
    }
    assert!(exp2(NAN).is_nan() && log2(NAN).is_nan());
    for (x, w, expected) in [
        (0.0, 0.0, 1.0),
        (0.0, 2.0, 0.0),
        (0.0, -2.0, INF),
        (INF, -2.0, 0.0),
        (INF, 2.0, INF),
        (2.0, INF, INF),
        (2.0, -INF, 0.0),
        (0.5, INF, 0.0),
        (0.5, -INF, INF),
        (1.0, NAN, 1.0),
        (NAN, 0.0, 1.0),
        (3.0, 2.0, 9.0),
        (1e30, 2.0, INF),
        (1e-30, 2.0, 0.0),
    ] {
        assert_eq!(pow(x, w), expected, "{x} to the power of {w}");
    }
    assert!(pow(NAN, 1.0).is_nan() && pow(2.0, NAN).is_nan());
    let signalling = f32::from_bits(0x7f80_0001);
    assert!(pow(1.0, signalling).is_nan() && pow(signalling, 0.0).is_nan());
}
