//! The languages and their headers.

use crate::isa::Generation;
use crate::text::Problem;

/// An assembly language of OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// NV_vertex_program.
    Vp10,
    /// NV_vertex_program1_1.
    Vp11,
    /// Vertex state programs of NV_vertex_program: they write constants.
    Vsp10,
    /// NV_vertex_program2.
    Vp20,
    /// The notation of NV_vertex_program2 with what NV_vertex_program3 adds. The extension itself is an option of
    /// ARB_vertex_program; nothing else has this header.
    Vp30,
    /// ARB_vertex_program, with the options of NV_vertex_program2 and NV_vertex_program3.
    Arb10,
}

/// Instruction sets, as bits.
pub(super) type Sets = u8;
pub(super) const V10: Sets = 1;
pub(super) const V11: Sets = 2;
pub(super) const V20: Sets = 4;
pub(super) const V30: Sets = 8;
pub(super) const ARB: Sets = 16;

impl Language {
    /// Every language.
    pub const ALL: &[Language] =
        &[Language::Vp10, Language::Vp11, Language::Vsp10, Language::Vp20, Language::Vp30, Language::Arb10];

    /// The first word of its programs.
    pub const fn header(self) -> &'static str {
        match self {
            Language::Vp10 => "!!VP1.0",
            Language::Vp11 => "!!VP1.1",
            Language::Vsp10 => "!!VSP1.0",
            Language::Vp20 => "!!VP2.0",
            Language::Vp30 => "!!VP3.0",
            Language::Arb10 => "!!ARBvp1.0",
        }
    }

    /// The first generation that can run its programs.
    pub const fn since(self) -> Generation {
        match self {
            Language::Vp10 | Language::Vp11 | Language::Vsp10 | Language::Arb10 => Generation::Kelvin,
            Language::Vp20 => Generation::Rankine,
            Language::Vp30 => Generation::Curie,
        }
    }

    /// The instruction sets that it has, options aside.
    pub(super) const fn sets(self) -> Sets {
        match self {
            Language::Vp10 | Language::Vsp10 => V10,
            Language::Vp11 => V10 | V11,
            Language::Vp20 => V10 | V11 | V20,
            Language::Vp30 => V10 | V11 | V20 | V30,
            Language::Arb10 => ARB,
        }
    }

    /// Temporaries `R0` and up that it names; ARB_vertex_program declares its own.
    pub(super) const fn temps(self) -> u16 {
        match self {
            Language::Vp10 | Language::Vp11 | Language::Vsp10 => 12,
            Language::Vp20 => 16,
            Language::Vp30 => 32,
            Language::Arb10 => 0,
        }
    }

    /// Whether a program may do nothing: the grammars of NV_vertex_program and 1_1 ask for an instruction, the later
    /// ones and ARB_vertex_program for none.
    pub(super) const fn may_be_empty(self) -> bool {
        self.sets() & (V20 | ARB) != 0
    }

    /// Parameters `c[0]` and up that it names.
    pub(super) const fn parameters(self) -> u16 {
        match self {
            Language::Vp10 | Language::Vp11 | Language::Vsp10 => 96,
            Language::Vp20 | Language::Vp30 => 256,
            Language::Arb10 => 0,
        }
    }
}

/// The language of a text, and where its first statement may begin.
pub(super) fn header(text: &str) -> Result<(Language, usize), Problem> {
    let start = text.len() - text.trim_start().len();
    // A statement may follow at once, and no header begins another one.
    if let Some(&language) =
        Language::ALL.iter().find(|language| text[start..].starts_with(language.header()))
    {
        return Ok((language, start + language.header().len()));
    }
    let in_header = |c: char| c.is_ascii_alphanumeric() || matches!(c, '!' | '.');
    let length = text[start..].find(|c| !in_header(c)).unwrap_or(text.len() - start);
    let span = start..start + length;
    let word = &text[span.clone()];
    let all: Vec<&str> = Language::ALL.iter().map(|language| language.header()).collect();
    let problem = Problem::new(span, format!("`{word}` is not a header of a vertex program"));
    Err(problem.help(format!("headers are {}", all.join(", "))))
}
