//! What a program tells those who are attached to its process ([`attach`](crate::attach)). Programs of engines to which nobody can attach have
//! no watch; builds without native code have none at all.

use super::guards::Found;
#[cfg(feature = "jit")]
use crate::attach::Attach;
#[cfg(not(feature = "jit"))]
use std::convert::Infallible as Attach;
use std::time::{Duration, Instant};
use xfjit_core::backend::{CompileError, Outcome, Routine};

/// The entry of a program in a file that others read.
#[derive(Debug)]
pub(super) struct Watch {
    attach: Attach,
    #[cfg(feature = "jit")]
    place: u32,
}

/// Which routine of a program it is; its number is what files have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub(crate) enum Which {
    Native = 0,
    Slow = 1,
    Literals = 2,
}

/// A batch that has run.
#[cfg_attr(
    not(feature = "jit"),
    expect(dead_code, reason = "nobody can attach to a build without native code")
)]
pub(crate) struct Batch<'a> {
    pub(crate) begin: Instant,
    /// None if it was not timed.
    pub(crate) time: Option<Duration>,
    /// Of that, what running vertices again took.
    pub(crate) fallback: Duration,
    pub(crate) vertices: u64,
    pub(crate) outcome: &'a Outcome,
    pub(crate) is_interpreted: bool,
    pub(crate) has_literals: bool,
    pub(crate) worker: u64,
}

/// Whether to look for the causes of guards, after so many batches with some: the first, the 16th, the 256th.
pub(super) fn is_time_to_look(batches: u64) -> bool {
    batches.is_power_of_two() && batches.trailing_zeros().is_multiple_of(4)
}

#[cfg(feature = "jit")]
impl Watch {
    pub(super) fn new(attach: &Attach, name: &str, shader: &xfjit_core::shader::Shader) -> Watch {
        Watch { attach: attach.clone(), place: attach.ring().program(name, shader) }
    }

    pub(super) fn made(&self, which: Which, routine: &dyn Routine) {
        self.attach.ring().made(self.place, which, routine);
    }

    pub(super) fn refused(&self, error: &CompileError) {
        self.attach.ring().refused(self.place, &error.to_string());
    }

    pub(super) fn retired(&self) {
        self.attach.ring().retired(self.place);
    }

    pub(super) fn label(&self, label: &str) {
        self.attach.ring().label(self.place, label);
    }

    pub(super) fn looked(&self, found: &Found) {
        self.attach.ring().looked(self.place, found);
    }

    pub(super) fn ran(&self, batch: &Batch<'_>) {
        self.attach.ring().ran(self.place, batch);
    }

    /// Whether this process is a copy of the one that others are attached to.
    pub(super) fn is_forked(&self) -> bool {
        self.attach.ring().is_forked()
    }
}

#[cfg(not(feature = "jit"))]
impl Watch {
    pub(super) fn made(&self, _: Which, _: &dyn Routine) {
        match self.attach {}
    }

    pub(super) fn refused(&self, _: &CompileError) {
        match self.attach {}
    }

    pub(super) fn retired(&self) {
        match self.attach {}
    }

    pub(super) fn label(&self, _: &str) {
        match self.attach {}
    }

    pub(super) fn looked(&self, _: &Found) {
        match self.attach {}
    }

    pub(super) fn ran(&self, _: &Batch<'_>) {
        match self.attach {}
    }

    pub(super) fn is_forked(&self) -> bool {
        match self.attach {}
    }
}
