//! Eight lanes with AVX2.

use super::super::asm::{Arg, Assembler, Source};
use super::super::emit::Emitter;
use super::super::lookups::Permutes;
use super::super::rows::Rows;
use super::super::table::{Column, Insn};
use super::{Facts, InstructionSet, Lanes, eight_lanes};
use crate::ir::func::Func;
use iced_x86::Register;
use xfjit_runtime::lookup::Table;

pub(super) const FACTS: Facts = Facts {
    name: "wide8",
    lanes: eight_lanes::LANES,
    has_tails: true,
    instructions: InstructionSet::X86_64V3,
    narrower: None,
    machine: InstructionSet::X86_64V3.machine(),
    registers: 16,
    first: Register::YMM0,
    first_half: Register::XMM0,
    whole: &[Column::V256],
    eight: Column::V256,
    four: Column::V128,
    reads_constants: false,
    chooses_by_signs: true,
    // Of sixteen registers only one that nothing accumulates guards in can be spared.
    literals: [1, 0],
    keeps_streams_open: true,
    loads_adjacent: false,
};

/// The width.
pub(super) struct Eight;

impl Lanes for Eight {
    eight_lanes::shared!();

    /// AVX2 chooses whole lanes in one instruction, which looks at signs; bits of lanes in three.
    fn select(
        &self,
        emitter: &mut Emitter<'_>,
        to: u8,
        is_by_lanes: bool,
        mask: Source,
        chosen: [Source; 2],
    ) {
        let [x, y] = chosen;
        if is_by_lanes {
            let held = [(); 2].map(|()| emitter.temporary());
            let mask = emitter.in_register(mask, held[0].register());
            let y = emitter.in_register(y, held[1].register());
            let args = [emitter.vector(to), emitter.vector(y), emitter.operand(x), emitter.vector(mask)];
            emitter.op(Insn::Vblendvps, &args);
            return;
        }
        let held = [(); 2].map(|()| emitter.temporary());
        let mask = Source::Register(emitter.in_register(mask, held[0].register()));
        let other = held[1].register();
        emitter.instruction2(Insn::Vpandn, other, mask, y);
        emitter.instruction2(Insn::Vpand, to, mask, x);
        let (chosen, other) = (Source::Register(to), Source::Register(other));
        emitter.instruction2(Insn::Vpor, to, chosen, other);
    }
}
