//! How much work compilation may be.

use super::module::CompileError;
use crate::ir::func::Func;

/// What a function may cost to compile, counted in operations of the host level.
///
/// Cranelift takes about 9 µs for each of them with its better register allocator, a third of that with the simple one,
/// whose code is up to twice as slow (EPYC of the Zen 4 generation). Programs of the fixed set have 100 to 2,400.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Longer functions get their registers in a single pass.
    pub thorough: usize,
    /// Longer functions are refused, and run in the interpreter.
    pub most: usize,
}

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
    /// At most some 40 ms of compilation. A program of 512 slots stays below unless most of them are functions like
    /// LIT.
    fn default() -> Self {
        Budget { most: 12_288, ..Budget::UNLIMITED }
    }
}

impl Budget {
    /// For compilation that nobody waits for: functions of up to three times the length get the better registers, and of
    /// up to twice the length are compiled at all. That takes up to some 80 ms.
    pub const PATIENT: Budget = Budget { thorough: 12_288, most: 24_576 };

    /// Compiles whatever can be compiled, as fast as the default; for tests.
    pub const UNLIMITED: Budget = Budget { thorough: 4096, most: usize::MAX };

    /// Whose register allocation a host-level function gets.
    pub(super) fn allocator(self, func: &Func) -> Allocator {
        if ops(func) <= self.thorough { Allocator::Thorough } else { Allocator::Quick }
    }

    /// Refuses what is over the budget.
    pub(super) fn check(self, func: &Func) -> Result<(), CompileError> {
        let (ops, most) = (ops(func), self.most);
        if ops <= most {
            return Ok(());
        }
        Err(CompileError::TooLarge(format!("its {ops} operations are more than {most}")))
    }
}

fn ops(func: &Func) -> usize {
    func.prologue.len() + func.body.len()
}
