//! The accumulators of guards: masks of lanes, and the greatest and the least exponent field, which are compared at the end of a part.

use super::super::core::facts::Raises;
use super::emit::Emitter;
use super::temporaries::{TEMPORARIES, Temporary};
use super::width::Facts;
use crate::ir::func::Func;

/// The accumulators of a function.
pub(super) struct Guards {
    /// Whether anything raises guards.
    pub(super) are_there: bool,
    /// The register of masks, if they have one of their own. Where they are made of exponents alone, at the end, they are in a
    /// temporary one, which is held from there on.
    flags: Option<u8>,
    at_end: Option<Temporary>,
    /// Those of exponents, if there are some.
    most: u8,
    least: u8,
    exponents: bool,
    /// Which hold something in this part.
    pub(super) has_flags: bool,
    pub(super) has_most: bool,
    pub(super) has_least: bool,
}

impl Guards {
    pub(super) fn of(func: &Func, facts: &Facts) -> Self {
        let raises = Raises::of(func);
        let keeps_flags = raises.masks || raises.exponents && func.has_blocks();
        let flags = facts.registers - 1 - TEMPORARIES;
        let most = flags - u8::from(keeps_flags);
        Guards {
            are_there: raises.any(),
            flags: keeps_flags.then_some(flags),
            at_end: None,
            most,
            least: most - 1,
            exponents: raises.exponents,
            has_flags: false,
            has_most: false,
            has_least: false,
        }
    }

    /// Whether masks have a register of their own.
    pub(super) fn keeps_flags(&self) -> bool {
        self.flags.is_some()
    }

    /// How many registers they have that are not temporary.
    pub(super) fn registers(&self) -> u8 {
        u8::from(self.keeps_flags()) + 2 * u8::from(self.exponents)
    }

    /// Nothing reads the masks any more.
    pub(super) fn release(&mut self) {
        self.at_end = None;
    }

    /// The accumulators of exponents.
    pub(super) fn most(&self) -> u8 {
        self.most
    }

    pub(super) fn least(&self) -> u8 {
        self.least
    }
}

impl Emitter<'_> {
    /// The register of the masks.
    pub(super) fn flags(&mut self) -> u8 {
        let Guards { flags, at_end, .. } = &mut self.guards;
        flags.unwrap_or_else(|| at_end.get_or_insert_with(|| self.temporaries.take_last()).register())
    }
}
