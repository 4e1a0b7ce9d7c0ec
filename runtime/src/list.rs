//! Index lists that others may change while they are read, or that cannot be read as they are: copied first, into memory
//! that is reused.
//!
//! Generated code reads numbers of a list without a check of its own: they have been looked through before. A list in the
//! memory of a guest, whose threads go on, may be another one by then. So who lends such a list lends a copy.
//!
//! ```
//! use xfjit_runtime::format::ByteOrder;
//! use xfjit_runtime::indices::{IndexWidth, Indices};
//! use xfjit_runtime::list::IndexList;
//!
//! let guest = [0_u8, 7, 0, 5, 0xff, 0xff, 0, 2]; // big-endian
//! let mut list = IndexList::new();
//! let order = if cfg!(target_endian = "big") { ByteOrder::Host } else { ByteOrder::Swapped };
//! list.fill(IndexWidth::Half, 4, order, |bytes| bytes.copy_from_slice(&guest));
//! let restart = list.restart_at(0xffff);
//! assert_eq!(list.parts().collect::<Vec<_>>(), [0..2, 3..4]);
//! assert_eq!(list.indices(0..4).vertex(1), 5);
//! assert!(restart);
//! ```

use crate::format::ByteOrder;
use crate::indices::{IndexWidth, Indices};
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

    /// Becomes a list of so many numbers, whose bytes are copied by the caller, into as many bytes as there are then.
    pub fn fill(&mut self, width: IndexWidth, count: usize, order: ByteOrder, copy: impl FnOnce(&mut [u8])) {
        let bytes = count * width.bytes();
        self.words.resize(self.words.len().max(bytes.div_ceil(4)), 0);
        (self.width, self.count, self.has_restarts) = (width, count, false);
        copy(&mut bytemuck::cast_slice_mut(&mut self.words)[..bytes]);
        if order == ByteOrder::Swapped {
            match width {
                IndexWidth::Half => self.halves_mut().iter_mut().for_each(|half| *half = half.swap_bytes()),
                IndexWidth::Word => self.words_mut().iter_mut().for_each(|word| *word = word.swap_bytes()),
            }
        }
    }

    /// Becomes a copy of a list, without its base.
    pub fn copy(&mut self, indices: &Indices<'_>) {
        let (width, count) = (indices.width(), indices.len());
        self.fill(width, count, ByteOrder::Host, |bytes| bytes.copy_from_slice(indices.bytes()));
    }

    /// Numbers of 32 bits from now on, as code for such lists wants them.
    pub fn widen(&mut self) {
        if self.width == IndexWidth::Word {
            return;
        }
        self.words.resize(self.words.len().max(self.count), 0);
        self.width = IndexWidth::Word;
        // From the end, since each goes behind where it stands.
        for position in (0..self.count).rev() {
            let halves: &[u16] = bytemuck::cast_slice(&self.words);
            self.words[position] = halves[position].into();
        }
    }

    /// Numbers of 16 bits from now on, if they all are; whether that is so.
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

    /// Numbers that are the restart index are no vertices from now on, see [`IndexList::parts`]. They become the number of
    /// a neighbour, so that the list can be run as a whole where what comes out in their places is not looked at. Whether
    /// there is any.
    pub fn restart_at(&mut self, restart: u32) -> bool {
        self.parts.clear();
        let parts = &mut self.parts;
        self.has_restarts = match self.width {
            IndexWidth::Half => match u16::try_from(restart) {
                Ok(restart) => {
                    split(&mut bytemuck::cast_slice_mut(&mut self.words)[..self.count], restart, parts)
                }
                Err(_) => false,
            },
            IndexWidth::Word => split(&mut self.words[..self.count], restart, parts),
        };
        self.has_restarts
    }

    /// Where the list has vertices: one piece after the other, as restart indices part them.
    pub fn parts(&self) -> impl Iterator<Item = Range<usize>> + use<'_> {
        let whole = (!self.has_restarts && self.count > 0).then_some(0..self.count);
        let parts = if self.has_restarts { &self.parts[..] } else { &[] };
        whole.into_iter().chain(parts.iter().cloned())
    }

    /// Where the last vertex stands.
    pub fn last(&self) -> Option<usize> {
        let end = if self.has_restarts { self.parts.last()?.end } else { self.count };
        end.checked_sub(1)
    }

    /// No number is greater than this one from now on.
    pub fn clamp(&mut self, most: u32) {
        match self.width {
            IndexWidth::Half => {
                let most = u16::try_from(most).unwrap_or(u16::MAX);
                self.halves_mut().iter_mut().for_each(|half| *half = most.min(*half));
            }
            IndexWidth::Word => self.words_mut().iter_mut().for_each(|word| *word = most.min(*word)),
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Some of the numbers.
    ///
    /// # Panics
    /// If there are not so many.
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
fn split<T: Copy + PartialEq>(list: &mut [T], restart: T, parts: &mut Vec<Range<usize>>) -> bool {
    // As vector code: mostly there is none.
    if !list.iter().fold(false, |any, number| any | (*number == restart)) {
        return false;
    }
    let Some(first) = list.iter().position(|number| *number != restart) else { return true };
    let mut last = list[first];
    let mut start = None;
    for (position, number) in list.iter_mut().enumerate() {
        if *number == restart {
            *number = last;
            parts.extend(start.take().map(|start| start..position));
        } else {
            last = *number;
            start = start.or(Some(position));
        }
    }
    parts.extend(start.map(|start| start..list.len()));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [IndexWidth; 2] = [IndexWidth::Half, IndexWidth::Word];

    fn list(width: IndexWidth, numbers: &[u32], memory: &mut IndexList) {
        memory.fill(width, numbers.len(), ByteOrder::Host, |bytes| match width {
            IndexWidth::Half => {
                let halves: Vec<u16> = numbers.iter().map(|&number| number as u16).collect();
                bytes.copy_from_slice(bytemuck::cast_slice(&halves));
            }
            IndexWidth::Word => bytes.copy_from_slice(bytemuck::cast_slice(numbers)),
        });
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
                assert_eq!(memory.restart_at(9), given.contains(&9));
                assert_eq!(memory.parts().collect::<Vec<_>>(), parts, "{given:?}");
                assert_eq!(numbers(&memory), want);
                assert_eq!(memory.last(), parts.last().map(|part| part.end - 1));
            }
        }
        list(IndexWidth::Half, &[0xffff, 1], &mut memory);
        assert!(!memory.restart_at(u32::MAX), "no number of 16 bits is that");
        assert!(memory.restart_at(0xffff));
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
            memory.widen();
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
            memory.copy(&(&indices).into());
            assert_eq!(numbers(&memory), [7, 0x0102_0304]);
        }
        memory.fill(IndexWidth::Word, 1, ByteOrder::Swapped, |bytes| {
            bytes.copy_from_slice(&0x0102_0304_u32.to_ne_bytes());
        });
        assert_eq!(numbers(&memory), [0x0403_0201]);
        memory.fill(IndexWidth::Half, 1, ByteOrder::Swapped, |bytes| {
            bytes.copy_from_slice(&0x0102_u16.to_ne_bytes());
        });
        assert_eq!(numbers(&memory), [0x0201]);
    }
}
