//! Index lists: they say which vertex of a stream each vertex of a batch is.
//!
//! A batch may have a list for all attributes ([`crate::batch::Inputs::indexed`]), and an attribute may have a numbering of its own
//! ([`Numbering`]). Generated code is made for one kind of numbering for each attribute ([`IndexLayout`]), and reads the caller's list in
//! place.

use crate::error::StreamError;
pub use crate::indexing::{IndexLayout, IndexWidth, Indexing, SHARED};
use std::num::NonZeroU32;

/// The numbers of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers<'a> {
    Halves(&'a [u16]),
    Words(&'a [u32]),
}

/// Vertex numbers in the order in which they run, as unsigned words of the host, and the base that is added to each.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    numbers: Numbers<'a>,
    base: i64,
}

impl<'a> From<&'a [u16]> for Indices<'a> {
    #[inline]
    fn from(list: &'a [u16]) -> Self {
        Indices { numbers: Numbers::Halves(list), base: 0 }
    }
}

impl<'a> From<&'a [u32]> for Indices<'a> {
    #[inline]
    fn from(list: &'a [u32]) -> Self {
        Indices { numbers: Numbers::Words(list), base: 0 }
    }
}

impl<'a, T> From<&'a Vec<T>> for Indices<'a>
where
    Indices<'a>: From<&'a [T]>,
{
    fn from(list: &'a Vec<T>) -> Self {
        list.as_slice().into()
    }
}

impl<'a, T, const N: usize> From<&'a [T; N]> for Indices<'a>
where
    Indices<'a>: From<&'a [T]>,
{
    fn from(list: &'a [T; N]) -> Self {
        list.as_slice().into()
    }
}

impl<'a> Indices<'a> {
    /// The numbers as they stand in the list.
    #[inline]
    pub(crate) fn numbers(&self) -> Numbers<'a> {
        self.numbers
    }

    /// The numbers as bytes of the host.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        match self.numbers {
            Numbers::Halves(list) => bytemuck::cast_slice(list),
            Numbers::Words(list) => bytemuck::cast_slice(list),
        }
    }

    /// Sets a base that is added to each number, without wrapping: a sum that is not a vertex is an error when the batch is bound.
    ///
    /// ```
    /// use xfjit_runtime::indices::Indices;
    ///
    /// let indices = Indices::from(&[7_u16, 5, 9]).with_base(-5);
    /// assert_eq!([0, 1, 2].map(|position| indices.vertex(position)), [2, 0, 4]);
    /// ```
    #[must_use]
    pub fn with_base(self, base: i64) -> Self {
        Indices { base, ..self }
    }

    /// The base that is added to each number.
    #[inline]
    pub fn base(&self) -> i64 {
        self.base
    }

    /// The number of indices.
    #[inline]
    pub fn len(&self) -> usize {
        match self.numbers {
            Numbers::Halves(list) => list.len(),
            Numbers::Words(list) => list.len(),
        }
    }

    /// Whether the list is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The width of the numbers.
    #[inline]
    pub fn width(&self) -> IndexWidth {
        match self.numbers {
            Numbers::Halves(_) => IndexWidth::Half,
            Numbers::Words(_) => IndexWidth::Word,
        }
    }

    /// Returns a number of the list, without the base.
    ///
    /// # Panics
    /// If the list ends before the position.
    #[inline]
    pub fn number(&self, position: usize) -> u32 {
        match self.numbers {
            Numbers::Halves(list) => list[position].into(),
            Numbers::Words(list) => list[position],
        }
    }

    /// Returns the vertex at a position: the number plus the base.
    ///
    /// # Panics
    /// If the list ends before the position.
    #[inline]
    pub fn vertex(&self, position: usize) -> i64 {
        self.base.saturating_add(self.number(position).into())
    }

    /// The address of the list.
    #[inline]
    pub(crate) fn address(&self) -> usize {
        match self.numbers {
            Numbers::Halves(list) => list.as_ptr().expose_provenance(),
            Numbers::Words(list) => list.as_ptr().expose_provenance(),
        }
    }

    /// Returns the least and the greatest of the first `count` vertices; `count` is at least one.
    ///
    /// # Errors
    /// A list with fewer numbers.
    #[inline]
    pub fn ends(&self, count: usize) -> Result<(i64, i64), StreamError> {
        let short = StreamError::TooFewIndices { needed: count, got: self.len() };
        // Folds, unlike the iterators' own functions, become vector code.
        let (least, most) = match self.numbers {
            Numbers::Halves(list) => {
                let list = list.get(..count).ok_or(short)?;
                // A sum with a base that is not negative is not either, whatever is least.
                let least = if self.base < 0 { list.iter().fold(u16::MAX, |a, &b| a.min(b)) } else { 0 };
                (least.into(), list.iter().fold(0, |a, &b| a.max(b)).into())
            }
            Numbers::Words(list) => {
                let list = list.get(..count).ok_or(short)?;
                let least = if self.base < 0 { list.iter().fold(u32::MAX, |a, &b| a.min(b)) } else { 0 };
                (i64::from(least), i64::from(list.iter().fold(0, |a, &b| a.max(b))))
            }
        };
        Ok((self.base.saturating_add(least), self.base.saturating_add(most)))
    }
}

/// How an attribute finds the vertex at a position of the batch, if it differs from the batch.
#[derive(Clone, Copy, Debug)]
pub enum Numbering<'a> {
    /// The vertex is the position, whether or not the batch has an index list.
    Position,
    /// The attribute has an index list of its own.
    List(Indices<'a>),
    /// The whole batch uses one vertex: the number of its instance divided by this, rounded down.
    Instance(NonZeroU32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_the_first_vertices_and_do_not_wrap() {
        let list = [9_u32, 4, u32::MAX, 0];
        let indices = Indices::from(&list);
        assert_eq!(indices.ends(2).map(|(_, most)| most), Ok(9));
        assert_eq!(indices.with_base(-5).ends(2), Ok((-1, 4)));
        assert_eq!(indices.with_base(-5).ends(4), Ok((-5, i64::from(u32::MAX) - 5)));
        assert_eq!(indices.with_base(i64::MAX).ends(4).map(|(_, most)| most), Ok(i64::MAX));
        assert_eq!(indices.ends(5), Err(StreamError::TooFewIndices { needed: 5, got: 4 }));
        let halves = [0xffff_u16, 3];
        assert_eq!(Indices::from(&halves).with_base(-3).ends(2), Ok((0, 0xfffc)));
    }
}
