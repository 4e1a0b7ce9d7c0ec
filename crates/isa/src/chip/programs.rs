//! Which registers and rows mean something to every program, by number.

use super::Generation;
use std::ops::Range;

/// The output register oPos.
pub const POSITION: u8 = 0;
/// The temporary register that reads oPos back, on Kelvin and in programs of its class (kelvin.md 2).
pub const POSITION_READ_BACK: u8 = 12;

impl Generation {
    /// The rows of XFCTX that hold the viewport's scale and its translation (kelvin.md 2; rankine_curie.md 7).
    pub const fn viewport_rows(self) -> [u16; 2] {
        match self {
            Generation::Kelvin => [0x3a, 0x3b],
            Generation::Rankine | Generation::Curie => [0x76, 0x77],
        }
    }

    /// The rows of XFCTX that are a user's: what indexed reads reach where XFMODE restricts them, and where parameters of OpenGL
    /// programs stand (kelvin.md 2). Curie restricts nothing; its rows are those that every chip of it has (rankine_curie.md 3).
    /// UNKNOWN: where they begin for Rankine's own programs (rankine_curie.md 3 and 8.4: Mesa counts from 0); this leaves
    /// the rows of the viewport alone.
    pub const fn user_rows(self) -> Range<u16> {
        match self {
            Generation::Kelvin => 0x60..0xc0,
            Generation::Rankine => 0x9c..0x19c,
            Generation::Curie => 0..super::Chip::Nv43.sizes().xfctx as u16,
        }
    }
}
