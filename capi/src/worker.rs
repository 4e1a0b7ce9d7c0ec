//! Workers: what a thread works in, and the programs that it has met.

use crate::again::{self, KeptBatch};
use crate::config::{Wanted, xfjit_config};
use crate::engine::{self, xfjit_engine};
use crate::indices::Lists;
use crate::memory::{self, Alone, Entered, Handle, Header};
use crate::program::{self, xfjit_program};
use crate::record::CallRecording;
use crate::status::{Failure, XFJIT_E_BUSY, call, xfjit_status};
use crate::table::{functions, opaque};
use std::collections::HashMap;
use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::sync::Arc;
use xfjit::Worker;
use xfjit::engine::Finder;

/// Programs that a worker knows by their words.
const KNOWN: NonZeroUsize = NonZeroUsize::new(512).expect("it is not 0");

/// A worker.
#[repr(C)]
#[allow(non_camel_case_types, reason = "the name is that of C")]
#[derive(Debug)]
pub struct xfjit_worker {
    header: Header,
    alone: Alone<Working>,
}

impl Handle for xfjit_worker {
    const KIND: u64 = u64::from_le_bytes(*b"xfworker");
    const NAME: &'static str = "worker";
}

const _: () = assert!(std::mem::offset_of!(xfjit_worker, header) == 0);
const _: fn() = || {
    fn any_thread_may_enter<T: Send + Sync>() {}
    any_thread_may_enter::<xfjit_worker>();
};

/// What is inside.
#[derive(Debug)]
pub(crate) struct Working {
    pub(crate) worker: Worker,
    finder: Finder,
    /// The handles that C has of programs found, by address and whether outputs are kept.
    handles: HashMap<(usize, bool), Arc<xfjit_program>>,
    /// What the finder has found last, with the last configuration: mostly the next one is the same.
    last: Option<Arc<xfjit_program>>,
    /// The last configuration that was asked for, and what it says.
    config: Option<(xfjit_config, Wanted)>,
    /// Words of a program memory with gaps.
    words: Vec<u32>,
    /// Batches of xfjit_run that may come again.
    pub(crate) batches: again::Memory<KeptBatch>,
    /// Those of xfjit_run_rows.
    pub(crate) vertices: again::Memory<[usize; 6]>,
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

impl Working {
    /// The handle of the program that starts in some words.
    fn find(
        &mut self,
        given: &xfjit_config,
        slots: (*const c_void, usize, usize),
        start: usize,
    ) -> Result<*const xfjit_program, Failure> {
        if self.config.as_ref().is_none_or(|(last, _)| last.bytes() != given.bytes()) {
            (self.config, self.last) = (None, None);
        }
        let (_, wanted) = match &mut self.config {
            Some(known) => known,
            unknown => unknown.insert((*given, Wanted::of(given)?)),
        };
        let (slots, stride, count) = slots;
        let generation = wanted.config.generation;
        // SAFETY: as the caller of the function for C says.
        let words = unsafe { program::words(slots, stride, count, generation, &mut self.words) }?;
        if let Some(last) = &self.last
            && self.finder.is_last(words, start)
        {
            return Ok(Arc::as_ptr(last));
        }
        let found = match wanted.keep_outputs {
            true => self.finder.find_keeping(words, start, &wanted.config, wanted.inputs),
            false => self.finder.find_as(words, start, &wanted.config, wanted.inputs),
        };
        let found = found.map_err(program::no_program)?;
        let key = (Arc::as_ptr(found).addr(), wanted.keep_outputs);
        if let Some(handle) = self.handles.get(&key) {
            self.last = Some(Arc::clone(handle));
            return Ok(Arc::as_ptr(handle));
        }
        let handle = xfjit_program::new(Arc::clone(found), wanted.keep_outputs);
        // What the finder has forgotten goes some time.
        if self.handles.len() >= 4 * KNOWN.get() {
            self.handles.clear();
        }
        let handle = self.handles.entry(key).or_insert(handle);
        self.last = Some(Arc::clone(handle));
        Ok(Arc::as_ptr(handle))
    }
}

impl xfjit_config {
    fn bytes(&self) -> &[u8] {
        // SAFETY: it consists of numbers of 32 and, an even number of them, 16 bits, without gaps.
        unsafe { std::slice::from_raw_parts((&raw const *self).cast(), size_of::<Self>()) }
    }
}

/// What is inside of a worker, for one call.
///
/// # Safety
/// As for [`memory::handle`].
#[inline]
pub(crate) unsafe fn enter<'a>(worker: *const xfjit_worker) -> Result<Entered<'a, Working>, Failure> {
    // SAFETY: as the caller says.
    let worker = unsafe { memory::handle(worker) }?;
    worker.alone.enter().ok_or_else(busy)
}

#[cold]
fn busy() -> Failure {
    Failure::new(XFJIT_E_BUSY, "another call has this worker; each thread needs one of its own")
}

opaque! { WORKER =
    /// What a thread runs programs in: working memory, and the programs that it has found by their words. It belongs to no thread,
    /// but only one call at a time may have it; a second one returns XFJIT_E_BUSY.
    "xfjit_worker"
}

functions! {
    FUNCTIONS;
    /// Makes a worker. It runs programs of any engine, and finds those of this one. Any thread.
    fn xfjit_worker_create(engine: *mut xfjit_engine, worker: *mut *mut xfjit_worker) -> xfjit_status {
        call(|| {
            memory::check_pointer(worker, "worker")?;
            // SAFETY: as the caller says.
            let engine = unsafe { engine::engine(engine) }?;
            let working = Working {
                worker: Worker::new(),
                finder: Finder::new(engine, KNOWN),
                handles: HashMap::new(),
                last: None,
                config: None,
                words: Vec::new(),
                batches: again::Memory::default(),
                vertices: again::Memory::default(),
                lists: Lists::default(),
                recording: None,
            };
            let made = xfjit_worker { header: Header::of::<xfjit_worker>(), alone: Alone::new(working) };
            // SAFETY: as the caller says.
            unsafe { memory::give(made, worker) }
        })
    }
    /// Ends a worker; a null pointer is none. Programs that it has found end with it, unless somebody else counts them. One
    /// thread, while no other uses the handle.
    fn xfjit_worker_destroy(worker: *mut xfjit_worker) -> xfjit_status {
        call(|| {
            if worker.is_null() {
                return Ok(());
            }
            // SAFETY: as the caller says. It stays entered, so that nobody gets in any more.
            unsafe {
                std::mem::forget(enter(worker)?);
                memory::end(worker)
            }
        })
    }
    /// As xfjit_program_get, for programs that are looked for again and again: words that this worker has seen are compared, not
    /// decoded. The program is the worker's: it is valid until the next call of this function, and longer if it is counted
    /// (xfjit_program_ref). One thread at a time.
    fn xfjit_worker_program(worker: *mut xfjit_worker, slots: *const c_void, slot_stride: usize, slot_count: usize, start: usize, config: *const xfjit_config, program: *mut *const xfjit_program) -> xfjit_status {
        call(|| {
            memory::check_pointer(program, "program")?;
            // SAFETY: as the caller says.
            let (mut working, mut older) = (unsafe { enter(worker) }?, None);
            // SAFETY: as the caller says.
            let config = unsafe { memory::borrowed(config, &mut older) }?;
            let found = working.find(config, (slots, slot_stride, slot_count), start)?;
            // SAFETY: as the caller says.
            unsafe { memory::store(program, found, "program") }
        })
    }
    /// Limits what a call may take: once its vertices have executed so many slots, no further one begins, and xfjit_outcome.done
    /// tells how many have. All instances of a batch share the limit. 0: no limit. One thread at a time.
    fn xfjit_worker_set_slot_budget(worker: *mut xfjit_worker, slots: u64) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            unsafe { enter(worker) }?.worker.set_slot_budget((slots > 0).then_some(slots));
            Ok(())
        })
    }
    /// Limits the overtime of a call: slots that a vertex executes behind its first 2,048, which only programs with loops do. Once the
    /// vertices of a call, of all instances, have executed so many of them, no further one begins, and xfjit_outcome.done tells how
    /// many have. At first there are 16,777,216, about a second of the interpreter, so that no draw of a guest holds a thread for
    /// minutes. 0: no limit. One thread at a time.
    fn xfjit_worker_set_overtime(worker: *mut xfjit_worker, slots: u64) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            unsafe { enter(worker) }?.worker.set_overtime((slots > 0).then_some(slots));
            Ok(())
        })
    }
}
