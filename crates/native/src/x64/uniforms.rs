//! What the prologue leaves for the body: values that are the same in all lanes, in scratch memory.

use super::super::core::alloc::{Part, Place};
use super::super::core::facts::crossing;
use super::asm::Source;
use super::emit::Emitter;
use crate::ir::func::{Func, Value as Ir};

/// The values of a function that its body reads from the prologue.
pub(super) struct Uniforms {
    /// Their numbers: of slots, or of words if instructions read a word for all lanes.
    numbers: Vec<Option<u16>>,
    count: u16,
}

impl Uniforms {
    pub(super) fn new(func: &Func) -> Self {
        Uniforms { numbers: vec![None; func.insts.len()], count: 0 }
    }

    /// Whether a value is one of them.
    pub(super) fn has(&self, value: Ir) -> bool {
        self.numbers[value.index()].is_some()
    }

    fn add(&mut self, value: Ir) {
        self.numbers[value.index()].get_or_insert_with(|| {
            self.count += 1;
            self.count - 1
        });
    }
}

impl Emitter<'_> {
    /// Assigns a place in scratch memory to each value that the body reads from the prologue.
    pub(super) fn reserve_uniforms(&mut self) {
        for arg in crossing(self.func) {
            if self.in_place(arg).is_none() {
                self.uniforms.add(arg);
            }
        }
        self.is_full |= self.uniform_slots() > self.slots();
    }

    /// Slots of scratch memory that the prologue leaves for the body.
    pub(super) fn uniform_slots(&self) -> u16 {
        self.lanes.uniform_slots(self.uniforms.count)
    }

    /// Stores a result of the prologue, if the body reads it.
    #[inline]
    pub(super) fn store_if_uniform(&mut self, value: Ir) {
        if let Some(number) = self.uniforms.numbers[value.index()]
            && let Some(Place::Register(register)) = self.file.place(Part { value, half: 0 })
        {
            self.lanes.store_uniform(self, number, register);
        }
    }

    /// Where a value is that the prologue has left.
    pub(super) fn uniform(&self, value: Ir) -> Option<Source> {
        self.uniforms.numbers[value.index()].map(|number| self.lanes.uniform(self, number))
    }
}
