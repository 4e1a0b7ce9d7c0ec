//! Workers: what a thread works in, and the programs that it has met.

use crate::config::{Wanted, xfjit_config};
use crate::described::BatchWords;
use crate::engine::xfjit_engine;
use crate::exclusive::{Entered, Exclusive};
use crate::export::functions;
use crate::gate::Gate;
use crate::handle::{Shared, handle};
use crate::indices::Lists;
use crate::lent::LentMut;
use crate::microcode::{self, Slots};
use crate::program::xfjit_program;
use crate::recording::CallRecording;
use crate::repeat::Memory;
use crate::rows::VertexWords;
use crate::status::{Failure, XFJIT_E_BUSY, call, xfjit_status};
use std::collections::HashMap;
use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::sync::Arc;
use xfjit::Worker;
use xfjit::engine::Finder;

/// Programs that a worker knows by their words.
const KNOWN: NonZeroUsize = NonZeroUsize::new(512).expect("it is not 0");

handle! { WORKER =
    /// A worker holds what a thread needs to run programs: working memory, and the programs that it has found by their words. It is not
    /// tied to a thread, but only one call at a time may use it. A second call returns XFJIT_E_BUSY.
    Owned xfjit_worker(b"xfworker", "worker") { state: Exclusive<WorkerState>, pub(crate) gate: Gate }
}

/// What is inside of a worker.
#[derive(Debug)]
pub(crate) struct WorkerState {
    pub(crate) worker: Worker,
    finder: Finder,
    /// The handles that C has of programs found, by address and whether outputs are kept.
    handles: HashMap<(usize, bool), Shared<xfjit_program>>,
    /// What the finder has found last, with the last configuration: mostly the next one is the same.
    last: Option<Shared<xfjit_program>>,
    /// The last configuration that was asked for, and what it says.
    config: Option<(xfjit_config, Wanted)>,
    /// Words of a program memory with gaps.
    words: Vec<u32>,
    /// Batches of xfjit_run that may be repeated.
    pub(crate) batches: Memory<BatchWords>,
    /// Those of xfjit_run_rows.
    pub(crate) vertices: Memory<VertexWords>,
    /// The index list of a batch.
    pub(crate) lists: Lists,
    /// What is recorded of it.
    pub(crate) recording: Option<Box<CallRecording>>,
}

impl std::fmt::Debug for xfjit_config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("xfjit_config").finish_non_exhaustive()
    }
}

impl WorkerState {
    /// The handle of the program that starts in a slot, which lives until another one is asked for.
    fn find(
        &mut self,
        given: &xfjit_config,
        slots: &Slots<'_>,
        start: usize,
    ) -> Result<*const xfjit_program, Failure> {
        if self.config.as_ref().is_none_or(|(last, _)| last.bytes() != given.bytes()) {
            (self.config, self.last) = (None, None);
        }
        let (_, wanted) = match &mut self.config {
            Some(known) => known,
            unknown => unknown.insert((*given, Wanted::of(given)?)),
        };
        let words = slots.words(wanted.config.generation)?;
        if let Some(last) = &self.last
            && words.are_last(&self.finder, start)
        {
            return Ok(last.as_pointer());
        }
        let words = words.gather(&mut self.words);
        let found = match wanted.keep_outputs {
            true => self.finder.find_keeping(words, start, &wanted.config, wanted.inputs),
            false => self.finder.find_as(words, start, &wanted.config, wanted.inputs),
        };
        let found = found.map_err(microcode::no_program)?;
        let key = (Arc::as_ptr(found).addr(), wanted.keep_outputs);
        // What the finder has forgotten goes some time.
        if self.handles.len() >= 4 * KNOWN.get() && !self.handles.contains_key(&key) {
            self.handles.clear();
        }
        let made = || xfjit_program::new(Arc::clone(found), wanted.keep_outputs);
        let handle = self.handles.entry(key).or_insert_with(made);
        self.last = Some(handle.clone());
        Ok(handle.as_pointer())
    }
}

impl xfjit_config {
    fn bytes(&self) -> &[u8] {
        // SAFETY: it is borrowed, and consists of numbers of 32 and, an even number of them, 16 bits, so that all its bytes are initialised.
        unsafe { std::slice::from_raw_parts((&raw const *self).cast(), size_of::<Self>()) }
    }
}

/// What is inside of a worker, for one call.
#[inline]
pub(crate) fn enter<'a>(worker: &'a LentMut<'_, xfjit_worker>) -> Result<Entered<'a, WorkerState>, Failure> {
    worker.handle()?.state.enter().ok_or_else(busy)
}

#[cold]
fn busy() -> Failure {
    Failure::new(XFJIT_E_BUSY, "another call is using this worker; make one worker for each thread")
}

functions! {
    FUNCTIONS;
    /// Creates a worker. It runs programs of any engine; xfjit_worker_program finds those of this one. Any thread.
    fn xfjit_worker_create(engine: *mut xfjit_engine, worker: *mut *mut xfjit_worker) -> xfjit_status {
        call(|| {
            let worker = worker.out("worker")?;
            let state = WorkerState {
                worker: Worker::new(),
                finder: Finder::new(engine.handle()?.get(), KNOWN),
                handles: HashMap::new(),
                last: None,
                config: None,
                words: Vec::new(),
                batches: Memory::default(),
                vertices: Memory::default(),
                lists: Lists::default(),
                recording: None,
            };
            worker.give(xfjit_worker::new(Exclusive::new(state), Gate::default()));
            Ok(())
        })
    }
    /// Destroys a worker. A null pointer has no effect. This also releases the programs that the worker has found; they live on only if
    /// someone else holds a reference. One thread, while no other uses the handle.
    fn xfjit_worker_destroy(worker: *mut xfjit_worker) -> xfjit_status {
        call(|| {
            if worker.is_null() {
                return Ok(());
            }
            // Nobody gets in any more.
            enter(&worker)?.stay();
            worker.end()
        })
    }
    /// Does the same as xfjit_program_get, for programs that are looked up repeatedly: the worker compares words that it has seen before,
    /// and does not decode them. The worker owns the program. It is valid until the next call of this function, and longer with
    /// xfjit_program_ref. One thread at a time.
    fn xfjit_worker_program(worker: *mut xfjit_worker, slots: *const c_void, slot_stride: usize, slot_count: usize, start: usize, config: *const xfjit_config, program: *mut *const xfjit_program) -> xfjit_status {
        call(|| {
            let program = program.out("program")?;
            let (mut state, mut older) = (enter(&worker)?, None);
            let config = config.borrow(&mut older)?;
            // SAFETY: `slot_count` slots are there, `slot_stride` bytes from one to the next.
            let slots = unsafe { Slots::new(slots, slot_stride, slot_count) };
            // It is the worker's, which keeps it until it finds another one.
            program.set(state.find(&config, &slots, start)?);
            Ok(())
        })
    }
    /// Limits the work of a call. Once its vertices have executed this many slots, no further vertex begins; xfjit_outcome.done says how
    /// many vertices are done. All instances of a batch share the limit. 0: no limit. One thread at a time.
    fn xfjit_worker_set_slot_budget(worker: *mut xfjit_worker, slots: u64) -> xfjit_status {
        call(|| {
            enter(&worker)?.worker.set_slot_budget((slots > 0).then_some(slots));
            Ok(())
        })
    }
    /// Limits the overtime of a call. Overtime is the slots that a vertex executes after its first 2,048; only programs with loops have
    /// any. Once all vertices of a call, in all instances, have used up the limit together, no further vertex begins; xfjit_outcome.done
    /// says how many are done. The default is 16,777,216 slots, about a second in the interpreter, so that no draw of a guest blocks a
    /// thread for minutes. 0: no limit. One thread at a time.
    fn xfjit_worker_set_overtime(worker: *mut xfjit_worker, slots: u64) -> xfjit_status {
        call(|| {
            enter(&worker)?.worker.set_overtime((slots > 0).then_some(slots));
            Ok(())
        })
    }
}
