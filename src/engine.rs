//! Programs resolved once, run many times.
//!
//! ```
//! use xfjit::{Config, Engine, Generation, Options, Worker, isa};
//! use xfjit::runtime::{batch::{Attribute, Inputs, Outputs}, state::Context};
//!
//! let program = isa::parse(Generation::Kelvin, "MUL oPos, v0, c[0]").unwrap();
//! let words = isa::encode(Generation::Kelvin, &program);
//!
//! let engine = Engine::new(Options::default());
//! let program = engine.program(&words, 0, &Config::new(Generation::Kelvin).live_outputs(1))?;
//!
//! let mut worker = Worker::new(); // one for each thread
//! let mut context = Context::new(Generation::Kelvin.constants());
//! context.set_row(0, [2.0f32.to_bits(); 4]);
//! let positions = [[1.0f32, 2.0, 3.0, 1.0].map(f32::to_bits); 5];
//! let inputs = Inputs::new(5).with(0, Attribute::rows(&positions));
//! let mut words = [0; 20];
//! program.run(&mut worker, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[0]))?;
//! assert_eq!(f32::from_bits(words[1]), 4.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Program`] handle is resolved before the draw; running it takes no lock, no hash, no allocation (invariant I9).
//! Neither that nor making a handle takes more than 64 KiB of the caller's stack: a compilation, which needs more, gets a
//! thread of its own where less than 512 KiB are left.
//! With [`Compile::Background`] a program runs in the interpreter until a thread of the engine has compiled it. Since
//! both agree on every bit, nobody can see when.

use crate::backend::{Backend, Code, CompileError, Cost, Interp, Interpreted, Outcome, Routine, Worker};
use crate::cache::{Cache, CacheStats};
use crate::config::Config;
use crate::front::fixed::Setup;
use crate::interp::Faults;
use crate::isa::{self, DecodeError};
use crate::key::Key;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{JoinHandle, Thread};
use std::time::Instant;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
use xfjit_runtime::state::Context;

/// When programs are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compile {
    /// When the handle is made.
    Now,
    /// By a thread of the engine, once a program has run this many vertices in the interpreter.
    Background {
        /// Vertices.
        threshold: u64,
    },
}

/// The default bound of the cache.
const CACHE_BYTES: usize = 64 << 20;

/// How an engine works.
#[derive(Clone, Debug)]
pub struct Options {
    /// What runs programs; what it refuses runs in the interpreter.
    pub backend: Arc<dyn Backend>,
    /// When they are compiled.
    pub compile: Compile,
    /// Bound of the cache in bytes.
    pub cache_bytes: usize,
    /// Slots that a vertex may execute, whatever a program or its guest asks for: [`Config::timeout`] is lowered to this.
    /// Kelvin's programs have no loops, and no timeout. See also [`Worker::set_slot_budget`].
    pub slot_limit: u16,
}

impl Default for Options {
    /// Native code if there is any for this host, at once, and 64 MiB of it.
    fn default() -> Self {
        Options {
            backend: default_backend(),
            compile: Compile::Now,
            cache_bytes: CACHE_BYTES,
            slot_limit: u16::MAX,
        }
    }
}

impl Options {
    /// Native code as by default, but compiled on a thread of the engine once a program has run `threshold` vertices.
    /// Nobody waits for that, so it takes the time for better code: `jit::Budget::PATIENT`.
    pub fn background(threshold: u64) -> Self {
        #[cfg(feature = "jit")]
        let backend = native(crate::jit::Budget::PATIENT);
        #[cfg(not(feature = "jit"))]
        let backend = default_backend();
        Options { backend, compile: Compile::Background { threshold }, ..Options::default() }
    }
}

/// The fastest backend of this build and host.
pub fn default_backend() -> Arc<dyn Backend> {
    #[cfg(feature = "jit")]
    return native(crate::jit::Budget::default());
    #[cfg(not(feature = "jit"))]
    Arc::new(Interp::Batched)
}

/// Native code, or the interpreter if this host has none.
#[cfg(feature = "jit")]
fn native(budget: crate::jit::Budget) -> Arc<dyn Backend> {
    match crate::jit::Jit::host() {
        Ok(jit) => Arc::new(jit.budget(budget)),
        Err(_) => Arc::new(Interp::Batched),
    }
}

/// Prepares and caches programs. Shared between threads by reference.
pub struct Engine {
    shared: Arc<Shared>,
    compile: Compile,
    slot_limit: u16,
    target: Arc<str>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("target", &self.target)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine; with [`Compile::Background`] it starts a thread, which ends with it.
    pub fn new(options: Options) -> Self {
        let target: Arc<str> = options.backend.target().into();
        let shared = Arc::new(Shared {
            backend: options.backend,
            cache: Mutex::new(Cache::new(options.cache_bytes)),
            waiting: Mutex::default(),
            target: Arc::clone(&target),
            totals: Arc::default(),
            stop: AtomicBool::new(false),
        });
        let thread = match options.compile {
            Compile::Now => None,
            Compile::Background { .. } => {
                let shared = Arc::clone(&shared);
                // Without a thread programs stay in the interpreter: slower, but right.
                std::thread::Builder::new().name("xfjit".to_owned()).spawn(move || shared.serve()).ok()
            }
        };
        Engine { shared, compile: options.compile, slot_limit: options.slot_limit, target, thread }
    }

    /// The handle of the microcode that runs from slot `start` of `words`; cached.
    ///
    /// # Errors
    /// Microcode that is no program ([`DecodeError`]). A program that cannot be compiled is no error: it runs in
    /// the interpreter, see [`Program::refusal`].
    pub fn program(&self, words: &[u32], start: usize, config: &Config) -> Result<Arc<Program>, DecodeError> {
        let decoded = isa::decode_as(config.generation, config.reading, words, start)?;
        Ok(self.decoded(decoded, config))
    }

    /// The handle of a decoded program; cached. Instructions need not be such as words express: they run as they are.
    ///
    /// # Panics
    /// Here or in the run, if instructions that were not decoded name registers that the generation lacks.
    pub fn decoded(&self, decoded: isa::Program, config: &Config) -> Arc<Program> {
        self.code(&Code::Microcode(Arc::new(decoded), config.clone()))
    }

    /// The handle of a configuration of the fixed function; cached among the programs. It runs on a [`Context`] of
    /// [`crate::front::fixed::rows`] rows, laid out as [`crate::front::fixed::memory`] tells.
    pub fn fixed(&self, setup: &Setup) -> Arc<Program> {
        self.code(&Code::Fixed(*setup))
    }

    /// The handle of either; cached.
    pub fn code(&self, code: &Code) -> Arc<Program> {
        match code {
            Code::Microcode(program, config) if config.timeout > self.slot_limit => {
                let config = Config { timeout: self.slot_limit, ..config.clone() };
                self.limited(&Code::Microcode(Arc::clone(program), config))
            }
            _ => self.limited(code),
        }
    }

    fn limited(&self, code: &Code) -> Arc<Program> {
        let key = Key::new(code, &self.target);
        if let Some(program) = self.shared.cache().get(&key) {
            return program;
        }
        let totals = Arc::clone(&self.shared.totals);
        let program = Arc::new(Program::new(code.canonical(), self.compile, totals));
        if self.compile == Compile::Now {
            self.shared.prepare(&program);
        }
        let bytes = program.bytes();
        let kept = self.shared.cache().insert(key, Arc::clone(&program), bytes);
        if let (Compile::Background { .. }, Some(thread), true) =
            (self.compile, &self.thread, Arc::ptr_eq(&kept, &program))
        {
            let _ = program.compiler.set(thread.thread().clone());
            self.shared.waiting().push(&program);
            // Another thread may have found it in the cache and run it hot by now.
            if program.is_hot() {
                program.wake_compiler();
            }
        }
        kept
    }

    /// What cache, compiler and programs have done so far.
    pub fn stats(&self) -> CacheStats {
        let Totals { timeouts, given_up } = &*self.shared.totals;
        CacheStats {
            timeouts: timeouts.load(Ordering::Relaxed),
            given_up: given_up.load(Ordering::Relaxed),
            ..self.shared.cache().stats()
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic of the compiler thread has nothing left to spoil.
            let _ = thread.join();
        }
    }
}

/// What the engine and its thread have in common.
struct Shared {
    backend: Arc<dyn Backend>,
    cache: Mutex<Cache<Arc<Program>>>,
    /// Programs that the thread looks at whenever it is woken.
    waiting: Mutex<Waiting>,
    target: Arc<str>,
    totals: Arc<Totals>,
    stop: AtomicBool,
}

/// What programs tell their engine; seldom, so that they may share it.
#[derive(Default, Debug)]
struct Totals {
    timeouts: AtomicU64,
    given_up: AtomicU64,
}

/// Vertices that run out of time before native code is given up, if they are this share of all.
const TIMEOUTS: u64 = 64;
const TIMEOUT_SHARE: u64 = 4;

/// Programs that have not been compiled.
#[derive(Default)]
struct Waiting {
    programs: Vec<Weak<Program>>,
    /// Those that lived when the dead ones were last thrown out.
    living: usize,
}

impl Waiting {
    fn push(&mut self, program: &Arc<Program>) {
        // A dead entry holds the memory of its program, so there may be only some. Looking for them each time takes long.
        if self.programs.len() >= self.living + self.living / 4 + 64 {
            self.sweep();
        }
        self.programs.push(Arc::downgrade(program));
    }

    fn sweep(&mut self) {
        self.programs.retain(|program| program.strong_count() > 0);
        self.living = self.programs.len();
        self.programs.shrink_to(2 * self.living + 64);
    }

    /// A program that has run often enough to be compiled. It is held from the moment it is looked at: another one is
    /// chosen if it goes before.
    fn take_hot(&mut self) -> Option<Arc<Program>> {
        self.sweep();
        let mut programs = self.programs.iter().enumerate();
        let (index, program) = programs.find_map(|(index, program)| {
            Some((index, program.upgrade().filter(|program| program.is_hot())?))
        })?;
        self.programs.swap_remove(index);
        Some(program)
    }
}

impl Shared {
    fn cache(&self) -> MutexGuard<'_, Cache<Arc<Program>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compiles a program and publishes the result.
    fn prepare(&self, program: &Program) {
        let start = Instant::now();
        // Backends of others need not know that the environment is the caller's.
        let prepare = || self.backend.prepare_beside(&program.code, &program.interpreted);
        let result = FpEnv::Default.within(prepare);
        self.cache().record_compile(result.is_ok(), start.elapsed());
        // Set once: only one thread prepares a program.
        let _ = program.native.set(result);
    }

    /// The thread: compiles programs that have become hot, until the engine goes.
    fn serve(&self) {
        // A thread starts in the environment of the one that made it.
        let _env = FpGuard::enter(FpEnv::Default);
        while !self.stop.load(Ordering::Acquire) {
            let hot = self.waiting().take_hot();
            match hot {
                Some(program) => {
                    self.prepare(&program);
                    // It was weighed when nobody knew what its code takes.
                    let key = Key::new(&program.code, &self.target);
                    let is_it = |kept: &Arc<Program>| Arc::ptr_eq(kept, &program);
                    self.cache().reweigh(&key, is_it, program.bytes());
                }
                None => std::thread::park(),
            }
        }
    }
}

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
    code: Code,
    interpreted: Interpreted,
    native: OnceLock<Result<Arc<dyn Routine>, CompileError>>,
    /// Whom to wake when the program becomes hot, and after how many vertices.
    compiler: OnceLock<Thread>,
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
    fn new(code: Code, compile: Compile, totals: Arc<Totals>) -> Self {
        let threshold = match compile {
            Compile::Now => u64::MAX,
            Compile::Background { threshold } => threshold,
        };
        Program {
            interpreted: Interpreted::new(&code, Interp::Batched),
            code,
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
        let outcome = match worker.slot_budget {
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
    fn wake_compiler(&self) {
        if let Some(compiler) = self.compiler.get() {
            compiler.unpark();
        }
    }

    /// Whether it has run often enough to be compiled.
    fn is_hot(&self) -> bool {
        self.vertices.load(Ordering::Relaxed) >= self.threshold
    }

    /// The attributes that it reads, as a mask: nobody needs to fetch the others.
    pub fn live_inputs(&self) -> u16 {
        self.interpreted.live_inputs()
    }

    /// What it was prepared for.
    pub fn code(&self) -> &Code {
        &self.code
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
    fn bytes(&self) -> usize {
        // A program that will be compiled later is counted as one page of code.
        let code = match self.native.get() {
            Some(Ok(routine)) => routine.cost().memory_bytes,
            Some(Err(_)) => 0,
            None => 4096,
        };
        size_of::<Self>() + self.code.bytes() + self.interpreted.bytes() + code
    }
}
