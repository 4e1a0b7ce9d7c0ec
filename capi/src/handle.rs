//! Handles: what they stand for, and who owns them.
//!
//! Each kind says once how C holds it ([`Handle::Held`]): an [`Owned`] handle has one owner, who ends it; a [`Shared`] one is counted.
//! These two types are the only ways in which a handle gets to C, and gets back. In between a call borrows it ([`Lent::handle`]).

use crate::extent::check_pointer;
use crate::lent::{Lent, LentMut, Out};
use crate::status::{Failure, XFJIT_E_HANDLE};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Number of a handle that has been destroyed.
const DEAD: u64 = 0xdead_dead_dead_dead;

/// What every handle begins with: a number that tells its kind.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header(AtomicU64);

impl Header {
    pub(crate) fn of<T: Handle>() -> Self {
        Header(AtomicU64::new(T::KIND))
    }
}

impl Drop for Header {
    fn drop(&mut self) {
        // SAFETY: it is borrowed alone. Volatile, since nobody is meant to read it, and who does so has made a mistake.
        unsafe { self.0.as_ptr().write_volatile(DEAD) };
    }
}

/// A kind of handles, which [`handle!`] defines.
///
/// # Safety
/// The type is `repr(C)` and begins with its [`Header`], any thread may look at it, and all that C gets of it is what its `Held` has
/// handed over.
pub(crate) unsafe trait Handle: Sized + Send + Sync {
    /// The number of this kind.
    const KIND: u64;
    /// The name of this kind.
    const NAME: &'static str;
    /// How C holds it.
    type Held: Held<Self>;
}

/// How C holds handles of a kind.
pub(crate) trait Held<T>: Deref<Target = T> {
    /// A new one.
    fn new(made: T) -> Self;

    /// Leaves it to C.
    fn into_pointer(self) -> *const T;

    /// Takes it back.
    ///
    /// # Safety
    /// The pointer is one that [`Held::into_pointer`] has left to C, which gives up what it got then.
    unsafe fn from_pointer(pointer: *const T) -> Self;
}

/// A handle with one owner.
#[derive(Debug)]
pub(crate) struct Owned<T>(Box<T>);

impl<T> Deref for Owned<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Owned<T> {
    /// What the handle stood for.
    pub(crate) fn into_inner(self) -> T {
        *self.0
    }
}

impl<T> Held<T> for Owned<T> {
    fn new(made: T) -> Self {
        Owned(Box::new(made))
    }

    fn into_pointer(self) -> *const T {
        Box::into_raw(self.0)
    }

    unsafe fn from_pointer(pointer: *const T) -> Self {
        // SAFETY: it comes from `Box::into_raw`, and who gives it up has no other.
        Owned(unsafe { Box::from_raw(pointer.cast_mut()) })
    }
}

/// A use of a handle that is counted.
#[derive(Debug)]
pub(crate) struct Shared<T>(Arc<T>);

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> Held<T> for Shared<T> {
    fn new(made: T) -> Self {
        Shared(Arc::new(made))
    }

    fn into_pointer(self) -> *const T {
        Arc::into_raw(self.0)
    }

    unsafe fn from_pointer(pointer: *const T) -> Self {
        // SAFETY: it comes from `Arc::into_raw`, and who gives it up gives up one use.
        Shared(unsafe { Arc::from_raw(pointer) })
    }
}

impl<T> Shared<T> {
    /// The pointer that C may use for as long as this is held.
    #[inline]
    pub(crate) fn as_pointer(&self) -> *const T {
        Arc::as_ptr(&self.0)
    }
}

/// What a handle stands for.
///
/// # Safety
/// The pointer is one that can be refused, or points to any handle of this library, which lives until `'a` ends. (One that has been
/// destroyed is told by its number where its memory has not been given to others.)
#[inline]
unsafe fn live<'a, T: Handle>(pointer: *const T) -> Result<&'a T, Failure> {
    check_pointer(pointer, T::NAME)?;
    // SAFETY: it has not been refused, so there is a handle, and all of them begin with a header, which is a number.
    let kind = unsafe { pointer.cast::<u64>().read_volatile() };
    if kind == T::KIND {
        // SAFETY: its number says that it is a handle of this kind, and is overwritten when it goes; so it is one, until `'a` ends.
        return Ok(unsafe { &*pointer });
    }
    Err(no_handle(kind, T::NAME))
}

#[cold]
fn no_handle(kind: u64, name: &str) -> Failure {
    let what = if kind == DEAD {
        "it has been destroyed"
    } else {
        "it is another kind of handle, or has been destroyed"
    };
    Failure::new(XFJIT_E_HANDLE, format_args!("this is not a valid {name}: {what}"))
}

impl<T: Handle> Lent<'_, T> {
    /// What the handle stands for.
    #[inline]
    pub(crate) fn handle(&self) -> Result<&T, Failure> {
        // SAFETY: a `Lent` handle is one of this library, which lives until the call ends it; that takes the `Lent`, which is borrowed.
        unsafe { live(self.as_ptr()) }
    }

    /// What the handle stands for, if it is not null.
    pub(crate) fn optional(&self) -> Result<Option<&T>, Failure> {
        if self.is_null() { Ok(None) } else { self.handle().map(Some) }
    }
}

impl<T: Handle> Lent<'_, *const T> {
    /// What an array of so many handles stands for, each looked at when its turn comes.
    ///
    /// # Safety
    /// The description of the function says that so many are there, each of which is lent as a handle is.
    pub(crate) unsafe fn handles(
        &self,
        count: usize,
        name: &str,
    ) -> Result<impl Iterator<Item = Result<&T, Failure>>, Failure> {
        // SAFETY: the contract above: so many pointers are there.
        let pointers = unsafe { self.slice(count, name) }?;
        // SAFETY: the contract above: each is lent as a handle is, and `self`, of whose call it is, is borrowed as long.
        Ok(pointers.iter().map(|&pointer| unsafe { live(pointer) }))
    }
}

impl<T: Handle<Held = Shared<T>>> Lent<'_, T> {
    /// One more use of a counted handle.
    pub(crate) fn share(&self) -> Result<Shared<T>, Failure> {
        self.handle()?;
        // SAFETY: it is a handle of this kind, as has just been asked, which C has by `Arc::into_raw` alone, and it lives. The use that is
        // taken back is the one that has been counted the line before.
        unsafe {
            Arc::increment_strong_count(self.as_ptr());
            Ok(Shared::from_pointer(self.as_ptr()))
        }
    }

    /// Ends a use of a counted handle; a null pointer is none.
    pub(crate) fn end(self) -> Result<(), Failure> {
        if self.optional()?.is_some() {
            // SAFETY: it is a handle of this kind, which C has by `Arc::into_raw` alone. The description says that C gives a use up, and
            // nothing is borrowed of `self`, which is gone.
            drop(unsafe { Shared::from_pointer(self.as_ptr()) });
        }
        Ok(())
    }
}

impl<T: Handle> LentMut<'_, T> {
    /// What the handle stands for.
    #[inline]
    pub(crate) fn handle(&self) -> Result<&T, Failure> {
        // SAFETY: a `LentMut` handle is one of this library, which lives until the call ends it; that takes the `LentMut`, which is
        // borrowed.
        unsafe { live(self.as_ptr()) }
    }
}

impl<T: Handle<Held = Owned<T>>> LentMut<'_, T> {
    /// Takes a handle from its owner.
    pub(crate) fn take(self) -> Result<Owned<T>, Failure> {
        self.handle()?;
        // SAFETY: it is a handle of this kind, as has just been asked, which C has by `Box::into_raw` alone. The description says that no
        // thread uses it, and nothing is borrowed of `self`, which is gone.
        Ok(unsafe { Owned::from_pointer(self.as_ptr()) })
    }

    /// Ends a handle; a null pointer is none.
    pub(crate) fn end(self) -> Result<(), Failure> {
        if !self.is_null() {
            drop(self.take()?);
        }
        Ok(())
    }
}

impl<T: Handle> Out<'_, T> {
    /// Hands a handle over, which C ends some time.
    pub(crate) fn give(self, held: T::Held) {
        self.set(held.into_pointer());
    }
}

/// A kind of handles: its type, how C holds it, its number and its name, what follows its header, and its description.
macro_rules! handle { (
    $table:ident = $(#[doc = $doc:literal])*
    $held:ident $type:ident($kind:literal, $name:literal) { $($visibility:vis $member:ident: $of:ty),* $(,)? }
) => {
    $(#[doc = $doc])*
    #[repr(C)]
    #[allow(non_camel_case_types, reason = "the name is that of C")]
    #[derive(Debug)]
    pub struct $type {
        header: $crate::handle::Header,
        $($visibility $member: $of),*
    }

    const _: () = assert!(std::mem::offset_of!($type, header) == 0);

    // SAFETY: it is `repr(C)`, and the header is at its beginning. The compiler has seen that any thread may look at it.
    unsafe impl $crate::handle::Handle for $type {
        const KIND: u64 = u64::from_le_bytes(*$kind);
        const NAME: &'static str = $name;
        type Held = $crate::handle::$held<Self>;
    }

    impl $type {
        pub(crate) fn new($($member: $of),*) -> <Self as $crate::handle::Handle>::Held {
            $crate::handle::Held::new($type { header: $crate::handle::Header::of::<$type>(), $($member),* })
        }
    }

    pub(crate) const $table: $crate::table::Item =
        $crate::table::Item::Opaque($crate::table::Opaque { doc: &[$($doc),*], name: stringify!($type) });
} }
pub(crate) use handle;
