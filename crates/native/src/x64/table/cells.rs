//! What the cells of the table may hold.

use super::super::encode::Prefix;

/// A column of the table: an encoding, and how many bits its vectors have. An instruction exists in some of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Column {
    /// No vectors: general registers.
    Plain,
    /// VEX, 128 bits; also that of instructions on mask registers, of either length.
    V128,
    /// VEX, 256 bits.
    V256,
    /// EVEX, 128 bits.
    E128,
    /// EVEX, 256 bits.
    E256,
    /// EVEX, 512 bits.
    E512,
}

/// How many there are.
pub(super) const COLUMNS: usize = Column::ALL.len();

impl Column {
    /// All of them.
    pub(crate) const ALL: [Column; 6] =
        [Column::Plain, Column::V128, Column::V256, Column::E128, Column::E256, Column::E512];

    /// The bits of its vectors.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Column::Plain | Column::V128 | Column::E128 => 128,
            Column::V256 | Column::E256 => 256,
            Column::E512 => 512,
        }
    }

    pub(super) const fn prefix(self) -> Prefix {
        match self {
            Column::Plain => Prefix::Legacy,
            Column::V128 | Column::V256 => Prefix::Vex,
            Column::E128 | Column::E256 | Column::E512 => Prefix::Evex,
        }
    }
}

/// Whether memory may stand in for an operand of an instruction, and what is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// It may not.
    Never,
    /// A vector as long as the column's. With EVEX also an element of this many bytes, which is read for all lanes.
    Full(u8),
    /// A vector as long as the column's, and nothing else.
    Whole,
    /// Half of such a vector; with EVEX also an element of this many bytes.
    Half(u8),
    /// So many bytes of a vector.
    Part(u8),
    /// An element of so many bytes.
    Scalar(u8),
}

/// What an instruction does with an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Nothing: it is an address that is computed.
    N,
    /// It reads it.
    R,
    /// It writes it, all of it.
    W,
    /// It reads it and writes it.
    RW,
}

/// What an instruction does with the processor's flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flags {
    /// It leaves them alone.
    Keeps,
    /// It writes some, or leaves them undefined.
    Sets,
    /// It reads some.
    Tests,
}

/// A feature of processors that an encoding of an instruction needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Feature {
    /// None that x86-64 lacks; or there is no such encoding.
    No,
    Avx,
    /// AVX2 for vectors of 256 bits, AVX for those of 128.
    Avx2,
    Fma,
    /// AVX-512, F.
    F,
    /// AVX-512, DQ.
    Dq,
    /// AVX-512, BW.
    Bw,
    /// AVX-512, VL.
    #[allow(
        dead_code,
        reason = "tests compare it with the processor's manuals as iced has them; no checker asks yet"
    )]
    Vl,
}
