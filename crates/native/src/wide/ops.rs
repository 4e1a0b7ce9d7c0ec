//! Machine operations as instructions.

use super::asm::{Arg, Source};
use super::emit::Emitter;
use super::masks::{AND, AND_NOT, ODD_LANES, OF_ONE, OR, XOR};
use super::target::Width;
use crate::ir::backend::HostOps;
use crate::ir::func::Value as Ir;
use iced_x86::{Code, Register};

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
    pub(super) fn instruction2(&mut self, code: Code, to: u8, x: Source, y: Source) {
        let x = self.in_register(x, self.temporary(0));
        let (code, y) = self.second(code, y);
        let args = [self.vector(to), self.vector(x), y];
        self.asm.op(code, &args);
    }

    /// The second operand of an instruction. Where it is a word for all lanes, the instruction is one that reads it so, if there is
    /// one ([`broadcasting`]); else it comes to the second temporary register, which the caller does not use then.
    pub(super) fn second(&mut self, code: Code, y: Source) -> (Code, Arg) {
        if self.width == Width::Sixteen || !matches!(y, Source::Scalar(..)) {
            return (code, self.operand(y));
        }
        match broadcasting(code) {
            Some(code) => (code, self.operand(y)),
            None => {
                let y = self.in_register(y, self.temporary(1));
                (code, self.vector(y))
            }
        }
    }

    /// An operand of an instruction of eight lanes that reads no words for all lanes.
    fn vectors(&mut self, x: Source, temporary: u8) -> Source {
        if self.width == Width::Sixteen || !matches!(x, Source::Scalar(..)) {
            return x;
        }
        Source::Register(self.in_register(x, temporary))
    }

    /// The result of an instruction with two operands.
    pub(super) fn binary(&mut self, code: Code, commutes: bool, a: Ir, b: Ir) {
        let to = self.result(0);
        let operands = [self.find(a, 0), self.find(b, 0)];
        let [x, y] = if commutes { register_first(operands) } else { operands };
        self.instruction2(code, to, x, y);
    }

    fn unary(&mut self, code: Code, a: Ir, immediate: Option<u32>) {
        let to = self.result(0);
        let x = self.find(a, 0);
        let x = self.vectors(x, self.temporary(0));
        let args = [self.vector(to), self.operand(x)];
        match immediate {
            None => self.asm.op(code, &args),
            Some(immediate) => self.asm.op(code, &[args[0], args[1], Arg::Immediate(immediate)]),
        }
    }

    fn shift(&mut self, eight: Code, sixteen: Code, a: Ir, count: u32) {
        let to = self.result(0);
        let mut x = self.find(a, 0);
        if self.width != Width::Sixteen {
            x = Source::Register(self.in_register(x, self.temporary(0)));
        }
        let code = self.code(eight, sixteen);
        let args = [self.vector(to), self.operand(x), Arg::Immediate(count)];
        self.asm.op(code, &args);
    }

    /// Compares floats.
    pub(super) fn compare(&mut self, predicate: u32, to: u8, x: Source, y: Source) {
        match self.width {
            Width::Eight | Width::EightEvex => {
                let x = self.in_register(x, self.temporary(0));
                let y = self.vectors(y, self.temporary(1));
                let args = [self.vector(to), self.vector(x), self.operand(y), Arg::Immediate(predicate)];
                self.asm.op(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, &args);
            }
            Width::Sixteen => {
                self.compare_to_mask(predicate, OF_ONE, x, y);
                self.spread(to, OF_ONE);
            }
        }
    }

    /// Compares floats of sixteen lanes.
    pub(super) fn compare_to_mask(&mut self, predicate: u32, to: Register, x: Source, y: Source) {
        let x = self.in_register(x, self.temporary(0));
        let args = [Arg::Register(to), self.vector(x), self.operand(y), Arg::Immediate(predicate)];
        self.asm.op(Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, &args);
    }

    fn compare_floats(&mut self, predicate: u32, a: Ir, b: Ir) {
        if let Some(mask) = self.mask_result() {
            let (x, y) = (self.find(a, 0), self.find(b, 0));
            self.compare_to_mask(predicate, mask, x, y);
        } else {
            let to = self.result(0);
            let (x, y) = (self.find(a, 0), self.find(b, 0));
            self.compare(predicate, to, x, y);
        }
    }

    /// Compares integers.
    pub(super) fn compare_integers(&mut self, codes: [Code; 2], to: u8, x: Source, y: Source) {
        match self.width {
            Width::Eight | Width::EightEvex => self.instruction2(codes[0], to, x, y),
            Width::Sixteen => {
                self.compare_integers_to_mask(codes, OF_ONE, x, y);
                self.spread(to, OF_ONE);
            }
        }
    }

    /// Compares integers of sixteen lanes.
    pub(super) fn compare_integers_to_mask(&mut self, codes: [Code; 2], to: Register, x: Source, y: Source) {
        let x = self.in_register(x, self.temporary(0));
        let args = [Arg::Register(to), self.vector(x), self.operand(y)];
        self.asm.op(codes[1], &args);
    }

    /// One of two floats, by their magnitudes.
    fn pick(&mut self, which: u32, a: Ir, b: Ir) {
        let to = self.result(0);
        let [x, y] = register_first([self.find(a, 0), self.find(b, 0)]);
        let x = self.in_register(x, self.temporary(0));
        let code = self.code(
            Code::EVEX_Vrangeps_ymm_k1z_ymm_ymmm256b32_imm8,
            Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae,
        );
        let args = [self.vector(to), self.vector(x), self.operand(y), Arg::Immediate(which)];
        self.asm.op(code, &args);
    }

    fn compare_words(&mut self, codes: [Code; 2], a: Ir, b: Ir) {
        if let Some(mask) = self.mask_result() {
            let (x, y) = (self.find(a, 0), self.find(b, 0));
            self.compare_integers_to_mask(codes, mask, x, y);
        } else {
            let to = self.result(0);
            let (x, y) = (self.find(a, 0), self.find(b, 0));
            self.compare_integers(codes, to, x, y);
        }
    }

    /// An instruction for each half of doubles.
    fn doubles(&mut self, code: Code, a: Ir, b: Ir) {
        let halves = [self.result(0), self.result(1)];
        for (half, to) in halves.into_iter().enumerate() {
            let (x, y) = (self.find(a, half as u8), self.find(b, half as u8));
            self.instruction2(code, to, x, y);
        }
    }

    /// Adds a product to what is in a register.
    fn fused(&mut self, code: Code, to: u8, [x, y, z]: [Source; 3]) {
        self.load(to, z);
        let [x, y] = register_first([x, y]);
        self.instruction2(code, to, x, y);
    }

    /// A register with half as many bytes.
    pub(super) fn half(&self, number: u8) -> Arg {
        let first = match self.width {
            Width::Eight | Width::EightEvex => Register::XMM0,
            Width::Sixteen => Register::YMM0,
        };
        Arg::Register(first + u32::from(number))
    }
}

pub(super) const EQUAL_INTEGERS: [Code; 2] =
    [Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, Code::EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32];
pub(super) const GREATER_INTEGERS: [Code; 2] =
    [Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256, Code::EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32];

/// The instruction that does the same as one of eight lanes, and reads a word for all lanes.
#[allow(clippy::wildcard_enum_match_arm, reason = "what is not listed has none")]
pub(super) const fn broadcasting(code: Code) -> Option<Code> {
    Some(match code {
        Code::VEX_Vaddps_ymm_ymm_ymmm256 => Code::EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vsubps_ymm_ymm_ymmm256 => Code::EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vmulps_ymm_ymm_ymmm256 => Code::EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vdivps_ymm_ymm_ymmm256 => Code::EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vminps_ymm_ymm_ymmm256 => Code::EVEX_Vminps_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vmaxps_ymm_ymm_ymmm256 => Code::EVEX_Vmaxps_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256 => Code::EVEX_Vfmadd231ps_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpaddd_ymm_ymm_ymmm256 => Code::EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpsubd_ymm_ymm_ymmm256 => Code::EVEX_Vpsubd_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpmulld_ymm_ymm_ymmm256 => Code::EVEX_Vpmulld_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpminsd_ymm_ymm_ymmm256 => Code::EVEX_Vpminsd_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpmaxsd_ymm_ymm_ymmm256 => Code::EVEX_Vpmaxsd_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpminud_ymm_ymm_ymmm256 => Code::EVEX_Vpminud_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpand_ymm_ymm_ymmm256 => Code::EVEX_Vpandd_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpandn_ymm_ymm_ymmm256 => Code::EVEX_Vpandnd_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpor_ymm_ymm_ymmm256 => Code::EVEX_Vpord_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vpxor_ymm_ymm_ymmm256 => Code::EVEX_Vpxord_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vunpcklps_ymm_ymm_ymmm256 => Code::EVEX_Vunpcklps_ymm_k1z_ymm_ymmm256b32,
        Code::VEX_Vunpckhps_ymm_ymm_ymmm256 => Code::EVEX_Vunpckhps_ymm_k1z_ymm_ymmm256b32,
        _ => return None,
    })
}

/// Methods with two operands that are one instruction.
macro_rules! binary {
    ($commutes:literal $($name:ident = $eight:ident, $sixteen:ident;)*) => { $(
        fn $name(&mut self, a: Ir, b: Ir) {
            let code = self.code(Code::$eight, Code::$sixteen);
            self.binary(code, $commutes, a, b);
        }
    )* };
}

/// Methods with one operand that are one instruction.
macro_rules! unary {
    ($($name:ident = $eight:ident, $sixteen:ident;)*) => { $(
        fn $name(&mut self, a: Ir) {
            let code = self.code(Code::$eight, Code::$sixteen);
            self.unary(code, a, None);
        }
    )* };
}

macro_rules! shift {
    ($($name:ident = $eight:ident, $sixteen:ident;)*) => { $(
        fn $name(&mut self, a: Ir, count: u32) {
            self.shift(Code::$eight, Code::$sixteen, a, count);
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
    ($($name:ident = $eight:ident, $sixteen:ident;)*) => { $(
        fn $name(&mut self, a: Ir, b: Ir) {
            let code = self.code(Code::$eight, Code::$sixteen);
            self.doubles(code, a, b);
        }
    )* };
}

impl HostOps for Emitter<'_> {
    type Operand = Ir;
    type Result = ();

    binary! { true
        iadd = VEX_Vpaddd_ymm_ymm_ymmm256, EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
        imul = VEX_Vpmulld_ymm_ymm_ymmm256, EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32;
        imin = VEX_Vpminsd_ymm_ymm_ymmm256, EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32;
        imax = VEX_Vpmaxsd_ymm_ymm_ymmm256, EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
        umin = VEX_Vpminud_ymm_ymm_ymmm256, EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32;
        fadd = VEX_Vaddps_ymm_ymm_ymmm256, EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;
        fmul = VEX_Vmulps_ymm_ymm_ymmm256, EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
    }
    binary! { false
        isub = VEX_Vpsubd_ymm_ymm_ymmm256, EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
        fsub = VEX_Vsubps_ymm_ymm_ymmm256, EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er;
        fdiv = VEX_Vdivps_ymm_ymm_ymmm256, EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er;
        fmin = VEX_Vminps_ymm_ymm_ymmm256, EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae;
        fmax = VEX_Vmaxps_ymm_ymm_ymmm256, EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae;
    }
    unary! {
        fsqrt = VEX_Vsqrtps_ymm_ymmm256, EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er;
        cvt_f = VEX_Vcvtdq2ps_ymm_ymmm256, EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;
        cvt_i = VEX_Vcvttps2dq_ymm_ymmm256, EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
    }
    shift! {
        shl = VEX_Vpslld_ymm_ymm_imm8, EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
        shr = VEX_Vpsrld_ymm_ymm_imm8, EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
        sar = VEX_Vpsrad_ymm_ymm_imm8, EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;
    }
    compare! { feq = EQUAL; flt = LESS; fle = LESS_OR_EQUAL; funord = UNORDERED; }
    double! {
        dadd = VEX_Vaddpd_ymm_ymm_ymmm256, EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er;
        dsub = VEX_Vsubpd_ymm_ymm_ymmm256, EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er;
        dmul = VEX_Vmulpd_ymm_ymm_ymmm256, EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er;
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
        self.compare_words(EQUAL_INTEGERS, a, b);
    }

    fn igt(&mut self, a: Ir, b: Ir) {
        self.compare_words(GREATER_INTEGERS, a, b);
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
        let code = self
            .code(Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256, Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er);
        self.fused(code, to, operands);
    }

    fn dfma(&mut self, a: Ir, b: Ir, c: Ir) {
        let code = self
            .code(Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256, Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er);
        let halves = [self.result(0), self.result(1)];
        for (half, to) in halves.into_iter().enumerate() {
            let operands = [a, b, c].map(|operand| self.find(operand, half as u8));
            self.fused(code, to, operands);
        }
    }

    fn ffloor(&mut self, a: Ir) {
        let code = self
            .code(Code::VEX_Vroundps_ymm_ymmm256_imm8, Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae);
        self.unary(code, a, Some(FLOOR));
    }

    fn swap(&mut self, a: Ir) {
        let to = self.result(0);
        let x = self.find(a, 0);
        // Every four words have bytes of their own numbers.
        let order: Vec<u8> = (0..4 * self.width.lanes() as u8).map(|byte| (byte ^ 3) & 15).collect();
        let order = Source::Constant(self.asm.constant(order), 0);
        let code = self.code(Code::VEX_Vpshufb_ymm_ymm_ymmm256, Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512);
        self.instruction2(code, to, x, order);
    }

    /// Products of even and of odd lanes, whose words are put together.
    fn mulshr(&mut self, a: Ir, b: Ir, count: u32) {
        let to = self.result(0);
        let (x, y) = (self.find(a, 0), self.find(b, 0));
        let x = Source::Register(self.in_register(x, self.temporary(0)));
        let (odd, other) = (self.temporary(1), self.temporary(2));
        let swap = self.code(Code::VEX_Vmovshdup_ymm_ymmm256, Code::EVEX_Vmovshdup_zmm_k1z_zmmm512);
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
            self.asm.op(swap, &args);
        }
        let product = self.code(Code::VEX_Vpmuldq_ymm_ymm_ymmm256, Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64);
        self.instruction2(product, odd, Source::Register(odd), Source::Register(other));
        self.instruction2(product, to, x, y);
        let down = self.code(Code::VEX_Vpsrlq_ymm_ymm_imm8, Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8);
        let up = self.code(Code::VEX_Vpsllq_ymm_ymm_imm8, Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8);
        let (even, odd) = (self.vector(to), self.vector(odd));
        // The low word of the shifted product is the same for logical and arithmetic shifts.
        self.asm.op(down, &[even, even, Arg::Immediate(count & 31)]);
        self.asm.op(up, &[odd, odd, Arg::Immediate(32 - (count & 31))]);
        match self.width {
            Width::Eight | Width::EightEvex => {
                let lanes = Arg::Immediate(0xaa);
                self.asm.op(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, &[even, even, odd, lanes]);
            }
            Width::Sixteen => {
                self.asm.masked(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &[even, odd], ODD_LANES);
            }
        }
    }

    fn select(&mut self, mask: Ir, a: Ir, b: Ir) {
        if let Some(mask) = self.mask(mask) {
            return self.choose(mask, a, b);
        }
        let to = self.result(0);
        let is_by_lanes = self.by_lanes.get(mask.index()).is_some_and(|&is_so| is_so);
        let (mask, x, y) = (self.find(mask, 0), self.find(a, 0), self.find(b, 0));
        match self.width {
            Width::Eight if is_by_lanes => {
                let (mask, y) =
                    (self.in_register(mask, self.temporary(0)), self.in_register(y, self.temporary(1)));
                let args = [self.vector(to), self.vector(y), self.operand(x), self.vector(mask)];
                self.asm.op(Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm, &args);
            }
            Width::Eight => {
                let mask = Source::Register(self.in_register(mask, self.temporary(0)));
                let other = self.temporary(1);
                self.instruction2(Code::VEX_Vpandn_ymm_ymm_ymmm256, other, mask, y);
                self.instruction2(Code::VEX_Vpand_ymm_ymm_ymmm256, to, mask, x);
                let (chosen, other) = (Source::Register(to), Source::Register(other));
                self.instruction2(Code::VEX_Vpor_ymm_ymm_ymmm256, to, chosen, other);
            }
            Width::EightEvex | Width::Sixteen => {
                self.load(to, mask);
                let x = self.in_register(x, self.temporary(0));
                let code = self.code(
                    Code::EVEX_Vpternlogd_ymm_k1z_ymm_ymmm256b32_imm8,
                    Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8,
                );
                let args = [self.vector(to), self.vector(x), self.operand(y), Arg::Immediate(0xca)];
                self.asm.op(code, &args);
            }
        }
    }

    fn promote(&mut self, a: Ir) {
        let halves = [self.result(0), self.result(1)];
        let convert = self.code(Code::VEX_Vcvtps2pd_ymm_xmmm128, Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae);
        let bytes = 2 * self.width.lanes() as i32;
        let x = self.find(a, 0);
        let sources = match self.vectors(x, self.temporary(1)) {
            Source::Register(register) => {
                let upper = self.half(self.temporary(0));
                let args = [upper, self.vector(register), Arg::Immediate(1)];
                let extract = self.code(
                    Code::VEX_Vextractf128_xmmm128_ymm_imm8,
                    Code::EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8,
                );
                self.asm.op(extract, &args);
                [self.half(register), upper]
            }
            Source::Memory(base, offset) => {
                [0, bytes].map(|half| self.operand(Source::Memory(base, offset + half)))
            }
            Source::Constant(label, offset) => {
                [0, bytes].map(|half| self.operand(Source::Constant(label, offset + half)))
            }
            source @ (Source::Scalar(..) | Source::ScalarConstant(_)) => [self.operand(source); 2],
        };
        for (to, source) in halves.into_iter().zip(sources) {
            let to = self.vector(to);
            self.asm.op(convert, &[to, source]);
        }
    }

    fn dlow(&mut self, a: Ir) {
        let to = self.result(0);
        let (low, high) = (self.find(a, 0), self.find(a, 1));
        let low = self.in_register(low, self.temporary(0));
        match self.width {
            Width::Eight | Width::EightEvex => {
                let (words, pairs) = (self.vector(self.temporary(1)), Arg::Immediate(0x88));
                let args = [words, self.vector(low), self.operand(high), pairs];
                self.asm.op(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, &args);
                let args = [self.vector(to), words, Arg::Immediate(0xd8)];
                self.asm.op(Code::VEX_Vpermq_ymm_ymmm256_imm8, &args);
            }
            Width::Sixteen => {
                let even: Vec<u8> = (0..16u32).flat_map(|lane| (2 * lane).to_le_bytes()).collect();
                let even = Source::Constant(self.asm.constant(even), 0);
                self.load(to, even);
                let args = [self.vector(to), self.vector(low), self.operand(high)];
                self.asm.op(Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32, &args);
            }
        }
    }
}
