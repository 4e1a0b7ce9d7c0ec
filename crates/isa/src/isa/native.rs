//! NV40's native words: the form that holds Rankine's and Curie's programs (XF overview: programs are stored "in a special native ISA
//! which is a proper superset of both").
//!
//! 144 bits of it are known: Curie's layout, a mark in bit 127, and two masks above (rankine_curie.md 1.3). UNKNOWN: everything else, and how
//! the chip converts uploaded words. The remaining fields belong to Rankine alone. This library chose their places ([`Upper`]), so no
//! information in either kind of word is lost. So beyond the documents, the form is this project's own. docs/isa/native.md lists each choice.

use super::fields::fields;
use super::{Generation, Insn, Reading, WORDS_PER_SLOT, curie, kelvin, rankine};
use std::fmt;

/// How many words a slot has: the first has bits 128 to 143 in its lower half, and the others are like
/// Curie's four.
pub const WORDS: usize = 5;

/// Bit 127, the highest bit of the second word. It says that the slot was uploaded as Curie's
/// (rankine_curie.md 1.3, WAS_CURIE).
pub const WAS_CURIE: u32 = 1 << 31;

fields! {
    /// The fields above Curie's and the mark, of Rankine's words. Bits count from bit 128.
    Upper {
        sca_out_mask:   0 ..  4, "components of the scalar result written to `out_addr`";
        vec_out_mask:   4 ..  8, "components of the vector result written to `out_addr`, x highest";
        out_addr_high:  8 .. 12, "bits 5 to 8 of `out_addr`";
        out_buffer:    12 .. 13, "1: `out_addr` is an output register, 0: an XFCTX row";
        unknown:       13 .. 14, "Rankine's unknown bit, ignored";
    }
}

/// Why words are not a slot of either generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NativeError {
    /// A field has a value that no word of the marked generation leads to. The words were made wrongly.
    Field {
        /// Whose they are marked as.
        generation: Generation,
        /// The field.
        name: &'static str,
    },
    /// Bits that belong to no field are set.
    Bits,
    /// The caller asked for a generation that NV40 does not run.
    Generation(Generation),
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NativeError::Field { generation, name } => {
                write!(f, "`{name}` is nothing that a word of {} has", generation.name())
            }
            NativeError::Bits => write!(f, "bits are set that belong to no field"),
            NativeError::Generation(generation) => {
                write!(f, "native words hold rankine's and curie's, not {}'s", generation.name())
            }
        }
    }
}

impl std::error::Error for NativeError {}

/// Converts an uploaded slot to native words. Only bits that the chip does not keep are lost.
///
/// # Errors
/// The words are Kelvin's, which NV40 does not run.
pub fn from_words(generation: Generation, words: [u32; WORDS_PER_SLOT]) -> Result<[u32; WORDS], NativeError> {
    match generation {
        Generation::Kelvin => Err(NativeError::Generation(generation)),
        Generation::Rankine => Ok(of_rankine(&rankine::Fields::unpack(rankine::slot_bits(words)))),
        Generation::Curie => {
            let [d0, d1, d2, d3] = curie::slot_words(curie::slot_bits(words));
            Ok([0, WAS_CURIE | d0, d1, d2, d3])
        }
    }
}

/// Returns the words that were uploaded, and their generation: the reverse of [`from_words`].
///
/// # Errors
/// No words of either generation convert to these.
pub fn to_words(native: [u32; WORDS]) -> Result<(Generation, [u32; WORDS_PER_SLOT]), NativeError> {
    let [high, d0, d1, d2, d3] = native;
    if u128::from(high) & !Upper::MASK != 0 {
        return Err(NativeError::Bits);
    }
    let upper = Upper::unpack(high.into());
    let slot = [d0 & !WAS_CURIE, d1, d2, d3];
    if d0 & WAS_CURIE == 0 {
        let fields = to_rankine(&curie::Fields::unpack(curie::slot_bits(slot)), upper)?;
        return Ok((Generation::Rankine, rankine::slot_words(fields.pack())));
    }
    match Upper::FIELDS.iter().find(|field| u128::from(high) & field.mask() != 0) {
        Some(field) => Err(NativeError::Field { generation: Generation::Curie, name: field.name }),
        None => Ok((Generation::Curie, slot)),
    }
}

/// Decodes one slot, and returns its generation, too. The meaning is that of the words that it was made from.
///
/// # Errors
/// It fails like [`to_words`].
pub fn decode_insn(reading: Reading, native: [u32; WORDS]) -> Result<(Generation, Insn), NativeError> {
    let (generation, words) = to_words(native)?;
    Ok((generation, super::decode_insn(generation, reading, words)))
}

/// Returns the canonical native words for an instruction of a generation.
///
/// # Errors
/// The instruction is Kelvin's.
pub fn encode_insn(
    generation: Generation,
    reading: Reading,
    insn: &Insn,
) -> Result<[u32; WORDS], NativeError> {
    from_words(generation, super::encode_insn(generation, reading, insn))
}

/// Bits of `out_addr` that Curie's field of this name has.
const OUT_ADDR: u32 = 5;

/// A source as Curie has it, and its sign.
fn source_of_rankine(bits: u16) -> (u16, u16) {
    let kelvin::SourceFields { mux, temp, w, z, y, x, negate } = kelvin::SourceFields::unpack(bits.into());
    (curie::SourceFields { mux, temp, w, z, y, x }.pack() as u16, negate)
}

fn source_to_rankine(bits: u16, negate: u16) -> u16 {
    let curie::SourceFields { mux, temp, w, z, y, x } = curie::SourceFields::unpack(bits.into());
    kelvin::SourceFields { mux, temp, w, z, y, x, negate }.pack() as u16
}

/// Rankine's fields in Curie's places of the same name; its one destination stands in both of Curie's.
fn of_rankine(f: &rankine::Fields) -> [u32; WORDS] {
    let [(src_a, negate_a), (src_b, negate_b), (src_c, negate_c)] =
        [f.src_a, f.src_b, f.src_c].map(source_of_rankine);
    let slot = curie::Fields {
        end: f.end,
        indexed: f.indexed,
        out_addr: f.out_addr,
        sca_dst: f.dst,
        vec_mask: f.vec_mask,
        sca_mask: f.sca_mask,
        src_c,
        negate_c,
        src_b,
        negate_b,
        src_a,
        negate_a,
        input: f.input,
        constant: f.constant,
        vec_op: f.vec_op,
        sca_op: f.sca_op,
        address_swz: f.address_swz,
        test_swz: f.test_swz,
        test: f.test,
        test_enable: f.test_enable,
        code_write: f.code_write,
        vec_dst: f.dst,
        absolute_a: f.absolute_a,
        absolute_b: f.absolute_b,
        absolute_c: f.absolute_c,
        address_reg: f.address_reg,
        ..curie::Fields::default()
    };
    let upper = Upper {
        sca_out_mask: f.sca_out_mask,
        vec_out_mask: f.vec_out_mask,
        out_addr_high: f.out_addr >> OUT_ADDR,
        out_buffer: f.out_buffer,
        unknown: f.unknown,
    };
    let [d0, d1, d2, d3] = curie::slot_words(slot.pack());
    [upper.pack() as u32, d0, d1, d2, d3]
}

fn to_rankine(f: &curie::Fields, upper: Upper) -> Result<rankine::Fields, NativeError> {
    let fields = rankine::Fields {
        end: f.end,
        indexed: f.indexed,
        out_addr: f.out_addr | upper.out_addr_high << OUT_ADDR,
        out_buffer: upper.out_buffer,
        vec_out_mask: upper.vec_out_mask,
        sca_out_mask: upper.sca_out_mask,
        vec_mask: f.vec_mask,
        sca_mask: f.sca_mask,
        src_c: source_to_rankine(f.src_c, f.negate_c),
        src_b: source_to_rankine(f.src_b, f.negate_b),
        src_a: source_to_rankine(f.src_a, f.negate_a),
        input: f.input,
        unknown: upper.unknown,
        constant: f.constant,
        vec_op: f.vec_op,
        sca_op: f.sca_op,
        address_swz: f.address_swz,
        test_swz: f.test_swz,
        test: f.test,
        test_enable: f.test_enable,
        code_write: f.code_write,
        dst: f.vec_dst,
        absolute_a: f.absolute_a,
        absolute_b: f.absolute_b,
        absolute_c: f.absolute_c,
        address_reg: f.address_reg,
    };
    // What Rankine's words make is one of these; any other has something in a place that they leave alone, or cut off.
    let fields = rankine::Fields::unpack(fields.pack());
    let [_, made @ ..] = of_rankine(&fields);
    let (made, given) = (curie::slot_bits(made), f.pack());
    match curie::Fields::FIELDS.iter().find(|field| (made ^ given) & field.mask() != 0) {
        Some(field) => Err(NativeError::Field { generation: Generation::Rankine, name: field.name }),
        None => Ok(fields),
    }
}

#[cfg(test)]
mod tests;
