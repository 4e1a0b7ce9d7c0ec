//! The decoded instruction.

use super::op::{ScaOp, VecOp};

/// A set of components; bit 3 is x, bit 0 is w, as in the microcode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mask(pub u8);

impl Mask {
    /// No component.
    pub const NONE: Mask = Mask(0);
    /// All four components.
    pub const ALL: Mask = Mask(15);

    /// Whether component `c` (0 = x .. 3 = w) is in the set.
    pub const fn has(self, c: usize) -> bool {
        self.0 >> (3 - c) & 1 != 0
    }

    /// Whether no component is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The components in the set, x first.
    pub fn components(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&c| self.has(c))
    }
}

/// For each result component, the source component it takes (0 = x .. 3 = w).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Swizzle(pub [u8; 4]);

impl Swizzle {
    /// `.xyzw`
    pub const IDENTITY: Swizzle = Swizzle([0, 1, 2, 3]);
}

/// Where a source operand reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bank {
    /// No register: MUX 0 on source C. UNKNOWN on silicon; reads as four +0 here (kelvin.md 10).
    None,
    /// Temporary register; on Kelvin 12 is the read-back of oPos.
    Temp(u8),
    /// The instruction's IBUF register.
    Input,
    /// The instruction's XFCTX row, plus A0.x if the instruction is indexed.
    Constant,
}

/// One source operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    /// Register read.
    pub bank: Bank,
    /// Applied first.
    pub swizzle: Swizzle,
    /// Flips the sign bit, NaNs included, after the swizzle.
    pub negate: bool,
}

impl Source {
    /// What an operand that the opcode does not read decodes to.
    pub const UNUSED: Source = Source { bank: Bank::None, swizzle: Swizzle::IDENTITY, negate: false };
}

/// A write to a temporary register; nothing is written where `mask` is empty (then `reg` is 0).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TempWrite {
    /// Register number, 0..=11 on Kelvin.
    pub reg: u8,
    /// Components written.
    pub mask: Mask,
}

/// One of the two execution units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// The vector unit (MLU and ALU; MAC).
    Vec,
    /// The scalar unit (ILU).
    Sca,
}

/// The register a [`OutWrite`] reaches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutTarget {
    /// TBUF register, 0..=15.
    Output(u8),
    /// XFCTX row, below the generation's row count.
    Constant(u16),
}

/// The write to an output register or constant, taken from one of the units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutWrite {
    /// Where it goes.
    pub target: OutTarget,
    /// Components written; never empty.
    pub mask: Mask,
    /// Whose result it is.
    pub from: Unit,
}

/// One instruction: up to one operation of each unit, up to three destinations. All reads come before all writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Insn {
    /// Operation of the vector unit.
    pub vec: VecOp,
    /// Operation of the scalar unit.
    pub sca: ScaOp,
    /// SRC0..SRC2 (A, B, C).
    pub src: [Source; 3],
    /// The one IBUF register (0 if no source reads it).
    pub input: u8,
    /// The one XFCTX row (0 if no source reads it).
    pub constant: u16,
    /// Add A0.x to `constant` (false if no source reads a constant).
    pub indexed: bool,
    /// Temporary written with the vector result.
    pub vec_dst: TempWrite,
    /// Temporary written with the scalar result; on Kelvin R1 whenever a vector operation is present.
    pub sca_dst: TempWrite,
    /// Output register or constant written.
    pub out: Option<OutWrite>,
    /// Last instruction; it still executes.
    pub end: bool,
}

/// A program as the machine would run it: a straight line from the start slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// Instructions from the start slot to the first END, or to the end of XFPR.
    pub insns: Vec<Insn>,
    /// Start slot: `insns[i]` came from slot `start + i`.
    pub start: usize,
    /// No END was met: execution stopped at the end of the words given or of XFPR.
    pub unterminated: bool,
}
