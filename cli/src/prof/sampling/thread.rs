//! A thread that stops this one regularly and looks where it is, on Windows, which interrupts no thread by signals.

#![expect(unsafe_code, reason = "only the system stops a thread, and knows where it was")]

use super::Sampler;
use std::io;
use std::mem::zeroed;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use windows_sys::Win32::Foundation::{CloseHandle, HANDLE};
use windows_sys::Win32::System::Diagnostics::Debug::{CONTEXT, CONTEXT_CONTROL_AMD64, GetThreadContext};
use windows_sys::Win32::System::Threading::{
    GetCurrentThreadId, OpenThread, ResumeThread, SuspendThread, THREAD_GET_CONTEXT, THREAD_SUSPEND_RESUME,
};

/// Between two samples. The system's clocks wake threads no more often than that.
const PERIOD: Duration = Duration::from_micros(500);

/// A thread that may be stopped.
struct Stoppable(HANDLE);

// SAFETY: a handle is a number of the process, which all of its threads may use.
unsafe impl Send for Stoppable {}

/// The system wants sixteen bytes.
#[repr(C, align(16))]
struct Registers(CONTEXT);

impl Stoppable {
    /// This thread.
    fn current() -> io::Result<Self> {
        // SAFETY: takes and gives numbers.
        let handle =
            unsafe { OpenThread(THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT, 0, GetCurrentThreadId()) };
        if handle.is_null() { Err(io::Error::last_os_error()) } else { Ok(Stoppable(handle)) }
    }

    /// Where it is; nothing if it has ended. It is another one than this.
    fn address(&self) -> Option<usize> {
        // SAFETY: a structure of numbers, for which zeros are values.
        let mut registers: Registers = unsafe { zeroed() };
        registers.0.ContextFlags = CONTEXT_CONTROL_AMD64;
        // SAFETY: the handle is a thread's, and the registers' memory is live and aligned. Whatever the thread holds meanwhile, a lock of the
        // heap for instance, is not asked for until it goes on.
        let is_known = unsafe {
            if SuspendThread(self.0) == u32::MAX {
                return None;
            }
            let is_known = GetThreadContext(self.0, &mut registers.0) != 0;
            ResumeThread(self.0);
            is_known
        };
        is_known.then_some(registers.0.Rip as usize)
    }
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle.
        unsafe { CloseHandle(self.0) };
    }
}

/// A thread that watches this one.
pub(super) struct Watcher {
    addresses: Receiver<usize>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts.
    pub(super) fn start() -> io::Result<Self> {
        let watched = Stoppable::current()?;
        let (to, addresses) = mpsc::channel();
        let ends = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ends);
        let watch = move || {
            while !is_over.load(Ordering::Relaxed) {
                thread::sleep(PERIOD);
                let sent = watched.address().map(|address| to.send(address));
                if matches!(sent, Some(Err(_))) {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("xfjit samples".to_owned()).spawn(watch)?;
        Ok(Watcher { addresses, ends, thread: Some(thread) })
    }
}

impl Drop for Watcher {
    /// Waits, since a process that ended meanwhile would end the thread, and perhaps leave this one stopped.
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Sampler for Watcher {
    fn name(&self) -> String {
        "samples of a thread that stops this one".to_owned()
    }

    fn take(&mut self, to: &mut Vec<usize>) -> u64 {
        to.extend(self.addresses.try_iter());
        0
    }
}
