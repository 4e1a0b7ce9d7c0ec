//! Calls that take long, and Ctrl-C.
//!
//! Python's handlers of signals run on its main thread, and only while that has Python's lock. So a call that takes long works on a thread of
//! its own, and the thread of the caller looks for signals meanwhile.

use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use xfjit::shader::Cancel;

/// How often signals are looked for.
const EVERY: Duration = Duration::from_millis(50);

/// Whether this is the thread that handles signals. Others need not look, and a daemon must not: it may outlive Python.
pub(crate) fn is_handler(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    threading.call_method0("get_ident")?.eq(threading.call_method0("main_thread")?.getattr("ident")?)
}

/// Does something, and gives what came of it, and the exception that a handler of a signal has raised meanwhile. The flag is raised then.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send,
) -> (T, PyResult<()>) {
    py.detach(|| {
        let (done, is_done) = channel::<()>();
        let mut work = Some(work);
        let mut raised = Ok(());
        let result = thread::scope(|scope| {
            let taken = &mut work;
            let act = move || {
                // Dropped at the end, also by a panic.
                let _done = done;
                taken.take().map(|work| work())
            };
            let thread = thread::Builder::new().name("xfjit".to_owned()).spawn_scoped(scope, act).ok()?;
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(EVERY) {
                if raised.is_ok() {
                    raised = Python::attach(|py| py.check_signals());
                    if raised.is_err() {
                        cancel.cancel();
                    }
                }
            }
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        // Without a thread it is done here, and signals wait.
        let result = result.or_else(|| work.take().map(|work| work()));
        (result.expect("the work is done there, or here"), raised)
    })
}
