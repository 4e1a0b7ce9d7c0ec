//! Bodies of several blocks: which lanes run each block, and where they continue. The *place* of a lane is the number of
//! the block at which it waits.
//!
//! ```text
//! block 0
//! head(k):  if no lane has place k -> head(k + 1)
//! body(k):  the block, for the lanes with place k; they get new places
//!           if a lane has an earlier place t -> body(t), for the least such t (head(t), if there are many candidates)
//!           -> head(k + 1)
//! body(last): all lanes
//! ```
//! So no lane waits at a block before the current one, whatever the graph looks like: lanes that diverge meet again at
//! the next block that both reach. The *frame*, in the scratch memory, holds the cells, the place of each lane, and the
//! guards that blocks have raised.

use super::super::clif::{Vector, literal, own_memory};
use super::{Emitter, slot_offset};
use crate::ir::func::Value as Ir;
use crate::ir::ops::Op;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32X4, I32X4};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use std::ops::Range;
use xfjit_runtime::state::SCRATCH;

/// The greatest number of back edges of a block that are tested one by one. Most loops have one or two.
const FEW: usize = 3;

/// The CLIF blocks at which each block begins.
struct Entries {
    heads: Vec<Block>,
    bodies: Vec<Block>,
}

impl Entries {
    fn last(&self) -> usize {
        self.bodies.len() - 1
    }

    /// The CLIF block that follows a block.
    fn behind(&self, number: usize) -> Block {
        if number + 1 == self.last() { self.bodies[number + 1] } else { self.heads[number + 1] }
    }
}

impl Emitter<'_> {
    /// The blocks of the body: see [`crate::ir::blocks`] for the order in which they run.
    pub(super) fn blocks(&mut self) {
        let func = self.func;
        let blocks = func.blocks();
        let mut create = || blocks.iter().map(|_| self.b.create_block()).collect();
        let entries = Entries { heads: create(), bodies: create() };
        let nothing = literal(&mut self.b, 0);
        self.write_frame(self.flags_slot(), nothing);
        for (number, block) in blocks.iter().enumerate() {
            let mut values = &func.body[block.range.clone()];
            let mut active = None;
            if let Some((&marker, rest)) = values.split_first().filter(|_| number > 0) {
                values = rest;
                let lanes = self.enter(number, &entries);
                active = Some(lanes);
                self.vectors[marker.index()] = Some(Vector::integer(lanes));
            }
            self.part(values);
            self.keep_flags(number == entries.last());
            if number < entries.last() {
                self.leave(number, block.range.clone(), active, &entries);
            }
        }
    }

    /// Begins a block, which is skipped if no lane waits at it. Returns the mask of lanes that do.
    fn enter(&mut self, number: usize, entries: &Entries) -> Value {
        self.attributes.clear();
        let body = entries.bodies[number];
        if number == entries.last() {
            self.b.switch_to_block(body);
            return literal(&mut self.b, u32::MAX).as_integer(&mut self.b);
        }
        self.b.switch_to_block(entries.heads[number]);
        let place = self.read_frame(self.place_slot()).as_integer(&mut self.b);
        let waits = self.at(place, number);
        let active = self.b.append_block_param(body, I32X4);
        self.branch_if_any(waits, body, &[waits], entries.behind(number));
        self.b.switch_to_block(body);
        active
    }

    /// Ends a block: updates the places of its lanes, and branches to the first block at which a lane waits.
    fn leave(&mut self, number: usize, range: Range<usize>, active: Option<Value>, entries: &Entries) {
        let func = self.func;
        let gotos = func.body[range].iter().copied().filter(|&value| func.inst(value).op == Op::Goto);
        let gotos: Vec<(usize, Ir)> = gotos.map(|goto| (func.inst(goto).imm as usize, goto)).collect();
        let mut place = literal(&mut self.b, number as u32 + 1).as_integer(&mut self.b);
        for &(target, goto) in &gotos {
            let mask = self.vector(func.inst(goto).args[0]).as_integer(&mut self.b);
            let target = literal(&mut self.b, target as u32).as_integer(&mut self.b);
            place = self.b.ins().bitselect(mask, target, place);
        }
        if let Some(active) = active {
            let old = self.read_frame(self.place_slot()).as_integer(&mut self.b);
            place = self.b.ins().bitselect(active, place, old);
        }
        self.write_frame(self.place_slot(), Vector::integer(place));
        let mut back: Vec<usize> =
            gotos.iter().map(|&(target, _)| target).filter(|&target| target <= number).collect();
        back.sort_unstable();
        back.dedup();
        // With many back edges one test branches to the first target's head; from there the heads find the lanes.
        let first = back.first().copied().filter(|_| back.len() > FEW);
        if let Some(target) = first {
            let limit = literal(&mut self.b, number as u32 + 1).as_integer(&mut self.b);
            let waits = self.b.ins().icmp(IntCC::UnsignedLessThan, place, limit);
            let otherwise = self.b.create_block();
            self.branch_if_any(waits, entries.heads[target], &[], otherwise);
            self.b.switch_to_block(otherwise);
            back.clear();
        }
        for target in back {
            let waits = self.at(place, target);
            let otherwise = self.b.create_block();
            self.branch_if_any(waits, entries.bodies[target], &[waits], otherwise);
            self.b.switch_to_block(otherwise);
        }
        self.b.ins().jump(entries.behind(number), &[]);
    }

    /// The mask of lanes that wait at a block.
    fn at(&mut self, place: Value, block: usize) -> Value {
        let number = literal(&mut self.b, block as u32).as_integer(&mut self.b);
        self.b.ins().icmp(IntCC::Equal, place, number)
    }

    /// Stores the guards raised in a block to memory, since a group may skip blocks; the last block collects them.
    fn keep_flags(&mut self, is_last: bool) {
        let slot = self.flags_slot();
        if is_last {
            let flags = self.read_frame(slot);
            self.raise(flags);
        } else if let Some(flags) = self.flags.take() {
            let before = self.read_frame(slot).as_integer(&mut self.b);
            let flags = self.b.ins().bor(before, flags);
            self.write_frame(slot, Vector::integer(flags));
        }
    }

    /// The word of the frame with the place of each lane; behind the cells.
    fn place_slot(&self) -> usize {
        self.frame - 2
    }

    fn flags_slot(&self) -> usize {
        self.frame - 1
    }

    /// The frame is the end of the scratch memory.
    fn frame_offset(&self, slot: usize) -> i32 {
        slot_offset(SCRATCH - self.frame + slot)
    }

    pub(super) fn read_frame(&mut self, slot: usize) -> Vector {
        let at = self.frame_offset(slot);
        let value = self.b.ins().load(F32X4, own_memory(), self.scratch, at);
        Vector::float(value)
    }

    pub(super) fn write_frame(&mut self, slot: usize, vector: Vector) {
        let at = self.frame_offset(slot);
        let value = vector.as_float(&mut self.b);
        self.b.ins().store(own_memory(), value, self.scratch, at);
    }
}
