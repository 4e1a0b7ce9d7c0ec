//! The engine.

use crate::export::functions;
use crate::handle::handle;
use crate::lent;
use crate::program::xfjit_program;
use crate::sized::{Record, Sized32};
use crate::status::{Failure, argument, call, count, unsupported, xfjit_status};
use crate::table::{constants, record};
use crate::tiers::{
    self, Callbacks, XFJIT_COMPILE_INLINE, XFJIT_COMPILE_JOB, XFJIT_COMPILE_THREAD, XFJIT_LOG_DEBUG,
    XFJIT_LOG_ERROR, XFJIT_LOG_INFO, xfjit_heard, xfjit_hot, xfjit_log,
};
use std::ffi::{c_char, c_void};
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::engine::Verify;
use xfjit::runtime::batch::StreamError;
use xfjit::{Compile, Engine, Options};

handle! { ENGINE =
    /// An engine prepares programs and keeps them in a cache. Any number of threads may use it at the same time. It lives until
    /// xfjit_engine_destroy. Its cache and its thread live on while any of its workers or units lives.
    Owned xfjit_engine(b"xfengine", "engine") { engine: Arc<Engine> }
}

impl xfjit_engine {
    /// The engine. The call has it from now on, since a callback may end the handle meanwhile.
    pub(crate) fn get(&self) -> Arc<Engine> {
        Arc::clone(&self.engine)
    }
}

constants! {
    /// The back end that runs programs (xfjit_options.backend).
    BACKENDS: u32;
    /// Run native code where it is available, and the interpreter elsewhere.
    XFJIT_BACKEND_BEST = 0;
    /// Use only the interpreter.
    XFJIT_BACKEND_INTERPRETER = 1;
}

constants! {
    /// The instruction set of native code (xfjit_options.instructions). All give the same results.
    INSTRUCTIONS: u32;
    /// The widest that this machine supports.
    XFJIT_INSTRUCTIONS_BEST = 0;
    /// x86-64 up to SSE4.2: vectors of four vertices.
    XFJIT_INSTRUCTIONS_X86_64_V2 = 1;
    /// x86-64 with AVX2: vectors of eight vertices.
    XFJIT_INSTRUCTIONS_X86_64_V3 = 2;
    /// x86-64 with AVX-512: vectors of sixteen vertices.
    XFJIT_INSTRUCTIONS_X86_64_V4 = 3;
    /// AArch64: vectors of four vertices.
    XFJIT_INSTRUCTIONS_AARCH64 = 4;
}

constants! {
    /// What the library reports to Linux's perf about generated code (xfjit_options.perf).
    PERF: u32;
    /// Nothing.
    XFJIT_PERF_NONE = 0;
    /// Report the names of programs, in /tmp/perf-PID.map. perf report finds this file by itself.
    XFJIT_PERF_MAP = 1;
    /// Report names, code, and lines of microcode, in jit-PID.dump in xfjit_options.perf_directory. Use perf record -k mono, then perf
    /// inject --jit. A process makes this file once in a directory; it stays when the engine ends.
    XFJIT_PERF_JITDUMP = 2;
}

record! {
    OPTIONS;
    /// The options of an engine. If everything but the size is zero, all have their defaults.
    struct xfjit_options {
        /// sizeof(xfjit_options)
        size: u32,
        /// XFJIT_BACKEND_*
        backend: u32,
        /// 0: the thread that asks for a program's handle compiles the program. Otherwise: the interpreter runs each program first, and the
        /// program is compiled after it has run this many vertices. Results are identical before and after compilation.
        compile_after: u64,
        /// The size limit of the cache in bytes; 0: 64 MiB.
        cache_bytes: u64,
        /// The limit of slots that a vertex may execute, whatever its program requests; 0: 65535.
        slot_limit: u32,
        /// XFJIT_COMPILE_*: who compiles if compile_after is not 0; 0 otherwise. Only for XFJIT_COMPILE_THREAD an engine has a thread that compiles.
        compile_by: u32,
        /// 0: off. n: the first of every n batches that a program runs in native code also runs in the interpreter. If the two differ, the
        /// call returns the interpreter's results, and the program never runs in native code again.
        verify_every: u64,
        /// Null, or the path (UTF-8) of a directory. The library writes the first difference of each program there, as a test file.
        verify_directory: *const c_char,
        /// Receives the jobs of XFJIT_COMPILE_JOB; otherwise null.
        hot: xfjit_hot,
        /// Null, or receives events (XFJIT_EVENT_*).
        heard: xfjit_heard,
        /// The library passes this pointer to all of these callbacks.
        user: *mut c_void,
        /// Null, or receives messages about events.
        log: xfjit_log,
        /// The least important level that log receives, as XFJIT_LOG_*; 0: XFJIT_LOG_INFO.
        log_level: u32,
        /// XFJIT_INSTRUCTIONS_*: the target of native code. If this host or library does not support it, the engine is not created.
        instructions: u32,
        /// n: a worker measures the time of one batch in n, for xfjit_engine_profile; 0: 256, 1: all, UINT32_MAX: none.
        time_one_in: u32,
        /// XFJIT_PERF_*: what Linux's perf learns about generated code. If the library cannot create the files, this is an error
        /// (XFJIT_E_FILE).
        perf: u32,
        /// For XFJIT_PERF_JITDUMP, the path (UTF-8) of a directory; the library creates it if necessary. Otherwise null.
        perf_directory: *const c_char,
        /// n: rows of constants that hold the same words in n runs of a program's native code become literals of a further routine. That
        /// routine runs the program as long as the rows hold these words. Each run compares the words in the caller's memory, so the caller
        /// need not report changes. Results are the same. 0: 1024 with XFJIT_COMPILE_THREAD and XFJIT_COMPILE_JOB if compile_after is not
        /// 0, otherwise off; UINT64_MAX: off.
        fold_after: u64,
        /// 1: write what programs do to a file that `xfjit prof --attach` reads while this process runs. All engines of the process share it. If
        /// it cannot be made, the engine is not created (XFJIT_E_FILE). 0: only if the environment variable XFJIT_ATTACH asks for it; then a file
        /// that cannot be made is no error.
        attach: u32,
        /// 0
        reserved: u32,
    }
}

impl Sized32 for xfjit_options {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_options";
    const ZERO: Self = Self::ZERO;
}

impl Record<'_, xfjit_options> {
    /// A directory that a member names, which has this name itself.
    fn directory(&self, member: *const c_char, name: &str) -> Result<&Path, Failure> {
        // SAFETY: the description of the record says that both of its directories are null or text that ends with a zero, and a `Record`
        // promises that for as long as it is borrowed.
        unsafe { lent::path(member, name) }
    }
}

fn wanted(given: Record<'_, xfjit_options>) -> Result<Options, Failure> {
    let threshold = given.compile_after;
    if threshold == 0 && given.compile_by != XFJIT_COMPILE_THREAD {
        return Err(argument("xfjit_options.compile_by requires compile_after, which is 0"));
    }
    if given.hot.is_some() != (given.compile_by == XFJIT_COMPILE_JOB) {
        return Err(argument("XFJIT_COMPILE_JOB requires xfjit_options.hot; hot is allowed only with it"));
    }
    let mut options = match (threshold, given.compile_by) {
        (0, _) => Options::default(),
        (_, XFJIT_COMPILE_THREAD) => Options::background(threshold),
        (_, XFJIT_COMPILE_JOB) => {
            Options::background(threshold).with(|options| options.compile = Compile::Handed { threshold })
        }
        (_, XFJIT_COMPILE_INLINE) => {
            Options::default().with(|options| options.compile = Compile::Inline { threshold })
        }
        (_, other) => {
            return Err(argument(format_args!("xfjit_options.compile_by: there is no {other}")));
        }
    };
    let (hot, heard, log, user) = (given.hot, given.heard, given.log, given.user);
    let level = match given.log_level {
        0 => XFJIT_LOG_INFO,
        level @ XFJIT_LOG_ERROR..=XFJIT_LOG_DEBUG => level,
        other => return Err(argument(format_args!("xfjit_options.log_level: there is no {other}"))),
    };
    options.hook = tiers::hook(Callbacks { hot, heard, log, level, user });
    let directory = match given.verify_directory.is_null() {
        true => None,
        false => Some(given.directory(given.verify_directory, "xfjit_options.verify_directory")?.to_owned()),
    };
    options.verify = NonZeroU64::new(given.verify_every).map(|every| Verify { every, directory });
    match given.backend {
        XFJIT_BACKEND_BEST => options = in_instructions(options, given.instructions)?,
        XFJIT_BACKEND_INTERPRETER if given.instructions != XFJIT_INSTRUCTIONS_BEST => {
            return Err(argument(
                "xfjit_options.instructions requires native code; set backend to XFJIT_BACKEND_BEST",
            ));
        }
        XFJIT_BACKEND_INTERPRETER => options.backend = Arc::new(Interp::Batched),
        other => return Err(argument(format_args!("xfjit_options.backend: there is no backend {other}"))),
    }
    // What is refused makes no files.
    if given.reserved != 0 {
        return Err(argument("xfjit_options.reserved is not 0"));
    }
    if given.attach > 1 {
        return Err(argument(format_args!("xfjit_options.attach: there is no {}", given.attach)));
    }
    options = with_perf(options, given)?;
    options = with_attach(options, given)?;
    options.time_one_in = match given.time_one_in {
        0 => options.time_one_in,
        u32::MAX => 0,
        one_in => one_in,
    };
    if given.fold_after > 0 {
        options.fold_after = given.fold_after;
    }
    if given.cache_bytes > 0 {
        options.cache_bytes = usize::try_from(given.cache_bytes).unwrap_or(usize::MAX);
    }
    if given.slot_limit > 0 {
        options.slot_limit = u16::try_from(given.slot_limit).unwrap_or(u16::MAX);
    }
    Ok(options)
}

/// Options with which perf is told of code.
fn with_perf(options: Options, given: Record<'_, xfjit_options>) -> Result<Options, Failure> {
    if given.perf_directory.is_null() == (given.perf == XFJIT_PERF_JITDUMP) {
        return Err(argument(
            "XFJIT_PERF_JITDUMP requires xfjit_options.perf_directory; perf_directory is allowed only with it",
        ));
    }
    #[cfg(feature = "jit")]
    {
        use crate::status::XFJIT_E_FILE;
        use xfjit::perf::Perf;
        let perf = match given.perf {
            XFJIT_PERF_NONE => return Ok(options),
            XFJIT_PERF_MAP => Perf::map(),
            XFJIT_PERF_JITDUMP => {
                Perf::jitdump(given.directory(given.perf_directory, "xfjit_options.perf_directory")?)
            }
            other => return Err(argument(format_args!("xfjit_options.perf: there is no {other}"))),
        };
        let perf = perf.map_err(|error| Failure::new(XFJIT_E_FILE, error))?;
        Ok(options.with(|options| options.perf = Some(perf)))
    }
    #[cfg(not(feature = "jit"))]
    match given.perf {
        XFJIT_PERF_NONE => Ok(options),
        _ => Err(unsupported("xfjit_options.perf: this library was built without native code")),
    }
}

/// Options of an engine to which others can attach.
fn with_attach(options: Options, given: Record<'_, xfjit_options>) -> Result<Options, Failure> {
    if given.attach == 0 {
        return Ok(options);
    }
    #[cfg(feature = "jit")]
    {
        let attach = xfjit::attach::Attach::new();
        let attach = attach.map_err(|error| Failure::new(crate::status::XFJIT_E_FILE, error))?;
        Ok(options.with(|options| options.attach = Some(attach)))
    }
    #[cfg(not(feature = "jit"))]
    Err(unsupported("xfjit_options.attach: this library was built without native code"))
}

/// Options with native code in an instruction set.
fn in_instructions(options: Options, instructions: u32) -> Result<Options, Failure> {
    if instructions == XFJIT_INSTRUCTIONS_BEST {
        return Ok(options);
    }
    if instructions > XFJIT_INSTRUCTIONS_AARCH64 {
        let text = format_args!("xfjit_options.instructions: there is no {instructions}");
        return Err(argument(text));
    }
    #[cfg(feature = "jit")]
    {
        use xfjit::InstructionSet::{Aarch64, X86_64V2, X86_64V3, X86_64V4};
        let set = match instructions {
            XFJIT_INSTRUCTIONS_X86_64_V2 => X86_64V2,
            XFJIT_INSTRUCTIONS_X86_64_V3 => X86_64V3,
            XFJIT_INSTRUCTIONS_X86_64_V4 => X86_64V4,
            _ => Aarch64,
        };
        options
            .instructions(set)
            .map_err(|error| unsupported(format_args!("xfjit_options.instructions: {error}")))
    }
    #[cfg(not(feature = "jit"))]
    Err(unsupported("xfjit_options.instructions: this library was built without native code"))
}

functions! {
    FUNCTIONS;
    /// Writes a profile of the programs in the engine's cache, as JSON: as much of it as fits, ended by a zero. The field schema is
    /// "xfjit.profile.1"; see PROFILING.md. Returns the full length without the zero, or 0 on an error. Programs that run meanwhile keep
    /// counting, so the next text may be longer. The call takes about as long as compiling the programs whose native code has left vertices
    /// to the interpreter. Any thread.
    fn xfjit_engine_profile(engine: *const xfjit_engine, text: *mut c_char, size: usize) -> usize {
        count(|| {
            let profile = engine.handle()?.get().profile().to_json();
            // SAFETY: `size` bytes are at `text`.
            unsafe { text.write_text(size, &profile) }
        })
    }
    /// Creates an engine. If options is null, all options have their defaults. Any thread.
    fn xfjit_engine_create(options: *const xfjit_options, engine: *mut *mut xfjit_engine) -> xfjit_status {
        call(|| {
            let engine = engine.out("engine")?;
            let options = match options.is_null() {
                true => Options::default(),
                false => wanted(options.borrow(&mut None)?)?,
            };
            engine.give(xfjit_engine::new(Arc::new(Engine::new(options))));
            Ok(())
        })
    }
    /// Destroys an engine. A null pointer has no effect. The engine's thread ends with the engine, or with the last of its workers and
    /// units. The call that ends it waits for the thread, and for the callback that the thread is in. A callback on that thread may also
    /// make this call: it does not wait, and the thread ends after the callback has returned. Programs live on as they are: those
    /// without native code stay interpreted, unless another engine warms them. One thread, while no other uses the handle.
    fn xfjit_engine_destroy(engine: *mut xfjit_engine) -> xfjit_status {
        call(|| engine.end())
    }
    /// Compiles the programs that are not compiled yet. If wait is not 0, it compiles them before it returns; otherwise
    /// xfjit_options.compile_by says who compiles them. If the engine compiles programs when it makes their handles, there is nothing left
    /// to compile. Any thread.
    fn xfjit_engine_warm(engine: *mut xfjit_engine, programs: *const *const xfjit_program, count: usize, wait: i32) -> xfjit_status {
        call(|| {
            let engine = engine.handle()?.get();
            // SAFETY: `count` programs are at `programs`.
            let programs = unsafe { programs.handles(count, "programs") }?;
            let mut handles = Vec::new();
            handles.try_reserve(count).map_err(StreamError::from)?;
            for program in programs {
                handles.push(Arc::clone(program?.get()));
            }
            engine.warm(&handles, wait != 0);
            Ok(())
        })
    }
}
