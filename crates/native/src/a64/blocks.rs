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
use super::asm::Label;
use super::emit::{Emitter, SLOTS};
use super::guards::FLAGS;
use super::table::{Cond, Insn};
use crate::ir::func::Value as Ir;
use std::ops::Range;

impl Emitter<'_> {
    /// The blocks of the body: see [`crate::ir::blocks`] for the order in which they run.
    pub(super) fn blocks(&mut self) {
        let func = self.func;
        let blocks = func.blocks();
        let last = blocks.len() - 1;
        let heads: Vec<Label> = blocks.iter().map(|_| self.asm.label()).collect();
        // No guard has been raised, since blocks may be skipped.
        if self.guards.are_there {
            self.load_word(FLAGS, 0);
            self.guards.has_flags = true;
        }
        for (number, block) in blocks.iter().enumerate() {
            self.flow.current = Current { number, is_last: number == last, has_parted: false };
            self.asm.bind(heads[number]);
            if number > 0 && number < last {
                let place = self.load_place();
                self.branch_if_at(place, number, Cond::Equal, heads[number + 1]);
                self.give_back();
            }
            self.part(&func.body[block.range.clone()]);
            if number < last {
                self.leave_block(block.range.clone(), &heads);
                self.give_back();
            }
        }
    }

    /// Ends a block: updates the places of its lanes, and goes back to the first block at which one waits.
    fn leave_block(&mut self, range: Range<usize>, heads: &[Label]) {
        let Current { number, has_parted, .. } = self.flow.current;
        let place = self.temporary();
        if has_parted {
            self.load_frame(place, self.place_word() + 1);
        } else {
            self.load_word(place, number as u32 + 1);
        }
        if number > 0 {
            let old = self.load_place();
            let own = self.word(number as u32);
            let others = self.temporary();
            // The lanes of other blocks keep their places.
            self.asm.vectors(Insn::Cmeq, [others, old, own]);
            self.asm.vectors(Insn::Bif, [place, old, others]);
            self.temporaries = 1;
        }
        self.store_frame(self.place_word(), place);
        match Back::of(self.func, number, range) {
            Back::First(first) => {
                let limit = self.word(number as u32 + 1);
                let waits = self.temporary();
                self.asm.vectors(Insn::Cmgt, [waits, limit, place]);
                self.branch_if_any(waits, waits, Cond::Unequal, heads[first]);
            }
            Back::Each(targets) => {
                for target in targets {
                    self.branch_if_at(place, target, Cond::Unequal, heads[target]);
                    self.temporaries = 1;
                }
            }
        }
    }

    /// Branches if any lane (or, by the other condition, if none) has this place.
    fn branch_if_at(&mut self, place: u8, number: usize, condition: Cond, label: Label) {
        let number = self.word(number as u32);
        let waits = self.temporary();
        self.asm.vectors(Insn::Cmeq, [waits, place, number]);
        self.branch_if_any(waits, waits, condition, label);
    }

    /// Lanes of the current block in a mask continue at a block, unless a later `goto` says otherwise.
    pub(super) fn continue_at(&mut self, mask: Ir, target: usize) {
        let mask = self.find(mask, 0);
        let next = self.temporary();
        if std::mem::replace(&mut self.flow.current.has_parted, true) {
            self.load_frame(next, self.place_word() + 1);
        } else {
            self.load_word(next, self.flow.current.number as u32 + 1);
        }
        let target = self.word(target as u32);
        self.asm.vectors(Insn::Bit, [next, target, mask]);
        self.store_frame(self.place_word() + 1, next);
    }

    /// The mask of the lanes that run the current block.
    pub(super) fn running_lanes(&mut self) {
        if !self.file.is_read(self.running) {
            return;
        }
        let to = self.result(0);
        if self.flow.current.is_last {
            self.load_word(to, u32::MAX);
        } else {
            let place = self.load_place();
            let number = self.word(self.flow.current.number as u32);
            self.asm.vectors(Insn::Cmeq, [to, place, number]);
        }
    }

    pub(super) fn read_cell(&mut self, cell: usize) {
        let to = self.result(0);
        self.load_frame(to, cell);
    }

    pub(super) fn write_cell(&mut self, a: Ir, cell: usize) {
        let value = self.find(a, 0);
        self.store_frame(cell, value);
    }

    /// The word of the frame with the place of each lane, behind the cells; the one behind it has the next places.
    fn place_word(&self) -> usize {
        self.flow.frame - 2
    }

    fn load_place(&mut self) -> u8 {
        let place = self.temporary();
        self.load_frame(place, self.place_word());
        place
    }

    fn frame_slot(&self, word: usize) -> u16 {
        SLOTS - (self.flow.frame - word) as u16
    }

    fn load_frame(&mut self, to: u8, word: usize) {
        let at = self.slot(self.frame_slot(word));
        self.asm.op(Insn::LdrQ, [to.into(), super::emit::SCRATCH_MEMORY, at]);
    }

    fn store_frame(&mut self, word: usize, register: u8) {
        self.store_slot(self.frame_slot(word), register);
    }
}
