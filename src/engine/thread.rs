//! The engine's own thread, and the process that it is in.
//!
//! Threads stay behind when a process is forked: the child has the handles, and no thread to wait for. What the thread held
//! stays held there.

use super::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

/// A thread that compiles. It ends with this handle.
pub(super) struct Own {
    /// Nothing only while it is dropped.
    handle: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

impl Own {
    /// Starts the thread, if there can be one. Without it programs stay in the interpreter: slower, but right.
    pub(super) fn start(shared: &Arc<Shared>) -> Option<Own> {
        let of_thread = Arc::clone(shared);
        let serve = move || of_thread.serve();
        let handle = thread::Builder::new().name("xfjit".to_owned()).spawn(serve).ok()?;
        let _ = shared.thread.set(handle.thread().clone());
        Some(Own { handle: Some(handle), shared: Arc::clone(shared) })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        if self.shared.is_forked() {
            // There is no such thread in this process, nor one to be asked about it.
            std::mem::forget(handle);
            return;
        }
        self.shared.stop.store(true, Ordering::Release);
        handle.thread().unpark();
        // Dropped by a hook on the thread itself, which ends when the hook has returned.
        if handle.thread().id() != thread::current().id() {
            // A panic of the compiler thread has nothing left to spoil.
            let _ = handle.join();
        }
    }
}

/// The process of this thread.
pub(super) fn process() -> u32 {
    std::process::id()
}

impl Shared {
    /// Whether this process is a copy of the engine's, made while it lived: its thread is not there, nor any other.
    pub(super) fn is_forked(&self) -> bool {
        self.process != process()
    }
}
