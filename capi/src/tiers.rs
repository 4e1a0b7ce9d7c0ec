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
    /// The compilation of one program, which any thread may do (XFJIT_COMPILE_JOB). It may outlive its engine.
    Owned xfjit_job(b"xfjitjob", "job") { job: Job }
}

constants! {
    /// Who compiles (xfjit_options.compile_by) the programs that have run compile_after vertices.
    COMPILERS: u32;
    /// A thread of the engine's own.
    XFJIT_COMPILE_THREAD = 0;
    /// The call with which a program has run so many: results and hitches are the same each time the same is run.
    XFJIT_COMPILE_INLINE = 1;
    /// Whoever calls xfjit_job_run with what xfjit_options.hot has been given.
    XFJIT_COMPILE_JOB = 2;
}

constants! {
    /// What xfjit_options.heard is told.
    EVENTS: u32;
    /// A program has got its native code.
    XFJIT_EVENT_COMPILED = 1;
    /// There will be no native code of a program; it stays in the interpreter.
    XFJIT_EVENT_REFUSED = 2;
    /// A batch in native code differed from the interpreter's (xfjit_options.verify_every), whose results stand. The program stays
    /// in the interpreter from now on.
    XFJIT_EVENT_MISMATCH = 3;
    /// Native code of a program has been given up, since a quarter of its vertices run out of time.
    XFJIT_EVENT_GIVEN_UP = 4;
}

constants! {
    /// How much what xfjit_options.log is told matters.
    LOG_LEVELS: u32;
    /// Something was computed wrong, and put right (xfjit_options.verify_every).
    XFJIT_LOG_ERROR = 1;
    /// A program runs slower than it should.
    XFJIT_LOG_WARNING = 2;
    /// Something has been done that takes its time.
    XFJIT_LOG_INFO = 3;
    /// What is going to be done.
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
        "Is told in words (UTF-8, one line, lent for the call) what happens in an engine, and how much it matters (XFJIT_LOG_*): on the",
        "thread on which it happens, and under the same rules. There is no log but this, and none of several engines together.",
    ],
    name: "xfjit_log",
    parameters: &[("user", "*mut c_void"), ("level", "u32"), ("text", "*const c_char")],
    returns: "",
});

pub(crate) const HOT: Item = Item::Callback(Function {
    doc: &[
        "Is given the compilation of a program, to hand it to a thread that calls xfjit_job_run: in the call that ran the",
        "program, on its thread, so that it had better be quick. It may call the library, but not with that call's worker, does not",
        "end that call's program, and must return: no longjmp, no exception.",
    ],
    name: "xfjit_hot",
    parameters: &[("user", "*mut c_void"), ("job", "*mut xfjit_job")],
    returns: "",
});

pub(crate) const HEARD: Item = Item::Callback(Function {
    doc: &[
        "Is told of an event (XFJIT_EVENT_*), on the thread on which it happens, and under the same rules. The program is lent",
        "for the call; xfjit_program_ref keeps it.",
    ],
    name: "xfjit_heard",
    parameters: &[("user", "*mut c_void"), ("event", "u32"), ("program", "*const xfjit_program")],
    returns: "",
});

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
        Event::Hot(_) => format!("is hot after {} vertices: handed out", stats.vertices),
        Event::Compiled(_) => {
            format!(
                "has native code: {} bytes, made in {} us",
                cost.code_bytes,
                cost.compile_time.as_micros()
            )
        }
        Event::Refused(_) => match program.refusal() {
            Some(refusal) => format!("stays in the interpreter: {refusal}"),
            None => "stays in the interpreter".to_owned(),
        },
        Event::Mismatch(_) => "differed from the interpreter, and stays there from now on".to_owned(),
        Event::GivenUp(_) => {
            let timeouts = stats.faults.timeouts;
            format!("is given back to the interpreter: {timeouts} of its vertices ran out of time")
        }
        _ => "is spoken of in a way that this version does not know".to_owned(),
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
    /// Compiles the program of a job, and ends the job. One thread, while no other uses the handle.
    fn xfjit_job_run(job: *mut xfjit_job) -> xfjit_status {
        call(|| {
            job.take()?.into_inner().job.run();
            Ok(())
        })
    }
    /// Ends a job without doing it; a null pointer is none. The program stays in the interpreter until xfjit_engine_warm. One
    /// thread, while no other uses the handle.
    fn xfjit_job_drop(job: *mut xfjit_job) -> xfjit_status {
        call(|| job.end())
    }
}
