//! Microcode of the XF unit: decoded instructions, and per generation the words they come from.
//!
//! [`Insn`] is one struct for all generations and holds *meaning*: every normalisation that the hardware makes while
//! decoding (kelvin.md 1.3: unused opcodes, register clamping, the pairing rule of the scalar destination) has been
//! applied, and fields that cannot matter have one fixed value. Two words that mean the same decode to equal `Insn`s.

mod assemble;
mod error;
pub mod fields;
mod insn;
pub mod kelvin;
mod lex;
mod names;
pub mod op;
mod parse;
mod print;
mod reads;
pub mod words;

pub use error::{MAX_ERRORS, ParseError};
pub use insn::{Bank, Insn, Mask, OutTarget, OutWrite, Program, Source, Swizzle, TempWrite, Unit};
pub use kelvin::DecodeError;
pub use parse::parse;
pub use print::{print, print_insn};

/// A generation of the XF unit that runs microcode. Rankine (NV30) and Curie (NV40) will follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Generation {
    /// NV20, NV25 and the Xbox's NV2A.
    #[default]
    Kelvin,
}

impl Generation {
    /// Every generation, oldest first.
    pub const ALL: &[Generation] = &[Generation::Kelvin];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Generation::Kelvin => "kelvin",
        }
    }

    /// Instruction slots of XFPR.
    pub const fn slots(self) -> usize {
        match self {
            Generation::Kelvin => kelvin::SLOTS,
        }
    }

    /// Dwords that a slot is uploaded as.
    pub const fn words_per_slot(self) -> usize {
        match self {
            Generation::Kelvin => kelvin::WORDS_PER_SLOT,
        }
    }

    /// Rows of XFCTX.
    pub const fn constants(self) -> usize {
        match self {
            Generation::Kelvin => kelvin::CONSTANTS as usize,
        }
    }

    /// Temporary registers, without Kelvin's read-back of oPos.
    pub const fn temps(self) -> usize {
        match self {
            Generation::Kelvin => kelvin::TEMPS as usize,
        }
    }

    /// Vertex attributes.
    pub const fn inputs(self) -> usize {
        match self {
            Generation::Kelvin => kelvin::INPUTS as usize,
        }
    }

    /// Output registers.
    pub const fn outputs(self) -> usize {
        match self {
            Generation::Kelvin => kelvin::OUTPUTS as usize,
        }
    }
}

/// The program that runs from slot `start` of `words`: up to the first END, or the end of the words given.
pub fn decode(generation: Generation, words: &[u32], start: usize) -> Result<Program, DecodeError> {
    match generation {
        Generation::Kelvin => kelvin::decode(words, start),
    }
}

/// The canonical words of a program's instructions; its start slot comes first, whatever its number.
pub fn encode(generation: Generation, program: &Program) -> Vec<u32> {
    match generation {
        Generation::Kelvin => kelvin::encode(program),
    }
}
