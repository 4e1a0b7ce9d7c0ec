//! Pointers that C hands to an exported function, as types that no call outlives.
//!
//! [`functions!`](crate::export::functions) makes a [`Lent`] or a [`LentMut`] of each pointer, borrowed from the [`Scope`] of its
//! call, so that nothing made of one can be kept. What they promise is the contract of every exported function; what that says
//! depends on the type that it points to:
//!
//! | points to | what is there, unless it is null |
//! |---|---|
//! | a handle ([`crate::handle`]) | a handle of this library, which lives until the call ends it or returns |
//! | a record with its size ([`crate::sized`]) | as many bytes as it says itself |
//! | a pointer | room for one, which is this call's alone ([`Out`]) |
//! | anything else | as many values as the description of the function says, which the type does not know: such methods are unsafe |
//!
//! Nobody writes what a `Lent` points to, and nobody else uses what a `LentMut` points to, until the call returns. (Handles are shared
//! all the same: they are looked at through shared references alone.) Pointers that are null, crooked or beyond all memory
//! [`crate::extent`] refuses before anything is looked at.

use crate::extent::{check_pointer, extent};
use crate::status::{Failure, argument};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use xfjit::runtime::state::Row;

/// A call of an exported function, whose end is the end of all that was lent to it.
pub(crate) struct Scope(());

impl Scope {
    #[inline]
    pub(crate) fn new() -> Self {
        Scope(())
    }
}

/// What a call reads.
pub(crate) struct Lent<'call, T> {
    pointer: *const T,
    call: PhantomData<&'call Scope>,
}

/// What a call writes, and may read.
pub(crate) struct LentMut<'call, T> {
    pointer: *mut T,
    call: PhantomData<&'call Scope>,
}

/// A parameter of an exported function, and what its body has of it.
pub(crate) trait Parameter {
    /// Numbers and functions are themselves; pointers are lent.
    type Lent<'call>;

    /// # Safety
    /// Of a pointer the promises of [`Lent`] and [`LentMut`] hold until `'call` ends.
    unsafe fn lend(self, scope: &Scope) -> Self::Lent<'_>;
}

impl<T> Parameter for *const T {
    type Lent<'call> = Lent<'call, T>;

    #[inline]
    unsafe fn lend(self, _: &Scope) -> Lent<'_, T> {
        Lent { pointer: self, call: PhantomData }
    }
}

impl<T> Parameter for *mut T {
    type Lent<'call> = LentMut<'call, T>;

    #[inline]
    unsafe fn lend(self, _: &Scope) -> LentMut<'_, T> {
        LentMut { pointer: self, call: PhantomData }
    }
}

macro_rules! plain_parameters { ($($type:ty $(, $of:ident)?;)*) => { $(
    impl $(<$of>)? Parameter for $type {
        type Lent<'call> = Self;

        #[inline]
        unsafe fn lend(self, _: &Scope) -> Self {
            self
        }
    }
)* } }
plain_parameters! { i32; u32; u64; usize; Option<F>, F; }

impl<T> Lent<'_, T> {
    #[inline]
    pub(crate) fn is_null(&self) -> bool {
        self.pointer.is_null()
    }

    #[inline]
    pub(crate) fn as_ptr(&self) -> *const T {
        self.pointer
    }

    /// So many values; of a null pointer none, if there are to be none.
    ///
    /// # Safety
    /// The description of the function says that so many are there.
    #[inline]
    pub(crate) unsafe fn slice(&self, count: usize, name: &str) -> Result<&[T], Failure> {
        // SAFETY: the contract above: so many are there. A `Lent` promises that nobody writes them until the call ends; `self` is borrowed.
        unsafe { slice(self.pointer, count, name) }
    }
}

impl<'call, T> Lent<'call, T> {
    /// An array of records that consist of words, as words.
    #[inline]
    pub(crate) fn words(&self) -> Lent<'call, u32> {
        Lent { pointer: self.pointer.cast(), call: PhantomData }
    }
}

impl<'call> Lent<'call, c_void> {
    /// What C has no type for, as bytes.
    #[inline]
    pub(crate) fn bytes(self) -> Lent<'call, u8> {
        Lent { pointer: self.pointer.cast(), call: PhantomData }
    }

    /// What C has no type for, as rows of four words.
    #[inline]
    pub(crate) fn rows(self) -> Lent<'call, Row> {
        Lent { pointer: self.pointer.cast(), call: PhantomData }
    }
}

impl Lent<'_, c_char> {
    /// A path in UTF-8, which ends with a zero. Text of C is lent as a pointer to its first character and no description
    /// has another end for it, so this is all that it can point to.
    pub(crate) fn path(&self, name: &str) -> Result<&Path, Failure> {
        // SAFETY: the promise of a `Lent`: text with a zero at its end.
        unsafe { path(self.pointer, name) }
    }

    /// Text in UTF-8, likewise.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Failure> {
        // SAFETY: the promise of a `Lent`: text with a zero at its end.
        unsafe { text(self.pointer, name) }
    }
}

impl<'call, T> LentMut<'call, T> {
    #[inline]
    pub(crate) fn is_null(&self) -> bool {
        self.pointer.is_null()
    }

    #[inline]
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.pointer
    }

    /// That there can be one value.
    #[inline]
    pub(crate) fn check(&self, name: &str) -> Result<(), Failure> {
        check_pointer(self.pointer, name)
    }

    /// So many values; of a null pointer none, if there are to be none.
    ///
    /// # Safety
    /// The description of the function says that so many are there.
    #[inline]
    pub(crate) unsafe fn slice(self, count: usize, name: &str) -> Result<&'call mut [T], Failure> {
        // SAFETY: the contract above: so many are there. A `LentMut` promises that nobody else uses them until `'call` ends, and it is gone.
        unsafe { slice_mut(self.pointer, count, name) }
    }
}

impl<'call> LentMut<'call, c_void> {
    /// What C has no type for, as bytes.
    #[inline]
    pub(crate) fn bytes(self) -> LentMut<'call, u8> {
        LentMut { pointer: self.pointer.cast(), call: PhantomData }
    }

    /// What C has no type for, as rows of four words.
    #[inline]
    pub(crate) fn rows(self) -> LentMut<'call, Row> {
        LentMut { pointer: self.pointer.cast(), call: PhantomData }
    }
}

impl LentMut<'_, c_char> {
    /// Copies text with a zero at its end, as much as there is room for; returns its whole length, without the zero.
    ///
    /// # Safety
    /// The description of the function says that there is room for so many bytes.
    pub(crate) unsafe fn write_text(self, size: usize, text: &str) -> Result<usize, Failure> {
        if size > 0 {
            let mut fits = text.len().min(size - 1);
            while !text.is_char_boundary(fits) {
                fits -= 1;
            }
            // SAFETY: the contract above: there is room for `size` bytes, which is no less. A `LentMut` promises that nobody else uses them.
            let bytes = unsafe { slice_mut(self.pointer.cast::<u8>(), fits + 1, "text") }?;
            bytes[..fits].copy_from_slice(&text.as_bytes()[..fits]);
            bytes[fits] = 0;
        }
        Ok(text.len())
    }
}

impl<'call, T> LentMut<'call, *const T> {
    /// Where the call puts a pointer to what lasts; refused before anything is made if it cannot be.
    #[inline]
    pub(crate) fn out(self, name: &str) -> Result<Out<'call, T>, Failure> {
        check_pointer(self.pointer, name)?;
        Ok(Out { room: self.pointer, call: PhantomData })
    }
}

impl<'call, T> LentMut<'call, *mut T> {
    /// See [`LentMut::out`] of `*const T`: what C may end has another type in its header, and nothing else.
    #[inline]
    pub(crate) fn out(self, name: &str) -> Result<Out<'call, T>, Failure> {
        check_pointer(self.pointer, name)?;
        Ok(Out { room: self.pointer.cast(), call: PhantomData })
    }
}

/// Room for a pointer, which can be there.
pub(crate) struct Out<'call, T> {
    room: *mut *const T,
    call: PhantomData<&'call Scope>,
}

impl<T> Out<'_, T> {
    /// Hands a pointer over.
    #[inline]
    pub(crate) fn set(self, pointer: *const T) {
        // SAFETY: an `Out` is made of a `LentMut`, which promises room for a pointer that nobody else uses, unless it is null or crooked,
        // which has been refused.
        unsafe { self.room.write(pointer) };
    }
}

/// So many values; of a null pointer none, if there are to be none.
///
/// # Safety
/// The pointer is one that can be refused ([`extent`]), or points to so many, which live for `'a`, and which nobody writes until it ends.
#[inline]
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    extent(pointer, count, name)?;
    // SAFETY: it has not been refused: not null, aligned, no more than memory can be. So the values are there, for `'a`.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Some of the bytes from a pointer on.
///
/// # Safety
/// As for [`slice`] of those up to the last one.
#[inline]
pub(crate) unsafe fn part<'a>(
    pointer: *const u8,
    part: Range<usize>,
    name: &str,
) -> Result<&'a [u8], Failure> {
    extent(pointer, part.end, name)?;
    if part.is_empty() {
        return Ok(&[]);
    }
    // SAFETY: it has not been refused, so all bytes up to the last one are there, for `'a`; the sum is one of their addresses.
    Ok(unsafe { std::slice::from_raw_parts(pointer.add(part.start), part.len()) })
}

/// So many values that a call writes.
///
/// # Safety
/// As for [`slice`], and nobody else uses them until `'a` ends.
#[inline]
pub(crate) unsafe fn slice_mut<'a, T>(
    pointer: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    extent(pointer, count, name)?;
    // SAFETY: it has not been refused: not null, aligned, no more than memory can be. So the values are there, nobody else's for `'a`.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// Bytes that several registers may share, each of which may write them.
///
/// # Safety
/// As for [`slice_mut`], but that other such cells of this call may overlap these.
#[inline]
pub(crate) unsafe fn cells<'a>(
    pointer: *mut u8,
    count: usize,
    name: &str,
) -> Result<&'a [Cell<u8>], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    extent(pointer, count, name)?;
    // SAFETY: it has not been refused, so the bytes are there, for `'a`. A cell is laid out as its byte, and cells of one thread may
    // overlap.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast::<Cell<u8>>(), count) })
}

/// Copies bytes that others may write meanwhile.
///
/// # Safety
/// So many are there.
pub(crate) unsafe fn copy(pointer: *const u8, to: &mut [u8]) {
    // SAFETY: so many can be read; `to` is memory of our own, so that they are no part of it.
    unsafe { std::ptr::copy_nonoverlapping(pointer, to.as_mut_ptr(), to.len()) };
}

/// A path in UTF-8.
///
/// # Safety
/// The pointer is one that can be refused, or points to text that ends with a zero, lives for `'a`, and is not written until it ends.
pub(crate) unsafe fn path<'a>(pointer: *const c_char, name: &str) -> Result<&'a Path, Failure> {
    // SAFETY: the contract above.
    unsafe { text(pointer, name) }.map(Path::new)
}

/// Text in UTF-8.
///
/// # Safety
/// As for [`path`].
unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    check_pointer(pointer, name)?;
    // SAFETY: it has not been refused, so there is text with a zero at its end, for `'a`.
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    text.map_err(|_| argument(format_args!("{name} is not UTF-8")))
}
