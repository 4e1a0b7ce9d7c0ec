//! How code finds an attribute of the vertex at a position: at a stride from the vertex before, or through an index list.

use crate::registers::ATTRIBUTES;

/// The width of the numbers in an index list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IndexWidth {
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl IndexWidth {
    /// In bytes.
    #[inline]
    pub const fn bytes(self) -> usize {
        match self {
            IndexWidth::Half => 2,
            IndexWidth::Word => 4,
        }
    }

    /// In bits.
    pub const fn bits(self) -> usize {
        8 * self.bytes()
    }

    /// The width with this many bits.
    pub fn of_bits(bits: usize) -> Option<Self> {
        [IndexWidth::Half, IndexWidth::Word].into_iter().find(|width| width.bits() == bits)
    }
}

/// How code finds an attribute of the vertex at a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Indexing {
    /// At a stride from the vertex before it.
    Position,
    /// Through the list of the batch.
    Shared(IndexWidth),
    /// Through a list of the attribute's own.
    Own(IndexWidth),
}

/// The number of the batch's own list among those of [`crate::state::Io::index`]; the others are those of attributes.
pub const SHARED: usize = ATTRIBUTES;

impl Indexing {
    /// The list of an attribute that is found so, by its number in [`crate::state::Io::index`], and how wide it is.
    #[inline]
    pub const fn list(self, register: usize) -> Option<(usize, IndexWidth)> {
        match self {
            Indexing::Position => None,
            Indexing::Shared(width) => Some((SHARED, width)),
            Indexing::Own(width) => Some((register, width)),
        }
    }
}

/// Whether the batches that code is made for are indexed, and with which width, for each attribute. By default, attributes are found as the
/// batch says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct IndexLayout {
    shared: Option<IndexWidth>,
    /// Two bits for each attribute: as the batch, by position, through a list of its own of 16 or of 32 bits.
    own: u32,
}

impl IndexLayout {
    /// No index list.
    pub const NONE: IndexLayout = IndexLayout { shared: None, own: 0 };

    /// A list for all attributes.
    pub const fn shared(width: IndexWidth) -> Self {
        IndexLayout { shared: Some(width), own: 0 }
    }

    /// Sets another way to find one attribute: by position (`None`), or through a list of its own.
    ///
    /// # Panics
    /// If the attribute does not exist.
    #[must_use]
    pub fn with(self, register: usize, own: Option<IndexWidth>) -> Self {
        assert!(register < ATTRIBUTES, "there is no attribute v{register}");
        let code = match own {
            None if self.shared.is_none() => 0,
            None => 1,
            Some(IndexWidth::Half) => 2,
            Some(IndexWidth::Word) => 3,
        };
        let at = 2 * register;
        IndexLayout { own: self.own & !(3 << at) | code << at, ..self }
    }

    /// Returns how an attribute is found.
    #[inline]
    pub const fn of(&self, register: usize) -> Indexing {
        match (self.own >> (2 * register) & 3, self.shared) {
            (0, Some(width)) => Indexing::Shared(width),
            (0, None) | (1, _) => Indexing::Position,
            (2, _) => Indexing::Own(IndexWidth::Half),
            _ => Indexing::Own(IndexWidth::Word),
        }
    }

    /// The width of the batch's list, if attributes are found through it.
    #[inline]
    pub const fn width(&self) -> Option<IndexWidth> {
        self.shared
    }

    /// Whether all attributes are found by position.
    #[inline]
    pub const fn is_none(&self) -> bool {
        self.shared.is_none() && self.own == 0
    }

    /// Returns this layout for the attributes in a mask; the others have the default.
    #[must_use]
    pub fn only(self, registers: u16) -> Self {
        let listed = |register: &usize| registers >> register & 1 != 0;
        let shares = |register: usize| matches!(self.of(register), Indexing::Shared(_));
        let shared = if (0..ATTRIBUTES).filter(listed).any(shares) { self.shared } else { None };
        (0..ATTRIBUTES).filter(listed).fold(IndexLayout { shared, own: 0 }, |layout, register| {
            match self.of(register) {
                Indexing::Shared(_) => layout,
                Indexing::Position => layout.with(register, None),
                Indexing::Own(width) => layout.with(register, Some(width)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reads_is_not_part_of_a_layout() {
        let layout = IndexLayout::shared(IndexWidth::Half).with(3, None).with(7, Some(IndexWidth::Word));
        assert_eq!(layout.of(0), Indexing::Shared(IndexWidth::Half));
        assert_eq!((layout.of(3), layout.of(7)), (Indexing::Position, Indexing::Own(IndexWidth::Word)));
        assert_eq!(layout.only(u16::MAX), layout);
        assert_eq!(layout.only(1 << 3), IndexLayout::NONE);
        assert_eq!(layout.only(1 << 7), IndexLayout::NONE.with(7, Some(IndexWidth::Word)));
        assert_eq!(layout.only(1 << 5), IndexLayout::shared(IndexWidth::Half));
        assert!(IndexLayout::NONE.with(3, None).is_none() && !layout.is_none());
    }
}
