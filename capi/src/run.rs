//! Running batches.

use crate::batch::{Batch, Ran, xfjit_batch, xfjit_outcome};
use crate::constants::ConstantRows;
use crate::draw::is_draw;
use crate::export::functions;
use crate::indices::Lists;
use crate::pieces;
use crate::program::xfjit_program;
use crate::recording;
use crate::repeat::{self, Description};
use crate::rows::Vertices;
use crate::status::{call, xfjit_status};
use crate::streams;
use crate::worker::{self, WorkerState, xfjit_worker};
use std::ffi::c_void;

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
                pieces::run(program, &mut batch, worker, lists)?
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
    /// Runs vertices whose registers are stored one after the other, as in interpreters. `input` and `output` hold `count` vertices of 16
    /// rows. A row is four 32-bit words (floats, or their bits) in the host's byte order. `constants` holds constant_rows such rows; the
    /// program reads, and possibly writes, those that its generation has. `dirty` is null, or has one byte for each of these rows, which
    /// becomes 1 when a vertex writes a component of the row. `input` and `output` must not overlap. Outputs that the caller does not want
    /// stay unchanged. A program with outputs above 15 needs xfjit_run. One thread at a time with a worker.
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
