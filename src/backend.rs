//! Ways to run a program, behind one trait.
//!
//! A [`Backend`] prepares programs, a [`Routine`] is a prepared one. All backends agree on every bit (invariant I6).

use crate::chip::memory;
use crate::config::Config;
use crate::front::fixed::{self, Setup};
use crate::interp::fixed::{Chunk, Plan};
use crate::interp::{Faults, Interpreter, Slots, live_inputs, writes_constants};
use crate::ir::eval;
use crate::ir::func::Func;
use crate::isa::Program;
use crate::machine::Machine;
use crate::{front, legalize, opt};
use std::fmt::{self, Debug};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use xfjit_runtime::batch::{Inputs, Layout, Outputs, StreamError, registers};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::{Context, DEFAULT_ROW};

/// Why a program could not be compiled. It runs in the interpreter then; nothing else changes (invariant I7).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CompileError {
    /// No code generator for this host, or it lacks an instruction set that the code needs (SSE4.1).
    Host(String),
    /// The code generator refused: a limit of it, or a bug of ours.
    Codegen(String),
    /// The program has more constants, registers and branches, or more operations, than compiled code is made for.
    TooLarge(String),
    /// The system gave no memory, or did not let it become executable.
    Memory(String),
    /// The caller's stack is too small to compile on, or its size is unknown, and the system gave no thread instead.
    Stack(String),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Host(why) => write!(f, "no native code on this host: {why}"),
            CompileError::Codegen(why) => write!(f, "the code generator failed: {why}"),
            CompileError::TooLarge(why) => write!(f, "the program is too large: {why}"),
            CompileError::Memory(why) => write!(f, "no executable memory: {why}"),
            CompileError::Stack(why) => write!(f, "no thread to compile on: {why}"),
        }
    }
}

impl std::error::Error for CompileError {}

impl CompileError {
    /// Whether it tells of a limit, and not of a bug.
    pub fn is_limit(&self) -> bool {
        !matches!(self, CompileError::Codegen(_))
    }
}

/// What vertices run through, and everything that decides what it computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Code {
    /// A program, and how it is run.
    Microcode(Arc<Program>, Config),
    /// A configuration of the fixed function.
    Fixed(Setup),
}

impl Code {
    /// A program.
    pub fn program(program: &Arc<Program>, config: &Config) -> Self {
        Code::Microcode(Arc::clone(program), config.clone())
    }

    /// The same without what cannot matter: what two that are equal in it compute is the same.
    #[must_use]
    pub fn canonical(&self) -> Self {
        match self {
            Code::Microcode(program, config) => {
                Code::Microcode(Arc::clone(program), config.canonical(program))
            }
            Code::Fixed(setup) => Code::Fixed(setup.canonical()),
        }
    }

    /// As IR of the XF level.
    pub fn lower(&self) -> Func {
        match self {
            Code::Microcode(program, config) => front::lower(program, config),
            Code::Fixed(setup) => fixed::lower(setup),
        }
    }

    /// The same unless it has more than `most` instructions; a set-up of the fixed function never has many.
    pub fn lower_within(&self, most: usize) -> Option<Func> {
        match self {
            Code::Microcode(program, config) => front::lower_within(program, config, most),
            Code::Fixed(setup) => Some(fixed::lower(setup)),
        }
    }

    /// How outputs lie in memory.
    pub fn layout(&self) -> Layout {
        match self {
            Code::Microcode(_, config) => config.layout,
            Code::Fixed(setup) => setup.layout,
        }
    }

    /// Rows of constants that the [`Context`] must have.
    pub fn rows(&self) -> usize {
        match self {
            Code::Microcode(_, config) => config.generation.constants(),
            Code::Fixed(setup) => memory::rows(setup.mode.pipeline()),
        }
    }

    /// A name for reports.
    pub fn name(&self) -> &'static str {
        match self {
            Code::Microcode(_, config) => config.generation.name(),
            Code::Fixed(setup) => setup.mode.pipeline().name(),
        }
    }

    /// Memory held beside the value itself.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Code::Microcode(program, _) => size_of_val(&program.insns[..]),
            Code::Fixed(_) => 0,
        }
    }

    /// Output registers that must have a place.
    fn live_outputs(&self) -> u32 {
        match self {
            Code::Microcode(_, config) => config.live_outputs,
            Code::Fixed(setup) => setup.live_outputs & setup.outputs(),
        }
    }
}

impl From<Setup> for Code {
    fn from(setup: Setup) -> Self {
        Code::Fixed(setup)
    }
}

/// Working memory of one thread. Made once; running a program allocates nothing.
#[derive(Debug)]
pub struct Worker {
    /// Slots that one call may execute in all, if that is limited.
    pub(crate) slot_budget: Option<u64>,
    #[cfg(feature = "jit")]
    pub(crate) native: crate::native::Memory,
    pub(crate) fallback: Fallback,
}

/// What runs code without native code works in.
#[derive(Debug)]
pub(crate) struct Fallback {
    interpreter: Interpreter,
    evaluator: eval::Memory,
    chunk: Chunk,
}

/// Values of the largest function that the fixed function becomes, as the reference runs it.
pub const FIXED_VALUES: usize = 1 << 14;

impl Default for Worker {
    fn default() -> Self {
        Self::new()
    }
}

impl Worker {
    /// Fresh working memory.
    pub fn new() -> Self {
        Worker {
            slot_budget: None,
            #[cfg(feature = "jit")]
            native: crate::native::Memory::new(),
            fallback: Fallback {
                interpreter: Interpreter::new(),
                evaluator: eval::Memory::new(FIXED_VALUES),
                chunk: Chunk::new(),
            },
        }
    }
}

impl Worker {
    /// Limits what a call of [`Program::run`](crate::Program::run) may take: once its vertices have executed so many slots in
    /// all, no further one begins, and the call returns with [`Outcome::out_of_time`]. A vertex that has begun ends, so the
    /// call may exceed this by what one vertex may take. By default there is no limit. The fixed function has no slots.
    ///
    /// Which vertices are done does not depend on the backend. A program with loops whose vertices could exceed the
    /// budget is interpreted, which is slower: together with [`Options::slot_limit`](crate::Options::slot_limit) the
    /// budget should admit the batches that are to run in native code.
    pub fn set_slot_budget(&mut self, slots: Option<u64>) {
        self.slot_budget = slots;
    }
}

/// What a run did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// Groups of vertices that native code left to the interpreter because a guard was raised, or because so many before
    /// them had run out of time.
    pub deopt_groups: u64,
    /// Vertices whose program did not end as it should.
    pub faults: Faults,
    /// Batches that did not agree, where two backends run in lockstep.
    pub mismatches: u64,
    /// The call was out of time ([`Worker::set_slot_budget`]), and so many vertices of the batch, in its order, are done.
    /// Those behind them have done nothing: their outputs are as they were.
    pub out_of_time: Option<usize>,
}

/// What a prepared program costs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Bytes of machine code.
    pub code_bytes: usize,
    /// Bytes of memory held beside the decoded program.
    pub memory_bytes: usize,
    /// Bytes of its caller's stack that machine code uses.
    pub stack_bytes: usize,
    /// Time from decoded instructions to code.
    pub compile_time: Duration,
}

/// A prepared program.
pub trait Routine: Send + Sync + Debug {
    /// Runs a batch.
    ///
    /// # Errors
    /// Streams that do not hold what the program reads and writes, registers that were named and do not exist, constants of
    /// another generation; nothing has been written then.
    fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError>;

    /// Vertices of a group: a vertex that cannot run as the others do leaves so many to the interpreter. 1 if there are no
    /// groups.
    fn lanes(&self) -> usize {
        1
    }

    /// The attributes that it reads, as a mask; what the others are makes no difference.
    fn live_inputs(&self) -> u16;

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

    /// Prepares a program or a configuration of the fixed function.
    ///
    /// # Errors
    /// If it cannot; the caller takes [`Interp`] then.
    fn prepare_code(&self, code: &Code) -> Result<Arc<dyn Routine>, CompileError>;

    /// The same for a caller who has it in the form in which it runs without native code. The routine may share that, and
    /// does not count it in its [`Cost`] then.
    ///
    /// # Errors
    /// As [`Backend::prepare_code`].
    fn prepare_beside(
        &self,
        code: &Code,
        interpreted: &Interpreted,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        let _ = interpreted;
        self.prepare_code(code)
    }

    /// Prepares a program.
    ///
    /// # Errors
    /// As [`Backend::prepare_code`].
    fn prepare(&self, program: &Arc<Program>, config: &Config) -> Result<Arc<dyn Routine>, CompileError> {
        self.prepare_code(&Code::program(program, config))
    }
}

/// Code with what every routine needs of it, and the way in which it runs without native code.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) layout: Layout,
    /// Of the context.
    rows: usize,
    pub(crate) live_inputs: u16,
    live_outputs: u32,
    /// The program writes constants: vertices run one after the other.
    pub(crate) serial: bool,
    /// What a vertex takes.
    slots: Slots,
    fallback: Form,
}

/// What runs the code if native code does not.
#[derive(Clone, Debug)]
enum Form {
    /// Programs are interpreted.
    Interpreter(Interp, Arc<Program>, Config),
    /// The fixed function has no instructions: its IR is evaluated, one vertex at a time.
    Evaluator(Arc<Func>),
    /// The same, many vertices at a time.
    Plan(Arc<Plan>),
}

impl Source {
    pub(crate) fn new(code: &Code, form: Interp) -> Self {
        Self::lowered(code, form, |setup| opt::simplify(fixed::lower(setup)))
    }

    /// With the IR of the fixed function, where it is needed.
    pub(crate) fn lowered(code: &Code, form: Interp, func: impl FnOnce(&Setup) -> Func) -> Self {
        let (live_inputs, serial, fallback) = match code {
            Code::Microcode(program, config) => {
                let fallback = Form::Interpreter(form, Arc::clone(program), config.clone());
                (live_inputs(program), writes_constants(program, config), fallback)
            }
            Code::Fixed(setup) => {
                // Numbering once more leaves out what is dead.
                let func = opt::gvn::run(func(setup));
                let live_inputs = func.live_inputs();
                let fallback = match form {
                    Interp::Single => Form::Evaluator(Arc::new(func)),
                    Interp::Batched => Form::Plan(Arc::new(Plan::new(&func))),
                };
                (live_inputs, false, fallback)
            }
        };
        let live_outputs = code.live_outputs();
        let slots = match code {
            Code::Microcode(program, config) => Slots::of(program, config),
            Code::Fixed(_) => Slots::Exactly(0),
        };
        Source {
            layout: code.layout(),
            rows: code.rows(),
            live_inputs,
            live_outputs,
            serial,
            slots,
            fallback,
        }
    }

    /// Memory held beside the value itself and the program.
    pub(crate) fn bytes(&self) -> usize {
        match &self.fallback {
            Form::Interpreter(..) => 0,
            Form::Evaluator(func) => func.bytes(),
            Form::Plan(plan) => plan.bytes(),
        }
    }

    /// Whether vertices may run out of time in a way that native code finds out only by running them.
    #[cfg(feature = "jit")]
    pub(crate) fn may_run_out_of_time(&self) -> bool {
        matches!(self.slots, Slots::AtMost(_))
    }

    /// Proves that the streams hold the batch, and that the constants are of the kind that the code was made for.
    pub(crate) fn check(
        &self,
        context: &Context,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
    ) -> Result<(), StreamError> {
        let got = context.rows().len();
        if got != self.rows {
            return Err(StreamError::WrongContext { needed: self.rows, got });
        }
        if outputs.layout != self.layout {
            return Err(StreamError::WrongLayout);
        }
        inputs.check(self.live_inputs)?;
        outputs.check(self.live_outputs, inputs.count)
    }

    /// Runs some vertices of a checked batch; each way of running them sets its environment.
    pub(crate) fn run(
        &self,
        memory: &mut Fallback,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        positions: Range<usize>,
    ) -> Faults {
        match &self.fallback {
            Form::Interpreter(Interp::Single, program, config) => {
                memory.interpreter.run_singly(program, config, context, inputs, outputs, positions)
            }
            Form::Interpreter(Interp::Batched, program, config) => {
                memory.interpreter.run(program, config, context, inputs, outputs, positions)
            }
            Form::Evaluator(func) => {
                let live = func.live_outputs();
                for position in positions {
                    let attribute = |register| inputs.fetch(register, position);
                    let result = eval::run_in(&mut memory.evaluator, func, context, attribute);
                    for register in registers(live) {
                        outputs.store(register, position, result.outputs[register]);
                    }
                }
                Faults::default()
            }
            Form::Plan(plan) => {
                plan.run(&mut memory.chunk, context, inputs, outputs, positions);
                Faults::default()
            }
        }
    }
}

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

    fn prepare_code(&self, code: &Code) -> Result<Arc<dyn Routine>, CompileError> {
        Ok(Arc::new(Interpreted::new(code, *self)))
    }
}

/// Code in the form in which it runs without native code. Clones share it.
#[derive(Clone, Debug)]
pub struct Interpreted {
    pub(crate) source: Source,
}

impl Interpreted {
    /// What [`Backend::prepare_code`] of [`Interp`] gives; the interpreter refuses nothing.
    pub fn new(code: &Code, form: Interp) -> Self {
        FpEnv::Default.within(|| Interpreted { source: Source::new(code, form) })
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
        let (done, faults) = match (self.source.slots, &self.source.fallback) {
            (Slots::AtMost(slots), Form::Interpreter(_, program, config))
                if slots.saturating_mul(count as u64) > budget =>
            {
                self.source.check(context, inputs, outputs)?;
                let interpreter = &mut worker.fallback.interpreter;
                let (faults, done) =
                    interpreter.run_within(program, config, context, inputs, outputs, 0..count, budget);
                (done, faults)
            }
            (slots, _) => {
                let fits = match slots {
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
                return Ok(Outcome { out_of_time: Some(fits), ..outcome });
            }
        };
        let out_of_time = (done < count).then_some(done);
        Ok(Outcome { faults, out_of_time, ..Outcome::default() })
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
        let faults = self.source.run(&mut worker.fallback, context, inputs, outputs, all);
        Ok(Outcome { faults, ..Outcome::default() })
    }

    fn cost(&self) -> Cost {
        Cost { memory_bytes: self.bytes(), ..Cost::default() }
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

    fn prepare_code(&self, code: &Code) -> Result<Arc<dyn Routine>, CompileError> {
        FpEnv::Default.within(|| {
            let lowered = code.lower();
            let func = match self {
                Eval::Xf => lowered,
                Eval::Host => to_host(lowered, &Machine::HOST),
            };
            Ok(Arc::new(Evaluated { source: Source::new(code, Interp::Single), func }) as Arc<dyn Routine>)
        })
    }
}

/// The way from lowered IR to what a code generator takes for a machine.
pub fn to_host(lowered: Func, machine: &Machine) -> Func {
    opt::run(legalize::run(&opt::simplify(lowered)), machine)
}

/// Vertices that the evaluator treats as a group, as native code does; so that both tell the same of guards.
const EVALUATED_GROUP: usize = 4;

#[derive(Debug)]
struct Evaluated {
    source: Source,
    func: Func,
}

impl Routine for Evaluated {
    fn lanes(&self) -> usize {
        if self.source.serial { 1 } else { EVALUATED_GROUP }
    }

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
        let live_outputs = self.func.live_outputs();
        let live_inputs = self.source.live_inputs;
        // What only dead operations read, which nothing but this evaluates, need not have a stream.
        let fetch = |register: usize, position| match live_inputs >> register & 1 {
            0 => DEFAULT_ROW,
            _ => inputs.fetch(register, position),
        };
        let group = self.lanes();
        let mut outcome = Outcome::default();
        let mut first = 0;
        while first < inputs.count {
            let positions = first..inputs.count.min(first + group);
            let results: Vec<eval::Outcome> = positions
                .clone()
                .map(|position| eval::run(&self.func, context, |register| fetch(register, position)))
                .collect();
            if results.iter().any(|result| result.guarded) {
                outcome.deopt_groups += 1;
                outcome.faults += self.source.run(&mut worker.fallback, context, inputs, outputs, positions);
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
