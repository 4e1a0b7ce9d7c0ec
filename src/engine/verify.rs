//! Compares native code with the interpreter from time to time, in production.

use super::lockstep::Pair;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xfjit_core::backend::Routine;
use xfjit_core::shader::Shader;

/// Whether there may be a backend besides the interpreter. Who has none needs nothing of what finds and writes down differences.
pub(super) const HAS_NATIVE: bool = cfg!(feature = "backends");

/// How often to compare, and where to write findings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verify {
    /// n: the first of every n batches that a program runs in native code also runs in the interpreter.
    pub every: NonZeroU64,
    /// The directory for findings, if any: a test file (`repro`) of the first difference of each program. It is created if necessary.
    pub directory: Option<PathBuf>,
}

/// The native code of a program beside the interpreter, whose results stand.
#[derive(Debug)]
pub(super) struct Verified {
    pair: Pair,
    every: NonZeroU64,
    batches: AtomicU64,
}

impl Verified {
    /// Of a program that is prepared on both, the interpreter first; findings go into the file.
    pub(super) fn new(
        verify: &Verify,
        shader: Shader,
        routines: [Arc<dyn Routine>; 2],
        file: String,
    ) -> Verified {
        let names = ["the interpreter", "native code"];
        let pair = Pair::new(shader, routines, names, verify.directory.clone(), file);
        Verified { pair, every: verify.every, batches: AtomicU64::new(0) }
    }

    /// What the next batch runs in, if it is one that is compared.
    pub(super) fn turn(&self) -> Option<&dyn Routine> {
        if !HAS_NATIVE {
            return None;
        }
        let batch = self.batches.fetch_add(1, Ordering::Relaxed);
        batch.is_multiple_of(self.every.get()).then_some(&self.pair as &dyn Routine)
    }
}
