//! The table of instructions: one row each, as the manual of the architecture encodes them (Arm DDI 0487, C6 and C7).
//!
//! The emitter names an instruction ([`Insn`]) with its operands; the encoder takes the bits from the row and puts each operand
//! into its [`Field`]. Tests compare what comes out with the decoder of the checkers, which has a table of its own, and with binutils.

use Access::{N, R, RW, W};
use Field::*;

/// What is done with an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    R,
    W,
    RW,
    /// It is a number.
    N,
}

/// Where an operand is encoded, and which values it may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    /// A register: the first of the manual's, at bit 0, and those at bits 5, 16 and 10.
    D,
    Nn,
    M,
    A,
    /// A distance in bytes that is a multiple of a power of two: 12 bits of multiples, or 7, the highest of which is a sign.
    Scaled(u8),
    Pair(u8),
    /// A number of 12 bits, of 16, and the amount by which a register is shifted.
    Twelve,
    Sixteen,
    By,
    /// By how many bits 64 are shifted to the right.
    RightInteger,
    /// By how many bits lanes of 32 are shifted to the left, and such lanes and those of 64 to the right.
    Left32,
    Right32,
    Right64,
    /// The number of a word of a vector, and of a pair of words.
    OfWords,
    OfPairs,
    /// The eight bits of which a vector of literals is made, and which of its forms is meant.
    Eight,
    Form,
    /// Where the instruction refers to: so many instructions from here. A condition.
    Near,
    Far,
    Condition,
}

impl Field {
    /// The bits of a value; nothing if it has none.
    pub(super) const fn bits(self, value: u32) -> Option<u32> {
        // The value itself, how many there are, and where they begin.
        let (value, count, at) = match self {
            D => (value, 32, 0),
            Nn => (value, 32, 5),
            M => (value, 32, 16),
            A => (value, 32, 10),
            Scaled(log) if value & ((1 << log) - 1) == 0 => (value >> log, 1 << 12, 10),
            Pair(log) if value & ((1 << log) - 1) == 0 => (value >> log, 1 << 6, 15),
            Scaled(_) | Pair(_) => return None,
            Twelve => (value, 1 << 12, 10),
            Sixteen => (value, 1 << 16, 5),
            By => (value, 64, 10),
            RightInteger => (value, 64, 16),
            Left32 if value < 32 => (value + 32, 64, 16),
            Right32 if value > 0 && value <= 32 => (64 - value, 64, 16),
            Right64 if value > 0 && value <= 64 => (128 - value, 128, 16),
            Left32 | Right32 | Right64 => return None,
            OfWords => (value, 4, 19),
            OfPairs => (value, 2, 20),
            Eight if value < 256 => return Some(value >> 5 << 16 | (value & 31) << 5),
            Eight => return None,
            Form => (value, 16, 12),
            Near => return Some((value & 0x7_ffff) << 5),
            Far => return Some(value & 0x3ff_ffff),
            Condition => (value, 16, 0),
        };
        if value < count { Some(value << at) } else { None }
    }
}

/// What is known of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// What it is called, and its operands, as the table of the checkers has them.
    #[cfg_attr(not(test), allow(dead_code, reason = "tests compare it with the table of the checkers"))]
    pub(super) text: &'static str,
    /// The bits that all of them have.
    bits: u32,
    pub(super) fields: &'static [Field],
    /// What is done with the operands, in the order of the fields.
    #[cfg_attr(not(test), allow(dead_code, reason = "tests compare it with the table of the checkers"))]
    pub(super) accesses: &'static [Access],
}

impl Row {
    /// The instruction with these operands; nothing if one has no encoding.
    #[inline]
    pub(super) fn encode(&self, operands: &[u32]) -> Option<u32> {
        if operands.len() != self.fields.len() {
            return None;
        }
        let mut all = self.fields.iter().zip(operands);
        all.try_fold(self.bits, |bits, (field, &operand)| Some(bits | field.bits(operand)?))
    }
}

macro_rules! instructions {
    ($($name:ident = $text:literal, $bits:literal, [$($field:expr),*] [$($access:expr),*];)*) => {
        /// An instruction that code here is made of.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Insn {
            $(#[doc = concat!("`", $text, "`.")] $name,)*
        }

        /// All rows, in the order of [`Insn`].
        static ROWS: &[Row] = &[$(Row {
            text: $text,
            bits: $bits,
            fields: &[$($field),*],
            accesses: &[$($access),*],
        },)*];

        /// All instructions.
        #[cfg(test)]
        pub(super) static ALL: &[Insn] = &[$(Insn::$name),*];
    };
}

#[rustfmt::skip]
instructions! {
    // Control.
    B       = "b @",                          0x1400_0000, [Far] [N];
    BCond   = "b.c @",                        0x5400_0000, [Condition, Near] [N, N];
    Ret     = "ret",                          0xd65f_03c0, [] [];

    // Integers.
    Not     = "mov Xd, #i",                   0x9280_0000, [D, Sixteen] [W, N];
    MovX    = "mov Xd, Xm",                   0xaa00_03e0, [D, M] [W, R];
    AddI    = "add Xd, Xn, #i",               0x9100_0000, [D, Nn, Twelve] [W, R, N];
    AddPage = "add Xd, Xn, #i, lsl #12",      0x9140_0000, [D, Nn, Twelve] [W, R, N];
    SubI    = "sub Xd, Xn, #i",               0xd100_0000, [D, Nn, Twelve] [W, R, N];
    AddX    = "add Xd, Xn, Xm",               0x8b00_0000, [D, Nn, M] [W, R, R];
    AddBy   = "add Xd, Xn, Xm, lsl #i",       0x8b00_0000, [D, Nn, M, By] [W, R, R, N];
    MulX    = "mul Xd, Xn, Xm",               0x9b00_7c00, [D, Nn, M] [W, R, R];
    Madd    = "madd Xd, Xn, Xm, Xa",          0x9b00_0000, [D, Nn, M, A] [W, R, R, R];
    Lsr     = "lsr Xd, Xn, #i",               0xd340_fc00, [D, Nn, RightInteger] [W, R, N];
    CmpI    = "cmp Xn, #i",                   0xf100_001f, [Nn, Twelve] [R, N];
    CmpX    = "cmp Xn, Xm",                   0xeb00_001f, [Nn, M] [R, R];

    // Memory.
    LdrX    = "ldr Xd, [Xs, #i]",             0xf940_0000, [D, Nn, Scaled(3)] [W, R, N];
    LdrW    = "ldr Wd, [Xs, #i]",             0xb940_0000, [D, Nn, Scaled(2)] [W, R, N];
    LdrhW   = "ldrh Wd, [Xs, #i]",            0x7940_0000, [D, Nn, Scaled(1)] [W, R, N];
    LdpX    = "ldp Xd, Xa, [Xs, #i]",         0xa940_0000, [D, A, Nn, Pair(3)] [W, W, R, N];
    StpX    = "stp Xd, Xa, [Xs, #i]",         0xa900_0000, [D, A, Nn, Pair(3)] [R, R, R, N];
    LdpD    = "ldp Dd, Da, [Xs, #i]",         0x6d40_0000, [D, A, Nn, Pair(3)] [W, W, R, N];
    StpD    = "stp Dd, Da, [Xs, #i]",         0x6d00_0000, [D, A, Nn, Pair(3)] [R, R, R, N];
    LdrQ    = "ldr Qd, [Xs, #i]",             0x3dc0_0000, [D, Nn, Scaled(4)] [W, R, N];
    LdrD    = "ldr Dd, [Xs, #i]",             0xfd40_0000, [D, Nn, Scaled(3)] [W, R, N];
    LdrS    = "ldr Sd, [Xs, #i]",             0xbd40_0000, [D, Nn, Scaled(2)] [W, R, N];
    LdrH    = "ldr Hd, [Xs, #i]",             0x7d40_0000, [D, Nn, Scaled(1)] [W, R, N];
    LdrB    = "ldr Bd, [Xs, #i]",             0x3d40_0000, [D, Nn, Scaled(0)] [W, R, N];
    StrQ    = "str Qd, [Xs, #i]",             0x3d80_0000, [D, Nn, Scaled(4)] [R, R, N];
    StrS    = "str Sd, [Xs, #i]",             0xbd00_0000, [D, Nn, Scaled(2)] [R, R, N];
    LdrQAt  = "ldr Qd, [Xs, Xm]",             0x3ce0_6800, [D, Nn, M] [W, R, R];
    LdrQAtW = "ldr Qd, [Xs, Wm, uxtw]",       0x3ce0_4800, [D, Nn, M] [W, R, R];
    StrQAt  = "str Qd, [Xs, Xm]",             0x3ca0_6800, [D, Nn, M] [R, R, R];
    LdrQPc  = "ldr Qd, @",                    0x9c00_0000, [D, Near] [W, N];

    // Words of vectors that go elsewhere.
    Zip1    = "zip1 Vd.4s, Vn.4s, Vm.4s",     0x4e80_3800, [D, Nn, M] [W, R, R];
    Zip2    = "zip2 Vd.4s, Vn.4s, Vm.4s",     0x4e80_7800, [D, Nn, M] [W, R, R];
    Uzp1    = "uzp1 Vd.4s, Vn.4s, Vm.4s",     0x4e80_1800, [D, Nn, M] [W, R, R];
    Uzp2    = "uzp2 Vd.4s, Vn.4s, Vm.4s",     0x4e80_5800, [D, Nn, M] [W, R, R];
    Low     = "uzp1 Vd.2d, Vn.2d, Vm.2d",     0x4ec0_1800, [D, Nn, M] [W, R, R];
    High    = "uzp2 Vd.2d, Vn.2d, Vm.2d",     0x4ec0_5800, [D, Nn, M] [W, R, R];
    DupS    = "dup Vd.4s, Vn.s[i]",           0x4e04_0400, [D, Nn, OfWords] [W, R, N];
    MovS    = "mov Sd, Vn.s[i]",              0x5e04_0400, [D, Nn, OfWords] [W, R, N];
    ToX     = "mov Xd, Vn.d[i]",              0x4e08_3c00, [D, Nn, OfPairs] [W, R, N];

    // Words of its own.
    Movi    = "movi Vd.4s, #i",               0x4f00_0400, [D, Form, Eight] [W, N, N];
    Mvni    = "mvni Vd.4s, #i",               0x6f00_0400, [D, Form, Eight] [W, N, N];

    // Vectors of integers.
    And     = "and Vd.16b, Vn.16b, Vm.16b",   0x4e20_1c00, [D, Nn, M] [W, R, R];
    Bic     = "bic Vd.16b, Vn.16b, Vm.16b",   0x4e60_1c00, [D, Nn, M] [W, R, R];
    Orr     = "orr Vd.16b, Vn.16b, Vm.16b",   0x4ea0_1c00, [D, Nn, M] [W, R, R];
    Orn     = "orn Vd.16b, Vn.16b, Vm.16b",   0x4ee0_1c00, [D, Nn, M] [W, R, R];
    Eor     = "eor Vd.16b, Vn.16b, Vm.16b",   0x6e20_1c00, [D, Nn, M] [W, R, R];
    Bsl     = "bsl Vd.16b, Vn.16b, Vm.16b",   0x6e60_1c00, [D, Nn, M] [RW, R, R];
    Bit     = "bit Vd.16b, Vn.16b, Vm.16b",   0x6ea0_1c00, [D, Nn, M] [RW, R, R];
    Bif     = "bif Vd.16b, Vn.16b, Vm.16b",   0x6ee0_1c00, [D, Nn, M] [RW, R, R];
    Mvn     = "mvn Vd.16b, Vn.16b",           0x6e20_5800, [D, Nn] [W, R];
    Add     = "add Vd.4s, Vn.4s, Vm.4s",      0x4ea0_8400, [D, Nn, M] [W, R, R];
    Sub     = "sub Vd.4s, Vn.4s, Vm.4s",      0x6ea0_8400, [D, Nn, M] [W, R, R];
    Mul     = "mul Vd.4s, Vn.4s, Vm.4s",      0x4ea0_9c00, [D, Nn, M] [W, R, R];
    Smull   = "smull Vd.2d, Vn.2s, Vm.2s",    0x0ea0_c000, [D, Nn, M] [W, R, R];
    Smull2  = "smull2 Vd.2d, Vn.4s, Vm.4s",   0x4ea0_c000, [D, Nn, M] [W, R, R];
    Shl     = "shl Vd.4s, Vn.4s, #i",         0x4f00_5400, [D, Nn, Left32] [W, R, N];
    Ushr    = "ushr Vd.4s, Vn.4s, #i",        0x6f00_0400, [D, Nn, Right32] [W, R, N];
    Sshr    = "sshr Vd.4s, Vn.4s, #i",        0x4f00_0400, [D, Nn, Right32] [W, R, N];
    UshrD   = "ushr Vd.2d, Vn.2d, #i",        0x6f00_0400, [D, Nn, Right64] [W, R, N];
    Smax    = "smax Vd.4s, Vn.4s, Vm.4s",     0x4ea0_6400, [D, Nn, M] [W, R, R];
    Smin    = "smin Vd.4s, Vn.4s, Vm.4s",     0x4ea0_6c00, [D, Nn, M] [W, R, R];
    Umin    = "umin Vd.4s, Vn.4s, Vm.4s",     0x6ea0_6c00, [D, Nn, M] [W, R, R];
    Umaxp   = "umaxp Vd.4s, Vn.4s, Vm.4s",    0x6ea0_a400, [D, Nn, M] [W, R, R];
    Cmeq    = "cmeq Vd.4s, Vn.4s, Vm.4s",     0x6ea0_8c00, [D, Nn, M] [W, R, R];
    Cmgt    = "cmgt Vd.4s, Vn.4s, Vm.4s",     0x4ea0_3400, [D, Nn, M] [W, R, R];
    Cmhi    = "cmhi Vd.4s, Vn.4s, Vm.4s",     0x6ea0_3400, [D, Nn, M] [W, R, R];
    Rev32   = "rev32 Vd.16b, Vn.16b",         0x6e20_0800, [D, Nn] [W, R];

    // Vectors of floats.
    Fadd    = "fadd Vd.4s, Vn.4s, Vm.4s",     0x4e20_d400, [D, Nn, M] [W, R, R];
    Fsub    = "fsub Vd.4s, Vn.4s, Vm.4s",     0x4ea0_d400, [D, Nn, M] [W, R, R];
    Fmul    = "fmul Vd.4s, Vn.4s, Vm.4s",     0x6e20_dc00, [D, Nn, M] [W, R, R];
    Fdiv    = "fdiv Vd.4s, Vn.4s, Vm.4s",     0x6e20_fc00, [D, Nn, M] [W, R, R];
    Fmax    = "fmax Vd.4s, Vn.4s, Vm.4s",     0x4e20_f400, [D, Nn, M] [W, R, R];
    Fmla    = "fmla Vd.4s, Vn.4s, Vm.4s",     0x4e20_cc00, [D, Nn, M] [RW, R, R];
    Fcmeq   = "fcmeq Vd.4s, Vn.4s, Vm.4s",    0x4e20_e400, [D, Nn, M] [W, R, R];
    Fcmge   = "fcmge Vd.4s, Vn.4s, Vm.4s",    0x6e20_e400, [D, Nn, M] [W, R, R];
    Fcmgt   = "fcmgt Vd.4s, Vn.4s, Vm.4s",    0x6ea0_e400, [D, Nn, M] [W, R, R];
    Fsqrt   = "fsqrt Vd.4s, Vn.4s",           0x6ea1_f800, [D, Nn] [W, R];
    Frintm  = "frintm Vd.4s, Vn.4s",          0x4e21_9800, [D, Nn] [W, R];
    Scvtf   = "scvtf Vd.4s, Vn.4s",           0x4e21_d800, [D, Nn] [W, R];
    Fcvtzs  = "fcvtzs Vd.4s, Vn.4s",          0x4ea1_b800, [D, Nn] [W, R];
    Fcvtl   = "fcvtl Vd.2d, Vn.2s",           0x0e61_7800, [D, Nn] [W, R];
    Fcvtl2  = "fcvtl2 Vd.2d, Vn.4s",          0x4e61_7800, [D, Nn] [W, R];
    FaddD   = "fadd Vd.2d, Vn.2d, Vm.2d",     0x4e60_d400, [D, Nn, M] [W, R, R];
    FsubD   = "fsub Vd.2d, Vn.2d, Vm.2d",     0x4ee0_d400, [D, Nn, M] [W, R, R];
    FmulD   = "fmul Vd.2d, Vn.2d, Vm.2d",     0x6e60_dc00, [D, Nn, M] [W, R, R];
    FmlaD   = "fmla Vd.2d, Vn.2d, Vm.2d",     0x4e60_cc00, [D, Nn, M] [RW, R, R];
}

impl Insn {
    /// Its row.
    #[inline]
    pub(super) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

/// Conditions of branches, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cond {
    Equal = 0,
    Unequal = 1,
    Below = 3,
    AtMost = 9,
}

/// The instruction, with its form and its eight bits, that puts a word into all lanes; nothing if there is none.
pub(super) fn made_at_once(word: u32) -> Option<(Insn, u32, u32)> {
    /// The form whose bits are those of a float, of which the highest three are made of one.
    const FLOAT: u32 = 15;
    for (insn, word) in [(Insn::Movi, word), (Insn::Mvni, !word)] {
        for byte in 0..4 {
            if word & !(0xff << (8 * byte)) == 0 {
                return Some((insn, 2 * byte, word >> (8 * byte)));
            }
        }
        // With ones below.
        for byte in 1..3 {
            let ones = (1 << (8 * byte)) - 1;
            if word & ones == ones && word & !(0xff << (8 * byte)) == ones {
                return Some((insn, 11 + byte, word >> (8 * byte)));
            }
        }
    }
    let (low, high) = (word & 0xffff, word >> 16);
    if low == high {
        for byte in 0..2 {
            if low & !(0xff << (8 * byte)) == 0 {
                return Some((Insn::Movi, 8 + 2 * byte, low >> (8 * byte)));
            }
        }
        if low & 0xff == low >> 8 {
            return Some((Insn::Movi, 14, low & 0xff));
        }
    }
    let is_short = word & 0x7_ffff == 0 && matches!(word >> 25 & 0x3f, 0x1f | 0x20);
    is_short.then_some((Insn::Movi, FLOAT, word >> 24 & 0x80 | word >> 19 & 0x7f))
}

#[cfg(test)]
#[allow(clippy::wildcard_enum_match_arm, reason = "the tests look at few of the fields and rows")]
mod tests;
