//! Executable memory: written first and made executable afterwards, never both at once.
#![expect(unsafe_code, reason = "code is copied to memory that the provider has mapped, and freed with it")]

#[cfg(all(target_os = "macos", target_arch = "aarch64"))]
mod apple;

use crate::backend::CompileError;
use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider, SystemMemoryProvider};
use std::error::Error;
use std::sync::{Mutex, PoisonError};

/// Executable memory of one program; unmapped on drop.
pub(super) struct Mapping {
    /// The mutex is never locked: it only makes the provider, which holds pointers, `Sync`.
    provider: Mutex<SystemMemoryProvider>,
    /// Pages that hold the code instead of the provider's.
    #[cfg(all(target_os = "macos", target_arch = "aarch64"))]
    pages: Option<apple::Pages>,
    bytes: usize,
}

impl Mapping {
    /// Copies position-independent code to newly mapped memory, which may be executed by all threads from now on; returns the
    /// mapping and the address of the code.
    ///
    /// # Errors
    /// [`CompileError::Memory`].
    pub(super) fn new(code: &[u8], alignment: u64) -> Result<(Self, *const u8), CompileError> {
        let bytes = code.len().next_multiple_of(region::page::size());
        let mut mapping = Mapping {
            provider: Mutex::new(SystemMemoryProvider::new()),
            #[cfg(all(target_os = "macos", target_arch = "aarch64"))]
            pages: None,
            bytes,
        };
        #[cfg(all(target_os = "macos", target_arch = "aarch64"))]
        if let Some(pages) = apple::Pages::new(code)? {
            let start = pages.start();
            mapping.pages = Some(pages);
            return Ok((mapping, start));
        }
        let provider = mapping.provider.get_mut().unwrap_or_else(PoisonError::into_inner);
        let refused = |error: &dyn Error| CompileError::Memory(with_causes(error));
        let start = provider
            .allocate(code.len(), alignment, JITMemoryKind::Executable)
            .map_err(|error| refused(&error))?;
        // SAFETY: the provider has just mapped so many bytes there, which nothing else knows of and which can be written
        // until it is finalized.
        unsafe { start.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        provider.finalize(BranchProtection::None).map_err(|error| refused(&error))?;
        Ok((mapping, start.cast_const()))
    }

    /// Bytes held: whole pages.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the only pointer into the mapping is the entry of the `Compiled` that holds the last reference to
        // it, and that is being dropped, or was never made.
        unsafe { self.provider.get_mut().unwrap_or_else(PoisonError::into_inner).free_memory() }
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
