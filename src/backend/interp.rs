//! The interpreter as a backend.

use super::{Backend, CompileError, Cost, Outcome, Routine, Runs, Source};
use crate::interp::Interp;
use crate::shader::{Shader, Slots, Worker};
use std::ops::Range;
use std::sync::Arc;
use xfjit_runtime::batch::StreamError;
use xfjit_runtime::bound::{Bound, Needs};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;

impl Backend for Interp {
    fn name(&self) -> &'static str {
        match self {
            Interp::Single => "interp",
            Interp::Batched => "interp_batch",
        }
    }

    fn runs(&self) -> Runs {
        Runs::Instructions
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        Ok(Arc::new(Interpreted::new(shader, *self)))
    }
}

/// A shader in the form in which it runs without native code. Clones share it.
#[derive(Clone, Debug)]
pub struct Interpreted {
    pub(crate) source: Source,
}

impl Interpreted {
    /// What [`Backend::prepare`] of [`Interp`] gives; the interpreter refuses nothing.
    pub fn new(shader: &Shader, form: Interp) -> Self {
        FpEnv::Default.within(|| {
            let fallback = match form {
                Interp::Single => shader.reference(),
                Interp::Batched => shader.fallback(None),
            };
            Interpreted { source: Source::new(shader, fallback) }
        })
    }

    /// Runs as much of a batch as a budget of slots admits: a part of it by `routine`, or, where what a vertex takes
    /// depends on the vertex and may be too much, all of it here.
    pub(crate) fn run_within(
        &self,
        budget: u64,
        routine: &dyn Routine,
        (worker, constants): (&mut Worker, &mut Constants<'_>),
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        // A batch that does not serve is refused, whatever of it will be run.
        self.source.check(constants, bound, &part)?;
        let count = part.len();
        let fits = match self.source.slots {
            Slots::AtMost(slots) if slots.saturating_mul(count as u64) > budget => {
                let fallback = &self.source.fallback;
                let (faults, end) = fallback.run_within(worker, constants, bound, part.clone(), budget);
                let out_of_time = (end < part.end).then_some(end - part.start);
                return Ok(Outcome { faults, out_of_time, ..Outcome::default() });
            }
            Slots::Exactly(slots @ 1..) => usize::try_from(budget.div_ceil(slots)).unwrap_or(count),
            Slots::Exactly(0) | Slots::AtMost(_) => count,
        };
        if fits >= count {
            return routine.run_bound(worker, constants, bound, part);
        }
        let outcome = routine.run_bound(worker, constants, bound, part.start..part.start + fits)?;
        Ok(Outcome { out_of_time: Some(fits), ..outcome })
    }

    /// Memory held beside the program: of the fixed function its plan, or its IR.
    pub fn bytes(&self) -> usize {
        self.source.bytes()
    }
}

impl Routine for Interpreted {
    fn needs(&self) -> &Needs {
        &self.source.needs
    }

    fn run_bound(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        self.source.check(constants, bound, &part)?;
        let faults = self.source.run(worker, constants, bound, part);
        Ok(Outcome { faults, ..Outcome::default() })
    }

    fn cost(&self) -> Cost {
        Cost { memory_bytes: self.bytes(), ..Cost::default() }
    }
}
