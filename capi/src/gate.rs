//! The way from threads of a host's pool to the parts of the batch that a call runs. The parts live as long as the call; so nobody gets to
//! them before or after it, and the call does not end while somebody is with them, whatever the host does.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use xfjit::engine::Parts;

/// A way to parts that is mostly closed.
#[derive(Default)]
pub(crate) struct Gate {
    inside: Mutex<Inside>,
    left: Condvar,
}

#[derive(Default)]
struct Inside {
    /// Nothing while it is closed.
    parts: Option<NonNull<Parts<'static>>>,
    /// Threads that are with the parts.
    count: usize,
}

// SAFETY: what it points to is shared among threads as references are, and may be: the compiler has seen that `Parts` is `Sync`.
unsafe impl Send for Inside {}

const _: () = {
    const fn is_sync<T: Sync>() {}
    is_sync::<Parts<'_>>();
};

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").finish_non_exhaustive()
    }
}

/// Closes a gate when it goes.
struct Open<'a>(&'a Gate);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut inside = self.0.inside();
        inside.parts = None;
        while inside.count > 0 {
            inside = self.0.left.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Gate {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets threads to the parts while `body` runs. Returns when none is with them any more.
    pub(crate) fn open(&self, parts: &Parts<'_>, body: impl FnOnce()) {
        self.inside().parts = Some(NonNull::from(parts).cast());
        let _open = Open(self);
        body();
    }

    /// Runs a part, if the gate is open.
    pub(crate) fn run(&self, number: usize) -> Option<()> {
        let parts = {
            let mut inside = self.inside();
            let parts = inside.parts?;
            inside.count += 1;
            parts
        };
        // SAFETY: they live until the gate is closed and nobody is with them, and this thread is counted. No lifetime of theirs is looked at.
        unsafe { parts.as_ref() }.run(number);
        let mut inside = self.inside();
        inside.count -= 1;
        if inside.count == 0 {
            self.left.notify_all();
        }
        Some(())
    }
}
