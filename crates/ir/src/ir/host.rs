//! Exact scalar semantics of the host-level operations: one lane, bits in, bits out.
//!
//! Float operations are those of the floating-point environment that the code will run in: IEEE nearest-even, or
//! truncation with denormal operands and results flushed ([`FpEnv`]). Truncation is computed here without changing
//! the environment: the result is computed as an `f64` together with the sign of its rounding error, then
//! truncated. The bits of NaN results are unspecified: recipes must not make them observable.

use super::fused::{self, two_sum};
use super::imm::{Column, Immediate};
use std::cmp::Ordering;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::rules::Overflow;
use xfjit_runtime::num::{self, Numerics};

/// All ones if `condition`.
const fn mask(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

macro_rules! code_tests { ($($name:ident = $test:ident;)*) => { $(
    #[doc = concat!("All ones if a condition code passes [`num::condition::", stringify!($test), "`].")]
    #[inline]
    pub fn $name(n: Numerics, a: u32) -> u32 {
        mask(num::condition::passes(n, num::condition::$test, a))
    }
)* } }

code_tests! { is_less = LESS; is_equal = EQUAL; is_greater = GREATER; }

/// All ones if the sign bit is set, of a zero or a NaN as well.
#[inline]
pub fn is_negative(_: Numerics, a: u32) -> u32 {
    mask(a & 0x8000_0000 != 0)
}

/// A0 as an integer pattern ([`num::arl`]).
#[inline]
pub fn arl(n: Numerics, a: u32) -> u32 {
    num::arl(n, a) as u32
}

/// A0 rounded to nearest as an integer pattern ([`num::arr`]).
#[inline]
pub fn arr(n: Numerics, a: u32) -> u32 {
    num::arr(n, a) as u32
}

/// A colour component as an integer ([`num::convert::colour_to_u8`]).
#[inline]
pub fn colour(_: Numerics, a: u32) -> u32 {
    num::convert::colour_to_u8(a).into()
}

/// A point size as an integer ([`num::convert::point_size`]).
#[inline]
pub fn point_size(_: Numerics, a: u32) -> u32 {
    num::convert::point_size(a).into()
}

/// A point size in eighths as an integer ([`num::convert::point_eighths`]).
#[inline]
pub fn point_eighths(_: Numerics, a: u32) -> u32 {
    num::convert::point_eighths(a).into()
}

/// A clamped depth ([`num::convert::depth`]).
#[inline]
pub fn depth(_: Numerics, a: u32) -> u32 {
    num::convert::depth(a, true)
}

/// `1/w` without the clamp ([`num::convert::inverse_w`]).
#[inline]
pub fn inverse_w(_: Numerics, a: u32) -> u32 {
    num::convert::inverse_w(a, false)
}

/// `1/w` with the clamp ([`num::convert::inverse_w`]).
#[inline]
pub fn clamped_w(_: Numerics, a: u32) -> u32 {
    num::convert::inverse_w(a, true)
}

macro_rules! same_for_all { ($($name:ident($($arg:ident),*) = $golden:path;)*) => { $(
    #[doc = concat!("`", stringify!($golden), "`, whatever the numerics.")]
    #[inline]
    pub fn $name(_: Numerics, $($arg: u32),*) -> u32 {
        $golden($($arg),*)
    }
)* } }

// The lighting engine and output conversions have one arithmetic.
same_for_all! {
    lt_mul(a, b) = num::lt::mul;
    lt_add(a, b) = num::lt::add;
    lt_add3(a, b, c) = num::lt::add3;
    lt_rcp(a) = num::lt::rcp;
    lt_rsq(a) = num::lt::rsqrt;
    lt_clamp(a) = num::lt::clamp01;
    lts_mul(a, b) = num::lts::mul;
    lts_add(a, b) = num::lts::add;
    xf_to_lt(a) = num::convert::xf_to_lt;
    ltc_load(a) = num::convert::ltc_load;
    fog(a) = num::convert::fog;
    window(a) = num::convert::window_coordinate;
    squash(a) = num::convert::squash;
    clamp_w(a) = num::convert::clamp_w;
}

macro_rules! integer_ops { ($($(#[$doc:meta])* $name:ident($a:ident, $b:ident) = $body:expr;)*) => { $(
    $(#[$doc])*
    #[inline]
    pub const fn $name(_: FpEnv, $a: u32, $b: u32) -> u32 { $body }
)* } }

integer_ops! {
    /// Wrapping sum.
    iadd(a, b) = a.wrapping_add(b);
    /// Wrapping difference.
    isub(a, b) = a.wrapping_sub(b);
    /// Low word of the product.
    imul(a, b) = a.wrapping_mul(b);
    /// Bitwise and.
    and(a, b) = a & b;
    /// `a` and not `b`.
    andnot(a, b) = a & !b;
    /// Bitwise or.
    or(a, b) = a | b;
    /// Bitwise exclusive or.
    xor(a, b) = a ^ b;
    /// Equality mask.
    ieq(a, b) = mask(a == b);
    /// Signed greater-than mask.
    igt(a, b) = mask(a as i32 > b as i32);
    /// Lesser signed integer.
    imin(a, b) = if (a as i32) < b as i32 { a } else { b };
    /// Greater signed integer.
    imax(a, b) = if a as i32 > b as i32 { a } else { b };
    /// Lesser unsigned integer.
    umin(a, b) = if a < b { a } else { b };
}

/// The bytes in the other order.
#[inline]
pub const fn swap(_: FpEnv, a: u32) -> u32 {
    a.swap_bytes()
}

/// Shift left by an immediate.
#[inline]
pub const fn shl(count: u32, a: u32) -> u32 {
    a << (count & 31)
}

/// Logical shift right by an immediate.
#[inline]
pub const fn shr(count: u32, a: u32) -> u32 {
    a >> (count & 31)
}

/// Arithmetic shift right by an immediate.
#[inline]
pub const fn sar(count: u32, a: u32) -> u32 {
    (a as i32 >> (count & 31)) as u32
}

/// Low word of the signed 64-bit product shifted right.
#[inline]
pub const fn mulshr(count: u32, a: u32, b: u32) -> u32 {
    ((a as i32 as i64 * b as i32 as i64) >> (count & 31)) as u32
}

/// Bits of `a` where `m` is 1, of `b` elsewhere.
#[inline]
pub const fn select(_: FpEnv, m: u32, a: u32, b: u32) -> u32 {
    a & m | b & !m
}

/// Entry of a table; the row number is in range (verified).
#[inline]
pub fn table(word: u32, row: u32) -> u32 {
    let Column { table, column } = Column::unpack(word);
    table.rows()[row as usize][column]
}

/// A denormal operand counts as a zero of its sign under truncation.
#[inline]
fn operand(env: FpEnv, a: u32) -> f32 {
    let flush = env == FpEnv::Truncate && a & 0x7f80_0000 == 0;
    f32::from_bits(if flush { a & 0x8000_0000 } else { a })
}

/// Truncates the exact result, which is `value` plus a rounding error with the sign of `rest`.
fn truncate(value: f64, rest: f64) -> u32 {
    let sign = (value.to_bits() >> 32) as u32 & 0x8000_0000;
    if value.is_nan() {
        return num::CANONICAL_NAN;
    }
    if value.is_infinite() {
        return sign | 0x7f80_0000;
    }
    let mut bits = value.to_bits() & !(1 << 63);
    // Of a quotient by infinity, which is exact, the rest is a NaN.
    let is_less = if sign != 0 { rest > 0.0 } else { rest < 0.0 };
    if is_less {
        bits -= 1;
    }
    let exponent = (bits >> 52) as i64 - 1023 + 127;
    if bits == 0 || exponent <= 0 {
        sign
    } else if exponent >= 255 {
        sign | 0x7f7f_ffff
    } else {
        sign | (exponent as u32) << 23 | (bits >> 29) as u32 & 0x7f_ffff
    }
}

/// The least non-zero value of the largest exponent field of the addends, in place, for which the recipe of the aligned
/// sum is exact: below, its scale would not be a float.
pub const LEAST_SUMMED: u32 = 29 << 23;

/// The greatest exponent field, in place, in the range of recipes. Above it, reciprocals underflow, products of the
/// lighting engine's scalar unit may overflow, and so may sums where overflow is infinite.
pub const fn greatest_exponent(n: Numerics) -> u32 {
    match n.rules.overflow() {
        Overflow::Saturates => 0xfc << 23,
        Overflow::Infinite => 0xfa << 23,
    }
}

/// Whether an exponent field deoptimises the group, see [`greatest_exponent`].
pub fn big_guard(n: Numerics, exponent: u32) -> bool {
    exponent > greatest_exponent(n)
}

/// Whether a largest exponent field of addends deoptimises the group, see [`LEAST_SUMMED`]. The argument is this field minus
/// 1 with wrap-around, so that 0 does not.
pub fn small_guard(less: u32) -> bool {
    less < LEAST_SUMMED - 1
}

/// Float to double; exact.
#[inline]
pub fn promote(env: FpEnv, a: u32) -> u64 {
    f64::from(operand(env, a)).to_bits()
}

/// In the truncating environment one unit toward zero if the exact result, `value + rest`, is nearer to zero than `value`.
fn toward_zero(env: FpEnv, value: f64, rest: f64) -> u64 {
    let beyond = rest != 0.0 && value != 0.0 && (rest < 0.0) != (value < 0.0);
    value.to_bits() - u64::from(env == FpEnv::Truncate && beyond)
}

/// Double sum. Recipes use doubles for numbers of moderate size only: neither overflow nor underflow occurs.
#[inline]
pub fn dadd(env: FpEnv, a: u64, b: u64) -> u64 {
    let (sum, rest) = two_sum(f64::from_bits(a), f64::from_bits(b));
    toward_zero(env, sum, rest)
}

/// Double difference.
#[inline]
pub fn dsub(env: FpEnv, a: u64, b: u64) -> u64 {
    dadd(env, a, b ^ 1 << 63)
}

/// Double product.
#[inline]
pub fn dmul(env: FpEnv, a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let product = x * y;
    toward_zero(env, product, fused::double(x, y, -product))
}

/// Double product plus another double, rounded once.
#[inline]
pub fn dfma(env: FpEnv, a: u64, b: u64, c: u64) -> u64 {
    let [x, y, z] = [a, b, c].map(f64::from_bits);
    let value = fused::double(x, y, z);
    // What the rounding leaves, after Boldo and Muller, "Exact and Approximated Error of the FMA" (2011): of two doubles, whose sum
    // has the sign of what is exact.
    let product = x * y;
    let low = fused::double(x, y, -product);
    let (upper, lower) = two_sum(z, low);
    let (head, tail) = two_sum(product, upper);
    toward_zero(env, value, (head - value + tail) + lower)
}

/// Float sum.
#[inline]
pub fn fadd(env: FpEnv, a: u32, b: u32) -> u32 {
    let (x, y) = (operand(env, a), operand(env, b));
    if env == FpEnv::Default {
        return (x + y).to_bits();
    }
    if !x.is_finite() || !y.is_finite() {
        return truncate(f64::from(x) + f64::from(y), 0.0);
    }
    let (sum, rest) = two_sum(x.into(), y.into());
    truncate(sum, rest)
}

/// Float difference.
#[inline]
pub fn fsub(env: FpEnv, a: u32, b: u32) -> u32 {
    fadd(env, a, b ^ 0x8000_0000)
}

/// Float product.
#[inline]
pub fn fmul(env: FpEnv, a: u32, b: u32) -> u32 {
    let (x, y) = (operand(env, a), operand(env, b));
    match env {
        FpEnv::Default => (x * y).to_bits(),
        FpEnv::Truncate => truncate(f64::from(x) * f64::from(y), 0.0),
    }
}

/// Float product plus another float, rounded once.
#[inline]
pub fn fma(env: FpEnv, a: u32, b: u32, c: u32) -> u32 {
    let [x, y, z] = [a, b, c].map(|bits| operand(env, bits));
    if env == FpEnv::Default {
        return fused::single(x, y, z).to_bits();
    }
    // The product is exact.
    let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
    if !product.is_finite() || !z.is_finite() {
        return truncate(product + z, 0.0);
    }
    let (sum, rest) = two_sum(product, z);
    truncate(sum, rest)
}

/// Float quotient.
#[inline]
pub fn fdiv(env: FpEnv, a: u32, b: u32) -> u32 {
    let (x, y) = (operand(env, a), operand(env, b));
    if env == FpEnv::Default {
        return (x / y).to_bits();
    }
    let (x, y) = (f64::from(x), f64::from(y));
    let quotient = x / y;
    let rest = if quotient.is_finite() { fused::remainder(x, quotient, y) } else { 0.0 };
    truncate(quotient, if y < 0.0 { -rest } else { rest })
}

/// Float square root.
#[inline]
pub fn fsqrt(env: FpEnv, a: u32) -> u32 {
    let x = operand(env, a);
    if env == FpEnv::Default {
        return x.sqrt().to_bits();
    }
    let x = f64::from(x);
    let root = x.sqrt();
    truncate(root, if root.is_finite() { fused::remainder(x, root, root) } else { 0.0 })
}

/// Greatest integral float not above.
#[inline]
pub fn ffloor(env: FpEnv, a: u32) -> u32 {
    operand(env, a).floor().to_bits()
}

/// `a < b ? a : b`
#[inline]
pub fn fmin(env: FpEnv, a: u32, b: u32) -> u32 {
    if operand(env, a) < operand(env, b) { a } else { b }
}

/// `a > b ? a : b`
#[inline]
pub fn fmax(env: FpEnv, a: u32, b: u32) -> u32 {
    if operand(env, a) > operand(env, b) { a } else { b }
}

/// The float of the greater magnitude, of equal ones the positive one. Neither is a NaN; if one is, the result must not be used.
#[inline]
pub fn fmaxmag(env: FpEnv, a: u32, b: u32) -> u32 {
    let [a, b] = [a, b].map(|bits| operand(env, bits).to_bits());
    match magnitude(a).cmp(&magnitude(b)) {
        Ordering::Less => b,
        Ordering::Equal => a & b,
        Ordering::Greater => a,
    }
}

/// The float of the lesser magnitude, of equal ones the negative one: the operand that [`fmaxmag`] is not.
#[inline]
pub fn fminmag(env: FpEnv, a: u32, b: u32) -> u32 {
    let [a, b] = [a, b].map(|bits| operand(env, bits).to_bits());
    match magnitude(a).cmp(&magnitude(b)) {
        Ordering::Less => a,
        Ordering::Equal => a | b,
        Ordering::Greater => b,
    }
}

/// A float without its sign.
const fn magnitude(bits: u32) -> u32 {
    bits & 0x7fff_ffff
}

/// Equality mask; false for NaNs, true for zeros of both signs.
#[inline]
pub fn feq(env: FpEnv, a: u32, b: u32) -> u32 {
    mask(operand(env, a) == operand(env, b))
}

/// Less-than mask; false for NaNs.
#[inline]
pub fn flt(env: FpEnv, a: u32, b: u32) -> u32 {
    mask(operand(env, a) < operand(env, b))
}

/// Less-or-equal mask; false for NaNs.
#[inline]
pub fn fle(env: FpEnv, a: u32, b: u32) -> u32 {
    mask(operand(env, a) <= operand(env, b))
}

/// Mask of lanes where an operand is a NaN.
#[inline]
pub fn funord(env: FpEnv, a: u32, b: u32) -> u32 {
    mask(operand(env, a).is_nan() || operand(env, b).is_nan())
}

/// Signed integer to float.
#[inline]
pub fn cvt_f(env: FpEnv, a: u32) -> u32 {
    match env {
        FpEnv::Default => (a as i32 as f32).to_bits(),
        FpEnv::Truncate => truncate(f64::from(a as i32), 0.0),
    }
}

/// Float to signed integer, truncating. Out of range, where hosts differ, the result must not be used.
#[inline]
pub fn cvt_i(env: FpEnv, a: u32) -> u32 {
    operand(env, a) as i32 as u32
}
