//! Recipes of the slow path: right for every operand, so they raise no guard.
//!
//! Code of the slow path runs the groups in which the quick path has raised a guard. Each value has all bits of its golden function,
//! those of NaNs too, so nothing depends on who reads it: no zero is mended late, and no NaN is looked for where its bits would be
//! seen. Most recipes are those of the quick path, followed by what the golden function says of the operands that raise a guard there.
//!
//! Guards remain where nothing but the interpreter knows better: texels, forms of a library, SIN and COS where the shifter wraps,
//! halves that are no numbers.

use super::Legalizer;
use super::mfu::Wave;
use crate::ir::func::Value;
use crate::ir::ops::{Arithmetic, Function};
use xfjit_runtime::num::CANONICAL_NAN;
use xfjit_runtime::num::bits::{FRACTION, INFINITY, ONE, SIGN};
use xfjit_runtime::num::rules::{Order, Overflow};

/// Exponent field of 2^64, without the bias: addends are moved by so much away from the ends of a float's range.
const MOVED: u32 = 64 << 23;
/// The least positive normal number.
const NORMAL: u32 = 1 << 23;

const TWO_TO_64: u32 = ONE + MOVED;
const TWO_TO_MINUS_64: u32 = ONE - MOVED;

/// Addends are moved up where the greatest exponent field is below this one, and down elsewhere.
const MIDDLE: u32 = 128 << 23;

impl Legalizer {
    /// Expands arithmetic of the model `hw`.
    pub(super) fn slow_hw(&mut self, op: Arithmetic, args: [Value; 4]) -> Value {
        let [a, b, ..] = args;
        match op {
            Arithmetic::Mul => self.slow_product(a, b),
            Arithmetic::Sum2 => self.slow_sum(&args[..2]),
            Arithmetic::Sum3 => self.slow_sum(&args[..3]),
            Arithmetic::Sum4 => self.slow_sum(&args),
            Arithmetic::Min | Arithmetic::Max | Arithmetic::Slt | Arithmetic::Sge => {
                self.slow_compared(a, b, |l| l.compared(op, a, b))
            }
            Arithmetic::Seq | Arithmetic::Sne | Arithmetic::Sgt | Arithmetic::Sle => {
                self.slow_compared(a, b, |l| l.compared(op, a, b))
            }
            Arithmetic::Ssg => self.slow_compared(a, a, |l| {
                let zero = l.f.bits(0);
                let is_zero = l.equal_mask(a, zero);
                l.sign_as_number(a, is_zero)
            }),
            Arithmetic::Flr => {
                let floor = self.f.ffloor(a);
                let zero = self.f.bits(0);
                let floor = self.f.fadd(floor, zero);
                self.canonical_nan(floor)
            }
            Arithmetic::Frc => {
                let fraction = self.frc(a);
                self.canonical_nan(fraction)
            }
            Arithmetic::Rcp => self.slow_reciprocal(a),
            Arithmetic::Rcc => {
                let clamped = match self.f.func().numerics.rules.clamp_keeps_fraction() {
                    true => self.slow_clamped_exponent(a),
                    false => {
                        let reciprocal = self.slow_reciprocal(a);
                        self.clamp_magnitude(reciprocal)
                    }
                };
                self.with_nan(a, CANONICAL_NAN, clamped)
            }
            Arithmetic::Rsq => self.slow_root(a),
            Arithmetic::Canonical => a,
        }
    }

    /// Expands arithmetic of the model `ieee`.
    pub(super) fn slow_ieee(&mut self, op: Arithmetic, [a, b, c, d]: [Value; 4]) -> Value {
        match op {
            Arithmetic::Mul => {
                let product = self.f.fmul(a, b);
                let nan = self.f.bits(CANONICAL_NAN);
                let nan = match self.f.func().numerics.rules.zero_rule() {
                    true => self.without_zero_factors(nan, a, b),
                    false => nan,
                };
                let is_nan = self.f.funord(product, product);
                self.f.select(is_nan, nan, product)
            }
            Arithmetic::Sum2 => self.slow_sum_in_order(&[a, b]),
            Arithmetic::Sum3 => self.slow_sum_in_order(&[a, b, c]),
            Arithmetic::Sum4 => self.slow_sum_in_order(&[a, b, c, d]),
            Arithmetic::Min | Arithmetic::Max => {
                let picked = self.ieee_compared(op, a, b);
                self.canonical_nan(picked)
            }
            Arithmetic::Slt | Arithmetic::Sge | Arithmetic::Seq => self.ieee_compared(op, a, b),
            Arithmetic::Sne | Arithmetic::Sgt | Arithmetic::Sle => self.ieee_compared(op, a, b),
            Arithmetic::Ssg => {
                let zero = self.f.bits(0);
                let is_zero = self.f.feq(a, zero);
                let sign = self.sign_as_number(a, is_zero);
                self.with_nan(a, 0, sign)
            }
            Arithmetic::Flr => {
                let floor = self.f.ffloor(a);
                self.canonical_nan(floor)
            }
            Arithmetic::Frc => {
                let floor = self.f.ffloor(a);
                let fraction = self.f.fsub(a, floor);
                self.canonical_nan(fraction)
            }
            Arithmetic::Rcp => {
                let one = self.f.bits(ONE);
                let reciprocal = self.f.fdiv(one, a);
                self.canonical_nan(reciprocal)
            }
            Arithmetic::Rcc => {
                let one = self.f.bits(ONE);
                let reciprocal = self.f.fdiv(one, a);
                let clamped = self.clamp_magnitude(reciprocal);
                self.with_nan(a, CANONICAL_NAN, clamped)
            }
            Arithmetic::Rsq => {
                let sees_signs = self.f.func().numerics.rules.sees_signs();
                let operand = if sees_signs { a } else { self.magnitude(a) };
                let root = self.f.fsqrt(operand);
                let one = self.f.bits(ONE);
                let reciprocal = self.f.fdiv(one, root);
                self.canonical_nan(reciprocal)
            }
            Arithmetic::Canonical => self.canonical_nan(a),
        }
    }

    /// Expands a primitive with one recipe for both models.
    pub(super) fn slow_function(&mut self, op: Function, [a, b, c, _]: [Value; 4]) -> Value {
        match op {
            Function::ExpX => {
                let power = self.exp_x(a);
                self.with_nan(a, INFINITY, power)
            }
            Function::ExpY => {
                let fraction = self.exp_y(a);
                let is_nan = self.f.funord(a, a);
                self.f.select(is_nan, a, fraction)
            }
            Function::ExpZ => {
                let power = self.exp_z(a);
                self.with_nan(a, CANONICAL_NAN, power)
            }
            Function::LogX => self.slow_logarithm(a, Self::log_x),
            Function::LogY => self.slow_logarithm(a, Self::log_y),
            Function::LogZ => self.slow_logarithm(a, Self::log_z),
            Function::LitY => self.lit_y(a),
            Function::LitZ => self.slow_specular(a, b, c),
            Function::Ex2 => {
                let power = self.power_of_two(a);
                self.with_nan(a, CANONICAL_NAN, power)
            }
            Function::Sin => self.slow_wave(Wave::Sine, a),
            Function::Cos => self.slow_wave(Wave::Cosine, a),
            Function::Arl | Function::Arr => {
                let is_nan = self.f.funord(a, a);
                let number = self.f.andnot(a, is_nan);
                if op == Function::Arl { self.floor_address(number) } else { self.nearest_address(number) }
            }
            Function::Saturate | Function::Lg2 | Function::IsNegative => self.function(op, [a, b, c, c]),
            Function::IsLess | Function::IsEqual | Function::IsGreater => self.function(op, [a, b, c, c]),
        }
    }

    /// The value, or these bits where the operand is a NaN.
    fn with_nan(&mut self, operand: Value, bits: u32, value: Value) -> Value {
        let is_nan = self.f.funord(operand, operand);
        let bits = self.f.bits(bits);
        self.f.select(is_nan, bits, value)
    }

    /// The value, with the canonical NaN for any other.
    pub(super) fn canonical_nan(&mut self, value: Value) -> Value {
        self.with_nan(value, CANONICAL_NAN, value)
    }

    /// A result of two operands that the order of numbers does not know of a NaN.
    fn slow_compared(&mut self, a: Value, b: Value, recipe: impl FnOnce(&mut Self) -> Value) -> Value {
        let result = recipe(self);
        if self.f.func().numerics.rules.order() == Order::Integers {
            return result;
        }
        let is_unordered = self.f.funord(a, b);
        let nan = self.f.bits(CANONICAL_NAN);
        self.f.select(is_unordered, nan, result)
    }

    /// `value`, but infinite with its sign where `overflown`, the result over 2^64, is 2^64 and more, or a NaN.
    fn with_overflow(&mut self, overflown: Value, value: Value) -> Value {
        let magnitude = self.magnitude(overflown);
        let f = &mut self.f;
        let (greatest, sign_bit, infinity) = (f.bits(TWO_TO_64 - 1), f.bits(SIGN), f.bits(INFINITY));
        let is_over = f.igt(magnitude, greatest);
        let sign = f.and(value, sign_bit);
        let infinite = f.or(sign, infinity);
        f.select(is_over, infinite, value)
    }

    /// See `num/product.rs`.
    fn slow_product(&mut self, a: Value, b: Value) -> Value {
        let rules = self.f.func().numerics.rules;
        let raw = self.f.fmul(a, b);
        let mut product = raw;
        if rules.overflow() == Overflow::Infinite {
            // A factor that flushes makes no product that is too great, and a NaN of infinity.
            let down = self.f.bits(TWO_TO_MINUS_64);
            let less = self.f.fmul(a, down);
            let less = self.f.fmul(less, b);
            product = self.with_overflow(less, product);
        }
        if !rules.signed_infinities() {
            let magnitude = self.magnitude(raw);
            let infinity = self.f.bits(INFINITY);
            let is_infinite = self.f.ieq(magnitude, infinity);
            product = self.f.select(is_infinite, infinity, product);
        }
        // What the host makes NaN: products of NaNs, and zero times infinity.
        let is_nan = match rules.nan_wins() && rules.zero_rule() {
            true => self.f.funord(a, b),
            false => self.f.funord(raw, raw),
        };
        let nan = self.f.bits(CANONICAL_NAN);
        if rules.nan_wins() {
            let product = self.without_zero_factors(product, a, b);
            return self.f.select(is_nan, nan, product);
        }
        let product = self.f.select(is_nan, nan, product);
        self.without_zero_factors(product, a, b)
    }

    /// The aligned sum of any addends: see `num/sum.rs`. Numbers are moved by 2^64 away from the end of a float's range that they are
    /// near to, and summed as on the quick path; the host's own sum tells what becomes of infinities and NaNs.
    fn slow_sum(&mut self, addends: &[Value]) -> Value {
        let rules = self.f.func().numerics.rules;
        let fields: Vec<Value> = addends.iter().map(|&addend| self.exponent_field(addend)).collect();
        let f = &mut self.f;
        let first = fields[0];
        let greatest = fields[1..].iter().fold(first, |greatest, &field| f.imax(greatest, field));
        let middle = f.bits(MIDDLE);
        let is_small = f.igt(middle, greatest);
        let (up, down) = (f.bits(TWO_TO_64), f.bits(TWO_TO_MINUS_64));
        let (factor, inverse) = (f.select(is_small, up, down), f.select(is_small, down, up));
        let (raised, lowered) = (f.bits(MOVED), f.bits(MOVED.wrapping_neg()));
        let moved = f.select(is_small, raised, lowered);
        let exponent = f.iadd(greatest, moved);
        // The fraction of a denormal addend counts half of what IEEE 754 says. Beside great addends it is nothing.
        let unit = f.bits((127 + 64 - 150) << 23);
        let unit = f.and(unit, is_small);
        let (top, bottom) = (f.bits((2 * 127 + 28) << 23), f.bits(28 << 23));
        let (scale, unscale) = (f.isub(top, exponent), f.isub(exponent, bottom));

        let mut sum = None;
        for (&addend, &field) in addends.iter().zip(&fields) {
            let f = &mut self.f;
            let mut number = f.fmul(addend, factor);
            if rules.denormals_leak() {
                let (zero, fraction, sign) = (f.bits(0), f.bits(FRACTION), f.bits(SIGN));
                let is_leaking = f.ieq(field, zero);
                let (fraction, sign) = (f.and(addend, fraction), f.and(addend, sign));
                let leaked = f.cvt_f(fraction);
                let leaked = f.fmul(leaked, unit);
                let leaked = f.or(leaked, sign);
                number = f.select(is_leaking, leaked, number);
            }
            let scaled = f.fmul(number, scale);
            let integer = f.cvt_i(scaled);
            sum = Some(sum.map_or(integer, |sum| f.iadd(sum, integer)));
        }
        let f = &mut self.f;
        let sum = f.cvt_f(sum.unwrap_or(scale));
        let sum = f.fmul(sum, unscale);
        let mut result = f.fmul(sum, inverse);
        if rules.overflow() == Overflow::Infinite {
            let great = f.andnot(sum, is_small);
            result = self.with_overflow(great, result);
        }
        let special = self.slow_sum_in_order(addends);
        let f = &mut self.f;
        let infinity = f.bits(INFINITY);
        let is_special = f.ieq(greatest, infinity);
        f.select(is_special, special, result)
    }

    /// The host's sum from left to right, with the canonical NaN.
    fn slow_sum_in_order(&mut self, addends: &[Value]) -> Value {
        let sum = addends[1..].iter().fold(addends[0], |sum, &addend| self.f.fadd(sum, addend));
        self.canonical_nan(sum)
    }

    /// See `num/recip.rs`.
    fn slow_reciprocal(&mut self, a: Value) -> Value {
        let reciprocal = self.reciprocal(a);
        let magnitude = self.magnitude(a);
        let f = &mut self.f;
        let (greatest, sign_bit) = (f.bits(0xfd << 23), f.bits(SIGN));
        let underflows = f.igt(magnitude, greatest);
        let zero = f.and(a, sign_bit);
        let reciprocal = f.select(underflows, zero, reciprocal);
        self.with_nan(a, CANONICAL_NAN, reciprocal)
    }

    /// The clamped reciprocal of Celsius, with the fraction of that of the significand, whatever the exponent: see `num/recip.rs`.
    fn slow_clamped_exponent(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let (fraction_mask, one) = (f.bits(FRACTION), f.bits(ONE));
        let fraction = f.and(a, fraction_mask);
        let significand = f.or(fraction, one);
        let reciprocal = self.reciprocal(significand);
        let (own, field) = (self.exponent_field(reciprocal), self.exponent_field(a));
        let f = &mut self.f;
        let (sign_bit, low, high) = (f.bits(SIGN), f.bits(TWO_TO_MINUS_64), f.bits(TWO_TO_64));
        let above = f.iadd(own, one);
        let exponent = f.isub(above, field);
        let exponent = f.imax(exponent, low);
        let exponent = f.imin(exponent, high);
        let fraction = f.and(reciprocal, fraction_mask);
        let sign = f.and(a, sign_bit);
        let magnitude = f.or(exponent, fraction);
        f.or(magnitude, sign)
    }

    /// See `num/recip.rs`.
    fn slow_root(&mut self, a: Value) -> Value {
        let rules = self.f.func().numerics.rules;
        let root = self.root(a, rules);
        let magnitude = self.magnitude(a);
        let f = &mut self.f;
        let (least, infinity) = (f.bits(NORMAL), f.bits(INFINITY));
        let is_infinite = f.ieq(magnitude, infinity);
        let mut root = f.andnot(root, is_infinite);
        let mut at_zero = infinity;
        if rules.sees_signs() {
            let (nan, sign_bit) = (f.bits(CANONICAL_NAN), f.bits(SIGN));
            let negative = f.sar(a, 31);
            root = f.select(negative, nan, root);
            let sign = f.and(a, sign_bit);
            at_zero = f.or(sign, infinity);
        }
        let is_zero = f.igt(least, magnitude);
        let root = f.select(is_zero, at_zero, root);
        self.with_nan(a, CANONICAL_NAN, root)
    }

    /// A component of LOG: see `num/explog.rs`.
    fn slow_logarithm(&mut self, a: Value, recipe: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let rules = self.f.func().numerics.rules;
        let logarithm = recipe(self, a);
        let canonical = self.f.bits(CANONICAL_NAN);
        let nan = if rules.log_keeps_nans() { self.magnitude(a) } else { canonical };
        let f = &mut self.f;
        let is_nan = f.funord(a, a);
        let logarithm = f.select(is_nan, nan, logarithm);
        if !rules.sees_signs() {
            return logarithm;
        }
        let negative = f.sar(a, 31);
        f.select(negative, canonical, logarithm)
    }

    /// LIT.z: see `num/explog.rs`.
    fn slow_specular(&mut self, x: Value, y: Value, w: Value) -> Value {
        self.lit_z_of(x, y, w, |l, value| {
            let (infinity, nan) = (l.f.bits(INFINITY), l.f.bits(CANONICAL_NAN));
            let w_negative = l.f.sar(w, 31);
            let at_infinity = l.f.andnot(infinity, w_negative);
            let y_infinite = l.f.ieq(y, infinity);
            let value = l.f.select(y_infinite, at_infinity, value);
            let is_nan = l.f.funord(y, w);
            l.f.select(is_nan, nan, value)
        })
    }

    /// See `num/mfu.rs`. Where the shifter wraps, the guard is raised.
    fn slow_wave(&mut self, wave: Wave, a: Value) -> Value {
        let field = self.exponent_field(a);
        let f = &mut self.f;
        let (infinity, nan) = (f.bits(INFINITY), f.bits(CANONICAL_NAN));
        let is_special = f.ieq(field, infinity);
        let number = f.andnot(a, is_special);
        let value = self.quarter_wave(wave, number);
        self.f.select(is_special, nan, value)
    }
}
