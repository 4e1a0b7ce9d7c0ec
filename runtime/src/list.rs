//! Copies of index lists that others may change while they are read, or that cannot be read in place. The memory is reused.
//!
//! Generated code does not check the numbers of a list: they were checked before. A list in the memory of a guest, whose threads continue
//! to run, may have changed by then. So lend a copy of such a list.
//!
//! ```
//! use xfjit_runtime::format::ByteOrder;
//! use xfjit_runtime::indices::{IndexWidth, Indices};
//! use xfjit_runtime::list::IndexList;
//!
//! let guest = [0_u8, 7, 0, 5, 0xff, 0xff, 0, 2]; // big-endian
//! let mut list = IndexList::new();
//! let order = if cfg!(target_endian = "big") { ByteOrder::Host } else { ByteOrder::Swapped };
//! list.fill(IndexWidth::Half, 4, order, |bytes| bytes.copy_from_slice(&guest))?;
//! let restart = list.restart_at(0xffff)?;
//! assert_eq!(list.parts().collect::<Vec<_>>(), [0..2, 3..4]);
//! assert_eq!(list.indices(0..4).vertex(1), 5);
//! assert!(restart);
//! # Ok::<(), xfjit_runtime::batch::StreamError>(())
//! ```
//!
//! The guest chooses the length, so missing memory is an error.

use crate::error::StreamError;
use crate::format::ByteOrder;
use crate::indexing::IndexWidth;
use crate::indices::Indices;
use std::ops::Range;

/// A copy of an index list. Memory is reused from list to list.
#[derive(Clone, Debug)]
pub struct IndexList {
    /// Numbers of either width.
    words: Vec<u32>,
    width: IndexWidth,
    count: usize,
    /// Where the list has vertices, if not everywhere.
    parts: Vec<Range<usize>>,
    has_restarts: bool,
}

impl Default for IndexList {
    fn default() -> Self {
        Self::new()
    }
}

impl IndexList {
    /// An empty list.
    pub const fn new() -> Self {
        IndexList {
            words: Vec::new(),
            width: IndexWidth::Half,
            count: 0,
            parts: Vec::new(),
            has_restarts: false,
        }
    }

    /// Makes this a list of this many numbers. The caller's function copies their bytes into the slice that it receives.
    ///
    /// # Errors
    /// [`StreamError::OutOfMemory`]; then the list is unchanged.
    pub fn fill(
        &mut self,
        width: IndexWidth,
        count: usize,
        order: ByteOrder,
        copy: impl FnOnce(&mut [u8]),
    ) -> Result<(), StreamError> {
        let bytes = count.checked_mul(width.bytes()).ok_or(StreamError::OutOfMemory)?;
        self.grow(bytes.div_ceil(4))?;
        (self.width, self.count, self.has_restarts) = (width, count, false);
        copy(&mut bytemuck::cast_slice_mut(&mut self.words)[..bytes]);
        if order == ByteOrder::Swapped {
            match width {
                IndexWidth::Half => self.halves_mut().iter_mut().for_each(|half| *half = half.swap_bytes()),
                IndexWidth::Word => self.words_mut().iter_mut().for_each(|word| *word = word.swap_bytes()),
            }
        }
        Ok(())
    }

    /// Has so many words at least.
    fn grow(&mut self, words: usize) -> Result<(), StreamError> {
        if let Some(more) = words.checked_sub(self.words.len()) {
            self.words.try_reserve(more)?;
            self.words.resize(words, 0);
        }
        Ok(())
    }

    /// Makes this a copy of a list, without its base.
    ///
    /// # Errors
    /// As for [`IndexList::fill`].
    pub fn copy(&mut self, indices: &Indices<'_>) -> Result<(), StreamError> {
        let (width, count) = (indices.width(), indices.len());
        self.fill(width, count, ByteOrder::Host, |bytes| bytes.copy_from_slice(indices.bytes()))
    }

    /// Converts the numbers to 32 bits, for code that is made for such lists.
    ///
    /// # Errors
    /// As for [`IndexList::fill`].
    pub fn widen(&mut self) -> Result<(), StreamError> {
        if self.width == IndexWidth::Word {
            return Ok(());
        }
        self.grow(self.count)?;
        self.width = IndexWidth::Word;
        // From the end, since each goes behind where it stands.
        for position in (0..self.count).rev() {
            let halves: &[u16] = bytemuck::cast_slice(&self.words);
            self.words[position] = halves[position].into();
        }
        Ok(())
    }

    /// Converts the numbers to 16 bits if all of them fit. Returns whether they do.
    pub fn narrow(&mut self) -> bool {
        if self.width == IndexWidth::Word {
            if self.words_mut().iter().fold(0, |any, word| any | *word) > u16::MAX.into() {
                return false;
            }
            self.width = IndexWidth::Half;
            for position in 0..self.count {
                let half = self.words[position] as u16;
                bytemuck::cast_slice_mut(&mut self.words)[position] = half;
            }
        }
        true
    }

    /// Makes numbers that are the restart index no longer vertices, see [`IndexList::parts`]. They become the number of a neighbour, so the
    /// whole list can run if nobody looks at the results in their places. Returns whether there is a restart index.
    ///
    /// # Errors
    /// [`StreamError::OutOfMemory`]; then fill the list again.
    pub fn restart_at(&mut self, restart: u32) -> Result<bool, StreamError> {
        self.parts.clear();
        self.has_restarts = false;
        let parts = &mut self.parts;
        self.has_restarts = match self.width {
            IndexWidth::Half => match u16::try_from(restart) {
                Ok(restart) => {
                    split(&mut bytemuck::cast_slice_mut(&mut self.words)[..self.count], restart, parts)?
                }
                Err(_) => false,
            },
            IndexWidth::Word => split(&mut self.words[..self.count], restart, parts)?,
        };
        Ok(self.has_restarts)
    }

    /// The pieces of the list with vertices between restart indices, in order.
    pub fn parts(&self) -> impl Iterator<Item = Range<usize>> + use<'_> {
        let whole = (!self.has_restarts && self.count > 0).then_some(0..self.count);
        let parts = if self.has_restarts { &self.parts[..] } else { &[] };
        whole.into_iter().chain(parts.iter().cloned())
    }

    /// The position of the last vertex.
    pub fn last(&self) -> Option<usize> {
        let end = if self.has_restarts { self.parts.last()?.end } else { self.count };
        end.checked_sub(1)
    }

    /// Lowers greater numbers to this one.
    pub fn clamp(&mut self, most: u32) {
        match self.width {
            IndexWidth::Half => {
                let most = u16::try_from(most).unwrap_or(u16::MAX);
                self.halves_mut().iter_mut().for_each(|half| *half = most.min(*half));
            }
            IndexWidth::Word => self.words_mut().iter_mut().for_each(|word| *word = most.min(*word)),
        }
    }

    /// The number of indices.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns some of the numbers.
    ///
    /// # Panics
    /// If the list has fewer.
    pub fn indices(&self, part: Range<usize>) -> Indices<'_> {
        match self.width {
            IndexWidth::Half => (&bytemuck::cast_slice::<u32, u16>(&self.words)[..self.count][part]).into(),
            IndexWidth::Word => (&self.words[..self.count][part]).into(),
        }
    }

    fn halves_mut(&mut self) -> &mut [u16] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.count]
    }

    fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words[..self.count]
    }
}

/// The pieces between restart indices; these become the number before them, or the first one behind.
fn split<T: Copy + PartialEq>(
    list: &mut [T],
    restart: T,
    parts: &mut Vec<Range<usize>>,
) -> Result<bool, StreamError> {
    // As vector code: mostly there is none.
    if !list.iter().fold(false, |any, number| any | (*number == restart)) {
        return Ok(false);
    }
    let Some(first) = list.iter().position(|number| *number != restart) else { return Ok(true) };
    let mut last = list[first];
    let mut start = None;
    for (position, number) in list.iter_mut().enumerate() {
        if *number == restart {
            *number = last;
            if let Some(start) = start.take() {
                parts.try_reserve(1)?;
                parts.push(start..position);
            }
        } else {
            last = *number;
            start = start.or(Some(position));
        }
    }
    if let Some(start) = start {
        parts.try_reserve(1)?;
        parts.push(start..list.len());
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [IndexWidth; 2] = [IndexWidth::Half, IndexWidth::Word];

    fn list(width: IndexWidth, numbers: &[u32], memory: &mut IndexList) {
        let filled = memory.fill(width, numbers.len(), ByteOrder::Host, |bytes| match width {
            IndexWidth::Half => {
                let halves: Vec<u16> = numbers.iter().map(|&number| number as u16).collect();
                bytes.copy_from_slice(bytemuck::cast_slice(&halves));
            }
            IndexWidth::Word => bytes.copy_from_slice(bytemuck::cast_slice(numbers)),
        });
        filled.expect("it is short");
    }

    fn numbers(list: &IndexList) -> Vec<i64> {
        (0..list.len()).map(|position| list.indices(0..list.len()).vertex(position)).collect()
    }

    #[test]
    fn pieces_are_what_stands_between_restart_indices() {
        let mut memory = IndexList::new();
        type Pieces = &'static [Range<usize>];
        let cases: [(&[u32], &[i64], Pieces); 6] = [
            (&[], &[], &[]),
            (&[1, 2], &[1, 2], &[Range { start: 0, end: 2 }]),
            (&[9], &[9], &[]),
            (&[9, 9, 4, 9], &[4, 4, 4, 4], &[Range { start: 2, end: 3 }]),
            (&[3, 9, 9, 4, 5], &[3, 3, 3, 4, 5], &[Range { start: 0, end: 1 }, Range { start: 3, end: 5 }]),
            (&[3, 4, 9], &[3, 4, 4], &[Range { start: 0, end: 2 }]),
        ];
        for (given, want, parts) in cases {
            for width in WIDTHS {
                list(width, given, &mut memory);
                assert_eq!(memory.restart_at(9), Ok(given.contains(&9)));
                assert_eq!(memory.parts().collect::<Vec<_>>(), parts, "{given:?}");
                assert_eq!(numbers(&memory), want);
                assert_eq!(memory.last(), parts.last().map(|part| part.end - 1));
            }
        }
        list(IndexWidth::Half, &[0xffff, 1], &mut memory);
        assert_eq!(memory.restart_at(u32::MAX), Ok(false), "no number of 16 bits is that");
        assert_eq!(memory.restart_at(0xffff), Ok(true));
        list(IndexWidth::Half, &[0xffff, 1], &mut memory);
        assert_eq!(memory.parts().collect::<Vec<_>>(), [Range { start: 0, end: 2 }], "of the list before");
    }

    #[test]
    fn numbers_become_wider_smaller_and_of_the_host() {
        let mut memory = IndexList::new();
        let given: Vec<u32> = (0..131).map(|number| number * 499).collect();
        for count in [0, 1, 2, 130, 131, 7] {
            list(IndexWidth::Half, &given[..count], &mut memory);
            let before = numbers(&memory);
            memory.widen().expect("it is short");
            assert_eq!(
                (memory.indices(0..count).width(), numbers(&memory)),
                (IndexWidth::Word, before.clone())
            );
            assert!(memory.narrow() && memory.indices(0..count).width() == IndexWidth::Half);
            assert_eq!(numbers(&memory), before);
            list(IndexWidth::Word, &[70_000], &mut memory);
            assert!(!memory.narrow() && numbers(&memory) == [70_000]);
        }
        for width in WIDTHS {
            list(width, &[5, 70, 40], &mut memory);
            memory.clamp(40);
            assert_eq!(numbers(&memory), [5, 40, 40]);
            memory.clamp(u32::MAX);
            assert_eq!(numbers(&memory), [5, 40, 40]);
            let indices = [7_u32, 0x0102_0304];
            memory.copy(&(&indices).into()).expect("it is short");
            assert_eq!(numbers(&memory), [7, 0x0102_0304]);
        }
        let word = |bytes: &mut [u8]| bytes.copy_from_slice(&0x0102_0304_u32.to_ne_bytes());
        memory.fill(IndexWidth::Word, 1, ByteOrder::Swapped, word).expect("it is short");
        assert_eq!(numbers(&memory), [0x0403_0201]);
        let half = |bytes: &mut [u8]| bytes.copy_from_slice(&0x0102_u16.to_ne_bytes());
        memory.fill(IndexWidth::Half, 1, ByteOrder::Swapped, half).expect("it is short");
        assert_eq!(numbers(&memory), [0x0201]);
        // As many as no memory holds.
        for count in [usize::MAX, usize::MAX / 2, isize::MAX as usize / 4 + 1] {
            let filled = memory.fill(IndexWidth::Word, count, ByteOrder::Host, |_| unreachable!());
            assert_eq!((filled, numbers(&memory)), (Err(StreamError::OutOfMemory), vec![0x0201]));
        }
    }
}
