//! Bodies of several blocks: which lanes run each block, and where they continue. The *place* of a lane is the number of the
//! block at which it waits.
//!
//! ```text
//! block 0
//! head(k):  if no lane has place k -> head(k + 1)
//!           the block, for the lanes with place k; they get new places
//!           if a lane has an earlier place t -> head(t), for the least such t
//! head(last): all lanes
//! ```
//! The *frame* is the end of the scratch memory: the cells, the place of each lane, and its next one while a block runs. Guards
//! stay in their register.

use super::super::core::flow::{Back, Current};
use super::asm::{Label, Source};
use super::emit::{Emitter, SCRATCH_MEMORY, SLOTS};
use super::operands::FOR_CALLEE_SAVED;
use super::table::Insn;
use crate::ir::func::Value as Ir;
use iced_x86::MemoryOperand;
use std::ops::Range;

impl Emitter<'_> {
    /// The blocks of the body: see [`crate::ir::blocks`] for the order in which they run.
    pub(super) fn blocks(&mut self) {
        let func = self.func;
        let blocks = func.blocks();
        let last = blocks.len() - 1;
        let heads: Vec<Label> = blocks.iter().map(|_| self.asm.label()).collect();
        self.clear_flags();
        for (number, block) in blocks.iter().enumerate() {
            self.flow.current = Current { number, is_last: number == last, has_parted: false };
            self.asm.bind(heads[number]);
            if number > 0 && number < last {
                let place = self.place();
                self.branch_if_any(place, number, Insn::Je, heads[number + 1]);
            }
            self.part(&func.body[block.range.clone()]);
            if number < last {
                self.leave_block(block.range.clone(), &heads);
            }
        }
    }

    /// Ends a block: updates the places of its lanes, and goes back to the first block at which one waits.
    fn leave_block(&mut self, range: Range<usize>, heads: &[Label]) {
        let Current { number, has_parted, .. } = self.flow.current;
        let held = self.temporary();
        let place = held.register();
        let next = match has_parted {
            true => self.next_place(),
            false => self.word(number as u32 + 1),
        };
        if number == 0 {
            self.load(place, next);
        } else {
            let (old, held) = (self.place(), self.temporary());
            let active = held.register();
            self.load(place, old);
            let own = self.word(number as u32);
            self.lanes.compare_integers(self, Insn::Vpcmpeqd, active, [Source::Register(place), own]);
            self.lanes.blend(self, place, active, next);
        }
        self.store(self.in_frame(self.place_word()), place);
        let place = Source::Register(place);
        match Back::of(self.func, number, range) {
            Back::First(first) => {
                let (limit, held) = (self.word(number as u32 + 1), self.temporary());
                let waits = held.register();
                let limit = Source::Register(self.in_register(limit, waits));
                self.lanes.compare_integers(self, Insn::Vpcmpgtd, waits, [limit, place]);
                self.lanes.test(self, waits);
                self.asm.jump(Insn::Jne, heads[first]);
            }
            Back::Each(targets) => {
                for target in targets {
                    self.branch_if_any(place, target, Insn::Jne, heads[target]);
                }
            }
        }
    }

    /// Branches if any lane (or, by the other condition, if none) has this place.
    fn branch_if_any(&mut self, place: Source, number: usize, condition: Insn, label: Label) {
        let (place, _held) = self.loaded(place);
        let by = self.temporary();
        let waits = by.register();
        let number = self.word(number as u32);
        self.lanes.compare_integers(self, Insn::Vpcmpeqd, waits, [Source::Register(place), number]);
        self.lanes.test(self, waits);
        self.asm.jump(condition, label);
    }

    /// Begins the body with no guard raised, since blocks may be skipped.
    fn clear_flags(&mut self) {
        if self.guards.are_there {
            let flags = self.flags();
            self.clear(flags);
            self.guards.has_flags = true;
        }
    }

    /// Lanes of the current block in a mask continue at a block, unless a later `goto` says otherwise.
    pub(super) fn continue_at(&mut self, mask: Ir, target: usize) {
        let before = match std::mem::replace(&mut self.flow.current.has_parted, true) {
            true => self.next_place(),
            false => self.word(self.flow.current.number as u32 + 1),
        };
        let mask = self.find(mask, 0);
        let [by, held] = [(); 2].map(|()| self.temporary());
        let (mask, next) = (self.in_register(mask, by.register()), held.register());
        self.load(next, before);
        let target = self.word(target as u32);
        self.lanes.blend(self, next, mask, target);
        self.store(self.in_frame(self.place_word() + 1), next);
    }

    /// The mask of the lanes that run the current block.
    pub(super) fn running_lanes(&mut self) {
        if !self.file.is_read(self.running) {
            return;
        }
        let to = self.result(0);
        if self.flow.current.is_last {
            let all = self.word(u32::MAX);
            self.load(to, all);
        } else {
            let (place, number) = (self.place(), self.word(self.flow.current.number as u32));
            self.lanes.compare_integers(self, Insn::Vpcmpeqd, to, [place, number]);
        }
    }

    pub(super) fn read_cell(&mut self, cell: usize) {
        let to = self.result(0);
        let cell = self.frame_source(cell);
        self.load(to, cell);
    }

    pub(super) fn write_cell(&mut self, a: Ir, cell: usize) {
        let value = self.find(a, 0);
        let (value, _held) = self.loaded(value);
        self.store(self.in_frame(cell), value);
    }

    /// The word of the frame with the place of each lane, behind the cells; the one behind it has the next places.
    fn place_word(&self) -> usize {
        self.flow.frame - 2
    }

    fn place(&self) -> Source {
        self.frame_source(self.place_word())
    }

    fn next_place(&self) -> Source {
        self.frame_source(self.place_word() + 1)
    }

    fn frame_offset(&self, word: usize) -> i32 {
        self.slot((usize::from(SLOTS) - FOR_CALLEE_SAVED - self.flow.frame + word) as u16)
    }

    fn frame_source(&self, word: usize) -> Source {
        Source::Memory(SCRATCH_MEMORY, self.frame_offset(word))
    }

    fn in_frame(&self, word: usize) -> MemoryOperand {
        MemoryOperand::with_base_displ(SCRATCH_MEMORY, self.frame_offset(word).into())
    }
}
