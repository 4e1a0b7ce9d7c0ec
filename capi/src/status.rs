//! Statuses, and the message of the thread.

use crate::table::constants;
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use xfjit::runtime::batch::StreamError;

/// The result of a call.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_status = i32;

constants! {
    /// The result of a call. If a call returns anything but XFJIT_OK, it has changed nothing, unless its description says otherwise.
    /// xfjit_last_error describes the error.
    STATUSES: xfjit_status;
    /// The call succeeded.
    XFJIT_OK = 0;
    /// The library and the caller have different versions: a structure is larger than the library knows, and the unknown part is not zero.
    XFJIT_E_VERSION = -1;
    /// An argument is invalid: the number has no meaning, the pointer is null where it must not be, or the address is not aligned.
    XFJIT_E_ARGUMENT = -2;
    /// The words are not a valid program.
    XFJIT_E_DECODE = -3;
    /// An attribute or an index list is smaller than what the batch reads.
    XFJIT_E_INPUT = -4;
    /// An output has no memory or too little of it, or it overlaps memory that the batch reads.
    XFJIT_E_OUTPUT = -5;
    /// The caller gave too few rows of constants.
    XFJIT_E_CONSTANTS = -6;
    /// The library has a bug. The contents of all memory that the call writes are undefined.
    XFJIT_E_INTERNAL = -7;
    /// The handle is of another kind, or it has been destroyed. The library detects this only where it can.
    XFJIT_E_HANDLE = -8;
    /// Another thread, or a callback on this thread, is in a call with this worker or unit.
    XFJIT_E_BUSY = -9;
    /// The size of a structure is below that of its first version, or above any possible size.
    XFJIT_E_SIZE = -10;
    /// The bytes are not a saved state of such a unit.
    XFJIT_E_STATE = -11;
    /// The library cannot read or write a file.
    XFJIT_E_FILE = -12;
    /// This host or library does not support the request.
    XFJIT_E_UNSUPPORTED = -13;
    /// The system lacks the memory that a call of this size needs.
    XFJIT_E_MEMORY = -14;
}

/// A call that could not be done.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: xfjit_status,
    pub(crate) text: String,
}

impl Failure {
    #[cold]
    pub(crate) fn new(status: xfjit_status, text: impl fmt::Display) -> Self {
        Failure { status, text: text.to_string() }
    }
}

impl From<StreamError> for Failure {
    #[cold]
    fn from(error: StreamError) -> Self {
        let status = match error {
            StreamError::NoSuchOutput { .. }
            | StreamError::NoPlace { .. }
            | StreamError::OutputTooShort { .. }
            | StreamError::PlanesOverlap { .. }
            | StreamError::WrongLayout => XFJIT_E_OUTPUT,
            StreamError::WrongContext { .. }
            | StreamError::ConstantsAreReadOnly
            | StreamError::TooFewDirtyBytes { .. } => XFJIT_E_CONSTANTS,
            StreamError::OutOfMemory => XFJIT_E_MEMORY,
            StreamError::PartsNotRun { .. } => XFJIT_E_ARGUMENT,
            _ => XFJIT_E_INPUT,
        };
        Failure::new(status, error)
    }
}

/// What an argument has to be and is not.
#[cold]
pub(crate) fn argument(text: impl fmt::Display) -> Failure {
    Failure::new(XFJIT_E_ARGUMENT, text)
}

/// What this host or this library has not.
#[cold]
pub(crate) fn unsupported(text: impl fmt::Display) -> Failure {
    Failure::new(XFJIT_E_UNSUPPORTED, text)
}

thread_local! {
    /// The description of the last error on this thread.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the body of a function for C. No panic leaves it.
#[inline]
pub(crate) fn call(body: impl FnOnce() -> Result<(), Failure>) -> xfjit_status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => XFJIT_OK,
        Ok(Err(failure)) => note(failure),
        Err(panic) => note(panicked(&*panic)),
    }
}

/// Runs the body of a function for C that returns a size, which is 0 if something is wrong.
pub(crate) fn count(body: impl FnOnce() -> Result<usize, Failure>) -> usize {
    let mut result = 0;
    let status = call(|| {
        result = body()?;
        Ok(())
    });
    if status == XFJIT_OK { result } else { 0 }
}

#[cold]
fn panicked(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text.as_str(),
        (None, None) => "no message",
    };
    Failure::new(XFJIT_E_INTERNAL, format_args!("this is a bug in xfjit; it panicked: {text}"))
}

#[cold]
fn note(failure: Failure) -> xfjit_status {
    // A thread that is ending has no message any more.
    let _ = MESSAGE.try_with(|message| {
        if let Ok(mut message) = message.try_borrow_mut() {
            message.clear();
            let _ = message.write_str(&failure.text);
        }
    });
    failure.status
}

/// The message of this thread.
pub(crate) fn message<R>(read: impl FnOnce(&str) -> R) -> Option<R> {
    MESSAGE.try_with(|message| message.try_borrow().ok().map(|message| read(&message))).ok().flatten()
}

/// The name of a status.
pub(crate) fn name(status: xfjit_status) -> &'static std::ffi::CStr {
    match status {
        XFJIT_OK => c"done",
        XFJIT_E_VERSION => c"the library has another version",
        XFJIT_E_ARGUMENT => c"an argument is invalid",
        XFJIT_E_DECODE => c"the words are not a program",
        XFJIT_E_INPUT => c"an input is too small for the batch",
        XFJIT_E_OUTPUT => c"an output is too small for the batch",
        XFJIT_E_CONSTANTS => c"there are too few rows of constants",
        XFJIT_E_INTERNAL => c"this is a bug in the library",
        XFJIT_E_HANDLE => c"this is not a valid handle of this kind",
        XFJIT_E_BUSY => c"another call is using this worker or unit",
        XFJIT_E_SIZE => c"a structure has an invalid size",
        XFJIT_E_STATE => c"this is not a saved state of such a unit",
        XFJIT_E_FILE => c"a file cannot be read or written",
        XFJIT_E_UNSUPPORTED => c"this host or library does not support it",
        XFJIT_E_MEMORY => c"there is not enough memory",
        _ => c"no status",
    }
}
