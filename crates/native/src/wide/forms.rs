//! The forms of instructions that wide code is made of, as the manuals of the architecture have them.

use super::encode::{Form, Immediate, Prefix, Shape};
use iced_x86::Code;

/// A form: prefix, bits of its vectors, mandatory prefix, bytes before the opcode, W, opcode, where its operands are, its immediate;
/// bytes of what it reads at an address, and of the element of which it does so for all lanes: those of which a displacement is a
/// multiple, with EVEX.
#[expect(clippy::too_many_arguments, reason = "they are the columns of a table")]
const fn form(
    prefix: Prefix,
    bits: u32,
    mandatory: u32,
    map: u32,
    wide: u8,
    opcode: u8,
    shape: Shape,
    immediate: Immediate,
    unit: u32,
    element: u32,
) -> Form {
    let length = (bits / 128).ilog2() as u8;
    let mandatory = match mandatory {
        0x66 => 1,
        0xf3 => 2,
        0xf2 => 3,
        _ => 0,
    };
    let map = match map {
        0x0f => 1,
        0x0f38 => 2,
        0x0f3a => 3,
        _ => 0,
    };
    let [unit, element] = [unit.ilog2() as u8, element.ilog2() as u8];
    Form { prefix, map, mandatory, is_wide: wide == 1, length, opcode, shape, immediate, unit, element }
}

macro_rules! forms {
    ($($code:ident = $prefix:ident $bits:literal $mandatory:literal $map:literal $wide:literal $opcode:literal, $shape:expr,
        $immediate:ident $unit:literal $element:literal;)*) => {
        /// Each form.
        pub(super) static FORMS: &[(Code, Form)] = {
            use Shape::{Alone, Branch, Opcode, RegRm, RegVexRm, Rm, RmReg, VexRm};
            &[$(
                (Code::$code, form(Prefix::$prefix, $bits, $mandatory, $map, $wide, $opcode, $shape, Immediate::$immediate, $unit, $element)),
            )*]
        };
    };
}

/// The length of [`INDEX`].
const CODES: usize = {
    let (mut codes, mut row) = (0, 0);
    while row < FORMS.len() {
        if codes <= FORMS[row].0 as usize {
            codes = FORMS[row].0 as usize + 1;
        }
        row += 1;
    }
    codes
};

/// For each code the number of its row, counted from 1.
pub(super) static INDEX: [u8; CODES] = {
    assert!(FORMS.len() < 256, "numbers are bytes");
    let (mut index, mut row) = ([0; CODES], 0);
    while row < FORMS.len() {
        index[FORMS[row].0 as usize] = row as u8 + 1;
        row += 1;
    }
    index
};

forms! {
    Add_r64_rm64 = Legacy 128 0 0 1 0x03, RegRm, None 1 1;
    Add_rm64_imm8 = Legacy 128 0 0 1 0x83, Rm(0), Signed 1 1;
    Cmp_r64_rm64 = Legacy 128 0 0 1 0x3b, RegRm, None 1 1;
    Cmp_rm64_imm8 = Legacy 128 0 0 1 0x83, Rm(7), Signed 1 1;
    EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er = Evex 512 0x66 0x0f 1 0x58, RegVexRm, None 64 8;
    EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0 0x0f 0 0x58, RegVexRm, None 32 4;
    EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er = Evex 512 0 0x0f 0 0x58, RegVexRm, None 64 4;
    EVEX_Vbroadcastss_zmm_k1z_xmmm32 = Evex 512 0x66 0x0f38 0 0x18, RegRm, None 4 1;
    EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8 = Evex 128 0 0x0f 0 0xc2, RegVexRm, Byte 16 4;
    EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae = Evex 512 0 0x0f 0 0xc2, RegVexRm, Byte 64 4;
    EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er = Evex 512 0 0x0f 0 0x5b, RegRm, None 64 4;
    EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae = Evex 512 0 0x0f 0 0x5a, RegRm, None 32 4;
    EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae = Evex 512 0xf3 0x0f 0 0x5b, RegRm, None 64 4;
    EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0 0x0f 0 0x5e, RegVexRm, None 32 4;
    EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er = Evex 512 0 0x0f 0 0x5e, RegVexRm, None 64 4;
    EVEX_Vextractf32x4_xmmm128_k1z_zmm_imm8 = Evex 512 0x66 0x0f3a 0 0x19, RmReg, Byte 16 1;
    EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8 = Evex 512 0x66 0x0f3a 1 0x1b, RmReg, Byte 32 1;
    EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er = Evex 512 0x66 0x0f38 1 0xb8, RegVexRm, None 64 8;
    EVEX_Vfmadd231ps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f38 0 0xb8, RegVexRm, None 32 4;
    EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er = Evex 512 0x66 0x0f38 0 0xb8, RegVexRm, None 64 4;
    EVEX_Vinsertf32x4_ymm_k1z_ymm_xmmm128_imm8 = Evex 256 0x66 0x0f3a 0 0x18, RegVexRm, Byte 16 1;
    EVEX_Vinsertf64x4_zmm_k1z_zmm_ymmm256_imm8 = Evex 512 0x66 0x0f3a 1 0x1a, RegVexRm, Byte 32 1;
    EVEX_Vmaxps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0 0x0f 0 0x5f, RegVexRm, None 32 4;
    EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae = Evex 512 0 0x0f 0 0x5f, RegVexRm, None 64 4;
    EVEX_Vminps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0 0x0f 0 0x5d, RegVexRm, None 32 4;
    EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae = Evex 512 0 0x0f 0 0x5d, RegVexRm, None 64 4;
    EVEX_Vmovdqa32_zmm_k1z_zmmm512 = Evex 512 0x66 0x0f 0 0x6f, RegRm, None 64 1;
    EVEX_Vmovq_rm64_xmm = Evex 128 0x66 0x0f 1 0x7e, RmReg, None 8 1;
    EVEX_Vmovsd_xmm_k1z_m64 = Evex 128 0xf2 0x0f 1 0x10, RegRm, None 8 1;
    EVEX_Vmovshdup_zmm_k1z_zmmm512 = Evex 512 0xf3 0x0f 0 0x16, RegRm, None 64 1;
    EVEX_Vmovss_m32_k1_xmm = Evex 128 0xf3 0x0f 0 0x11, RmReg, None 4 1;
    EVEX_Vmovss_xmm_k1z_m32 = Evex 128 0xf3 0x0f 0 0x10, RegRm, None 4 1;
    EVEX_Vmovups_xmm_k1z_xmmm128 = Evex 128 0 0x0f 0 0x10, RegRm, None 16 1;
    EVEX_Vmovups_xmmm128_k1z_xmm = Evex 128 0 0x0f 0 0x11, RmReg, None 16 1;
    EVEX_Vmovups_zmm_k1z_zmmm512 = Evex 512 0 0x0f 0 0x10, RegRm, None 64 1;
    EVEX_Vmovups_zmmm512_k1z_zmm = Evex 512 0 0x0f 0 0x11, RmReg, None 64 1;
    EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er = Evex 512 0x66 0x0f 1 0x59, RegVexRm, None 64 8;
    EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0 0x0f 0 0x59, RegVexRm, None 32 4;
    EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er = Evex 512 0 0x0f 0 0x59, RegVexRm, None 64 4;
    EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f 0 0xfe, RegVexRm, None 32 4;
    EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f 0 0xfe, RegVexRm, None 64 4;
    EVEX_Vpandd_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f 0 0xdb, RegVexRm, None 32 4;
    EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f 0 0xdb, RegVexRm, None 64 4;
    EVEX_Vpandnd_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f 0 0xdf, RegVexRm, None 32 4;
    EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f 0 0xdf, RegVexRm, None 64 4;
    EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x64, RegVexRm, None 64 4;
    EVEX_Vpbroadcastd_zmm_k1z_xmmm32 = Evex 512 0x66 0x0f38 0 0x58, RegRm, None 4 1;
    EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32 = Evex 512 0x66 0x0f 0 0x76, RegVexRm, None 64 4;
    EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32 = Evex 512 0x66 0x0f 0 0x66, RegVexRm, None 64 4;
    EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x36, RegVexRm, None 64 4;
    EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x76, RegVexRm, None 64 4;
    EVEX_Vpermt2ps_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x7f, RegVexRm, None 64 4;
    EVEX_Vpermt2w_zmm_k1z_zmm_zmmm512 = Evex 512 0x66 0x0f38 1 0x7d, RegVexRm, None 64 1;
    EVEX_Vpextrq_rm64_xmm_imm8 = Evex 128 0x66 0x0f3a 1 0x16, RmReg, Byte 8 1;
    EVEX_Vpinsrb_xmm_xmm_r32m8_imm8 = Evex 128 0x66 0x0f3a 0 0x20, RegVexRm, Byte 1 1;
    EVEX_Vpinsrd_xmm_xmm_rm32_imm8 = Evex 128 0x66 0x0f3a 0 0x22, RegVexRm, Byte 4 1;
    EVEX_Vpinsrw_xmm_xmm_r32m16_imm8 = Evex 128 0x66 0x0f 0 0xc4, RegVexRm, Byte 2 1;
    EVEX_Vpmaxsd_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f38 0 0x3d, RegVexRm, None 32 4;
    EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x3d, RegVexRm, None 64 4;
    EVEX_Vpminsd_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f38 0 0x39, RegVexRm, None 32 4;
    EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x39, RegVexRm, None 64 4;
    EVEX_Vpminud_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f38 0 0x3b, RegVexRm, None 32 4;
    EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x3b, RegVexRm, None 64 4;
    EVEX_Vpmovd2m_kr_zmm = Evex 512 0xf3 0x0f38 0 0x39, RegRm, None 1 1;
    EVEX_Vpmovm2d_zmm_kr = Evex 512 0xf3 0x0f38 0 0x38, RegRm, None 1 1;
    EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64 = Evex 512 0x66 0x0f38 1 0x28, RegVexRm, None 64 8;
    EVEX_Vpmulld_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f38 0 0x40, RegVexRm, None 32 4;
    EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x40, RegVexRm, None 64 4;
    EVEX_Vpord_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f 0 0xeb, RegVexRm, None 32 4;
    EVEX_Vpord_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f 0 0xeb, RegVexRm, None 64 4;
    EVEX_Vpshufb_zmm_k1z_zmm_zmmm512 = Evex 512 0x66 0x0f38 0 0x00, RegVexRm, None 64 1;
    EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8 = Evex 512 0x66 0x0f 0 0x72, VexRm(6), Byte 64 4;
    EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8 = Evex 512 0x66 0x0f 1 0x73, VexRm(6), Byte 64 8;
    EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8 = Evex 512 0x66 0x0f 0 0x72, VexRm(4), Byte 64 4;
    EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 = Evex 512 0x66 0x0f 0 0x72, VexRm(2), Byte 64 4;
    EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8 = Evex 512 0x66 0x0f 1 0x73, VexRm(2), Byte 64 8;
    EVEX_Vpsubd_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f 0 0xfa, RegVexRm, None 32 4;
    EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f 0 0xfa, RegVexRm, None 64 4;
    EVEX_Vpternlogd_xmm_k1z_xmm_xmmm128b32_imm8 = Evex 128 0x66 0x0f3a 0 0x25, RegVexRm, Byte 16 4;
    EVEX_Vpternlogd_ymm_k1z_ymm_ymmm256b32_imm8 = Evex 256 0x66 0x0f3a 0 0x25, RegVexRm, Byte 32 4;
    EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8 = Evex 512 0x66 0x0f3a 0 0x25, RegVexRm, Byte 64 4;
    EVEX_Vptestmd_kr_k1_zmm_zmmm512b32 = Evex 512 0x66 0x0f38 0 0x27, RegVexRm, None 64 4;
    EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32 = Evex 128 0x66 0x0f 0 0xef, RegVexRm, None 16 4;
    EVEX_Vpxord_ymm_k1z_ymm_ymmm256b32 = Evex 256 0x66 0x0f 0 0xef, RegVexRm, None 32 4;
    EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 = Evex 512 0x66 0x0f 0 0xef, RegVexRm, None 64 4;
    EVEX_Vrangeps_ymm_k1z_ymm_ymmm256b32_imm8 = Evex 256 0x66 0x0f3a 0 0x50, RegVexRm, Byte 32 4;
    EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae = Evex 512 0x66 0x0f3a 0 0x50, RegVexRm, Byte 64 4;
    EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae = Evex 512 0x66 0x0f3a 0 0x08, RegRm, Byte 64 4;
    EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8 = Evex 512 0x66 0x0f3a 0 0x43, RegVexRm, Byte 64 4;
    EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er = Evex 512 0 0x0f 0 0x51, RegRm, None 64 4;
    EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er = Evex 512 0x66 0x0f 1 0x5c, RegVexRm, None 64 8;
    EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0 0x0f 0 0x5c, RegVexRm, None 32 4;
    EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er = Evex 512 0 0x0f 0 0x5c, RegVexRm, None 64 4;
    EVEX_Vunpckhpd_zmm_k1z_zmm_zmmm512b64 = Evex 512 0x66 0x0f 1 0x15, RegVexRm, None 64 8;
    EVEX_Vunpckhps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0 0x0f 0 0x15, RegVexRm, None 32 4;
    EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32 = Evex 512 0 0x0f 0 0x15, RegVexRm, None 64 4;
    EVEX_Vunpcklpd_zmm_k1z_zmm_zmmm512b64 = Evex 512 0x66 0x0f 1 0x14, RegVexRm, None 64 8;
    EVEX_Vunpcklps_ymm_k1z_ymm_ymmm256b32 = Evex 256 0 0x0f 0 0x14, RegVexRm, None 32 4;
    EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32 = Evex 512 0 0x0f 0 0x14, RegVexRm, None 64 4;
    Imul_r64_rm64 = Legacy 128 0 0x0f 1 0xaf, RegRm, None 1 1;
    Ja_rel32_64 = Legacy 128 0 0x0f 0 0x87, Branch, None 1 1;
    Jb_rel32_64 = Legacy 128 0 0x0f 0 0x82, Branch, None 1 1;
    Je_rel32_64 = Legacy 128 0 0x0f 0 0x84, Branch, None 1 1;
    Jmp_rel32_64 = Legacy 128 0 0 0 0xe9, Branch, None 1 1;
    Jne_rel32_64 = Legacy 128 0 0x0f 0 0x85, Branch, None 1 1;
    Lea_r64_m = Legacy 128 0 0 1 0x8d, RegRm, None 1 1;
    Mov_r32_imm32 = Legacy 128 0 0 0 0xb8, Opcode, Word 1 1;
    Mov_r32_rm32 = Legacy 128 0 0 0 0x8b, RegRm, None 1 1;
    Mov_r64_rm64 = Legacy 128 0 0 1 0x8b, RegRm, None 1 1;
    Mov_rm64_r64 = Legacy 128 0 0 1 0x89, RmReg, None 1 1;
    Movzx_r32_rm16 = Legacy 128 0 0x0f 0 0xb7, RegRm, None 1 1;
    Not_rm64 = Legacy 128 0 0 1 0xf7, Rm(2), None 1 1;
    Retnq = Legacy 128 0 0 0 0xc3, Alone, None 1 1;
    Shl_rm64_imm8 = Legacy 128 0 0 1 0xc1, Rm(4), Byte 1 1;
    Shr_rm64_imm8 = Legacy 128 0 0 1 0xc1, Rm(5), Byte 1 1;
    Sub_r64_rm64 = Legacy 128 0 0 1 0x2b, RegRm, None 1 1;
    Sub_rm64_imm8 = Legacy 128 0 0 1 0x83, Rm(5), Signed 1 1;
    VEX_Kandnw_kr_kr_kr = Vex 256 0 0x0f 0 0x42, RegVexRm, None 1 1;
    VEX_Kandw_kr_kr_kr = Vex 256 0 0x0f 0 0x41, RegVexRm, None 1 1;
    VEX_Kmovw_kr_r32 = Vex 128 0 0x0f 0 0x92, RegRm, None 1 1;
    VEX_Knotw_kr_kr = Vex 128 0 0x0f 0 0x44, RegRm, None 1 1;
    VEX_Kortestw_kr_kr = Vex 128 0 0x0f 0 0x98, RegRm, None 1 1;
    VEX_Korw_kr_kr_kr = Vex 256 0 0x0f 0 0x45, RegVexRm, None 1 1;
    VEX_Kxorw_kr_kr_kr = Vex 256 0 0x0f 0 0x47, RegVexRm, None 1 1;
    VEX_Vaddpd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0x58, RegVexRm, None 1 1;
    VEX_Vaddps_ymm_ymm_ymmm256 = Vex 256 0 0x0f 0 0x58, RegVexRm, None 1 1;
    VEX_Vblendvps_ymm_ymm_ymmm256_ymm = Vex 256 0x66 0x0f3a 0 0x4a, RegVexRm, Register 1 1;
    VEX_Vbroadcastf128_ymm_m128 = Vex 256 0x66 0x0f38 0 0x1a, RegRm, None 1 1;
    VEX_Vbroadcastss_ymm_m32 = Vex 256 0x66 0x0f38 0 0x18, RegRm, None 1 1;
    VEX_Vcmpps_xmm_xmm_xmmm128_imm8 = Vex 128 0 0x0f 0 0xc2, RegVexRm, Byte 1 1;
    VEX_Vcmpps_ymm_ymm_ymmm256_imm8 = Vex 256 0 0x0f 0 0xc2, RegVexRm, Byte 1 1;
    VEX_Vcvtdq2ps_ymm_ymmm256 = Vex 256 0 0x0f 0 0x5b, RegRm, None 1 1;
    VEX_Vcvtps2pd_ymm_xmmm128 = Vex 256 0 0x0f 0 0x5a, RegRm, None 1 1;
    VEX_Vcvttps2dq_ymm_ymmm256 = Vex 256 0xf3 0x0f 0 0x5b, RegRm, None 1 1;
    VEX_Vdivps_ymm_ymm_ymmm256 = Vex 256 0 0x0f 0 0x5e, RegVexRm, None 1 1;
    VEX_Vextractf128_xmmm128_ymm_imm8 = Vex 256 0x66 0x0f3a 0 0x19, RmReg, Byte 1 1;
    VEX_Vextracti128_xmmm128_ymm_imm8 = Vex 256 0x66 0x0f3a 0 0x39, RmReg, Byte 1 1;
    VEX_Vextractps_rm32_xmm_imm8 = Vex 128 0x66 0x0f3a 0 0x17, RmReg, Byte 1 1;
    VEX_Vfmadd231pd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f38 1 0xb8, RegVexRm, None 1 1;
    VEX_Vfmadd231ps_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f38 0 0xb8, RegVexRm, None 1 1;
    VEX_Vinsertf128_ymm_ymm_xmmm128_imm8 = Vex 256 0x66 0x0f3a 0 0x18, RegVexRm, Byte 1 1;
    VEX_Vmaxps_ymm_ymm_ymmm256 = Vex 256 0 0x0f 0 0x5f, RegVexRm, None 1 1;
    VEX_Vminps_ymm_ymm_ymmm256 = Vex 256 0 0x0f 0 0x5d, RegVexRm, None 1 1;
    VEX_Vmovq_rm64_xmm = Vex 128 0x66 0x0f 1 0x7e, RmReg, None 1 1;
    VEX_Vmovsd_xmm_m64 = Vex 128 0xf2 0x0f 0 0x10, RegRm, None 1 1;
    VEX_Vmovshdup_ymm_ymmm256 = Vex 256 0xf3 0x0f 0 0x16, RegRm, None 1 1;
    VEX_Vmovss_m32_xmm = Vex 128 0xf3 0x0f 0 0x11, RmReg, None 1 1;
    VEX_Vmovss_xmm_m32 = Vex 128 0xf3 0x0f 0 0x10, RegRm, None 1 1;
    VEX_Vmovups_xmm_xmmm128 = Vex 128 0 0x0f 0 0x10, RegRm, None 1 1;
    VEX_Vmovups_xmmm128_xmm = Vex 128 0 0x0f 0 0x11, RmReg, None 1 1;
    VEX_Vmovups_ymm_ymmm256 = Vex 256 0 0x0f 0 0x10, RegRm, None 1 1;
    VEX_Vmovups_ymmm256_ymm = Vex 256 0 0x0f 0 0x11, RmReg, None 1 1;
    VEX_Vmulpd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0x59, RegVexRm, None 1 1;
    VEX_Vmulps_ymm_ymm_ymmm256 = Vex 256 0 0x0f 0 0x59, RegVexRm, None 1 1;
    VEX_Vpaddd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0xfe, RegVexRm, None 1 1;
    VEX_Vpand_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0xdb, RegVexRm, None 1 1;
    VEX_Vpandn_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0xdf, RegVexRm, None 1 1;
    VEX_Vpblendd_ymm_ymm_ymmm256_imm8 = Vex 256 0x66 0x0f3a 0 0x02, RegVexRm, Byte 1 1;
    VEX_Vpcmpeqd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0x76, RegVexRm, None 1 1;
    VEX_Vpcmpgtd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0x66, RegVexRm, None 1 1;
    VEX_Vpermq_ymm_ymmm256_imm8 = Vex 256 0x66 0x0f3a 1 0x00, RegRm, Byte 1 1;
    VEX_Vpextrq_rm64_xmm_imm8 = Vex 128 0x66 0x0f3a 1 0x16, RmReg, Byte 1 1;
    VEX_Vpinsrb_xmm_xmm_r32m8_imm8 = Vex 128 0x66 0x0f3a 0 0x20, RegVexRm, Byte 1 1;
    VEX_Vpinsrd_xmm_xmm_rm32_imm8 = Vex 128 0x66 0x0f3a 0 0x22, RegVexRm, Byte 1 1;
    VEX_Vpinsrw_xmm_xmm_r32m16_imm8 = Vex 128 0x66 0x0f 0 0xc4, RegVexRm, Byte 1 1;
    VEX_Vpmaxsd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f38 0 0x3d, RegVexRm, None 1 1;
    VEX_Vpminsd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f38 0 0x39, RegVexRm, None 1 1;
    VEX_Vpminud_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f38 0 0x3b, RegVexRm, None 1 1;
    VEX_Vpmuldq_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f38 0 0x28, RegVexRm, None 1 1;
    VEX_Vpmulld_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f38 0 0x40, RegVexRm, None 1 1;
    VEX_Vpor_xmm_xmm_xmmm128 = Vex 128 0x66 0x0f 0 0xeb, RegVexRm, None 1 1;
    VEX_Vpor_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0xeb, RegVexRm, None 1 1;
    VEX_Vpshufb_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f38 0 0x00, RegVexRm, None 1 1;
    VEX_Vpslld_ymm_ymm_imm8 = Vex 256 0x66 0x0f 0 0x72, VexRm(6), Byte 1 1;
    VEX_Vpsllq_ymm_ymm_imm8 = Vex 256 0x66 0x0f 0 0x73, VexRm(6), Byte 1 1;
    VEX_Vpsrad_ymm_ymm_imm8 = Vex 256 0x66 0x0f 0 0x72, VexRm(4), Byte 1 1;
    VEX_Vpsrld_ymm_ymm_imm8 = Vex 256 0x66 0x0f 0 0x72, VexRm(2), Byte 1 1;
    VEX_Vpsrlq_ymm_ymm_imm8 = Vex 256 0x66 0x0f 0 0x73, VexRm(2), Byte 1 1;
    VEX_Vpsubd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0xfa, RegVexRm, None 1 1;
    VEX_Vptest_ymm_ymmm256 = Vex 256 0x66 0x0f38 0 0x17, RegRm, None 1 1;
    VEX_Vpxor_xmm_xmm_xmmm128 = Vex 128 0x66 0x0f 0 0xef, RegVexRm, None 1 1;
    VEX_Vpxor_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0xef, RegVexRm, None 1 1;
    VEX_Vroundps_ymm_ymmm256_imm8 = Vex 256 0x66 0x0f3a 0 0x08, RegRm, Byte 1 1;
    VEX_Vshufps_ymm_ymm_ymmm256_imm8 = Vex 256 0 0x0f 0 0xc6, RegVexRm, Byte 1 1;
    VEX_Vsqrtps_ymm_ymmm256 = Vex 256 0 0x0f 0 0x51, RegRm, None 1 1;
    VEX_Vsubpd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0x5c, RegVexRm, None 1 1;
    VEX_Vsubps_ymm_ymm_ymmm256 = Vex 256 0 0x0f 0 0x5c, RegVexRm, None 1 1;
    VEX_Vunpckhpd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0x15, RegVexRm, None 1 1;
    VEX_Vunpckhps_ymm_ymm_ymmm256 = Vex 256 0 0x0f 0 0x15, RegVexRm, None 1 1;
    VEX_Vunpcklpd_ymm_ymm_ymmm256 = Vex 256 0x66 0x0f 0 0x14, RegVexRm, None 1 1;
    VEX_Vunpcklps_ymm_ymm_ymmm256 = Vex 256 0 0x0f 0 0x14, RegVexRm, None 1 1;
    VEX_Vzeroupper = Vex 128 0 0x0f 0 0x77, Alone, None 1 1;
    Xor_r32_rm32 = Legacy 128 0 0 0 0x33, RegRm, None 1 1;
}
