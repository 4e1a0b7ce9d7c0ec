//! The instructions that a vertex runs through.

use super::written::Written;
use crate::isa::uses::Uses;
use crate::isa::{Generation, Program, Reading, ScaOp, VecOp};

/// One instruction of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Where it stands in program memory.
    pub slot: usize,
    /// The last of the earlier steps whose result it takes.
    pub needs: Option<usize>,
    /// What comes next is known once it has been executed.
    pub is_branch: bool,
    /// Which units work: vector, scalar.
    pub units: [bool; 2],
}

/// The instructions that a vertex runs through, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The steps.
    pub steps: Vec<Step>,
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
            written.note(steps.len(), &uses[at]);
            let units = [insn.vec != VecOp::Nop, insn.sca != ScaOp::Nop];
            steps.push(Step { slot, needs, is_branch: insn.sca.is_branch(), units });
        }
        Path { steps }
    }

    /// All slots of a program, one after the other.
    pub fn straight(generation: Generation, reading: Reading, program: &Program) -> Path {
        Path::new(generation, reading, program, program.start..program.first + program.insns.len())
    }
}
