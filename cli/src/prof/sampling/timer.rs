//! A timer whose signals interrupt this thread, where the system has no performance events for it, as in most containers.

#![expect(unsafe_code, reason = "only the system interrupts a thread, and knows where it was")]

use super::Sampler;
use std::ffi::{c_int, c_void};
use std::io;
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Addresses that nobody has taken yet, at most: those of more than a second.
const MOST: usize = 1 << 16;

/// Written by the signal's handler, which may do little else than that.
static ADDRESSES: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];
/// How many there have been; those behind the last place are lost.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// There is one signal, and one place for what it tells.
static IN_USE: Mutex<()> = Mutex::new(());

/// A timer that runs.
pub(super) struct Timer {
    timer: libc::timer_t,
    before: libc::sigaction,
    _alone: MutexGuard<'static, ()>,
}

/// Notes where the thread was.
extern "C" fn on_signal(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system hands this over to handlers that want to know of the signal (SA_SIGINFO).
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    let address = registers.gregs[libc::REG_RIP as usize] as usize;
    #[cfg(target_arch = "aarch64")]
    let address = registers.pc as usize;
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    if let Some(place) = ADDRESSES.get(number) {
        place.store(address, Ordering::Relaxed);
    }
}

fn checked(result: c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

impl Timer {
    /// Starts.
    pub(super) fn start(period: Duration) -> io::Result<Self> {
        let alone = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        COUNT.store(0, Ordering::Relaxed);
        // SAFETY: all of these are structures of numbers and pointers, for which zeros are values; they are filled as the system
        // wants them, and live as long as it looks at them. The handler does nothing that a handler must not do.
        unsafe {
            let (mut action, mut before): (libc::sigaction, libc::sigaction) = (zeroed(), zeroed());
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            checked(libc::sigaction(libc::SIGPROF, &action, &mut before))?;
            let mut event: libc::sigevent = zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = libc::SIGPROF;
            event.sigev_notify_thread_id = libc::gettid();
            let mut timer: libc::timer_t = ptr::null_mut();
            let made = checked(libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer));
            if let Err(error) = made {
                let _ = checked(libc::sigaction(libc::SIGPROF, &before, ptr::null_mut()));
                return Err(error);
            }
            let this = Timer { timer, before, _alone: alone };
            let every = libc::timespec { tv_sec: 0, tv_nsec: period.as_nanos() as _ };
            let times = libc::itimerspec { it_interval: every, it_value: every };
            checked(libc::timer_settime(timer, 0, &times, ptr::null_mut()))?;
            Ok(this)
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: it is a timer, nobody else has it, and what was done at the signal before is done again. One that has been sent
        // already is delivered to this thread before the first of these calls returns.
        unsafe {
            let _ = checked(libc::timer_delete(self.timer));
            let _ = checked(libc::sigaction(libc::SIGPROF, &self.before, ptr::null_mut()));
        }
    }
}

impl Sampler for Timer {
    fn name(&self) -> String {
        "samples of a timer".to_owned()
    }

    fn take(&mut self, to: &mut Vec<usize>) -> u64 {
        // The signals are this thread's own: between the two lines one may come, whose address is lost.
        let all = COUNT.load(Ordering::Relaxed);
        let kept = all.min(MOST);
        to.extend(ADDRESSES[..kept].iter().map(|place| place.load(Ordering::Relaxed)));
        COUNT.store(0, Ordering::Relaxed);
        (all - kept) as u64
    }
}
