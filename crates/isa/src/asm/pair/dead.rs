//! Removes what nobody reads: writes of components that are written again or never read, and operations without any left.
//!
//! Writes of constants stay, since a later vertex or the caller may read them, and so does whatever moves the stack.

use super::flow::{Flow, Live, fits};
use crate::isa::kelvin::FOG;
use crate::isa::op::Kind;
use crate::isa::uses::Place;
use crate::isa::{Generation, Insn, Mask, OutTarget, Reading};

/// Makes dead instructions NOP, and leaves out dead components of others.
pub(super) fn run(generation: Generation, reading: Reading, flow: &mut Flow, insns: &mut [Insn]) {
    let back = flow.reads_position_back();
    loop {
        let mut changed = false;
        for block in &flow.blocks {
            let mut live = block.live.clone();
            for insn in insns[block.insns.clone()].iter_mut().rev() {
                live.note_faults(insn);
                let lesser = without_dead(insn, &live);
                if lesser != *insn && fits(generation, reading, &lesser) {
                    (*insn, changed) = (lesser, true);
                }
                live.step(insn, back);
            }
        }
        if !changed {
            return;
        }
        flow.find_live(insns);
    }
}

/// The instruction without what nobody reads.
fn without_dead(insn: &Insn, live: &Live) -> Insn {
    let mut lesser = *insn;
    if !insn.writes_one_temp() {
        for write in [&mut lesser.vec_dst, &mut lesser.sca_dst] {
            write.mask.0 &= live.temp(write.reg).0;
        }
    }
    if insn.sca.kind() != Kind::Pop
        && live.of(Place::Address(insn.address_dst.reg)).0 & insn.address_dst.mask.0 == 0
    {
        lesser.address_dst.mask = Mask::NONE;
    }
    lesser.code = insn.code.filter(|code| live.of(Place::Code(code.reg)).0 & code.mask.0 != 0);
    lesser.out = insn.out.filter(|out| match out.target {
        OutTarget::Output(register) if !insn.output_indexed => {
            let takes_x = if register == FOG { 8 } else { 0 };
            live.of(Place::Output(register)).0 & (out.vec.0 | out.sca.0 | takes_x) != 0
        }
        OutTarget::Output(_) | OutTarget::Constant(_) => true,
    });
    lesser.canonical()
}
