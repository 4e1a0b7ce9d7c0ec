//! What both checkers know of decoded code, whatever processor it is for.

use super::contract::Convention;
use crate::backend::CompileError;
use std::fmt;
use std::ops::Range;

/// Code that breaks the contract, computes something else than its function, or is not understood: a bug of this library or of the
/// code generator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    at: u64,
    why: String,
}

impl Fault {
    pub(super) fn new(at: u64, why: &str) -> Self {
        Fault { at, why: why.to_owned() }
    }

    /// One of an instruction.
    pub(super) fn of(insn: &impl Insn, why: &str) -> Self {
        Fault { at: insn.at(), why: format!("{}: {why}", insn.text()) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "machine code at {:#x}: {}", self.at, self.why)
    }
}

impl From<Fault> for CompileError {
    fn from(fault: Fault) -> Self {
        CompileError::Codegen(fault.to_string())
    }
}

/// An instruction of some processor.
pub(super) trait Insn: Copy {
    /// The registers of the convention of its code.
    const CONVENTION: &'static Convention;

    /// Its address.
    fn at(&self) -> u64;

    /// Where it leads to, if it is a jump.
    fn target(&self) -> u64;

    /// What messages call it.
    fn text(&self) -> String;
}

/// Where control goes behind an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Next,
    /// To its target, or to the next one.
    Branch,
    Jump,
    Return,
    /// Nowhere: it stops the process.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other code has none"))]
    Trap,
}

/// An instruction in its place.
#[derive(Clone, Copy)]
pub(super) struct Step<I> {
    pub(super) insn: I,
    pub(super) flow: Flow,
    /// Whether it does nothing but compute a vector, or a mask, of what is in registers.
    pub(super) is_of_vectors: bool,
    /// Whether it is the jump of a loop that makes room on the stack, which is followed turn by turn.
    pub(super) is_probe: bool,
}

/// A place that jumps lead to; the first one is the entry.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) at: u64,
    /// The number of the first step there, or behind.
    pub(super) step: usize,
    /// Whether a jump comes from behind it, and whether one does under a condition, as loops do.
    pub(super) is_gone_back_to: bool,
    pub(super) is_loop: bool,
}

impl Head {
    pub(super) const fn new(at: u64) -> Self {
        Head { at, step: 0, is_gone_back_to: false, is_loop: false }
    }

    /// Notes that an instruction leads here.
    pub(super) fn come_from(&mut self, from: u64, flow: Flow) {
        if from >= self.at {
            self.is_gone_back_to = true;
            self.is_loop |= flow == Flow::Branch;
        }
    }
}

/// The instructions of a function in the order of their addresses.
pub(super) struct Decoded<I> {
    pub(super) steps: Vec<Step<I>>,
    pub(super) heads: Vec<Head>,
    /// The end of the instructions.
    pub(super) end: u64,
    /// Where literals may be: bytes of no instruction.
    pub(super) literals: Vec<Range<u64>>,
}

impl<I: Insn> Decoded<I> {
    /// Those of steps in any order, and of places that jumps lead to.
    pub(super) fn new(
        mut steps: Vec<Step<I>>,
        heads: impl Iterator<Item = Head>,
        end: u64,
        literals: Vec<Range<u64>>,
    ) -> Self {
        if !steps.is_sorted_by_key(|step| step.insn.at()) {
            steps.sort_by_key(|step| step.insn.at());
        }
        let at = |head: Head| Head { step: steps.partition_point(|step| step.insn.at() < head.at), ..head };
        let heads = heads.map(at).collect();
        Decoded { steps, heads, end, literals }
    }
}
