//! The rows, as the manuals of the architecture have them.

use super::{Access, COLUMNS, Column, Feature, Flags, Immediate, Memory, Row, Shape};
use iced_x86::Code;

instructions! {
    Add = 0 0 0x03 1/1, RegRm, None, Scalar(8), [RW R] Sets, No No: Plain=Add_r64_rm64;
    AddByte = 0 0 0x83 1/1, Rm(0), Signed, Scalar(8), [RW] Sets, No No: Plain=Add_rm64_imm8;
    Cmp = 0 0 0x3b 1/1, RegRm, None, Scalar(8), [R R] Sets, No No: Plain=Cmp_r64_rm64;
    CmpByte = 0 0 0x83 1/1, Rm(7), Signed, Scalar(8), [R] Sets, No No: Plain=Cmp_rm64_imm8;
    Imul = 0 0x0f 0xaf 1/1, RegRm, None, Scalar(8), [RW R] Sets, No No: Plain=Imul_r64_rm64;
    Ja = 0 0x0f 0x87 0/0, Branch, None, Never, [] Tests, No No: Plain=Ja_rel32_64;
    Jb = 0 0x0f 0x82 0/0, Branch, None, Never, [] Tests, No No: Plain=Jb_rel32_64;
    Je = 0 0x0f 0x84 0/0, Branch, None, Never, [] Tests, No No: Plain=Je_rel32_64;
    Jmp = 0 0 0xe9 0/0, Branch, None, Never, [] Keeps, No No: Plain=Jmp_rel32_64;
    Jne = 0 0x0f 0x85 0/0, Branch, None, Never, [] Tests, No No: Plain=Jne_rel32_64;
    Lea = 0 0 0x8d 1/1, RegRm, None, Scalar(8), [W N] Keeps, No No: Plain=Lea_r64_m;
    Mov = 0 0 0x8b 1/1, RegRm, None, Scalar(8), [W R] Keeps, No No: Plain=Mov_r64_rm64;
    Mov32 = 0 0 0x8b 0/0, RegRm, None, Scalar(4), [W R] Keeps, No No: Plain=Mov_r32_rm32;
    MovStore = 0 0 0x89 1/1, RmReg, None, Scalar(8), [W R] Keeps, No No: Plain=Mov_rm64_r64;
    MovWord = 0 0 0xb8 0/0, Opcode, Word, Never, [W] Keeps, No No: Plain=Mov_r32_imm32;
    Movzx = 0 0x0f 0xb7 0/0, RegRm, None, Scalar(2), [W R] Keeps, No No: Plain=Movzx_r32_rm16;
    Not = 0 0 0xf7 1/1, Rm(2), None, Scalar(8), [RW] Keeps, No No: Plain=Not_rm64;
    Ret = 0 0 0xc3 0/0, Alone, None, Never, [] Keeps, No No: Plain=Retnq;
    Shr = 0 0 0xc1 1/1, Rm(5), Byte, Scalar(8), [RW] Sets, No No: Plain=Shr_rm64_imm8;
    Sub = 0 0 0x2b 1/1, RegRm, None, Scalar(8), [RW R] Sets, No No: Plain=Sub_r64_rm64;
    SubByte = 0 0 0x83 1/1, Rm(5), Signed, Scalar(8), [RW] Sets, No No: Plain=Sub_rm64_imm8;
    Xor = 0 0 0x33 0/0, RegRm, None, Scalar(4), [RW R] Sets, No No: Plain=Xor_r32_rm32;
    Kandnw = 0 0x0f 0x42 0/0, RegVexRm, None, Never, [W R R] Keeps, F No: V256=VEX_Kandnw_kr_kr_kr;
    Kandw = 0 0x0f 0x41 0/0, RegVexRm, None, Never, [W R R] Keeps, F No: V256=VEX_Kandw_kr_kr_kr;
    Kmovw = 0 0x0f 0x92 0/0, RegRm, None, Never, [W R] Keeps, F No: V128=VEX_Kmovw_kr_r32;
    Knotw = 0 0x0f 0x44 0/0, RegRm, None, Never, [W R] Keeps, F No: V128=VEX_Knotw_kr_kr;
    Kortestw = 0 0x0f 0x98 0/0, RegRm, None, Never, [R R] Sets, F No: V128=VEX_Kortestw_kr_kr;
    Korw = 0 0x0f 0x45 0/0, RegVexRm, None, Never, [W R R] Keeps, F No: V256=VEX_Korw_kr_kr_kr;
    Kxorw = 0 0x0f 0x47 0/0, RegVexRm, None, Never, [W R R] Keeps, F No: V256=VEX_Kxorw_kr_kr_kr;
    Vaddpd = 0x66 0x0f 0x58 0/1, RegVexRm, None, Full(8), [W R R] Keeps, Avx F:
        V256=VEX_Vaddpd_ymm_ymm_ymmm256 E512=EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er;
    Vaddps = 0 0x0f 0x58 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx F:
        V256=VEX_Vaddps_ymm_ymm_ymmm256 E256=EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;
    Vblendvps = 0x66 0x0f3a 0x4a 0/0, RegVexRm, Register, Whole, [W R R R] Keeps, Avx No:
        V256=VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
    Vbroadcastf128 = 0x66 0x0f38 0x1a 0/0, RegRm, None, Part(16), [W R] Keeps, Avx No: V256=VEX_Vbroadcastf128_ymm_m128;
    Vbroadcastss = 0x66 0x0f38 0x18 0/0, RegRm, None, Scalar(4), [W R] Keeps, Avx F:
        V256=VEX_Vbroadcastss_ymm_m32 E512=EVEX_Vbroadcastss_zmm_k1z_xmmm32;
    Vcmpps = 0 0x0f 0xc2 0/0, RegVexRm, Byte, Full(4), [W R R] Keeps, Avx F:
        V128=VEX_Vcmpps_xmm_xmm_xmmm128_imm8 V256=VEX_Vcmpps_ymm_ymm_ymmm256_imm8
        E128=EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8 E512=EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    Vcvtdq2ps = 0 0x0f 0x5b 0/0, RegRm, None, Full(4), [W R] Keeps, Avx F:
        V256=VEX_Vcvtdq2ps_ymm_ymmm256 E512=EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er;
    Vcvtps2pd = 0 0x0f 0x5a 0/0, RegRm, None, Half(4), [W R] Keeps, Avx F:
        V256=VEX_Vcvtps2pd_ymm_xmmm128 E512=EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
    Vcvttps2dq = 0xf3 0x0f 0x5b 0/0, RegRm, None, Full(4), [W R] Keeps, Avx F:
        V256=VEX_Vcvttps2dq_ymm_ymmm256 E512=EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
    Vdivps = 0 0x0f 0x5e 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx F:
        V256=VEX_Vdivps_ymm_ymm_ymmm256 E256=EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er;
    Vextractf128 = 0x66 0x0f3a 0x19 0/0, RmReg, Byte, Part(16), [W R] Keeps, Avx F:
        V256=VEX_Vextractf128_xmmm128_ymm_imm8 E512=EVEX_Vextractf32x4_xmmm128_k1z_zmm_imm8;
    Vextractf64x4 = 0x66 0x0f3a 0x1b 1/1, RmReg, Byte, Part(32), [W R] Keeps, No F:
        E512=EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8;
    Vextracti128 = 0x66 0x0f3a 0x39 0/0, RmReg, Byte, Part(16), [W R] Keeps, Avx2 No:
        V256=VEX_Vextracti128_xmmm128_ymm_imm8;
    Vextractps = 0x66 0x0f3a 0x17 0/0, RmReg, Byte, Scalar(4), [W R] Keeps, Avx No: V128=VEX_Vextractps_rm32_xmm_imm8;
    Vfmadd231pd = 0x66 0x0f38 0xb8 1/1, RegVexRm, None, Full(8), [RW R R] Keeps, Fma F:
        V256=VEX_Vfmadd231pd_ymm_ymm_ymmm256 E512=EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er;
    Vfmadd231ps = 0x66 0x0f38 0xb8 0/0, RegVexRm, None, Full(4), [RW R R] Keeps, Fma F:
        V256=VEX_Vfmadd231ps_ymm_ymm_ymmm256 E256=EVEX_Vfmadd231ps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er;
    Vinsertf128 = 0x66 0x0f3a 0x18 0/0, RegVexRm, Byte, Part(16), [W R R] Keeps, Avx F:
        V256=VEX_Vinsertf128_ymm_ymm_xmmm128_imm8 E256=EVEX_Vinsertf32x4_ymm_k1z_ymm_xmmm128_imm8;
    Vinsertf64x4 = 0x66 0x0f3a 0x1a 1/1, RegVexRm, Byte, Part(32), [W R R] Keeps, No F:
        E512=EVEX_Vinsertf64x4_zmm_k1z_zmm_ymmm256_imm8;
    Vmaxps = 0 0x0f 0x5f 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx F:
        V256=VEX_Vmaxps_ymm_ymm_ymmm256 E256=EVEX_Vmaxps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae;
    Vminps = 0 0x0f 0x5d 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx F:
        V256=VEX_Vminps_ymm_ymm_ymmm256 E256=EVEX_Vminps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae;
    Vmovdqa32 = 0x66 0x0f 0x6f 0/0, RegRm, None, Whole, [W R] Keeps, No F: E512=EVEX_Vmovdqa32_zmm_k1z_zmmm512;
    Vmovq = 0x66 0x0f 0x7e 1/1, RmReg, None, Scalar(8), [W R] Keeps, Avx F:
        V128=VEX_Vmovq_rm64_xmm E128=EVEX_Vmovq_rm64_xmm;
    Vmovsd = 0xf2 0x0f 0x10 0/1, RegRm, None, Scalar(8), [W R] Keeps, Avx F:
        V128=VEX_Vmovsd_xmm_m64 E128=EVEX_Vmovsd_xmm_k1z_m64;
    Vmovshdup = 0xf3 0x0f 0x16 0/0, RegRm, None, Whole, [W R] Keeps, Avx F:
        V256=VEX_Vmovshdup_ymm_ymmm256 E512=EVEX_Vmovshdup_zmm_k1z_zmmm512;
    Vmovss = 0xf3 0x0f 0x10 0/0, RegRm, None, Scalar(4), [W R] Keeps, Avx F:
        V128=VEX_Vmovss_xmm_m32 E128=EVEX_Vmovss_xmm_k1z_m32;
    VmovssStore = 0xf3 0x0f 0x11 0/0, RmReg, None, Scalar(4), [W R] Keeps, Avx F:
        V128=VEX_Vmovss_m32_xmm E128=EVEX_Vmovss_m32_k1_xmm;
    Vmovups = 0 0x0f 0x10 0/0, RegRm, None, Whole, [W R] Keeps, Avx F:
        V128=VEX_Vmovups_xmm_xmmm128 V256=VEX_Vmovups_ymm_ymmm256 E128=EVEX_Vmovups_xmm_k1z_xmmm128
        E512=EVEX_Vmovups_zmm_k1z_zmmm512;
    VmovupsStore = 0 0x0f 0x11 0/0, RmReg, None, Whole, [W R] Keeps, Avx F:
        V128=VEX_Vmovups_xmmm128_xmm V256=VEX_Vmovups_ymmm256_ymm E128=EVEX_Vmovups_xmmm128_k1z_xmm
        E512=EVEX_Vmovups_zmmm512_k1z_zmm;
    Vmulpd = 0x66 0x0f 0x59 0/1, RegVexRm, None, Full(8), [W R R] Keeps, Avx F:
        V256=VEX_Vmulpd_ymm_ymm_ymmm256 E512=EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er;
    Vmulps = 0 0x0f 0x59 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx F:
        V256=VEX_Vmulps_ymm_ymm_ymmm256 E256=EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
    Vpaddd = 0x66 0x0f 0xfe 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpaddd_ymm_ymm_ymmm256 E256=EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
    Vpand = 0x66 0x0f 0xdb 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpand_ymm_ymm_ymmm256 E256=EVEX_Vpandd_ymm_k1z_ymm_ymmm256b32 E512=EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
    Vpandn = 0x66 0x0f 0xdf 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpandn_ymm_ymm_ymmm256 E256=EVEX_Vpandnd_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32;
    Vpblendd = 0x66 0x0f3a 0x02 0/0, RegVexRm, Byte, Whole, [W R R] Keeps, Avx2 No:
        V256=VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
    Vpblendmd = 0x66 0x0f38 0x64 0/0, RegVexRm, None, Full(4), [W R R] Keeps, No F:
        E512=EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32;
    Vpbroadcastd = 0x66 0x0f38 0x58 0/0, RegRm, None, Scalar(4), [W R] Keeps, No F:
        E512=EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
    Vpcmpeqd = 0x66 0x0f 0x76 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpcmpeqd_ymm_ymm_ymmm256 E512=EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32;
    Vpcmpgtd = 0x66 0x0f 0x66 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpcmpgtd_ymm_ymm_ymmm256 E512=EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32;
    Vpermd = 0x66 0x0f38 0x36 0/0, RegVexRm, None, Full(4), [W R R] Keeps, No F:
        E512=EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32;
    Vpermi2d = 0x66 0x0f38 0x76 0/0, RegVexRm, None, Full(4), [RW R R] Keeps, No F:
        E512=EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
    Vpermq = 0x66 0x0f3a 0x00 1/1, RegRm, Byte, Whole, [W R] Keeps, Avx2 No: V256=VEX_Vpermq_ymm_ymmm256_imm8;
    Vpermt2ps = 0x66 0x0f38 0x7f 0/0, RegVexRm, None, Full(4), [RW R R] Keeps, No F:
        E512=EVEX_Vpermt2ps_zmm_k1z_zmm_zmmm512b32;
    Vpermt2w = 0x66 0x0f38 0x7d 1/1, RegVexRm, None, Whole, [RW R R] Keeps, No Bw:
        E512=EVEX_Vpermt2w_zmm_k1z_zmm_zmmm512;
    Vpextrq = 0x66 0x0f3a 0x16 1/1, RmReg, Byte, Scalar(8), [W R] Keeps, Avx Dq:
        V128=VEX_Vpextrq_rm64_xmm_imm8 E128=EVEX_Vpextrq_rm64_xmm_imm8;
    Vpinsrb = 0x66 0x0f3a 0x20 0/0, RegVexRm, Byte, Scalar(1), [W R R] Keeps, Avx Bw:
        V128=VEX_Vpinsrb_xmm_xmm_r32m8_imm8 E128=EVEX_Vpinsrb_xmm_xmm_r32m8_imm8;
    Vpinsrd = 0x66 0x0f3a 0x22 0/0, RegVexRm, Byte, Scalar(4), [W R R] Keeps, Avx Dq:
        V128=VEX_Vpinsrd_xmm_xmm_rm32_imm8 E128=EVEX_Vpinsrd_xmm_xmm_rm32_imm8;
    Vpinsrw = 0x66 0x0f 0xc4 0/0, RegVexRm, Byte, Scalar(2), [W R R] Keeps, Avx Bw:
        V128=VEX_Vpinsrw_xmm_xmm_r32m16_imm8 E128=EVEX_Vpinsrw_xmm_xmm_r32m16_imm8;
    Vpmaxsd = 0x66 0x0f38 0x3d 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpmaxsd_ymm_ymm_ymmm256 E256=EVEX_Vpmaxsd_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32;
    Vpminsd = 0x66 0x0f38 0x39 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpminsd_ymm_ymm_ymmm256 E256=EVEX_Vpminsd_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32;
    Vpminud = 0x66 0x0f38 0x3b 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpminud_ymm_ymm_ymmm256 E256=EVEX_Vpminud_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32;
    Vpmovd2m = 0xf3 0x0f38 0x39 0/0, RegRm, None, Never, [W R] Keeps, No Dq: E512=EVEX_Vpmovd2m_kr_zmm;
    Vpmovm2d = 0xf3 0x0f38 0x38 0/0, RegRm, None, Never, [W R] Keeps, No Dq: E512=EVEX_Vpmovm2d_zmm_kr;
    Vpmuldq = 0x66 0x0f38 0x28 0/1, RegVexRm, None, Full(8), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpmuldq_ymm_ymm_ymmm256 E512=EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64;
    Vpmulld = 0x66 0x0f38 0x40 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpmulld_ymm_ymm_ymmm256 E256=EVEX_Vpmulld_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32;
    Vpor = 0x66 0x0f 0xeb 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V128=VEX_Vpor_xmm_xmm_xmmm128 V256=VEX_Vpor_ymm_ymm_ymmm256 E256=EVEX_Vpord_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
    Vpshufb = 0x66 0x0f38 0x00 0/0, RegVexRm, None, Whole, [W R R] Keeps, Avx2 Bw:
        V256=VEX_Vpshufb_ymm_ymm_ymmm256 E512=EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;
    Vpslld = 0x66 0x0f 0x72 0/0, VexRm(6), Byte, Full(4), [W R] Keeps, Avx2 F:
        V256=VEX_Vpslld_ymm_ymm_imm8 E512=EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
    Vpsllq = 0x66 0x0f 0x73 0/1, VexRm(6), Byte, Full(8), [W R] Keeps, Avx2 F:
        V256=VEX_Vpsllq_ymm_ymm_imm8 E512=EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8;
    Vpsrad = 0x66 0x0f 0x72 0/0, VexRm(4), Byte, Full(4), [W R] Keeps, Avx2 F:
        V256=VEX_Vpsrad_ymm_ymm_imm8 E512=EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;
    Vpsrld = 0x66 0x0f 0x72 0/0, VexRm(2), Byte, Full(4), [W R] Keeps, Avx2 F:
        V256=VEX_Vpsrld_ymm_ymm_imm8 E512=EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
    Vpsrlq = 0x66 0x0f 0x73 0/1, VexRm(2), Byte, Full(8), [W R] Keeps, Avx2 F:
        V256=VEX_Vpsrlq_ymm_ymm_imm8 E512=EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;
    Vpsubd = 0x66 0x0f 0xfa 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V256=VEX_Vpsubd_ymm_ymm_ymmm256 E256=EVEX_Vpsubd_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
    Vpternlogd = 0x66 0x0f3a 0x25 0/0, RegVexRm, Byte, Full(4), [RW R R] Keeps, No F:
        E128=EVEX_Vpternlogd_xmm_k1z_xmm_xmmm128b32_imm8 E256=EVEX_Vpternlogd_ymm_k1z_ymm_ymmm256b32_imm8
        E512=EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
    Vptest = 0x66 0x0f38 0x17 0/0, RegRm, None, Whole, [R R] Sets, Avx No: V256=VEX_Vptest_ymm_ymmm256;
    Vptestmd = 0x66 0x0f38 0x27 0/0, RegVexRm, None, Full(4), [W R R] Keeps, No F:
        E512=EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
    Vpxor = 0x66 0x0f 0xef 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx2 F:
        V128=VEX_Vpxor_xmm_xmm_xmmm128 V256=VEX_Vpxor_ymm_ymm_ymmm256 E128=EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32
        E256=EVEX_Vpxord_ymm_k1z_ymm_ymmm256b32 E512=EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
    Vrangeps = 0x66 0x0f3a 0x50 0/0, RegVexRm, Byte, Full(4), [W R R] Keeps, No Dq:
        E256=EVEX_Vrangeps_ymm_k1z_ymm_ymmm256b32_imm8 E512=EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae;
    Vroundps = 0x66 0x0f3a 0x08 0/0, RegRm, Byte, Full(4), [W R] Keeps, Avx F:
        V256=VEX_Vroundps_ymm_ymmm256_imm8 E512=EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae;
    Vshufi32x4 = 0x66 0x0f3a 0x43 0/0, RegVexRm, Byte, Full(4), [W R R] Keeps, No F:
        E512=EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8;
    Vshufps = 0 0x0f 0xc6 0/0, RegVexRm, Byte, Full(4), [W R R] Keeps, Avx No: V256=VEX_Vshufps_ymm_ymm_ymmm256_imm8;
    Vsqrtps = 0 0x0f 0x51 0/0, RegRm, None, Full(4), [W R] Keeps, Avx F:
        V256=VEX_Vsqrtps_ymm_ymmm256 E512=EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er;
    Vsubpd = 0x66 0x0f 0x5c 0/1, RegVexRm, None, Full(8), [W R R] Keeps, Avx F:
        V256=VEX_Vsubpd_ymm_ymm_ymmm256 E512=EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er;
    Vsubps = 0 0x0f 0x5c 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx F:
        V256=VEX_Vsubps_ymm_ymm_ymmm256 E256=EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er;
    Vunpckhpd = 0x66 0x0f 0x15 0/1, RegVexRm, None, Full(8), [W R R] Keeps, Avx F:
        V256=VEX_Vunpckhpd_ymm_ymm_ymmm256 E512=EVEX_Vunpckhpd_zmm_k1z_zmm_zmmm512b64;
    Vunpckhps = 0 0x0f 0x15 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx F:
        V256=VEX_Vunpckhps_ymm_ymm_ymmm256 E256=EVEX_Vunpckhps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32;
    Vunpcklpd = 0x66 0x0f 0x14 0/1, RegVexRm, None, Full(8), [W R R] Keeps, Avx F:
        V256=VEX_Vunpcklpd_ymm_ymm_ymmm256 E512=EVEX_Vunpcklpd_zmm_k1z_zmm_zmmm512b64;
    Vunpcklps = 0 0x0f 0x14 0/0, RegVexRm, None, Full(4), [W R R] Keeps, Avx F:
        V256=VEX_Vunpcklps_ymm_ymm_ymmm256 E256=EVEX_Vunpcklps_ymm_k1z_ymm_ymmm256b32
        E512=EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32;
    Vzeroupper = 0 0x0f 0x77 0/0, Alone, None, Never, [] Keeps, Avx No: V128=VEX_Vzeroupper;
}
