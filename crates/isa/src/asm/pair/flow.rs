//! The blocks of a program, and which of their results are read behind them.

use std::ops::Range;

use crate::chip::programs::POSITION_READ_BACK;
use crate::isa::op::{Effect, Jump, Kind, Slot};
use crate::isa::uses::{Place, Uses, is_position};
use crate::isa::{
    Bank, Condition, Generation, Insn, Mask, Program, Reading, ScaOp, Source, VecOp, decode_insn, encode_insn,
};

/// Numbers of temporaries that a draft may have; chips have fewer.
pub(super) const TEMPS: usize = 256;
const ADDRESSES: usize = TEMPS;
const CODES: usize = ADDRESSES + 2;
const OUTPUTS: usize = CODES + 2;
/// Most output registers that a chip has, and some.
const MOST_OUTPUTS: usize = 32;

/// Components that may be read before they are written. Constants and the stack are not among them: they always may.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Live([Mask; OUTPUTS + MOST_OUTPUTS]);

/// Instructions that run one after the other, whatever happens.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Which, by their place in the program.
    pub(super) insns: Range<usize>,
    /// The blocks that may run next.
    next: Vec<usize>,
    /// Whether the program may end behind it.
    exits: bool,
    /// Whether the program ends behind it although nothing says so.
    pub(super) falls_off: bool,
    /// What is read behind it.
    pub(super) live: Live,
}

/// The blocks that may run, in the order of their slots.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) blocks: Vec<Block>,
    reads_position_back: bool,
}

impl Live {
    pub(super) fn nothing() -> Live {
        Live([Mask::NONE; OUTPUTS + MOST_OUTPUTS])
    }

    fn number(place: Place) -> Option<usize> {
        Some(match place {
            Place::Temp(register) => usize::from(register),
            Place::Address(register) => ADDRESSES + usize::from(register),
            Place::Code(register) => CODES + usize::from(register),
            Place::Output(register) => OUTPUTS + usize::from(register),
            Place::Constant(_) | Place::AnyConstant | Place::AnyOutput | Place::Stack => return None,
        })
    }

    /// Components of a place that may be read; all of those that are not followed.
    pub(super) fn of(&self, place: Place) -> Mask {
        Live::number(place).map_or(Mask::ALL, |number| self.0[number])
    }

    /// Components of a temporary that may be read.
    pub(super) fn temp(&self, register: u8) -> Mask {
        self.0[usize::from(register)]
    }

    fn add_all(&mut self, other: &Live) {
        self.0.iter_mut().zip(&other.0).for_each(|(mask, other)| mask.0 |= other.0);
    }

    /// Every output: the program may end here.
    fn add_outputs(&mut self) {
        self.0[OUTPUTS..].fill(Mask::ALL);
    }

    /// From what is read behind an instruction to what is read before it.
    pub(super) fn step(&mut self, insn: &Insn, reads_position_back: bool) {
        self.note_faults(insn);
        let uses = Uses::new(insn, reads_position_back);
        for write in uses.writes.iter().filter(|write| write.certain) {
            if let Some(number) = Live::number(write.place) {
                self.0[number].0 &= !write.mask.0;
            }
        }
        for (place, mask) in uses.reads {
            if let Some(number) = Live::number(place) {
                self.0[number].0 |= mask.0;
            }
        }
    }

    /// What is read behind an instruction, if it may end the program: a full or empty stack does when it has written, with the outputs
    /// that there are then (rankine_curie.md 2.5).
    pub(super) fn note_faults(&mut self, insn: &Insn) {
        if ends_a_block(insn) {
            self.add_outputs();
        }
    }
}

/// Whether an instruction is the last of its block: it may go elsewhere, or end the program.
pub(super) fn ends_a_block(insn: &Insn) -> bool {
    insn.sca.effect() == Effect::Flow || insn.sca.kind() == Kind::Pop
}

/// The place of a slot in a program.
fn at(program: &Program, slot: usize) -> Option<usize> {
    slot.checked_sub(program.first).filter(|&place| place < program.insns.len())
}

/// Where blocks begin, and the end of the program.
fn starts(program: &Program, start: usize) -> Vec<usize> {
    let insns = &program.insns;
    let mut leads = vec![false; insns.len() + 1];
    for place in [0, start, insns.len()] {
        leads[place] = true;
    }
    for (place, insn) in insns.iter().enumerate() {
        if insn.sca.names_slot()
            && let Some(target) = at(program, insn.branch.target.into())
        {
            leads[target] = true;
        }
        leads[place + 1] |= ends_a_block(insn) || insn.end;
    }
    (0..leads.len()).filter(|&place| leads[place]).collect()
}

/// The places that may run after the last instruction of a block; none for one without an instruction, or the end of the program.
fn followers(program: &Program, last: usize, returns: &[usize]) -> Vec<Option<usize>> {
    let insn = &program.insns[last];
    let always = insn.branch.condition == Condition::ALWAYS && !insn.sca.is_on_boolean();
    let mut next = match insn.sca.jump() {
        Some(Jump::Branch(_) | Jump::Call(_)) => vec![at(program, insn.branch.target.into())],
        Some(Jump::Return) => std::iter::once(None).chain(returns.iter().copied().map(Some)).collect(),
        None => Vec::new(),
    };
    // A call comes back by a return.
    let goes_on = !insn.sca.is_branch() || !always;
    if goes_on && !insn.end {
        next.push(Some(last + 1));
    }
    next
}

impl Flow {
    /// Of a program; none if a branch of it cannot go elsewhere: its slot is in an address register, or its bits are those of an
    /// operand too (docs/isa/rankine.md, "Layout of a slot").
    pub(super) fn new(program: &Program, reads_position_back: bool) -> Option<Flow> {
        let insns = &program.insns;
        let is_bound =
            |insn: &Insn| insn.sca.is_indirect() || insn.sca.names_slot() && !insn.read(Slot::C).is_empty();
        if insns.iter().any(is_bound) {
            return None;
        }
        let start = at(program, program.start)?;
        let starts = starts(program, start);
        // Where calls come back to.
        let calls =
            insns.iter().enumerate().filter(|(_, insn)| matches!(insn.sca.jump(), Some(Jump::Call(_))));
        let returns: Vec<usize> = calls.map(|(place, _)| place + 1).collect();
        let number =
            |place: usize| starts.binary_search(&place).ok().filter(|&block| block + 1 < starts.len());
        let block = |pair: &[usize]| {
            let next = followers(program, pair[1] - 1, &returns);
            let ends = insns[pair[1] - 1].end;
            Block {
                insns: pair[0]..pair[1],
                exits: ends || next.iter().any(|place| place.and_then(number).is_none()),
                falls_off: pair[1] == insns.len() && next.contains(&Some(pair[1])),
                next: next.into_iter().flatten().filter_map(number).collect(),
                live: Live::nothing(),
            }
        };
        let blocks = starts.windows(2).map(block).collect();
        let mut flow = Flow { blocks, reads_position_back };
        flow.keep_what_runs(number(start)?, &returns, &starts);
        flow.find_live(insns);
        Some(flow)
    }

    /// Leaves out the blocks that nothing goes to.
    fn keep_what_runs(&mut self, start: usize, returns: &[usize], starts: &[usize]) {
        let mut runs = vec![false; self.blocks.len()];
        let mut waiting = vec![start];
        while let Some(block) = waiting.pop() {
            if !std::mem::replace(&mut runs[block], true) {
                waiting.extend(&self.blocks[block].next);
                // What stands behind a call runs only if the call comes back, but has its slot.
                let end = self.blocks[block].insns.end;
                if returns.contains(&end)
                    && let Ok(behind) = starts.binary_search(&end)
                    && behind < self.blocks.len()
                {
                    waiting.push(behind);
                }
            }
        }
        let numbers: Vec<usize> = runs
            .iter()
            .scan(0, |count, &runs| {
                let number = *count;
                *count += usize::from(runs);
                Some(number)
            })
            .collect();
        let mut number = 0;
        self.blocks.retain(|_| {
            number += 1;
            runs[number - 1]
        });
        for block in &mut self.blocks {
            block.next.retain(|&next| runs[next]);
            block.next.iter_mut().for_each(|next| *next = numbers[*next]);
        }
    }

    /// Finds out what is read behind each block.
    pub(super) fn find_live(&mut self, insns: &[Insn]) {
        self.blocks.iter_mut().for_each(|block| block.live = Live::nothing());
        let mut before = vec![Live::nothing(); self.blocks.len()];
        loop {
            let mut changed = false;
            for number in (0..self.blocks.len()).rev() {
                let block = &mut self.blocks[number];
                for &next in &block.next {
                    block.live.add_all(&before[next]);
                }
                if block.exits {
                    block.live.add_outputs();
                }
                let mut live = block.live.clone();
                for insn in insns[block.insns.clone()].iter().rev() {
                    live.step(insn, self.reads_position_back);
                }
                changed |= live != before[number];
                before[number] = live;
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether temporary 12 reads oPos back.
    pub(super) fn reads_position_back(&self) -> bool {
        self.reads_position_back
    }
}

/// Something for each unit that an instruction keeps busy; for the vector unit if that is none.
pub(super) fn of_units<T: Copy>(insn: &Insn, it: T) -> [Option<T>; 2] {
    let works = [insn.vec != VecOp::Nop || insn.sca == ScaOp::Nop, insn.sca != ScaOp::Nop];
    works.map(|works| works.then_some(it))
}

/// Whether the chip has the temporaries that an instruction names.
pub(super) fn is_allocated(generation: Generation, insn: &Insn) -> bool {
    let exists = |register: u8| usize::from(register) < generation.temps() || register == POSITION_READ_BACK;
    let reads = |source: &Source| match source.bank {
        Bank::Temp(register) => exists(register),
        Bank::None | Bank::Input | Bank::Constant => true,
    };
    insn.src.iter().all(reads) && exists(insn.vec_dst.reg) && exists(insn.sca_dst.reg)
}

/// The instruction with temporaries that the chip has, and a target that it has, in place of those of a draft.
pub(in crate::asm) fn stand_in(generation: Generation, reading: Reading, insn: &Insn) -> Insn {
    let mut insn = *insn;
    let last = generation.temps() as u8 - 1;
    let back = reading.reads_position_back(generation);
    for source in &mut insn.src {
        if let Bank::Temp(register) = &mut source.bank
            && !is_position(*register, back)
        {
            *register = (*register).min(last);
        }
    }
    insn.vec_dst.reg = insn.vec_dst.reg.min(last);
    insn.sca_dst.reg = insn.sca_dst.reg.min(last);
    insn.branch.target = 0;
    insn
}

/// Whether the words of an instruction say all of it, whatever the target of a branch is.
pub(super) fn fits(generation: Generation, reading: Reading, insn: &Insn) -> bool {
    let insn = stand_in(generation, reading, insn);
    decode_insn(generation, reading, encode_insn(generation, reading, &insn)) == insn
}
