//! The register allocator of both back ends: which values are in registers, and which in spill slots.
//!
//! Straight-line code in a given order needs no general allocator for its vectors. Where too many of them are live, the one that is
//! read last leaves its register (Belady's rule) for a spill slot, a vector of scratch memory. It is stored once, and read from
//! there. An [`Allocation`] is told what code does, instruction by instruction, while that code is made; what back ends have
//! for registers is a type of its own: `Physical`, or [`Pressure`].

use crate::ir::func::{Func, Value};
use crate::ir::ops::Op;
use std::ops::Range;

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), any(feature = "cross", feature = "wide")))]
mod physical;
mod pressure;

#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    any(feature = "cross", feature = "wide")
))]
pub(crate) use physical::{Eviction, Physical, Place};
pub(crate) use pressure::Pressure;

/// The place of a use behind the last instruction of a part.
const BEHIND: u32 = u32::MAX;
/// A spilled vector is loaded again if its next two uses are at most so many instructions apart, where instructions read memory.
pub(crate) const SOON: u32 = 12;

/// A vector of a value: the value, and which half of a double. A word has the half 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub(crate) value: Value,
    pub(crate) half: u8,
}

impl Part {
    /// The vector of a word.
    const fn word(value: Value) -> Self {
        Part { value, half: 0 }
    }

    #[inline]
    const fn index(self) -> usize {
        2 * self.value.index() + self.half as usize
    }
}

/// A vector that has left its register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spill {
    pub(crate) part: Part,
    /// The slot where it is from now on.
    pub(crate) slot: u16,
    /// Whether it still has to be stored there.
    pub(crate) is_new: bool,
}

/// The registers of an allocation.
pub(crate) trait Registers {
    /// The vectors that may leave. Of several that are read at one place and are spilled alike, the last one does.
    fn candidates(&self) -> impl Iterator<Item = Part>;

    /// Whether one of them holds a vector.
    fn holds(&self, part: Part) -> bool;

    /// Forgets a vector, if one holds it.
    fn remove(&mut self, part: Part);

    /// Forgets all vectors of a function that has so many values.
    fn clear(&mut self, values: usize);
}

/// The registers and spill slots of one part of a function after the other, while its code is made from the first instruction to
/// the last.
#[derive(Default)]
pub(crate) struct Allocation<R> {
    registers: R,
    /// The instructions of the part.
    part: Vec<Value>,
    /// The values that the part reads.
    read: Vec<Value>,
    /// The places of all uses, value by value, ascending.
    readers: Vec<u32>,
    /// For each value, the range in `readers` of its remaining uses.
    ahead: Vec<Range<u32>>,
    /// For each vector, the slot that it has been stored to.
    slots: Vec<Option<u16>>,
    /// Free spill slots.
    free: Vec<u16>,
    /// The first spill slot. Values keep those below it as long as the code runs.
    first: u16,
}

impl<R: Registers> Allocation<R> {
    /// For these registers, and without slots.
    pub(crate) fn new(registers: R) -> Self
    where
        R: Default,
    {
        Allocation { registers, ..Allocation::default() }
    }

    /// Replaces the spill slots, none of which holds anything.
    pub(crate) fn give(&mut self, slots: Range<u16>) {
        self.first = slots.start;
        self.free.clear();
        self.free.extend(slots.rev());
    }

    /// Begins a part: no vector is in a register or a spill slot, and no use has happened. Operations that read their operands behind
    /// all others are named by `reads_behind`.
    pub(crate) fn begin(&mut self, func: &Func, part: &[Value], reads_behind: impl Fn(Op) -> bool) {
        self.ahead.resize(func.insts.len(), 0..0);
        self.slots.resize(2 * func.insts.len(), None);
        self.registers.clear(func.insts.len());
        // Resets only what the last part read: a function may have as many parts as instructions.
        for value in std::mem::take(&mut self.read) {
            self.ahead[value.index()] = 0..0;
            self.forget(value);
        }
        self.part.clear();
        self.part.extend_from_slice(part);

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
        let mut note = |place: u32, value: Value| {
            for arg in func.inst(value).operands() {
                let ahead = &mut self.ahead[arg.index()];
                self.readers[ahead.end as usize] = place;
                ahead.end += 1;
            }
        };
        let is_behind = |value: Value| reads_behind(func.inst(value).op);
        for (place, &value) in part.iter().enumerate().filter(|&(_, &value)| !is_behind(value)) {
            note(place as u32, value);
        }
        for &value in part.iter().filter(|&&value| is_behind(value)) {
            note(BEHIND, value);
        }
    }

    #[inline]
    fn uses(&self, value: Value) -> &[u32] {
        let Range { start, end } = self.ahead[value.index()].clone();
        &self.readers[start as usize..end as usize]
    }

    /// Whether the part reads a value, or will again.
    #[inline]
    pub(crate) fn is_read(&self, value: Value) -> bool {
        !self.ahead[value.index()].is_empty()
    }

    /// Whether an operand should be loaded to a register at this use, for the next one, if that is within so many instructions.
    #[inline]
    pub(crate) fn should_load(&self, part: Part, within: u32) -> bool {
        let is_soon = match *self.uses(part.value) {
            [next, after, ..] => after.saturating_sub(next) <= within,
            [] | [_] => false,
        };
        is_soon && self.slots[part.index()].is_some() && !self.registers.holds(part)
    }

    /// Makes the vector leave that is read last, of those that are in memory already or find a slot; of two that are read at one place
    /// the one that is in memory.
    fn evict(&mut self) -> Option<Spill> {
        let is_stored = |part: Part| self.slots[part.index()].is_some();
        let can_leave = |part: &Part| !self.free.is_empty() || is_stored(*part);
        let last = |part: &Part| (self.uses(part.value).first(), is_stored(*part));
        let part = self.registers.candidates().filter(can_leave).max_by_key(last)?;
        let own = self.slots[part.index()];
        let slot = own.or_else(|| self.free.pop())?;
        self.slots[part.index()] = Some(slot);
        self.registers.remove(part);
        Some(Spill { part, slot, is_new: own.is_none() })
    }

    #[inline]
    fn forget_if_dead(&mut self, value: Value) {
        if !self.is_read(value) {
            self.forget(value);
        }
    }

    /// Frees the registers and slots of a value.
    #[inline]
    fn forget(&mut self, value: Value) {
        for half in 0..2 {
            let part = Part { value, half };
            self.registers.remove(part);
            if let Some(slot) = self.slots[part.index()].take().filter(|&slot| slot >= self.first) {
                self.free.push(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests;
