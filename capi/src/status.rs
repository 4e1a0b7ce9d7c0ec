//! Statuses, and the message of the thread.

use crate::table::constants;
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use xfjit::runtime::batch::StreamError;

/// How a call has ended.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_status = i32;

constants! {
    /// How a call has ended. After anything but XFJIT_OK the call has changed nothing, unless its description says otherwise, and
    /// xfjit_last_error has a sentence about it.
    STATUSES: xfjit_status;
    /// Done.
    XFJIT_OK = 0;
    /// The library is of another version than the caller: a structure is larger, and not zero after what is known.
    XFJIT_E_VERSION = -1;
    /// A number without a meaning, a null pointer where there must be something, an address that is not aligned.
    XFJIT_E_ARGUMENT = -2;
    /// The words are no program.
    XFJIT_E_DECODE = -3;
    /// An attribute or an index list does not hold what the batch reads.
    XFJIT_E_INPUT = -4;
    /// An output has no memory, too little, or shares it with what the batch reads.
    XFJIT_E_OUTPUT = -5;
    /// There are too few rows of constants.
    XFJIT_E_CONSTANTS = -6;
    /// A fault of the library. What the call was to write is undefined.
    XFJIT_E_INTERNAL = -7;
    /// No handle of this kind, or one that has been destroyed, as far as that can be told.
    XFJIT_E_HANDLE = -8;
    /// Another thread, or a callback of this one, is in a call with this worker or unit.
    XFJIT_E_BUSY = -9;
    /// A structure is smaller than its first version, or larger than any.
    XFJIT_E_SIZE = -10;
    /// The bytes are no saved state of such a unit.
    XFJIT_E_STATE = -11;
    /// A file cannot be read or written.
    XFJIT_E_FILE = -12;
    /// This host or this library has not what is asked for.
    XFJIT_E_UNSUPPORTED = -13;
    /// There is not so much memory as a call of this size takes.
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
    /// What was wrong with the last call of this thread that failed.
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
        (None, None) => "no words of it",
    };
    Failure::new(XFJIT_E_INTERNAL, format_args!("xfjit has panicked, which is its fault: {text}"))
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
        XFJIT_E_VERSION => c"the library is of another version",
        XFJIT_E_ARGUMENT => c"an argument makes no sense",
        XFJIT_E_DECODE => c"the words are no program",
        XFJIT_E_INPUT => c"an input does not hold the batch",
        XFJIT_E_OUTPUT => c"an output does not hold the batch",
        XFJIT_E_CONSTANTS => c"there are too few rows of constants",
        XFJIT_E_INTERNAL => c"a fault of the library",
        XFJIT_E_HANDLE => c"this is no such handle",
        XFJIT_E_BUSY => c"another call has the worker or unit",
        XFJIT_E_SIZE => c"a structure has an impossible size",
        XFJIT_E_STATE => c"this is no saved state of such a unit",
        XFJIT_E_FILE => c"a file cannot be read or written",
        XFJIT_E_UNSUPPORTED => c"this host or this library has it not",
        XFJIT_E_MEMORY => c"there is not enough memory",
        _ => c"no status",
    }
}
