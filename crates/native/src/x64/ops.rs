//! Machine operations as instructions.

use super::asm::{Arg, Source};
use super::emit::Emitter;
use super::masks::{AND, AND_NOT, OR, XOR};
use super::table::Insn;
use super::temporaries::Temporary;
use crate::ir::backend::HostOps;
use crate::ir::func::Value as Ir;
use iced_x86::Register;

/// Predicates of comparisons of floats; of a NaN only `UNORDERED` is true.
const EQUAL: u32 = 0;
const LESS: u32 = 1;
const LESS_OR_EQUAL: u32 = 2;
pub(super) const UNORDERED: u32 = 3;
/// The opposite of it.
pub(super) const ORDERED: u32 = 7;
/// Which operand `vrangeps` picks, and that the sign is that operand's: of lesser and of greater magnitude.
const LESSER_MAGNITUDE: u32 = 6;
const GREATER_MAGNITUDE: u32 = 7;
/// Rounds down, without a sign of inexactness.
const FLOOR: u32 = 9;

/// Operands that may change places, so that the second is the one in memory if one is.
fn register_first([x, y]: [Source; 2]) -> [Source; 2] {
    if matches!(x, Source::Register(_)) { [x, y] } else { [y, x] }
}

impl Emitter<'_> {
    /// An instruction with two operands, of which the second may be in memory.
    pub(super) fn instruction2(&mut self, insn: Insn, to: u8, x: Source, y: Source) {
        self.with_two(insn, to, [x, y], None);
    }

    /// An instruction with two operands and a number.
    pub(super) fn instruction2_with(&mut self, insn: Insn, to: u8, operands: [Source; 2], immediate: u32) {
        self.with_two(insn, to, operands, Some(immediate));
    }

    #[inline]
    fn with_two(&mut self, insn: Insn, to: u8, [x, y]: [Source; 2], immediate: Option<u32>) {
        let is_there = |source| matches!(source, Source::Register(_));
        // If the second has to be loaded it is not to the first's register.
        let by = (!is_there(x) || !is_there(y) && !self.reads(insn, y)).then(|| self.temporary());
        let x = by.as_ref().map_or(x, |by| Source::Register(self.in_register(x, by.register())));
        let before = [self.vector(to), self.operand(x)];
        self.op_reading(insn, &before, y, immediate);
    }

    /// The result of an instruction with two operands.
    pub(super) fn binary(&mut self, insn: Insn, commutes: bool, a: Ir, b: Ir) {
        let to = self.result(0);
        let operands = [self.find(a, 0), self.find(b, 0)];
        let [x, y] = if commutes { register_first(operands) } else { operands };
        self.instruction2(insn, to, x, y);
    }

    fn unary(&mut self, insn: Insn, a: Ir, immediate: Option<u32>) {
        let to = self.result(0);
        let x = self.find(a, 0);
        self.op_reading(insn, &[self.vector(to)], x, immediate);
    }

    /// Compares floats, where masks have registers.
    pub(super) fn compare_to_mask(&mut self, predicate: u32, to: Register, [x, y]: [Source; 2]) {
        let (x, _held) = self.loaded(x);
        let args = [Arg::Register(to), self.vector(x), self.operand(y), Arg::Immediate(predicate)];
        self.op(Insn::Vcmpps, &args);
    }

    fn compare_floats(&mut self, predicate: u32, a: Ir, b: Ir) {
        if let Some(mask) = self.mask_result() {
            let operands = [a, b].map(|value| self.find(value, 0));
            self.compare_to_mask(predicate, mask, operands);
        } else {
            let to = self.result(0);
            let operands = [a, b].map(|value| self.find(value, 0));
            self.lanes.compare_floats(self, predicate, to, operands);
        }
    }

    /// Compares integers, where masks have registers.
    pub(super) fn compare_integers_to_mask(&mut self, insn: Insn, to: Register, [x, y]: [Source; 2]) {
        let (x, _held) = self.loaded(x);
        let args = [Arg::Register(to), self.vector(x), self.operand(y)];
        self.op(insn, &args);
    }

    fn compare_integers(&mut self, insn: Insn, a: Ir, b: Ir) {
        if let Some(mask) = self.mask_result() {
            let operands = [a, b].map(|value| self.find(value, 0));
            self.compare_integers_to_mask(insn, mask, operands);
        } else {
            let to = self.result(0);
            let operands = [a, b].map(|value| self.find(value, 0));
            self.lanes.compare_integers(self, insn, to, operands);
        }
    }

    /// One of two floats, by their magnitudes.
    fn pick(&mut self, which: u32, a: Ir, b: Ir) {
        let to = self.result(0);
        let operands = register_first([self.find(a, 0), self.find(b, 0)]);
        self.instruction2_with(Insn::Vrangeps, to, operands, which);
    }

    /// Bits of one of two operands, by those of a mask.
    pub(super) fn select_bits(&mut self, to: u8, mask: Source, [x, y]: [Source; 2]) {
        self.load(to, mask);
        self.instruction2_with(Insn::Vpternlogd, to, [x, y], 0xca);
    }

    /// An instruction for each half of doubles.
    fn doubles(&mut self, insn: Insn, a: Ir, b: Ir) {
        let halves = [self.result(0), self.result(1)];
        for (half, to) in halves.into_iter().enumerate() {
            let (x, y) = (self.find(a, half as u8), self.find(b, half as u8));
            self.instruction2(insn, to, x, y);
        }
    }

    /// Adds a product to what is in a register.
    fn fused(&mut self, insn: Insn, to: u8, [x, y, z]: [Source; 3]) {
        self.load(to, z);
        let [x, y] = register_first([x, y]);
        self.instruction2(insn, to, x, y);
    }

    /// A register with half as many bytes.
    pub(super) fn half(&self, number: u8) -> Arg {
        Arg::Register(self.facts.first_half + u32::from(number))
    }
}

/// Methods with two operands that are one instruction.
macro_rules! binary {
    ($commutes:literal $($name:ident = $insn:ident;)*) => { $(
        fn $name(&mut self, a: Ir, b: Ir) {
            self.binary(Insn::$insn, $commutes, a, b);
        }
    )* };
}

/// Methods with one operand that are one instruction.
macro_rules! unary {
    ($($name:ident = $insn:ident;)*) => { $(
        fn $name(&mut self, a: Ir) {
            self.unary(Insn::$insn, a, None);
        }
    )* };
}

macro_rules! shift {
    ($($name:ident = $insn:ident;)*) => { $(
        fn $name(&mut self, a: Ir, count: u32) {
            self.unary(Insn::$insn, a, Some(count));
        }
    )* };
}

macro_rules! compare {
    ($($name:ident = $predicate:ident;)*) => { $(
        fn $name(&mut self, a: Ir, b: Ir) {
            self.compare_floats($predicate, a, b);
        }
    )* };
}

macro_rules! double {
    ($($name:ident = $insn:ident;)*) => { $(
        fn $name(&mut self, a: Ir, b: Ir) {
            self.doubles(Insn::$insn, a, b);
        }
    )* };
}

impl HostOps for Emitter<'_> {
    type Operand = Ir;
    type Result = ();

    binary! { true
        iadd = Vpaddd;
        imul = Vpmulld;
        imin = Vpminsd;
        imax = Vpmaxsd;
        umin = Vpminud;
        fadd = Vaddps;
        fmul = Vmulps;
    }
    binary! { false
        isub = Vpsubd;
        fsub = Vsubps;
        fdiv = Vdivps;
        fmin = Vminps;
        fmax = Vmaxps;
    }
    unary! {
        fsqrt = Vsqrtps;
        cvt_f = Vcvtdq2ps;
        cvt_i = Vcvttps2dq;
    }
    shift! {
        shl = Vpslld;
        shr = Vpsrld;
        sar = Vpsrad;
    }
    compare! { feq = EQUAL; flt = LESS; fle = LESS_OR_EQUAL; funord = UNORDERED; }
    double! {
        dadd = Vaddpd;
        dsub = Vsubpd;
        dmul = Vmulpd;
    }

    fn and(&mut self, a: Ir, b: Ir) {
        self.logic(AND, a, b);
    }

    fn or(&mut self, a: Ir, b: Ir) {
        self.logic(OR, a, b);
    }

    fn xor(&mut self, a: Ir, b: Ir) {
        self.logic(XOR, a, b);
    }

    fn andnot(&mut self, a: Ir, b: Ir) {
        self.logic(AND_NOT, a, b);
    }

    fn ieq(&mut self, a: Ir, b: Ir) {
        self.compare_integers(Insn::Vpcmpeqd, a, b);
    }

    fn igt(&mut self, a: Ir, b: Ir) {
        self.compare_integers(Insn::Vpcmpgtd, a, b);
    }

    fn fmaxmag(&mut self, a: Ir, b: Ir) {
        self.pick(GREATER_MAGNITUDE, a, b);
    }

    fn fminmag(&mut self, a: Ir, b: Ir) {
        self.pick(LESSER_MAGNITUDE, a, b);
    }

    fn fma(&mut self, a: Ir, b: Ir, c: Ir) {
        let to = self.result(0);
        let operands = [a, b, c].map(|operand| self.find(operand, 0));
        self.fused(Insn::Vfmadd231ps, to, operands);
    }

    fn dfma(&mut self, a: Ir, b: Ir, c: Ir) {
        let halves = [self.result(0), self.result(1)];
        for (half, to) in halves.into_iter().enumerate() {
            let operands = [a, b, c].map(|operand| self.find(operand, half as u8));
            self.fused(Insn::Vfmadd231pd, to, operands);
        }
    }

    fn ffloor(&mut self, a: Ir) {
        self.unary(Insn::Vroundps, a, Some(FLOOR));
    }

    fn swap(&mut self, a: Ir) {
        let to = self.result(0);
        let x = self.find(a, 0);
        // Every four words have bytes of their own numbers.
        let order: Vec<u8> = (0..4 * self.width.lanes() as u8).map(|byte| (byte ^ 3) & 15).collect();
        let order = Source::Constant(self.asm.constant(order), 0);
        self.instruction2(Insn::Vpshufb, to, x, order);
    }

    /// Products of even and of odd lanes, whose words are put together.
    fn mulshr(&mut self, a: Ir, b: Ir, count: u32) {
        let to = self.result(0);
        let (x, y) = (self.find(a, 0), self.find(b, 0));
        let [by, odd, other] = [(); 3].map(|()| self.temporary());
        let x = Source::Register(self.in_register(x, by.register()));
        let [odd, other] = [&odd, &other].map(Temporary::register);
        // All lanes of a word for all are the same.
        let y = match y {
            Source::Scalar(..) | Source::ScalarConstant(_) => Source::Register(self.in_register(y, other)),
            Source::Register(_) | Source::Memory(..) | Source::Constant(..) => y,
        };
        for (register, source) in [(odd, x), (other, y)] {
            if source == Source::Register(register) {
                continue;
            }
            let args = [self.vector(register), self.operand(source)];
            self.op(Insn::Vmovshdup, &args);
        }
        self.instruction2(Insn::Vpmuldq, odd, Source::Register(odd), Source::Register(other));
        self.instruction2(Insn::Vpmuldq, to, x, y);
        let [even, other] = [to, odd].map(|register| self.vector(register));
        // The low word of the shifted product is the same for logical and arithmetic shifts.
        self.op(Insn::Vpsrlq, &[even, even, Arg::Immediate(count & 31)]);
        self.op(Insn::Vpsllq, &[other, other, Arg::Immediate(32 - (count & 31))]);
        self.lanes.blend_odd(self, to, odd);
    }

    fn select(&mut self, mask: Ir, a: Ir, b: Ir) {
        if let Some(mask) = self.mask(mask) {
            return self.choose(mask, a, b);
        }
        let to = self.result(0);
        let is_by_lanes = self.masks.are_by_lanes(mask);
        let [mask, x, y] = [mask, a, b].map(|value| self.find(value, 0));
        self.lanes.select(self, to, is_by_lanes, mask, [x, y]);
    }

    fn promote(&mut self, a: Ir) {
        let halves = [self.result(0), self.result(1)];
        let insn = Insn::Vcvtps2pd;
        let bytes = 2 * self.width.lanes() as i32;
        let x = self.find(a, 0);
        let [upper, whole] = [(); 2].map(|()| self.temporary());
        let x = if self.reads(insn, x) { x } else { Source::Register(self.in_register(x, whole.register())) };
        let sources = match x {
            Source::Register(from) => {
                self.lanes.upper_half(self, upper.register(), from);
                [from, upper.register()].map(|register| self.half(register))
            }
            Source::Memory(base, offset) => {
                [0, bytes].map(|half| self.operand(Source::Memory(base, offset + half)))
            }
            Source::Constant(label, offset) => {
                [0, bytes].map(|half| self.operand(Source::Constant(label, offset + half)))
            }
            Source::Scalar(..) | Source::ScalarConstant(_) => [self.operand(x); 2],
        };
        for (to, source) in halves.into_iter().zip(sources) {
            let to = self.vector(to);
            self.op(insn, &[to, source]);
        }
    }

    fn dlow(&mut self, a: Ir) {
        let to = self.result(0);
        let (low, high) = (self.find(a, 0), self.find(a, 1));
        self.lanes.low_words(self, to, low, high);
    }
}
