//! Stack limits of generated code and of compilation.
//!
//! Generated code has one frame, probes each of its pages, and calls nothing; code whose frame is greater than
//! [`MOST_FRAME`] is refused. The code generator needs more stack than some threads of emulators have: then it runs on a
//! thread of its own.
#![cfg_attr(
    any(target_os = "linux", windows),
    expect(unsafe_code, reason = "only the system knows where a thread's stack ends")
)]

use crate::backend::CompileError;
use std::thread;

/// Bytes that generated code may use of its caller's stack.
pub const MOST_FRAME: usize = 32 << 10;

/// Bytes of stack that running a program takes at most, in native code or in the interpreter, also in debug builds.
pub const RUNNING: usize = 64 << 10;

/// Bytes of stack that must be left for a compilation to stay on its caller's thread. It takes a fifth of them
/// (`tests/stack.rs`).
const COMPILING: usize = 512 << 10;

/// Runs a compilation on this thread if enough stack is left, else on a thread of its own, which takes about 50 µs.
///
/// # Errors
/// [`CompileError::Stack`].
pub(super) fn with_enough<R: Send>(compile: impl FnOnce() -> R + Send) -> Result<R, CompileError> {
    if left().is_some_and(|bytes| bytes >= COMPILING) {
        return Ok(compile());
    }
    thread::scope(|scope| {
        let name = "xfjit compile".to_owned();
        let builder = thread::Builder::new().name(name).stack_size(2 * COMPILING);
        let thread = builder.spawn_scoped(scope, compile);
        let thread = thread.map_err(|error| CompileError::Stack(error.to_string()))?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Bytes of stack that are left; `None` if unknown, as on a stack that the system has not allocated.
fn left() -> Option<usize> {
    thread_local! {
        static ENDS: Option<(usize, usize)> = ends();
    }
    let marker = 0u8;
    let here = (&raw const marker).addr();
    let (low, high) = ENDS.try_with(|ends| *ends).ok()??;
    (low..high).contains(&here).then(|| here - low)
}

/// The lowest and the highest address of this thread's stack.
#[cfg(target_os = "linux")]
fn ends() -> Option<(usize, usize)> {
    use std::mem::MaybeUninit;
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut low, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the thread is this one, which lives; the call initialises the attributes or fails.
    if unsafe { libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: they are initialised, read once and destroyed once.
    let failed = unsafe {
        let failed = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut low, &raw mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        failed
    };
    let low = low.addr();
    (failed == 0).then_some((low, low.saturating_add(size)))
}

/// The lowest and the highest address of this thread's stack, or of the fiber's that it runs. The lowest pages of it are the system's,
/// which are few.
#[cfg(windows)]
fn ends() -> Option<(usize, usize)> {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        /// Windows 8 and later.
        fn GetCurrentThreadStackLimits(low: *mut usize, high: *mut usize);
    }
    let (mut low, mut high) = (0, 0);
    // SAFETY: the call writes an address to each of two live locals, and does nothing else.
    unsafe { GetCurrentThreadStackLimits(&raw mut low, &raw mut high) };
    Some((low, high))
}

/// Not implemented for other systems.
#[cfg(not(any(target_os = "linux", windows)))]
fn ends() -> Option<(usize, usize)> {
    None
}

#[cfg(all(test, any(target_os = "linux", windows)))]
mod tests {
    use super::{COMPILING, left, with_enough};
    use std::hint::black_box;
    use std::thread;

    /// Does something where no more than so many bytes are left.
    fn deeper(most: usize, then: &mut dyn FnMut()) {
        let frame = black_box([0u8; 4096]);
        if left().expect("the thread is the system's") > most {
            deeper(most, then);
        } else {
            then();
        }
        black_box(frame);
    }

    /// Whether a compilation stays on this thread.
    fn stays() -> bool {
        let here = thread::current().id();
        with_enough(|| thread::current().id() == here).expect("there is memory")
    }

    /// Does something on a thread of so many bytes of stack.
    fn on_thread_of(bytes: usize, look: impl FnOnce(usize) + Send) {
        thread::scope(|scope| {
            let look = || {
                let left = left().expect("the thread is the system's");
                // The system may give more, and has used some.
                assert!(left < 2 * bytes && left > bytes / 2, "{left} of {bytes}");
                look(left);
            };
            let thread = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, look);
            thread.expect("it starts").join().expect("it holds");
        });
    }

    #[test]
    fn the_system_tells_how_much_is_left() {
        // Under wine each thread has a megabyte at least. The small one comes first: a later thread may get the stack of one that has ended.
        if !cfg!(windows) {
            on_thread_of(COMPILING / 2, |left_here| assert!(!stays(), "{left_here}"));
        }
        on_thread_of(4 * COMPILING, |left_here| {
            assert!(stays(), "{left_here}");
            deeper(COMPILING / 2, &mut || {
                let left = left().expect("the thread is the system's");
                assert!(left > COMPILING / 4 && left <= COMPILING / 2, "{left}");
                assert!(!stays(), "{left}");
            });
        });
    }
}
