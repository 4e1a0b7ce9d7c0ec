use proptest::prelude::*;

use super::*;
use crate::asm::print_insn;
use crate::isa::BranchTest;
use crate::isa::insn::{Condition, Test};

const GEN: Generation = Generation::Curie;

const READINGS: [Reading; 3] = {
    let [plain, mut v1, mut by_bit] = [Reading {
        mode: ProgramMode::V2,
        paired: super::super::PairedScalar::R1,
        branch_test: BranchTest::Field,
    }; 3];
    v1.mode = ProgramMode::V1;
    by_bit.branch_test = BranchTest::Enabled;
    [plain, v1, by_bit]
};

fn words(fields: Fields) -> [u32; 4] {
    slot_words(fields.pack())
}

fn insn(fields: Fields) -> Insn {
    decode_insn(Reading::default(), words(fields))
}

fn text(words: [u32; 4]) -> String {
    print_insn(GEN, &decode_insn(Reading::default(), words))
}

/// A temporary as a source, with the identity swizzle.
fn source(temp: u16) -> u16 {
    SourceFields { mux: mux::TEMP, temp, ..UNREAD }.pack() as u16
}

/// Temporaries as sources, everything written, to r3 and r7, no condition.
fn plain(vec: VecOp, sca: ScaOp) -> Fields {
    Fields {
        vec_op: vec.code().into(),
        sca_op: sca.code().into(),
        src_a: source(4),
        src_b: source(5),
        src_c: source(6),
        vec_dst: 3,
        sca_dst: 7,
        vec_mask: 15,
        sca_mask: 15,
        out_addr: NO_OUT,
        test: 7,
        test_swz: 0x1b,
        ..Fields::default()
    }
}

fn write(reg: u8, mask: u8) -> TempWrite {
    TempWrite { reg, mask: Mask(mask) }
}

#[test]
fn every_bit_belongs_to_exactly_one_field() {
    for (mask, fields, bits) in
        [(Fields::MASK, Fields::FIELDS, 127), (SourceFields::MASK, SourceFields::FIELDS, 16)]
    {
        assert_eq!(mask, (1 << bits) - 1);
        for bit in 0..bits {
            assert_eq!(fields.iter().filter(|f| f.mask() >> bit & 1 != 0).count(), 1, "bit {bit}");
        }
    }
}

#[test]
fn fields_lie_in_the_dwords_of_the_upload() {
    let at = |fields| slot_words(Fields::pack(fields));
    let zero = Fields::default();
    assert_eq!(at(Fields { end: 1, ..zero }), [0, 0, 0, 1]);
    assert_eq!(at(Fields { out_addr: 0x1f, sca_dst: 0x3f, ..zero }), [0, 0, 0, 0x1ffc]);
    assert_eq!(at(Fields { vec_mask: 8, sca_mask: 1, ..zero }), [0, 0, 0, 1 << 16 | 1 << 17]);
    assert_eq!(at(Fields { src_c: 0xffff, negate_c: 1, ..zero }), [0, 0, 0x3f, 0x7ff << 21]);
    assert_eq!(at(Fields { src_b: 0xffff, negate_b: 1, ..zero }), [0, 0, 0x1ffff << 6, 0]);
    assert_eq!(at(Fields { src_a: 0xffff, negate_a: 1, ..zero }), [0, 0xff, 0x1ff << 23, 0]);
    assert_eq!(at(Fields { input: 15, ..zero }), [0, 15 << 8, 0, 0]);
    assert_eq!(at(Fields { constant: 0x3ff, ..zero }), [0, 0x3ff << 12, 0, 0]);
    assert_eq!(at(Fields { vec_op: 0x1f, ..zero }), [0, 0x1f << 22, 0, 0]);
    assert_eq!(at(Fields { sca_op: 0x1f, ..zero }), [0, 0x1f << 27, 0, 0]);
    assert_eq!(at(Fields { test: 7, test_enable: 1, ..zero }), [0xf << 10, 0, 0, 0]);
    assert_eq!(at(Fields { vec_dst: 0x3f, address_reg: 1, ..zero }), [0x3f << 15 | 1 << 24, 0, 0, 0]);
    assert_eq!(at(Fields { code_from_vec: 1, out_from_vec: 1, ..zero }), [3 << 29, 0, 0, 0]);
}

/// Words that drivers and free programs upload, and what they are known to be (rankine_curie.md 5, samples A, C, D, E).
#[test]
fn known_words_decode_to_the_known_text() {
    for (words, expected) in [
        ([0x401f9c6c, 0x0040000d, 0x8106c083, 0x6041ff80], "MOV oPos, v0"),
        ([0x401f9c6c, 0x0040030d, 0x8106c083, 0x6041ff84], "MOV oD0, v3"),
        ([0x401f9c6c, 0x01c0000d, 0x8186c083, 0x60411f80], "DP4 oPos.x, c[0], v0"),
        ([0x401f9c6c, 0x01c0100d, 0x8186c083, 0x60409f80], "DP4 oPos.y, c[1], v0"),
        ([0x401f9c6c, 0x01c0200d, 0x8186c083, 0x60405f80], "DP4 oPos.z, c[2], v0"),
        ([0x401f9c6c, 0x01c0300d, 0x8186c083, 0x60403f80], "DP4 oPos.w, c[3], v0"),
        ([0x401f9c6c, 0x0040080d, 0x8106c083, 0x6041ff9d], "MOV oT0, v8"),
        ([0x401f9c6c, 0x0040000d, 0x8106c083, 0x6041ef80], "MOV oPos, v0"),
        ([0x00001c6c, 0x0040080f, 0x8106c083, 0x6041affc], "MOV r0.xyw, v8"),
        ([0x00009c6c, 0x0140000f, 0x808680c3, 0x60410ffc], "DP3 r1.x, r0.xyw, c[0]"),
        ([0x00009c6c, 0x0140100f, 0x808680c3, 0x60408ffc], "DP3 r1.y, r0.xyw, c[1]"),
        ([0x00009c6c, 0x0140200f, 0x808680c3, 0x60402ffc], "DP3 r1.w, r0.xyw, c[2]"),
        ([0x401f9c6c, 0x0080300d, 0x8286c0c3, 0x6041af9c], "MUL oT0.xyw, r1, c[3]"),
        ([0x00001c6c, 0x0040090f, 0x8106c083, 0x6041affc], "MOV r0.xyw, v9"),
        ([0x00009c6c, 0x0140400f, 0x808680c3, 0x60410ffc], "DP3 r1.x, r0.xyw, c[4]"),
        ([0x00009c6c, 0x0140500f, 0x808680c3, 0x60408ffc], "DP3 r1.y, r0.xyw, c[5]"),
        ([0x00009c6c, 0x0140600f, 0x808680c3, 0x60402ffc], "DP3 r1.w, r0.xyw, c[6]"),
        ([0x401f9c6c, 0x0080700d, 0x8286c0c3, 0x6041afa1], "MUL oT1.xyw, r1, c[7]"),
        ([0x00000000, 0x00000000, 0x00000000, 0x00000001], "NOP"),
        ([0x40041c6c, 0x0040000d, 0x8106c083, 0x6041ff80], "MOV oPos, v0 + MOV r8, v0"),
    ] {
        assert_eq!(text(words), expected, "{words:08x?}");
        let insn = decode_insn(Reading::default(), words);
        assert_eq!(decode_insn(Reading::default(), encode_insn(&insn)), insn, "{words:08x?}");
    }
}

#[test]
fn the_encoder_writes_what_drivers_write() {
    for words in [
        [0x401f9c6c, 0x0040000d, 0x8106c083, 0x6041ff80],
        [0x401f9c6c, 0x01c0300d, 0x8186c083, 0x60403f80],
        [0x401f9c6c, 0x0040080d, 0x8106c083, 0x6041ff9d],
        [0x40041c6c, 0x0040000d, 0x8106c083, 0x6041ff80],
    ] {
        assert_eq!(canonical(Reading::default(), words), words, "{words:08x?}");
    }
    let nop = [0x001f9c6c, 0x0000000d, 0x8106c083, 0x60401ffd];
    assert_eq!(encode_insn(&Insn { end: true, ..Insn::NOP }), nop);
}

#[test]
fn each_unit_has_its_temporary_and_one_the_output() {
    let fields = Fields { out_addr: 2, vec_mask: 12, sca_mask: 3, ..plain(VecOp::Mul, ScaOp::Rcp) };
    for (out_from_vec, from, mask) in [(1, Unit::Vec, 12), (0, Unit::Sca, 3)] {
        let insn = insn(Fields { out_from_vec, ..fields });
        assert_eq!((insn.vec_dst, insn.sca_dst), (write(3, 12), write(7, 3)));
        assert_eq!(insn.out, Some(OutWrite::new(OutTarget::Output(2), Mask(mask), from)));
    }
}

#[test]
fn registers_beyond_their_file_are_not_written() {
    for reg in 0..64 {
        let insn = insn(Fields { vec_dst: reg, sca_dst: reg, ..plain(VecOp::Mul, ScaOp::Rcp) });
        let expected = if reg < 48 { write(reg as u8, 15) } else { write(0, 0) };
        assert_eq!((insn.vec_dst, insn.sca_dst), (expected, expected));
    }
    for out_addr in 0..32 {
        let insn = insn(Fields { out_addr, out_from_vec: 1, ..plain(VecOp::Mul, ScaOp::Nop) });
        assert_eq!(insn.out.is_some(), out_addr < 16);
    }
}

#[test]
fn temporaries_beyond_their_file_and_mux_0_read_nothing() {
    for temp in 48..64 {
        let insn = insn(Fields { src_a: source(temp), src_c: 0, ..plain(VecOp::Add, ScaOp::Nop) });
        assert_eq!([insn.src[0], insn.src[2]], [Source::UNUSED; 2]);
    }
}

#[test]
fn signs_lie_apart_from_their_sources() {
    let fields =
        Fields { negate_a: 1, absolute_b: 1, negate_c: 1, absolute_c: 1, ..plain(VecOp::Mad, ScaOp::Nop) };
    let signs = insn(fields).src.map(|source| (source.absolute, source.negate));
    assert_eq!(signs, [(false, true), (true, false), (true, true)]);
}

#[test]
fn one_selector_names_the_condition_register() {
    let fields = Fields {
        code_write: 1,
        code_from_vec: 1,
        code_reg: 1,
        test: 1,
        test_enable: 1,
        ..plain(VecOp::Mul, ScaOp::Rcp)
    };
    let decoded = insn(fields);
    assert_eq!(decoded.condition, Condition { test: Test::Lt, swizzle: Swizzle::IDENTITY, reg: 1 });
    assert_eq!(decoded.code, Some(CodeWrite { reg: 1, mask: Mask(15), from: Unit::Vec }));
    let scalar = insn(Fields { code_from_vec: 0, sca_mask: 1, ..fields });
    assert_eq!(scalar.code, Some(CodeWrite { reg: 1, mask: Mask(1), from: Unit::Sca }));
    // There is no scalar result that could decide.
    assert_eq!(insn(Fields { code_from_vec: 0, sca_op: 0, ..fields }).code, None);
}

#[test]
fn the_target_of_a_branch_lies_over_source_c() {
    for target in [0, 1, 7, 8, 511, 512, 543, 1023] {
        let f = Fields {
            src_c: 2 | (target & 255) << 8,
            negate_c: target >> 8 & 1,
            absolute_c: target >> 9,
            ..plain(VecOp::Mul, ScaOp::Bra)
        };
        assert_eq!(insn(f).branch.target, target);
        let [d0, _, d2, d3] = words(f);
        assert_eq!((d0 >> 23 & 1) << 9 | (d2 & 63) << 3 | d3 >> 29, target.into());
    }
}

#[test]
fn brb_looks_at_a_boolean_constant() {
    let f =
        |boolean: u16| Fields { src_c: 2 | boolean << 2 | 25 << 8, test: 2, ..plain(VecOp::Mov, ScaOp::Brb) };
    for (boolean, bit, polarity) in [(0, 0, false), (15, 15, false), (63, 31, true)] {
        let branch = Branch { condition: Condition::ALWAYS, target: 25, bit, polarity };
        assert_eq!(insn(f(boolean)).branch, branch);
        assert_eq!(words(f(boolean))[3] >> 23 & 63, u32::from(boolean));
    }
}

#[test]
fn txl_names_its_texture_in_source_b() {
    for unit in 0..4 {
        let decoded = insn(Fields { src_b: source(unit), ..plain(VecOp::Txl, ScaOp::Nop) });
        assert_eq!((u16::from(decoded.texture), decoded.src[1]), (unit, Source::UNUSED));
        assert_eq!(encode_insn(&decoded)[2] >> 8 & 63, unit.into());
    }
}

#[test]
fn popa_writes_a_whole_address_register() {
    let popa = Fields { sca_dst: 1, sca_mask: 0, ..plain(VecOp::Mov, ScaOp::Popa) };
    assert_eq!((insn(popa).address_dst, insn(popa).sca_dst), (write(1, 15), write(0, 0)));
    // Beside ARL it pops, but ARL's result is the one that arrives.
    let beside = insn(Fields { vec_op: VecOp::Arl.code().into(), vec_dst: 0, vec_mask: 8, ..popa });
    assert_eq!((beside.sca, beside.address_dst), (ScaOp::Popa, write(0, 8)));
    // A condition that never holds still pops.
    let never = insn(Fields { test: 0, test_enable: 1, ..popa });
    assert_eq!((never.sca, never.address_dst, never.condition.test), (ScaOp::Popa, write(0, 0), Test::Fl));
}

#[test]
fn indices_count_where_something_is_indexed() {
    let all = Fields {
        indexed: 1,
        input_indexed: 1,
        out_indexed: 1,
        address_reg: 1,
        address_swz: 2,
        ..plain(VecOp::Mov, ScaOp::Nop)
    };
    let none = insn(all);
    assert_eq!(
        (none.indexed, none.input_indexed, none.output_indexed, none.address),
        (false, false, false, AddressComponent::default())
    );
    let mux = |mux| SourceFields { mux, ..UNREAD }.pack() as u16;
    let there = insn(Fields {
        src_a: mux(mux::INPUT),
        src_b: mux(mux::CONSTANT),
        out_addr: 1,
        out_from_vec: 1,
        vec_op: 2,
        ..all
    });
    assert_eq!((there.indexed, there.input_indexed, there.output_indexed), (true, true, true));
    assert_eq!(there.address, AddressComponent { reg: 1, component: 2 });
}

#[test]
fn only_results_saturate() {
    let saturate = |vec, sca| insn(Fields { saturate: 1, ..plain(vec, sca) }).saturate;
    assert!(saturate(VecOp::Mul, ScaOp::Nop) && saturate(VecOp::Nop, ScaOp::Rcp));
    assert!(!saturate(VecOp::Arl, ScaOp::Popa));
}

/// Everything that must hold for one slot.
fn check_slot(slot: [u32; 4]) {
    for reading in READINGS {
        let insn = decode_insn(reading, slot);
        let encoded = encode_insn(&insn);
        assert_eq!(decode_insn(reading, encoded), insn, "{slot:08x?} -> {encoded:08x?}, {reading:?}");
        assert_eq!(insn.canonical(), insn, "{slot:08x?}");
        assert_eq!(canonical(reading, encoded), encoded);
    }
}

#[test]
fn every_opcode_pair_with_every_field_value_survives_encoding() {
    for background in [0, u128::MAX, plain(VecOp::Nop, ScaOp::Nop).pack(), 0x0f1e2d3c4b5a69788796a5b4c3d2e1f0]
    {
        for codes in 0..1024u128 {
            let background = background & !(1023 << 86) | codes << 86;
            for field in Fields::FIELDS {
                // A sample that reaches every bit is enough.
                let step = 1 << ((field.hi - field.lo) / 2);
                for value in (0..1u128 << (field.hi - field.lo)).step_by(step + 1) {
                    check_slot(slot_words(background & !field.mask() | value << field.lo));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn packing_loses_nothing(word: u128, source: u16) {
        prop_assert_eq!(Fields::unpack(word).pack(), word & Fields::MASK);
        prop_assert_eq!(SourceFields::unpack(source.into()).pack(), u128::from(source));
    }

    #[test]
    fn every_slot_survives_encoding(slot: [u32; 4]) {
        check_slot(slot);
    }

    #[test]
    fn the_internal_mark_does_not_matter(slot: [u32; 4]) {
        let [d0, d1, d2, d3] = slot;
        let reading = Reading::default();
        prop_assert_eq!(decode_insn(reading, [d0 ^ 1 << 31, d1, d2, d3]), decode_insn(reading, slot));
    }
}
