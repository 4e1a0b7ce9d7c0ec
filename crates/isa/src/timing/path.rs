//! The instructions that a vertex runs through.

use super::units::{self, Rate};
use super::written::Written;
use crate::isa::uses::Uses;
use crate::isa::{Bank, Generation, OutTarget, Program, Reading, ScaOp, VecOp};

/// The last of the earlier steps whose results a step takes: of those that come like any other, and of texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// If who reads a component needs that component.
    pub components: [Option<usize>; 2],
    /// If who reads a component needs the whole register.
    pub registers: [Option<usize>; 2],
}

/// One instruction of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Where it stands in program memory.
    pub slot: usize,
    /// What it takes of earlier steps.
    pub needs: Needs,
    /// What comes next is known once it has been executed.
    pub is_branch: bool,
    /// Which units of microcode work: vector, scalar.
    pub units: [bool; 2],
    /// What both take of the execution units.
    pub rates: [&'static [Rate]; 2],
}

/// The instructions that a vertex runs through, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The steps.
    pub steps: Vec<Step>,
    /// Attributes that change with each vertex, and so are copied: those that the program reads.
    pub attributes: u16,
    /// Outputs that leave: those that the program writes.
    pub outputs: u16,
}

impl Path {
    /// Of slots in the order of their execution; those in which nothing stands are left out. Programs without branches go through
    /// [`Path::straight`].
    pub fn new(
        generation: Generation,
        reading: Reading,
        program: &Program,
        slots: impl IntoIterator<Item = usize>,
    ) -> Path {
        let back = reading.reads_position_back(generation);
        let uses: Vec<Uses> = program.insns.iter().map(|insn| Uses::new(insn, back)).collect();
        let mut written = Written::default();
        let mut steps = Vec::new();
        for slot in slots {
            let Some(at) = slot.checked_sub(program.first).filter(|&at| at < program.insns.len()) else {
                continue;
            };
            let insn = &program.insns[at];
            let needs = written.needed_by(&uses[at]);
            written.note(steps.len(), &uses[at], insn.vec == VecOp::Txl);
            let units = [insn.vec != VecOp::Nop, insn.sca != ScaOp::Nop];
            let rates = [units::of_vector(insn.vec), units::of_scalar(insn.sca)];
            steps.push(Step { slot, needs, is_branch: insn.sca.is_branch(), units, rates });
        }
        let (attributes, outputs) = (attributes(program), outputs(generation, program));
        Path { steps, attributes, outputs }
    }

    /// All slots of a program, one after the other.
    pub fn straight(generation: Generation, reading: Reading, program: &Program) -> Path {
        Path::new(generation, reading, program, program.start..program.first + program.insns.len())
    }
}

/// How many attributes a program reads; with an index it may read any.
fn attributes(program: &Program) -> u16 {
    let mut read = 0u16;
    for insn in &program.insns {
        let reads = |&slot: &_| insn.source(slot).bank == Bank::Input;
        let slots = insn.vec.reads().iter().chain(insn.sca.reads());
        if slots.into_iter().any(reads) {
            read |= if insn.input_indexed { u16::MAX } else { 1 << (insn.input & 15) };
        }
    }
    read.count_ones() as u16
}

/// How many outputs a program writes; with an index it may write any.
fn outputs(generation: Generation, program: &Program) -> u16 {
    let mut written = 0u64;
    for insn in &program.insns {
        let Some(out) = insn.out else { continue };
        let OutTarget::Output(register) = out.target else { continue };
        if out.vec.0 | out.sca.0 != 0 {
            written |=
                if insn.output_indexed { (1 << generation.outputs()) - 1 } else { 1 << (register & 63) };
        }
    }
    written.count_ones() as u16
}
