//! The translation that a Rankine chip applies to words that an object of Kelvin's class uploads (rankine_curie.md
//! 1.4, the model that hardware tests compare). The result runs under [`ProgramMode::V1`](super::ProgramMode::V1).

use super::kelvin::{self, SourceFields};
use super::op::VecOp;
use super::rankine;

/// How far constants move: Kelvin's row 0 is Rankine's row 60.
const ROWS: u16 = 0x3c;
/// Kelvin's `out_addr` for no output, and Rankine's.
const NO_OUT: [u16; 2] = [0xff, 0x1ff];
/// The greatest number of a temporary that is written, and of one that is read.
const LAST_WRITTEN: u16 = 0xb;
const LAST_READ: u16 = 0xc;

/// Rankine's number for a row of XFCTX on Kelvin.
pub const fn row(row: u16) -> u16 {
    row + ROWS
}

/// Rankine's number for a vertex attribute of Kelvin. The second back colour moves, because texture
/// coordinates need its number.
pub const fn input(n: u8) -> u8 {
    match n {
        8 => 15,
        9..16 => n - 1,
        _ => n,
    }
}

/// Rankine's number for an output register of Kelvin. The back colours go to 1 and 2, and texture coordinates
/// begin at 8.
pub const fn output(n: u8) -> u8 {
    match n {
        7 | 8 => n - 6,
        9..16 => n - 1,
        _ => n,
    }
}

/// Translates a program of Kelvin's class to Rankine's words.
pub fn kelvin_to_rankine(words: &[u32]) -> Vec<u32> {
    words.as_chunks::<4>().0.iter().flat_map(|&slot| kelvin_slot_to_rankine(slot)).collect()
}

/// Translates one slot to Rankine's words.
pub fn kelvin_slot_to_rankine(words: [u32; 4]) -> [u32; 4] {
    let kelvin = kelvin::Fields::unpack(kelvin::slot_bits(words));
    let (arl, nop) = (u16::from(VecOp::Arl.code()), u16::from(VecOp::Nop.code()));
    let vec_op = if kelvin.vec_op > arl { nop } else { kelvin.vec_op };
    let mut fields = rankine::Fields {
        end: kelvin.end,
        indexed: kelvin.indexed,
        out_addr: if kelvin.out_buffer == 0 { row(kelvin.out_addr) } else { out_addr(kelvin.out_addr) },
        out_buffer: kelvin.out_buffer,
        vec_out_mask: if kelvin.out_from_sca == 0 { kelvin.out_mask } else { 0 },
        sca_out_mask: if kelvin.out_from_sca == 0 { 0 } else { kelvin.out_mask },
        vec_mask: kelvin.vec_mask,
        sca_mask: kelvin.sca_mask,
        src_c: source(kelvin.src_c, 0),
        src_b: source(kelvin.src_b, 2),
        src_a: source(kelvin.src_a, 2),
        input: input(kelvin.input as u8).into(),
        constant: row(kelvin.constant),
        vec_op,
        sca_op: kelvin.sca_op,
        test_swz: 0x1b,
        test: 7,
        dst: if vec_op == arl { 0 } else { kelvin.dst },
        ..rankine::Fields::default()
    };
    if fields.dst > LAST_WRITTEN {
        (fields.dst, fields.vec_mask) = (LAST_WRITTEN, 0);
        // A paired scalar result goes to R1 whatever the number.
        if vec_op == nop {
            fields.sca_mask = 0;
        }
    }
    rankine::slot_words(fields.pack())
}

fn out_addr(addr: u16) -> u16 {
    match u8::try_from(addr) {
        Ok(_) if addr == NO_OUT[0] => NO_OUT[1],
        Ok(n) => output(n).into(),
        Err(_) => addr,
    }
}

/// A source, `unused_mux` standing in for MUX 0.
fn source(bits: u16, unused_mux: u16) -> u16 {
    let f = SourceFields::unpack(bits.into());
    let mux = if f.mux == 0 { unused_mux } else { f.mux };
    SourceFields { mux, temp: f.temp.min(LAST_READ), ..f }.pack() as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::isa::{Insn, OutTarget, OutWrite, ProgramMode, Reading};
    use kelvin::Fields;

    const V1: Reading = Reading {
        mode: ProgramMode::V1,
        paired: crate::isa::PairedScalar::R1,
        branch_test: crate::isa::BranchTest::Field,
    };

    fn converted(fields: Fields) -> rankine::Fields {
        let words = kelvin_slot_to_rankine(kelvin::slot_words(fields.pack()));
        rankine::Fields::unpack(rankine::slot_bits(words))
    }

    #[test]
    fn attributes_and_outputs_change_their_numbers() {
        let inputs: Vec<u8> = (0..16).map(input).collect();
        assert_eq!(inputs, [0, 1, 2, 3, 4, 5, 6, 7, 15, 8, 9, 10, 11, 12, 13, 14]);
        let outputs: Vec<u8> = (0..16).map(output).collect();
        assert_eq!(outputs, [0, 1, 2, 3, 4, 5, 6, 1, 2, 8, 9, 10, 11, 12, 13, 14]);
        for n in 0..16u8 {
            let f = Fields { input: n.into(), out_buffer: 1, out_addr: n.into(), ..Fields::default() };
            assert_eq!((converted(f).input, converted(f).out_addr), (input(n).into(), output(n).into()));
        }
        for (addr, expected) in [(0xff, 0x1ff), (16, 16), (0xfe, 0xfe)] {
            let f = Fields { out_buffer: 1, out_addr: addr, ..Fields::default() };
            assert_eq!(converted(f).out_addr, expected);
        }
    }

    #[test]
    fn constants_move() {
        for n in [0, 1, 191, 255] {
            let f = converted(Fields { out_addr: n, constant: n, indexed: 1, ..Fields::default() });
            assert_eq!((f.out_addr, f.out_buffer, f.constant, f.indexed), (n + 60, 0, n + 60, 1));
        }
    }

    #[test]
    fn each_unit_has_its_output_mask() {
        let f = converted(Fields { out_mask: 9, ..Fields::default() });
        assert_eq!((f.vec_out_mask, f.sca_out_mask), (9, 0));
        let f = converted(Fields { out_mask: 9, out_from_sca: 1, ..Fields::default() });
        assert_eq!((f.vec_out_mask, f.sca_out_mask), (0, 9));
    }

    #[test]
    fn temporaries_that_do_not_exist_are_not_written() {
        let masks = |vec_op, dst| {
            let f = converted(Fields { vec_op, dst, vec_mask: 5, sca_mask: 6, ..Fields::default() });
            (f.dst, f.vec_mask, f.sca_mask)
        };
        assert_eq!(masks(2, 11), (11, 5, 6));
        for dst in 12..16 {
            assert_eq!(masks(2, dst), (11, 0, 6));
            assert_eq!(masks(0, dst), (11, 0, 0));
            assert_eq!(masks(14, dst), (11, 0, 0));
            assert_eq!(masks(13, dst), (0, 5, 6));
        }
    }

    #[test]
    fn sources_lose_what_later_chips_do_not_have() {
        for bits in 0..0x8000u16 {
            let f = converted(Fields { src_a: bits, src_b: bits, src_c: bits, ..Fields::default() });
            let [a, b, c, from] =
                [f.src_a, f.src_b, f.src_c, bits].map(|bits| SourceFields::unpack(bits.into()));
            assert_eq!(a, b);
            assert_eq!((a.mux, c.mux), (if from.mux == 0 { 2 } else { from.mux }, from.mux));
            assert_eq!((a.temp, c.temp), (from.temp.min(12), from.temp.min(12)));
            assert_eq!((a.x, a.y, a.z, a.w, a.negate), (from.x, from.y, from.z, from.w, from.negate));
        }
    }

    #[test]
    fn opcodes_stay_and_conditions_are_neutral() {
        for vec_op in 0..16 {
            for sca_op in 0..8 {
                let f = converted(Fields { vec_op, sca_op, end: 1, ..Fields::default() });
                assert_eq!((f.vec_op, f.sca_op, f.end), (if vec_op > 13 { 0 } else { vec_op }, sca_op, 1));
                assert_eq!((f.test, f.test_swz, f.test_enable, f.code_write), (7, 0x1b, 0, 0));
                let rest = (f.absolute_a, f.absolute_b, f.absolute_c, f.address_reg, f.address_swz);
                assert_eq!(rest, (0, 0, 0, 0, 0));
            }
        }
    }

    /// The numbers of Rankine in an instruction of Kelvin.
    fn renumbered(insn: Insn) -> Insn {
        let out = insn.out.map(|out| OutWrite {
            target: match out.target {
                OutTarget::Output(n) => OutTarget::Output(output(n)),
                OutTarget::Constant(n) => OutTarget::Constant(row(n)),
            },
            ..out
        });
        let reads = |bank| insn.src.iter().any(|source| source.bank == bank);
        let input = if reads(crate::isa::Bank::Input) { input(insn.input) } else { 0 };
        let constant = if reads(crate::isa::Bank::Constant) { row(insn.constant) } else { 0 };
        Insn { out, input, constant, ..insn }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Outputs and rows that Kelvin does not have mean something on Rankine.
        #[test]
        fn converted_words_mean_the_same(slot: [u32; 4], addr in 0u16..192) {
            let fields = Fields::unpack(kelvin::slot_bits(slot));
            let out_addr = if fields.out_buffer == 0 { addr } else { addr % 16 };
            let words = kelvin::slot_words(Fields { out_addr, ..fields }.pack());
            let converted = kelvin_slot_to_rankine(words);
            prop_assert_eq!(
                rankine::decode_insn(V1, converted), renumbered(kelvin::decode_insn(words)), "{:08x?}", words
            );
        }
    }
}
