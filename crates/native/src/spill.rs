//! Spilling: which values stay in registers, and which are in scratch memory.
//!
//! Straight-line code in a given order needs no general register allocator for its vectors: where too many values are live,
//! the one whose next use is farthest away is spilled to scratch memory (Belady's rule). It is stored once, and its uses
//! read it from there. This leaves little splitting and spilling to the allocator of the code generator, which is slow at
//! it and produces worse code.

use crate::ir::func::{Func, Value};
use crate::ir::ops::{Effect, Op};
use std::ops::Range;

/// The place of a use after the end of the part.
const BEHIND: u32 = u32::MAX;
/// A spilled value is reloaded into a register if its next two uses are at most so many instructions apart.
const SOON: u32 = 12;

/// The registers and spill slots of one part of a function, while code is emitted from its first instruction to its last.
#[derive(Default)]
pub(super) struct Registers {
    /// The number of values that may be in registers.
    room: usize,
    /// The places of all uses, value by value, ascending.
    readers: Vec<u32>,
    /// For each value, the range in `readers` of its remaining uses.
    ahead: Vec<Range<u32>>,
    /// The values that the part reads.
    read: Vec<Value>,
    /// The values in registers.
    held: Vec<Value>,
    /// For each value, the slot that it has been stored to.
    slots: Vec<Option<u16>>,
    /// Free spill slots.
    free: Vec<u16>,
    /// The first spill slot. Slots below it are assigned to values permanently.
    first: u16,
}

/// Whether an instruction reads its operands after the rest of the part has run.
pub(super) fn reads_behind(op: Op) -> bool {
    let Some(effect) = op.effect() else { return false };
    match effect {
        Effect::Goto | Effect::Store => true,
        Effect::Output | Effect::Written | Effect::Set => false,
        Effect::Guard | Effect::BigGuard | Effect::SmallGuard => false,
        // No operands.
        Effect::RowGuard | Effect::RowCopy => false,
    }
}

/// A value that is spilled from its register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spill {
    pub value: Value,
    /// The slot where it is from now on.
    pub slot: u16,
    /// Whether it still has to be stored there.
    pub is_new: bool,
}

impl Registers {
    /// For code that may have `room` values in registers, and has the spill slots `slots`.
    pub(super) fn new(room: usize, slots: Range<u16>) -> Self {
        Registers { room, first: slots.start, free: slots.rev().collect(), ..Registers::default() }
    }

    /// Begins a part: no value is in a register, and no use has happened.
    pub(super) fn begin(&mut self, func: &Func, part: &[Value]) {
        self.held.clear();
        // Resets only the values that the last part read: a function may have as many parts as instructions.
        for value in std::mem::take(&mut self.read) {
            self.ahead[value.index()] = 0..0;
            if let Some(slot) = self.slots[value.index()].take() {
                self.release(slot);
            }
        }
        self.ahead.resize(func.insts.len(), 0..0);
        self.slots.resize(func.insts.len(), None);

        // Counts the uses of each value, then lays out the ranges of `readers`.
        for &arg in part.iter().flat_map(|&value| func.inst(value).operands()) {
            let count = &mut self.ahead[arg.index()].end;
            if *count == 0 {
                self.read.push(arg);
            }
            *count += 1;
        }
        let mut total = 0;
        for value in &self.read {
            let ahead = &mut self.ahead[value.index()];
            let count = ahead.end;
            *ahead = total..total;
            total += count;
        }
        self.readers.clear();
        self.readers.resize(total as usize, 0);
        let is_behind = |value: &Value| reads_behind(func.inst(*value).op);
        let within = part.iter().enumerate().filter(|(_, value)| !is_behind(value));
        let behind = part.iter().filter(|value| is_behind(value)).map(|value| (BEHIND, value));
        for (place, &value) in within.map(|(place, value)| (place as u32, value)).chain(behind) {
            for arg in func.inst(value).operands() {
                let ahead = &mut self.ahead[arg.index()];
                self.readers[ahead.end as usize] = place;
                ahead.end += 1;
            }
        }
    }

    /// The places of the remaining uses.
    fn ahead(&self, value: Value) -> &[u32] {
        let Range { start, end } = self.ahead[value.index()].clone();
        &self.readers[start as usize..end as usize]
    }

    /// Notes a use of a value. After its last use the value is dead, and its register and slot are free.
    pub(super) fn read(&mut self, value: Value) {
        match *self.ahead(value) {
            [] | [BEHIND, ..] => {}
            [_, _, ..] => self.ahead[value.index()].start += 1,
            [_] => {
                self.ahead[value.index()].start += 1;
                self.drop(value);
                if let Some(slot) = self.slots[value.index()].take() {
                    self.release(slot);
                }
            }
        }
    }

    fn release(&mut self, slot: u16) {
        if slot >= self.first {
            self.free.push(slot);
        }
    }

    fn drop(&mut self, value: Value) {
        if let Some(at) = self.held.iter().position(|&held| held == value) {
            self.held.swap_remove(at);
        }
    }

    /// Notes that a value has been stored to its permanent slot.
    pub(super) fn stored(&mut self, value: Value, slot: u16) {
        if !self.ahead(value).is_empty() {
            self.slots[value.index()] = Some(slot);
        }
    }

    /// Notes that a value is in a register.
    pub(super) fn hold(&mut self, value: Value) {
        if !self.ahead(value).is_empty() {
            self.held.push(value);
        }
    }

    /// Whether a spilled value should be reloaded into a register at this use, for the next one.
    pub(super) fn should_reload(&self, value: Value) -> bool {
        let is_soon = match *self.ahead(value) {
            [next, after, ..] => after.saturating_sub(next) <= SOON,
            [] | [_] => false,
        };
        is_soon && self.slots[value.index()].is_some() && !self.held.contains(&value)
    }

    /// The value to spill next, if there are too many values in registers and a slot is free.
    pub(super) fn next_spill(&mut self) -> Option<Spill> {
        if self.held.len() <= self.room {
            return None;
        }
        let has_slot = |value: &Value| self.slots[value.index()].is_some();
        let farthest = |value: &Value| (self.ahead(*value).first(), has_slot(value));
        let can_spill = self.held.iter().copied().filter(|value| has_slot(value) || !self.free.is_empty());
        let value = can_spill.max_by_key(farthest)?;
        let own = self.slots[value.index()];
        let slot = own.or_else(|| self.free.pop())?;
        self.slots[value.index()] = Some(slot);
        self.drop(value);
        Some(Spill { value, slot, is_new: own.is_none() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use rustc_hash::FxHashMap;
    use xfjit_runtime::num::Model;
    use xfjit_testing::setups::FixedSetup;

    /// The contents of each slot.
    type Memory = FxHashMap<u16, Value>;

    /// Walks through a part as the emitter does, and checks that every operand is in a register or a slot.
    fn walk(func: &Func, part: &[Value], room: usize, memory: u16) -> usize {
        let mut registers = Registers::new(room, 0..memory);
        registers.begin(func, part);
        let (mut memory, mut spilled) = (Memory::default(), 0);
        for &value in part {
            let inst = func.inst(value);
            for &arg in inst.operands().iter().filter(|arg| part.contains(arg)) {
                let slot = registers.slots[arg.index()];
                let is_there = slot.is_some_and(|slot| memory[&slot] == arg);
                assert!(registers.held.contains(&arg) || is_there, "{arg:?} is lost");
                if registers.should_reload(arg) {
                    registers.hold(arg);
                }
            }
            if !inst.op.has_effect() {
                registers.hold(value);
            }
            inst.operands().iter().for_each(|&arg| registers.read(arg));
            while let Some(spill) = registers.next_spill() {
                spilled += usize::from(spill.is_new);
                if spill.is_new {
                    memory.insert(spill.slot, spill.value);
                }
                assert_eq!(memory[&spill.slot], spill.value);
            }
            assert!(registers.held.len() <= room || registers.free.is_empty());
        }
        assert!(registers.held.is_empty());
        spilled
    }

    fn body(name: &str) -> Func {
        let set = FixedSetup::find(name).expect("it is of the set");
        let setup = crate::front::fixed::Setup::new(set.mode()).model(Model::Hw);
        crate::backend::to_host(crate::front::fixed::lower(&setup), &Machine::HOST)
    }

    #[test]
    fn every_operand_is_in_a_register_or_in_memory() {
        let func = body("F2");
        let spilled = [60, 12, 4, 1].map(|room| walk(&func, &func.body, room, 900));
        assert_eq!(spilled[0], 0);
        assert!(spilled.is_sorted() && spilled[3] > 100, "{spilled:?}");
    }

    #[test]
    fn what_finds_no_memory_stays() {
        let func = body("F2");
        assert_eq!(walk(&func, &func.body, 4, 0), 0);
        walk(&func, &func.body, 4, 3);
    }
}
