//! Ending the calls of other threads.

use crate::memory::{self, Handle, Header};
use crate::status::{call, xfjit_status};
use crate::table::{functions, opaque};
use crate::unit::{self, xfjit_unit};
use crate::worker::{self, xfjit_worker};
use xfjit::shader::Cancel;

/// A flag.
#[repr(C)]
#[allow(non_camel_case_types, reason = "the name is that of C")]
#[derive(Debug)]
pub struct xfjit_cancel {
    header: Header,
    flag: Cancel,
}

impl Handle for xfjit_cancel {
    const KIND: u64 = u64::from_le_bytes(*b"xfcancel");
    const NAME: &'static str = "cancel";
}

const _: () = assert!(std::mem::offset_of!(xfjit_cancel, header) == 0);
const _: fn() = || {
    fn any_thread_may_raise<T: Send + Sync>() {}
    any_thread_may_raise::<xfjit_cancel>();
};

/// The flag of a handle, or none.
///
/// # Safety
/// As for [`memory::handle`]; a null pointer is none.
unsafe fn flag(cancel: *const xfjit_cancel) -> Result<Option<Cancel>, crate::status::Failure> {
    if cancel.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    Ok(Some(unsafe { memory::handle(cancel) }?.flag.clone()))
}

opaque! { CANCEL =
    /// A flag by which any thread ends the calls of workers and units that look at it. It may serve any number of them.
    "xfjit_cancel"
}

functions! {
    FUNCTIONS;
    /// Makes a flag that is not raised. Any thread.
    fn xfjit_cancel_create(cancel: *mut *mut xfjit_cancel) -> xfjit_status {
        // SAFETY: as the caller says.
        call(|| unsafe { memory::give(xfjit_cancel { header: Header::of::<xfjit_cancel>(), flag: Cancel::new() }, cancel) })
    }
    /// Ends the handle of a flag; a null pointer is none. Workers and units that look at the flag keep it, as it is. One thread, while
    /// no other uses the handle.
    fn xfjit_cancel_destroy(cancel: *mut xfjit_cancel) -> xfjit_status {
        // SAFETY: as the caller says.
        call(|| unsafe { memory::end(cancel) })
    }
    /// Raises the flag (not 0) or lowers it (0). While it is raised, calls that look at it end, and further ones do nothing:
    /// xfjit_outcome.cancelled tells. Any thread.
    /// It may be called while others run, and from callbacks of the library.
    fn xfjit_cancel_set(cancel: *const xfjit_cancel, raised: i32) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let flag = &unsafe { memory::handle(cancel) }?.flag;
            if raised == 0 { flag.reset() } else { flag.cancel() }
            Ok(())
        })
    }
    /// Has the calls of a worker look at a flag; a null pointer: at none, as at first. A call looks before it begins, and between
    /// parts of its vertices, so that it ends after at most some 65,536 slots of each of sixteen. xfjit_outcome.done tells how many
    /// are done; those behind have done nothing. One thread at a time.
    fn xfjit_worker_set_cancel(worker: *mut xfjit_worker, cancel: *const xfjit_cancel) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            unsafe { worker::enter(worker)?.worker.set_cancel(flag(cancel)?) };
            Ok(())
        })
    }
    /// The same for the vertices that a unit runs; those that do not run leave as zeros. One thread at a time.
    fn xfjit_unit_set_cancel(unit: *mut xfjit_unit, cancel: *const xfjit_cancel) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            unsafe { unit::enter(unit)?.unit.set_cancel(flag(cancel)?) };
            Ok(())
        })
    }
}
