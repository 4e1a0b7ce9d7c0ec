//! The interpreter as a backend.

use super::{Backend, CompileError, Cost, Outcome, Routine, Runs, Source};
use crate::shader::{Shader, Slots, Worker};
use std::sync::Arc;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::Context;

/// The interpreter, in blocks of vertices; or one vertex at a time, which is the reference. Of the fixed function, which
/// has no instructions, both evaluate the IR: [`crate::interp::fixed`], or [`crate::ir::eval`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interp {
    /// The reference.
    Single,
    /// The fast fallback.
    Batched,
}

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
        (worker, context): (&mut Worker, &mut Context),
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        let count = inputs.count;
        let fits = match self.source.slots {
            Slots::AtMost(slots) if slots.saturating_mul(count as u64) > budget => {
                self.source.check(context, inputs, outputs)?;
                let fallback = &self.source.fallback;
                let (faults, done) = fallback.run_within(worker, context, inputs, outputs, 0..count, budget);
                let out_of_time = (done < count).then_some(done);
                return Ok(Outcome { faults, out_of_time, ..Outcome::default() });
            }
            Slots::Exactly(slots @ 1..) => usize::try_from(budget.div_ceil(slots)).unwrap_or(count),
            Slots::Exactly(0) | Slots::AtMost(_) => count,
        };
        if fits >= count {
            return routine.run(worker, context, inputs, outputs);
        }
        // Streams that do not hold the whole batch are refused, though not all of it will be run.
        self.source.check(context, inputs, outputs)?;
        let mut part = *inputs;
        part.count = fits;
        let outcome = routine.run(worker, context, &part, outputs)?;
        Ok(Outcome { out_of_time: Some(fits), ..outcome })
    }

    /// Memory held beside the program: of the fixed function its plan, or its IR.
    pub fn bytes(&self) -> usize {
        self.source.bytes()
    }
}

impl Routine for Interpreted {
    fn live_inputs(&self) -> u16 {
        self.source.live_inputs
    }

    fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        self.source.check(context, inputs, outputs)?;
        let all = 0..inputs.count;
        let faults = self.source.run(worker, context, inputs, outputs, all);
        Ok(Outcome { faults, ..Outcome::default() })
    }

    fn cost(&self) -> Cost {
        Cost { memory_bytes: self.bytes(), ..Cost::default() }
    }
}
