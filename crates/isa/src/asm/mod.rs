//! Text of programs: the assembler and the disassembler, microcode as hexadecimal text, and the languages of OpenGL.
//!
//! [`parse()`] and [`print()`] are inverses of each other; they write and read the decoded instructions of [`crate::isa`], which knows
//! nothing about text.

mod assemble;
pub mod gl;
pub mod glsl;
mod lex;
mod names;
mod pair;
mod parse;
mod print;
mod split;
pub mod words;

pub use names::{input_name, output_number};
pub use pair::{Paired, Passes, pair};
pub use parse::{parse, parse_as, parse_with_passes, parse_with_reading};
pub use print::{Listing, SlotText, listing, listing_as, print, print_as, print_insn};
