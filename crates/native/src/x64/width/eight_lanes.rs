//! What widths of eight lanes share: vectors of 256 bits, masks that are vectors, constants as vectors behind the code.

use super::super::asm::{Arg, Assembler, Source};
use super::super::emit::{Emitter, SCRATCH_MEMORY};
use super::super::ops::UNORDERED;
use super::super::table::{Column, Insn};

pub(super) const LANES: usize = 8;

/// The methods of a width that are functions of this file.
macro_rules! shared {
    () => {
        fn word(&self, asm: &mut Assembler, word: u32) -> Source {
            eight_lanes::word(asm, word)
        }

        fn pair(&self, asm: &mut Assembler, pair: [u32; 2]) -> Arg {
            eight_lanes::pair(asm, pair)
        }

        fn uniform_slots(&self, values: u16) -> u16 {
            values
        }

        fn uniform(&self, emitter: &Emitter<'_>, number: u16) -> Source {
            eight_lanes::uniform(emitter, number)
        }

        fn store_uniform(&self, emitter: &mut Emitter<'_>, number: u16, register: u8) {
            emitter.store_slot(number, register);
        }

        fn mask_registers(&self, _: &Func) -> &'static [Register] {
            &[]
        }

        fn begin(&self, _: &mut Emitter<'_>) {}

        fn test(&self, emitter: &mut Emitter<'_>, register: u8) {
            let all = emitter.vector(register);
            emitter.op(Insn::Vptest, &[all, all]);
        }

        fn compare_floats(&self, emitter: &mut Emitter<'_>, predicate: u32, to: u8, operands: [Source; 2]) {
            emitter.instruction2_with(Insn::Vcmpps, to, operands, predicate);
        }

        fn compare_integers(&self, emitter: &mut Emitter<'_>, insn: Insn, to: u8, [x, y]: [Source; 2]) {
            emitter.instruction2(insn, to, x, y);
        }

        fn raise_unordered(&self, emitter: &mut Emitter<'_>, [a, b]: [u8; 2]) {
            eight_lanes::raise_unordered(emitter, a, b);
        }

        fn raise_integers(&self, emitter: &mut Emitter<'_>, insn: Insn, by: u8, [x, y]: [Source; 2]) {
            emitter.instruction2(insn, by, x, y);
            emitter.raise(Source::Register(by));
        }

        fn find_unordered(&self, emitter: &mut Emitter<'_>, is_first: bool, found: u8, rows: [u8; 2]) {
            eight_lanes::find_unordered(emitter, is_first, found, rows);
        }

        fn spread_found(&self, _: &mut Emitter<'_>, _: u8) {}

        fn blend(&self, emitter: &mut Emitter<'_>, to: u8, mask: u8, source: Source) {
            let [to, mask] = [to, mask].map(|register| emitter.vector(register));
            let args = [to, to, emitter.whole(source), mask];
            emitter.op(Insn::Vblendvps, &args);
        }

        fn blend_odd(&self, emitter: &mut Emitter<'_>, to: u8, odd: u8) {
            let [to, odd] = [to, odd].map(|register| emitter.vector(register));
            emitter.op(Insn::Vpblendd, &[to, to, odd, Arg::Immediate(0xaa)]);
        }

        fn upper_half(&self, emitter: &mut Emitter<'_>, to: u8, from: u8) {
            let args = [emitter.half(to), emitter.vector(from), Arg::Immediate(1)];
            emitter.op(Insn::Vextractf128, &args);
        }

        fn low_words(&self, emitter: &mut Emitter<'_>, to: u8, low: Source, high: Source) {
            eight_lanes::low_words(emitter, to, low, high);
        }

        fn load_rows(&self, emitter: &mut Emitter<'_>, rows: Rows, registers: [u8; 4]) {
            emitter.load_by_four(rows, registers);
        }

        fn is_packed(&self, _: Rows) -> bool {
            false
        }

        fn order_offsets(&self, _: &mut Emitter<'_>, _: u8) {}

        fn next_four(&self, emitter: &mut Emitter<'_>, register: u8) {
            let args = [Emitter::low(register), emitter.vector(register), Arg::Immediate(1)];
            emitter.op(Insn::Vextracti128, &args);
        }

        fn permutes(&self, _: Table, _: [bool; 4]) -> Option<Permutes> {
            None
        }
    };
}

pub(super) use shared;

pub(super) fn word(asm: &mut Assembler, word: u32) -> Source {
    Source::Constant(asm.word(word, LANES), 0)
}

pub(super) fn pair(asm: &mut Assembler, pair: [u32; 2]) -> Arg {
    let pairs = pair.map(u32::to_le_bytes).concat().repeat(LANES / 2);
    Arg::Constant(asm.constant(pairs), 0)
}

pub(super) fn uniform(emitter: &Emitter<'_>, number: u16) -> Source {
    Source::Memory(SCRATCH_MEMORY, emitter.slot(number))
}

pub(super) fn raise_unordered(emitter: &mut Emitter<'_>, a: u8, b: u8) {
    emitter.instruction2_with(Insn::Vcmpps, a, [a, b].map(Source::Register), UNORDERED);
    emitter.raise(Source::Register(a));
}

pub(super) fn find_unordered(emitter: &mut Emitter<'_>, is_first: bool, found: u8, [a, b]: [u8; 2]) {
    let [found, a, b] = [found, a, b].map(Emitter::low);
    let to = if is_first { found } else { a };
    emitter.asm.at(Insn::Vcmpps, Column::V128, &[to, a, b, Arg::Immediate(UNORDERED)]);
    if !is_first {
        emitter.asm.at(Insn::Vpor, Column::V128, &[found, found, a]);
    }
}

pub(super) fn low_words(emitter: &mut Emitter<'_>, to: u8, low: Source, high: Source) {
    let held = [(); 2].map(|()| emitter.temporary());
    let low = emitter.in_register(low, held[0].register());
    let words = emitter.vector(held[1].register());
    let args = [words, emitter.vector(low), emitter.operand(high), Arg::Immediate(0x88)];
    emitter.op(Insn::Vshufps, &args);
    let args = [emitter.vector(to), words, Arg::Immediate(0xd8)];
    emitter.op(Insn::Vpermq, &args);
}
