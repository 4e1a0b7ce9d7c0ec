//! Which values are in which registers, and which in scratch memory.
//!
//! As in [`super::super::spill`], the order being given, what leaves the registers is what is read again last (Belady's rule). Here
//! registers are the machine's, and a double is two vectors, which come and go one by one.

use crate::ir::func::{Func, Inst, Value};
use std::ops::Range;

/// A spilled vector is loaded again if its next two uses are at most so many instructions apart.
const SOON: u32 = 12;

/// A vector of a value: the value, and which half of a double; a word has the half 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) value: Value,
    pub(super) half: u8,
}

impl Part {
    #[inline]
    fn index(self) -> usize {
        2 * self.value.index() + usize::from(self.half)
    }
}

/// Where a vector is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Register(u8),
    Slot(u16),
}

/// What has to be done before a register is free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Eviction {
    /// The register is free.
    None,
    /// Its contents have to be stored to the slot first.
    Store(u16),
    /// There is no slot to store them to.
    Full,
}

/// The registers and slots of one part of a function after the other, while its code is made from the first instruction to the
/// last.
#[derive(Default)]
pub(super) struct File {
    /// What each register holds, of those that values may be in.
    held: Vec<Option<Part>>,
    /// The registers that hold something.
    occupied: u32,
    /// Registers of the instruction that is being made.
    pinned: u32,
    /// The values that the part makes, and those that it reads.
    made: Vec<Value>,
    read: Vec<Value>,
    registers: Vec<Option<u8>>,
    slots: Vec<Option<u16>>,
    free: Vec<u16>,
    /// The places of all uses, value by value, ascending.
    readers: Vec<u32>,
    /// For each value, the range in `readers` of its uses that are still to come.
    ahead: Vec<Range<u32>>,
}

impl File {
    /// For a function whose values may be in so many registers.
    pub(super) fn new(func: &Func, room: u8) -> Self {
        let values = func.insts.len();
        File {
            held: vec![None; room.into()],
            registers: vec![None; 2 * values],
            slots: vec![None; 2 * values],
            ahead: vec![0..0; values],
            ..File::default()
        }
    }

    /// Begins a part, whose values may be in these slots.
    pub(super) fn begin(&mut self, func: &Func, part: &[Value], slots: Range<u16>) {
        // Resets only what the last part had: a function may have as many parts as instructions.
        for value in self.read.drain(..).chain(self.made.drain(..)) {
            self.ahead[value.index()] = 0..0;
            for half in 0..2 {
                let index = Part { value, half }.index();
                (self.registers[index], self.slots[index]) = (None, None);
            }
        }
        self.held.fill(None);
        self.occupied = 0;
        self.pinned = 0;
        self.free.clear();
        self.free.extend(slots.rev());
        self.made.extend_from_slice(part);
        let insts = || part.iter().map(|&value| func.inst(value));
        for &arg in insts().flat_map(Inst::operands) {
            let count = &mut self.ahead[arg.index()].end;
            if *count == 0 {
                self.read.push(arg);
            }
            *count += 1;
        }
        let mut total = 0;
        for value in &self.read {
            let uses = &mut self.ahead[value.index()];
            let count = uses.end;
            *uses = total..total;
            total += count;
        }
        self.readers.clear();
        self.readers.resize(total as usize, 0);
        for (place, inst) in insts().enumerate() {
            for arg in inst.operands() {
                let uses = &mut self.ahead[arg.index()];
                self.readers[uses.end as usize] = place as u32;
                uses.end += 1;
            }
        }
    }

    /// How many registers values may be in.
    pub(super) fn room(&self) -> u8 {
        self.held.len() as u8
    }

    #[inline]
    fn uses(&self, value: Value) -> &[u32] {
        let Range { start, end } = self.ahead[value.index()].clone();
        &self.readers[start as usize..end as usize]
    }

    /// Where a vector is; nowhere if this part has not made it.
    #[inline]
    pub(super) fn place(&self, part: Part) -> Option<Place> {
        let register = self.registers[part.index()].map(Place::Register);
        register.or_else(|| self.slots[part.index()].map(Place::Slot))
    }

    /// Whether the part reads a value, or will again.
    #[inline]
    pub(super) fn is_read(&self, value: Value) -> bool {
        !self.uses(value).is_empty()
    }

    /// The instructions of the part that are still to read a value.
    pub(super) fn readers(&self, value: Value) -> impl Iterator<Item = Value> {
        self.uses(value).iter().map(|&place| self.made[place as usize])
    }

    /// A register for the instruction that is being made, and what has to be done before.
    #[inline]
    pub(super) fn take(&mut self) -> (u8, Eviction) {
        let (register, eviction) = self.make_room();
        self.pinned |= 1 << register;
        (register, eviction)
    }

    /// Notes that a register that has been taken holds a vector from now on.
    #[inline]
    pub(super) fn bind(&mut self, part: Part, register: u8) {
        self.held[usize::from(register)] = Some(part);
        self.occupied |= 1 << register;
        self.registers[part.index()] = Some(register);
    }

    /// A free register, after what is read last has left it.
    fn make_room(&mut self) -> (u8, Eviction) {
        let all = u32::MAX >> (u32::BITS as usize - self.held.len());
        let free = all & !self.pinned & !self.occupied;
        if free != 0 {
            return (free.trailing_zeros() as u8, Eviction::None);
        }
        // Of two that are read at the same place the one that is in memory already.
        let numbers = (0..self.held.len()).filter(|register| self.pinned >> register & 1 == 0);
        let last = numbers.max_by_key(|&register| {
            let part = self.held[register].expect("none is free");
            (self.uses(part.value).first().copied(), self.slots[part.index()].is_some())
        });
        let Some(register) = last else { return (0, Eviction::Full) };
        let part = self.held[register].take().expect("none is free");
        self.occupied &= !(1 << register);
        self.registers[part.index()] = None;
        if self.slots[part.index()].is_some() {
            return (register as u8, Eviction::None);
        }
        match self.free.pop() {
            None => (register as u8, Eviction::Full),
            Some(slot) => {
                self.slots[part.index()] = Some(slot);
                (register as u8, Eviction::Store(slot))
            }
        }
    }

    /// Whether an operand should be loaded to a register at this use, for the next one.
    #[inline]
    pub(super) fn should_load(&self, part: Part) -> bool {
        let is_soon = match *self.uses(part.value) {
            [next, after, ..] => after - next <= SOON,
            [] | [_] => false,
        };
        is_soon && self.slots[part.index()].is_some() && self.registers[part.index()].is_none()
    }

    /// Notes the uses of an instruction, and that it is done. What is not read again is nowhere from now on.
    #[inline]
    pub(super) fn done(&mut self, value: Value, inst: &Inst) {
        self.pinned = 0;
        for arg in inst.operands() {
            self.ahead[arg.index()].start += 1;
        }
        for &value in inst.operands().iter().chain([&value]) {
            self.forget_if_dead(value);
        }
    }

    /// Forgets a value that nothing reads.
    #[inline]
    pub(super) fn forget_if_dead(&mut self, value: Value) {
        if self.is_read(value) {
            return;
        }
        for half in 0..2 {
            let index = Part { value, half }.index();
            if let Some(register) = self.registers[index].take() {
                self.held[usize::from(register)] = None;
                self.occupied &= !(1 << register);
            }
            self.free.extend(self.slots[index].take());
        }
    }
}
