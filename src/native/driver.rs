//! Native code as a backend: batches to groups, and guarded groups to the interpreter, neighbours together.

use super::budget::{Budget, Prepared};
use super::code::Compiled;
use super::cranelift::compiler::Compiler;
use super::cranelift::target::Target;
use super::stack;
use crate::backend::CompileError;
use crate::backend::{Backend, Cost, Interpreted, Outcome, Routine, Runs, Source, Worker};
use crate::shader::Shader;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::batch::{BLOCK, Inputs, Outputs, Staging, StreamError};
use xfjit_runtime::bound::Bound;
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
use xfjit_runtime::state::{Context, Io, Scratch};

/// What a thread needs to call native code; its [`Worker`] has one.
#[derive(Debug)]
pub struct Memory {
    io: Box<Io>,
    scratch: Box<Scratch>,
    staging: Box<Staging>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory { io: Box::new(Io::new()), scratch: Scratch::new(), staging: Staging::new() }
    }
}

/// Native code through Cranelift. Running it takes less than [`RUNNING`](super::RUNNING) bytes of stack, and so does
/// having it compiled, for which a thread with more is started where less than 512 KiB are left.
#[derive(Debug)]
pub struct Jit {
    target: Target,
    budget: Budget,
    /// Compilers at rest: one is taken for each compilation, so that threads compile side by side.
    idle: Mutex<Vec<Compiler>>,
}

impl Jit {
    /// Code for this machine.
    ///
    /// # Errors
    /// [`CompileError::Host`] if it has no code generator.
    pub fn host() -> Result<Self, CompileError> {
        Ok(Jit { target: Target::host()?, budget: Budget::default(), idle: Mutex::default() })
    }

    /// With another limit of what compilation may cost.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Jit { budget, idle: Mutex::default(), target: self.target }
    }

    fn with_compiler<R>(&self, body: impl FnOnce(&mut Compiler) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut compiler = taken.unwrap_or_else(|| Compiler::new(self.target.clone()).budget(self.budget));
        let result = body(&mut compiler);
        idle().push(compiler);
        result
    }
}

impl Backend for Jit {
    fn name(&self) -> &'static str {
        "jit"
    }

    fn target(&self) -> String {
        format!("jit {}", self.target.name())
    }

    fn runs(&self) -> Runs {
        Runs::Native
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        stack::with_enough(|| FpEnv::Default.within(|| self.native(shader, None)))?
    }

    fn prepare_beside(
        &self,
        shader: &Shader,
        interpreted: &Interpreted,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        stack::with_enough(|| FpEnv::Default.within(|| self.native(shader, Some(interpreted))))?
    }
}

impl Jit {
    fn native(
        &self,
        shader: &Shader,
        interpreted: Option<&Interpreted>,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        let start = Instant::now();
        let Prepared { lowered, func } = self.budget.prepare(shader, self.target.machine())?;
        let compiled = self.with_compiler(|compiler| compiler.compile(&func, shader.layout()))?;
        let (source, source_bytes) = match interpreted {
            Some(interpreted) => (interpreted.source.clone(), 0),
            None => {
                let source = Source::new(shader, shader.fallback(Some(lowered)));
                let bytes = source.bytes();
                (source, bytes)
            }
        };
        let memory_bytes = size_of::<Native>() + compiled.memory_bytes() + source_bytes;
        Ok(Arc::new(Native {
            source,
            memory_bytes,
            compiled,
            env: func.env(),
            live_inputs: func.live_inputs(),
            live_outputs: func.live_outputs(),
            compile_time: start.elapsed(),
        }))
    }
}

#[derive(Debug)]
struct Native {
    source: Source,
    compiled: Compiled,
    env: FpEnv,
    /// What the optimised code reads; at most what the source reads.
    live_inputs: u16,
    live_outputs: u32,
    memory_bytes: usize,
    compile_time: Duration,
}

impl Routine for Native {
    fn lanes(&self) -> usize {
        self.compiled.lanes()
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
        let mut batch = Batch {
            native: self,
            env: FpGuard::enter(self.env),
            worker,
            context,
            inputs,
            outputs,
            outcome: Outcome::default(),
            waiting: 0..0,
        };
        if self.source.serial {
            batch.serial();
        } else {
            let mut done = 0;
            let lanes = self.compiled.lanes();
            if inputs.count >= lanes && Bound::is_direct(inputs, self.live_inputs) {
                let groups = inputs.count >> lanes.trailing_zeros();
                done = groups * lanes;
                batch.direct(groups)?;
            }
            while done < inputs.count && !batch.gives_up() {
                let count = BLOCK.min(inputs.count - done);
                batch.block(done, count);
                done += count;
            }
            batch.leave(done..inputs.count);
        }
        batch.interpret();
        Ok(batch.outcome)
    }

    fn cost(&self) -> Cost {
        Cost {
            code_bytes: self.compiled.code_bytes(),
            memory_bytes: self.memory_bytes,
            stack_bytes: self.compiled.stack_bytes(),
            compile_time: self.compile_time,
        }
    }
}

/// Vertices that run out of time before a run leaves all others to the interpreter, too: native code runs such vertices up
/// to the limit only to leave them to it.
const PATIENCE: u64 = 64;

/// A run in progress.
struct Batch<'a, 'b, 'c> {
    native: &'a Native,
    env: FpGuard,
    worker: &'a mut Worker,
    context: &'a mut Context,
    inputs: &'a Inputs<'b>,
    outputs: &'a mut Outputs<'c>,
    outcome: Outcome,
    /// Vertices of guarded groups, which the fallback has not run yet.
    waiting: Range<usize>,
}

impl Batch<'_, '_, '_> {
    /// Groups that lie whole in the caller's streams. What refuses the streams does so before the first group.
    fn direct(&mut self, groups: usize) -> Result<(), StreamError> {
        let lanes = self.native.compiled.lanes();
        let mut next = 0;
        while next < groups && !self.gives_up() {
            let Native { compiled, live_inputs, live_outputs, .. } = self.native;
            let Memory { io, scratch, .. } = self.worker.memory();
            let mut bound =
                Bound::direct(io, scratch, self.inputs, self.outputs, *live_inputs, *live_outputs, lanes)?;
            let status = compiled.run(self.context, &mut bound, next..groups);
            let guarded = guarded(status, next..groups);
            self.leave(guarded.start * lanes..guarded.end * lanes);
            next = guarded.end;
        }
        self.leave(next * lanes..groups * lanes);
        Ok(())
    }

    /// Up to [`BLOCK`] vertices from batch position `position` on, through the staging area.
    fn block(&mut self, position: usize, count: usize) {
        let Native { compiled, live_inputs, live_outputs, source, .. } = self.native;
        let lanes = compiled.lanes();
        self.worker.memory::<Memory>().staging.load(self.inputs, *live_inputs, position, count, lanes);
        let groups = count.div_ceil(lanes);
        let mut next = 0;
        while next < groups {
            let Memory { io, scratch, staging } = self.worker.memory();
            let mut bound =
                Bound::staged(io, scratch, staging, *live_inputs, *live_outputs, source.layout, lanes);
            let status = compiled.run(self.context, &mut bound, next..groups);
            let guarded = guarded(status, next..groups);
            let vertices = next * lanes..count.min(guarded.start * lanes);
            self.worker.memory::<Memory>().staging.store(self.outputs, *live_outputs, position, vertices);
            self.leave(
                position + count.min(guarded.start * lanes)..position + count.min(guarded.end * lanes),
            );
            next = guarded.end;
        }
    }

    /// One vertex after the other, all lanes of the group being that vertex.
    fn serial(&mut self) {
        for position in 0..self.inputs.count {
            if self.gives_up() {
                self.leave(position..self.inputs.count);
                break;
            }
            self.block(position, 1);
            // The next vertex sees what this one writes.
            self.interpret();
        }
    }

    /// Leaves vertices to the fallback, which is fast with many: those that follow each other it gets together.
    fn leave(&mut self, positions: Range<usize>) {
        if positions.is_empty() {
            return;
        }
        self.outcome.deopt_groups += positions.len().div_ceil(self.native.compiled.lanes()) as u64;
        if self.waiting.end != positions.start {
            self.interpret();
            self.waiting.start = positions.start;
        }
        self.waiting.end = positions.end;
        if self.native.source.may_run_out_of_time() && self.waiting.len() as u64 >= PATIENCE {
            self.interpret();
        }
    }

    /// Whether the rest is not worth trying.
    fn gives_up(&self) -> bool {
        self.outcome.faults.timeouts >= PATIENCE
    }

    /// Runs the vertices that wait.
    fn interpret(&mut self) {
        let positions = std::mem::take(&mut self.waiting);
        if positions.is_empty() {
            return;
        }
        let source = &self.native.source;
        let worker = &mut *self.worker;
        let (context, inputs, outputs) = (&mut *self.context, self.inputs, &mut *self.outputs);
        self.outcome.faults +=
            self.env.suspend(FpEnv::Default, || source.run(worker, context, inputs, outputs, positions));
    }
}

/// The groups that the code has left to the interpreter before it can go on; empty at the end if there are none.
fn guarded(status: u64, groups: Range<usize>) -> Range<usize> {
    if status == ALL_GUARDED {
        return groups;
    }
    let first = status as usize;
    first..groups.end.min(first + 1)
}
