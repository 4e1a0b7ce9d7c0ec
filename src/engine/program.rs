//! The handle of a prepared program.

use super::Compile;
use crate::backend::{CompileError, Cost, Interp, Interpreted, Outcome, Routine, Worker};
use crate::shader::Faults;
use crate::shader::{ProgramInfo, Shader};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::state::Context;

/// What programs tell their engine; seldom, so that they may share it.
#[derive(Default, Debug)]
pub(super) struct Totals {
    pub(super) timeouts: AtomicU64,
    pub(super) given_up: AtomicU64,
}

/// Vertices that run out of time before native code is given up, if they are this share of all.
const TIMEOUTS: u64 = 64;
const TIMEOUT_SHARE: u64 = 4;

/// What a program has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
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
    /// Whether native code has been given up, since a quarter of the vertices run out of time: it would run them up to
    /// the limit only to leave them to the interpreter.
    pub given_up: bool,
    /// Its cost.
    pub cost: Cost,
}

/// A prepared program. Threads share it; each brings a [`Worker`] of its own.
#[derive(Debug)]
pub struct Program {
    pub(super) shader: Shader,
    pub(super) interpreted: Interpreted,
    pub(super) native: OnceLock<Result<Arc<dyn Routine>, CompileError>>,
    /// Whom to wake when the program becomes hot, and after how many vertices.
    pub(super) compiler: OnceLock<Thread>,
    threshold: u64,
    batches: AtomicU64,
    vertices: AtomicU64,
    deopt_groups: AtomicU64,
    timeouts: AtomicU64,
    stack_faults: AtomicU64,
    given_up: AtomicBool,
    totals: Arc<Totals>,
}

impl Program {
    pub(super) fn new(shader: Shader, compile: Compile, totals: Arc<Totals>) -> Self {
        let threshold = match compile {
            Compile::Now => u64::MAX,
            Compile::Background { threshold } => threshold,
        };
        Program {
            interpreted: Interpreted::new(&shader, Interp::Batched),
            shader,
            native: OnceLock::new(),
            compiler: OnceLock::new(),
            threshold,
            batches: AtomicU64::new(0),
            vertices: AtomicU64::new(0),
            deopt_groups: AtomicU64::new(0),
            timeouts: AtomicU64::new(0),
            stack_faults: AtomicU64::new(0),
            given_up: AtomicBool::new(false),
            totals,
        }
    }

    /// Runs a batch, or as much of it as the worker's budget admits ([`Worker::set_slot_budget`]).
    ///
    /// # Errors
    /// Streams that do not hold what the program reads and writes, or constants of another generation; nothing has been
    /// written then.
    pub fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        let native = self.native.get();
        let routine: &dyn Routine = match native {
            Some(Ok(routine)) if !self.given_up.load(Ordering::Relaxed) => &**routine,
            Some(_) | None => &self.interpreted,
        };
        let outcome = match worker.slot_budget() {
            None => routine.run(worker, context, inputs, outputs)?,
            Some(budget) => {
                self.interpreted.run_within(budget, routine, (worker, context), inputs, outputs)?
            }
        };
        self.batches.fetch_add(1, Ordering::Relaxed);
        let done = outcome.out_of_time.unwrap_or(inputs.count) as u64;
        let before = self.vertices.fetch_add(done, Ordering::Relaxed);
        if outcome.deopt_groups > 0 {
            self.deopt_groups.fetch_add(outcome.deopt_groups, Ordering::Relaxed);
        }
        if outcome.faults != Faults::default() {
            self.count_timeouts(outcome.faults.timeouts, before + done);
            self.stack_faults.fetch_add(outcome.faults.stack, Ordering::Relaxed);
        }
        if native.is_none() && before <= self.threshold && self.is_hot() {
            self.wake_compiler();
        }
        Ok(outcome)
    }

    fn count_timeouts(&self, timeouts: u64, vertices: u64) {
        self.totals.timeouts.fetch_add(timeouts, Ordering::Relaxed);
        let all = self.timeouts.fetch_add(timeouts, Ordering::Relaxed) + timeouts;
        if all >= TIMEOUTS && all >= vertices / TIMEOUT_SHARE && !self.given_up.swap(true, Ordering::Relaxed)
        {
            self.totals.given_up.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Has the engine's thread look at it.
    pub(super) fn wake_compiler(&self) {
        if let Some(compiler) = self.compiler.get() {
            compiler.unpark();
        }
    }

    /// Whether it has run often enough to be compiled.
    pub(super) fn is_hot(&self) -> bool {
        self.vertices.load(Ordering::Relaxed) >= self.threshold
    }

    /// The attributes that it reads, as a mask: nobody needs to fetch the others.
    pub fn live_inputs(&self) -> u16 {
        self.interpreted.live_inputs()
    }

    /// What it was prepared for.
    pub fn shader(&self) -> &Shader {
        &self.shader
    }

    /// What it reads and writes, and whether there is native code of it by now.
    pub fn info(&self) -> ProgramInfo {
        let native = matches!(self.native.get(), Some(Ok(_)));
        ProgramInfo { native, ..self.shader.info() }
    }

    /// Why it runs in the interpreter, if the backend has refused it.
    pub fn refusal(&self) -> Option<&CompileError> {
        self.native.get().and_then(|result| result.as_ref().err())
    }

    /// What it has done.
    pub fn stats(&self) -> ProgramStats {
        let routine = self.native.get().and_then(|result| result.as_ref().ok());
        ProgramStats {
            batches: self.batches.load(Ordering::Relaxed),
            vertices: self.vertices.load(Ordering::Relaxed),
            deopt_groups: self.deopt_groups.load(Ordering::Relaxed),
            faults: Faults {
                timeouts: self.timeouts.load(Ordering::Relaxed),
                stack: self.stack_faults.load(Ordering::Relaxed),
            },
            native: routine.is_some(),
            given_up: self.given_up.load(Ordering::Relaxed),
            cost: routine.map(|routine| routine.cost()).unwrap_or_default(),
        }
    }

    /// Memory held, for the cache.
    pub(super) fn bytes(&self) -> usize {
        // A program that will be compiled later is counted as one page of code.
        let code = match self.native.get() {
            Some(Ok(routine)) => routine.cost().memory_bytes,
            Some(Err(_)) => 0,
            None => 4096,
        };
        size_of::<Self>() + self.shader.bytes() + self.interpreted.bytes() + code
    }
}
