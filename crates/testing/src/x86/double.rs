//! Doubles: exact results, rounded once, of numbers of any size. What recipes compute with them is of moderate size, and so is what
//! [`crate::ir::host`] is exact for.

use xfjit_runtime::fpenv::FpEnv;

const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff << 52;
/// What an operation without a result gives.
const NO_NUMBER: u64 = 0xfff8 << 48;
const ONE: u64 = 1023 << 52;
/// The exponent of the lowest bit of denormals.
const LEAST: i32 = -1074;

/// A sum.
pub(super) fn add(env: FpEnv, a: u64, b: u64) -> u64 {
    with_nans([a, b], || fma(env, a, ONE, b))
}

/// A difference.
pub(super) fn sub(env: FpEnv, a: u64, b: u64) -> u64 {
    with_nans([a, b], || fma(env, a, ONE, b ^ SIGN))
}

/// A product.
pub(super) fn mul(env: FpEnv, a: u64, b: u64) -> u64 {
    // A zero of its sign leaves also zeros as they are.
    with_nans([a, b], || fma(env, a, b, (a ^ b) & SIGN))
}

/// A product plus a number.
pub(super) fn fma(env: FpEnv, a: u64, b: u64, c: u64) -> u64 {
    with_nans([a, b, c], || sum(env, a, b, c))
}

/// A float as a double.
pub(super) fn of_float(env: FpEnv, bits: u32) -> u64 {
    let is_nan = bits & 0x7fff_ffff > 0x7f80_0000;
    if is_nan {
        let (sign, payload) = (u64::from(bits >> 31) << 63, u64::from(bits & 0x7f_ffff) << 29);
        return sign | INFINITY | 1 << 51 | payload;
    }
    crate::ir::host::promote(env, bits)
}

/// The first operand that is a NaN; what numbers give if none is.
fn with_nans<const N: usize>(operands: [u64; N], result: impl Fn() -> u64) -> u64 {
    let nan = operands.into_iter().find(|bits| bits & !SIGN > INFINITY);
    nan.map_or_else(result, |nan| nan | 1 << 51)
}

/// A finite number: `significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Exact {
    sign: u64,
    significand: u128,
    exponent: i32,
}

impl Exact {
    fn of(env: FpEnv, bits: u64) -> Self {
        let (sign, field, fraction) = (bits & SIGN, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
        let significand = match field {
            0 if env == FpEnv::Truncate => 0,
            0 => fraction,
            _ => fraction | 1 << 52,
        };
        Exact { sign, significand: significand.into(), exponent: (field as i32).max(1) - 1075 }
    }

    /// This number, which is not 0, with the highest bit of the significand in place 125.
    fn normal(self) -> Self {
        let shift = self.significand.leading_zeros() as i32 - 2;
        Exact { significand: self.significand << shift, exponent: self.exponent - shift, ..self }
    }
}

fn sum(env: FpEnv, a: u64, b: u64, c: u64) -> u64 {
    let is_infinite = |bits: u64| bits & !SIGN == INFINITY;
    let is_zero = |bits: u64| Exact::of(env, bits).significand == 0;
    let sign = (a ^ b) & SIGN;
    if is_infinite(a) || is_infinite(b) {
        let is_none = is_zero(a) || is_zero(b) || is_infinite(c) && (c & SIGN) != sign;
        return if is_none { NO_NUMBER } else { sign | INFINITY };
    }
    if is_infinite(c) {
        return c;
    }
    let [x, y, z] = [a, b, c].map(|bits| Exact::of(env, bits));
    let product =
        Exact { sign, significand: x.significand * y.significand, exponent: x.exponent + y.exponent };
    match (product.significand, z.significand) {
        (0, 0) => product.sign & z.sign,
        (0, _) => rounded(env, z.normal()),
        (_, 0) => rounded(env, product.normal()),
        _ => added(env, product.normal(), z.normal()),
    }
}

/// The sum of two numbers that are not 0. What is shifted out of the lesser one is told by its lowest bit.
fn added(env: FpEnv, a: Exact, b: Exact) -> u64 {
    let is_first = (a.exponent, a.significand) >= (b.exponent, b.significand);
    let (greater, lesser) = if is_first { (a, b) } else { (b, a) };
    let below = shifted(lesser.significand, greater.exponent - lesser.exponent);
    let significand = match greater.sign == lesser.sign {
        true => greater.significand + below,
        false => greater.significand - below,
    };
    if significand == 0 { 0 } else { rounded(env, Exact { significand, ..greater }) }
}

/// A number shifted to the right; its lowest bit is 1 if a bit is lost that is.
fn shifted(value: u128, count: i32) -> u128 {
    let kept = value.checked_shr(count as u32).unwrap_or(0);
    let is_exact = kept.checked_shl(count as u32).unwrap_or(0) == value;
    kept | u128::from(!is_exact)
}

/// A double near a number that is not 0.
fn rounded(env: FpEnv, number: Exact) -> u64 {
    let Exact { sign, significand, exponent } = number;
    let highest = 127 - significand.leading_zeros() as i32;
    let power = exponent + highest;
    if power < -1022 && env == FpEnv::Truncate {
        return sign;
    }
    // Two bits below the last one that is kept tell how to round.
    let drop = (highest - 52).max(LEAST - exponent) - 2;
    let tail = if drop < 0 { significand << -drop } else { shifted(significand, drop) };
    let (kept, rest) = ((tail >> 2) as u64, tail & 3);
    let is_up = env == FpEnv::Default && (rest == 3 || rest == 2 && kept & 1 != 0);
    // A carry goes on into the exponent.
    let field = if power < -1022 { 0 } else { (power + 1022) as u64 };
    let bits = (field << 52) + kept + u64::from(is_up);
    match bits >= INFINITY {
        true if env == FpEnv::Truncate => sign | (INFINITY - 1),
        true => sign | INFINITY,
        false => sign | bits,
    }
}
