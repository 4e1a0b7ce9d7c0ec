//! Running batches.

use crate::batch::{Batch, Ran, xfjit_batch, xfjit_outcome};
use crate::constants::ConstantRows;
use crate::draw::is_draw;
use crate::export::functions;
use crate::indices::Lists;
use crate::pieces::{self, Pool};
use crate::program::xfjit_program;
use crate::recording;
use crate::repeat::{self, Description};
use crate::rows::Vertices;
use crate::status::{argument, call, xfjit_status};
use crate::streams;
use crate::table::{Function, Item};
use crate::worker::{self, WorkerState, xfjit_worker};
use std::ffi::c_void;
use xfjit::engine::Parts;

/// A function that has the parts of a batch run.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_each = Option<unsafe extern "C" fn(user: *mut c_void, worker: *mut xfjit_worker, count: u32)>;

pub(crate) const EACH: Item = Item::Callback(Function {
    doc: &[
        "Lets the threads of the host's pool run a batch. It calls xfjit_run_part(worker, number) once for each number below count, on any",
        "threads (this one included), at the same time or not. It returns after the last of these calls has returned. It must return",
        "normally: no longjmp, no exception.",
    ],
    name: "xfjit_each",
    parameters: &[("user", "*mut c_void"), ("worker", "*mut xfjit_worker"), ("count", "u32")],
    returns: "",
});

/// A function of the host's with its argument.
struct Each {
    call: unsafe extern "C" fn(*mut c_void, *mut xfjit_worker, u32),
    user: *mut c_void,
    worker: *mut xfjit_worker,
}

// SAFETY: nothing is done with the pointers but to hand them to the function, on the thread of the call that was given them.
unsafe impl Send for Each {}

impl Each {
    fn run(&self, count: usize) {
        // SAFETY: a function of the host's of this type, which the header says is called so.
        unsafe { (self.call)(self.user, self.worker, count as u32) };
    }
}

functions! {
    FUNCTIONS;
    /// Runs a batch with all its instances. `outcome` may be null. Fields of the batch that the program does not need may be anything. A
    /// program may run in any number of workers at once. One thread at a time with a worker.
    fn xfjit_run(program: *const xfjit_program, worker: *mut xfjit_worker, batch: *const xfjit_batch, outcome: *mut xfjit_outcome) -> xfjit_status {
        call(|| {
            let (mut older, program) = (None, program.handle()?);
            let mut batch = Batch::new(batch.borrow(&mut older)?);
            // Before anything is written.
            let outcome = if outcome.is_null() { None } else { Some(outcome.room()?) };
            let state = &mut *worker::enter(&worker)?;
            if state.recording.is_some() {
                recording::note_batch(&mut state.recording, program, &mut batch);
            }
            let WorkerState { worker, batches, lists, .. } = state;
            let record = batch.record();
            let ran = if is_draw(&record) {
                pieces::run(program, &mut batch, worker, lists, None)?
            } else {
                // Before anything is written, since it may be refused.
                let last = if record.last.is_null() { None } else { Some(streams::last_inputs_of(record)?) };
                let ran = repeat::run(batch, program, batches, worker, lists)?;
                if let Some(rows) = last {
                    streams::store_last(record, &rows)?;
                }
                Ran::new(ran, record.count as usize)
            };
            if let Some(outcome) = outcome {
                outcome.fill(&ran.outcome());
            }
            Ok(())
        })
    }
    /// Runs a batch as xfjit_run does, on at most this many threads of the host's own pool. The results are the same, to the bit: outputs,
    /// dirty bytes, the outcome. The library cuts the batch into parts and calls each on this thread; each makes sure that xfjit_run_part
    /// is called for every part. For a draw with several instances, the library calls each once for each instance. These batches run on
    /// this thread alone, without a call of each: small ones; those of programs that write constants, or have loops, calls or branches to a
    /// register; those of a worker with a slot budget or a flag that cancels calls; those whose outputs overlap, or lie in each other's
    /// gaps at different strides. If a part does not run exactly once, this returns XFJIT_E_ARGUMENT, and the contents of the outputs are
    /// undefined. The worker holds what the other threads need; the first such call creates it. One thread at a time with a worker.
    fn xfjit_run_parallel(program: *const xfjit_program, worker: *mut xfjit_worker, batch: *const xfjit_batch, outcome: *mut xfjit_outcome, threads: u32, each: xfjit_each, user: *mut c_void) -> xfjit_status {
        call(|| {
            let call = each.ok_or_else(|| argument("each is a null pointer"))?;
            let (mut older, program) = (None, program.handle()?);
            let mut batch = Batch::new(batch.borrow(&mut older)?);
            let outcome = if outcome.is_null() { None } else { Some(outcome.room()?) };
            let state = &mut *worker::enter(&worker)?;
            if state.recording.is_some() {
                recording::note_batch(&mut state.recording, program, &mut batch);
            }
            let gate = &worker.handle()?.gate;
            let each = Each { call, user: user.as_ptr(), worker: worker.as_ptr() };
            let each = &mut move |parts: &Parts<'_>| gate.open(parts, || each.run(parts.count()));
            let pool = Some(&mut Pool { threads: threads as usize, each });
            let ran = pieces::run(program, &mut batch, &mut state.worker, &mut state.lists, pool)?;
            if let Some(outcome) = outcome {
                outcome.fill(&ran.outcome());
            }
            Ok(())
        })
    }
    /// Runs a part of the batch that a call of xfjit_run_parallel with this worker is running: number is below the count that its each was
    /// given. Returns when every vertex of the batch has begun. If no such call is waiting for parts, it does nothing and returns
    /// XFJIT_E_ARGUMENT, as for a number that is none. The worker must live. Any thread.
    fn xfjit_run_part(worker: *mut xfjit_worker, number: u32) -> xfjit_status {
        call(|| {
            match worker.handle()?.gate.run(number as usize) {
                Some(true) => Ok(()),
                Some(false) => Err(argument(format_args!("the batch has no part {number}"))),
                None => Err(argument("no call of xfjit_run_parallel is waiting for parts")),
            }
        })
    }
    /// Runs vertices whose registers are stored one after the other, as in interpreters. `input` and `output` hold `count` vertices of 16
    /// rows. A row is four 32-bit words (floats, or their bits) in the host's byte order. `constants` holds constant_rows such rows; the
    /// program reads, and possibly writes, those that its generation has. `dirty` is null, or has one byte for each of these rows, which
    /// becomes 1 when a vertex writes a component of the row. `input` and `output` must not overlap. Outputs that the caller does not want
    /// stay unchanged. Outputs of vertices that a limit or a cancel flag of the worker has stopped stay unchanged, too, and this call does not
    /// tell how many they are: a worker with such limits needs xfjit_run, as does a program with outputs above 15. One thread at a time with a worker.
    fn xfjit_run_rows(program: *const xfjit_program, worker: *mut xfjit_worker, constants: *mut c_void, constant_rows: usize, dirty: *mut u8, input: *const c_void, output: *mut c_void, count: usize) -> xfjit_status {
        call(|| {
            let program = program.handle()?;
            // SAFETY: so many rows are at `constants`, which are written only if the program writes constants, and a byte for each that the
            // generation has at `dirty`, unless it is null; `count` vertices are at `input` and at `output`.
            let mut vertices = unsafe {
                let constants = ConstantRows::new(constants.as_ptr(), constant_rows, dirty.as_ptr());
                Vertices::new(constants, input, output, count)
            };
            let state = &mut *worker::enter(&worker)?;
            if state.recording.is_some()
                && let Ok(arguments) = vertices.arguments(program, &mut Lists::default())
            {
                recording::note_arguments(&mut state.recording, program, &arguments);
            }
            let WorkerState { worker, vertices: known, lists, .. } = state;
            repeat::run(vertices, program, known, worker, lists)?;
            Ok(())
        })
    }
}
