//! Eight lanes with AVX2, and instructions of AVX-512 where these read constants or save others.

use super::super::asm::{Arg, Assembler, Source};
use super::super::emit::Emitter;
use super::super::lookups::Permutes;
use super::super::rows::Rows;
use super::super::table::{Column, Insn};
use super::{Facts, InstructionSet, Lanes, eight_lanes};
use crate::ir::func::Func;
use crate::machine::Machine;
use iced_x86::Register;
use xfjit_runtime::lookup::Table;

pub(super) const FACTS: Facts = Facts {
    name: "wide8e",
    lanes: eight_lanes::LANES,
    has_tails: true,
    instructions: InstructionSet::X86_64V4,
    narrower: None,
    machine: Machine::X86_64_V4_HALF,
    registers: 16,
    first: Register::YMM0,
    first_half: Register::XMM0,
    whole: &[Column::V256, Column::E256],
    eight: Column::V256,
    four: Column::V128,
    reads_constants: true,
    chooses_by_signs: false,
    // Calls with few vertices begin sooner without.
    literals: [0, 0],
    keeps_streams_open: false,
    loads_adjacent: false,
};

/// The width.
pub(super) struct EightEvex;

impl Lanes for EightEvex {
    eight_lanes::shared!();

    fn select(&self, emitter: &mut Emitter<'_>, to: u8, _: bool, mask: Source, chosen: [Source; 2]) {
        emitter.select_bits(to, mask, chosen);
    }
}
