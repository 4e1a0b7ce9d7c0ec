//! Recipe of the aligned n-input sum under the model `hw`: see `num/sum.rs`.
//!
//! The chip aligns all addends to the largest exponent with five guard bits, adds once and truncates once. The vector
//! instructions in use have no shift by a different count in each lane, so the recipe multiplies by powers of two:
//!
//! 1. E is the largest exponent of the addends, unbiased; s = 2^(28 - E);
//! 2. each addend times s, below 2^29 in magnitude, is converted to an integer: the truncation drops the same bits as
//!    the chip;
//! 3. the integers are added: four fit into 32 bits;
//! 4. the sum is converted to a float, truncating like the chip's last step, and multiplied by 1/s.
//!
//! Where the machine picks floats by their magnitudes, a sum of two is a float sum (`float_sum`), and a longer one finds E so.
//!
//! On every machine a sum is a float sum if the alignment drops nothing that the truncation would keep ([`Addition`]).
//!
//! An exact zero gives +0, overflow the greatest finite magnitude. The guard is raised for NaN and infinity, for addends
//! so small that s is not a float (so the sum never underflows), and on Rankine where the sum may overflow.

use super::{Demand, Legalizer};
use crate::ir::func::{Func, Inst, Value};
use crate::ir::host::LEAST_SUMMED;
use crate::ir::numbers::{Number, Span};
use crate::ir::ops::Op;
use xfjit_runtime::num::bits::{EXPONENT, SIGN};
use xfjit_runtime::num::rules::Overflow;

/// The greatest denormal number.
const DENORMAL: u32 = 0x7f_ffff;

/// The parameters in which the chip's adders differ.
#[derive(Clone, Copy)]
pub(super) struct Adder {
    /// Bit of the aligned sum with the weight of the largest exponent.
    pub top: u32,
    /// Whether the fractions of denormal addends leak into the sum (else they count as zero).
    pub leaks: bool,
}

/// How the addends of a sum are added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Addition {
    /// Aligned, as on the chip.
    Aligned,
    /// In one float sum. Of two addends of one sign the alignment drops bits below the last that the truncation keeps, and those of the
    /// greater addend stop the carry. If one addend is the other or 0, perhaps negated, it drops none.
    Truncated,
    /// In float sums without a guard: all addends are numbers, and span so few bits that the alignment drops none.
    Exact,
}

impl Addition {
    /// That of an instruction of the XF level, by what is known of the values before it.
    pub(super) fn of(func: &Func, numbers: &[Number], inst: &Inst) -> Self {
        let addends = inst.operands();
        if matches!(inst.op, Op::Sum2 | Op::Sum3 | Op::Sum4) {
            let spans = addends.iter().map(|addend| numbers[addend.index()].span);
            let span = spans.reduce(|a, b| Some(a?.union(b?))).flatten();
            if span.is_some_and(|span| Self::is_exact(span, addends.len())) {
                return Addition::Exact;
            }
        }
        let is_of_two = matches!(inst.op, Op::Sum2 | Op::LtAdd | Op::LtsAdd);
        let (true, &[a, b]) = (is_of_two, addends) else { return Addition::Aligned };
        let is_truncated = [a, b].iter().all(|addend| numbers[addend.index()].at_least_zero)
            || Self::is_part(func, numbers, a, b)
            || Self::is_part(func, numbers, b, a);
        if is_truncated { Addition::Truncated } else { Addition::Aligned }
    }

    /// Whether float sums of addends within a span are those of the chip. The 28th bit below the greatest is the last that the alignment keeps; a sum
    /// of more than two is rounded more than once, unless it fits.
    fn is_exact(span: Span, addends: usize) -> bool {
        let bits = span.most - span.least;
        span.most < 126 && if addends == 2 { bits <= 28 } else { bits + 2 < 24 }
    }

    /// Whether a value is another one times 0 or 1, up to signs.
    fn is_part(func: &Func, numbers: &[Number], part: Value, whole: Value) -> bool {
        let unsigned = |value: Value| func.negated(value).unwrap_or(value);
        let Inst { op, args: [a, b, ..], .. } = *func.inst(unsigned(part));
        let is_unit = |factor: Value| numbers[factor.index()].span == Some(Span::UNIT);
        let is_whole = |factor: Value| unsigned(factor) == unsigned(whole);
        op == Op::Mul && (is_unit(a) && is_whole(b) || is_unit(b) && is_whole(a))
    }
}

impl Legalizer {
    pub(super) fn aligned_sum(&mut self, addends: &[Value], demand: Demand) -> Value {
        if let Some(addend) = self.lone_addend(addends, demand) {
            return addend;
        }
        let leaks = self.f.func().numerics.rules.denormals_leak();
        let adder = Adder { top: 28, leaks };
        match *addends {
            [a, b] if self.has_magnitudes && demand.addition == Addition::Aligned => {
                self.float_sum(a, b, adder)
            }
            _ => self.sum_of(addends, adder, demand),
        }
    }

    /// The sum truncated to 24 bits; an adder with a shorter format truncates it further.
    pub(super) fn sum_of(&mut self, addends: &[Value], adder: Adder, demand: Demand) -> Value {
        match demand.addition {
            Addition::Aligned => self.aligned_sum_of(addends, adder, demand),
            Addition::Truncated => self.truncated_sum(addends, adder, demand),
            Addition::Exact => self.plain_sum(addends, demand),
        }
    }

    fn truncated_sum(&mut self, addends: &[Value], adder: Adder, demand: Demand) -> Value {
        if adder.leaks {
            addends.iter().for_each(|&addend| self.require_normal(addend));
        }
        let overflows = self.f.func().numerics.rules.overflow() == Overflow::Infinite;
        let has_numbers = !overflows && self.has_numbers(addends);
        let sum = self.plain_sum(addends, demand);
        if has_numbers {
            self.known.finite.insert(sum);
        } else {
            // An infinity or a NaN makes another.
            self.require_small(sum);
            addends.iter().for_each(|&addend| self.mark_finite(addend));
        }
        sum
    }

    /// The float sum, from left to right.
    fn plain_sum(&mut self, addends: &[Value], demand: Demand) -> Value {
        let mut sum = addends.first().copied().unwrap_or(Value::NONE);
        for &addend in addends.iter().skip(1) {
            sum = match (self.varying_negated(sum), self.varying_negated(addend)) {
                (_, Some(positive)) => self.f.fsub(sum, positive),
                (Some(positive), None) => self.f.fsub(addend, positive),
                (None, None) => self.f.fadd(sum, addend),
            };
        }
        if demand.zero_sign {
            // -0 + -0 is +0 on the chip.
            let zero = self.f.bits(0);
            sum = self.f.fadd(sum, zero);
        }
        sum
    }

    /// The only addend that is not a literal zero, if the sum equals it: it must be finite and not denormal, and no user
    /// may distinguish +0 from -0.
    pub(super) fn lone_addend(&self, addends: &[Value], demand: Demand) -> Option<Value> {
        let is_zero = |value: &&Value| self.f.literal(**value).is_some_and(|bits| bits & !SIGN == 0);
        let mut others = addends.iter().filter(|value| !is_zero(value));
        let lone = *others.next()?;
        let is_lone = others.next().is_none();
        (is_lone && self.is_finite_and_normal(lone) && !demand.zero_sign).then_some(lone)
    }

    /// The sum of two where the machine picks floats by their magnitudes. The host's sum truncates the exact one, which is all
    /// that the chip does, too, once the lesser addend has lost the bits that fall below the guard bits of the greater one. It
    /// loses them in a sum with a power of two whose last bit is the last guard bit, which is subtracted again; unless it is
    /// above this power, when it has no such bits. There is no scale to leave a float's range: of exponents below that of
    /// the power the product flushes, and all bits are kept. Two zeros of sign -1 lose their signs in the subtraction.
    fn float_sum(&mut self, a: Value, b: Value, adder: Adder) -> Value {
        let overflows = self.f.func().numerics.rules.overflow() == Overflow::Infinite;
        for addend in [a, b] {
            if adder.leaks {
                self.require_normal(addend);
            }
            self.require_number(addend);
        }
        let f = &mut self.f;
        let (greater, lesser) = (f.fmaxmag(a, b), f.fminmag(a, b));
        let exponent = self.exponent_field(greater);
        if overflows {
            self.f.big_guard(exponent);
            [a, b].into_iter().for_each(|addend| self.mark_finite(addend));
        }
        let f = &mut self.f;
        // The last bit of 2^(E - 5) has the weight 2^(E - 28).
        let (down, sign) = (f.bits((127 + 23 - adder.top) << 23), f.bits(SIGN));
        let power = f.fmul(exponent, down);
        let power = f.select(sign, lesser, power);
        let raised = f.fadd(lesser, power);
        let cut = f.fsub(raised, power);
        // Both have the same sign. Masks of comparisons come later than those of integers.
        let rest = f.isub(power, lesser);
        let is_above = f.sar(rest, 31);
        let lesser = f.select(is_above, lesser, cut);
        let sum = f.fadd(greater, lesser);
        self.known.finite.insert(sum);
        sum
    }

    /// Deoptimises the group if an addend is an infinity or a NaN. A product of numbers is one (on Rankine it may be above the greatest
    /// finite one, which sums guard), so its factors are looked at where that serves more sums than this.
    fn require_number(&mut self, addend: Value) {
        if !self.is_finite(addend) && !self.require_factors(addend) {
            self.require_small(addend);
        }
    }

    /// Requires factors of a product to be numbers, those of which that is likely to serve more sums; tells whether all are.
    fn require_factors(&mut self, addend: Value) -> bool {
        let Inst { op, args: [a, b, ..], .. } = *self.f.func().inst(addend);
        if op != Op::Fmul {
            return false;
        }
        for factor in [a, b] {
            if self.serves_many(factor) && !self.is_finite(factor) {
                self.require_below_infinity(factor);
            }
        }
        if self.is_product_finite(a, b) {
            self.known.finite.insert(addend);
        }
        self.is_finite(a) && self.is_finite(b)
    }

    /// Whether a factor is likely to be one of other products, or is tested once for all vertices: attributes, where exponents are not at hand
    /// anyway, and constants.
    fn serves_many(&self, factor: Value) -> bool {
        let is_input = self.has_magnitudes && self.f.func().inst(factor).op == Op::Input;
        (is_input || self.f.is_uniform(factor)) && !self.known.unbounded.contains(&factor)
    }

    /// Deoptimises the group if a value is an infinity or a NaN. Constants may be the greatest finite number.
    fn require_below_infinity(&mut self, value: Value) {
        if !self.f.is_uniform(value) {
            return self.require_small(value);
        }
        let exponent = self.exponent_field(value);
        self.pending_numbers = Some(match self.pending_numbers {
            Some(greatest) => self.f.imax(greatest, exponent),
            None => exponent,
        });
        self.mark_finite(value);
    }

    /// Deoptimises the group if one of the constants is no number that has been required to be one.
    pub(super) fn flush_numbers(&mut self) {
        if let Some(greatest) = self.pending_numbers.take() {
            let finite = self.f.bits(0xfe << 23);
            let is_infinite = self.f.igt(greatest, finite);
            self.f.guard(is_infinite);
        }
    }

    fn aligned_sum_of(&mut self, addends: &[Value], adder: Adder, demand: Demand) -> Value {
        let numerics = self.f.func().numerics;
        // A negated addend is subtracted as an integer: -x and x have the same exponent.
        let addends: Vec<(Value, bool)> = addends
            .iter()
            .map(|&addend| match self.varying_negated(addend) {
                Some(positive) => (positive, true),
                None => (addend, false),
            })
            .collect();

        if adder.leaks {
            addends.iter().for_each(|&(addend, _)| self.require_normal(addend));
        }
        let values: Vec<Value> = addends.iter().map(|&(addend, _)| addend).collect();
        let has_numbers = self.has_numbers(&values);
        let mut greatest = match has_numbers && self.has_magnitudes {
            true => self.exponent_of_greatest(&values),
            false => self.greatest_exponent(&values),
        };
        let is_finite = addends.iter().all(|&(addend, _)| self.is_finite(addend));
        // On Rankine the sum of finite addends may overflow to infinity.
        if !is_finite || numerics.rules.overflow() == Overflow::Infinite {
            self.f.big_guard(greatest);
            addends.iter().for_each(|&(addend, _)| self.mark_finite(addend));
        }
        // A literal that is no small number makes the exponent great enough.
        let is_great =
            |addend: &Value| self.f.literal(*addend).is_some_and(|bits| bits & EXPONENT >= LEAST_SUMMED);
        let is_guarded = !values.iter().any(is_great);
        if is_guarded {
            self.f.small_guard(greatest);
        }
        if is_guarded && demand.zero_sign {
            let least = self.f.bits(LEAST_SUMMED);
            greatest = self.f.imax(greatest, least);
        }
        let f = &mut self.f;
        let (up, down) = (f.bits((2 * 127 + adder.top) << 23), f.bits(adder.top << 23));
        let scale = f.isub(up, greatest);
        let unscale = f.isub(greatest, down);

        let mut sum = None;
        let mut ordered = addends;
        ordered.sort_by_key(|&(_, negative)| negative);
        for (addend, negative) in ordered {
            let scaled = f.fmul(addend, scale);
            let integer = f.cvt_i(scaled);
            sum = Some(match (sum, negative) {
                (None, false) => integer,
                (None, true) => {
                    let zero = f.bits(0);
                    f.isub(zero, integer)
                }
                (Some(sum), false) => f.iadd(sum, integer),
                (Some(sum), true) => f.isub(sum, integer),
            });
        }
        let sum = sum.unwrap_or(scale);
        let float = f.cvt_f(sum);
        let sum = f.fmul(float, unscale);
        self.known.finite.insert(sum);
        sum
    }

    /// Whether all addends are numbers, or are required to be with less than that takes in the sum itself. Where the exponents are at hand, only
    /// few tests of constants take less.
    fn has_numbers(&mut self, addends: &[Value]) -> bool {
        let is_worth_it = self.has_magnitudes || addends.len() == 2;
        let can_be = addends.iter().all(|&addend| {
            let Inst { op, args: [a, b, ..], .. } = *self.f.func().inst(addend);
            let is_tested = |factor: Value| self.is_finite(factor) || self.serves_many(factor);
            self.is_finite(addend) || is_worth_it && op == Op::Fmul && is_tested(a) && is_tested(b)
        });
        if can_be {
            addends.iter().for_each(|&addend| self.require_number(addend));
        }
        can_be
    }

    /// The largest exponent field of addends of which none is a NaN, in place.
    fn exponent_of_greatest(&mut self, addends: &[Value]) -> Value {
        let first = addends.first().copied().unwrap_or(Value::NONE);
        let greatest = addends.iter().skip(1).fold(first, |greatest, &value| self.f.fmaxmag(greatest, value));
        self.exponent_field(greatest)
    }

    /// The largest exponent field of the addends, in place. Squares have no sign bit: they are compared whole and masked
    /// once.
    fn greatest_exponent(&mut self, addends: &[Value]) -> Value {
        let (squares, others): (Vec<Value>, Vec<Value>) =
            addends.iter().copied().partition(|&addend| self.is_square(addend));
        let mut fields: Vec<Value> = others.into_iter().map(|addend| self.exponent_field(addend)).collect();
        fields.extend(self.greatest(&squares).map(|square| self.exponent_field(square)));
        self.greatest(&fields).unwrap_or(Value::NONE)
    }

    /// The greatest of some integers: that of two halves, so that the chain is shorter than one after the other, and with it
    /// all that waits for the exponent.
    fn greatest(&mut self, values: &[Value]) -> Option<Value> {
        let (first, last) = values.split_at(values.len().div_ceil(2));
        if last.is_empty() {
            return first.first().copied();
        }
        let (a, b) = (self.greatest(first)?, self.greatest(last)?);
        Some(self.f.imax(a, b))
    }

    /// Deoptimises the group if an addend is denormal, unless it is known not to be (results of float operations).
    fn require_normal(&mut self, a: Value) {
        if self.is_normal(a) {
            return;
        }
        self.known.normal.insert(a);
        // magnitude - 1 with the sign bit flipped, as a signed integer: denormals are the least, 0 is the greatest.
        let magnitude = self.magnitude(a);
        let f = &mut self.f;
        let (turn, limit) = (f.bits(i32::MAX as u32), f.bits(SIGN | DENORMAL));
        let turned = f.iadd(magnitude, turn);
        let is_denormal = f.igt(limit, turned);
        f.guard(is_denormal);
    }
}
