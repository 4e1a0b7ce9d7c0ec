//! What one call at a time may use: workers and units.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// Something that one call at a time may use. Unlike a lock it keeps nobody waiting.
#[derive(Debug)]
pub(crate) struct Exclusive<T> {
    is_busy: AtomicBool,
    inner: UnsafeCell<T>,
}

// SAFETY: what is inside is reached through `Exclusive::enter` alone, which lets one thread in at a time.
unsafe impl<T: Send> Sync for Exclusive<T> {}

impl<T> Exclusive<T> {
    pub(crate) fn new(inner: T) -> Self {
        Exclusive { is_busy: AtomicBool::new(false), inner: UnsafeCell::new(inner) }
    }

    /// The use of it, unless another call has it.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Entered<'_, T>> {
        self.is_busy
            .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
            // Made only if it is: dropping it lets the next call in.
            .then(|| Entered(self))
    }
}

/// The use of something by one call.
pub(crate) struct Entered<'a, T>(&'a Exclusive<T>);

impl<T> Entered<'_, T> {
    /// Lets nobody in any more.
    pub(crate) fn stay(self) {
        std::mem::forget(self);
    }
}

impl<T> Deref for Entered<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: `enter` makes one `Entered` until it is dropped, and nothing else looks inside.
        unsafe { &*self.0.inner.get() }
    }
}

impl<T> DerefMut for Entered<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: `enter` makes one `Entered` until it is dropped, and nothing else looks inside; this one is borrowed alone.
        unsafe { &mut *self.0.inner.get() }
    }
}

impl<T> Drop for Entered<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.is_busy.store(false, Ordering::Release);
    }
}
