//! Rules for registers and rows that the forms of emulators may change.

use super::{Access, Addresses, BothOutputs, Config, ConstantResults, Forms, OutOfRange, RowCount};
use crate::chip::programs::POSITION;
use crate::isa::{Generation, Insn, Mask, OutTarget, Program, Unit};
use std::ops::Range;
use xfjit_runtime::num::Model;

/// Rows where an emulator has them for every chip, and at which they wrap.
const MOST: usize = 512;
/// Outputs that results for rows of constants may go to.
const ELSEWHERE: u16 = 16;

impl Config {
    /// The largest number of rows of constants in any configuration.
    pub const MOST_ROWS: usize = Generation::Curie.constants();

    /// The forms that have an effect: none under `hw`, which is the chip's arithmetic.
    #[inline]
    pub fn heard(&self) -> Forms {
        match self.model {
            Model::Ieee => self.forms,
            Model::Hw => Forms::SPEC,
        }
    }

    /// How many rows of constants a batch lends. If programs may not read all of them ([`Access::User`]),
    /// this is the chip's number.
    #[inline]
    pub fn rows(&self) -> usize {
        match (self.heard().rows, self.access) {
            (RowCount::Most, Access::Full) => MOST,
            (RowCount::Chip, _) | (_, Access::User) => self.generation.constants(),
        }
    }

    /// The rows that indexed reads reach.
    #[inline]
    pub fn window(&self) -> Range<u16> {
        match (self.access, self.generation) {
            (Access::Full, _) | (_, Generation::Curie) => 0..self.rows() as u16,
            (Access::User, Generation::Kelvin | Generation::Rankine) => self.generation.user_rows(),
        }
    }

    /// The row that a direct read of this number reaches, if there is one.
    #[inline]
    pub fn direct(&self, row: u16) -> Option<u16> {
        let row = match self.heard().addresses {
            Addresses::Wrapped => row % MOST as u16,
            Addresses::Clamped | Addresses::Truncated | Addresses::Never => row,
        };
        let of_viewport = self.access == Access::User && self.generation.viewport_rows().contains(&row);
        (self.window().contains(&row) || of_viewport).then_some(row)
    }

    /// The number of rows at which indexed reads wrap (a power of two); `None` if they do not wrap.
    #[inline]
    pub fn wraps_at(&self) -> Option<usize> {
        match (self.heard().addresses, self.generation, self.quirks.out_of_range) {
            (Addresses::Wrapped, ..) => Some(MOST),
            (.., OutOfRange::Zero) => None,
            (_, generation, OutOfRange::Wraps) => Some(generation.constants().next_power_of_two()),
        }
    }

    /// Whether addresses are integers of 32 bits that nothing clamps.
    #[inline]
    pub fn has_wide_addresses(&self) -> bool {
        matches!(self.heard().addresses, Addresses::Wrapped | Addresses::Truncated)
    }

    /// The destinations of a unit's result other than temporaries, with their components; two at most.
    #[inline]
    pub fn targets(&self, insn: &Insn, unit: Unit) -> [Option<(OutTarget, Mask)>; 2] {
        let Some(out) = insn.out else { return [None; 2] };
        let (forms, mask) = (self.heard(), out.mask(unit));
        let some = |target: OutTarget, mask: Mask| (!mask.is_empty()).then_some((target, mask));
        match out.target {
            OutTarget::Output(register)
                if self.generation == Generation::Rankine && forms.both_outputs == BothOutputs::Position =>
            {
                let shared = Mask(out.vec.0 & out.sca.0);
                let own = Mask(mask.0 & !shared.0);
                match unit {
                    Unit::Vec => [some(out.target, own), some(OutTarget::Output(POSITION), shared)],
                    // There the vector unit's stay.
                    Unit::Sca if register == POSITION => [some(out.target, own), None],
                    Unit::Sca => [some(out.target, mask), None],
                }
            }
            OutTarget::Output(_) => [some(out.target, mask), None],
            OutTarget::Constant(row) => {
                let leaves = match forms.constant_results {
                    ConstantResults::There => false,
                    ConstantResults::ScalarElsewhere => unit == Unit::Sca,
                    ConstantResults::Elsewhere => true,
                };
                let elsewhere = OutTarget::Output((row % ELSEWHERE) as u8);
                [some(if leaves { elsewhere } else { out.target }, mask), None]
            }
        }
    }

    /// The destinations of both units' results other than temporaries.
    pub fn all_targets(&self, insn: &Insn) -> impl Iterator<Item = (OutTarget, Mask)> {
        let units: &[Unit] = if insn.out.is_some() { &[Unit::Vec, Unit::Sca] } else { &[] };
        units.iter().flat_map(|&unit| self.targets(insn, unit)).flatten()
    }

    /// The output registers that an instruction of a program names, as a mask; all of them if one is indexed.
    pub fn written_outputs(&self, program: &Program) -> u32 {
        let mut written = 0;
        for insn in &program.insns {
            for (target, _) in self.all_targets(insn) {
                match target {
                    OutTarget::Output(_) if insn.output_indexed => return u32::MAX,
                    OutTarget::Output(register) => written |= 1 << register,
                    OutTarget::Constant(_) => {}
                }
            }
        }
        written
    }
}
