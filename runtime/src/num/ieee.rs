//! The `ieee` model: IEEE binary32, round to nearest even, denormals kept, deterministic on every host.
//!
//! Operations evaluate in the chip's order: no fused multiply-add, no host approximations, the zero rule, and every
//! NaN that arithmetic makes or propagates is [`CANONICAL_NAN`]. Definitions: docs/NUMERICS.md ("Two models");
//! they are a convention, so there is no hardware evidence to cite. EXP, LOG, LIT, LG2, EX2, SIN and COS are the
//! `hw` functions and have no body here.
//!
//! The bodies are selects rather than branches, so that loops over lanes are vectorised.

use super::bits::{ONE, is_nan, truth};
use super::{CANONICAL_NAN, Numerics, Rules};

/// 2^-64 and 2^64, the bounds of RCC.
const RCC_RANGE: (u32, u32) = (0x1f80_0000, 0x5f80_0000);

/// The float with this bit pattern.
#[inline]
fn number(x: u32) -> f32 {
    f32::from_bits(x)
}

/// The bit pattern of a result: any NaN becomes the canonical one.
#[inline]
fn result(x: f32) -> u32 {
    if x.is_nan() { CANONICAL_NAN } else { x.to_bits() }
}

/// `a * b`, but +0 where the product is NaN and an operand is zero, except under modern rules. Denormals are not zero.
#[inline]
pub fn mul(rules: Rules, a: u32, b: u32) -> u32 {
    let zero_operand = a << 1 == 0 || b << 1 == 0;
    let nan = if zero_operand && rules.zero_rule() { 0 } else { CANONICAL_NAN };
    let product = number(a) * number(b);
    if product.is_nan() { nan } else { product.to_bits() }
}

/// `a + b`.
#[inline]
pub fn sum2(a: u32, b: u32) -> u32 {
    result(number(a) + number(b))
}

/// `(a + b) + c`.
#[inline]
pub fn sum3(a: u32, b: u32, c: u32) -> u32 {
    result(number(a) + number(b) + number(c))
}

/// `((a + b) + c) + d`.
#[inline]
pub fn sum4(a: u32, b: u32, c: u32, d: u32) -> u32 {
    result(number(a) + number(b) + number(c) + number(d))
}

/// `a < b ? a : b`; a NaN that it picks becomes canonical.
#[inline]
pub fn min(a: u32, b: u32) -> u32 {
    let picked = if number(a) < number(b) { a } else { b };
    if is_nan(picked) { CANONICAL_NAN } else { picked }
}

/// `a < b ? b : a`; a NaN that it picks becomes canonical.
#[inline]
pub fn max(a: u32, b: u32) -> u32 {
    let picked = if number(a) < number(b) { b } else { a };
    if is_nan(picked) { CANONICAL_NAN } else { picked }
}

/// 1.0 where `a < b`, 0.0 otherwise and for NaN.
#[inline]
pub fn slt(a: u32, b: u32) -> u32 {
    truth(number(a) < number(b))
}

/// 1.0 where `a >= b`, 0.0 otherwise and for NaN.
#[inline]
pub fn sge(a: u32, b: u32) -> u32 {
    truth(number(a) >= number(b))
}

/// 1.0 where `a == b`, 0.0 otherwise and for NaN; zeros of both signs are equal.
#[inline]
pub fn seq(a: u32, b: u32) -> u32 {
    truth(number(a) == number(b))
}

/// 1.0 where `a > b`, 0.0 otherwise and for NaN.
#[inline]
pub fn sgt(a: u32, b: u32) -> u32 {
    truth(number(a) > number(b))
}

/// 1.0 where `a <= b`, 0.0 otherwise and for NaN.
#[inline]
pub fn sle(a: u32, b: u32) -> u32 {
    truth(number(a) <= number(b))
}

/// 1.0 where `a != b` and for NaN, 0.0 otherwise.
#[inline]
pub fn sne(a: u32, b: u32) -> u32 {
    truth(number(a) != number(b))
}

/// `(a > 0) - (a < 0)`: 1.0, -1.0, and +0 for zeros and NaN.
#[inline]
pub fn ssg(a: u32) -> u32 {
    let nonzero = number(a) > 0.0 || number(a) < 0.0;
    if nonzero { a & 0x8000_0000 | ONE } else { 0 }
}

/// Floor; -0 keeps its sign.
#[inline]
pub fn flr(a: u32) -> u32 {
    result(floor(number(a)))
}

/// `a - floor(a)`; infinities give NaN.
#[inline]
pub fn frc(a: u32) -> u32 {
    result(number(a) - floor(number(a)))
}

/// `1 / a`.
#[inline]
pub fn rcp(a: u32) -> u32 {
    result(1.0 / number(a))
}

/// `1 / a` with its magnitude clamped to `2^-64 ..= 2^64` and its sign kept.
#[inline]
pub fn rcc(a: u32) -> u32 {
    let reciprocal = (1.0 / number(a)).to_bits();
    let magnitude = (reciprocal & 0x7fff_ffff).clamp(RCC_RANGE.0, RCC_RANGE.1);
    if is_nan(a) { CANONICAL_NAN } else { reciprocal & 0x8000_0000 | magnitude }
}

/// `1 / sqrt(|a|)` with two roundings; under modern rules `1 / sqrt(a)`, so NaN for negatives and -infinity for -0.
#[inline]
pub fn rsq(rules: Rules, a: u32) -> u32 {
    let operand = if rules.sees_signs() { a } else { a & 0x7fff_ffff };
    result(1.0 / number(operand).sqrt())
}

/// Floor as an integer, clamped to the address register's range. NaN: 0 (see [`super::arl`]).
#[inline]
pub fn arl(n: Numerics, a: u32) -> i32 {
    address(n, floor(number(a)))
}

/// Nearest integer, halves to even, clamped to the address register's range. NaN: 0 (see [`super::arl`]).
#[inline]
pub fn arr(n: Numerics, a: u32) -> i32 {
    address(n, number(a))
}

/// `a < 0 ? +0 : a > 1 ? 1 : a`: NaN and -0 pass unchanged.
#[inline]
pub fn saturate(a: u32) -> u32 {
    let not_below = if number(a) < 0.0 { 0 } else { a };
    if number(a) > 1.0 { ONE } else { not_below }
}

/// Floor without a library call: from 2^23 on every number is an integer; below, adding 2^23 rounds to an integer.
#[inline]
fn floor(x: f32) -> f32 {
    const INTEGERS: f32 = 8_388_608.0;
    let nearest = ((x.abs() + INTEGERS) - INTEGERS).copysign(x);
    let floor = nearest - if nearest > x { 1.0 } else { 0.0 };
    if x.abs() < INTEGERS { floor } else { x }
}

/// Clamps to the address register's range and rounds to the nearest integer, halves to even, without a saturating
/// conversion: adding 3 * 2^22 leaves the integer in the low fraction bits.
#[inline]
fn address(n: Numerics, x: f32) -> i32 {
    const ROUND: f32 = 12_582_912.0;
    let (low, high) = n.rules.address_range();
    let x = if x.is_nan() { 0.0 } else { x };
    let x = if x < low as f32 { low as f32 } else { x };
    let x = if x > high as f32 { high as f32 } else { x };
    (x + ROUND).to_bits() as i32 - ROUND.to_bits() as i32
}
