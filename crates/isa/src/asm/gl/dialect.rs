//! The dialects and their headers.

use crate::isa::Generation;
use crate::text::Problem;

/// An assembly dialect of OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
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

impl Dialect {
    /// Every dialect.
    pub const ALL: &[Dialect] =
        &[Dialect::Vp10, Dialect::Vp11, Dialect::Vsp10, Dialect::Vp20, Dialect::Vp30, Dialect::Arb10];

    /// The first word of its programs.
    pub const fn header(self) -> &'static str {
        match self {
            Dialect::Vp10 => "!!VP1.0",
            Dialect::Vp11 => "!!VP1.1",
            Dialect::Vsp10 => "!!VSP1.0",
            Dialect::Vp20 => "!!VP2.0",
            Dialect::Vp30 => "!!VP3.0",
            Dialect::Arb10 => "!!ARBvp1.0",
        }
    }

    /// The first generation that can run its programs.
    pub const fn since(self) -> Generation {
        match self {
            Dialect::Vp10 | Dialect::Vp11 | Dialect::Vsp10 | Dialect::Arb10 => Generation::Kelvin,
            Dialect::Vp20 => Generation::Rankine,
            Dialect::Vp30 => Generation::Curie,
        }
    }

    /// The instruction sets that it has, options aside.
    pub(super) const fn sets(self) -> Sets {
        match self {
            Dialect::Vp10 | Dialect::Vsp10 => V10,
            Dialect::Vp11 => V10 | V11,
            Dialect::Vp20 => V10 | V11 | V20,
            Dialect::Vp30 => V10 | V11 | V20 | V30,
            Dialect::Arb10 => ARB,
        }
    }

    /// Temporaries `R0` and up that it names; ARB_vertex_program declares its own.
    pub(super) const fn temps(self) -> u16 {
        match self {
            Dialect::Vp10 | Dialect::Vp11 | Dialect::Vsp10 => 12,
            Dialect::Vp20 => 16,
            Dialect::Vp30 => 32,
            Dialect::Arb10 => 0,
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
            Dialect::Vp10 | Dialect::Vp11 | Dialect::Vsp10 => 96,
            Dialect::Vp20 | Dialect::Vp30 => 256,
            Dialect::Arb10 => 0,
        }
    }
}

/// The dialect of a text, and where its first statement may begin.
pub(super) fn header(text: &str) -> Result<(Dialect, usize), Problem> {
    let start = text.len() - text.trim_start().len();
    let in_header = |c: char| c.is_ascii_alphanumeric() || matches!(c, '!' | '.');
    let length = text[start..].find(|c| !in_header(c)).unwrap_or(text.len() - start);
    let span = start..start + length;
    let word = &text[span.clone()];
    match Dialect::ALL.iter().find(|dialect| dialect.header() == word) {
        Some(&dialect) => Ok((dialect, span.end)),
        None => {
            let all: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.header()).collect();
            let problem = Problem::new(span, format!("`{word}` is no header of a vertex program"));
            Err(problem.help(format!("headers are {}", all.join(", "))))
        }
    }
}
