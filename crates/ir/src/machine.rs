//! The properties of a target that the passes depend on: lanes, registers, and the timing that the scheduler goes by.
//!
//! Instruction sets concern only the code generator (`native::Target`, which has a [`Machine`]).

use crate::ir::func::Func;
use crate::ir::ops::Op;
use xfjit_runtime::batch::registers;
use xfjit_runtime::state::Row;

/// So many streams can stay open from one group to the next in code for wide vectors.
pub const OPEN_STREAMS: usize = 6;

/// A target as the passes see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Vertices of a group. An IR value has one 32-bit component for each: a vector.
    pub lanes: usize,
    /// Vector registers for values; the remaining ones are for temporaries of instructions and for guards.
    pub registers: usize,
    /// Whether one instruction picks the operand of greater magnitude: then recipes may use `fmaxmag` and `fminmag`, which are long
    /// everywhere else.
    pub has_magnitudes: bool,
    /// Whether one instruction adds a product, rounded once: then recipes may use `fma` and `dfma`, which there is no code for
    /// elsewhere.
    pub has_fused: bool,
    /// How its processor runs instructions.
    pub timing: Timing,
}

/// A model of how a processor's pipeline runs vector instructions, for the scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Vector instructions that start in a cycle.
    pub width: u32,
    /// Cycles from a comparison until what it has chosen can be used; nothing if that takes as long as the table of operations says.
    pub choice: Option<u32>,
    /// How many cycles an instruction may be scheduled before its operands are available: the processor's look-ahead covers
    /// these. Beyond that, latency is more important than register pressure.
    pub slack: u32,
    /// How far in the given order an instruction may be moved forward.
    pub reach: usize,
    /// From this number of live values on, freeing registers is more important than starting early.
    pub pressure: usize,
}

impl Timing {
    /// Estimates for recent x86-64 processors, which serve AArch64 unmeasured.
    const RECENT: Timing = Timing { width: 3, choice: None, slack: 30, reach: 4000, pressure: 12 };

    /// Latency of an operation in cycles.
    #[inline]
    pub fn cycles(&self, op: Op) -> u32 {
        self.choice.filter(|_| op.compares()).unwrap_or(op.properties().cycles)
    }
}

impl Machine {
    /// x86-64 with vectors of 128 bits.
    pub const X86_64: Machine =
        Machine { lanes: 4, registers: 12, has_magnitudes: false, has_fused: false, timing: Timing::RECENT };

    /// AArch64 with vectors of 128 bits.
    pub const AARCH64: Machine = Machine { registers: 26, has_fused: true, ..Machine::X86_64 };

    /// x86-64 with vectors of 256 bits.
    pub const X86_64_V3: Machine = Machine {
        lanes: 8,
        has_fused: true,
        // An operation takes one and a half instructions, with what it loads and spills.
        timing: Timing { width: 2, pressure: 7, ..Timing::RECENT },
        ..Machine::X86_64
    };

    /// x86-64 with vectors of 512 bits, and twice the registers.
    pub const X86_64_V4: Machine = Machine {
        lanes: 16,
        registers: 26,
        has_magnitudes: true,
        has_fused: true,
        // By way of mask registers; 8.3 on Zen 5.
        timing: Timing { pressure: 18, choice: Some(8), ..Timing::RECENT },
    };

    /// Processors of x86-64-v4 with vectors of 256 bits: for batches of few vertices.
    pub const X86_64_V4_HALF: Machine = Machine { has_magnitudes: true, ..Machine::X86_64_V3 };

    /// The machine that this build runs on, with vectors of 128 bits.
    pub const HOST: Machine = if cfg!(target_arch = "aarch64") { Machine::AARCH64 } else { Machine::X86_64 };

    /// How its processor runs a function. Where sixteen lanes of packed attributes are converted, which takes many short chains of
    /// instructions, what Zen 5 starts in a cycle is counted, four; the order for three is as good or better elsewhere. Where nothing is
    /// loaded but rows of few streams, whose addresses wait for nothing, an order for five is better still.
    pub(crate) fn timing_for(&self, func: &Func) -> Timing {
        let is_packed = |register: usize| func.inputs.format(register).bytes() < size_of::<Row>();
        let converts = self.lanes == 16 && registers(func.live_inputs()).any(is_packed);
        let more = u32::from(converts) + u32::from(converts && opens_few(func));
        Timing { width: self.timing.width + more, ..self.timing }
    }

    /// The length of a host-level function as the code generator sees it.
    pub fn operations(&self, func: &Func) -> usize {
        func.order().map(|value| func.inst(value).op.properties().weight).sum()
    }
}

/// Whether a function accesses rows of few streams, and no others by number.
fn opens_few(func: &Func) -> bool {
    let streams = func.live_inputs().count_ones() + func.live_outputs().count_ones();
    let looks_up = |value| matches!(func.inst(value).op, Op::Gather | Op::Table);
    streams as usize <= OPEN_STREAMS && !func.order().any(looks_up)
}
