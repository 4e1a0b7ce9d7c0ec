//! Recipe of the aligned n-input sum under the model `hw`: see `num/sum.rs`.
//!
//! The chip shifts every addend to the greatest exponent, keeps five guard bits, adds once and truncates once. Vector
//! units have no shift by a count of its own for each lane; multiplying by powers of two does the same:
//!
//! 1. E is the greatest exponent field among the addends, s = 2^(28 - E), with the bias taken off;
//! 2. each addend times s, below 2^29 in magnitude, is converted to an integer: the truncation drops exactly what the
//!    chip drops;
//! 3. the integers are added: four fit into 32 bits;
//! 4. the sum is converted to a float (in an environment that truncates: the chip's last step) and multiplied by 1/s.
//!
//! An exact zero comes out as +0, a small result as it is, an overflow saturated. The guard covers what this cannot
//! do: NaN and infinity, addends so small that s is no float, and on Rankine overflow.

use super::{Demand, Legalizer};
use crate::ir::func::Value;
use crate::ir::host::sum_range;
use crate::ir::ops::Op;

const EXPONENT: u32 = 0x7f80_0000;
const SIGN: u32 = 0x8000_0000;
/// The greatest denormal number.
const DENORMAL: u32 = 0x7f_ffff;

/// Bit of the aligned sum that weighs as much as the greatest exponent.
const TOP: u32 = 28;

impl Legalizer {
    pub(super) fn aligned_sum(&mut self, addends: &[Value], demand: Demand) -> Value {
        self.aligned_sum_from(addends, TOP, demand)
    }

    /// The same with `top` bits below the leading one of the greatest addend. The result has 24 bits.
    pub(super) fn aligned_sum_from(&mut self, addends: &[Value], top: u32, demand: Demand) -> Value {
        let numerics = self.f.func().numerics;
        // -x has the magnitude of x: the sign goes into the sum of integers instead.
        let addends: Vec<(Value, bool)> = addends
            .iter()
            .map(|&addend| match self.varying_negated(addend) {
                Some(positive) => (positive, true),
                None => (addend, false),
            })
            .collect();

        for &(addend, _) in &addends {
            self.require_no_leak(addend);
        }
        let mut greatest = self.exponent_field(addends[0].0);
        for &(addend, _) in &addends[1..] {
            let exponent = self.exponent_field(addend);
            greatest = self.f.imax(greatest, exponent);
        }
        self.f.sum_guard(greatest);
        if demand.zero_sign {
            let least = self.f.bits(*sum_range(numerics).start());
            greatest = self.f.imax(greatest, least);
        }
        let f = &mut self.f;
        let (up, down) = (f.bits((2 * 127 + top) << 23), f.bits(top << 23));
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
        self.finite.insert(sum);
        sum
    }

    /// The exponent field of a number, in place.
    fn exponent_field(&mut self, a: Value) -> Value {
        let mask = self.f.bits(EXPONENT);
        self.f.and(a, mask)
    }

    /// Whether a value is known not to be denormal.
    pub(super) fn is_normal(&self, a: Value) -> bool {
        let is_made = matches!(self.f.func().inst(a).op, Op::Fmul | Op::Fadd | Op::Fsub | Op::CvtF);
        is_made || self.normal.contains(&a)
    }

    /// Voids the group if an addend is denormal, where that leaks into the sum; no float operation makes one.
    fn require_no_leak(&mut self, a: Value) {
        let leaks = !self.f.func().numerics.rules.is_rankine();
        if !leaks || self.is_normal(a) {
            return;
        }
        self.normal.insert(a);
        // Of the magnitude less 1 as an integer, that of 0 is the greatest; turned round by the sign bit the least.
        let magnitude = self.magnitude(a);
        let f = &mut self.f;
        let (turn, limit) = (f.bits(i32::MAX as u32), f.bits(SIGN | DENORMAL));
        let turned = f.iadd(magnitude, turn);
        let is_denormal = f.igt(limit, turned);
        f.guard(is_denormal);
    }
}
