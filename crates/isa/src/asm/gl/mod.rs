//! Programs in the assembly languages of OpenGL, translated to instructions of a generation (docs/isa/opengl.md).
//!
//! ```text
//! text -> lex -> parse (with instruction, operand, nv, arb, state)
//!      -> expand: nodes, one operation each, with temporaries without limit
//!      -> ports: what an instruction cannot read at once goes through temporaries
//!      -> rows: constants get rows      temps: temporaries get registers
//!      -> emit: nodes become instructions, by the rules of our own assembler, each in a slot of its own
//!      -> super::pair: fewer slots, if asked for
//! text <- say: the other way round, from the table of opcodes (`ops`) and the names of outputs
//! ```
//! `expand` writes an instruction that no single operation implements as several operations.

use super::Passes;
use crate::isa::Generation;
use crate::isa::Program;
use crate::text::{ParseErrors, Problem};
use xfjit_runtime::fpenv::FpEnv;

mod arb;
#[cfg(test)]
mod chip_tests;
mod emit;
mod expand;
mod instruction;
mod invariant;
mod ir;
mod language;
mod lex;
mod matrix;
mod nv;
mod operand;
mod ops;
mod outputs;
mod parse;
mod ports;
mod rows;
mod say;
mod state;
mod symbol;
mod temps;
#[cfg(test)]
mod tests;
mod values;

pub use language::Language;
pub use matrix::Matrix;
pub use rows::{Binding, Row};
pub use say::{Notation, Unsaid, Unsayable, say};
pub use values::{State, StateError, bindings};

/// A translated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembled {
    /// The instructions, from slot 0.
    pub program: Program,
    /// The generation of the instructions.
    pub generation: Generation,
    /// The language of the text.
    pub language: Language,
    /// The required contents of the rows of constants that the program may read, by row; with an index, all rows that it may reach.
    pub rows: Vec<Row>,
}

/// Whether a text claims to be a program of one of the languages: it begins with `!!`.
pub fn is_opengl(text: &str) -> bool {
    text.trim_start().starts_with("!!")
}

/// Translates a program for a generation, or for the first one that can run it if none is given. With [`Passes::NONE`], every operation has
/// a slot of its own, in the order of the text.
///
/// # Errors
/// Up to [`MAX_ERRORS`](crate::text::MAX_ERRORS) places where the text is not in its language, or requires something that the generation
/// lacks. If no generation is given, these are the errors of the latest one with the fewest errors.
pub fn assemble(
    generation: Option<Generation>,
    text: &str,
    passes: Passes,
) -> Result<Assembled, ParseErrors> {
    // Numbers are read with host floats, and the caller may round otherwise.
    FpEnv::Default.within(|| assemble_here(generation, text, passes))
}

fn assemble_here(
    generation: Option<Generation>,
    text: &str,
    passes: Passes,
) -> Result<Assembled, ParseErrors> {
    let locate = |problems: Vec<Problem>| {
        problems.into_iter().map(|problem| problem.locate(text)).collect::<ParseErrors>()
    };
    let (language, body) = language::header(text).map_err(|problem| locate(vec![problem]))?;
    let translate = |wanted, least| emit::emit(parse::read(wanted, least, language, text, body)?, passes);
    if let Some(wanted) = generation {
        return translate(generation, wanted).map_err(locate);
    }
    let mut fewest: Option<Vec<Problem>> = None;
    for &least in Generation::ALL.iter().filter(|&&least| least >= language.since()) {
        match translate(None, least) {
            Ok(assembled) => return Ok(assembled),
            // What a later chip has is no error, and what no chip has is best said of the latest.
            Err(problems) if fewest.as_ref().is_none_or(|fewest| problems.len() <= fewest.len()) => {
                fewest = Some(problems);
            }
            Err(_) => {}
        }
    }
    Err(locate(fewest.unwrap_or_default()))
}
