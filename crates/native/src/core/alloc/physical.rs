//! Registers that are the machine's own.

use super::{Allocation, Part, Registers, Spill};
use crate::ir::func::{Inst, Value};

/// The machine's own registers, by their numbers: a vector leaves before another one takes its register.
#[derive(Default)]
pub(crate) struct Physical {
    /// What each register holds, of those that values may be in.
    held: Vec<Option<Part>>,
    /// The registers that hold something.
    occupied: u32,
    /// Registers of the instruction that is being made, which nothing leaves.
    pinned: u32,
    /// For each vector, the register that holds it.
    numbers: Vec<Option<u8>>,
}

impl Physical {
    /// So many registers, at most 32.
    pub(crate) fn new(room: u8) -> Self {
        Physical { held: vec![None; room.into()], ..Physical::default() }
    }

    /// A register that holds nothing.
    #[inline]
    fn free(&self) -> Option<u8> {
        let all = u32::MAX >> (u32::BITS as usize - self.held.len());
        let free = all & !self.pinned & !self.occupied;
        (free != 0).then(|| free.trailing_zeros() as u8)
    }
}

impl Registers for Physical {
    fn candidates(&self) -> impl Iterator<Item = Part> {
        let held = self.held.iter().enumerate();
        held.filter(|(register, _)| self.pinned >> register & 1 == 0).filter_map(|(_, &part)| part)
    }

    #[inline]
    fn holds(&self, part: Part) -> bool {
        self.numbers[part.index()].is_some()
    }

    #[inline]
    fn remove(&mut self, part: Part) {
        if let Some(register) = self.numbers[part.index()].take() {
            self.held[usize::from(register)] = None;
            self.occupied &= !(1 << register);
        }
    }

    fn clear(&mut self, values: usize) {
        self.numbers.resize(2 * values, None);
        for part in self.held.iter_mut().filter_map(Option::take) {
            self.numbers[part.index()] = None;
        }
        (self.occupied, self.pinned) = (0, 0);
    }
}

/// Where a vector is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In the register of this number.
    Register(u8),
    /// In the spill slot of this number.
    Slot(u16),
}

/// What has to be done before a register is free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Eviction {
    /// The register is free.
    None,
    /// Its contents have to be stored to the slot first.
    Store(u16),
    /// There is no slot to store them to.
    Full,
}

impl Allocation<Physical> {
    /// A register for the instruction that is being made, and what has to be done before.
    #[inline]
    pub(crate) fn take(&mut self) -> (u8, Eviction) {
        let mut eviction = Eviction::None;
        if self.registers.free().is_none() {
            eviction = match self.evict() {
                Some(Spill { slot, is_new: true, .. }) => Eviction::Store(slot),
                Some(_) => Eviction::None,
                None => Eviction::Full,
            };
        }
        let register = self.registers.free().unwrap_or(0);
        self.registers.pinned |= 1 << register;
        (register, eviction)
    }

    /// Notes that a register that has been taken holds a vector from now on.
    #[inline]
    pub(crate) fn bind(&mut self, part: Part, register: u8) {
        self.registers.held[usize::from(register)] = Some(part);
        self.registers.occupied |= 1 << register;
        self.registers.numbers[part.index()] = Some(register);
    }

    /// Keeps what is in a register there until the instruction that is being made is done.
    #[inline]
    #[cfg_attr(
        not(any(feature = "cross", target_arch = "aarch64")),
        allow(dead_code, reason = "instructions of x86-64 read memory")
    )]
    pub(crate) fn pin(&mut self, register: u8) {
        self.registers.pinned |= 1 << register;
    }

    /// Notes that a register that has been taken holds a copy of what lies in memory, at a slot or elsewhere. `home` is a slot that no
    /// vector is spilled to: what leaves the register later is not stored.
    #[inline]
    #[cfg_attr(
        not(any(feature = "cross", target_arch = "aarch64")),
        allow(dead_code, reason = "instructions of x86-64 read memory")
    )]
    pub(crate) fn lend(&mut self, part: Part, register: u8, home: u16) {
        self.bind(part, register);
        self.slots[part.index()].get_or_insert(home);
    }

    /// How often the part reads a value from here on.
    #[inline]
    #[cfg_attr(
        not(any(feature = "cross", target_arch = "aarch64")),
        allow(dead_code, reason = "instructions of x86-64 read memory")
    )]
    pub(crate) fn remaining(&self, value: Value) -> usize {
        self.uses(value).len()
    }

    /// Gives the register of a vector, which is read for the last time, to another one. Returns it; nothing if no register holds the vector, or
    /// if it is read again.
    #[inline]
    #[cfg_attr(
        not(any(feature = "cross", target_arch = "aarch64")),
        allow(dead_code, reason = "instructions of x86-64 have a register for the result")
    )]
    pub(crate) fn pass(&mut self, from: Part, to: Part) -> Option<u8> {
        if self.remaining(from.value) != 1 {
            return None;
        }
        let register = self.registers.numbers[from.index()].take()?;
        self.registers.pinned |= 1 << register;
        self.bind(to, register);
        Some(register)
    }

    /// Where a vector is; nowhere if this part has not made it.
    #[inline]
    pub(crate) fn place(&self, part: Part) -> Option<Place> {
        let register = self.registers.numbers[part.index()].map(Place::Register);
        register.or_else(|| self.slots[part.index()].map(Place::Slot))
    }

    /// The instructions of the part that are still to read a value.
    pub(crate) fn readers(&self, value: Value) -> impl Iterator<Item = Value> {
        self.uses(value).iter().filter_map(|&place| self.part.get(place as usize).copied())
    }

    /// Notes the uses of an instruction, all at once, and that it is done. What is not read again is nowhere from now on.
    #[inline]
    pub(crate) fn done(&mut self, value: Value, inst: &Inst) {
        self.registers.pinned = 0;
        for arg in inst.operands() {
            self.ahead[arg.index()].start += 1;
        }
        for &value in inst.operands().iter().chain([&value]) {
            self.forget_if_dead(value);
        }
    }
}
