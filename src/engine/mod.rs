//! The engine: it looks up and compiles a program once, and the program runs many times.
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
//! let mut results = [0; 20];
//! program.run(&mut worker, &mut context, &inputs, &mut Outputs::interleaved(&mut results, &[0]))?;
//! assert_eq!(f32::from_bits(results[1]), 4.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Resolve a [`Program`] handle before the draw. Running it takes no lock, computes no hash and allocates no memory (invariant I9). Making
//! and running a handle take at most 64 KiB of the caller's stack (128 where [`Options::verify`] finds a difference). A compilation needs
//! more; if less than 512 KiB are left, it gets a thread of its own. With [`Compile::Background`], a program runs in the interpreter until a
//! thread of the engine has compiled it. Results are identical before and after compilation.

#[doc(hidden)]
pub mod cache;
mod counters;
mod finder;
mod fold;
mod guards;
mod handles;
#[doc(hidden)]
pub mod key;
mod label;
mod list;
mod lockstep;
mod parallel;
mod profile;
mod program;
mod stats;
mod thread;
mod tier;
mod verify;
mod waiting;
mod warm;
mod watch;

pub use cache::CacheStats;
pub use counters::TierTime;
pub use finder::{Finder, Slots};
pub use guards::{Example, Found, Guarded, Operand, Why};
pub(crate) use handles::Handles;
#[cfg(feature = "jit")]
pub(crate) use label::misleads;
pub use label::{LabelError, MOST_LABEL, check_label};
pub use list::ProgramList;
pub use lockstep::Lockstep;
pub use parallel::Parts;
pub use profile::{Profile, ProgramProfile, Tier};
pub use program::Program;
pub use stats::ProgramStats;
pub use tier::{Compile, Event, Hook, Job};
pub use verify::Verify;
#[cfg(feature = "jit")]
pub(crate) use watch::Batch;
pub(crate) use watch::Which;

use cache::Cache;
use fold::{Folded, Folding};
use key::Key;
use program::{Native, Totals};
use verify::Verified;
use waiting::Waiting;

#[cfg(feature = "jit")]
use crate::attach::{Attach, Attached};
#[cfg(feature = "jit")]
use crate::perf::Perf;
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Instant;
#[cfg(feature = "jit")]
use xfjit_core::backend::CompileError;
use xfjit_core::backend::{Backend, Interp, Routine, Runs};
use xfjit_core::front::Microcode;
use xfjit_core::front::fixed::Setup;
#[cfg(doc)]
use xfjit_core::shader::Worker;
use xfjit_core::shader::{Rows, Shader};
use xfjit_isa::config::Config;
use xfjit_isa::isa::{self, DecodeError};
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
#[cfg(doc)]
use xfjit_runtime::state::Context;

/// The default size limit of the cache.
const CACHE_BYTES: usize = 64 << 20;

/// The options of an engine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The back end that runs programs. The interpreter runs programs that it rejects.
    pub backend: Arc<dyn Backend>,
    /// When programs are compiled.
    pub compile: Compile,
    /// The size limit of the cache in bytes.
    pub cache_bytes: usize,
    /// The limit of slots that a vertex may execute, whatever a program or its guest requests: [`Config::timeout`] is lowered to this.
    /// Kelvin's programs have no loops, and no timeout. See also [`Worker::set_slot_budget`].
    pub slot_limit: u16,
    /// Whether native code is compared with the interpreter from time to time. If they differ, the run returns the interpreter's results,
    /// and the program leaves native code for good. This has no effect if all back ends are interpreters, as without the feature `jit`.
    pub verify: Option<Verify>,
    /// The hook that receives events about programs.
    pub hook: Option<Hook>,
    /// n: a worker measures the time of one batch in n, chosen at random, and of every batch of at least 8192 vertices; 0: of no batch.
    /// [`Engine::profile`] reports the times.
    pub time_one_in: u32,
    /// The number of vertex groups to keep for each program, of those that native code has left to run again; 0: none.
    /// [`Engine::profile`] uses them to find out which guards they raise. Each group takes as much memory as the program's constants and
    /// the attributes of a group.
    pub guard_looks: usize,
    /// The number of vertices of a program that raise guards in its native code before its slow path is compiled: native code that is right
    /// for any operand, and runs such groups again. Until then, and for programs without one, the interpreter does so. Programs that write
    /// constants, branch at run time or are made of the lighting engine's operations have no slow path. [`Options::compile`] says which
    /// thread compiles it; with [`Compile::Now`], the run in which the number is reached does so at its end. [`u64::MAX`]: off.
    pub slow_path_after: u64,
    /// n: rows of constants that hold the same words in n runs of a program's native code become literals of a further routine. That
    /// routine runs the program as long as the rows hold these words. It has no products with 0 and 1, and no operations on constants
    /// alone. Each run compares the words, so the caller need not report changes, and results are the same. [`Options::compile`] says which
    /// thread compiles; with [`Compile::Now`] and [`Compile::Inline`], the run that finds the rows unchanged compiles. Rows are looked at
    /// in runs that are chosen like those to be timed ([`Options::time_one_in`]; if none is timed, in one of 65536), less and less often if
    /// the rows change all the time. A program gets at most four such routines, and all programs together at most a quarter of
    /// [`Options::cache_bytes`]. Programs that write constants have no such routine, and rows that are read relative to an address register
    /// do not become literals. [`u64::MAX`]: off; this is the default, except for [`Options::background`].
    pub fold_after: u64,
    /// What reports generated code to Linux's `perf`, if anything.
    #[cfg(feature = "jit")]
    pub perf: Option<Perf>,
    /// The file that others attach to, to see what programs do ([`attach`](crate::attach), `xfjit prof --attach`). Then each batch is timed
    /// and recorded, which takes some 1,700 instructions, and now and then guards are looked for, which takes memory and a lock. Without one, the environment variable
    /// `XFJIT_ATTACH` may ask for it; [`Engine::attached`] says what came of that. It costs nothing if nobody asks.
    #[cfg(feature = "jit")]
    pub attach: Option<Attach>,
}

impl Default for Options {
    /// Native code if this host supports it, compiled at once, and a cache of 64 MiB.
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
            slow_path_after: 4096,
            fold_after: u64::MAX,
            #[cfg(feature = "jit")]
            perf: None,
            #[cfg(feature = "jit")]
            attach: None,
        }
    }
}

impl Options {
    /// These options with some fields changed. The struct may get more fields in later versions.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Options for native code in the given instruction set. Results are the same in each. Programs that are compiled in the background
    /// take the time for better code, as with [`Options::background`]; choose the time of compilation first.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine or this build does not support it.
    #[cfg(feature = "jit")]
    pub fn instructions(self, set: xfjit_native::InstructionSet) -> Result<Self, CompileError> {
        use xfjit_native::{Budget, Jit};
        let budget = match self.compile {
            Compile::Background { .. } | Compile::Handed { .. } => Budget::PATIENT,
            Compile::Now | Compile::Inline { .. } => Budget::default(),
        };
        Ok(Options { backend: Arc::new(Jit::of(set)?.budget(budget)), ..self })
    }

    /// Options for native code that a thread of the engine compiles after a program has run `threshold` vertices. No run waits for the
    /// compilation, so it takes the time for better code: `Budget::PATIENT`.
    pub fn background(threshold: u64) -> Self {
        #[cfg(feature = "jit")]
        let backend = native(xfjit_native::Budget::PATIENT);
        #[cfg(not(feature = "jit"))]
        let backend = default_backend();
        Options {
            backend,
            compile: Compile::Background { threshold },
            slow_path_after: 256,
            fold_after: 1024,
            ..Options::default()
        }
    }
}

/// The fastest back end of this build and host.
pub fn default_backend() -> Arc<dyn Backend> {
    #[cfg(feature = "jit")]
    return native(xfjit_native::Budget::default());
    #[cfg(not(feature = "jit"))]
    Arc::new(Interp::Batched)
}

/// Native code, or the interpreter if this host does not support native code.
#[cfg(feature = "jit")]
fn native(budget: xfjit_native::Budget) -> Arc<dyn Backend> {
    match xfjit_native::Jit::host() {
        Ok(jit) => Arc::new(jit.budget(budget)),
        Err(_) => Arc::new(Interp::Batched),
    }
}

/// The back end; if something receives reports, one that knows the origins of code.
#[cfg(feature = "jit")]
fn in_sight(options: &Options) -> Arc<dyn Backend> {
    let wanted = options.perf.as_ref().is_some_and(Perf::wants_lines);
    let with_lines = if wanted { options.backend.with_lines() } else { None };
    with_lines.unwrap_or_else(|| Arc::clone(&options.backend))
}

/// Prepares and caches programs. Threads share an engine by reference.
///
/// Dropping an engine waits for its thread, if it has one ([`Compile::Background`]). In a [`Hook`] on that thread, dropping does not wait:
/// the thread ends after the hook has returned. In a process that was forked while the engine lived, programs can be run and everything can
/// be dropped, without waiting; what the thread of the other process held is not freed. Any other call may wait for a lock that nothing
/// holds any more.
pub struct Engine {
    shared: Arc<Shared>,
    slot_limit: u16,
    /// This ends with the engine.
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
    /// Creates an engine. With [`Compile::Background`] it starts a thread, which ends with the engine.
    pub fn new(options: Options) -> Self {
        let target: Arc<str> = options.backend.target().into();
        #[cfg(feature = "jit")]
        let (attach, unattached) = Attach::wanted(options.attach.clone());
        #[cfg(feature = "jit")]
        if let Some(attach) = &attach {
            attach.ring().target(&target);
        }
        let shared = Arc::new(Shared {
            #[cfg(feature = "jit")]
            backend: in_sight(&options),
            #[cfg(not(feature = "jit"))]
            backend: options.backend,
            #[cfg(feature = "jit")]
            perf: options.perf,
            #[cfg(feature = "jit")]
            attach,
            #[cfg(feature = "jit")]
            unattached,
            compile: options.compile,
            verify: options.verify,
            hook: options.hook,
            time_one_in: options.time_one_in,
            guard_looks: options.guard_looks,
            slow_path_after: options.slow_path_after,
            fold_after: options.fold_after,
            most_folded_bytes: options.cache_bytes / 4,
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

    /// Returns the handle of the microcode that runs from slot `start` of `words`. Handles are cached.
    ///
    /// # Errors
    /// Microcode that is not a program ([`DecodeError`]). It is not an error if a program cannot be compiled: it runs in
    /// the interpreter, see [`Program::refusal`].
    pub fn program(&self, words: &[u32], start: usize, config: &Config) -> Result<Arc<Program>, DecodeError> {
        let decoded = isa::decode_as(config.generation, config.reading(), words, start)?;
        Ok(self.decoded(decoded, config))
    }

    /// Returns the handle of a decoded program. Handles are cached. The instructions run as they are, even if words cannot express them.
    ///
    /// # Panics
    /// This call or the run panics if instructions that were not decoded name registers that the generation lacks.
    pub fn decoded(&self, decoded: isa::Program, config: &Config) -> Arc<Program> {
        self.shader(&Microcode::shader(&Arc::new(decoded), config))
    }

    /// Returns the handle of a configuration of the fixed function, from the same cache. It runs on a [`Context`] of
    /// [`xfjit_isa::chip::memory::rows`] rows, in the layout of [`xfjit_isa::chip::memory`].
    pub fn fixed(&self, setup: &Setup) -> Arc<Program> {
        self.shader(&Shader::from(*setup))
    }

    /// Returns the handle of any shader. Handles are cached.
    pub fn shader(&self, shader: &Shader) -> Arc<Program> {
        let program = self.handle(shader, true);
        if self.shared.compile == Compile::Now && !program.is_settled() {
            // A list that is being warmed has made the handle.
            self.shared.prepare(&program);
            if !self.shared.is_forked() {
                program.wait();
            }
        }
        program
    }

    /// The handle of a shader; with [`Compile::Now`] the code is made before others find it, unless it is left to the caller.
    fn handle(&self, shader: &Shader, has_code: bool) -> Arc<Program> {
        let shader = &shader.limited(self.slot_limit);
        let key = Key::new(shader, &self.shared.target);
        if let Some(program) = self.shared.cache().get(&key) {
            program.hits.fetch_add(1, Ordering::Relaxed);
            return program;
        }
        let compile = self.shared.compile;
        let program = Program::new(&key, &self.shared);
        let is_made = compile == Compile::Now && has_code && self.shared.make(&program);
        let bytes = program.bytes();
        let kept = self.shared.cache().insert(key, Arc::clone(&program), bytes);
        let is_kept = Arc::ptr_eq(&kept, &program);
        // Only now: who hears of it may look it up. Of another handle somebody else tells.
        if is_made && is_kept {
            self.shared.tell_made(&program);
        }
        if is_kept && compile != Compile::Now {
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

    /// Whether the back end makes machine code.
    pub(crate) fn makes_code(&self) -> bool {
        self.shared.backend.runs() == Runs::Native
    }

    /// The programs in the cache, the most recently used first.
    pub fn programs(&self) -> Vec<Arc<Program>> {
        self.shared.cache().values().cloned().collect()
    }

    /// A profile of the programs in the cache, and of the cache itself. Making it takes a while ([`Program::profile`]); the engine and its
    /// programs can be used meanwhile.
    pub fn profile(&self) -> Profile {
        let programs = self.programs();
        Profile {
            target: self.shared.target.to_string(),
            cache: self.stats(),
            programs: programs.iter().map(|program| program.profile()).collect(),
        }
    }

    /// Whether others can attach to this engine, and how ([`Options::attach`]).
    #[cfg(feature = "jit")]
    pub fn attached(&self) -> Attached<'_> {
        match (&self.shared.attach, &self.shared.unattached) {
            (Some(attach), _) => Attached::File(attach.path()),
            (None, Some(why)) => Attached::Failed(why),
            (None, None) => Attached::Off,
        }
    }

    /// The slots that vertices have executed as overtime so far ([`CacheStats::overtime`]). This call is cheap.
    pub fn overtime(&self) -> u64 {
        self.shared.totals.overtime.load(Ordering::Relaxed)
    }

    /// Counters of the cache, the compiler and the programs.
    pub fn stats(&self) -> CacheStats {
        let Totals { timeouts, overtime, given_up, verified, barred, folded, .. } = &*self.shared.totals;
        CacheStats {
            timeouts: timeouts.load(Ordering::Relaxed),
            overtime: overtime.load(Ordering::Relaxed),
            given_up: given_up.load(Ordering::Relaxed),
            verified: verified.load(Ordering::Relaxed),
            barred: barred.load(Ordering::Relaxed),
            folded: folded.load(Ordering::Relaxed),
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
    slow_path_after: u64,
    fold_after: u64,
    /// Bytes of routines with constants as literals, of all programs.
    most_folded_bytes: usize,
    #[cfg(feature = "jit")]
    perf: Option<Perf>,
    /// What others attach to, and why they cannot.
    #[cfg(feature = "jit")]
    attach: Option<Attach>,
    #[cfg(feature = "jit")]
    unattached: Option<String>,
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

    /// Tells that a program is compiled, or refused. A listener may look it up, which compiles it again if the cache has no room for
    /// it; that is not told.
    fn tell_made(&self, program: &Arc<Program>) {
        thread_local! {
            static TOLD: RefCell<Vec<Arc<Program>>> = const { RefCell::new(Vec::new()) };
        }
        struct Telling;
        impl Drop for Telling {
            fn drop(&mut self) {
                TOLD.with_borrow_mut(|told| told.pop());
            }
        }
        let is_it = |told: &Arc<Program>| told.shader == program.shader;
        if self.hook.is_none() || TOLD.with_borrow(|told| told.iter().any(is_it)) {
            return;
        }
        TOLD.with_borrow_mut(|told| told.push(Arc::clone(program)));
        let _telling = Telling;
        self.tell(match program.compiled() {
            Some(_) => Event::Compiled(program),
            None => Event::Refused(program),
        });
    }

    /// Compiles a program, publishes the result and tells it, unless somebody does so already.
    fn prepare(&self, program: &Arc<Program>) {
        if self.make(program) {
            self.tell_made(program);
        }
    }

    /// Compiles a program and publishes the result, unless somebody does so already; whether it was this call.
    fn make(&self, program: &Arc<Program>) -> bool {
        let Some(claim) = program.claim() else { return false };
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
            let verified = self.verified(program, &key, &routine);
            let rows = if program.shader.is_serial() { Rows::NONE } else { routine.rows_read() };
            let folding = Folding::new(&rows, self.fold_after, &self.totals);
            Native { routine, verified, folding, slow: OnceLock::new() }
        });
        claim.settle(native);
        if let Some(watch) = &program.watch {
            match program.refusal() {
                Some(error) => watch.refused(error),
                None => program.routine().into_iter().for_each(|routine| watch.made(Which::Native, routine)),
            }
        }
        // It was weighed when nobody knew what its code takes.
        let is_it = |kept: &Arc<Program>| Arc::ptr_eq(kept, program);
        self.cache().reweigh(&key, is_it, program.bytes());
        true
    }

    /// Compiles whatever a program waits for.
    fn prepare_all(&self, program: &Arc<Program>) {
        self.prepare(program);
        self.prepare_slow(program);
        self.prepare_folded(program);
    }

    /// A routine of a program beside the interpreter, if they are to be compared.
    fn verified(
        &self,
        program: &Arc<Program>,
        key: &Key,
        routine: &Arc<dyn Routine>,
    ) -> Option<Box<Verified>> {
        let verify = self.verify.as_ref()?;
        let interpreted = Arc::new(program.interpreted.clone());
        let (shader, file) = (program.shader.clone(), lockstep::file_name(key, &program.shader));
        Some(Box::new(Verified::new(verify, shader, [interpreted, Arc::clone(routine)], file)))
    }

    /// Compiles a routine of a program with rows of constants as literals, if some have stayed for long enough.
    fn prepare_folded(&self, program: &Arc<Program>) {
        let Some(native) = program.compiled() else { return };
        let folding = &native.folding;
        let Some(literals) = folding.claim() else { return };
        let key = Key::new(&program.shader, &self.target);
        // It takes about as much as what it stands beside.
        let has_room = folding.has_room(native.routine.cost().memory_bytes, self.most_folded_bytes);
        let start = Instant::now();
        let prepare = || self.backend.prepare_folded(&program.shader, &program.interpreted, &literals);
        let routine = if has_room { FpEnv::Default.within(prepare) } else { None };
        self.cache().record_further(start.elapsed());
        let useful = routine.filter(|routine| Folded::is_useful(&**routine, &*native.routine));
        let folded = useful.map(|routine| {
            #[cfg(feature = "jit")]
            if let Some(perf) = &self.perf {
                perf.add(&format!("{}-folded", program.name()), &program.shader, &*routine);
            }
            if let Some(watch) = &program.watch {
                watch.made(Which::Literals, &*routine);
            }
            let verified = self.verified(program, &key, &routine);
            Folded::new(routine, verified, &literals)
        });
        folding.settle(folded, program.batches());
        if let Some(slow) = native.slow.get() {
            native.back_with(Arc::clone(slow));
        }
        let is_it = |kept: &Arc<Program>| Arc::ptr_eq(kept, program);
        self.cache().reweigh(&key, is_it, program.bytes());
    }

    /// Compiles the slow path of a program that has asked for it, and gives it to its native code, unless somebody does so already.
    fn prepare_slow(&self, program: &Arc<Program>) {
        let Some(native) = program.claim_slow() else { return };
        let start = Instant::now();
        let prepare = || self.backend.prepare_slow(&program.shader, &program.interpreted);
        let slow = FpEnv::Default.within(prepare);
        let Some(slow) = slow else { return };
        self.cache().record_further(start.elapsed());
        #[cfg(feature = "jit")]
        if let Some(perf) = &self.perf {
            perf.add(&format!("{}-slow", program.name()), &program.shader, &*slow);
        }
        if let Some(watch) = &program.watch {
            watch.made(Which::Slow, &*slow);
        }
        native.back_with(slow);
        let key = Key::new(&program.shader, &self.target);
        let is_it = |kept: &Arc<Program>| Arc::ptr_eq(kept, program);
        self.cache().reweigh(&key, is_it, program.bytes());
    }

    /// The thread: compiles programs that have become hot, until the engine goes.
    fn serve(&self) {
        // A thread starts in the environment of the one that made it.
        let _env = FpGuard::enter(FpEnv::Default);
        while !self.stop.load(Ordering::Acquire) {
            let hot = self.waiting().take_hot();
            match hot {
                // A panic of the compiler, or of who hears of the result, is that of one program: others go on.
                Some(program) => {
                    let _ = catch_unwind(AssertUnwindSafe(|| self.prepare_all(&program)));
                }
                None => std::thread::park(),
            }
        }
    }
}
