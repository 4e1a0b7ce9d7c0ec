//! Counters of a program.

use xfjit_core::backend::Cost;
use xfjit_core::shader::Faults;

/// The counters of a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ProgramStats {
    /// Batches that have run.
    pub batches: u64,
    /// Vertices that have run.
    pub vertices: u64,
    /// Groups that native code left to its slow path or to the interpreter.
    pub deopt_groups: u64,
    /// Vertices of these groups that had to run again.
    pub deopt_vertices: u64,
    /// Vertices that the slow path has run ([`Options::slow_path_after`](super::Options::slow_path_after)).
    pub slow_vertices: u64,
    /// Vertices whose program ended with a fault.
    pub faults: Faults,
    /// Whether native code is ready.
    pub native: bool,
    /// Whether native code was dropped because it ran a quarter of the vertices in vain: these vertices run out of time, or run for long
    /// and then return to the interpreter.
    pub given_up: bool,
    /// Whether native code was dropped because a batch differed from the interpreter ([`Options::verify`](super::Options::verify)).
    pub barred: bool,
    /// Routines with constants as literals that have been made ([`Options::fold_after`](super::Options::fold_after)).
    pub folded_routines: u64,
    /// Vertices that these have run.
    pub folded_vertices: u64,
    /// The cost of its code, without these routines.
    pub cost: Cost,
}
