//! Recipes of the lighting engine's arithmetic and of the conversions around it, under the model `hw`: see `num/lt.rs`,
//! `num/lts.rs` and `num/convert.rs` (fixed_function.md 1.5 to 1.8, 4.2, 4.3). LT's arithmetic exists under `hw` only: in a
//! function of the model `ieee`, which should contain none, it always raises the guard. The conversions of outputs are the
//! same under both models, with bit operations and float operations that are exact in either environment.
//!
//! LT's numbers have a significand of 14 bits. The float product of two is the 28-bit product truncated to 24 bits, so
//! clearing the low ten bits truncates it to LT's format; sums are those of XF with fewer bits.

use super::sum::Adder;
use super::{Demand, Legalizer};
use crate::ir::func::Value;
use crate::ir::ops::{Leaving, Lighting, Op};
use xfjit_runtime::lookup::Table;
use xfjit_runtime::num::bits::{EXPONENT, FRACTION, ONE, SIGN};

const NORMAL: u32 = 0x80_0000;
/// The range of 1/w: 2^-64 to 2^64.
const LEAST_W: u32 = 0x1f80_0000;
const GREATEST_W: u32 = 0x5f80_0000;
/// Bits of an LT number in a 32-bit word.
const LT_BITS: u32 = 0xffff_fc00;
/// The adder of the vector unit has five guard bits, and denormal addends leak as in XF on Celsius.
const VECTOR: Adder = Adder { top: 13 + 5, leaks: true };
/// The adder of the scalar unit has no guard bits, and denormal addends count as zero.
const SCALAR: Adder = Adder { top: 13, leaks: false };

impl Legalizer {
    /// Expands arithmetic of the lighting engine.
    pub(super) fn lighting(&mut self, op: Lighting, args: [Value; 4], demand: Demand) -> Value {
        let [a, b, ..] = args;
        if self.speculates() {
            let all = self.f.bits(u32::MAX);
            self.f.guard(all);
            return self.f.bits(0);
        }
        match op {
            Lighting::LtMul => self.lt_mul(a, b, demand),
            Lighting::LtsMul => self.lts_mul(a, b, demand),
            Lighting::LtAdd => self.lt_sum(&args[..2], VECTOR, demand),
            Lighting::LtAdd3 => self.lt_sum(&args[..3], VECTOR, demand),
            Lighting::LtsAdd => self.lts_sum(a, b, demand),
            Lighting::LtRcp => self.converted(a, Self::lt_rcp),
            Lighting::LtRsq => self.converted(a, Self::lt_rsq),
            Lighting::LtClamp => self.converted(a, Self::lt_clamp),
            Lighting::XfToLt => self.converted(a, Self::xf_to_lt),
            Lighting::LtcLoad => self.converted(a, Self::ltc_load),
        }
    }

    /// Expands a conversion of an output.
    pub(super) fn leaving(&mut self, op: Leaving, a: Value) -> Value {
        match op {
            Leaving::Squash => self.squash(a),
            Leaving::Window => self.window(a),
            Leaving::Colour => self.colour(a),
            Leaving::Fog => self.converted(a, Self::fog),
            Leaving::PointSize => self.converted(a, Self::point_size),
            Leaving::PointEighths => self.converted(a, Self::point_eighths),
            Leaving::Depth => self.converted(a, Self::depth),
            Leaving::InverseW => self.converted(a, Self::inverse_w),
            Leaving::ClampedW => self.converted(a, Self::clamped_w),
            Leaving::ClampW => self.converted(a, |l, a| {
                l.require_ordered(a);
                l.clamp_magnitude(a)
            }),
        }
    }

    /// A recipe that depends on the bits of its operand, and gives a NaN only for a NaN.
    fn converted(&mut self, a: Value, recipe: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        self.require_visible(&[a]);
        let result = recipe(self, a);
        if self.is_number(a) { self.mark_ordered(result) } else { result }
    }

    /// Truncates to LT's 22 bits.
    fn truncate_to_lt(&mut self, a: Value) -> Value {
        let mask = self.f.bits(LT_BITS);
        self.f.and(a, mask)
    }

    /// Product of the vector unit. An infinite product, whose sign the chip drops, raises the guard, here or in the sum that
    /// uses it.
    fn lt_mul(&mut self, a: Value, b: Value, demand: Demand) -> Value {
        // Times 1.0: the other factor, except for the sign of a zero.
        for (one, factor) in [(a, b), (b, a)] {
            if self.f.literal(one) == Some(ONE) && self.is_finite_and_normal(factor) && !demand.zero_sign {
                return factor;
            }
        }
        let is_finite = self.is_product_finite(a, b);
        let product = self.f.fmul(a, b);
        if is_finite {
            self.known.finite.insert(product);
        } else if !demand.only_summed {
            self.require_finite(product);
        }
        self.lt_product(product, a, b, demand)
    }

    /// Product of the scalar unit. Infinity, NaN and a product near overflow, which the chip makes infinite or saturates,
    /// raise the guard.
    fn lts_mul(&mut self, a: Value, b: Value, demand: Demand) -> Value {
        let product = self.f.fmul(a, b);
        self.require_small(product);
        self.lt_product(product, a, b, demand)
    }

    fn lt_product(&mut self, product: Value, a: Value, b: Value, demand: Demand) -> Value {
        let is_finite = self.is_finite(product);
        // Still a NaN if it was one: the host's NaNs have the quiet bit set.
        let mut product = self.truncate_to_lt(product);
        if demand.zero_sign {
            product = self.without_zero_factors(product, a, b);
        }
        self.mark_product(product, is_finite)
    }

    fn lt_sum(&mut self, addends: &[Value], adder: Adder, demand: Demand) -> Value {
        if let Some(addend) = self.lone_addend(addends, demand) {
            return addend;
        }
        let sum = self.sum_of(addends, adder, demand);
        let sum = self.truncate_to_lt(sum);
        self.mark_ordinary(sum);
        sum
    }

    /// Seed and one Newton step: `((2^21 - s * f) * s) >> 14`. In floats, with a significand between 1 and 2, the difference
    /// is exact. The product lies between 2^13 and 2^14, and the chip keeps 12 bits below its leading bit. Raises the guard
    /// for the operands for which [`Legalizer::rcp`] does, and for zeros and denormals.
    fn lt_rcp(&mut self, a: Value) -> Value {
        self.require_small(a);
        let exponent = self.exponent_field(a);
        let f = &mut self.f;
        let (normal, fraction_mask, one, two) =
            (f.bits(NORMAL), f.bits(FRACTION & LT_BITS), f.bits(ONE), f.float(256.0));
        let is_zero = f.igt(normal, exponent);
        f.guard(is_zero);
        let quotient = self.reciprocal_quotient(a);
        let f = &mut self.f;
        let seed = f.ffloor(quotient);
        let fraction = f.and(a, fraction_mask);
        let significand = f.or(fraction, one);
        let product = f.fmul(seed, significand);
        let rest = f.fsub(two, product);
        let step = f.fmul(seed, rest);
        // The exponent fields of 2^13, and of the reciprocal of 1.0, which is less than 1.0.
        let (step_mask, rest_mask) = (f.bits(!0x7ff), f.bits(SIGN | EXPONENT));
        let bias = f.bits((0xfd - (127 + 13)) << 23);
        let step = f.and(step, step_mask);
        // The subtraction keeps the sign bit: -2^31 = 2^31 modulo 2^32.
        let rest = f.and(a, rest_mask);
        let distance = f.isub(bias, rest);
        f.iadd(step, distance)
    }

    /// The table entry, without a Newton step. A negative number or a zero gives infinity without a guard: the coefficients
    /// of point sizes do so commonly. Infinity and NaN raise the guard.
    fn lt_rsq(&mut self, a: Value) -> Value {
        self.require_finite(a);
        let index = self.root_index(a);
        let magnitude = self.magnitude(a);
        let exponent = self.root_exponent(magnitude, 0);
        let seed = self.f.table(Table::RsqV1, 2, index);
        let f = &mut self.f;
        let (normal, infinity) = (f.bits(NORMAL), f.bits(EXPONENT));
        let is_infinite = f.igt(normal, a);
        let root = f.or(exponent, seed);
        let root = f.select(is_infinite, infinity, root);
        self.known.infinite.insert(root, is_infinite);
        root
    }

    /// Sum of the scalar unit. If an addend is a result of [`Legalizer::lt_rsq`], lanes in which it is infinite are set to
    /// infinity by its mask and the others are summed; otherwise the sum would raise the guard.
    fn lts_sum(&mut self, a: Value, b: Value, demand: Demand) -> Value {
        for (infinite, other) in [(a, b), (b, a)] {
            if let Some(&mask) = self.known.infinite.get(&infinite) {
                let finite = self.f.andnot(infinite, mask);
                let sum = self.lt_sum(&[finite, other], SCALAR, demand);
                let infinity = self.f.bits(EXPONENT);
                return self.f.select(mask, infinity, sum);
            }
        }
        self.lt_sum(&[a, b], SCALAR, demand)
    }

    fn lt_clamp(&mut self, a: Value) -> Value {
        let one = self.f.bits(ONE);
        let negative = self.f.sar(a, 31);
        let least = self.f.imin(a, one);
        self.f.andnot(least, negative)
    }

    /// Adds half a unit, unless the carry chain (bits 10..=17) is all ones, and truncates.
    fn xf_to_lt(&mut self, a: Value) -> Value {
        let is_finite = self.is_finite(a);
        let f = &mut self.f;
        let (chain, half, end) = (f.bits(0xff << 10), f.bits(0x200), f.bits((1 << 18) - 1));
        let rounded = if is_finite {
            // If the carry leaves bit 17, the sum exceeds `a | end`, which truncates to `a`.
            let (rounded, stopped) = (f.iadd(a, half), f.or(a, end));
            f.umin(rounded, stopped)
        } else {
            let carries = f.and(a, chain);
            let stops = f.ieq(carries, chain);
            let half = f.andnot(half, stops);
            f.iadd(a, half)
        };
        let rounded = self.truncate_to_lt(rounded);
        if is_finite {
            self.known.finite.insert(rounded);
        }
        if self.is_normal(a) {
            self.known.normal.insert(rounded);
        }
        rounded
    }

    /// A constant as Celsius loads it; infinity and NaN raise the guard.
    fn ltc_load(&mut self, a: Value) -> Value {
        self.require_finite(a);
        let rounded = self.xf_to_lt(a);
        let magnitude = self.magnitude(a);
        let normal = self.f.bits(NORMAL);
        let is_zero = self.f.igt(normal, magnitude);
        self.f.andnot(rounded, is_zero)
    }

    /// Bit 10 becomes a copy of bit 11.
    fn fog(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let bit = f.bits(0x400);
        let copy = f.shr(a, 1);
        f.select(bit, copy, a)
    }

    /// Truncated to a multiple of 1/16 through an integer; from 2^19 on every number is one. A NaN passes unchanged.
    fn window(&mut self, a: Value) -> Value {
        let magnitude = self.magnitude(a);
        let f = &mut self.f;
        let (up, down, whole) = (f.float(16.0), f.float(1.0 / 16.0), f.bits((0x92 << 23) - 1));
        let scaled = f.fmul(a, up);
        let integer = f.cvt_i(scaled);
        let float = f.cvt_f(integer);
        let cut = f.fmul(float, down);
        let is_whole = f.igt(magnitude, whole);
        let window = f.select(is_whole, a, cut);
        if self.known.raw.contains(&a) {
            self.known.raw.insert(window);
        }
        if self.is_number(a) { self.mark_ordered(window) } else { window }
    }

    /// Only exponent fields 0xfe and 0xff change, and the guard covers these.
    fn squash(&mut self, a: Value) -> Value {
        self.require_small(a);
        a
    }

    /// `floor(x * 255 + 1/2)` of a 14-bit significand, without rounding errors. Clamping as an integer gives the chip's
    /// results for NaNs.
    fn colour(&mut self, a: Value) -> Value {
        // An attribute has the bits of the vertex, never a NaN of the host.
        if self.f.func().inst(a).op != Op::Input {
            self.require_visible(&[a]);
        }
        let short = self.truncate_to_lt(a);
        let f = &mut self.f;
        let (zero, one, scale, half) = (f.bits(0), f.bits(ONE), f.float(255.0), f.float(0.5));
        let clamped = f.imax(short, zero);
        let clamped = f.imin(clamped, one);
        let scaled = f.fmul(clamped, scale);
        let rounded = f.fadd(scaled, half);
        let integer = f.cvt_i(rounded);
        self.mark_ordered(integer)
    }

    fn point_size(&mut self, a: Value) -> Value {
        let mask = self.f.bits(0x1ff);
        let field = self.f.shr(a, 12);
        self.f.and(field, mask)
    }

    /// As [`Legalizer::colour`], clamped as an integer: the product stays small, and NaNs give the chip's results.
    fn point_eighths(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let (zero, most, scale) = (f.bits(0), f.float(511.0 / 8.0), f.float(8.0));
        let clamped = f.imax(a, zero);
        let clamped = f.imin(clamped, most);
        let scaled = f.fmul(clamped, scale);
        f.cvt_i(scaled)
    }

    fn depth(&mut self, a: Value) -> Value {
        let negative = self.f.sar(a, 31);
        self.f.andnot(a, negative)
    }

    fn inverse_w(&mut self, a: Value) -> Value {
        let magnitude = self.magnitude(a);
        let f = &mut self.f;
        let (greatest, sign_bit, kept) = (f.bits(GREATEST_W), f.bits(SIGN), f.bits(!0xff));
        let bounded = f.imin(magnitude, greatest);
        let sign = f.and(a, sign_bit);
        let signed = f.or(bounded, sign);
        f.and(signed, kept)
    }

    fn clamped_w(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let (least, greatest, kept) = (f.bits(LEAST_W), f.bits(GREATEST_W), f.bits(!0xff));
        let bounded = f.imax(a, least);
        let bounded = f.imin(bounded, greatest);
        f.and(bounded, kept)
    }
}
