//! Fewer slots for a program: operations of both units in one slot, as NVIDIA's compilers write them.
//!
//! ```text
//! flow.rs      blocks, and what is read behind them
//! dead.rs      what nobody reads is gone                                     Passes::dead
//! draft.rs     values have names of their own instead of temporaries         Passes::rename
//! order.rs     what must come before what, and the clocks that results take
//! merge.rs     two instructions as one word: the rules of each generation    Passes::pair
//! registers.rs which registers names have
//! schedule.rs  nodes to slots, names to registers                            Passes::order
//! search.rs    several orders of a block, of which the best one stands
//! ```
//! Whole instructions move, and a MOV may change its unit. No operation becomes another one and no operand changes places, so each result
//! keeps its bits in both models. Blocks stay in place: nothing crosses branches, calls, the stack and their targets. A program with
//! branches through an address register stays unchanged.
//!
//! Only slot counts differ: a program that runs out of time ([`Config::timeout`](crate::config::Config::timeout)) does so later. The effect
//! of an emulator's `config::Forms` on constants and on the read-back of oPos may differ, too.

use crate::isa::{Generation, Insn, Program, Reading};

mod dead;
mod draft;
mod flow;
mod merge;
mod order;
mod registers;
mod schedule;
mod search;
#[cfg(test)]
mod tests;

pub(in crate::asm) use flow::stand_in;
use flow::{Flow, is_allocated, of_units};
use search::Slots;

/// The passes that make a program need fewer slots and clocks. Each works without the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Passes {
    /// Removes operations and components that nothing reads, and slots without operations.
    pub dead: bool,
    /// Renumbers temporaries, so that fewer are needed and fewer instructions conflict.
    pub rename: bool,
    /// Puts an operation of the vector unit and one of the scalar unit into one slot; a MOV can go to either unit.
    pub pair: bool,
    /// Reorders instructions by the time that the chip takes for results (docs/spec/timing.md).
    pub order: bool,
}

impl Passes {
    /// No pass: the program stays unchanged.
    pub const NONE: Passes = Passes { dead: false, rename: false, pair: false, order: false };
    /// All passes.
    pub const ALL: Passes = Passes { dead: true, rename: true, pair: true, order: true };

    /// Their names, in the order of the fields.
    pub const NAMES: [&str; 4] = ["dead", "rename", "pair", "order"];

    /// Adds the pass with a name; `None` if there is no such pass.
    #[must_use]
    pub fn with(mut self, name: &str) -> Option<Passes> {
        let Passes { dead, rename, pair, order } = &mut self;
        let fields = [dead, rename, pair, order];
        let (_, field) = Self::NAMES.iter().zip(fields).find(|(known, _)| **known == name)?;
        *field = true;
        Some(self)
    }
}

/// Instructions that a text may have for each slot of the chip: no text of more becomes a program that fits, or only one that is mostly dead.
pub(super) const MOST: usize = 4;

/// A program after [`pair`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paired {
    /// The program. Its first slot is that of the program before.
    pub program: Program,
    /// For each slot, the original positions in [`Program::insns`] of the vector unit's and of the scalar unit's operation. A NOP counts as
    /// the vector unit's; a NOP that exists only for an END has no original position.
    pub from: Vec<[Option<usize>; 2]>,
}

/// Returns the program in fewer slots, or at worst in as many. A program with a branch whose target cannot change stays unchanged. The
/// results are the same to the bit, in both models: outputs, written constants, and how the program ends, unless it runs out of time.
///
/// `reading` is how the chip reads the words of the result.
pub fn pair(generation: Generation, reading: Reading, program: &Program, passes: Passes) -> Paired {
    shorten(generation, reading, program, passes).unwrap_or_else(|| unchanged(program))
}

/// As [`pair`], of a program that may name more temporaries than the chip has; none if that many are needed.
pub(super) fn shorten(
    generation: Generation,
    reading: Reading,
    program: &Program,
    passes: Passes,
) -> Option<Paired> {
    let unchanged =
        || program.insns.iter().all(|insn| is_allocated(generation, insn)).then(|| unchanged(program));
    if passes == Passes::NONE {
        return unchanged();
    }
    let Some(mut flow) = Flow::new(program, reading.reads_position_back(generation)) else {
        return unchanged();
    };
    let mut insns = program.insns.clone();
    if passes.dead {
        dead::run(generation, reading, &mut flow, &mut insns);
        flow.find_live(&insns);
    }
    let mut slots = Vec::new();
    for block in &flow.blocks {
        slots.push(search::block(generation, reading, (block, &insns), passes)?);
    }
    Some(placed(program, &flow, &insns, &slots))
}

fn unchanged(program: &Program) -> Paired {
    let from = program.insns.iter().enumerate().map(|(place, insn)| of_units(insn, place)).collect();
    Paired { program: program.clone(), from }
}

/// Blocks one behind the other, with END where it was, and branches to where their blocks are now.
fn placed(program: &Program, flow: &Flow, insns: &[Insn], blocks: &[Slots]) -> Paired {
    let mut paired = Paired {
        program: Program { insns: Vec::new(), first: program.first, start: 0, unterminated: false },
        from: Vec::new(),
    };
    // For each place of old where a block begins, the place where it begins now.
    let mut places = vec![None; insns.len()];
    for (block, slots) in flow.blocks.iter().zip(blocks) {
        places[block.insns.start] = Some(paired.program.insns.len());
        paired.program.insns.extend(&slots.insns);
        paired.from.extend(&slots.from);
        let ends = insns[block.insns.end - 1].end;
        if (ends || block.falls_off) && slots.insns.is_empty() {
            paired.program.insns.push(Insn::NOP);
            paired.from.push([None; 2]);
        }
        // UNKNOWN: whether a branch with END is taken (`end_on_branch`); it gets none that it did not have.
        if let Some(last) = paired.program.insns.last_mut()
            && (ends || block.falls_off && !last.sca.is_branch())
        {
            last.end = true;
        }
    }
    let first = program.first;
    let moved = |slot: usize| {
        let place = slot.checked_sub(first).and_then(|place| places.get(place).copied().flatten());
        place.map_or(slot, |place| first + place)
    };
    for insn in paired.program.insns.iter_mut().filter(|insn| insn.sca.names_slot()) {
        insn.branch.target = moved(insn.branch.target.into()) as u16;
    }
    paired.program.start = moved(program.start);
    paired.program.unterminated = paired.program.insns.last().is_some_and(|insn| !insn.end);
    paired
}
