//! Programs resolved once, run many times.
//!
//! ```
//! use xfjit::{asm, Config, Engine, Generation, Options, Worker, isa};
//! use xfjit::runtime::{batch::{Attribute, Inputs, Outputs}, state::Context};
//!
//! let program = asm::parse(Generation::Kelvin, "MUL oPos, v0, c[0]").unwrap();
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

#[doc(hidden)]
pub mod cache;
mod counters;
mod finder;
mod guards;
mod handles;
#[doc(hidden)]
pub mod key;
mod list;
mod lockstep;
mod profile;
mod program;
mod stats;
mod thread;
mod tier;
mod verify;
mod waiting;

pub use cache::CacheStats;
pub use counters::TierTime;
pub use finder::{Finder, Slots};
pub use guards::{Example, Found, Guarded, Operand, Why};
pub(crate) use handles::Handles;
pub use list::ProgramList;
pub use lockstep::Lockstep;
pub use profile::{Profile, ProgramProfile, Tier};
pub use program::Program;
pub use stats::ProgramStats;
pub use tier::{Compile, Event, Hook, Job};
pub use verify::Verify;

use cache::Cache;
use key::Key;
use program::{Native, Totals};
use verify::Verified;
use waiting::Waiting;

#[cfg(feature = "jit")]
use crate::perf::Perf;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Instant;
#[cfg(feature = "jit")]
use xfjit_core::backend::CompileError;
use xfjit_core::backend::{Backend, Interp, Runs};
use xfjit_core::front::Microcode;
use xfjit_core::front::fixed::Setup;
use xfjit_core::shader::Shader;
#[cfg(doc)]
use xfjit_core::shader::Worker;
use xfjit_isa::config::Config;
use xfjit_isa::isa::{self, DecodeError};
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
#[cfg(doc)]
use xfjit_runtime::state::Context;

/// The default bound of the cache.
const CACHE_BYTES: usize = 64 << 20;

/// How an engine works.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// Whether native code is compared with the interpreter now and then. On a difference the interpreter's results stand,
    /// and the program leaves native code for good. Without effect where all backends are interpreters: without the feature
    /// `jit`.
    pub verify: Option<Verify>,
    /// Who hears of what happens to programs.
    pub hook: Option<Hook>,
    /// Of so many batches that a worker runs, one is timed, chosen at random, and all of 8192 vertices and more; 0: none is.
    /// [`Engine::profile`].
    pub time_one_in: u32,
    /// Of each program, so many groups of vertices are kept that native code has left to the interpreter, to find out which guards they
    /// raise when somebody asks ([`Engine::profile`]); 0: none. Each takes as much memory as the program's constants and the attributes
    /// of a group.
    pub guard_looks: usize,
    /// Who tells Linux's `perf` of generated code, if anybody does.
    #[cfg(feature = "jit")]
    pub perf: Option<Perf>,
}

impl Default for Options {
    /// Native code if there is any for this host, at once, and 64 MiB of it.
    fn default() -> Self {
        Options {
            backend: default_backend(),
            compile: Compile::Now,
            cache_bytes: CACHE_BYTES,
            slot_limit: u16::MAX,
            verify: None,
            hook: None,
            time_one_in: 256,
            guard_looks: 4,
            #[cfg(feature = "jit")]
            perf: None,
        }
    }
}

impl Options {
    /// With some of its fields changed; the struct may get more of them.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Native code in an instruction set that one chooses; the bits are the same in each. Programs that are compiled in the
    /// background take the time for better code, as with [`Options::background`]: say when before.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine or this build has it not.
    #[cfg(feature = "jit")]
    pub fn instructions(self, set: xfjit_native::InstructionSet) -> Result<Self, CompileError> {
        use xfjit_native::{Budget, Jit};
        let budget = match self.compile {
            Compile::Background { .. } | Compile::Handed { .. } => Budget::PATIENT,
            Compile::Now | Compile::Inline { .. } => Budget::default(),
        };
        Ok(Options { backend: Arc::new(Jit::of(set)?.budget(budget)), ..self })
    }

    /// Native code as by default, but compiled on a thread of the engine once a program has run `threshold` vertices.
    /// Nobody waits for that, so it takes the time for better code: `Budget::PATIENT`.
    pub fn background(threshold: u64) -> Self {
        #[cfg(feature = "jit")]
        let backend = native(xfjit_native::Budget::PATIENT);
        #[cfg(not(feature = "jit"))]
        let backend = default_backend();
        Options { backend, compile: Compile::Background { threshold }, ..Options::default() }
    }
}

/// The fastest backend of this build and host.
pub fn default_backend() -> Arc<dyn Backend> {
    #[cfg(feature = "jit")]
    return native(xfjit_native::Budget::default());
    #[cfg(not(feature = "jit"))]
    Arc::new(Interp::Batched)
}

/// Native code, or the interpreter if this host has none.
#[cfg(feature = "jit")]
fn native(budget: xfjit_native::Budget) -> Arc<dyn Backend> {
    match xfjit_native::Jit::host() {
        Ok(jit) => Arc::new(jit.budget(budget)),
        Err(_) => Arc::new(Interp::Batched),
    }
}

/// The backend, one that knows where code comes from if somebody is told.
#[cfg(feature = "jit")]
fn in_sight(options: &Options) -> Arc<dyn Backend> {
    let wanted = options.perf.as_ref().is_some_and(Perf::wants_lines);
    let with_lines = if wanted { options.backend.with_lines() } else { None };
    with_lines.unwrap_or_else(|| Arc::clone(&options.backend))
}

/// Prepares and caches programs. Shared between threads by reference.
///
/// Dropping one waits for its thread, if it has one ([`Compile::Background`]), except on that thread itself, in a [`Hook`]: then the
/// thread ends when the hook has returned. In a process that was forked while the engine lived, programs can be run and
/// everything can be dropped, which waits for nothing; what the thread of the other process held is not freed. Anything else may
/// wait for a lock that nobody holds any more.
pub struct Engine {
    shared: Arc<Shared>,
    slot_limit: u16,
    /// Ends with the engine.
    _thread: Option<thread::Own>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("target", &self.shared.target)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine; with [`Compile::Background`] it starts a thread, which ends with it.
    pub fn new(options: Options) -> Self {
        let target: Arc<str> = options.backend.target().into();
        let shared = Arc::new(Shared {
            #[cfg(feature = "jit")]
            backend: in_sight(&options),
            #[cfg(not(feature = "jit"))]
            backend: options.backend,
            #[cfg(feature = "jit")]
            perf: options.perf,
            compile: options.compile,
            verify: options.verify,
            hook: options.hook,
            time_one_in: options.time_one_in,
            guard_looks: options.guard_looks,
            cache: Mutex::new(Cache::new(options.cache_bytes)),
            waiting: Mutex::default(),
            target,
            totals: Arc::default(),
            stop: AtomicBool::new(false),
            process: thread::process(),
            thread: OnceLock::new(),
        });
        let thread = match options.compile {
            Compile::Background { .. } => thread::Own::start(&shared),
            Compile::Now | Compile::Handed { .. } | Compile::Inline { .. } => None,
        };
        Engine { shared, slot_limit: options.slot_limit, _thread: thread }
    }

    /// The handle of the microcode that runs from slot `start` of `words`; cached.
    ///
    /// # Errors
    /// Microcode that is no program ([`DecodeError`]). A program that cannot be compiled is no error: it runs in
    /// the interpreter, see [`Program::refusal`].
    pub fn program(&self, words: &[u32], start: usize, config: &Config) -> Result<Arc<Program>, DecodeError> {
        let decoded = isa::decode_as(config.generation, config.reading(), words, start)?;
        Ok(self.decoded(decoded, config))
    }

    /// The handle of a decoded program; cached. Instructions need not be such as words express: they run as they are.
    ///
    /// # Panics
    /// Here or in the run, if instructions that were not decoded name registers that the generation lacks.
    pub fn decoded(&self, decoded: isa::Program, config: &Config) -> Arc<Program> {
        self.shader(&Microcode::shader(&Arc::new(decoded), config))
    }

    /// The handle of a configuration of the fixed function; cached among the programs. It runs on a [`Context`] of
    /// [`xfjit_isa::chip::memory::rows`] rows, laid out as [`xfjit_isa::chip::memory`] tells.
    pub fn fixed(&self, setup: &Setup) -> Arc<Program> {
        self.shader(&Shader::from(*setup))
    }

    /// The handle of whatever vertices run through; cached.
    pub fn shader(&self, shader: &Shader) -> Arc<Program> {
        let shader = &shader.limited(self.slot_limit);
        let key = Key::new(shader, &self.shared.target);
        if let Some(program) = self.shared.cache().get(&key) {
            program.hits.fetch_add(1, Ordering::Relaxed);
            return program;
        }
        let compile = self.shared.compile;
        let program = Program::new(&key, &self.shared);
        if compile == Compile::Now {
            self.shared.prepare(&program);
        }
        let bytes = program.bytes();
        let kept = self.shared.cache().insert(key, Arc::clone(&program), bytes);
        if Arc::ptr_eq(&kept, &program) && compile != Compile::Now {
            if let Compile::Background { .. } = compile {
                self.shared.waiting().push(&program);
            }
            // Another thread may have found it in the cache and run it hot by now.
            if program.is_hot() {
                program.promote();
            }
        }
        kept
    }

    /// Has programs compiled that have no native code yet, however little they have run: by whoever does so
    /// ([`Options::compile`]), or, to `wait` for it, here. Those that the backend has refused stay as they are.
    pub fn warm(&self, programs: &[Arc<Program>], wait: bool) {
        for program in programs {
            match self.shared.compile {
                Compile::Background { .. } | Compile::Handed { .. } if !wait => program.hasten(),
                _ => self.shared.prepare(program),
            }
        }
        if wait && !self.shared.is_forked() {
            // What another thread was compiling meanwhile.
            programs.iter().for_each(|program| program.wait());
        }
    }

    /// Whether its backend makes machine code.
    pub(crate) fn makes_code(&self) -> bool {
        self.shared.backend.runs() == Runs::Native
    }

    /// The programs that the cache holds, those used last first.
    pub fn programs(&self) -> Vec<Arc<Program>> {
        self.shared.cache().values().cloned().collect()
    }

    /// What the programs that the cache holds have done, one by one, with the cache itself. Making it takes a while
    /// ([`Program::profile`]), during which the engine and its programs can be used.
    pub fn profile(&self) -> Profile {
        let programs = self.programs();
        Profile {
            target: self.shared.target.to_string(),
            cache: self.stats(),
            programs: programs.iter().map(|program| program.profile()).collect(),
        }
    }

    /// Slots that vertices have executed as overtime so far ([`CacheStats::overtime`]), for those who ask often.
    pub fn overtime(&self) -> u64 {
        self.shared.totals.overtime.load(Ordering::Relaxed)
    }

    /// What cache, compiler and programs have done so far.
    pub fn stats(&self) -> CacheStats {
        let Totals { timeouts, overtime, given_up, verified, barred } = &*self.shared.totals;
        CacheStats {
            timeouts: timeouts.load(Ordering::Relaxed),
            overtime: overtime.load(Ordering::Relaxed),
            given_up: given_up.load(Ordering::Relaxed),
            verified: verified.load(Ordering::Relaxed),
            barred: barred.load(Ordering::Relaxed),
            ..self.shared.cache().stats()
        }
    }
}

/// What the engine, its programs and its thread have in common.
struct Shared {
    backend: Arc<dyn Backend>,
    compile: Compile,
    verify: Option<Verify>,
    hook: Option<Hook>,
    time_one_in: u32,
    guard_looks: usize,
    #[cfg(feature = "jit")]
    perf: Option<Perf>,
    cache: Mutex<Cache<Arc<Program>>>,
    /// Programs that the thread looks at whenever it is woken.
    waiting: Mutex<Waiting>,
    target: Arc<str>,
    totals: Arc<Totals>,
    stop: AtomicBool,
    /// The process in which it was made.
    process: u32,
    /// The one that compiles, if there is one.
    thread: OnceLock<Thread>,
}

impl Shared {
    fn cache(&self) -> MutexGuard<'_, Cache<Arc<Program>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: Event<'_>) {
        if let Some(hook) = &self.hook {
            hook.call(event);
        }
    }

    /// Compiles a program and publishes the result, unless somebody does so already.
    fn prepare(&self, program: &Arc<Program>) {
        let Some(claim) = program.claim() else { return };
        let start = Instant::now();
        // Backends of others need not know that the environment is the caller's.
        let prepare = || self.backend.prepare_beside(&program.shader, &program.interpreted);
        let result = FpEnv::Default.within(prepare);
        self.cache().record_compile(result.is_ok(), start.elapsed());
        #[cfg(feature = "jit")]
        if let (Some(perf), Ok(routine)) = (&self.perf, &result) {
            perf.add(&program.name(), &program.shader, &**routine);
        }
        let key = Key::new(&program.shader, &self.target);
        let native = result.map(|routine| {
            let verified = self.verify.as_ref().map(|verify| {
                let interpreted = Arc::new(program.interpreted.clone());
                let (shader, file) = (program.shader.clone(), lockstep::file_name(&key, &program.shader));
                Box::new(Verified::new(verify, shader, [interpreted, Arc::clone(&routine)], file))
            });
            Native { routine, verified }
        });
        let is_native = native.is_ok();
        claim.settle(native);
        // It was weighed when nobody knew what its code takes.
        let is_it = |kept: &Arc<Program>| Arc::ptr_eq(kept, program);
        self.cache().reweigh(&key, is_it, program.bytes());
        self.tell(if is_native { Event::Compiled(program) } else { Event::Refused(program) });
    }

    /// The thread: compiles programs that have become hot, until the engine goes.
    fn serve(&self) {
        // A thread starts in the environment of the one that made it.
        let _env = FpGuard::enter(FpEnv::Default);
        while !self.stop.load(Ordering::Acquire) {
            let hot = self.waiting().take_hot();
            match hot {
                Some(program) => self.prepare(&program),
                None => std::thread::park(),
            }
        }
    }
}
