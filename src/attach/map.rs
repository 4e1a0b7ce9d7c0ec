//! A file as words that other processes see.
#![expect(unsafe_code, reason = "a mapped file is memory of which the language knows nothing")]

use super::layout::{BYTES, WORDS};
use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io;
use std::slice;
use std::sync::atomic::AtomicU64;

/// The words of a file, shared with whoever else has opened it.
pub(super) struct Words(MmapRaw);

impl Words {
    /// Maps a file, which has as many bytes as the layout says.
    pub(super) fn new(file: &File) -> io::Result<Words> {
        if file.metadata()?.len() < BYTES as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Words(MmapOptions::new().len(BYTES).map_raw(file)?))
    }

    /// All of them. Anybody who may write the file may change them at any time.
    pub(super) fn all(&self) -> &[AtomicU64] {
        // SAFETY: the mapping begins with a page, has `BYTES` bytes and lasts as long as `self`. This process touches it through these atomics
        // alone. Other processes may write it, for which atomics are made; all bits are a `u64`. That nobody cuts the file short is what
        // SECURITY.md says of files in this directory: whoever could do so may stop this process anyway.
        unsafe { slice::from_raw_parts(self.0.as_mut_ptr().cast(), WORDS) }
    }
}
