//! Limits on the work of compilation.
use crate::backend::{CompileError, Stages};
use crate::ir::func::Func;
use crate::legalize::Path;
use crate::machine::Machine;
use crate::shader::Shader;
use crate::{legalize, opt};
use std::time::{Duration, Instant};
use xfjit_runtime::state::Row;

/// Limits on the length of a function. The length counts host-level operations, each weighted by the number of code
/// generator instructions for it.
///
/// Cranelift takes about 9 µs for each unit of length with its better register allocator. The simple one takes a third
/// of that, but its code is up to twice as slow (EPYC of the Zen 4 generation). Programs of the fixed set have lengths
/// of 100 to 2,400.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Longer functions get their registers in a single pass, unless that makes their frames too large.
    pub thorough: usize,
    /// Longer functions are refused, and their programs run in the interpreter.
    pub most: usize,
}

/// Targets of a branch that vertices may execute again and again: each is compared with, and with 64 a vertex alone takes six times as
/// long as in the interpreter.
const TARGETS: usize = 32;

/// Cranelift's register allocators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Allocator {
    /// `backtracking`.
    Thorough,
    /// `single_pass`.
    Quick,
}

impl Allocator {
    /// Its name among the settings.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Allocator::Thorough => "backtracking",
            Allocator::Quick => "single_pass",
        }
    }
}

impl Default for Budget {
    /// A function near the limit takes 40 to 80 ms to compile. A program of a few instructions with indexed outputs is
    /// an example. A program of 512 slots is below the limit unless most of its instructions are functions like LIT.
    fn default() -> Self {
        Budget { most: 12_288, ..Budget::UNLIMITED }
    }
}

impl Budget {
    /// A budget for compilation in the background. Functions of up to three times the default length get the better
    /// register allocator, and functions of up to twice the default length are compiled. That takes up to twice the time.
    pub const PATIENT: Budget = Budget { thorough: 12_288, most: 24_576 };

    /// A budget that compiles everything that can be compiled, as fast as the default. For tests.
    pub const UNLIMITED: Budget = Budget { thorough: 4096, most: usize::MAX };

    /// The register allocator for a host-level function.
    pub(super) fn allocator(self, func: &Func, machine: &Machine) -> Allocator {
        if machine.operations(func) <= self.thorough { Allocator::Thorough } else { Allocator::Quick }
    }

    /// Refuses a function over the budget.
    pub(super) fn check(self, func: &Func, machine: &Machine) -> Result<(), CompileError> {
        let (operations, most) = (machine.operations(func), self.most);
        if operations <= most {
            return Ok(());
        }
        Err(CompileError::TooLarge(format!("its {operations} operations are more than {most}")))
    }

    /// Refuses a function in whose loops a branch or a return has so many targets, each of which is compared with, that the
    /// interpreter is faster.
    fn check_loops(self, func: &Func) -> Result<(), CompileError> {
        if self.most == usize::MAX {
            return Ok(());
        }
        let blocks = func.blocks();
        // Blocks come in their order, so what lies in a loop is led back over.
        let back = blocks.iter().enumerate().flat_map(|(number, block)| {
            block.successors.iter().filter(move |&&next| next <= number).map(move |&next| (next, number))
        });
        let loops = back.fold(None, |all: Option<(usize, usize)>, (first, last)| {
            Some(all.map_or((first, last), |all| (all.0.min(first), all.1.max(last))))
        });
        for block in loops.map_or(&[][..], |(first, last)| &blocks[first..=last]) {
            let targets = block.successors.len();
            if targets > TARGETS {
                return Err(CompileError::TooLarge(format!("a branch in a loop has {targets} targets")));
            }
        }
        Ok(())
    }

    /// Lowers, legalises by the recipes of a path, and arranges a shader: what is the same for all machines with the operations of this one. Each step gives up once its result is too
    /// long, so that no step works on more than four times the limit, and what has to be put in order is within it. Rows of constants that `literals` has become literals.
    pub(super) fn prepare(
        self,
        shader: &Shader,
        machine: &Machine,
        path: Path,
        literals: &[(usize, Row)],
    ) -> Result<Prepared, CompileError> {
        let over =
            |what: &str, most: usize| CompileError::TooLarge(format!("it becomes more than {most} {what}"));
        let most = self.most.saturating_mul(4);
        let (mut stages, mut watch) = (Stages::default(), Instant::now());
        let mut lap = |stage: &mut Duration| {
            let now = Instant::now();
            *stage = now - std::mem::replace(&mut watch, now);
        };
        let lowered = shader.lower_within(most).ok_or_else(|| over("primitives and branches", most))?;
        lap(&mut stages.lower);
        let mut lowered = opt::simplify(lowered);
        if !literals.is_empty() {
            lowered = opt::literals::bind(&lowered, |row| {
                let found = literals.binary_search_by_key(&row, |&(row, _)| row);
                found.ok().map(|at| literals[at].1)
            });
        }
        if path == Path::Slow && !legalize::has_slow_path(&lowered) {
            return Err(CompileError::Host("the lighting engine has no slow path".to_owned()));
        }
        lap(&mut stages.simplify);
        let most = self.most.saturating_mul(2);
        let legal = legalize::run_within(&lowered, machine, path, most)
            .ok_or_else(|| over("machine operations", most))?;
        lap(&mut stages.legalize);
        let live = opt::sweep(legal);
        // No machine counts fewer operations than one whose groups are a vector.
        self.check(&live, &Machine::X86_64)?;
        self.check_loops(&live)?;
        let arranged = opt::arrange(live);
        lap(&mut stages.optimize);
        Ok(Prepared { lowered, arranged, stages })
    }
}

/// The result of [`Budget::prepare`].
pub(super) struct Prepared {
    /// The optimised function of the XF level.
    pub(super) lowered: Func,
    /// The function of the host level, in no machine's order.
    arranged: Func,
    /// The time that its stages took so far.
    pub(super) stages: Stages,
}

impl Prepared {
    /// The function to compile for a machine, if it fits the budget.
    pub(super) fn for_machine(&mut self, budget: Budget, machine: &Machine) -> Result<Func, CompileError> {
        budget.check(&self.arranged, machine)?;
        let start = Instant::now();
        let func = opt::settle(self.arranged.clone(), machine);
        self.stages.optimize += start.elapsed();
        Ok(func)
    }
}

#[cfg(test)]
mod tests;
