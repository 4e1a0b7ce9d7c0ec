//! The widths of code, and the machines that have them.

use crate::backend::CompileError;
use crate::machine::{Machine, Timing};

/// How many lanes a vector has, and with which instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    /// Eight lanes: AVX2, 16 registers.
    Eight,
    /// Sixteen lanes: AVX-512 (F, DQ, VL, BW), 32 registers.
    Sixteen,
}

impl Width {
    /// All widths, narrow ones first.
    pub const ALL: &[Width] = &[Width::Eight, Width::Sixteen];

    /// Vertices of a group, which is one vector.
    pub const fn lanes(self) -> usize {
        match self {
            Width::Eight => 8,
            Width::Sixteen => 16,
        }
    }

    /// The name of the back end.
    pub const fn name(self) -> &'static str {
        match self {
            Width::Eight => "wide8",
            Width::Sixteen => "wide16",
        }
    }

    /// The level of the x86-64 ABI whose processors have it.
    pub const fn level(self) -> &'static str {
        match self {
            Width::Eight => "x86-64-v3",
            Width::Sixteen => "x86-64-v4",
        }
    }

    /// Whether this machine has it. (The calling convention of Windows, with vector registers that belong to the caller, is
    /// not built.)
    pub fn is_here(self) -> bool {
        if cfg!(windows) {
            return false;
        }
        use std::arch::is_x86_feature_detected as has;
        match self {
            Width::Eight => has!("avx2"),
            Width::Sixteen => has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw"),
        }
    }

    /// Refuses a machine that has it not.
    pub(in crate::native) fn check_host(self) -> Result<(), CompileError> {
        if self.is_here() {
            return Ok(());
        }
        Err(CompileError::Host(format!("no vectors of {} lanes ({})", self.lanes(), self.level())))
    }

    /// Vector registers.
    pub(super) const fn registers(self) -> u8 {
        match self {
            Width::Eight => 16,
            Width::Sixteen => 32,
        }
    }

    /// What passes have to know.
    pub const fn machine(self) -> Machine {
        let lanes = self.lanes();
        let Timing { width, slack, reach, pressure } = Machine::X86_64.timing;
        match self {
            Width::Eight => Machine { lanes, vector: lanes, ..Machine::X86_64 },
            Width::Sixteen => Machine {
                lanes,
                vector: lanes,
                registers: 26,
                timing: Timing { width, slack, reach, pressure: 2 * pressure },
            },
        }
    }
}
