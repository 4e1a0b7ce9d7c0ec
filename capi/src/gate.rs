//! The way from threads of a host's pool to the parts of the batch that a call runs. The parts live as long as the call; so nobody gets to
//! them before or after it, and the call does not end while somebody is with them, whatever the host does.

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread;
use xfjit::engine::Parts;

/// A way to parts that is mostly closed.
#[derive(Default, Debug)]
pub(crate) struct Gate {
    /// Where the parts are; null while it is closed.
    parts: AtomicPtr<()>,
    /// Threads that are with the parts, or look whether there are some.
    inside: AtomicUsize,
}

const _: () = {
    const fn may_be_shared<T: Sync>() {}
    may_be_shared::<Parts<'_>>();
};

/// Closes a gate when it goes.
struct Open<'a>(&'a Gate);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.parts.store(ptr::null_mut(), Ordering::SeqCst);
        // Mostly nobody is there: the host has waited for its threads.
        while self.0.inside.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
    }
}

impl Gate {
    /// Lets threads to the parts while `body` runs. Returns when none is with them any more.
    pub(crate) fn open(&self, parts: &Parts<'_>, body: impl FnOnce()) {
        self.parts.store(ptr::from_ref(parts).cast_mut().cast(), Ordering::SeqCst);
        let _open = Open(self);
        body();
    }

    /// Runs a part, if the gate is open; whether there is one of this number.
    pub(crate) fn run(&self, number: usize) -> Option<bool> {
        // Counted before looking: who closes the gate counts after that.
        self.inside.fetch_add(1, Ordering::SeqCst);
        let parts = NonNull::new(self.parts.load(Ordering::SeqCst));
        // SAFETY: `Gate::open` has put the address of parts there, and the gate was open after this thread had been counted, so that they live
        // until it no longer is. `Parts::run` does not panic.
        let parts = parts.map(|parts| unsafe { parts.cast::<Parts<'_>>().as_ref() });
        let ran = parts.map(|parts| {
            // The call learns of a number that is none, too.
            parts.run(number);
            number < parts.count()
        });
        self.inside.fetch_sub(1, Ordering::SeqCst);
        ran
    }
}
