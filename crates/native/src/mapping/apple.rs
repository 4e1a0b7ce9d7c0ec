//! Executable memory of macOS on Apple silicon, mapped with `MAP_JIT`.
//!
//! Under the hardened runtime a process gets such pages by the entitlement `com.apple.security.cs.allow-jit`, which emulators have.
//! For pages that become executable by `mprotect` it would need `com.apple.security.cs.allow-unsigned-executable-memory`.
//! (Apple, "Porting just-in-time compilers to Apple silicon"; mmap(2), pthread_jit_write_protect_np(3).)
//!
//! A thread either writes to all pages of this kind or executes them. It begins as one that executes, and nobody can ask which it
//! is. The host may have set its own thread to write, so a thread of ours copies the code, and the state of no other thread changes.
//!
//! UNKNOWN: whether it works. Nobody has run this; it has been compiled.

use crate::backend::CompileError;
use std::io::Error;
use std::ptr::{self, NonNull};
use std::thread;

/// Pages that hold code; unmapped on drop.
pub(super) struct Pages {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: after `Pages::new` nothing writes to the pages, and no thread owns them.
unsafe impl Send for Pages {}
// SAFETY: as above; all that a shared value gives is their address.
unsafe impl Sync for Pages {}

unsafe extern "C" {
    /// Of `libkern/OSCacheControl.h`.
    fn sys_icache_invalidate(start: *mut libc::c_void, bytes: usize);
}

impl Pages {
    /// Copies position-independent code to new pages; nothing if the system maps none of this kind.
    ///
    /// # Errors
    /// [`CompileError::Memory`] if no thread can be started.
    pub(super) fn new(code: &[u8]) -> Result<Option<Self>, CompileError> {
        let bytes = code.len().max(1).next_multiple_of(region::page::size());
        let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_JIT;
        // SAFETY: the system chooses an address, so that the call touches no memory which is in use.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Ok(None);
        }
        let Some(start) = NonNull::new(start.cast::<u8>()) else { return Ok(None) };
        let pages = Pages { start, bytes };
        let copied = thread::scope(|scope| {
            let copy = || pages.write(code);
            let writer = thread::Builder::new().name("xfjit code".to_owned()).spawn_scoped(scope, copy)?;
            writer.join().map_err(|_| Error::other("the thread that copies code has panicked"))
        });
        copied.map_err(|error| CompileError::Memory(error.to_string()))?;
        Ok(Some(pages))
    }

    /// Copies code to the pages. Afterwards the thread executes such pages, as threads do when they begin.
    fn write(&self, code: &[u8]) {
        // SAFETY: the calls change what this thread may do with pages of this kind, and it executes none while it may write. The pages are at
        // least as long as the code, have just been mapped, and nobody else has their address.
        unsafe {
            libc::pthread_jit_write_protect_np(0);
            self.start.as_ptr().copy_from_nonoverlapping(code.as_ptr(), code.len());
            libc::pthread_jit_write_protect_np(1);
            sys_icache_invalidate(self.start.as_ptr().cast(), code.len());
        }
    }

    /// Where the code begins: at the beginning of a page.
    pub(super) fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the pages have been mapped by `new`, and are unmapped once. The only pointer to them is that of the `Compiled` which is being dropped.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
