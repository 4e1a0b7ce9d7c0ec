//! The resources that a program reads and writes.

use crate::isa::Mask;
use std::fmt;
use std::ops::Range;
use xfjit_runtime::state::{MAX_ROWS, OUTPUTS};

/// The resources that a shader reads and writes, by static analysis: supersets of those of a vertex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramInfo {
    /// The attributes read, as a mask of input registers.
    pub inputs: u16,
    /// The components written of each output register, live or not.
    pub outputs: [Mask; OUTPUTS],
    /// The rows of constants read.
    pub constants_read: Rows,
    /// The rows of constants written.
    pub constants_written: Rows,
    /// The slots of program memory whose content matters; empty if there is none.
    pub slots: Range<usize>,
    /// Whether native code is ready; `Program::info` sets this.
    pub native: bool,
}

impl ProgramInfo {
    /// Nothing read, nothing written.
    pub const NOTHING: ProgramInfo = ProgramInfo {
        inputs: 0,
        outputs: [Mask::NONE; OUTPUTS],
        constants_read: Rows::NONE,
        constants_written: Rows::NONE,
        slots: 0..0,
        native: false,
    };

    /// The output registers of which something is written, as a mask.
    pub fn written_outputs(&self) -> u32 {
        (0..OUTPUTS).filter(|&register| !self.outputs[register].is_empty()).fold(0, |all, r| all | 1 << r)
    }
}

/// Rows of constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rows([u64; MAX_ROWS.div_ceil(64)]);

impl Rows {
    /// No row.
    pub const NONE: Rows = Rows([0; MAX_ROWS.div_ceil(64)]);

    /// The rows below `count`, of [`MAX_ROWS`] at most.
    pub fn first(count: usize) -> Self {
        let mut rows = Rows::NONE;
        (0..count).for_each(|row| rows.insert(row));
        rows
    }

    /// Adds a row. A row that no generation has is ignored.
    pub fn insert(&mut self, row: usize) {
        if row < MAX_ROWS {
            self.0[row / 64] |= 1 << (row % 64);
        }
    }

    /// Whether a row is among them.
    pub fn contains(&self, row: usize) -> bool {
        row < MAX_ROWS && self.0[row / 64] >> (row % 64) & 1 != 0
    }

    /// The rows, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..MAX_ROWS).filter(|&row| self.contains(row))
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
