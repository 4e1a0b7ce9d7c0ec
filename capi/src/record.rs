//! Recording of what passes through units and workers, as captures (`docs/CAPTURES.md`).

use crate::export::functions;
use crate::recording::{CallRecording, least};
use crate::sink::{Sink, not_taken, tell_end, xfjit_record};
use crate::status::{argument, call, xfjit_status};
use crate::unit::{self, xfjit_unit};
use crate::worker::{self, xfjit_worker};
use std::ffi::c_void;
use xfjit::capture::UnitWriter;

functions! {
    FUNCTIONS;
    /// Records a unit from now on, whatever its state. `record` receives bytes of a capture during calls of this unit, and the rest from
    /// xfjit_unit_record_end. An existing recording is abandoned without its end marker, even if the new one does not begin because
    /// `record` refuses the bytes (XFJIT_E_FILE). Destroying the unit drops bytes that have not been passed on. One thread at a time.
    fn xfjit_unit_record(unit: *mut xfjit_unit, record: xfjit_record, user: *mut c_void) -> xfjit_status {
        call(|| {
            let mut unit = unit::enter(&unit)?;
            let sink = Sink::new(record, user.as_ptr())?;
            unit.forget_recording();
            let chip = unit.unit.chip();
            unit.recording = Some(UnitWriter::new(sink, chip).map_err(not_taken)?);
            unit.unit.record();
            unit.take_recorded().map_err(not_taken)
        })
    }
    /// Ends the recording of a unit, if one is in progress: `record` receives the rest, then a null pointer. Returns XFJIT_E_FILE if
    /// `record` refuses the bytes; the recording ends then, too. One thread at a time.
    fn xfjit_unit_record_end(unit: *mut xfjit_unit) -> xfjit_status {
        call(|| {
            let mut unit = unit::enter(&unit)?;
            unit.take_recorded().map_err(not_taken)?;
            unit.unit.recorded();
            let ended = unit.recording.take().map(|writer| writer.finish().and_then(|sink| tell_end(&sink)));
            ended.unwrap_or(Ok(())).map_err(not_taken)
        })
    }
    /// Records the calls of xfjit_run, xfjit_run_rows and xfjit_run_parallel with a worker from now on: programs, constants, and the
    /// attributes of vertices as rows, as they are before the run. A call is recorded before it runs, even if it then fails (an output has
    /// no memory) or a flag stops it. `record` receives bytes of a capture of calls, during calls of this worker, `budget` bytes at
    /// most. A budget too small for an empty capture is refused (XFJIT_E_ARGUMENT). A call that does not fit into the budget ends the
    /// recording with a null pointer. A call of more than 65,536 vertices is recorded as several calls of at most that many, as far as they
    /// fit. If its program writes constants, it is left out instead. Programs without instructions are left out, too. Calls take several
    /// times as long while they are recorded. An existing recording is abandoned without its end marker; so is a recording for which memory
    /// runs out. Destroying the worker drops bytes that have not been passed on. One thread at a time.
    fn xfjit_worker_record(worker: *mut xfjit_worker, budget: u64, record: xfjit_record, user: *mut c_void) -> xfjit_status {
        call(|| {
            let mut worker = worker::enter(&worker)?;
            let sink = Sink::new(record, user.as_ptr())?;
            let least = least().map_err(not_taken)?;
            if budget < least {
                return Err(argument(format_args!("a budget of {budget} bytes is less than the {least} of an empty capture")));
            }
            worker.recording = None;
            worker.recording = Some(Box::new(CallRecording::new(sink, budget).map_err(not_taken)?));
            Ok(())
        })
    }
    /// Ends the recording of a worker, if one is in progress: `record` receives the rest, then a null pointer. Returns
    /// XFJIT_E_FILE if `record` does not take the rest. One thread at a time.
    fn xfjit_worker_record_end(worker: *mut xfjit_worker) -> xfjit_status {
        call(|| {
            let mut worker = worker::enter(&worker)?;
            worker.recording.take().map_or(Ok(()), |recording| recording.finish().map_err(not_taken))
        })
    }
}

#[cfg(test)]
mod tests;
