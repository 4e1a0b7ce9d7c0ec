//! Which registers the names of a draft have while its nodes are put into slots.
//!
//! A name without a register of its own gets one with its first write, and holds those of its components until its last use.
//! A fixed name's register is taken by nobody else until all its uses stand, or to the end if another block reads it.

use super::draft::{Name, Value};
use super::merge::scalar_temporary;
use super::schedule::Problem;
use crate::isa::Mask;

/// Registers, and who is in them.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    /// Components that names without a register of their own hold.
    busy: Vec<Mask>,
    /// For each component, uses of it to come by a name that is fixed there.
    awaited: Vec<[usize; 4]>,
    /// Uses to come of each name.
    uses: Vec<usize>,
    /// The register of each name, once it has one.
    pub(super) of: Vec<Option<u8>>,
}

impl Registers {
    /// At the beginning of a block.
    pub(super) fn new(values: &[Value], limit: usize) -> Registers {
        let mut registers = Registers {
            busy: vec![Mask::NONE; limit],
            awaited: vec![[0; 4]; limit],
            uses: values.iter().map(|value| value.uses).collect(),
            of: values.iter().map(|value| value.fixed).collect(),
        };
        for value in values {
            if let Some(awaited) = value.fixed.and_then(|fixed| registers.awaited.get_mut(usize::from(fixed)))
            {
                value.mask.components().for_each(|c| awaited[c] += value.uses);
            }
        }
        registers
    }

    /// Components that names without a register of their own hold.
    pub(super) fn held(&self) -> u32 {
        self.busy.iter().map(|mask| mask.0.count_ones()).sum()
    }

    /// One more than the highest register that a name has.
    pub(super) fn count(&self) -> u8 {
        self.of.iter().flatten().map(|register| register + 1).max().unwrap_or(0)
    }

    /// Whether a name can have a register from here on.
    fn is_free(&self, problem: &Problem<'_>, register: usize, mask: Mask) -> bool {
        let kept = Mask(self.busy[register].0 | problem.live.temp(register as u8).0);
        mask.0 & kept.0 == 0 && mask.components().all(|c| self.awaited[register][c] == 0)
    }

    /// A use of a name is done.
    pub(super) fn used(&mut self, problem: &Problem<'_>, name: Name) {
        let value = problem.value(name);
        self.uses[name] -= 1;
        match (value.fixed, self.of[name]) {
            (Some(fixed), _) => {
                let awaited = &mut self.awaited[usize::from(fixed)];
                value.mask.components().for_each(|c| awaited[c] -= 1);
            }
            (None, Some(register)) if self.uses[name] == 0 => {
                self.busy[usize::from(register)].0 &= !value.mask.0;
            }
            (None, _) => {}
        }
    }

    /// A register for a name that is written now: the one that it has, or the lowest free one; only `wanted` if there is no choice, and
    /// not `other`.
    pub(super) fn place(
        &mut self,
        problem: &Problem<'_>,
        name: Name,
        (wanted, other): (Option<u8>, Option<u8>),
        reserves: bool,
    ) -> Option<u8> {
        let fits = |register: u8| wanted.is_none_or(|wanted| wanted == register) && other != Some(register);
        if let Some(register) = self.of[name] {
            return Some(register)
                .filter(|&register| usize::from(register) < problem.limit && fits(register));
        }
        let value = problem.value(name);
        let special = scalar_temporary(problem.generation, problem.reading).filter(|_| reserves);
        // Scalar results like to be where they can be paired, and others leave that place to them.
        let first = special.filter(|_| value.is_scalar);
        let last = special.filter(|_| !value.is_scalar);
        let others = (0..problem.limit as u8).filter(|&register| Some(register) != special);
        let free = |&register: &u8| fits(register) && self.is_free(problem, register.into(), value.mask);
        let register = first.into_iter().chain(others).chain(last).find(free)?;
        self.of[name] = Some(register);
        self.busy[usize::from(register)].0 |= value.mask.0;
        Some(register)
    }
}
