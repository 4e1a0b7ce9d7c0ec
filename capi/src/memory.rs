//! What C hands over: handles, records whose size the caller tells, slices. Everything that is read through a pointer of the
//! caller is read here or by what is made here, where it could be memory ([`crate::extent`]).

pub(crate) use crate::extent::{
    can_be, cells, check_pointer, copy, extent, part, place_of, slice, slice_mut,
};
use crate::status::{Failure, XFJIT_E_HANDLE, XFJIT_E_SIZE, XFJIT_E_VERSION};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Number of a handle that has been destroyed.
const DEAD: u64 = 0xdead_dead_dead_dead;

/// What every handle begins with: a number that tells its kind.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header(AtomicU64);

/// A handle. Its type is `repr(C)` and begins with its [`Header`].
pub(crate) trait Handle {
    /// The number of this kind.
    const KIND: u64;
    /// The name of this kind.
    const NAME: &'static str;
}

impl Header {
    pub(crate) fn of<T: Handle>() -> Self {
        Header(AtomicU64::new(T::KIND))
    }
}

impl Drop for Header {
    fn drop(&mut self) {
        // SAFETY: it is ours. Volatile, since nobody is meant to read it, and who does so has made a mistake.
        unsafe { self.0.as_ptr().write_volatile(DEAD) };
    }
}

/// What a handle stands for.
///
/// # Safety
/// The pointer is null or points to any handle of this library, which lives for as long as the reference. (One that has been
/// destroyed is told by its number where its memory has not been given to others.)
#[inline]
pub(crate) unsafe fn handle<'a, T: Handle>(pointer: *const T) -> Result<&'a T, Failure> {
    check_pointer(pointer, T::NAME)?;
    // SAFETY: all handles begin with a header, which is a number, so there is one to be read.
    let kind = unsafe { pointer.cast::<u64>().read_volatile() };
    if kind == T::KIND {
        // SAFETY: it is a live handle of this kind, as its number says.
        return Ok(unsafe { &*pointer });
    }
    Err(no_handle(kind, T::NAME))
}

#[cold]
fn no_handle(kind: u64, name: &str) -> Failure {
    let what =
        if kind == DEAD { "it has been destroyed" } else { "it is something else, or has been destroyed" };
    Failure::new(XFJIT_E_HANDLE, format_args!("this is no {name}: {what}"))
}

/// Records that begin with their size. Newer versions only append members, and 0 in them is what older ones mean.
pub(crate) trait Sized32: Copy {
    /// Bytes of the first version.
    const FIRST: usize;
    /// The name in messages.
    const NAME: &'static str;
    /// All bits 0.
    const ZERO: Self;
}

/// No record will be as large: a greater size is no size.
pub(crate) const MOST: usize = 1 << 16;

/// The size that a record tells, if it can be one, of what can be a record.
#[inline]
fn told_size<T: Sized32>(pointer: *const T) -> Result<usize, Failure> {
    check_pointer(pointer, T::NAME)?;
    // SAFETY: every record begins with its size.
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

/// That a record can be filled later on.
#[inline]
pub(crate) fn check_record<T: Sized32>(pointer: *const T) -> Result<(), Failure> {
    told_size(pointer).map(drop)
}

/// A record as the caller has it: what it lacks is 0, what we do not know must be.
///
/// # Safety
/// The pointer is null or points to as many bytes as it says there.
#[inline]
pub(crate) unsafe fn record<T: Sized32>(pointer: *const T) -> Result<T, Failure> {
    let size = told_size(pointer)?;
    if size == size_of::<T>() {
        // SAFETY: so many bytes are there, as they say; any bits are a value.
        return Ok(unsafe { pointer.read() });
    }
    // SAFETY: as the caller says.
    unsafe { other_record(pointer, size) }
}

/// The same without copying one of this version.
///
/// # Safety
/// As for [`record`], and nobody writes it while it is borrowed.
#[inline]
pub(crate) unsafe fn borrowed<T: Sized32>(pointer: *const T, other: &mut Option<T>) -> Result<&T, Failure> {
    let size = told_size(pointer)?;
    if size == size_of::<T>() {
        // SAFETY: so many bytes are there, aligned, as they say; any bits are a value.
        return Ok(unsafe { &*pointer });
    }
    // SAFETY: as the caller says.
    Ok(other.insert(unsafe { other_record(pointer, size) }?))
}

/// The same for a record of another version.
///
/// # Safety
/// As for [`record`].
#[cold]
unsafe fn other_record<T: Sized32>(pointer: *const T, size: usize) -> Result<T, Failure> {
    // SAFETY: so many bytes are there, as they say.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    let (known, unknown) = bytes.split_at(size.min(size_of::<T>()));
    if unknown.iter().any(|&byte| byte != 0) {
        return Err(Failure::new(
            XFJIT_E_VERSION,
            format_args!("{} has members that this version of the library does not know", T::NAME),
        ));
    }
    let mut record = T::ZERO;
    // SAFETY: both are as long as that, and records hold numbers and pointers, of which any bits are a value.
    unsafe { std::ptr::copy_nonoverlapping(known.as_ptr(), (&raw mut record).cast(), known.len()) };
    Ok(record)
}

/// Fills a record of the caller: as much as it has room for, with zeros for what we do not know. Its size stays.
///
/// # Safety
/// As for [`record`], and nobody else uses it.
#[inline]
pub(crate) unsafe fn fill<T: Sized32>(pointer: *mut T, record: &T) -> Result<(), Failure> {
    let size = told_size(pointer)?;
    // So that the usual case copies a number of bytes that the compiler knows.
    if size == size_of::<T>() {
        // SAFETY: the caller has so many bytes; the size, the first four, stays.
        unsafe { fill_known(pointer, record, size_of::<T>(), size_of::<T>()) };
    } else {
        // SAFETY: as the caller says.
        unsafe { fill_known(pointer, record, size.min(size_of::<T>()), size) };
    }
    Ok(())
}

/// Fills `known` bytes but for the first four, and zeros up to `size`.
///
/// # Safety
/// The pointer points to `size` bytes, which nobody else uses; no less than are `known`, and these are not more than the record's.
#[inline(always)]
unsafe fn fill_known<T>(pointer: *mut T, record: &T, known: usize, size: usize) {
    let (from, to) = ((&raw const *record).cast::<u8>(), pointer.cast::<u8>());
    // SAFETY: as the caller says; the size, the first four, is left.
    unsafe {
        std::ptr::copy_nonoverlapping(from.add(4), to.add(4), known - 4);
        std::ptr::write_bytes(to.add(known), 0, size - known);
    }
}

/// Stores what a call returns through a pointer.
///
/// # Safety
/// The pointer is null or nobody else uses what it points to.
pub(crate) unsafe fn store<T>(pointer: *mut T, value: T, name: &str) -> Result<(), Failure> {
    check_pointer(pointer, name)?;
    // SAFETY: it is not null and aligned, and the caller's.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Hands what a handle stands for to C, which ends it some time ([`end`]).
///
/// # Safety
/// As for [`store`].
pub(crate) unsafe fn give<T: Handle>(made: T, pointer: *mut *mut T) -> Result<(), Failure> {
    // First, so that nothing is handed to nobody.
    check_pointer(pointer, T::NAME)?;
    // SAFETY: it is not null and aligned, and the caller's.
    unsafe { pointer.write(Box::into_raw(Box::new(made))) };
    Ok(())
}

/// Takes back what [`give`] has handed over.
///
/// # Safety
/// As for [`handle`], and nobody else uses the handle.
pub(crate) unsafe fn take<T: Handle>(pointer: *mut T) -> Result<Box<T>, Failure> {
    // SAFETY: as the caller says; `handle` finds out what can be found out.
    unsafe {
        handle(pointer)?;
        Ok(Box::from_raw(pointer))
    }
}

/// Ends what [`give`] has handed over; a null pointer is nothing.
///
/// # Safety
/// As for [`take`].
pub(crate) unsafe fn end<T: Handle>(pointer: *mut T) -> Result<(), Failure> {
    if !pointer.is_null() {
        // SAFETY: as the caller says.
        drop(unsafe { take(pointer) }?);
    }
    Ok(())
}

/// Copies text with a zero at its end, as much as there is room for; returns its whole length, without the zero.
///
/// # Safety
/// The pointer is null or points to so many bytes, which nobody else uses.
pub(crate) unsafe fn text(pointer: *mut std::ffi::c_char, size: usize, text: &str) -> Result<usize, Failure> {
    if size > 0 {
        let mut fits = text.len().min(size - 1);
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        // SAFETY: as the caller says.
        let bytes = unsafe { slice_mut(pointer.cast::<u8>(), fits + 1, "text") }?;
        bytes[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        bytes[fits] = 0;
    }
    Ok(text.len())
}

/// Something that one call at a time may use.
#[derive(Debug)]
pub(crate) struct Alone<T> {
    busy: AtomicBool,
    inner: UnsafeCell<T>,
}

// SAFETY: what is inside is reached through `Alone::enter` only, which lets one thread in at a time.
unsafe impl<T: Send> Sync for Alone<T> {}

impl<T> Alone<T> {
    pub(crate) fn new(inner: T) -> Self {
        Alone { busy: AtomicBool::new(false), inner: UnsafeCell::new(inner) }
    }

    /// The use of it, unless another call has it.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Entered<'_, T>> {
        self.busy
            .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
            // Made only if it is: dropping it lets the next call in.
            .then(|| Entered(self))
    }
}

/// The use of something by one call.
pub(crate) struct Entered<'a, T>(&'a Alone<T>);

impl<T> Deref for Entered<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: there is one `Entered` at a time.
        unsafe { &*self.0.inner.get() }
    }
}

impl<T> DerefMut for Entered<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: there is one `Entered` at a time, and it is borrowed.
        unsafe { &mut *self.0.inner.get() }
    }
}

impl<T> Drop for Entered<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
    }
}
