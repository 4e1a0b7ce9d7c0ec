//! The widths of code, and the machines that have them.

use super::super::instructions::InstructionSet;
use crate::machine::Machine;

/// How many lanes a vector has, and with which instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    /// Eight lanes: AVX2, 16 registers.
    Eight,
    /// The same, where constants are words that instructions of AVX-512 (VL) broadcast: calls with few vertices begin sooner, since
    /// the prologue has no vectors of them to store.
    EightEvex,
    /// Sixteen lanes: AVX-512 (F, DQ, VL, BW), 32 registers.
    Sixteen,
}

impl Width {
    /// All widths, narrow ones first.
    pub const ALL: &[Width] = &[Width::Eight, Width::EightEvex, Width::Sixteen];

    /// Vertices of a group, which is one vector.
    pub const fn lanes(self) -> usize {
        match self {
            Width::Eight | Width::EightEvex => 8,
            Width::Sixteen => 16,
        }
    }

    /// Whether code works on a last group of fewer vertices. Where vectors are longer there is shorter code beside it, for
    /// batches that it would not fill.
    pub const fn has_tails(self) -> bool {
        match self {
            Width::Eight | Width::EightEvex => true,
            Width::Sixteen => false,
        }
    }

    /// The name of the back end.
    pub const fn name(self) -> &'static str {
        match self {
            Width::Eight => "wide8",
            Width::EightEvex => "wide8e",
            Width::Sixteen => "wide16",
        }
    }

    /// The instruction set that has it.
    pub const fn instructions(self) -> InstructionSet {
        match self {
            Width::Eight => InstructionSet::X86_64V3,
            Width::EightEvex | Width::Sixteen => InstructionSet::X86_64V4,
        }
    }

    /// The width for batches that are too small for this one.
    pub const fn narrower(self) -> Option<Width> {
        match self {
            Width::Eight | Width::EightEvex => None,
            Width::Sixteen => Some(Width::EightEvex),
        }
    }

    /// Whether instructions read constants where they are, a word for all lanes.
    pub(super) const fn reads_constants(self) -> bool {
        match self {
            Width::Eight => false,
            Width::EightEvex | Width::Sixteen => true,
        }
    }

    /// The width of the vectors of an instruction set, if it has some that are wide.
    pub const fn of(instructions: InstructionSet) -> Option<Width> {
        match instructions {
            InstructionSet::X86_64V3 => Some(Width::Eight),
            InstructionSet::X86_64V4 => Some(Width::Sixteen),
            InstructionSet::X86_64V2 | InstructionSet::Aarch64 => None,
        }
    }

    /// Whether this machine has it.
    pub fn is_here(self) -> bool {
        self.instructions().check_host().is_ok()
    }

    /// Vector registers.
    pub(super) const fn registers(self) -> u8 {
        match self {
            Width::Eight | Width::EightEvex => 16,
            Width::Sixteen => 32,
        }
    }

    /// What passes have to know.
    pub const fn machine(self) -> Machine {
        match self {
            Width::Eight => InstructionSet::X86_64V3.machine(),
            Width::EightEvex => Machine::X86_64_V4_HALF,
            Width::Sixteen => InstructionSet::X86_64V4.machine(),
        }
    }
}
