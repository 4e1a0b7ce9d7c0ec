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

pub mod cache;
mod finder;
pub mod key;
pub mod lockstep;
mod program;
mod waiting;

pub use finder::{Finder, Slots};
pub use program::{Program, ProgramStats};

use cache::{Cache, CacheStats};
use key::Key;
use program::Totals;
use waiting::Waiting;

use crate::backend::{Backend, Interp};
use crate::config::Config;
use crate::front::Microcode;
use crate::front::fixed::Setup;
use crate::isa::{self, DecodeError};
use crate::shader::Shader;
#[cfg(doc)]
use crate::shader::Worker;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
#[cfg(doc)]
use xfjit_runtime::state::Context;

/// When programs are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
    /// Nobody waits for that, so it takes the time for better code: `native::Budget::PATIENT`.
    pub fn background(threshold: u64) -> Self {
        #[cfg(feature = "jit")]
        let backend = native(crate::native::Budget::PATIENT);
        #[cfg(not(feature = "jit"))]
        let backend = default_backend();
        Options { backend, compile: Compile::Background { threshold }, ..Options::default() }
    }
}

/// The fastest backend of this build and host.
pub fn default_backend() -> Arc<dyn Backend> {
    #[cfg(feature = "jit")]
    return native(crate::native::Budget::default());
    #[cfg(not(feature = "jit"))]
    Arc::new(Interp::Batched)
}

/// Native code, or the interpreter if this host has none.
#[cfg(feature = "jit")]
fn native(budget: crate::native::Budget) -> Arc<dyn Backend> {
    match crate::native::Jit::host() {
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
    /// [`crate::chip::memory::rows`] rows, laid out as [`crate::chip::memory`] tells.
    pub fn fixed(&self, setup: &Setup) -> Arc<Program> {
        self.shader(&Shader::from(*setup))
    }

    /// The handle of whatever vertices run through; cached.
    pub fn shader(&self, shader: &Shader) -> Arc<Program> {
        let shader = &shader.limited(self.slot_limit);
        let key = Key::new(shader, &self.target);
        if let Some(program) = self.shared.cache().get(&key) {
            return program;
        }
        let totals = Arc::clone(&self.shared.totals);
        let program = Arc::new(Program::new(shader.canonical(), self.compile, totals));
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

    /// Compiles a program on this thread, unless that has been done. For those who know what will run: with
    /// [`Compile::Background`] it would be compiled once it has run often enough, or soon ([`Program::want_native`]); with
    /// [`Compile::Now`] it was compiled when it was made.
    pub fn compile(&self, program: &Program) {
        if program.native.get().is_none() {
            self.shared.prepare(program);
        }
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
        let prepare = || self.backend.prepare_beside(&program.shader, &program.interpreted);
        let result = FpEnv::Default.within(prepare);
        self.cache().record_compile(result.is_ok(), start.elapsed());
        // Set once: of two threads that prepare a program the first one's code is kept.
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
                    let key = Key::new(&program.shader, &self.target);
                    let is_it = |kept: &Arc<Program>| Arc::ptr_eq(kept, &program);
                    self.cache().reweigh(&key, is_it, program.bytes());
                }
                None => std::thread::park(),
            }
        }
    }
}
