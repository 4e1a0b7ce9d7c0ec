//! What a program tells those who are attached to its process ([`attach`](crate::attach)). Programs of engines to which nobody can attach have
//! no watch; builds without native code have none at all.

use super::guards::Found;
#[cfg(feature = "jit")]
use crate::attach::{Attach, Made, Ran};
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

/// Which routine of a program it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    Native,
    Slow,
    Literals,
}

/// A batch that has run.
#[cfg_attr(
    not(feature = "jit"),
    expect(dead_code, reason = "nobody can attach to a build without native code")
)]
pub(super) struct Batch<'a> {
    pub(super) begin: Instant,
    /// None if it was not timed.
    pub(super) time: Option<Duration>,
    pub(super) fallback: Duration,
    pub(super) vertices: u64,
    pub(super) outcome: &'a Outcome,
    pub(super) is_interpreted: bool,
    pub(super) has_literals: bool,
    pub(super) worker: u64,
}

/// Whether to look for the causes of guards, after so many batches with some: the first, the 16th, the 256th.
pub(super) fn is_time_to_look(batches: u64) -> bool {
    batches.is_power_of_two() && batches.trailing_zeros().is_multiple_of(4)
}

#[cfg(feature = "jit")]
impl Watch {
    pub(super) fn new(attach: &Attach, name: &str, shader: &xfjit_core::shader::Shader) -> Watch {
        Watch { attach: attach.clone(), place: attach.program(name, shader) }
    }

    pub(super) fn made(&self, which: Which, routine: &dyn Routine) {
        let made = match which {
            Which::Native => Made::Native,
            Which::Slow => Made::Slow,
            Which::Literals => Made::Literals,
        };
        self.attach.made(self.place, made, routine);
    }

    pub(super) fn refused(&self, error: &CompileError) {
        self.attach.refused(self.place, &error.to_string());
    }

    pub(super) fn retired(&self) {
        self.attach.retired(self.place);
    }

    pub(super) fn label(&self, label: &str) {
        self.attach.label(self.place, label);
    }

    pub(super) fn looked(&self, found: &Found) {
        self.attach.looked(self.place, found);
    }

    pub(super) fn ran(&self, batch: &Batch<'_>) {
        let &Batch { begin, time, fallback, vertices, outcome, is_interpreted, has_literals, worker } = batch;
        let ran = Ran {
            begin,
            time,
            fallback,
            vertices,
            guarded_groups: outcome.deopt_groups,
            guarded_vertices: outcome.deopt_vertices,
            slow_vertices: outcome.slow_vertices,
            is_interpreted,
            has_literals,
            worker,
        };
        self.attach.ran(self.place, &ran);
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
}
