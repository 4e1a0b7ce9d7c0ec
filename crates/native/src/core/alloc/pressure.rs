//! Registers that another allocator gives out: how many there are.

use super::{Allocation, BEHIND, Part, Registers, Spill};
use crate::ir::func::Value;

/// The number of vectors that may be in registers, where another allocator gives them those of the machine, as Cranelift's does:
/// there may be too many until an instruction is done, and more than that where they find no memory. Words only: of doubles there are few.
#[derive(Default)]
pub(crate) struct Pressure {
    room: usize,
    held: Vec<Part>,
}

impl Pressure {
    /// So many vectors.
    pub(crate) fn new(room: usize) -> Self {
        Pressure { room, held: Vec::new() }
    }
}

impl Registers for Pressure {
    fn candidates(&self) -> impl Iterator<Item = Part> {
        self.held.iter().copied()
    }

    fn holds(&self, part: Part) -> bool {
        self.held.contains(&part)
    }

    fn remove(&mut self, part: Part) {
        if let Some(at) = self.held.iter().position(|&held| held == part) {
            self.held.swap_remove(at);
        }
    }

    fn clear(&mut self, _: usize) {
        self.held.clear();
    }
}

impl Allocation<Pressure> {
    /// Notes a use of a value, unless it is one behind all others. After its last one the value is nowhere.
    pub(crate) fn read(&mut self, value: Value) {
        if self.uses(value).first().is_some_and(|&place| place != BEHIND) {
            self.ahead[value.index()].start += 1;
            self.forget_if_dead(value);
        }
    }

    /// Notes that a value is in a register.
    pub(crate) fn hold(&mut self, value: Value) {
        if self.is_read(value) {
            self.registers.held.push(Part::word(value));
        }
    }

    /// Notes that a value has been stored to a slot that it keeps.
    pub(crate) fn stored(&mut self, value: Value, slot: u16) {
        if self.is_read(value) {
            self.slots[Part::word(value).index()] = Some(slot);
        }
    }

    /// Whether a spilled value should be loaded to a register at this use, for the next one.
    pub(crate) fn should_reload(&self, value: Value) -> bool {
        self.should_load(Part::word(value))
    }

    /// The value to spill next, if too many are in registers and one of them finds memory.
    pub(crate) fn next_spill(&mut self) -> Option<Spill> {
        let has_room = self.registers.held.len() <= self.registers.room;
        if has_room { None } else { self.evict() }
    }
}
