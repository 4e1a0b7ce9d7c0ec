//! The instructions that a vertex runs through.

use super::units::{self, Rate};
use super::written::Written;
use crate::isa::uses::Uses;
use crate::isa::{Generation, Program, Reading, ScaOp, VecOp};

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
    /// Its slot in program memory.
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
        // An index may name every register that there is.
        let outputs = program.written_outputs() & ((1 << generation.outputs()) - 1);
        let [attributes, outputs] =
            [u32::from(program.live_inputs()), outputs].map(|mask| mask.count_ones() as u16);
        Path { steps, attributes, outputs }
    }

    /// All slots of a program, one after the other.
    pub fn straight(generation: Generation, reading: Reading, program: &Program) -> Path {
        Path::new(generation, reading, program, program.start..program.first + program.insns.len())
    }
}
