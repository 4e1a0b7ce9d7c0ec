//! Hypotheses about programs of NVIDIA's chips. `front/micro.rs` implements them, and `interp/` does so a second time.

use crate::isa::{Insn, Unit};

/// Which unit's write remains if both units of one instruction write the same component (UNKNOWN on silicon: kelvin.md 2, R1;
/// rankine_curie.md 8.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WriteOrder {
    /// Both write; the scalar unit wins where the masks overlap.
    ScalarWins,
    /// Both write; the vector unit wins where the masks overlap.
    VectorWins,
    /// If both write the same temporary, the vector unit's write is dropped; otherwise the scalar unit wins.
    VectorDropped,
}

impl WriteOrder {
    /// The units in the order in which they write.
    pub const fn units(self) -> [Unit; 2] {
        match self {
            WriteOrder::VectorWins => [Unit::Sca, Unit::Vec],
            WriteOrder::ScalarWins | WriteOrder::VectorDropped => [Unit::Vec, Unit::Sca],
        }
    }

    /// Whether a unit's write to a temporary is dropped.
    pub fn drops(self, insn: &Insn, unit: Unit) -> bool {
        self == WriteOrder::VectorDropped
            && unit == Unit::Vec
            && !insn.sca_dst.mask.is_empty()
            && insn.sca_dst.reg == insn.vec_dst.reg
    }
}

/// What a masked write to oFog leaves in its x component, which is the fog value (kelvin.md 3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FogWrite {
    /// The result's x, whatever the mask, unless it is empty. Captures of the console show this.
    AnyComponent,
    /// Like any register: x only if the mask names it.
    Masked,
}

/// What is added to the operand of ARL before the floor (kelvin.md 2, ARL); ARR uses its operand unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressBias {
    /// Nothing: the chip.
    None,
    /// 0.001. Several emulators do this to make up for host rounding; it is wrong for some programs.
    Milli,
}

/// What END does on a branch that is taken (rankine_curie.md 2.5; UNKNOWN on silicon, 8.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndOnBranch {
    /// The branch is taken, as the GL specification says.
    Continues,
    /// The program ends after the instruction: the branch does nothing, a call pushes nothing.
    Ends,
}

/// Where BRA and CAL with a register operand go (SCA 0x08 and 0x0a; UNKNOWN on silicon, rankine_curie.md 8.3). The
/// register is read before the instruction writes any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Indirect {
    /// To the entry of [`Config::branch_table`](crate::config::Config::branch_table) that the address register names, clamped
    /// to 0..=15.
    Table,
    /// To the slot that the address register names; a negative one ends the program like a slot past the end.
    Slot,
}

/// What ARL (after [`AddressBias`]) and ARR make of NaN (UNKNOWN on silicon, kelvin.md 10, rankine_curie.md 8.5). Infinities
/// saturate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressNan {
    /// 0.
    Zero,
    /// The least address, as conversions of most hosts give.
    Least,
}

/// What saturate makes of NaN (UNKNOWN on silicon, rankine_curie.md 8.1). Addresses are not saturated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SaturateNan {
    /// It passes, as in the pseudo-code of the GL specification.
    Passes,
    /// +0.
    Zero,
}

/// What an indexed read of constants outside the rows that may be read gives (UNKNOWN, kelvin.md 2, rankine_curie.md 8.4).
///
/// Indexed inputs and outputs have no choice. UNKNOWN: the specification leaves them undefined (rankine_curie.md 2.4);
/// here an input register that does not exist reads (0, 0, 0, 0), and a write to an output register that does not
/// exist is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutOfRange {
    /// (0, 0, 0, 0), as the GL specification says.
    Zero,
    /// The row number wraps at 256 (Kelvin), 512 (Rankine) or 1024 (Curie); a row that does not exist or may not be read is 0.
    Wraps,
}
