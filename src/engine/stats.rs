//! Totals of a program.

use xfjit_core::backend::Cost;
use xfjit_core::shader::Faults;

/// What a program has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ProgramStats {
    /// Batches run.
    pub batches: u64,
    /// Vertices run.
    pub vertices: u64,
    /// Groups that native code left to the interpreter.
    pub deopt_groups: u64,
    /// Vertices whose program did not end as it should.
    pub faults: Faults,
    /// Whether there is native code by now.
    pub native: bool,
    /// Whether native code has been given up, since it ran a quarter of the vertices in vain: they run out of time, or
    /// for long, and are left to the interpreter all the same.
    pub given_up: bool,
    /// Whether native code has been given up, since a batch differed from the interpreter's
    /// ([`Options::verify`](super::Options::verify)).
    pub barred: bool,
    /// Its cost.
    pub cost: Cost,
}
