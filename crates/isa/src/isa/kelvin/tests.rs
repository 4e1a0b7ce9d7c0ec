use proptest::prelude::*;

use super::*;
use crate::isa::decode;

const GEN: Generation = Generation::Kelvin;

/// Words from raw fields.
fn words(fields: Fields) -> [u32; 4] {
    slot_words(fields.pack())
}

/// A source that reads `mux` with the identity swizzle.
fn source(mux: u16, temp: u16) -> u16 {
    SourceFields { mux, temp, ..UNREAD }.pack() as u16
}

/// Fields with the shape of what a compiler emits: temporaries as sources, everything written.
fn plain(vec: VecOp, sca: ScaOp) -> Fields {
    Fields {
        vec_op: vec.code().into(),
        sca_op: sca.code().into(),
        src_a: source(mux::TEMP, 4),
        src_b: source(mux::TEMP, 5),
        src_c: source(mux::TEMP, 6),
        dst: 3,
        vec_mask: 15,
        sca_mask: 15,
        out_addr: NO_OUT,
        out_buffer: 1,
        ..Fields::default()
    }
}

fn write(reg: u8, mask: u8) -> TempWrite {
    TempWrite { reg, mask: Mask(mask) }
}

#[test]
fn every_bit_belongs_to_exactly_one_field() {
    for (mask, fields, bits) in
        [(Fields::MASK, Fields::FIELDS, 92), (SourceFields::MASK, SourceFields::FIELDS, 15)]
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
    assert_eq!(at(Fields { end: 1, ..Fields::default() }), [0, 0, 0, 1]);
    assert_eq!(at(Fields { sca_op: 7, ..Fields::default() }), [0, 7 << 25, 0, 0]);
    assert_eq!(at(Fields { vec_op: 15, ..Fields::default() }), [0, 15 << 21, 0, 0]);
    assert_eq!(at(Fields { constant: 255, ..Fields::default() }), [0, 255 << 13, 0, 0]);
    assert_eq!(at(Fields { src_a: 0x7fff, ..Fields::default() }), [0, 0x1ff, 0x3f << 26, 0]);
    assert_eq!(at(Fields { src_b: 0x7fff, ..Fields::default() }), [0, 0, 0x7fff << 11, 0]);
    assert_eq!(at(Fields { src_c: 0x7fff, ..Fields::default() }), [0, 0, 0x7ff, 0xf << 28]);
    assert_eq!(at(Fields { out_mask: 8, ..Fields::default() }), [0, 0, 0, 1 << 15]);
    assert_eq!(SourceFields { x: 3, ..Default::default() }.pack(), 3 << 12);
}

#[test]
fn unused_opcodes_are_nop_and_do_not_pair() {
    for code in [14, 15] {
        let insn = decode_insn(words(Fields { vec_op: code, ..plain(VecOp::Nop, ScaOp::Rcp) }));
        assert_eq!((insn.vec, insn.vec_dst), (VecOp::Nop, write(0, 0)));
        assert_eq!(insn.sca_dst, write(3, 15));
    }
}

#[test]
fn a_paired_scalar_result_goes_to_r1() {
    let insn = decode_insn(words(plain(VecOp::Mul, ScaOp::Rcp)));
    assert_eq!((insn.vec_dst, insn.sca_dst), (write(3, 15), write(1, 15)));
}

#[test]
fn a_vector_operation_without_effect_still_pairs() {
    let insn = decode_insn(words(Fields { vec_mask: 0, ..plain(VecOp::Mul, ScaOp::Rcp) }));
    assert_eq!((insn.vec, insn.sca_dst), (VecOp::Nop, write(1, 15)));
    assert_eq!(insn.src[..2], [Source::UNUSED; 2]);
}

#[test]
fn temporaries_from_12_are_not_written() {
    for dst in 12..16 {
        let paired = decode_insn(words(Fields { dst, ..plain(VecOp::Mul, ScaOp::Rcp) }));
        assert_eq!((paired.vec_dst, paired.sca_dst), (write(0, 0), write(1, 15)));
        let alone = decode_insn(words(Fields { dst, ..plain(VecOp::Nop, ScaOp::Rcp) }));
        assert_eq!(alone, Insn::NOP);
    }
}

#[test]
fn temporaries_from_12_read_opos() {
    for temp in 12..16 {
        let f = Fields { src_a: source(mux::TEMP, temp), ..plain(VecOp::Mov, ScaOp::Nop) };
        assert_eq!(decode_insn(words(f)).src[0].bank, Bank::Temp(12));
    }
}

#[test]
fn mux_0_reads_the_input_but_nothing_on_source_c() {
    let f = Fields { src_a: 0, src_b: 0, src_c: 0x4fff & !3, input: 9, ..plain(VecOp::Mad, ScaOp::Nop) };
    let insn = decode_insn(words(f));
    assert_eq!(insn.src.map(|s| s.bank), [Bank::Input, Bank::Input, Bank::None]);
    assert_eq!(insn.src[2], Source { negate: true, ..Source::UNUSED });
    assert_eq!(insn.input, 9);
}

#[test]
fn arl_writes_only_a0() {
    let f = Fields { out_addr: 0, out_mask: 15, ..plain(VecOp::Arl, ScaOp::Mov) };
    let insn = decode_insn(words(f));
    assert_eq!((insn.vec, insn.vec_dst, insn.out), (VecOp::Arl, write(0, 0), None));
    assert_eq!(insn.sca_dst, write(1, 15));
    assert_eq!(insn.src[0].swizzle, Swizzle([0; 4]));
}

#[test]
fn output_addresses_reach_registers_rows_or_nothing() {
    let out = |out_buffer, out_addr| {
        decode_insn(words(Fields { out_buffer, out_addr, out_mask: 15, ..plain(VecOp::Mov, ScaOp::Nop) }))
            .out
            .map(|out| out.target)
    };
    for addr in 0..256 {
        assert_eq!(out(1, addr), (addr < 16).then_some(OutTarget::Output(addr as u8)));
        assert_eq!(out(0, addr), (addr < 192).then_some(OutTarget::Constant(addr)));
    }
}

#[test]
fn an_output_needs_a_mask_and_an_operation() {
    let base = Fields { out_addr: 3, out_mask: 15, ..plain(VecOp::Mov, ScaOp::Nop) };
    assert!(decode_insn(words(base)).out.is_some());
    assert!(decode_insn(words(Fields { out_mask: 0, ..base })).out.is_none());
    assert!(decode_insn(words(Fields { out_from_sca: 1, ..base })).out.is_none());
    let scalar = Fields { out_addr: 3, out_mask: 15, ..plain(VecOp::Nop, ScaOp::Mov) };
    assert!(decode_insn(words(scalar)).out.is_none());
    assert!(decode_insn(words(Fields { out_from_sca: 1, ..scalar })).out.is_some());
}

#[test]
fn unread_swizzle_components_follow_the_read_ones() {
    let swizzle = |vec, vec_mask, [x, y, z, w]: [u16; 4]| {
        let src_a = SourceFields { mux: mux::TEMP, temp: 4, x, y, z, w, negate: 0 }.pack() as u16;
        decode_insn(words(Fields { src_a, vec_mask, ..plain(vec, ScaOp::Nop) })).src[0].swizzle.0
    };
    assert_eq!(swizzle(VecOp::Mov, 0b1000, [2, 0, 1, 3]), [2; 4]); // one component: replicated
    assert_eq!(swizzle(VecOp::Mov, 0b1110, [0, 1, 2, 0]), [0, 1, 2, 3]); // could be the identity: is
    assert_eq!(swizzle(VecOp::Mov, 0b0110, [3, 2, 0, 1]), [2, 2, 0, 0]); // else repeats its neighbour
    assert_eq!(swizzle(VecOp::Dp3, 0b0001, [1, 2, 0, 0]), [1, 2, 0, 0]);
    assert_eq!(swizzle(VecOp::Dp4, 0b0001, [1, 2, 0, 3]), [1, 2, 0, 3]);
    assert_eq!(swizzle(VecOp::Dst, 0b1111, [3, 1, 2, 3]), [0, 1, 2, 3]);
    assert_eq!(swizzle(VecOp::Arl, 0b0000, [3, 1, 2, 3]), [3; 4]);
}

#[test]
fn both_readers_of_source_c_count() {
    let src_c = SourceFields { mux: mux::TEMP, temp: 4, x: 1, y: 3, z: 0, w: 2, negate: 0 }.pack() as u16;
    let f = Fields { src_c, vec_mask: 0b0100, ..plain(VecOp::Add, ScaOp::Rsq) };
    assert_eq!(decode_insn(words(f)).src[2].swizzle.0, [1, 3, 3, 3]);
}

#[test]
fn registers_that_nobody_reads_are_zero() {
    let f = Fields { input: 5, constant: 77, indexed: 1, ..plain(VecOp::Add, ScaOp::Nop) };
    let unread = Fields { src_b: source(mux::CONSTANT, 0), ..f };
    assert_eq!(decode_insn(words(unread)), decode_insn(words(plain(VecOp::Add, ScaOp::Nop))));
    let read = decode_insn(words(Fields { src_c: source(mux::CONSTANT, 0), ..f }));
    assert_eq!((read.input, read.constant, read.indexed), (0, 77, true));
}

#[test]
fn nothing_written_is_encoded_as_nvidia_does() {
    assert_eq!(encode_insn(&Insn { end: true, ..Insn::NOP }), [0, 0x0000001b, 0x0836106c, 0x20700ff9]);
}

/// Everything that must hold for one slot.
fn check_slot(slot: [u32; 4]) {
    let insn = decode_insn(slot);
    let encoded = encode_insn(&insn);
    assert_eq!(decode_insn(encoded), insn, "{slot:08x?} -> {encoded:08x?}");
    assert_eq!(insn.canonical(), insn, "{slot:08x?}");
    assert_eq!(canonical(encoded), encoded);
}

#[test]
fn every_opcode_pair_with_every_field_value_survives_encoding() {
    let backgrounds = [
        0,
        u128::MAX,
        Fields { dst: 13, ..plain(VecOp::Nop, ScaOp::Nop) }.pack(),
        0x0f1e2d3c4b5a69788796a5b4,
    ];
    for background in backgrounds {
        for codes in 0..128u128 {
            let background = background & !(127 << 85) | codes << 85;
            for field in Fields::FIELDS {
                let wide = field.hi - field.lo > 8; // sources: a sample that reaches every bit is enough
                for value in (0..1u128 << (field.hi - field.lo)).step_by(if wide { 61 } else { 1 }) {
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
        let source = u128::from(source);
        prop_assert_eq!(SourceFields::unpack(source).pack(), source & SourceFields::MASK);
    }

    #[test]
    fn every_slot_survives_encoding(slot: [u32; 4]) {
        check_slot(slot);
    }

    #[test]
    fn bits_that_are_not_stored_do_not_matter(slot: [u32; 4], d0: u32, high: u32) {
        let [_, d1, d2, d3] = slot;
        prop_assert_eq!(decode_insn([d0, d1 ^ high << 28, d2, d3]), decode_insn(slot));
    }
}

#[test]
fn a_program_ends_at_end() {
    let slots = [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]].concat();
    let program = decode(GEN, &slots, 0).unwrap();
    assert_eq!((program.insns.len(), program.start, program.unterminated), (2, 0, false));
    let program = decode(GEN, &slots, 2).unwrap();
    assert_eq!((program.insns.len(), program.start, program.unterminated), (1, 2, false));
    let program = decode(GEN, &slots[..4], 0).unwrap();
    assert_eq!((program.insns.len(), program.unterminated), (1, true));
}

#[test]
fn words_that_are_no_program_are_errors() {
    let message = |words: usize, start| decode(GEN, &vec![0; words], start).unwrap_err().to_string();
    assert_eq!(message(0, 0), "the program has no words");
    assert_eq!(message(7, 0), "7 words are not a whole number of slots of 4 words");
    assert_eq!(message(137 * 4, 0), "137 slots exceed the 136 of XFPR");
    assert_eq!(message(8, 2), "start slot 2 is beyond the 2 slots given");
    assert!(decode(GEN, &[0; 136 * 4], 135).is_ok());
}
