//! Ways to run a program, behind one trait.
//!
//! A [`Backend`] prepares programs, a [`Routine`] is a prepared one. All backends agree on every bit (invariant I6).

use crate::config::Config;
use crate::interp::{Faults, Interpreter, live_inputs, writes_constants};
use crate::ir::eval;
use crate::ir::func::Func;
use crate::isa::Program;
use crate::{front, legalize, opt};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;
use xfjit_runtime::abi::LANES;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError, registers};
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
use xfjit_runtime::state::Context;

/// Why a backend cannot prepare a program; it runs in the interpreter then (invariant I7).
#[cfg(feature = "jit")]
pub use crate::jit::CompileError;

/// Why a backend cannot prepare a program. Without native code none ever refuses.
#[cfg(not(feature = "jit"))]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompileError {}

#[cfg(not(feature = "jit"))]
impl std::fmt::Display for CompileError {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

/// Working memory of one thread. Made once; running a program allocates nothing.
#[derive(Debug)]
pub struct Worker {
    #[cfg(feature = "jit")]
    pub(crate) native: crate::jit::Memory,
    pub(crate) interpreter: Interpreter,
}

impl Default for Worker {
    fn default() -> Self {
        Self::new()
    }
}

impl Worker {
    /// Fresh working memory.
    pub fn new() -> Self {
        Worker {
            #[cfg(feature = "jit")]
            native: crate::jit::Memory::new(),
            interpreter: Interpreter::new(),
        }
    }
}

/// What a run did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// Groups of vertices that native code left to the interpreter because a guard was raised.
    pub deopt_groups: u64,
    /// Vertices whose program did not end as it should.
    pub faults: Faults,
    /// Batches that did not agree, where two backends run in lockstep.
    pub mismatches: u64,
}

/// What a prepared program costs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Bytes of machine code.
    pub code_bytes: usize,
    /// Bytes of memory held beside the decoded program.
    pub memory_bytes: usize,
    /// Time from decoded instructions to code.
    pub compile_time: Duration,
}

/// A prepared program.
pub trait Routine: Send + Sync + Debug {
    /// Runs a batch.
    ///
    /// # Errors
    /// Streams that do not hold what the program reads and writes; nothing has been written then.
    fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError>;

    /// What it costs.
    fn cost(&self) -> Cost {
        Cost::default()
    }
}

/// A way to run programs.
pub trait Backend: Send + Sync + Debug {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What of the host its routines depend on; part of cache keys.
    fn target(&self) -> String {
        self.name().to_owned()
    }

    /// Prepares a program.
    ///
    /// # Errors
    /// If it cannot; the caller takes [`Interp`] then.
    fn prepare(&self, program: &Arc<Program>, config: &Config) -> Result<Arc<dyn Routine>, CompileError>;
}

/// A decoded program with what every routine needs of it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) program: Arc<Program>,
    pub(crate) config: Config,
    pub(crate) live_inputs: u16,
    /// The program writes constants: vertices run one after the other.
    pub(crate) serial: bool,
}

impl Source {
    pub(crate) fn new(program: &Arc<Program>, config: &Config) -> Self {
        Source {
            program: Arc::clone(program),
            config: config.clone(),
            live_inputs: live_inputs(program),
            serial: writes_constants(program, config),
        }
    }

    /// Proves that the streams hold the batch.
    pub(crate) fn check(&self, inputs: &Inputs<'_>, outputs: &Outputs<'_>) -> Result<(), StreamError> {
        if outputs.layout != self.config.layout {
            return Err(StreamError::WrongLayout);
        }
        inputs.check(self.live_inputs)?;
        outputs.check(self.config.live_outputs, inputs.count)
    }
}

/// The interpreter, in blocks of vertices; or one vertex at a time, which is the reference.
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

    fn prepare(&self, program: &Arc<Program>, config: &Config) -> Result<Arc<dyn Routine>, CompileError> {
        Ok(self.routine(program, config))
    }
}

impl Interp {
    /// What [`Backend::prepare`] gives; the interpreter refuses nothing.
    pub(crate) fn routine(self, program: &Arc<Program>, config: &Config) -> Arc<dyn Routine> {
        Arc::new(Interpreted { source: Source::new(program, config), form: self })
    }
}

#[derive(Debug)]
struct Interpreted {
    source: Source,
    form: Interp,
}

impl Routine for Interpreted {
    fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        self.source.check(inputs, outputs)?;
        let _env = FpGuard::enter(FpEnv::Default);
        let Source { program, config, .. } = &self.source;
        let all = 0..inputs.count;
        let faults = match self.form {
            Interp::Single => worker.interpreter.run_singly(program, config, context, inputs, outputs, all),
            Interp::Batched => worker.interpreter.run(program, config, context, inputs, outputs, all),
        };
        Ok(Outcome { faults, ..Outcome::default() })
    }
}

/// The evaluator of the IR: to bisect a mismatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eval {
    /// Primitives of the chip, as lowered.
    Xf,
    /// Machine operations, optimised: what the code generator is given.
    Host,
}

impl Backend for Eval {
    fn name(&self) -> &'static str {
        match self {
            Eval::Xf => "eval",
            Eval::Host => "eval_host",
        }
    }

    fn prepare(&self, program: &Arc<Program>, config: &Config) -> Result<Arc<dyn Routine>, CompileError> {
        let lowered = front::lower(program, config);
        let func = match self {
            Eval::Xf => lowered,
            Eval::Host => to_host(lowered),
        };
        Ok(Arc::new(Evaluated { source: Source::new(program, config), func }))
    }
}

/// The way from lowered IR to what a code generator takes.
pub fn to_host(lowered: Func) -> Func {
    opt::run(legalize::run(&opt::run(lowered)))
}

#[derive(Debug)]
struct Evaluated {
    source: Source,
    func: Func,
}

impl Routine for Evaluated {
    fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        self.source.check(inputs, outputs)?;
        let _env = FpGuard::enter(FpEnv::Default);
        let Source { program, config, .. } = &self.source;
        let live_outputs = self.func.live_outputs();
        let group = if self.source.serial { 1 } else { LANES };
        let mut outcome = Outcome::default();
        let mut first = 0;
        while first < inputs.count {
            let positions = first..inputs.count.min(first + group);
            let results: Vec<eval::Outcome> = positions
                .clone()
                .map(|position| eval::run(&self.func, context, |register| inputs.fetch(register, position)))
                .collect();
            if results.iter().any(|result| result.guarded) {
                outcome.deopt_groups += 1;
                outcome.faults +=
                    worker.interpreter.run(program, config, context, inputs, outputs, positions);
            } else {
                for (position, result) in positions.zip(results) {
                    for register in registers(live_outputs) {
                        outputs.store(register, position, result.outputs[register]);
                    }
                    for (row, value) in result.stores {
                        context.set_row(row, value);
                    }
                }
            }
            first += group;
        }
        Ok(outcome)
    }
}
