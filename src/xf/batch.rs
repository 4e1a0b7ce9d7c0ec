//! Vertices that have been triggered and not run yet.
//!
//! Attribute values lie in columns, one per attribute that is written while vertices are pending; all others have one
//! value for the whole batch and need no column.

use super::vab::Held;
use xfjit_runtime::batch::{Attribute, Inputs, registers};
use xfjit_runtime::state::{ATTRIBUTES, Row};

/// Vertices that a batch holds.
pub(super) const CAPACITY: usize = 512;

/// Pending vertices.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    count: usize,
    /// Attributes with a column.
    varying: u16,
    columns: Vec<[Row; CAPACITY]>,
}

impl Batch {
    pub(super) fn new() -> Self {
        Batch { count: 0, varying: 0, columns: vec![[[0; 4]; CAPACITY]; ATTRIBUTES] }
    }

    /// Vertices pending.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Tells that an attribute is about to change from `old`: the pending vertices keep that. By reference: to load a row
    /// that has just been written in parts takes long.
    #[inline(always)]
    pub(super) fn keep(&mut self, register: usize, old: &Row) {
        if self.count > 0 && self.varying & 1 << register == 0 {
            self.fill(register, old);
        }
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, register: usize, old: &Row) {
        self.varying |= 1 << register;
        self.columns[register][..self.count].fill(*old);
    }

    /// Copies the attributes of one vertex; true if no further one fits.
    #[inline]
    pub(super) fn push(&mut self, vab: &[Row; ATTRIBUTES]) -> bool {
        for register in registers(self.varying) {
            self.columns[register][self.count] = vab[register];
        }
        self.count += 1;
        self.count == CAPACITY
    }

    /// The pending vertices as streams, and what they have in common.
    pub(super) fn inputs<'a>(&'a self, vab: &'a [Row; ATTRIBUTES]) -> (Inputs<'a>, Held<'a>) {
        let mut inputs = Inputs::new(self.count);
        for register in registers(self.varying) {
            inputs.attributes[register] = Attribute::rows(&self.columns[register][..self.count]);
        }
        (inputs, Held { rows: vab, mask: !self.varying })
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.varying = 0;
    }
}
