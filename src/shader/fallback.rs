//! Running without native code.

use super::Worker;
use std::fmt::Debug;
use std::ops::{AddAssign, Range};
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;

/// A form in which a shader runs without native code: an interpreter of its instructions, or its IR.
pub trait Fallback: Send + Sync + Debug {
    /// The attributes that it reads, as a mask; what the others are makes no difference.
    fn live_inputs(&self) -> u16;

    /// Runs the vertices at `positions` of a batch that has been bound for the shader, in whatever floating-point environment: it sets
    /// its own. Working memory it takes from the worker.
    fn run(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
    ) -> Faults;

    /// The same, but no vertex begins once so many slots have been executed in all. Also tells where it stopped: the
    /// position behind the last vertex that was run. What executes no slots is never stopped.
    fn run_within(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
        budget: u64,
    ) -> (Faults, usize) {
        let _ = budget;
        let end = positions.end;
        (self.run(worker, constants, bound, positions), end)
    }

    /// Memory held beside the value itself and the shader.
    fn bytes(&self) -> usize;
}

/// The numbers of vertices whose program ended with a fault. Their outputs are those written until then.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Faults {
    /// Ended by TIMEOUT.
    pub timeouts: u64,
    /// Ended by the stack: too deep, POPA without an entry, or an entry of the other kind.
    pub stack: u64,
}

impl AddAssign for Faults {
    fn add_assign(&mut self, other: Faults) {
        self.timeouts += other.timeouts;
        self.stack += other.stack;
    }
}

/// The number of slots that a vertex executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slots {
    /// The same for all vertices.
    Exactly(u64),
    /// An upper bound.
    AtMost(u64),
}
