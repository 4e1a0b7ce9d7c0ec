//! Reads programs and captures in the formats of other tools, as far as these are documented in public. `docs/CAPTURES.md` names the
//! sources.
//!
//! ```text
//! hex   dumps of microcode as text: words with or without 0x, addresses before them, the braces of arrays of C
//! raw   bare words, as RPCS3 keeps programs
//! vpo   Cg's binary programs for the RSX
//! log   logs of the Xbox's methods, as xemu, nv2a-trace and xbdm_gdb_bridge write them
//! ```
//! [`flipper::dff`](crate::flipper::dff) reads recordings for Dolphin's FIFO player. Each reader does work in proportion to its input, and
//! an error names the byte or the line.

pub mod hex;
pub mod log;
pub mod raw;
pub mod vpo;

use std::fmt;
use xfjit_isa::isa::{Generation, WORDS_PER_SLOT};

/// Why a file is not in the expected format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportError {
    /// The place of the error.
    pub place: Place,
    /// The error.
    pub message: String,
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A byte, from 0.
    Byte(usize),
    /// A line, from 1.
    Line(usize),
}

impl ImportError {
    fn byte(at: usize, message: impl Into<String>) -> ImportError {
        ImportError { place: Place::Byte(at), message: message.into() }
    }

    fn line(number: usize, message: impl Into<String>) -> ImportError {
        ImportError { place: Place::Line(number), message: message.into() }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Byte(at) => write!(f, "byte {at:#x}: {}", self.message),
            Place::Line(number) => write!(f, "line {number}: {}", self.message),
        }
    }
}

impl std::error::Error for ImportError {}

/// Slots of the largest program memory, Curie's.
const MOST_SLOTS: usize = Generation::Curie.slots();

/// A slot: four words.
pub type Slot = [u32; WORDS_PER_SLOT];
