//! VAB: the last value of every vertex attribute, and the default fill of short ones (fixed_function.md 7).

use super::command::{Command, Payload};
use super::pass;
use xfjit_isa::chip::{Chip, Family};
use xfjit_runtime::batch::{Attribute, Inputs, registers};
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::state::{ATTRIBUTES, DEFAULT_ROW, Row};

pub mod celsius {
    //! The slots of Celsius by the names of the documents.

    /// Position.
    pub const OPOS: u16 = 0;
    /// Primary colour.
    pub const COL0: u16 = 1;
    /// Secondary colour; w is the fog coordinate.
    pub const COL1F: u16 = 2;
    /// Texture coordinates of unit 0.
    pub const TXC0: u16 = 3;
    /// Texture coordinates of unit 1.
    pub const TXC1: u16 = 4;
    /// Normal.
    pub const NRML: u16 = 5;
    /// Weight of the first matrix, in x.
    pub const WGHT: u16 = 6;
    /// The passthrough slot.
    pub const PASS: u16 = 7;
}

/// Which words a write fills in beside its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fill {
    /// X or Y of OPOS, COL0, TXC0 and TXC1: Z = 0 and W = 1; Y = 0 as well if `clears_y`.
    Celsius {
        /// NV15 and later.
        clears_y: bool,
    },
    /// X of any attribute: (X, 0, 0, 1).
    Later,
}

/// Attributes that do not change within a batch, so that they need no stream.
#[derive(Clone, Copy)]
pub(super) struct Held<'a> {
    pub rows: &'a [Row; ATTRIBUTES],
    /// Which ones.
    pub mask: u16,
}

/// Vertices: those of arrays, what they have in common, and how the arrays lie in memory.
pub(super) type Vertices<'a, 'b, 'c> = (&'a mut Inputs<'b>, Held<'c>, InputLayout);

impl Held<'_> {
    /// Puts those that are read into a batch.
    pub(super) fn fill(self, inputs: &mut Inputs<'_>, live: u16) {
        for register in registers(live & self.mask) {
            inputs.attributes[register] = Attribute::Constant(self.rows[register]);
        }
    }
}

/// The attributes. The passthrough slot is kept beside them, in [`super::XfUnit`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Vab {
    pub(super) rows: [Row; ATTRIBUTES],
    attributes: u16,
    fill: Fill,
}

impl Vab {
    /// All zero, as UNKNOWN: the documents do not say what is in it after a reset.
    pub(super) fn new(chip: Chip) -> Self {
        let fill = match chip.family() {
            Family::Celsius => Fill::Celsius { clears_y: chip.clears_y() },
            Family::Kelvin | Family::Rankine | Family::Curie => Fill::Later,
        };
        Vab { rows: [[0; 4]; ATTRIBUTES], attributes: chip.sizes().attributes as u16, fill }
    }

    /// Attributes that the chip has.
    #[inline]
    pub(super) fn attributes(&self) -> u16 {
        self.attributes
    }

    /// Writes an attribute that the chip has.
    #[inline(always)]
    pub(super) fn write(&mut self, command: &Command) {
        let row = &mut self.rows[usize::from(command.slot) % ATTRIBUTES];
        let first = match command.payload {
            Payload::Word(_) => command.word & 3,
            Payload::Pair(_) => command.word & 2,
        };
        match self.fill {
            Fill::Later if first == 0 => *row = DEFAULT_ROW,
            Fill::Celsius { clears_y } if first < 2 && is_filled(command.slot) => {
                *row = [row[0], if clears_y { 0 } else { row[1] }, 0, DEFAULT_ROW[3]];
            }
            Fill::Later | Fill::Celsius { .. } => {}
        }
        pass::store(row, command);
    }
}

/// Whether Celsius fills an attribute's missing components.
fn is_filled(slot: u16) -> bool {
    use celsius::{COL0, OPOS, TXC0, TXC1};
    matches!(slot, OPOS | COL0 | TXC0 | TXC1)
}
