//! Running without native code.

use super::{Allowance, Worker};
use std::fmt::Debug;
use std::ops::{AddAssign, Range};
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;

/// A form in which a shader runs without native code: an interpreter of its instructions, or its IR.
pub trait Fallback: Send + Sync + Debug {
    /// The attributes that it reads, as a mask. The others have no influence.
    fn live_inputs(&self) -> u16;

    /// Runs the vertices at `positions` of a batch that has been bound for the shader, with working memory of the worker. It
    /// sets its own floating-point environment.
    fn run(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
    ) -> Faults;

    /// As [`Fallback::run`], of vertices that need not follow each other; their positions ascend.
    fn run_some(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: &[usize],
    ) -> Faults {
        let mut faults = Faults::default();
        for adjacent in positions.chunk_by(|position, next| position + 1 == *next) {
            let first = adjacent[0];
            faults += self.run(worker, constants, bound, first..first + adjacent.len());
        }
        faults
    }

    /// As [`Fallback::run`], but no vertex begins once so many slots have been executed in all. Also returns the position
    /// behind the last vertex that ran. Shaders without slots are never stopped.
    fn run_within(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
        allowance: Allowance,
    ) -> (Faults, usize) {
        let _ = allowance;
        let end = positions.end;
        (self.run(worker, constants, bound, positions), end)
    }

    /// Heap memory in bytes, without the shader's.
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
    /// So many for each vertex.
    Exactly(u64),
    /// An upper bound.
    AtMost(u64),
}
