//! Microcode of the XF unit: decoded instructions, and per generation the words they come from.
//!
//! [`Insn`] is one struct for all generations and holds *meaning*: every normalisation that the hardware makes while
//! decoding (kelvin.md 1.3: unused opcodes, register clamping, the pairing rule of the scalar destination) has been
//! applied, and fields that cannot matter have one fixed value. Two words that mean the same decode to equal `Insn`s.

pub mod convert;
pub mod curie;
pub mod decode;
#[cfg(test)]
mod doc_tests;
pub mod fields;
pub(crate) mod insn;
pub mod kelvin;
pub mod layout;
pub mod mask;
mod mux;
pub mod native;
pub mod op;
pub(crate) mod predicate;
pub mod rankine;
pub(crate) mod reads;
pub(crate) mod uses;

pub use crate::chip::Generation;
pub use decode::{DecodeError, decode, decode_as, decode_seen};
pub use insn::{
    AddressComponent, Bank, Branch, CodeWrite, Condition, Insn, OutTarget, OutWrite, Program, Source,
    Swizzle, TempWrite, Test, Unit,
};
pub use mask::Mask;
pub use op::{ScaOp, Slot, VecOp};
/// The number of dwords in an uploaded slot, in every generation.
pub const WORDS_PER_SLOT: usize = 4;

impl Reading {
    /// Whether the temporary number 12 reads oPos back: on Kelvin, and for programs of its class
    /// (rankine_curie.md 1.4).
    pub fn reads_position_back(self, generation: Generation) -> bool {
        match generation {
            Generation::Kelvin => true,
            Generation::Rankine => self.mode == ProgramMode::V1,
            Generation::Curie => false,
        }
    }
}

/// The canonical words of a program's instructions; the slot of its first one comes first, whatever its number.
pub fn encode(generation: Generation, program: &Program) -> Vec<u32> {
    encode_as(generation, Reading::default(), program)
}

/// As [`encode`], for a chip that reads words in this way: [`decode_as`] gives back a program that it has made.
pub fn encode_as(generation: Generation, reading: Reading, program: &Program) -> Vec<u32> {
    program.insns.iter().flat_map(|insn| encode_insn(generation, reading, insn)).collect()
}

pub(crate) fn encode_insn(generation: Generation, reading: Reading, insn: &Insn) -> [u32; WORDS_PER_SLOT] {
    match generation {
        Generation::Kelvin => kelvin::encode_insn(insn),
        Generation::Rankine => rankine::encode_insn(reading, insn),
        Generation::Curie => curie::encode_insn(insn),
    }
}

/// Decodes a single instruction. [`Insn::end`] is the bit in the words, without regard to other instructions.
pub fn decode_insn(generation: Generation, reading: Reading, words: [u32; WORDS_PER_SLOT]) -> Insn {
    match generation {
        Generation::Kelvin => kelvin::decode_insn(words),
        Generation::Rankine => rankine::decode_insn(reading, words),
        Generation::Curie => curie::decode_insn(reading, words),
    }
}

/// The raw fields of a slot by name, as in the encoding's table, without interpretation.
pub fn raw_fields(
    generation: Generation,
    words: [u32; WORDS_PER_SLOT],
) -> impl Iterator<Item = (&'static str, u32)> {
    let (fields, bits) = (layout::layout(generation).slot, layout::slot_bits(generation, words));
    fields.iter().map(move |field| (field.name, ((bits & field.mask()) >> field.lo) as u32))
}

/// The mode that runs the program (method 0x1e94, rankine_curie.md 1.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ProgramMode {
    /// PROGRAM_V1: a program of Kelvin's class. Opcodes from 0x0e on write nothing, absolute values are ignored.
    V1,
    /// PROGRAM_V2 and V3: everything that the generation has.
    #[default]
    V2,
}

/// Where the scalar result of a Rankine instruction with two operations goes (UNKNOWN, rankine_curie.md 8.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PairedScalar {
    /// R1, as on Kelvin.
    #[default]
    R1,
    /// The destination of the instruction, like the vector result.
    Shared,
}

impl PairedScalar {
    /// Both.
    pub const ALL: &[PairedScalar] = &[PairedScalar::R1, PairedScalar::Shared];

    /// The name in the assembler text's `.paired`.
    pub const fn name(self) -> &'static str {
        match self {
            PairedScalar::R1 => "r1",
            PairedScalar::Shared => "shared",
        }
    }
}

/// Whether a branch without the condition-enable bit is tested (UNKNOWN, rankine_curie.md 2.3 and 8.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BranchTest {
    /// The test field decides, enabled or not.
    #[default]
    Field,
    /// Without the bit the branch is always taken.
    Enabled,
}

/// How words are read where the documents leave a choice. Kelvin has none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Reading {
    /// Mode of the program.
    pub mode: ProgramMode,
    /// Scalar destination of paired operations on Rankine.
    pub paired: PairedScalar,
    /// Tests of branches.
    pub branch_test: BranchTest,
}
