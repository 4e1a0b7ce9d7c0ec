//! What an instruction takes from an earlier one, and what it leaves for later ones, place by place.

use super::insn::{AddressComponent, Bank, Condition, Insn, OutTarget, Swizzle, Test, Unit};
use super::kelvin::FOG;
use super::mask::Mask;
use super::op::{Effect, Kind, Slot, Takes};
use crate::chip::programs::{POSITION, POSITION_READ_BACK};

/// Something that one instruction of a vertex can leave for another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Place {
    Temp(u8),
    Address(u8),
    Code(u8),
    Constant(u16),
    /// Whichever row of XFCTX an index chooses.
    AnyConstant,
    Output(u8),
    /// Whichever output register an index chooses.
    AnyOutput,
    Stack,
}

/// Components of a place that are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Write {
    pub(crate) place: Place,
    pub(crate) mask: Mask,
    /// Whether all of them are written whatever happens: no condition, no index, nothing that is unknown of the chip.
    pub(crate) certain: bool,
}

/// Components of places. Sources of which nothing is read are left out, and writes of nothing.
#[derive(Clone, Default, Debug)]
pub(crate) struct Uses {
    pub(crate) reads: Vec<(Place, Mask)>,
    pub(crate) writes: Vec<Write>,
}

/// The components of a register that a swizzle takes for some components of an operand.
pub(crate) fn through(swizzle: Swizzle, components: Mask) -> Mask {
    Mask(components.components().fold(0, |mask, c| mask | 8 >> swizzle.0[c]))
}

/// Whether a temporary is the read-back of oPos, if there is one.
pub(crate) const fn is_position(register: u8, reads_position_back: bool) -> bool {
    reads_position_back && register == POSITION_READ_BACK
}

impl Insn {
    /// Whether both units write the same temporary. UNKNOWN: whether the vector unit's write takes place then
    /// ([`WriteOrder`](crate::config::WriteOrder)).
    pub(crate) fn writes_one_temp(&self) -> bool {
        let [vec, sca] = [self.vec_dst, self.sca_dst];
        !vec.mask.is_empty() && !sca.mask.is_empty() && vec.reg == sca.reg
    }
}

impl Uses {
    /// Of an instruction; whether temporary 12 reads oPos back is a matter of the program
    /// ([`Reading`](super::Reading::reads_position_back)).
    pub(crate) fn new(insn: &Insn, reads_position_back: bool) -> Uses {
        let mut uses = Uses::default();
        uses.note_reads(insn, reads_position_back);
        uses.note_writes(insn);
        uses
    }

    fn read(&mut self, place: Place, mask: Mask) {
        if !mask.is_empty() {
            self.reads.push((place, mask));
        }
    }

    fn write(&mut self, place: Place, mask: Mask, certain: bool) {
        if !mask.is_empty() {
            self.writes.push(Write { place, mask, certain });
        }
    }

    fn note_reads(&mut self, insn: &Insn, reads_position_back: bool) {
        for slot in Slot::ALL {
            let source = insn.source(slot);
            let components = through(source.swizzle, insn.read(slot));
            match source.bank {
                Bank::None | Bank::Input => {}
                Bank::Temp(register) if is_position(register, reads_position_back) => {
                    self.read(Place::Output(POSITION), components);
                }
                Bank::Temp(register) => self.read(Place::Temp(register), components),
                Bank::Constant if insn.indexed => self.read(Place::AnyConstant, components),
                Bank::Constant => self.read(Place::Constant(insn.constant), components),
            }
        }
        let AddressComponent { reg, component } = insn.address;
        if insn.indexed || insn.input_indexed || insn.output_indexed || insn.sca.is_indirect() {
            self.read(Place::Address(reg), Mask(8 >> component));
        }
        if insn.vec.takes() == Takes::Address || insn.sca.takes() == Takes::Address {
            self.read(Place::Address(reg), Mask::ALL);
        }
        self.note_condition(insn.condition);
        if insn.sca.is_branch() {
            self.note_condition(insn.branch.condition);
        }
        if insn.sca.effect() == Effect::Flow || insn.sca.kind() == Kind::Pop {
            self.read(Place::Stack, Mask::ALL);
            self.write(Place::Stack, Mask::ALL, false);
        }
    }

    fn note_condition(&mut self, condition: Condition) {
        if !matches!(condition.test, Test::Tr | Test::Fl) {
            self.read(Place::Code(condition.reg), through(condition.swizzle, Mask::ALL));
        }
    }

    fn note_writes(&mut self, insn: &Insn) {
        let certain = insn.condition == Condition::ALWAYS;
        for unit in [Unit::Vec, Unit::Sca] {
            let write = insn.temp_write(unit);
            self.write(Place::Temp(write.reg), write.mask, certain && !insn.writes_one_temp());
        }
        self.write(Place::Address(insn.address_dst.reg), insn.address_dst.mask, certain);
        if let Some(code) = insn.code {
            // UNKNOWN: whether integers for an address register update condition codes (rankine_curie.md 8.5).
            let certain = certain && insn.address_from() != Some(code.from);
            self.write(Place::Code(code.reg), code.mask, certain);
        }
        let Some(out) = insn.out else { return };
        let mask = Mask(out.vec.0 | out.sca.0);
        match out.target {
            OutTarget::Output(_) if insn.output_indexed => self.write(Place::AnyOutput, mask, false),
            OutTarget::Output(register) => {
                self.write(Place::Output(register), mask, certain);
                if register == FOG {
                    // Kelvin's fog takes x whatever the mask (kelvin.md 3), unless a quirk says otherwise.
                    self.write(Place::Output(register), Mask(8 & !mask.0), false);
                }
            }
            OutTarget::Constant(row) => {
                self.write(Place::Constant(row), mask, certain);
                self.write(Place::AnyConstant, mask, false);
            }
        }
    }
}
