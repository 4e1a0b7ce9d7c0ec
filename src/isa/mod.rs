//! Microcode of the XF unit: decoded instructions, and per generation the words they come from.
//!
//! [`Insn`] is one struct for all generations and holds *meaning*: every normalisation that the hardware makes while
//! decoding (kelvin.md 1.3: unused opcodes, register clamping, the pairing rule of the scalar destination) has been
//! applied, and fields that cannot matter have one fixed value. Two words that mean the same decode to equal `Insn`s.

mod insn;
pub mod op;

pub use insn::{Bank, Insn, Mask, OutTarget, OutWrite, Program, Source, Swizzle, TempWrite, Unit};
