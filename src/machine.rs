//! What code is made for, as far as the passes depend on it: how many vertices side by side, how many registers, how far
//! ahead the processor looks. Nothing else in the passes is a matter of the target.
//!
//! Instruction sets are the code generator's matter (`native::Target`, whose [`Machine`] this is).

use crate::ir::func::Func;
use crate::ir::ops::Op;

/// A target as the passes see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Vertices of a group: one 32-bit component of each makes a value of the IR.
    pub lanes: usize,
    /// Lanes of one vector register. A group of more is worked on one vector after the other.
    pub vector: usize,
    /// Vectors that code may keep in registers; the others are for what an instruction needs itself, and for the guards.
    pub registers: usize,
    /// How it runs instructions.
    pub pipeline: Pipeline,
}

/// How a processor runs vector instructions, for the order in which they are given to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pipeline {
    /// Vector instructions that start in a cycle.
    pub width: u32,
    /// Cycles that an instruction may stand before its operands are there: the processor looks ahead so far itself.
    /// Beyond that, time is more important than registers.
    pub slack: u32,
    /// How far in the given order an instruction may be moved forward.
    pub window: usize,
    /// Values that may be alive before saving registers becomes more important than starting early.
    pub pressure: usize,
}

impl Pipeline {
    /// Estimates for recent x86-64 processors, which serve AArch64 unmeasured.
    const RECENT: Pipeline = Pipeline { width: 3, slack: 30, window: 320, pressure: 12 };

    /// Cycles until the result of an operation is there.
    #[inline]
    pub fn cycles(&self, op: Op) -> u32 {
        op.properties().cycles
    }
}

impl Machine {
    /// x86-64 with vectors of 128 bits.
    pub const X86_64: Machine = Machine { lanes: 4, vector: 4, registers: 12, pipeline: Pipeline::RECENT };

    /// AArch64 with vectors of 128 bits.
    pub const AARCH64: Machine = Machine { registers: 26, ..Machine::X86_64 };

    /// The machine that this build runs on.
    pub const HOST: Machine = if cfg!(target_arch = "aarch64") { Machine::AARCH64 } else { Machine::X86_64 };

    /// The length of a host-level function as the code generator sees it.
    pub fn operations(&self, func: &Func) -> usize {
        let once: usize = func.order().map(|value| func.inst(value).op.properties().weight).sum();
        once * self.vectors()
    }

    /// Vectors of a group.
    pub const fn vectors(&self) -> usize {
        self.lanes / self.vector
    }
}
