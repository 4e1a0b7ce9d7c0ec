//! What an instruction takes from an earlier one, and what it leaves for later ones.

use crate::isa::op::{Effect, Kind, Takes};
use crate::isa::{AddressComponent, Bank, Condition, Insn, Mask, OutTarget, Slot, Swizzle, Test};
use std::collections::BTreeMap;

/// Something that one instruction of a vertex can leave for another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Temp(u8),
    Address(u8),
    Code(u8),
    Constant(u16),
    /// A row of XFCTX that an address register chooses.
    SomeConstant,
    /// Whichever row.
    AnyConstant,
    Output(u8),
    Stack,
}

/// The temporary that reads oPos back where there is one (kelvin.md 3).
const POSITION: u8 = 12;

/// Components of places. UNKNOWN: whether the chip looks at components or at whole registers; here it looks at components.
#[derive(Clone, Default, Debug)]
pub(super) struct Uses {
    reads: Vec<(Place, Mask)>,
    writes: Vec<(Place, Mask)>,
}

/// Which instruction has written what last.
#[derive(Clone, Default, Debug)]
pub(super) struct Written(BTreeMap<Place, [Option<usize>; 4]>);

impl Written {
    /// The last instruction that an instruction takes something from.
    pub(super) fn needed_by(&self, uses: &Uses) -> Option<usize> {
        let of = |&(place, mask): &(Place, Mask)| {
            let writers = self.0.get(&place)?;
            mask.components().filter_map(|c| writers[c]).max()
        };
        uses.reads.iter().filter_map(of).max()
    }

    /// An instruction comes next.
    pub(super) fn note(&mut self, number: usize, uses: &Uses) {
        for &(place, mask) in &uses.writes {
            let writers = self.0.entry(place).or_default();
            mask.components().for_each(|c| writers[c] = Some(number));
        }
    }
}

impl Uses {
    pub(super) fn new(insn: &Insn, reads_position_back: bool) -> Uses {
        let mut uses = Uses::default();
        uses.note_reads(insn, reads_position_back);
        uses.note_writes(insn);
        uses
    }

    fn note_reads(&mut self, insn: &Insn, reads_position_back: bool) {
        for slot in Slot::ALL {
            let source = insn.source(slot);
            let components = through(source.swizzle, insn.read(slot));
            let mut read = |place| self.reads.push((place, components));
            match source.bank {
                Bank::None | Bank::Input => {}
                Bank::Temp(POSITION) if reads_position_back => read(Place::Output(0)),
                Bank::Temp(register) => read(Place::Temp(register)),
                Bank::Constant if insn.indexed => read(Place::AnyConstant),
                Bank::Constant => {
                    read(Place::Constant(insn.constant));
                    read(Place::SomeConstant);
                }
            }
        }
        let AddressComponent { reg, component } = insn.address;
        if insn.indexed || insn.input_indexed || insn.output_indexed || insn.sca.is_indirect() {
            self.reads.push((Place::Address(reg), Mask(8 >> component)));
        }
        if insn.vec.takes() == Takes::Address || insn.sca.takes() == Takes::Address {
            self.reads.push((Place::Address(reg), Mask::ALL));
        }
        self.note_condition(insn.condition);
        if insn.sca.is_branch() {
            self.note_condition(insn.branch.condition);
        }
        if insn.sca.effect() == Effect::Flow || insn.sca.kind() == Kind::Pop {
            self.reads.push((Place::Stack, Mask::ALL));
            self.writes.push((Place::Stack, Mask::ALL));
        }
    }

    fn note_condition(&mut self, condition: Condition) {
        if !matches!(condition.test, Test::Tr | Test::Fl) {
            self.reads.push((Place::Code(condition.reg), through(condition.swizzle, Mask::ALL)));
        }
    }

    fn note_writes(&mut self, insn: &Insn) {
        for write in [insn.vec_dst, insn.sca_dst] {
            self.writes.push((Place::Temp(write.reg), write.mask));
        }
        self.writes.push((Place::Address(insn.address_dst.reg), insn.address_dst.mask));
        self.writes.extend(insn.code.map(|code| (Place::Code(code.reg), code.mask)));
        if let Some(out) = insn.out {
            let mut write = |place| self.writes.push((place, Mask(out.vec.0 | out.sca.0)));
            match out.target {
                OutTarget::Output(register) => write(Place::Output(register)),
                OutTarget::Constant(row) => {
                    write(if insn.indexed { Place::SomeConstant } else { Place::Constant(row) });
                    write(Place::AnyConstant);
                }
            }
        }
    }
}

/// The components of a register that a swizzle takes for some components of an operand.
fn through(swizzle: Swizzle, components: Mask) -> Mask {
    Mask(components.components().fold(0, |mask, c| mask | 8 >> swizzle.0[c]))
}
