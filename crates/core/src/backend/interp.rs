//! The interpreter as a backend.

use super::{Backend, CompileError, Cost, Outcome, Routine, Runs, Source};
use crate::interp::Interp;
use crate::shader::{Allowance, Call, FREE_SLOTS, Shader, Slots, Taken, Worker};
use std::ops::Range;
use std::sync::Arc;
use xfjit_runtime::abi::MOST_LANES;
use xfjit_runtime::batch::StreamError;
use xfjit_runtime::bound::{Bound, Needs};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;

/// Fewer vertices than this, of which it is certain that they do not use up the overtime of a call, are no matter for
/// native code: the rest of the call is interpreted and counted.
const FEW: u64 = 64;
/// Slots between two looks at whether a call is cancelled, and vertices of the fixed function.
const SLOTS_BETWEEN_LOOKS: u64 = 1 << 16;
const LOOKS_OF_CONFIGURATIONS: u64 = 1024;

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
    #[doc(hidden)]
    pub source: Source,
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

    /// What a vertex may execute beyond what every vertex may: only programs with loops do.
    pub fn overtime(&self) -> u64 {
        match self.source.slots {
            Slots::AtMost(slots) => slots.saturating_sub(FREE_SLOTS.into()),
            Slots::Exactly(_) => 0,
        }
    }

    /// Runs as much of a batch as the worker's limits admit: parts of it by `routine`, or, where what a vertex takes
    /// depends on the vertex and may be too much, here.
    pub fn run_within(
        &self,
        routine: &dyn Routine,
        (worker, constants): (&mut Worker, &mut Constants<'_>),
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        // A batch that does not serve is refused, whatever of it will be run.
        self.source.check(constants, bound, &part)?;
        let (mut outcome, mut call) = (Outcome::default(), worker.call(part.len()));
        let mut next = part.start;
        while next < part.end {
            let cancelled = worker.is_cancelled();
            if cancelled == Some(true) {
                outcome.cancelled = true;
                break;
            }
            let most = if cancelled.is_some() { self.between_looks() } else { usize::MAX };
            let end = part.end.min(next.saturating_add(most));
            let (before, fits) = (worker.taken(), self.fits(&call).min(end - next));
            let ran = if fits == 0 && matches!(self.source.slots, Slots::AtMost(_)) {
                let (fallback, allowance) = (&self.source.fallback, call.allowance);
                let (faults, ran) = fallback.run_within(worker, constants, bound, next..end, allowance);
                outcome.faults += faults;
                call.allowance.spend(&worker.taken().since(&before));
                ran - next
            } else if fits == 0 {
                0
            } else {
                outcome.add(&routine.run_bound(worker, constants, bound, next..next + fits)?);
                call.allowance.spend(&self.known(fits, &worker.taken().since(&before)));
                fits
            };
            if ran == 0 {
                break;
            }
            next += ran;
            call.vertices = call.vertices.saturating_sub(ran as u64);
        }
        worker.set_call(call);
        outcome.out_of_time = (next < part.end).then_some(next - part.start);
        Ok(outcome)
    }

    /// How many vertices certainly do not use up what is left of a call, before the last of them begins. Of a program
    /// that branches it is known only of the whole call whether its slots fit.
    fn fits(&self, call: &Call) -> usize {
        let Allowance { slots, overtime } = call.allowance;
        let fits = match self.source.slots {
            Slots::Exactly(0) => u64::MAX,
            Slots::Exactly(each) => slots.div_ceil(each),
            Slots::AtMost(each) if each.saturating_mul(call.vertices) > slots => 0,
            Slots::AtMost(_) => match self.overtime() {
                0 => u64::MAX,
                each => match overtime / each {
                    ..FEW => 0,
                    certain => certain & !(MOST_LANES as u64 - 1),
                },
            },
        };
        usize::try_from(fits).unwrap_or(usize::MAX)
    }

    /// What vertices have taken that `routine` has run: those that native code has run to their end took no overtime.
    fn known(&self, vertices: usize, taken: &Taken) -> Taken {
        let slots = match self.source.slots {
            Slots::Exactly(each) => each.saturating_mul(vertices as u64),
            // Not known, and no matter: the rest of the call fits, whatever they took.
            Slots::AtMost(_) => 0,
        };
        Taken { slots, ..*taken }
    }

    /// Vertices that run between two looks at whether the call is cancelled.
    fn between_looks(&self) -> usize {
        let (Slots::Exactly(each) | Slots::AtMost(each)) = self.source.slots;
        let most = SLOTS_BETWEEN_LOOKS.checked_div(each).unwrap_or(LOOKS_OF_CONFIGURATIONS);
        (most as usize & !(MOST_LANES - 1)).max(MOST_LANES)
    }

    /// The memory held in addition to the program: for the fixed function its plan, or its IR.
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

    fn runs_beside_itself(&self) -> bool {
        true
    }

    fn cost(&self) -> Cost {
        Cost { memory_bytes: self.bytes(), ..Cost::default() }
    }
}
