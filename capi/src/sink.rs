//! Where bytes of captures go (`docs/CAPTURES.md`): to a function of the caller's, as they are made.

use crate::status::{Failure, XFJIT_E_FILE, argument};
use crate::table::{Function, Item};
use std::ffi::c_void;
use std::io::{self, Write};
use xfjit::capture::UnitWriter;

/// Takes bytes of a capture.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_record =
    Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_void, size: usize) -> i32>;

pub(crate) const RECORD: Item = Item::Callback(Function {
    doc: &[
        "Receives the next bytes of a capture, to be written to a file one after the other. A null pointer means that the capture has",
        "ended and is complete. It returns 0 on success. If it returns anything else, the recording ends, and it is not called again.",
        "It must not use the object that is recorded, and it must return normally: no exception, no longjmp.",
    ],
    name: "xfjit_record",
    parameters: &[("user", "*mut c_void"), ("bytes", "*const c_void"), ("size", "usize")],
    returns: "i32",
});

/// Where the bytes of a recording go: a function of the caller's.
#[derive(Debug)]
pub(crate) struct Sink {
    take: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> i32,
    user: *mut c_void,
}

// SAFETY: nothing is done with the pointer but to hand it to the function, for which the header says on which threads it is called: those
// of the calls that have the unit or the worker to themselves.
unsafe impl Send for Sink {}

impl Sink {
    pub(crate) fn new(record: xfjit_record, user: *mut c_void) -> Result<Sink, Failure> {
        let take = record.ok_or_else(|| argument("record is a null pointer"))?;
        Ok(Sink { take, user })
    }

    fn call(&self, bytes: *const c_void, size: usize) -> io::Result<()> {
        // SAFETY: a function of the caller's of this type, which the header says is called so; the bytes live until it returns.
        match unsafe { (self.take)(self.user, bytes, size) } {
            0 => Ok(()),
            _ => Err(io::Error::other("the callback refused the bytes of the capture")),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.is_empty() {
            self.call(bytes.as_ptr().cast(), bytes.len())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn not_taken(error: io::Error) -> Failure {
    Failure::new(XFJIT_E_FILE, error)
}

/// Tells that a capture is whole.
pub(crate) fn tell_end(sink: &Sink) -> io::Result<()> {
    sink.call(std::ptr::null(), 0)
}

/// A recording of a unit.
pub(crate) type UnitRecording = UnitWriter<Sink>;
