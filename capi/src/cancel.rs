//! Ending the calls of other threads.

use crate::export::functions;
use crate::handle::handle;
use crate::status::{call, xfjit_status};
use crate::unit::{self, xfjit_unit};
use crate::worker::{self, xfjit_worker};
use xfjit::shader::Cancel;

handle! { CANCEL =
    /// A flag that cancels calls. Any thread may raise it. It ends the calls of all workers and units that watch it; any number of them may
    /// watch one flag.
    Owned xfjit_cancel(b"xfcancel", "cancel") { pub(crate) flag: Cancel }
}

functions! {
    FUNCTIONS;
    /// Creates a flag that is not raised. Any thread.
    fn xfjit_cancel_create(cancel: *mut *mut xfjit_cancel) -> xfjit_status {
        call(|| {
            cancel.out("cancel")?.give(xfjit_cancel::new(Cancel::new()));
            Ok(())
        })
    }
    /// Destroys the handle of a flag. A null pointer has no effect. Workers and units that watch the flag keep it in its current state. One
    /// thread, while no other uses the handle.
    fn xfjit_cancel_destroy(cancel: *mut xfjit_cancel) -> xfjit_status {
        call(|| cancel.end())
    }
    /// Raises the flag (not 0) or lowers it (0). While it is raised, calls that watch it end, and further calls do nothing;
    /// xfjit_outcome.cancelled reports that. Other calls may run meanwhile, and callbacks of the library may call this. Any thread.
    fn xfjit_cancel_set(cancel: *const xfjit_cancel, raised: i32) -> xfjit_status {
        call(|| {
            let flag = &cancel.handle()?.flag;
            if raised == 0 { flag.reset() } else { flag.cancel() }
            Ok(())
        })
    }
    /// Makes the calls of a worker watch a flag. With a null pointer they watch none, which is the default. A call checks the flag before
    /// it begins, and between parts of its vertices. It therefore ends after at most about 65,536 slots of each of sixteen vertices.
    /// xfjit_outcome.done says how many vertices are done; those after them have had no effect. One thread at a time.
    fn xfjit_worker_set_cancel(worker: *mut xfjit_worker, cancel: *const xfjit_cancel) -> xfjit_status {
        call(|| {
            let mut worker = worker::enter(&worker)?;
            worker.worker.set_cancel(cancel.optional()?.map(|cancel| cancel.flag.clone()));
            Ok(())
        })
    }
    /// Makes a unit watch a flag while it runs vertices; see xfjit_worker_set_cancel. Vertices that do not run are output as zeros. One
    /// thread at a time.
    fn xfjit_unit_set_cancel(unit: *mut xfjit_unit, cancel: *const xfjit_cancel) -> xfjit_status {
        call(|| {
            let mut unit = unit::enter(&unit)?;
            unit.unit.set_cancel(cancel.optional()?.map(|cancel| cancel.flag.clone()));
            Ok(())
        })
    }
}
