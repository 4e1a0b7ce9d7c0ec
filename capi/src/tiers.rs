//! Compilation by others than the engine, and what callers hear of it.

use crate::export::functions;
use crate::handle::{Held, handle};
use crate::program::xfjit_program;
use crate::status::{call, xfjit_status};
use crate::table::{Function, Item, constants};
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;
use xfjit::Program;
use xfjit::engine::{Event, Hook, Job};

handle! { JOB =
    /// The compilation of one program, as a job for any thread (XFJIT_COMPILE_JOB). It may outlive its engine.
    Owned xfjit_job(b"xfjitjob", "job") { job: Job }
}

constants! {
    /// The thread that compiles programs after compile_after vertices (xfjit_options.compile_by).
    COMPILERS: u32;
    /// A thread that the engine starts compiles.
    XFJIT_COMPILE_THREAD = 0;
    /// The call in which a program reaches compile_after vertices compiles it. Results and delays are then the same in every run of the
    /// same calls.
    XFJIT_COMPILE_INLINE = 1;
    /// The thread that calls xfjit_job_run with the job that xfjit_options.hot received compiles.
    XFJIT_COMPILE_JOB = 2;
}

constants! {
    /// The events that xfjit_options.heard receives.
    EVENTS: u32;
    /// The native code of a program is ready.
    XFJIT_EVENT_COMPILED = 1;
    /// A program cannot be compiled. The interpreter keeps running it.
    XFJIT_EVENT_REFUSED = 2;
    /// A batch in native code differed from the interpreter (xfjit_options.verify_every). The call returned the interpreter's results. From
    /// now on, the interpreter runs the program.
    XFJIT_EVENT_MISMATCH = 3;
    /// The native code of a program was dropped, because a quarter of its vertices run into the timeout.
    XFJIT_EVENT_GIVEN_UP = 4;
}

constants! {
    /// The importance of a message to xfjit_options.log.
    LOG_LEVELS: u32;
    /// A result was wrong and has been corrected (xfjit_options.verify_every).
    XFJIT_LOG_ERROR = 1;
    /// A program runs slower than it should.
    XFJIT_LOG_WARNING = 2;
    /// The library has finished something that takes time.
    XFJIT_LOG_INFO = 3;
    /// The library is about to do something.
    XFJIT_LOG_DEBUG = 4;
}

/// A function that is given jobs.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_hot = Option<unsafe extern "C" fn(user: *mut c_void, job: *mut xfjit_job)>;

/// A function that is told of events.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_heard =
    Option<unsafe extern "C" fn(user: *mut c_void, event: u32, program: *const xfjit_program)>;

/// A function that is told in words what happens.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_log = Option<unsafe extern "C" fn(user: *mut c_void, level: u32, text: *const c_char)>;

pub(crate) const LOG: Item = Item::Callback(Function {
    doc: &[
        "Receives a message about an event in an engine, as text (UTF-8, one line, valid during the call), with its importance",
        "(XFJIT_LOG_*). The library calls this on the thread where the event happens. The rules of xfjit_hot apply. There is no other",
        "log, and no log that several engines share.",
    ],
    name: "xfjit_log",
    parameters: &[("user", "*mut c_void"), ("level", "u32"), ("text", "*const c_char")],
    returns: "",
});

pub(crate) const HOT: Item = Item::Callback(Function {
    doc: &[
        "Receives the compilation of a program as a job, to pass it to a thread that calls xfjit_job_run. The library calls this on",
        "the thread that runs the program, inside that call, so it should return quickly. It may call the library, but not with the",
        "worker of that call, and it must not release the program of that call. It must return normally: no longjmp, no exception.",
    ],
    name: "xfjit_hot",
    parameters: &[("user", "*mut c_void"), ("job", "*mut xfjit_job")],
    returns: "",
});

pub(crate) const HEARD: Item = Item::Callback(Function {
    doc: &[
        "Receives an event (XFJIT_EVENT_*). The library calls this on the thread where the event happens. The rules of xfjit_hot",
        "apply. The program is valid during the call; xfjit_program_ref keeps it longer. This handle differs from the caller's, and lacks",
        "xfjit_config.keep_outputs: the label says which program it is.",
    ],
    name: "xfjit_heard",
    parameters: &[("user", "*mut c_void"), ("event", "u32"), ("program", "*const xfjit_program")],
    returns: "",
});

/// A function that hears of programs that are ready.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_warmed = Option<unsafe extern "C" fn(user: *mut c_void, ready: usize, of: usize) -> i32>;

pub(crate) const WARMED: Item = Item::Callback(Function {
    doc: &[
        "Receives after each program how many programs are ready, and of how many. The library calls it on any of the threads that",
        "compile, on one thread at a time. It returns 0 to go on; if it returns anything else, no further compilation begins. It must return",
        "normally: no longjmp, no exception.",
    ],
    name: "xfjit_warmed",
    parameters: &[("user", "*mut c_void"), ("ready", "usize"), ("of", "usize")],
    returns: "i32",
});

/// Such a function with its argument.
pub(crate) struct Warmed {
    pub(crate) call: xfjit_warmed,
    pub(crate) user: *mut c_void,
}

// SAFETY: nothing is done with `user` but to hand it to the function, for which the header says on which threads it is called.
unsafe impl Send for Warmed {}

impl Warmed {
    /// Whether to go on.
    pub(crate) fn tell(&self, ready: usize, of: usize) -> bool {
        // SAFETY: a function of the caller's of this type, which the header says is called so.
        self.call.is_none_or(|call| unsafe { call(self.user, ready, of) } == 0)
    }
}

/// The functions of a caller, and what it wants to be given with each call.
pub(crate) struct Callbacks {
    pub(crate) hot: xfjit_hot,
    pub(crate) heard: xfjit_heard,
    pub(crate) log: xfjit_log,
    /// The last level that is told.
    pub(crate) level: u32,
    pub(crate) user: *mut c_void,
}

// SAFETY: nothing is done with `user` but to hand it to the functions, for which the header says on which threads they are called.
unsafe impl Send for Callbacks {}
// SAFETY: shared references do nothing but that, too.
unsafe impl Sync for Callbacks {}

impl Callbacks {
    fn tell(&self, event: Event<'_>) {
        let (number, level, program) = match &event {
            Event::Hot(job) => (None, XFJIT_LOG_DEBUG, job.program()),
            Event::Compiled(program) => (Some(XFJIT_EVENT_COMPILED), XFJIT_LOG_INFO, *program),
            Event::Refused(program) => (Some(XFJIT_EVENT_REFUSED), XFJIT_LOG_WARNING, *program),
            Event::Mismatch(program) => (Some(XFJIT_EVENT_MISMATCH), XFJIT_LOG_ERROR, *program),
            Event::GivenUp(program) => (Some(XFJIT_EVENT_GIVEN_UP), XFJIT_LOG_WARNING, *program),
            // Of a later version of the engine.
            _ => return,
        };
        if let Some(log) = self.log
            && level <= self.level
            && let Ok(text) = CString::new(line(&event, program))
        {
            // SAFETY: a function of the caller's of this type, which the header says is called so; the text lives until it returns.
            unsafe { log(self.user, level, text.as_ptr()) };
        }
        if let (Some(heard), Some(number)) = (self.heard, number) {
            let handle = xfjit_program::new(Arc::clone(program), false);
            // SAFETY: a function of the caller's of this type, which the header says is called so; the handle lives until it returns.
            unsafe { heard(self.user, number, handle.as_pointer()) };
        }
        if let (Some(hot), Event::Hot(job)) = (self.hot, event) {
            let job = xfjit_job::new(job).into_pointer().cast_mut();
            // SAFETY: a function of the caller's of this type, which the header says is called so; it owns the job from now on.
            unsafe { hot(self.user, job) };
        }
    }
}

/// What has happened to a program, in words.
fn line(event: &Event<'_>, program: &Program) -> String {
    let (info, stats, cost) = (program.info(), program.stats(), program.stats().cost);
    let what = match event {
        Event::Hot(_) => format!("is hot after {} vertices and was passed on as a job", stats.vertices),
        Event::Compiled(_) => {
            format!(
                "has native code: {} bytes, compiled in {} us",
                cost.code_bytes,
                cost.compile_time.as_micros()
            )
        }
        Event::Refused(_) => match program.refusal() {
            Some(refusal) => format!("stays in the interpreter: {refusal}"),
            None => "stays in the interpreter".to_owned(),
        },
        Event::Mismatch(_) => "differed from the interpreter, which runs it from now on".to_owned(),
        Event::GivenUp(_) => {
            let timeouts = stats.faults.timeouts;
            format!("returns to the interpreter: {timeouts} of its vertices timed out")
        }
        _ => "has an event that this version does not know".to_owned(),
    };
    let (first, slots) = (info.slots.start, info.slots.len());
    format!(
        "program of {slots} slots from slot {first} on, with layout {:?}: {what}",
        program.shader().inputs()
    )
}

/// What calls these functions; nothing if there are none.
pub(crate) fn hook(callbacks: Callbacks) -> Option<Hook> {
    let is_any = callbacks.hot.is_some() || callbacks.heard.is_some() || callbacks.log.is_some();
    is_any.then(|| Hook::new(move |event| callbacks.tell(event)))
}

functions! {
    FUNCTIONS;
    /// Compiles the program of a job, and destroys the job. One thread, while no other uses the handle.
    fn xfjit_job_run(job: *mut xfjit_job) -> xfjit_status {
        call(|| {
            job.take()?.into_inner().job.run();
            Ok(())
        })
    }
    /// Destroys a job without compiling. A null pointer has no effect. The interpreter runs the program until xfjit_engine_warm. One
    /// thread, while no other uses the handle.
    fn xfjit_job_drop(job: *mut xfjit_job) -> xfjit_status {
        call(|| job.end())
    }
}
