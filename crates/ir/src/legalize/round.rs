//! Recipes of FLR, FRC, ARL, ARR and saturate: see `num/round.rs`, `num/address.rs` and `num/saturate.rs`.

use super::{Demand, Legalizer};
use crate::ir::func::Value;
use xfjit_runtime::num::bits::{MINUS_ONE, ONE};

impl Legalizer {
    /// Floor under the model `hw`. The chip's floor of -0 is +0, the host's -0: adding +0 corrects it. A NaN stays a NaN,
    /// with the host's bits (rankine_curie.md 4).
    pub(super) fn flr(&mut self, a: Value, demand: Demand) -> Value {
        let f = &mut self.f;
        let zero = f.bits(0);
        let mut floor = f.ffloor(a);
        if demand.zero_sign {
            floor = f.fadd(floor, zero);
        }
        self.known.raw.insert(floor);
        floor
    }

    /// The operand less its floor under the model `hw`, through the aligned sum (rankine_curie.md 4).
    ///
    /// The host's difference is exact except for -1 < a < 0. There the chip aligns `a` to 1.0 and truncates its magnitude
    /// to 28 fraction bits; the recipe truncates it first. NaN and infinity give a NaN with the host's bits.
    pub(super) fn frc(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let floor = f.ffloor(a);
        let (up, down) = (f.float((1u32 << 28) as f32), f.float(1.0 / (1u32 << 28) as f32));
        let minus_one = f.bits(MINUS_ONE);
        let small = f.igt(minus_one, a);
        let scaled = f.fmul(a, up);
        let cut = f.cvt_i(scaled);
        let cut = f.cvt_f(cut);
        let cut = f.fmul(cut, down);
        let minuend = f.select(small, cut, a);
        let fraction = f.fsub(minuend, floor);
        self.known.raw.insert(fraction);
        fraction
    }

    /// Floor, saturated; NaN raises the guard.
    pub(super) fn arl(&mut self, a: Value) -> Value {
        self.require_ordered(a);
        self.floor_address(a)
    }

    /// Floor of a number, saturated.
    pub(super) fn floor_address(&mut self, a: Value) -> Value {
        let clamped = self.address(a);
        let floor = self.f.ffloor(clamped);
        self.f.cvt_i(floor)
    }

    /// Nearest integer, halves to even, saturated; NaN raises the guard.
    pub(super) fn arr(&mut self, a: Value) -> Value {
        self.require_ordered(a);
        self.nearest_address(a)
    }

    /// Nearest integer to a number, halves to even, saturated.
    pub(super) fn nearest_address(&mut self, a: Value) -> Value {
        let clamped = self.address(a);
        let f = &mut self.f;
        let one = f.bits(1);
        let doubled = f.fadd(clamped, clamped);
        let whole = f.ffloor(doubled);
        let exact = f.feq(whole, doubled);
        let halves = f.cvt_i(whole);
        let floor = f.sar(halves, 1);
        // Above a half: round up. At a half: round up from an odd floor.
        let odd_half = f.and(floor, halves);
        let up = f.select(exact, odd_half, halves);
        let up = f.and(up, one);
        f.iadd(floor, up)
    }

    /// A number clamped to the range of an address register. The bounds are integers, so rounding does not leave it.
    fn address(&mut self, a: Value) -> Value {
        let (low, high) = self.f.func().numerics.rules.address_range();
        let (low, high) = (self.f.float(low as f32), self.f.float(high as f32));
        let clamped = self.f.fmax(a, low);
        self.f.fmin(clamped, high)
    }

    /// Clamps to [0, 1]; NaN and -0 pass unchanged, and so do negative denormals in an environment that flushes.
    pub(super) fn saturate(&mut self, a: Value) -> Value {
        let f = &mut self.f;
        let (zero, one) = (f.bits(0), f.bits(ONE));
        let above = f.flt(one, a);
        let below = f.flt(a, zero);
        let result = f.select(above, one, a);
        let result = f.andnot(result, below);
        if self.known.raw.contains(&a) {
            self.known.raw.insert(result);
        }
        result
    }
}
