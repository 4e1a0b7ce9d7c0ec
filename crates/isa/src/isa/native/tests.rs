//! Nothing of a word is lost on the way to native words and back, whatever it is; other words are refused.

use super::*;
use crate::isa::fields::Field;
use crate::isa::{BranchTest, PairedScalar, ProgramMode, layout};
use proptest::prelude::*;

/// The generations that NV40 runs.
const BOTH: [Generation; 2] = [Generation::Rankine, Generation::Curie];

fn readings() -> impl Iterator<Item = Reading> {
    [ProgramMode::V1, ProgramMode::V2].into_iter().flat_map(|mode| {
        PairedScalar::ALL.iter().flat_map(move |&paired| {
            [BranchTest::Field, BranchTest::Enabled].map(|branch_test| Reading { mode, paired, branch_test })
        })
    })
}

fn words_of(bits: u128) -> [u32; 4] {
    [96, 64, 32, 0].map(|shift| (bits >> shift) as u32)
}

/// The words with only those bits that the chip keeps.
fn kept(generation: Generation, words: [u32; 4]) -> [u32; 4] {
    words_of(layout::slot_bits(generation, words))
}

/// All that is said of a slot, however words are read.
fn check(generation: Generation, words: [u32; 4]) {
    readings().for_each(|reading| check_as(generation, reading, words));
}

fn check_as(generation: Generation, reading: Reading, words: [u32; 4]) {
    let native = from_words(generation, words).expect("it is one of both");
    assert_eq!(to_words(native), Ok((generation, kept(generation, words))), "{words:08x?} {native:08x?}");
    assert_eq!(native[1] & WAS_CURIE != 0, generation == Generation::Curie);
    let insn = crate::isa::decode_insn(generation, reading, words);
    assert_eq!(decode_insn(reading, native), Ok((generation, insn)), "{words:08x?} {native:08x?}");
    // Canonical words become those of the same meaning, and these the canonical ones again.
    let canonical = encode_insn(generation, reading, &insn).expect("it is one of both");
    assert_eq!(decode_insn(reading, canonical), Ok((generation, insn)), "{words:08x?}");
    let back = crate::isa::encode_insn(generation, reading, &insn);
    assert_eq!(to_words(canonical), Ok((generation, back)), "{words:08x?}");
}

/// Numbers without a pattern; the same in every run.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 32) as u32
    }

    fn bits(&mut self) -> u128 {
        (0..4).fold(0, |bits, _| bits << 32 | u128::from(self.word()))
    }
}

fn with(bits: u128, field: &Field, value: u128) -> u128 {
    bits & !field.mask() | value << field.lo
}

#[test]
fn every_value_of_every_field_comes_back_whatever_the_others_are() {
    let mut random = Random(1);
    let mut checked = 0;
    let readings: Vec<Reading> = readings().collect();
    for generation in BOTH {
        for field in layout::layout(generation).slot {
            // A source has up to 65,536 values, each with other fields of its own.
            for value in 0..1 << (field.hi - field.lo) {
                let reading = readings[checked % readings.len()];
                check_as(generation, reading, words_of(with(random.bits(), field, value)));
                checked += 1;
            }
        }
    }
    assert!(checked > 3 * (1 << 15) + 3 * (1 << 16), "{checked}");
}

#[test]
fn every_operation_beside_every_other_comes_back() {
    let mut random = Random(2);
    for generation in BOTH {
        let fields = layout::layout(generation).slot;
        let [vec, sca] = ["vec_op", "sca_op"]
            .map(|name| fields.iter().find(|field| field.name == name).expect("it has it"));
        for a in 0..32 {
            for b in 0..32 {
                for _ in 0..4 {
                    check(generation, words_of(with(with(random.bits(), vec, a), sca, b)));
                }
            }
        }
    }
}

/// Where the document has the parts that it knows (rankine_curie.md 1.3).
#[test]
fn masks_and_mark_are_where_the_document_has_them() {
    let rankine = |fields: rankine::Fields| {
        from_words(Generation::Rankine, rankine::slot_words(fields.pack())).expect("it is one of both")
    };
    let outputs = rankine::Fields { sca_out_mask: 0xf, ..rankine::Fields::default() };
    assert_eq!(rankine(outputs), [0xf, 0, 0, 0, 0]);
    let outputs = rankine::Fields { vec_out_mask: 0xf, ..rankine::Fields::default() };
    assert_eq!(rankine(outputs), [0xf0, 0, 0, 0, 0]);
    // Mesa's pass-through of NV40 (rankine_curie.md 5, A): MOV o0, v0.
    let words = [0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff80];
    assert_eq!(
        from_words(Generation::Curie, words),
        Ok([0, 0xc01f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff80])
    );
    assert_eq!(from_words(Generation::Kelvin, words), Err(NativeError::Generation(Generation::Kelvin)));
}

#[test]
fn fields_of_curie_alone_are_refused_in_words_that_were_rankines() {
    let alone = ["code_reg", "saturate", "input_indexed", "out_indexed", "code_from_vec", "out_from_vec"];
    for field in curie::Fields::FIELDS {
        let [d0, d1, d2, d3] = words_of(field.mask());
        let got = to_words([0, d0, d1, d2, d3]);
        let refused = |name| Err(NativeError::Field { generation: Generation::Rankine, name });
        match field.name {
            name if alone.contains(&name) => assert_eq!(got, refused(name)),
            // Both destinations are one, and sources have temporaries of four bits.
            "vec_dst" | "sca_dst" => assert_eq!(got, refused("sca_dst")),
            "src_a" | "src_b" | "src_c" | "constant" => assert_eq!(got, refused(field.name)),
            name => assert!(got.is_ok(), "{name}: {got:?}"),
        }
    }
    for field in Upper::FIELDS {
        let bits = field.mask() as u32;
        let error = NativeError::Field { generation: Generation::Curie, name: field.name };
        assert_eq!(to_words([bits, WAS_CURIE, 0, 0, 0]), Err(error));
        assert!(to_words([bits, 0, 0, 0, 0]).is_ok(), "{}", field.name);
    }
    assert_eq!(to_words([1 << 14, 0, 0, 0, 0]), Err(NativeError::Bits));
    assert_eq!(to_words([1 << 31, WAS_CURIE, 0, 0, 0]), Err(NativeError::Bits));
    let errors = [
        NativeError::Bits,
        NativeError::Generation(Generation::Kelvin),
        NativeError::Field { generation: Generation::Rankine, name: "saturate" },
    ];
    assert_eq!(
        errors.map(|error| error.to_string()),
        [
            "bits are set that belong to no field",
            "native words hold rankine's and curie's, not kelvin's",
            "`saturate` is nothing that a word of rankine has"
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_words_come_back(words: [u32; 4], is_curie: bool) {
        check(BOTH[usize::from(is_curie)], words);
    }

    #[test]
    fn native_words_are_those_of_a_slot_or_refused(
        native: [u32; 5],
        high in any::<u16>(),
        cleared in any::<u128>(),
    ) {
        // Few random words are Rankine's: some bits are cleared, as those of Curie alone.
        let few = words_of(cleared & rankine::Fields::MASK & curie::Fields::MASK);
        let sparse = [u32::from(high & 0x3fff), native[1] & few[0] & !WAS_CURIE, native[2] & few[1], native[3] & few[2], native[4] & few[3]];
        for native in [native, [u32::from(high), native[1], native[2], native[3], native[4]], sparse] {
            match to_words(native) {
                // The one form that the slot has.
                Ok((generation, words)) => prop_assert_eq!(from_words(generation, words), Ok(native)),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
            let decoded = decode_insn(Reading::default(), native);
            prop_assert_eq!(decoded.map(|(generation, _)| generation), to_words(native).map(|(generation, _)| generation));
        }
    }
}
