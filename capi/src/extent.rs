//! Ranges of the caller's memory. What such a range is, one function decides ([`extent`]); whatever is read or written through a
//! pointer of the caller has been asked of it before.
//!
//! Whether memory is there nobody can tell but the caller. What can be told is whether it could be: not at null, aligned, and with
//! its last byte before the last page of addresses. Nothing here looks at memory.

use crate::status::{Failure, XFJIT_E_OUTPUT, argument};
use std::ops::Range;

/// The first address that is nobody's memory. The last page of addresses is none on any system: errors are numbers in it
/// (`(void *)-1` of `mmap`), and structures behind a null pointer, counted down.
const END: usize = usize::MAX - 4095;

/// Whether so many values can be at a pointer; of none it does not matter.
#[inline]
pub(crate) fn can_be<T>(pointer: *const T, count: usize) -> bool {
    let bytes = count.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize);
    let end = bytes.and_then(|bytes| pointer.addr().checked_add(bytes));
    count == 0 || !pointer.is_null() && pointer.is_aligned() && end.is_some_and(|end| end <= END)
}

/// The addresses of so many values, which can be there; of none none.
#[inline]
pub(crate) fn extent<T>(pointer: *const T, count: usize, name: &str) -> Result<Range<usize>, Failure> {
    if !can_be(pointer, count) {
        return Err(cannot_be(pointer, name));
    }
    let start = if count == 0 { 0 } else { pointer.addr() };
    Ok(start..start + count * size_of::<T>())
}

#[cold]
fn cannot_be<T>(pointer: *const T, name: &str) -> Failure {
    argument(match (pointer.is_null(), pointer.is_aligned()) {
        (true, _) => format!("{name} is a null pointer"),
        (_, false) => format!("{name} is not aligned for {} bytes", align_of::<T>()),
        _ => format!("{name} exceeds the address space"),
    })
}

/// That there can be a value at a pointer.
#[inline]
pub(crate) fn check_pointer<T>(pointer: *const T, name: &str) -> Result<(), Failure> {
    extent(pointer, 1, name).map(drop)
}

/// The addresses of memory that is lent.
#[inline]
pub(crate) fn range_of<T>(memory: &[T]) -> Range<usize> {
    let start = memory.as_ptr().addr();
    start..start + size_of_val(memory)
}

/// Whether two ranges have a byte in common.
#[inline]
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// That what is read and what is written are not the same memory.
#[inline]
pub(crate) fn apart(
    written: &Range<usize>,
    what: &str,
    read: &Range<usize>,
    other: &str,
) -> Result<(), Failure> {
    if overlap(written, read) {
        return Err(Failure::new(XFJIT_E_OUTPUT, format_args!("{what} and {other} overlap")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::without_provenance;

    #[test]
    fn what_is_null_crooked_or_beyond_all_memory_cannot_be() {
        let word = |address: usize, count| can_be(without_provenance::<u32>(address), count);
        for count in [1, 2, usize::MAX / 4, usize::MAX] {
            for address in [0, 2, 5, END, usize::MAX - 3, usize::MAX - 7, usize::MAX - 255, usize::MAX] {
                assert!(!word(address, count), "{count} at {address:#x}");
                assert!(word(address, 0));
            }
        }
        assert!(word(END - 8, 2) && !word(END - 8, 3));
        // No object is larger than half of all addresses.
        let half = isize::MAX as usize / 4;
        assert!(word(4, half) && !word(4, half + 1) && !word(4, usize::MAX / 4 - 1));
        let pointer = without_provenance::<u32>(16);
        assert_eq!(extent(pointer, 3, "it").expect("it can be"), 16..28);
        assert_eq!(extent(pointer, 0, "it").expect("it is nothing"), 0..0);
    }
}
