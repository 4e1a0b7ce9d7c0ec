//! Records whose size the caller tells, so that they can grow: newer versions append members, and 0 in them is what older ones mean.

use crate::extent::{check_pointer, extent};
use crate::lent::{Lent, LentMut};
use crate::status::{Failure, XFJIT_E_SIZE, XFJIT_E_VERSION};
use std::marker::PhantomData;
use std::ops::Deref;

/// Records that begin with their size in four bytes. They hold numbers and pointers, of which any bits are a value.
pub(crate) trait Sized32: Copy {
    /// Bytes of the first version.
    const FIRST: usize;
    /// The name in messages.
    const NAME: &'static str;
    /// All bits 0.
    const ZERO: Self;
}

/// A record that C has lent to a call: of its pointers the promises hold that the description of the record makes, for as long as that is
/// lent. Copies of the contents promise nothing.
#[derive(Clone, Copy)]
pub(crate) struct Record<'r, T>(&'r T);

impl<T> Deref for Record<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0
    }
}

impl<'r, T> Record<'r, T> {
    /// # Safety
    /// Of the pointers in it the promises of its description hold until `'r` ends.
    #[inline]
    pub(crate) unsafe fn new(record: &'r T) -> Self {
        Record(record)
    }
}

/// No record will be as large: a greater size is no size.
pub(crate) const MOST: usize = 1 << 16;

/// The size that a record tells, if it can be one.
///
/// # Safety
/// The pointer is one that can be refused, or points to as many bytes as a record there says, at least its size.
#[inline]
unsafe fn told_size<T: Sized32>(pointer: *const T) -> Result<usize, Failure> {
    check_pointer(pointer, T::NAME)?;
    // SAFETY: it has not been refused, so a record is there, which begins with its size; it is aligned for a record, and so for that.
    let size = unsafe { pointer.cast::<u32>().read() } as usize;
    if size == size_of::<T>() {
        return Ok(size);
    }
    if !(T::FIRST..=MOST).contains(&size) {
        let (name, first) = (T::NAME, T::FIRST);
        return Err(Failure::new(
            XFJIT_E_SIZE,
            format_args!("{name}.size is {size}; it is at least {first}: sizeof({name})"),
        ));
    }
    extent(pointer.cast::<u8>(), size, T::NAME)?;
    Ok(size)
}

/// A record of another version as one of this: what it lacks is 0, what we do not know must be.
#[cold]
fn translated<T: Sized32>(bytes: &[u8]) -> Result<T, Failure> {
    let (known, unknown) = bytes.split_at(bytes.len().min(size_of::<T>()));
    if unknown.iter().any(|&byte| byte != 0) {
        return Err(Failure::new(
            XFJIT_E_VERSION,
            format_args!("{} has members that this version of the library does not know", T::NAME),
        ));
    }
    let mut record = T::ZERO;
    // SAFETY: `known` is no longer than the record, and apart from it, which is a local; any bits are a value of a `Sized32`.
    unsafe { std::ptr::copy_nonoverlapping(known.as_ptr(), (&raw mut record).cast(), known.len()) };
    Ok(record)
}

/// A record that is looked at where it is, if it is of this version, else in `other`.
///
/// # Safety
/// The pointer is one that can be refused, or points to as many bytes as a record there says, which nobody writes until `'r` ends.
#[inline]
unsafe fn read<T: Sized32>(pointer: *const T, other: &mut Option<T>) -> Result<&T, Failure> {
    // SAFETY: a size is asked of such a pointer.
    let size = unsafe { told_size(pointer) }?;
    if size == size_of::<T>() {
        // SAFETY: so many bytes are there, aligned, as they say; any bits are a value of a `Sized32`.
        return Ok(unsafe { &*pointer });
    }
    // SAFETY: so many bytes are there, as they say.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    Ok(other.insert(translated(bytes)?))
}

impl<T: Sized32> Lent<'_, T> {
    /// The record with what its pointers promise; `other` is room for one of another version.
    #[inline]
    pub(crate) fn borrow<'r>(&'r self, other: &'r mut Option<T>) -> Result<Record<'r, T>, Failure> {
        // SAFETY: a `Lent` record has as many bytes as it says, which nobody writes, and its pointers promise what its description
        // says, for the whole call, which `self` does not outlive.
        unsafe { Ok(Record::new(read(self.as_ptr(), other)?)) }
    }

    /// A copy of the record.
    #[inline]
    pub(crate) fn record(&self) -> Result<T, Failure> {
        Ok(*self.borrow(&mut None)?)
    }
}

impl<'call, T: Sized32> LentMut<'call, T> {
    /// A copy of the record as it is.
    #[inline]
    pub(crate) fn record(&self) -> Result<T, Failure> {
        // SAFETY: a `LentMut` record has as many bytes as it says, which nobody else uses; the copy is made at once.
        unsafe { Ok(*read(self.as_ptr(), &mut None)?) }
    }

    /// The record to be filled, refused before anything is done if it cannot be.
    #[inline]
    pub(crate) fn room(self) -> Result<Room<'call, T>, Failure> {
        // SAFETY: a `LentMut` record has as many bytes as it says.
        let size = unsafe { told_size(self.as_ptr()) }?;
        Ok(Room { pointer: self.as_ptr(), size, call: PhantomData })
    }
}

/// A record of the caller's to be filled: so many bytes that are there, and nobody else's.
pub(crate) struct Room<'call, T> {
    pointer: *mut T,
    size: usize,
    call: PhantomData<LentMut<'call, T>>,
}

impl<T: Sized32> Room<'_, T> {
    /// Fills it: as much as it has room for, with zeros for what we do not know. Its size stays.
    #[inline]
    pub(crate) fn fill(self, record: &T) {
        let Room { pointer, size, .. } = self;
        // So that the usual case copies a number of bytes that the compiler knows.
        let (known, size) = match size == size_of::<T>() {
            true => (size_of::<T>(), size_of::<T>()),
            false => (size.min(size_of::<T>()), size),
        };
        let (from, to) = ((&raw const *record).cast::<u8>(), pointer.cast::<u8>());
        // SAFETY: a `Room` has `size` bytes, which are nobody else's, so `record` is none of them; `known` is no more than those, nor than
        // the record has, and no less than the four of the size.
        unsafe {
            std::ptr::copy_nonoverlapping(from.add(4), to.add(4), known - 4);
            std::ptr::write_bytes(to.add(known), 0, size - known);
        }
    }
}
