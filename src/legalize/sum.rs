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

use super::Legalizer;
use crate::ir::func::Value;
use crate::ir::host::sum_range;

/// Bit of the aligned sum that weighs as much as the greatest exponent.
const TOP: u32 = 28;

impl Legalizer {
    pub(super) fn aligned_sum(&mut self, addends: &[Value]) -> Value {
        self.aligned_sum_from(addends, TOP)
    }

    /// The same with `top` bits below the leading one of the greatest addend. The result has 24 bits.
    pub(super) fn aligned_sum_from(&mut self, addends: &[Value], top: u32) -> Value {
        let numerics = self.f.func().numerics;
        // -x has the magnitude of x: the sign goes into the sum of integers instead.
        let addends: Vec<(Value, bool)> = addends
            .iter()
            .map(|&addend| match self.varying_negated(addend) {
                Some(positive) => (positive, true),
                None => (addend, false),
            })
            .collect();

        let mut greatest = self.magnitude(addends[0].0);
        for &(addend, _) in &addends[1..] {
            let magnitude = self.magnitude(addend);
            greatest = self.f.imax(greatest, magnitude);
        }
        self.f.sum_guard(greatest);

        let f = &mut self.f;
        let (least, exponent_mask) = (f.bits(*sum_range(numerics).start()), f.bits(0x7f80_0000));
        let (up, down) = (f.bits((2 * 127 + top) << 23), f.bits(top << 23));
        let exponent = f.imax(greatest, least);
        let exponent = f.and(exponent, exponent_mask);
        let scale = f.isub(up, exponent);
        let unscale = f.isub(exponent, down);

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
        f.fmul(float, unscale)
    }
}
