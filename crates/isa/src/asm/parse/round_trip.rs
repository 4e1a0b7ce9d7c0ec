//! What is printed reads back, and no text makes the parser panic.

use proptest::prelude::*;

use super::{parse, parse_with_reading};
use crate::asm::print_as;
use crate::isa::kelvin::{Fields, slot_bits, slot_words};
use crate::isa::{BranchTest, Generation, PairedScalar, ProgramMode, Reading, decode_as, encode_as};
use crate::text::MAX_ERRORS;

const GEN: Generation = Generation::Kelvin;

/// Printing a program of these slots and reading it back changes nothing.
fn survives(generation: Generation, slots: &[[u32; 4]], start: usize) {
    survives_as(generation, Reading::default(), slots, start);
}

/// A program survives for a chip that reads words in that way; the words that the text assembles to are the program there, too.
fn survives_as(generation: Generation, reading: Reading, slots: &[[u32; 4]], start: usize) {
    let program = decode_as(generation, reading, slots.as_flattened(), start).unwrap();
    let text = print_as(generation, reading, &program);
    let (read, assembled_for) =
        parse_with_reading(generation, Reading::default(), &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    assert_eq!(read, program, "{reading:?}\n{text}");
    let mut words = vec![0; 4 * program.first];
    words.extend(encode_as(generation, assembled_for, &read));
    let again = decode_as(generation, reading, &words, program.start);
    assert_eq!(again.as_ref(), Ok(&program), "{reading:?}\n{text}");
}

/// Any way of reading.
fn readings() -> impl Strategy<Value = Reading> {
    any::<[bool; 3]>().prop_map(|[v1, shared, enabled]| Reading {
        mode: if v1 { ProgramMode::V1 } else { ProgramMode::V2 },
        paired: if shared { PairedScalar::Shared } else { PairedScalar::R1 },
        branch_test: if enabled { BranchTest::Enabled } else { BranchTest::Field },
    })
}

/// A program of Kelvin survives whose only END is the last slot's.
fn round_trip(slots: &[[u32; 4]], start: usize) {
    let (last, others) = slots.split_last().unwrap();
    let mut words: Vec<u32> = others.iter().flat_map(|&[d0, d1, d2, d3]| [d0, d1, d2, d3 & !1]).collect();
    words.extend(last);
    survives(GEN, words.as_chunks::<4>().0, start);
}

#[test]
fn every_pair_of_operations_survives_printing() {
    // All sources alike is where a MOV could be mistaken for the other unit's; other patterns vary the destinations.
    for background in [0u128, u128::MAX, 0x0f1e2d3c4b5a69788796a5b4, 0xf0e1d2c3b4a5968778695a4b] {
        for (source_a, source_c) in [(0x1b7 << 2, 0x1b7 << 2), (0x1b6, 0x1b6), (0x2c7, 0x1b7)] {
            for codes in 0..128 {
                for destinations in 0..1u32 << 6 {
                    let bit = |n: u32, mask: u16| if destinations >> n & 1 != 0 { mask } else { 0 };
                    let fields = Fields {
                        vec_op: codes & 15,
                        sca_op: codes >> 4,
                        src_a: source_a,
                        src_c: source_c,
                        vec_mask: bit(0, 15) | bit(1, 6),
                        sca_mask: bit(2, 15),
                        out_mask: bit(3, 15),
                        out_from_sca: bit(4, 1),
                        out_buffer: 1,
                        out_addr: 3,
                        dst: bit(5, 1),
                        ..Fields::unpack(background)
                    };
                    round_trip(&[slot_words(fields.pack())], 0);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn decoded_programs_survive_printing(slots in prop::collection::vec(any::<[u32; 4]>(), 1..12), start: usize) {
        round_trip(&slots, start % slots.len());
    }

    /// Sources all of one kind make shared operands likely.
    #[test]
    fn decoded_pairs_survive_printing(slot: [u32; 4], source: u16, vec_op in 0u16..14, sca_op in 1u16..8) {
        let fields = Fields::unpack(slot_bits(slot));
        let fields = Fields { src_a: source, src_c: source ^ fields.src_c & 0x3c0, vec_op, sca_op, ..fields };
        round_trip(&[slot_words(fields.pack())], 0);
    }

    /// Plenty of branches within the program, and fields that are likelier to agree than random ones.
    #[test]
    fn decoded_programs_of_later_generations_survive_printing(
        slots in prop::collection::vec((any::<[u32; 4]>(), 0u32..64, 0u32..12), 1..12),
        start: usize,
        ordinary: bool,
        reading in readings(),
    ) {
        let rankine: Vec<[u32; 4]> = slots.iter().map(|&([d0, d1, d2, d3], kind, target)| match kind {
            0..8 => [d0 & !1, d1 & 0x0fff_ffff | 0x9000_0000 | (kind & 2) << 28, d2 & !0x7fc | target << 2, d3],
            8..40 if ordinary => [d0 & !1, d1 & 0x0fff_ffff, d2, d3 & !1],
            _ => [d0, d1, d2, d3],
        }).collect();
        survives_as(Generation::Rankine, reading, &rankine, start % slots.len());
        let curie: Vec<[u32; 4]> = slots.iter().map(|&([d0, d1, d2, d3], kind, target)| {
            let op = [9, 11, 17, 18][kind as usize & 3];
            match kind {
                0..8 => [
                    d0 & !0x80_0000,
                    d1 & 0x07ff_ffff | op << 27,
                    d2 & !0x3f | target >> 3,
                    d3 & 0x1fff_ffff | target << 29,
                ],
                8..40 if ordinary => [d0, d1 & 0x07ff_ffff, d2, d3 & !1],
                _ => [d0, d1, d2, d3],
            }
        }).collect();
        survives_as(Generation::Curie, reading, &curie, start % slots.len());
    }

    /// Both units of Rankine at work, few registers, and condition codes: where the ways of reading differ.
    #[test]
    fn decoded_pairs_of_rankine_survive_printing_however_they_are_read(
        slot: [u32; 4],
        [vec_op, sca_op, dst]: [u16; 3],
        [temps, outputs]: [u8; 2],
        reading in readings(),
    ) {
        use crate::isa::rankine::{Fields, slot_bits, slot_words};
        let bit = |bits: u8, n: u8, mask: u16| if bits >> n & 1 != 0 { mask } else { 0 };
        let fields = Fields {
            vec_op: vec_op % 0x19,
            sca_op: sca_op % 0x11,
            dst: [0, 1, 2, 0x1f][usize::from(dst) % 4],
            vec_mask: bit(temps, 0, 15) ^ bit(temps, 1, 6),
            sca_mask: bit(temps, 2, 15) ^ bit(temps, 3, 6),
            vec_out_mask: bit(outputs, 0, 15) ^ bit(outputs, 1, 6),
            sca_out_mask: bit(outputs, 2, 15) ^ bit(outputs, 3, 6),
            out_addr: if outputs & 16 != 0 { 0x1ff } else { 3 },
            out_buffer: 1,
            ..Fields::unpack(slot_bits(slot))
        };
        survives_as(Generation::Rankine, reading, &[slot_words(fields.pack())], 0);
    }

    #[test]
    fn any_text_is_a_program_or_errors(text: String) {
        check_text(&text);
    }

    #[test]
    fn any_mixture_of_tokens_is_a_program_or_errors(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)
    ) {
        check_text(&pieces.concat());
    }
}

const PIECES: &[&str] = &[
    "MOV ",
    "MUL ",
    "MAD ",
    "RCP ",
    "IMV ",
    "ARL ",
    "END",
    "NOP",
    "r0",
    "r1",
    "v0",
    "v1",
    "c[",
    "]",
    "a0",
    "oPos",
    "oD0",
    ".x",
    ".xyz",
    ".",
    ", ",
    ", ",
    "+",
    "-",
    "!",
    "12",
    "200",
    "99999999999999999999",
    "_",
    "\n",
    "\n",
    ";",
    "é",
    ".start ",
    ".noend",
    ".first ",
    ".paired ",
    "shared",
    "MULC ",
    "RCPC1 ",
    "MOVC_SAT ",
    "ARA ",
    "BRA ",
    "CAL ",
    "RET",
    "BRB ",
    "BRAI ",
    "PUSHA ",
    "POPA ",
    "TXL ",
    "tex1",
    "b3",
    "(GT.x)",
    "(EQ1)",
    " (",
    "|",
    "a1",
    "a0.y",
    "cc",
    "v[",
    "o[",
    "here",
    "here:",
    "there: ",
];

fn check_text(text: &str) {
    for &generation in Generation::ALL {
        match parse_with_reading(generation, Reading::default(), text) {
            Ok((program, reading)) => {
                assert_eq!(parse(generation, &print_as(generation, reading, &program)), Ok(program));
            }
            Err(errors) => {
                assert!(!errors.is_empty() && errors.len() <= MAX_ERRORS);
                for error in errors {
                    assert!(text.get(error.span.clone()).is_some(), "{error:?}");
                    error.render(text);
                }
            }
        }
    }
}
