//! The accumulators of guards: masks of lanes, and the greatest and the least exponent field, which are compared at the end of a part.

use super::super::core::facts::Raises;
use super::emit::Emitter;
use super::registers::LAST;
use super::table::Insn;
use crate::ir::func::Func;
use crate::ir::host;

/// The accumulators of a function.
pub(super) struct Guards {
    /// Whether anything raises guards, and whether exponents do.
    pub(super) are_there: bool,
    exponents: bool,
    /// Which hold something in this part.
    pub(super) has_flags: bool,
    pub(super) has_most: bool,
    pub(super) has_least: bool,
}

/// The register of the masks, and those of exponents.
pub(super) const FLAGS: u8 = LAST;
pub(super) const MOST: u8 = LAST - 1;
pub(super) const LEAST: u8 = LAST - 2;

impl Guards {
    pub(super) fn of(func: &Func) -> Self {
        let raises = Raises::of(func);
        let (are_there, exponents) = (raises.any(), raises.exponents);
        Guards { are_there, exponents, has_flags: false, has_most: false, has_least: false }
    }

    /// How many registers they have.
    pub(super) fn registers(&self) -> u8 {
        u8::from(self.are_there) + 2 * u8::from(self.exponents)
    }
}

impl Emitter<'_> {
    /// Raises a guard where a mask has a lane.
    pub(super) fn raise(&mut self, mask: u8) {
        if std::mem::replace(&mut self.guards.has_flags, true) {
            self.asm.vectors(Insn::Orr, [FLAGS, FLAGS, mask]);
        } else {
            self.copy(FLAGS, mask);
        }
    }

    /// Raises a guard where a mask lacks a lane.
    pub(super) fn raise_unless(&mut self, mask: u8) {
        if std::mem::replace(&mut self.guards.has_flags, true) {
            self.asm.vectors(Insn::Orn, [FLAGS, FLAGS, mask]);
        } else {
            self.asm.vectors(Insn::Mvn, [FLAGS, mask]);
        }
    }

    /// Raises the guards of exponent fields in this part.
    pub(super) fn raise_exponents(&mut self) {
        if self.guards.has_most {
            let limit = self.word(host::greatest_exponent(self.func.numerics));
            let mask = self.temporary();
            self.asm.vectors(Insn::Cmgt, [mask, MOST, limit]);
            self.raise(mask);
        }
        if self.guards.has_least {
            let limit = self.word(host::LEAST_SUMMED - 1);
            let mask = self.temporary();
            self.asm.vectors(Insn::Cmhi, [mask, limit, LEAST]);
            self.raise(mask);
        }
        self.give_back();
    }
}
