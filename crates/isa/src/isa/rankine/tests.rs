use proptest::prelude::*;

use super::*;
use crate::asm::print_insn;
use crate::isa::insn::{Condition, Test};
use crate::isa::{BranchTest, decode};

const GEN: Generation = Generation::Rankine;

/// Every way of reading.
const READINGS: [Reading; 8] = {
    let mut all =
        [Reading { mode: ProgramMode::V2, paired: PairedScalar::R1, branch_test: BranchTest::Field }; 8];
    let mut i = 0;
    while i < 8 {
        if i & 1 != 0 {
            all[i].mode = ProgramMode::V1;
        }
        if i & 2 != 0 {
            all[i].paired = PairedScalar::Shared;
        }
        if i & 4 != 0 {
            all[i].branch_test = BranchTest::Enabled;
        }
        i += 1;
    }
    all
};

fn words(fields: Fields) -> [u32; 4] {
    slot_words(fields.pack())
}

fn insn(fields: Fields) -> Insn {
    decode_insn(Reading::default(), words(fields))
}

fn v1(fields: Fields) -> Insn {
    decode_insn(Reading { mode: ProgramMode::V1, ..Reading::default() }, words(fields))
}

fn text(words: [u32; 4]) -> String {
    print_insn(GEN, &decode_insn(Reading::default(), words))
}

/// A temporary as a source, with the identity swizzle.
fn source(temp: u16) -> u16 {
    SourceFields { mux: mux::TEMP, temp, ..kelvin::UNREAD }.pack() as u16
}

/// Temporaries as sources, everything written to r3, no condition.
fn plain(vec: VecOp, sca: ScaOp) -> Fields {
    Fields {
        vec_op: vec.code().into(),
        sca_op: sca.code().into(),
        src_a: source(4),
        src_b: source(5),
        src_c: source(6),
        dst: 3,
        vec_mask: 15,
        sca_mask: 15,
        out_addr: NO_OUT,
        out_buffer: 1,
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
    assert_eq!(Fields::MASK, (1 << 121) - 1);
    for bit in 0..121 {
        assert_eq!(Fields::FIELDS.iter().filter(|f| f.mask() >> bit & 1 != 0).count(), 1, "bit {bit}");
    }
}

#[test]
fn fields_lie_in_the_dwords_of_the_upload() {
    let at = |fields| slot_words(Fields::pack(fields));
    let zero = Fields::default();
    assert_eq!(at(Fields { end: 1, ..zero }), [0, 0, 0, 1]);
    assert_eq!(at(Fields { out_addr: 0x1ff, ..zero }), [0, 0, 0, 0x1ff << 2]);
    assert_eq!(at(Fields { out_buffer: 1, ..zero }), [0, 0, 0, 0x800]);
    assert_eq!(at(Fields { vec_mask: 8, sca_mask: 1, ..zero }), [0, 0, 0, 1 << 23 | 1 << 24]);
    assert_eq!(at(Fields { src_c: 0x7fff, ..zero }), [0, 0, 0x7ff, 0xf << 28]);
    assert_eq!(at(Fields { src_b: 0x7fff, ..zero }), [0, 0, 0x7fff << 11, 0]);
    assert_eq!(at(Fields { src_a: 0x7fff, ..zero }), [0, 0x1ff, 0x3f << 26, 0]);
    assert_eq!(at(Fields { constant: 0x1ff, ..zero }), [0, 0x1ff << 14, 0, 0]);
    assert_eq!(at(Fields { sca_op: 0x1f, ..zero }), [1, 0xf << 28, 0, 0]);
    assert_eq!(at(Fields { test: 7, test_enable: 1, ..zero }), [0xf << 11, 0, 0, 0]);
    assert_eq!(at(Fields { dst: 0x1f, address_reg: 1, ..zero }), [0x1f << 16 | 1 << 24, 0, 0, 0]);
}

/// Words that drivers and hardware tests upload, and what they are known to be (rankine_curie.md 5, samples B and H).
#[test]
fn known_words_decode_to_the_known_text() {
    for (words, expected) in [
        ([0x001f38d8, 0x0080001b, 0x0836106c, 0x2000f800], "MOV oPos, v0"),
        ([0x001f38d8, 0x0080061b, 0x0836106c, 0x2000f80c], "MOV oD0, v3"),
        ([0x001f38d8, 0x0080101b, 0x0836106c, 0x2000f820], "MOV oT0, v8"),
        // Written though the test field says "never": it is not enabled.
        ([0x00000000, 0x00a7001b, 0x0c000000, 0x00f00000], "MOV r0, c[156]"),
        ([0x00010000, 0x00a7401b, 0x0c000000, 0x00f00000], "MOV r1, c[157]"),
        // The tested operation behind them: two temporaries and a row, the result to a row, END.
        ([0x00000000, 0x0227801b, 0x0436286c, 0x3000f27d], "MAD c[159], r0, r1, c[158]"),
    ] {
        assert_eq!(text(words), expected, "{words:08x?}");
        let insn = decode_insn(Reading::default(), words);
        assert_eq!(
            decode_insn(Reading::default(), encode_insn(Reading::default(), &insn)),
            insn,
            "{words:08x?}"
        );
    }
}

#[test]
fn the_encoder_writes_what_drivers_write() {
    let pass = [0x001f38d8, 0x0080001b, 0x0836106c, 0x2000f800];
    assert_eq!(canonical(Reading::default(), pass), pass);
    let nop = [0x001f38d8, 0x0000001b, 0x0836106c, 0x20000ffd];
    assert_eq!(encode_insn(Reading::default(), &Insn { end: true, ..Insn::NOP }), nop);
}

#[test]
fn opcodes_without_effect_do_not_pair() {
    for code in 0x19..0x20 {
        let insn = insn(Fields { vec_op: code, ..plain(VecOp::Nop, ScaOp::Rcp) });
        assert_eq!((insn.vec, insn.sca_dst), (VecOp::Nop, write(3, 15)));
    }
    for code in 0x11..0x20 {
        assert_eq!(insn(Fields { sca_op: code, ..plain(VecOp::Nop, ScaOp::Nop) }), Insn::NOP);
    }
}

#[test]
fn a_paired_scalar_result_goes_to_r1_or_where_the_reading_says() {
    let fields = plain(VecOp::Mul, ScaOp::Rcp);
    assert_eq!((insn(fields).vec_dst, insn(fields).sca_dst), (write(3, 15), write(1, 15)));
    let shared = Reading { paired: PairedScalar::Shared, ..Reading::default() };
    assert_eq!(decode_insn(shared, words(fields)).sca_dst, write(3, 15));
    assert_eq!(insn(plain(VecOp::Nop, ScaOp::Rcp)).sca_dst, write(3, 15));
}

#[test]
fn programs_of_kelvins_class_have_its_opcodes_only() {
    for op in VecOp::ALL.iter().filter(|op| op.since() == GEN) {
        assert_eq!(v1(plain(*op, ScaOp::Nop)), Insn::NOP);
        assert_ne!(insn(plain(*op, ScaOp::Nop)), Insn::NOP);
    }
    for op in ScaOp::ALL.iter().filter(|op| op.since() == GEN) {
        assert_eq!(v1(plain(VecOp::Nop, *op)), Insn::NOP);
        assert_ne!(insn(plain(VecOp::Nop, *op)), Insn::NOP);
    }
}

#[test]
fn programs_of_kelvins_class_have_no_absolute_values() {
    let fields = Fields { absolute_a: 1, absolute_b: 1, absolute_c: 1, ..plain(VecOp::Mad, ScaOp::Nop) };
    assert_eq!(insn(fields).src.map(|source| source.absolute), [true; 3]);
    assert_eq!(v1(fields).src.map(|source| source.absolute), [false; 3]);
}

#[test]
fn programs_of_kelvins_class_have_its_temporaries() {
    for dst in 12..16 {
        let fields = Fields { dst, src_a: source(dst), ..plain(VecOp::Mov, ScaOp::Nop) };
        assert_eq!(insn(fields).vec_dst, write(dst as u8, 15));
        assert_eq!(insn(fields).src[0].bank, Bank::Temp(dst as u8));
        assert_eq!(v1(fields), Insn::NOP);
        assert_eq!(v1(Fields { dst: 0, ..fields }).src[0].bank, Bank::Temp(12));
    }
}

#[test]
fn temporaries_from_16_are_not_written() {
    for dst in 16..32 {
        assert_eq!(insn(Fields { dst, ..plain(VecOp::Mul, ScaOp::Nop) }), Insn::NOP);
        assert_eq!(insn(Fields { dst, ..plain(VecOp::Nop, ScaOp::Rcp) }), Insn::NOP);
    }
}

#[test]
fn the_lowest_bit_of_the_destination_names_the_address_register() {
    for (dst, reg) in [(0, 0), (1, 1), (7, 1), (0x1e, 0)] {
        let fields = Fields { dst, vec_mask: 5, ..plain(VecOp::Arr, ScaOp::Nop) };
        assert_eq!((insn(fields).address_dst, insn(fields).vec_dst), (write(reg, 5), write(0, 0)));
    }
    // Kelvin's words have no mask for it.
    let unmasked = Fields { dst: 0, vec_mask: 0, ..plain(VecOp::Arl, ScaOp::Nop) };
    assert_eq!((v1(unmasked).address_dst, insn(unmasked)), (write(0, 8), Insn::NOP));
}

#[test]
fn mux_0_reads_nothing() {
    let fields = Fields { src_a: 0, src_b: 0, src_c: 0, ..plain(VecOp::Mad, ScaOp::Nop) };
    assert_eq!(insn(fields).src, [Source::UNUSED; 3]);
}

#[test]
fn outputs_and_constants_beyond_their_file_are_not_written() {
    let out = |out_buffer, out_addr| {
        let base = plain(VecOp::Mov, ScaOp::Nop);
        insn(Fields { out_buffer, out_addr, vec_out_mask: 15, ..base }).out.map(|out| out.target)
    };
    for addr in 0..512 {
        assert_eq!(out(1, addr), (addr < 23).then_some(OutTarget::Output(addr as u8)));
        assert_eq!(out(0, addr), (addr < 412).then_some(OutTarget::Constant(addr)));
    }
}

#[test]
fn both_units_may_write_the_output() {
    let fields = Fields { out_addr: 3, vec_out_mask: 12, sca_out_mask: 3, ..plain(VecOp::Mul, ScaOp::Rcp) };
    let out = OutWrite { target: OutTarget::Output(3), vec: Mask(12), sca: Mask(3) };
    assert_eq!(insn(fields).out, Some(out));
}

#[test]
fn a_condition_counts_only_if_it_is_enabled() {
    let fields = Fields { test: 4, test_swz: 0x55, ..plain(VecOp::Mov, ScaOp::Nop) };
    assert_eq!(insn(fields).condition, Condition::ALWAYS);
    let enabled = insn(Fields { test_enable: 1, ..fields });
    assert_eq!(enabled.condition, Condition { test: Test::Gt, swizzle: Swizzle([1; 4]), reg: 0 });
    assert_eq!(insn(Fields { test_enable: 1, test: 0, ..fields }), Insn::NOP);
}

#[test]
fn a_branch_looks_at_its_test_enabled_or_not() {
    let fields = Fields { test: 0, ..plain(VecOp::Mov, ScaOp::Ret) };
    let (branch, writes) = (insn(fields).branch.condition, insn(fields).condition);
    assert_eq!((branch.test, writes), (Test::Fl, Condition::ALWAYS));
    let by_bit = Reading { branch_test: BranchTest::Enabled, ..Reading::default() };
    assert_eq!(decode_insn(by_bit, words(fields)).branch.condition, Condition::ALWAYS);
    let enabled = words(Fields { test_enable: 1, test: 2, ..fields });
    assert_eq!(decode_insn(by_bit, enabled), decode_insn(Reading::default(), enabled));
}

#[test]
fn the_target_of_a_branch_lies_over_source_c() {
    for target in [0, 1, 255, 256, 279, 511] {
        let fields = Fields { src_c: 2 | target << 6, ..plain(VecOp::Mul, ScaOp::Bra) };
        assert_eq!(insn(fields).branch.target, target);
        assert_eq!(words(fields)[2] >> 2 & 0x1ff, target.into());
    }
    let indirect = insn(Fields { address_reg: 1, address_swz: 2, ..plain(VecOp::Nop, ScaOp::CalIndirect) });
    assert_eq!((indirect.branch.target, indirect.address), (0, AddressComponent { reg: 1, component: 2 }));
}

#[test]
fn condition_codes_follow_the_vector_unit_if_it_has_an_operation() {
    let code = |fields| insn(Fields { code_write: 1, ..fields }).code.map(|code| (code.from, code.mask.0));
    let masks = Fields { vec_mask: 8, vec_out_mask: 4, sca_mask: 2, sca_out_mask: 1, ..Fields::default() };
    let with = |vec, sca| {
        let Fields { vec_mask, vec_out_mask, sca_mask, sca_out_mask, .. } = masks;
        Fields { vec_mask, vec_out_mask, sca_mask, sca_out_mask, dst: 0x1f, ..plain(vec, sca) }
    };
    assert_eq!(code(with(VecOp::Mul, ScaOp::Rcp)), Some((Unit::Vec, 12)));
    assert_eq!(code(with(VecOp::Nop, ScaOp::Rcp)), Some((Unit::Sca, 3)));
    assert_eq!(code(with(VecOp::Arl, ScaOp::Rcp)), Some((Unit::Vec, 8)));
    assert_eq!(code(with(VecOp::Nop, ScaOp::Bra)), None);
    assert_eq!(code(Fields { vec_mask: 0, vec_out_mask: 0, ..with(VecOp::Mul, ScaOp::Rcp) }), None);
}

/// What only sets codes is written so that it means the same to those who take the mask of the temporary for the mask of
/// the codes, and to those who take all masks (arithmetic.md, "Small rules").
#[test]
fn code_updates_are_encoded_as_every_assembler_understands_them() {
    let program = |text| crate::asm::parse(GEN, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    for (text, vec_masks, sca_masks) in [
        // Masks of the temporary and of the output.
        ("MOVC cc.xy, r1", [12, 0], [0, 0]),
        ("RCPC cc.x, r1.x", [0, 0], [8, 0]),
        ("MOVC oD0.xz, r1", [10, 10], [0, 0]),
        ("RCPC oD0.xz, r1.x", [0, 0], [10, 10]),
        ("MOVC oD0.x, r1 + MOVC cc.xy, r1", [12, 8], [0, 0]),
        ("MULC cc.x, r1, r2 + RCP r1.w, r3.x", [8, 0], [1, 0]),
        ("MULC cc.x, r1, r2 + RCP oD0.w, r3.x", [8, 0], [0, 1]),
        ("MULC oD0.xw, r1, r2 + RCP r1.w, r3.x", [9, 9], [1, 0]),
    ] {
        let f = Fields::unpack(slot_bits(encode_insn(Reading::default(), &program(text).insns[0])));
        assert_eq!([f.vec_mask, f.vec_out_mask], vec_masks, "{text}");
        assert_eq!([f.sca_mask, f.sca_out_mask], sca_masks, "{text}");
        let writes_output = text.contains("oD0");
        assert_eq!(
            (f.dst, f.out_addr, f.code_write),
            (0x1f, if writes_output { 3 } else { 0x1ff }, 1),
            "{text}"
        );
    }
    // With a temporary its mask says it all.
    let f = Fields::unpack(slot_bits(encode_insn(Reading::default(), &program("MOVC r2.xy, r1").insns[0])));
    assert_eq!((f.dst, f.vec_mask, f.vec_out_mask), (2, 12, 0));
}

/// Everything that must hold for one slot.
fn check_slot(slot: [u32; 4]) {
    for reading in READINGS {
        let insn = decode_insn(reading, slot);
        let encoded = encode_insn(reading, &insn);
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
            let background = background & !(1023 << 87) | codes << 87;
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
    fn packing_loses_nothing(word: u128) {
        prop_assert_eq!(Fields::unpack(word).pack(), word & Fields::MASK);
    }

    #[test]
    fn every_slot_survives_encoding(slot: [u32; 4]) {
        check_slot(slot);
    }

    #[test]
    fn bits_that_are_not_stored_do_not_matter(slot: [u32; 4], high: u32, unknown: bool) {
        let [d0, d1, d2, d3] = slot;
        let other = [d0 ^ high << 25, d1 ^ u32::from(unknown) << 13, d2, d3];
        let reading = Reading::default();
        prop_assert_eq!(decode_insn(reading, other), decode_insn(reading, slot));
    }
}

#[test]
fn a_program_is_what_its_branches_reach() {
    let branch =
        |target: u16, end| words(Fields { src_c: 2 | target << 6, end, ..plain(VecOp::Nop, ScaOp::Bra) });
    let (mov, nop) = (plain(VecOp::Mov, ScaOp::Nop), Insn::NOP);
    // 0 and 1 are a subroutine's, 2 nobody's; the program starts in 3.
    let slots =
        [words(mov), branch(5, 0), words(mov), branch(0, 0), words(mov), words(Fields { end: 1, ..mov })];
    let program = decode(GEN, &slots.concat(), 3).unwrap();
    assert_eq!((program.first, program.start, program.unterminated), (0, 3, false));
    assert_eq!(program.insns.len(), 6);
    assert_eq!((program.insns[2], program.insns[4]), (nop, nop));
    let program = decode(GEN, &[branch(0, 1), words(mov)].concat(), 0).unwrap();
    assert_eq!((program.insns.len(), program.unterminated), (1, false));
}
