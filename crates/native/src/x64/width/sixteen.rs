//! Sixteen lanes with AVX-512: masks in registers of their own, words that instructions read for all lanes.

use super::super::asm::{Arg, Assembler, Source};
use super::super::emit::{Emitter, SCRATCH_MEMORY};
use super::super::lookups::Permutes;
use super::super::masks::{ODD_LANES, OF_ONE, multiplies_long};
use super::super::ops::{ORDERED, UNORDERED};
use super::super::packed::is_short;
use super::super::rows::Rows;
use super::super::table::{Column, Insn};
use super::{Facts, InstructionSet, Lanes, Width};
use crate::ir::func::Func;
use iced_x86::{MemoryOperand, Register};
use std::mem::size_of;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::num::tables::{RSQ_V1, RSQ_V2};
use xfjit_runtime::state::Row;

const LANES: usize = 16;

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

pub(super) const FACTS: Facts = Facts {
    name: "wide16",
    lanes: LANES,
    has_tails: false,
    instructions: InstructionSet::X86_64V4,
    narrower: Some(Width::EightEvex),
    machine: InstructionSet::X86_64V4.machine(),
    registers: 32,
    first: Register::ZMM0,
    first_half: Register::YMM0,
    whole: &[Column::E512],
    eight: Column::E256,
    four: Column::E128,
    reads_constants: true,
    chooses_by_signs: false,
    literals: [4, 4],
    keeps_streams_open: true,
    loads_adjacent: true,
};

/// The width.
pub(super) struct Sixteen;

impl Lanes for Sixteen {
    fn word(&self, asm: &mut Assembler, word: u32) -> Source {
        Source::ScalarConstant(asm.word(word, 1))
    }

    fn pair(&self, asm: &mut Assembler, pair: [u32; 2]) -> Arg {
        Arg::Word(asm.constant(pair.map(u32::to_le_bytes).concat()), true)
    }

    fn uniform_slots(&self, values: u16) -> u16 {
        usize::from(values).div_ceil(LANES) as u16
    }

    fn uniform(&self, emitter: &Emitter<'_>, number: u16) -> Source {
        Source::Scalar(SCRATCH_MEMORY, emitter.slot(0) + WORD as i32 * i32::from(number))
    }

    fn store_uniform(&self, emitter: &mut Emitter<'_>, number: u16, register: u8) {
        let at = emitter.slot(0) + WORD as i32 * i32::from(number);
        let at = Arg::Memory(MemoryOperand::with_base_displ(SCRATCH_MEMORY, at.into()));
        emitter.op_of_four(Insn::VmovssStore, &[at, Emitter::low(register)]);
    }

    fn mask_registers(&self, func: &Func) -> &'static [Register] {
        use Register::{K2, K3, K4, K6, K7};
        if multiplies_long(func) { &[K2, K3, K4, K6, K7] } else { &[K2, K3, K4, K6, K7, ODD_LANES] }
    }

    /// Sets the mask register of the odd lanes, if one is needed.
    fn begin(&self, emitter: &mut Emitter<'_>) {
        if multiplies_long(emitter.func) {
            emitter.asm.op(Insn::MovWord, &[Arg::Register(Register::R9D), Arg::Immediate(0xaaaa)]);
            emitter.asm.op(Insn::Kmovw, &[ODD_LANES, Register::R9D].map(Arg::Register));
        }
    }

    fn test(&self, emitter: &mut Emitter<'_>, register: u8) {
        let (mask, all) = (Arg::Register(OF_ONE), emitter.vector(register));
        emitter.op(Insn::Vptestmd, &[mask, all, all]);
        emitter.asm.op(Insn::Kortestw, &[mask, mask]);
    }

    fn compare_floats(&self, emitter: &mut Emitter<'_>, predicate: u32, to: u8, operands: [Source; 2]) {
        emitter.compare_to_mask(predicate, OF_ONE, operands);
        emitter.spread(to, OF_ONE);
    }

    fn compare_integers(&self, emitter: &mut Emitter<'_>, insn: Insn, to: u8, operands: [Source; 2]) {
        emitter.compare_integers_to_mask(insn, OF_ONE, operands);
        emitter.spread(to, OF_ONE);
    }

    fn raise_unordered(&self, emitter: &mut Emitter<'_>, registers: [u8; 2]) {
        emitter.compare_to_mask(UNORDERED, OF_ONE, registers.map(Source::Register));
        emitter.raise_mask(OF_ONE);
    }

    fn raise_integers(&self, emitter: &mut Emitter<'_>, insn: Insn, _: u8, operands: [Source; 2]) {
        emitter.compare_integers_to_mask(insn, OF_ONE, operands);
        emitter.raise_mask(OF_ONE);
    }

    /// The mask lacks the lanes in which some have been found.
    fn find_unordered(&self, emitter: &mut Emitter<'_>, is_first: bool, _: u8, rows: [u8; 2]) {
        let among = if is_first { Register::None } else { OF_ONE };
        let [a, b] = rows.map(Emitter::low);
        let args = [Arg::Register(OF_ONE), a, b, Arg::Immediate(ORDERED)];
        emitter.asm.append(Insn::Vcmpps, Insn::Vcmpps.at(Column::E128), &args, among, false);
    }

    fn spread_found(&self, emitter: &mut Emitter<'_>, found: u8) {
        emitter.asm.op(Insn::Knotw, &[Arg::Register(OF_ONE); 2]);
        let low = Emitter::low(found);
        let args = [low, low, low, Arg::Immediate(0xff)];
        let encoding = Insn::Vpternlogd.at(Column::E128);
        emitter.asm.append(Insn::Vpternlogd, encoding, &args, OF_ONE, true);
    }

    fn select(&self, emitter: &mut Emitter<'_>, to: u8, _: bool, mask: Source, chosen: [Source; 2]) {
        emitter.select_bits(to, mask, chosen);
    }

    fn blend(&self, emitter: &mut Emitter<'_>, to: u8, mask: u8, source: Source) {
        let args = [Arg::Register(OF_ONE), emitter.vector(mask)];
        emitter.op(Insn::Vpmovd2m, &args);
        let insn = if source.is_scalar() { Insn::Vpbroadcastd } else { Insn::Vmovdqa32 };
        let args = [emitter.vector(to), emitter.whole(source)];
        emitter.op_masked(insn, &args, OF_ONE);
    }

    fn blend_odd(&self, emitter: &mut Emitter<'_>, to: u8, odd: u8) {
        let args = [to, odd].map(|register| emitter.vector(register));
        emitter.op_masked(Insn::Vmovdqa32, &args, ODD_LANES);
    }

    fn upper_half(&self, emitter: &mut Emitter<'_>, to: u8, from: u8) {
        let args = [emitter.half(to), emitter.vector(from), Arg::Immediate(1)];
        emitter.op(Insn::Vextractf64x4, &args);
    }

    fn low_words(&self, emitter: &mut Emitter<'_>, to: u8, low: Source, high: Source) {
        let (low, _held) = emitter.loaded(low);
        let even: Vec<u8> = (0..LANES as u32).flat_map(|lane| (2 * lane).to_le_bytes()).collect();
        let even = Source::Constant(emitter.asm.constant(even), 0);
        emitter.load(to, even);
        let args = [emitter.vector(to), emitter.vector(low), emitter.operand(high)];
        emitter.op(Insn::Vpermi2d, &args);
    }

    fn load_rows(&self, emitter: &mut Emitter<'_>, rows: Rows, registers: [u8; 4]) {
        match rows {
            Rows::Stream(..) | Rows::Listed(..) => {
                let held = emitter.temporaries.take_last();
                let uppers = [held.register(), emitter.take(), emitter.take(), emitter.take()];
                let short = if rows.bytes() == size_of::<Row>() { uppers[0] } else { emitter.take() };
                emitter.load_in_order(rows, registers, uppers, short);
            }
            Rows::Table(base, offset, offsets) => {
                emitter.look_up_rows((base, offset, offsets), registers);
            }
        }
    }

    /// (Longer rows would take as many loads as they have words, instead of one or two.)
    fn is_packed(&self, rows: Rows) -> bool {
        matches!(rows, Rows::Stream(..) | Rows::Listed(..)) && is_short(rows.bytes())
    }

    fn order_offsets(&self, emitter: &mut Emitter<'_>, offsets: u8) {
        let lanes = (0..LANES as u32).flat_map(|place| (place / 4 + 4 * (place % 4)).to_le_bytes());
        let lanes = Source::Constant(emitter.asm.constant(lanes.collect()), 0);
        let (lanes, _held) = emitter.loaded(lanes);
        let args = [offsets, lanes, offsets].map(|register| emitter.vector(register));
        emitter.op(Insn::Vpermd, &args);
    }

    fn next_four(&self, emitter: &mut Emitter<'_>, register: u8) {
        let all = emitter.vector(register);
        emitter.op(Insn::Vshufi32x4, &[all, all, all, Arg::Immediate(0x39)]);
    }

    fn permutes(&self, table: Table, wanted: [bool; 4]) -> Option<Permutes> {
        match table {
            Table::Exp | Table::Log => Some(Permutes::Words),
            Table::RsqV1 if !wanted[3] => Some(Permutes::Seeds(&RSQ_V1)),
            Table::RsqV2 if !wanted[3] => Some(Permutes::Seeds(&RSQ_V2)),
            // Most of their columns are wanted at once, which loading rows does as fast.
            Table::RsqV1 | Table::RsqV2 | Table::Lg2 | Table::Ex2 | Table::SinCos | Table::InvTau => None,
        }
    }
}
