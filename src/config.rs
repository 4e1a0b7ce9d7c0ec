//! Everything beside the microcode that decides what a program computes.
//!
//! Lowering sees a [`Config`] and the decoded program, never machine state; so what is not in here cannot influence
//! the code, and [`crate::key::Key`] holds all of it (invariant I8).

use crate::isa::Generation;
use std::ops::Range;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::num::{Model, Numerics, Rules};

/// Which constants a program may read (XFMODE_B bit 18, kelvin.md 2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// All rows.
    Full,
    /// Indexed reads reach the user rows 0x60..0xC0 only, direct ones also the viewport rows 0x3A and 0x3B.
    /// UNKNOWN: what a read of another row gives on silicon; (0, 0, 0, 0) here.
    User,
}

impl Access {
    /// The rows that indexed reads reach.
    pub const fn window(self, generation: Generation) -> Range<u16> {
        match self {
            Access::Full => 0..generation.constants() as u16,
            Access::User => 0x60..generation.constants() as u16,
        }
    }

    /// Whether a direct read reaches a row.
    pub fn direct(self, generation: Generation, row: u16) -> bool {
        self.window(generation).contains(&row) || self == Access::User && matches!(row, 0x3a | 0x3b)
    }
}

/// What happens when both units of one instruction write R1 (UNKNOWN on silicon, kelvin.md 2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PairedR1 {
    /// Both write; the scalar unit wins where the masks meet.
    ScalarWins,
    /// The vector unit's write is dropped.
    VectorDropped,
}

/// What a masked write to oFog leaves in its x component, which is the fog value (kelvin.md 3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FogWrite {
    /// The result's x, whatever the mask, unless it is empty: what captures of the console show.
    AnyComponent,
    /// Like any register: x only if the mask names it.
    Masked,
}

/// What is added to the operand of ARL before the floor (kelvin.md 2, ARL).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressBias {
    /// Nothing: the chip.
    None,
    /// 0.001: what several emulators do to make up for host rounding; wrong for some programs.
    Milli,
}

/// Everything that lowering may look at.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    /// Whose microcode.
    pub generation: Generation,
    /// Which arithmetic.
    pub model: Model,
    /// TBUF registers that the caller wants; others are not computed.
    pub live_outputs: u16,
    /// How outputs lie in memory.
    pub layout: Layout,
    /// Which constants may be read.
    pub access: Access,
    /// Whether constants may be written (XFMODE_B bit 29); if not, such writes are dropped. With it, a program that
    /// writes constants runs vertex after vertex.
    pub constant_writes: bool,
    /// Both units write R1.
    pub paired_r1: PairedR1,
    /// Masked writes to oFog.
    pub fog_write: FogWrite,
    /// Operand of ARL.
    pub address_bias: AddressBias,
}

impl Config {
    /// The chip as it is set up for ordinary vertex programs: every output, full access, no constant writes.
    pub fn new(generation: Generation) -> Self {
        Config {
            generation,
            model: Model::Hw,
            live_outputs: u16::MAX,
            layout: Layout::Rows,
            access: Access::Full,
            constant_writes: false,
            paired_r1: PairedR1::ScalarWins,
            fog_write: FogWrite::AnyComponent,
            address_bias: AddressBias::None,
        }
    }

    /// With another model.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// With only these outputs.
    #[must_use]
    pub fn live_outputs(mut self, mask: u16) -> Self {
        self.live_outputs = mask;
        self
    }

    /// Whose arithmetic, exactly.
    pub fn numerics(&self) -> Numerics {
        let rules = match self.generation {
            Generation::Kelvin => Rules::Kelvin,
        };
        Numerics { model: self.model, rules }
    }
}
