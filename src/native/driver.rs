//! Native code as a backend: splits batches into groups, and runs deoptimised groups in the interpreter, adjacent ones
//! together.

use super::budget::{Budget, Prepared};
use super::code::Compiled;
use super::cranelift::compiler::Compiler;
use super::cranelift::target::Target;
use super::instructions::InstructionSet;
use super::stack;
#[cfg(all(target_arch = "x86_64", feature = "wide"))]
use super::wide::{self, Width};
use crate::backend::{
    Backend, CompileError, Cost, Interpreted, MachineCode, Outcome, Routine, Runs, Source, Stages, Worker,
};
use crate::ir::func::Func;
use crate::ir::ops::Op;
use crate::shader::Shader;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use xfjit_runtime::abi::{ALL_GUARDED, MOST_LANES};
use xfjit_runtime::batch::{BLOCK, Staging, StreamError, registers};
use xfjit_runtime::bound::{Bound, Call, Needs, Streams};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
use xfjit_runtime::state::{Io, MAX_ROWS, Row, Scratch};

/// The working memory of native code, one for each [`Worker`].
#[derive(Debug)]
pub struct Memory {
    io: Box<Io>,
    scratch: Box<Scratch>,
    staging: Box<Staging>,
    /// Constants that the caller has without a row of zeros behind them, and that row.
    rows: Vec<Row>,
    /// Vertices in which a guard was raised, and which the fallback has not run yet.
    guarded: Vec<usize>,
}

/// So many guarded vertices are collected at most.
const MOST_GUARDED: usize = 256;

impl Default for Memory {
    fn default() -> Self {
        Memory {
            io: Box::new(Io::new()),
            scratch: Scratch::new(),
            staging: Staging::new(),
            rows: Vec::with_capacity(MAX_ROWS + 1),
            guarded: Vec::with_capacity(MOST_GUARDED),
        }
    }
}

/// Native code: wide vectors where the machine has them, and Cranelift's for everything else. Running it takes less than `RUNNING`
/// bytes of stack. So does compiling, which is done on another thread if less than 512 KiB of stack are left.
#[derive(Debug)]
pub struct Jit {
    target: Target,
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    width: Option<Width>,
    /// The width of code for batches that are too small for the other.
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    narrower: Option<Width>,
    budget: Budget,
    has_lines: bool,
    /// Idle compilers. Each compilation takes one, so that threads compile in parallel.
    idle: Mutex<Vec<Compiler>>,
}

impl Jit {
    /// Code for this machine, in the widest instruction set that it has ([`InstructionSet::best`]).
    ///
    /// # Errors
    /// [`CompileError::Host`] if it has no code generator.
    pub fn host() -> Result<Self, CompileError> {
        match InstructionSet::best().filter(|set| set.is_wide()) {
            Some(wide) => Jit::of(wide),
            None => Jit::cranelift(),
        }
    }

    /// Code for this machine, all of it Cranelift's: vectors of four vertices.
    ///
    /// # Errors
    /// [`CompileError::Host`] if there is none.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn cranelift() -> Result<Self, CompileError> {
        Ok(Jit {
            target: Target::host()?,
            #[cfg(all(target_arch = "x86_64", feature = "wide"))]
            width: None,
            #[cfg(all(target_arch = "x86_64", feature = "wide"))]
            narrower: None,
            budget: Budget::default(),
            has_lines: false,
            idle: Mutex::default(),
        })
    }

    /// Code for this machine in an instruction set that it may not be the widest to have. Of the widest there are two routines
    /// for each program: batches that would not fill its groups run on vectors of half the length.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine or this build has it not.
    pub fn of(instructions: InstructionSet) -> Result<Self, CompileError> {
        instructions.check_host()?;
        let jit = Jit::cranelift()?;
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        if let Some(width) = Width::of(instructions) {
            let narrower = Width::ALL.iter().copied().find(|other| other.lanes() < width.lanes());
            return Ok(Jit { narrower, ..jit.wide(width)? });
        }
        Ok(Jit { target: Target::of(instructions)?, ..jit })
    }

    /// With another budget of compilation.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Jit { budget, idle: Mutex::default(), ..self }
    }

    /// With code for groups of this number of vertices, see `Target::in_groups_of`.
    ///
    /// # Panics
    /// If no code has so many lanes.
    #[must_use]
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn in_groups_of(self, lanes: usize) -> Self {
        Jit { target: self.target.in_groups_of(lanes), ..self }
    }

    /// With code for wide vectors alone, whatever the batch, where it is not [refused](super::wide::refusal); Cranelift's for everything else.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine has no such vectors.
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn wide(self, width: Width) -> Result<Self, CompileError> {
        width.instructions().check_host()?;
        Ok(Jit { width: Some(width), ..self })
    }

    fn compiler(&self) -> Compiler {
        Compiler::new(self.target.clone()).budget(self.budget).with_lines(self.has_lines)
    }

    fn with_compiler<R>(&self, body: impl FnOnce(&mut Compiler) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut compiler = taken.unwrap_or_else(|| self.compiler());
        let result = body(&mut compiler);
        idle().push(compiler);
        result
    }
}

impl Backend for Jit {
    fn name(&self) -> &'static str {
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        if let Some(width) = self.width {
            return width.name();
        }
        match self.target.machine().lanes {
            8 => "jit_eight_lanes",
            16 => "jit_sixteen_lanes",
            _ => "jit",
        }
    }

    fn target(&self) -> String {
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        if let Some(width) = self.width {
            let narrower = self.narrower.map_or("", Width::name);
            return format!("{} {narrower} jit {}", width.name(), self.target.name());
        }
        format!("jit {}", self.target.name())
    }

    fn runs(&self) -> Runs {
        Runs::Native
    }

    fn with_lines(&self) -> Option<Arc<dyn Backend>> {
        Some(Arc::new(Jit {
            target: self.target.clone(),
            #[cfg(all(target_arch = "x86_64", feature = "wide"))]
            width: self.width,
            #[cfg(all(target_arch = "x86_64", feature = "wide"))]
            narrower: self.narrower,
            budget: self.budget,
            has_lines: true,
            idle: Mutex::default(),
        }))
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
        let mut prepared = self.budget.prepare(shader)?;
        let (func, compiled) = self.compiled(shader, &mut prepared)?;
        let small = self.for_small_batches(shader, &mut prepared, &compiled);
        let Prepared { lowered, mut stages, .. } = prepared;
        let (source, source_bytes) = match interpreted {
            Some(interpreted) => (interpreted.source.clone(), 0),
            None => {
                let source = Source::new(shader, shader.fallback(Some(lowered)));
                let bytes = source.bytes();
                (source, bytes)
            }
        };
        let codes = || [Some(&compiled), small.as_ref()].into_iter().flatten();
        stages.generate = codes().map(Compiled::compile_time).sum();
        let memory_bytes =
            size_of::<Native>() + codes().map(Compiled::memory_bytes).sum::<usize>() + source_bytes;
        Ok(Arc::new(Native {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            source,
            memory_bytes,
            env: func.env(),
            rows_written: rows_written(&func),
            rows_guarded: rows_guarded(&func),
            compiled,
            small,
            compile_time: start.elapsed(),
            stages,
        }))
    }
}

impl Jit {
    /// The code of a shader, and the function that it was made of.
    fn compiled(&self, shader: &Shader, prepared: &mut Prepared) -> Result<(Func, Compiled), CompileError> {
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        {
            let widths = [self.width, self.narrower].into_iter().flatten();
            // Vertices that run one by one fill no vector: the shorter one is compiled sooner.
            let longest = usize::from(self.narrower.is_some() && shader.is_serial());
            for width in widths.skip(longest) {
                if let Some(compiled) = self.widely(shader, prepared, width)? {
                    return Ok(compiled);
                }
            }
        }
        let func = prepared.for_machine(self.budget, self.target.machine())?;
        let compiled = self.with_compiler(|compiler| compiler.compile(&func, shader.layout()))?;
        Ok((func, compiled))
    }

    /// The code of a shader for wide vectors; nothing if there is none for it.
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    fn widely(
        &self,
        shader: &Shader,
        prepared: &mut Prepared,
        width: Width,
    ) -> Result<Option<(Func, Compiled)>, CompileError> {
        let func = prepared.for_machine(self.budget, &width.machine())?;
        match wide::compile_with(&func, shader.layout(), width, self.has_lines) {
            Ok(compiled) => Ok(Some((func, compiled))),
            Err(CompileError::TooLarge(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Jit {
    /// A second routine for batches that are too small for the first. That there is none changes speed only.
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    fn for_small_batches(
        &self,
        shader: &Shader,
        prepared: &mut Prepared,
        first: &Compiled,
    ) -> Option<Compiled> {
        let narrower = self.narrower.filter(|width| width.lanes() < first.lanes())?;
        let (_, small) = self.widely(shader, prepared, narrower).ok()??;
        // What the caller has to bring has been looked at for the first one.
        (small.reads_zero_row() == first.reads_zero_row()).then_some(small)
    }

    #[cfg(not(all(target_arch = "x86_64", feature = "wide")))]
    fn for_small_batches(&self, _: &Shader, _: &mut Prepared, _: &Compiled) -> Option<Compiled> {
        None
    }
}

/// Rows of constants that a function writes.
fn rows_written(func: &Func) -> Vec<usize> {
    let stores = func.body.iter().map(|&value| func.inst(value)).filter(|inst| inst.op == Op::Store);
    let mut rows: Vec<usize> = stores.map(|inst| inst.imm as usize).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Attributes whose rows are guarded as a whole, as a mask.
fn rows_guarded(func: &Func) -> u16 {
    let guards = func.body.iter().map(|&value| func.inst(value)).filter(|inst| inst.op == Op::RowGuard);
    guards.fold(0, |mask, inst| mask | 1 << inst.immediate::<usize>())
}

/// Numbers of routines; 0 is nobody's.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

#[derive(Debug)]
struct Native {
    /// That of no other routine of the process.
    number: u64,
    source: Source,
    compiled: Compiled,
    /// The same in smaller groups, see [`Native::code`].
    small: Option<Compiled>,
    env: FpEnv,
    /// Rows of constants that a vertex writes.
    rows_written: Vec<usize>,
    /// Attributes of which a NaN in any component raises a guard, as a mask.
    rows_guarded: u16,
    memory_bytes: usize,
    compile_time: Duration,
    stages: Stages,
}

impl Routine for Native {
    fn lanes(&self) -> usize {
        self.compiled.lanes()
    }

    fn settle(&self, worker: &mut Worker) {
        worker.memory::<Memory>();
    }

    #[inline]
    fn run_again(&self, worker: &mut Worker, constants: &mut Constants<'_>, bound: &mut Bound<'_>) -> bool {
        if bound.runner() != self.number {
            return false;
        }
        let count = bound.count();
        let compiled = self.code(count);
        let call = compiled.call();
        let _env = FpGuard::enter(self.env);
        let scratch = &mut worker.memory::<Memory>().scratch;
        let Some(mut streams) = bound.streams(scratch, call) else { return false };
        let end = if call.has_tails || count > 1 { count } else { call.lanes };
        let groups = (end + call.lanes - 1) >> call.lanes.trailing_zeros();
        compiled.run(constants, &mut streams, 0..end) == groups as u64
    }

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
        if !self.compiled.reads_zero_row() || constants.has_zero_row() {
            return Ok(self.run_checked(worker, constants, bound, part));
        }
        let mut rows = std::mem::take(&mut worker.memory::<Memory>().rows);
        rows.clear();
        rows.extend_from_slice(constants.rows());
        rows.push([0; 4]);
        let mut copy = Constants::read_only(&rows).with_zero_row();
        let outcome = self.run_checked(worker, &mut copy, bound, part);
        worker.memory::<Memory>().rows = rows;
        Ok(outcome)
    }

    fn machine_code(&self) -> Vec<MachineCode<'_>> {
        let codes = self.codes();
        codes
            .map(|code| MachineCode { bytes: code.code(), lanes: code.lanes(), lines: code.lines() })
            .collect()
    }

    fn cost(&self) -> Cost {
        Cost {
            code_bytes: self.codes().map(Compiled::code_bytes).sum(),
            memory_bytes: self.memory_bytes,
            stack_bytes: self.codes().map(Compiled::stack_bytes).max().unwrap_or_default(),
            compile_time: self.compile_time,
            stages: self.stages,
        }
    }
}

impl Native {
    fn codes(&self) -> impl Iterator<Item = &Compiled> {
        [Some(&self.compiled), self.small.as_ref()].into_iter().flatten()
    }

    /// The code for so many vertices. A few groups have to be full, since what remains takes a second call; where there are more, that
    /// costs little.
    #[inline]
    fn code(&self, count: usize) -> &Compiled {
        match &self.small {
            Some(small)
                if count < FEW * self.compiled.lanes() && !count.is_multiple_of(self.compiled.lanes()) =>
            {
                small
            }
            _ => &self.compiled,
        }
    }

    /// Runs some vertices of a batch that is known to serve the code, on constants that do.
    #[inline]
    fn run_checked(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Outcome {
        // Vertices that write constants run one by one.
        let is_serial = self.source.needs.writes_constants;
        let compiled = self.code(if is_serial { 1 } else { part.len() });
        let (call, env) = (compiled.call(), FpGuard::enter(self.env));
        let (mut status, mut guarded) = (0, part.start..part.start);
        let is_alone = part.len() == 1;
        let is_at_once = match call.has_tails {
            true => part.start == 0 && (is_alone || !is_serial),
            false if is_alone => bound.is_single(),
            false => part.start == 0 && part.end & (call.lanes - 1) == 0 && !is_serial,
        };
        if is_at_once {
            // For a few vertices every instruction counts, so there is no `Run` unless a guard is raised.
            let scratch = &mut worker.memory::<Memory>().scratch;
            if let Some(mut streams) = bound.streams(scratch, call) {
                let vertices = 0..if call.has_tails || !is_alone { part.end } else { call.lanes };
                status = compiled.run(constants, &mut streams, vertices);
                guarded = vertices_of(status, call.lanes, part.clone());
                if guarded.is_empty() {
                    if is_serial {
                        self.rows_written.iter().for_each(|&row| constants.note(row));
                    } else if part.end == bound.count() && !compiled.reads_zero_row() {
                        bound.was_run_by(self.number);
                    }
                    return Outcome::default();
                }
            }
        }
        let (outcome, deferred) = (Outcome::default(), 0..0);
        let part = guarded.end..part.end;
        let has_guarded = false;
        let mut run = Run {
            native: self,
            compiled,
            call,
            env,
            worker,
            constants,
            bound,
            outcome,
            deferred,
            has_guarded,
        };
        run.defer_lanes(status, guarded);
        if self.source.needs.writes_constants {
            run.serial(part);
        } else {
            run.part(part);
        }
        run.interpret();
        run.outcome
    }
}

/// So many groups of the longest vectors are not few.
const FEW: usize = 4;

/// After so many vertices have run into the instruction limit, a run leaves all further ones to the interpreter: native code
/// would execute such vertices up to the limit, and the interpreter again.
const PATIENCE: u64 = 64;

/// A run in progress.
struct Run<'a, 'b, 'c> {
    native: &'a Native,
    compiled: &'a Compiled,
    call: &'a Call,
    env: FpGuard,
    worker: &'a mut Worker,
    constants: &'a mut Constants<'b>,
    bound: &'a mut Bound<'c>,
    outcome: Outcome,
    /// Vertices of deoptimised groups that the fallback has not run yet.
    deferred: Range<usize>,
    /// Whether there are more of them in the memory of the worker ([`Memory::guarded`]).
    has_guarded: bool,
}

impl<'a> Run<'a, '_, '_> {
    /// Runs independent vertices directly on the caller's streams, if they have a form that code can access, and else through the
    /// staging area. What is before the first whole group, or behind the last one, is for code with tails. If there is none,
    /// what is before goes through the staging area, as do batches of less than a group; what remains behind is a whole group with
    /// vertices of the one before it.
    fn part(&mut self, part: Range<usize>) {
        let &Call { live_inputs, live_outputs, lanes, has_tails, .. } = self.call;
        let mut done = part.start;
        if has_tails {
            if self.bound.is_in_place(live_inputs, live_outputs) {
                done = self.in_place(part.clone());
            }
        } else if part.len() >= lanes && self.bound.is_in_place(live_inputs, live_outputs) {
            // Groups are counted from the beginning of the batch.
            let first = (done + lanes - 1) >> lanes.trailing_zeros();
            let groups = first..part.end >> lanes.trailing_zeros();
            if !groups.is_empty() {
                let head = groups.start * lanes;
                let few = self.native.small.as_ref().filter(|small| small.call().has_tails);
                match few {
                    Some(few) => self.few(few, done..head),
                    None if done < head => self.block(done, head - done),
                    None => {}
                }
                done = groups.end * lanes;
                let is_done = self.direct(groups);
                if let Some(few) = few {
                    self.few(few, done..part.end);
                    return;
                }
                if is_done && done < part.end && self.last(part.end - lanes) {
                    return;
                }
            }
        }
        while done < part.end && !self.gives_up() {
            let count = BLOCK.min(part.end - done);
            self.block(done, count);
            done += count;
        }
        self.defer(done..part.end);
    }

    /// Runs vertices directly on the caller's streams, the last ones with code for as many as there are. Returns which one
    /// is to be run next.
    fn in_place(&mut self, part: Range<usize>) -> usize {
        let lanes = self.call.lanes;
        // Groups are counted from the beginning of the streams.
        let first = if part.start.is_multiple_of(lanes) { 0 } else { part.start };
        let mut next = part.start;
        while next < part.end && !self.gives_up() {
            let Memory { io, scratch, .. } = self.worker.memory();
            let streams = match first {
                0 => self.bound.streams(scratch, self.call),
                _ => self.bound.behind(io, scratch, first, self.call),
            };
            let Some(mut streams) = streams else { break };
            let status = self.compiled.run(self.constants, &mut streams, next - first..part.end - first);
            let guarded = vertices_of(status, lanes, next - first..part.end - first);
            next = first + guarded.end;
            self.defer_lanes(status, first + guarded.start..next);
        }
        next
    }

    /// Runs vertices directly on the caller's streams, with other code than the rest, which has tails.
    fn few(&mut self, code: &'a Compiled, part: Range<usize>) {
        let most = (self.compiled, self.call);
        (self.compiled, self.call) = (code, code.call());
        let next = self.in_place(part.clone());
        self.defer(next..part.end);
        (self.compiled, self.call) = most;
    }

    /// Runs whole groups directly on the caller's streams. Tells whether the last one is done.
    fn direct(&mut self, groups: Range<usize>) -> bool {
        let lanes = self.call.lanes;
        let vertices =
            |groups: Range<usize>, count: usize| groups.start * lanes..count.min(groups.end * lanes);
        let count = self.bound.count();
        let mut next = groups.start;
        let mut is_done = false;
        while next < groups.end && !self.gives_up() {
            let scratch = &mut self.worker.memory::<Memory>().scratch;
            let Some(mut streams) = self.bound.streams(scratch, self.call) else { break };
            let status = self.compiled.run(self.constants, &mut streams, next * lanes..groups.end * lanes);
            let guarded = guarded(status, next..groups.end);
            is_done = guarded.is_empty();
            next = guarded.end;
            self.defer_lanes(status, vertices(guarded, count));
        }
        self.defer(vertices(next..groups.end, count));
        is_done
    }

    /// Runs the last group of a part, some of whose vertices are done: native code computes the same again. (The fallback
    /// would count what it finds wrong with them again; so the group before must not have been left to it.) Tells whether
    /// the streams have a form that code can access.
    fn last(&mut self, position: usize) -> bool {
        let Memory { io, scratch, .. } = self.worker.memory();
        let Some(mut streams) = self.bound.behind(io, scratch, position, self.call) else { return false };
        let status = self.compiled.run(self.constants, &mut streams, 0..self.call.lanes);
        if !guarded(status, 0..1).is_empty() {
            self.defer_lanes(status, position..position + self.call.lanes);
        }
        true
    }

    /// Runs up to [`BLOCK`] vertices from batch position `position` on: a single one directly on the streams if possible,
    /// others through the staging area.
    fn block(&mut self, position: usize, count: usize) {
        let compiled = self.compiled;
        let &Call { live_outputs, lanes, has_tails, .. } = self.call;
        if count == 1 {
            let Memory { io, scratch, .. } = self.worker.memory();
            let streams = match has_tails {
                true => self.bound.behind(io, scratch, position, self.call),
                false => self.bound.single(io, scratch, position, self.call),
            };
            if let Some(mut streams) = streams {
                let vertices = 0..if has_tails { 1 } else { lanes };
                let status = compiled.run(self.constants, &mut streams, vertices);
                self.defer(if guarded(status, 0..1).is_empty() { 0..0 } else { position..position + 1 });
                return;
            }
        }
        let groups = count.div_ceil(lanes);
        let last = if has_tails { count } else { groups * lanes };
        let mut next = 0;
        loop {
            let Memory { scratch, staging, .. } = self.worker.memory();
            if next == 0 {
                staging.load_bound(self.bound, self.call, position, count);
            }
            let mut streams = Streams::staged(scratch, staging, self.call);
            let status = compiled.run(self.constants, &mut streams, next * lanes..last);
            let guarded = guarded(status, next..groups);
            let at = |group: usize| count.min(group * lanes);
            let ran = if status == ALL_GUARDED { at(next) } else { at(guarded.end) };
            staging.store(self.bound, live_outputs, position, at(next)..ran);
            self.defer_lanes(status, position + at(guarded.start)..position + at(guarded.end));
            next = guarded.end;
            if next >= groups {
                break;
            }
        }
    }

    /// Runs one vertex after the other; all lanes of a group are the same vertex.
    fn serial(&mut self, part: Range<usize>) {
        for position in part.clone() {
            if self.gives_up() {
                self.defer(position..part.end);
                break;
            }
            self.block(position, 1);
            if self.deferred.is_empty() {
                self.native.rows_written.iter().for_each(|&row| self.constants.note(row));
            }
            // The next vertex reads the constants that this one writes.
            self.interpret();
        }
    }

    /// Leaves vertices to the fallback. Adjacent ones are collected, since the fallback is faster with many.
    #[inline]
    fn defer(&mut self, positions: Range<usize>) {
        if !positions.is_empty() {
            self.defer_some(positions);
        }
    }

    /// Leaves the vertices of a group to the fallback in which guards were raised: the code has returned with this status.
    /// What is no vertex of the batch behind them is a copy of the last one.
    #[inline]
    fn defer_lanes(&mut self, status: u64, positions: Range<usize>) {
        if !positions.is_empty() {
            self.defer_some_lanes(status, positions);
        }
    }

    fn defer_some_lanes(&mut self, status: u64, positions: Range<usize>) {
        // All lanes of a lone vertex are the same; of constants alone all vertices are guarded.
        if status == ALL_GUARDED || positions.len() == 1 {
            return self.defer_some(positions);
        }
        let all = u32::MAX >> (u32::BITS as usize - positions.len());
        let mask = self.worker.memory::<Memory>().scratch.guarded_lanes(self.call.lanes) & all;
        let mask = mask | self.rows_with_nans(&positions);
        if mask == all {
            return self.defer_some(positions);
        }
        self.worker.leave(positions.start);
        self.outcome.deopt_groups += 1;
        self.outcome.deopt_vertices += u64::from(mask.count_ones());
        self.has_guarded = true;
        let memory = self.worker.memory::<Memory>();
        memory.guarded.extend(
            (0..positions.len()).filter(|lane| mask >> lane & 1 != 0).map(|lane| positions.start + lane),
        );
        let patience =
            if self.native.source.may_run_out_of_time() { PATIENCE as usize } else { MOST_GUARDED };
        if memory.guarded.len() + MOST_LANES > patience {
            self.interpret();
        }
    }

    /// The vertices of a group with a NaN in an attribute whose rows are guarded as a whole, as a mask.
    fn rows_with_nans(&self, positions: &Range<usize>) -> u32 {
        let is_nan = |word: u32| word & 0x7fff_ffff > 0x7f80_0000;
        let has_nans = |position: usize| {
            registers(self.native.rows_guarded)
                .any(|register| self.bound.inputs().fetch(register, position).into_iter().any(is_nan))
        };
        positions.clone().rev().fold(0, |mask, position| mask << 1 | u32::from(has_nans(position)))
    }

    fn defer_some(&mut self, positions: Range<usize>) {
        self.worker.leave(positions.start);
        self.outcome.deopt_vertices += positions.len() as u64;
        self.outcome.deopt_groups += positions.len().div_ceil(self.call.lanes) as u64;
        if self.deferred.end != positions.start {
            self.interpret();
            self.deferred.start = positions.start;
        }
        self.deferred.end = positions.end;
        if self.native.source.may_run_out_of_time() && self.deferred.len() as u64 >= PATIENCE {
            self.interpret();
        }
    }

    /// Whether the remaining vertices are left to the interpreter, see [`PATIENCE`].
    fn gives_up(&self) -> bool {
        self.outcome.faults.timeouts >= PATIENCE
    }

    /// Runs the collected vertices in the fallback.
    #[inline]
    fn interpret(&mut self) {
        if !self.deferred.is_empty() || self.has_guarded {
            self.interpret_some();
        }
    }

    fn interpret_some(&mut self) {
        let positions = std::mem::take(&mut self.deferred);
        let source = &self.native.source;
        let worker = &mut *self.worker;
        let (constants, bound) = (&mut *self.constants, &*self.bound);
        self.has_guarded = false;
        let mut guarded = std::mem::take(&mut worker.memory::<Memory>().guarded);
        self.outcome.faults += self.env.suspend(FpEnv::Default, || {
            let mut faults = source.run_some(worker, constants, bound, &guarded);
            if !positions.is_empty() {
                faults += source.run(worker, constants, bound, positions);
            }
            faults
        });
        guarded.clear();
        self.worker.memory::<Memory>().guarded = guarded;
    }
}

/// The vertices of the group that was deoptimised when native code returned, which was to run these, the first of which is that
/// of a group; empty, at the end, if it ran all of them.
fn vertices_of(status: u64, lanes: usize, vertices: Range<usize>) -> Range<usize> {
    let groups = guarded(status, vertices.start / lanes..vertices.end.div_ceil(lanes));
    let at = |group: usize| vertices.end.min(group * lanes);
    at(groups.start)..at(groups.end)
}

/// The groups that were deoptimised when native code returned; empty, at the end, if it ran all groups.
fn guarded(status: u64, groups: Range<usize>) -> Range<usize> {
    if status == ALL_GUARDED {
        return groups;
    }
    let first = status as usize;
    first..groups.end.min(first + 1)
}
