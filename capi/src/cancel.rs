//! Ending the calls of other threads.

use crate::export::functions;
use crate::handle::handle;
use crate::status::{call, xfjit_status};
use crate::unit::{self, xfjit_unit};
use crate::worker::{self, xfjit_worker};
use xfjit::shader::Cancel;

handle! { CANCEL =
    /// A flag by which any thread ends the calls of workers and units that look at it. It may serve any number of them.
    Owned xfjit_cancel(b"xfcancel", "cancel") { pub(crate) flag: Cancel }
}

functions! {
    FUNCTIONS;
    /// Makes a flag that is not raised. Any thread.
    fn xfjit_cancel_create(cancel: *mut *mut xfjit_cancel) -> xfjit_status {
        call(|| {
            cancel.out("cancel")?.give(xfjit_cancel::new(Cancel::new()));
            Ok(())
        })
    }
    /// Ends the handle of a flag; a null pointer is none. Workers and units that look at the flag keep it, as it is. One thread, while
    /// no other uses the handle.
    fn xfjit_cancel_destroy(cancel: *mut xfjit_cancel) -> xfjit_status {
        call(|| cancel.end())
    }
    /// Raises the flag (not 0) or lowers it (0). While it is raised, calls that look at it end, and further ones do nothing:
    /// xfjit_outcome.cancelled tells. Any thread.
    /// It may be called while others run, and from callbacks of the library.
    fn xfjit_cancel_set(cancel: *const xfjit_cancel, raised: i32) -> xfjit_status {
        call(|| {
            let flag = &cancel.handle()?.flag;
            if raised == 0 { flag.reset() } else { flag.cancel() }
            Ok(())
        })
    }
    /// Has the calls of a worker look at a flag; a null pointer: at none, as at first. A call looks before it begins, and between
    /// parts of its vertices, so that it ends after at most some 65,536 slots of each of sixteen. xfjit_outcome.done tells how many
    /// are done; those after them have done nothing. One thread at a time.
    fn xfjit_worker_set_cancel(worker: *mut xfjit_worker, cancel: *const xfjit_cancel) -> xfjit_status {
        call(|| {
            let mut worker = worker::enter(&worker)?;
            worker.worker.set_cancel(cancel.optional()?.map(|cancel| cancel.flag.clone()));
            Ok(())
        })
    }
    /// Has a unit look at a flag while it runs vertices, as xfjit_worker_set_cancel; those that do not run leave as zeros. One thread at a time.
    fn xfjit_unit_set_cancel(unit: *mut xfjit_unit, cancel: *const xfjit_cancel) -> xfjit_status {
        call(|| {
            let mut unit = unit::enter(&unit)?;
            unit.unit.set_cancel(cancel.optional()?.map(|cancel| cancel.flag.clone()));
            Ok(())
        })
    }
}
