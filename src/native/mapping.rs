//! Executable memory: written first and made executable afterwards, never both at once.
#![expect(
    unsafe_code,
    reason = "code is copied to memory that the system has mapped, whose protection changes"
)]

use crate::backend::CompileError;
use region::{Allocation, Protection};
use std::error::Error;
use std::fmt::Display;
use wasmtime_internal_jit_icache_coherence as instruction_cache;

/// Executable memory of one program; unmapped on drop.
pub(super) struct Mapping {
    pages: Allocation,
}

// SAFETY: it owns its pages, whose address is the same for all threads, and changes nothing of them before it is dropped.
unsafe impl Send for Mapping {}
// SAFETY: as above; through a shared reference it only tells what it is.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Copies position-independent code to newly mapped memory, which may be executed by all threads from now on.
    ///
    /// # Errors
    /// [`CompileError::Memory`].
    pub(super) fn new(code: &[u8], alignment: u64) -> Result<Self, CompileError> {
        debug_assert!(alignment <= region::page::size() as u64, "code begins with a page");
        let refused = |error: &dyn Error| CompileError::Memory(with_causes(error));
        // What fails here is no `Error` on every system.
        let stale = |error: &dyn Display| CompileError::Memory(error.to_string());
        let mut pages = region::alloc(code.len(), Protection::READ_WRITE).map_err(|error| refused(&error))?;
        let start = pages.as_mut_ptr::<u8>();
        // SAFETY: so many bytes have just been mapped there, to be written, and nothing else knows of them.
        unsafe { start.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        // SAFETY: the same bytes, which are mapped.
        unsafe { instruction_cache::clear_cache(start.cast_const().cast(), code.len()) }
            .map_err(|error| stale(&error))?;
        // SAFETY: whole pages of this allocation alone; nothing holds a reference into them.
        unsafe { region::protect(start, pages.len(), Protection::READ_EXECUTE) }
            .map_err(|error| refused(&error))?;
        // Pages that another program had may still be in other processors' pipelines.
        instruction_cache::pipeline_flush_mt().map_err(|error| stale(&error))?;
        Ok(Mapping { pages })
    }

    /// Where the code begins.
    pub(super) fn code(&self) -> *const u8 {
        self.pages.as_ptr()
    }

    /// Bytes held: whole pages.
    pub(super) fn bytes(&self) -> usize {
        self.pages.len()
    }
}

/// The messages of an error and of its causes; the last one is the system's.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let what = error.to_string();
        if !text.ends_with(&what) {
            text = format!("{text}: {what}");
        }
        cause = error.source();
    }
    text
}
