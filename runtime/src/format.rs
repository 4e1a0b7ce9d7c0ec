//! How vertex attributes lie in memory, as far as generated code is made for it.

use crate::state::{ATTRIBUTES, DEFAULT_ROW, Row};
use std::fmt;

/// The order of the bytes of a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ByteOrder {
    /// That of the host.
    Host,
    /// The other one.
    Swapped,
}

impl ByteOrder {
    /// A word of the host as it lies in memory of this order; and back, since that is the same.
    #[inline]
    pub const fn swap(self, word: u32) -> u32 {
        match self {
            ByteOrder::Host => word,
            ByteOrder::Swapped => word.swap_bytes(),
        }
    }
}

/// How an attribute of a vertex lies in memory: words that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    /// 1 to 4. Those that are missing are the default's, of (0, 0, 0, 1) (kelvin.md 3).
    pub components: u8,
    /// Of each word.
    pub order: ByteOrder,
}

impl Format {
    /// Four words of the host.
    pub const ROW: Format = Format { components: 4, order: ByteOrder::Host };
}

/// How the attributes of vertices lie in memory. Part of the compiled code: code for three components reads no more,
/// and the fourth is a constant to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct InputLayout {
    /// Components that each attribute lacks, two bits for each.
    missing: u32,
    /// The attributes whose words are swapped.
    swapped: u16,
}

impl InputLayout {
    /// Rows of four words of the host: what code is made for unless its user knows better.
    pub const ROWS: InputLayout = InputLayout { missing: 0, swapped: 0 };

    /// With the format of one attribute.
    ///
    /// # Panics
    /// If there is no such attribute, or no such number of components.
    #[must_use]
    pub fn with(mut self, register: usize, format: Format) -> Self {
        assert!(register < ATTRIBUTES, "there is no attribute v{register}");
        assert!((1..=4).contains(&format.components), "no attribute has {} components", format.components);
        let at = 2 * register;
        self.missing = self.missing & !(3 << at) | u32::from(4 - format.components) << at;
        let swapped = u16::from(format.order == ByteOrder::Swapped);
        self.swapped = self.swapped & !(1 << register) | swapped << register;
        self
    }

    /// The format of an attribute.
    #[inline]
    pub const fn format(&self, register: usize) -> Format {
        let components = 4 - (self.missing >> (2 * register) & 3) as u8;
        let swapped = self.swapped >> register & 1 != 0;
        Format { components, order: if swapped { ByteOrder::Swapped } else { ByteOrder::Host } }
    }

    /// The same for the attributes in a mask; the others are rows.
    #[must_use]
    pub fn only(&self, registers: u16) -> Self {
        let mut layout = InputLayout::ROWS;
        for register in (0..ATTRIBUTES).filter(|register| registers >> register & 1 != 0) {
            layout = layout.with(register, self.format(register));
        }
        layout
    }

    /// Whether all attributes are rows.
    #[inline]
    pub const fn is_rows(&self) -> bool {
        self.missing == 0 && self.swapped == 0
    }

    /// A row of an attribute as it lies in memory.
    #[inline]
    pub fn stored(&self, register: usize, row: Row) -> Row {
        let order = self.format(register).order;
        row.map(|word| order.swap(word))
    }

    /// Whether code for this layout sees of a row what it is: components that it does not read are the default's.
    #[inline]
    pub fn keeps(&self, register: usize, row: Row) -> bool {
        let read = usize::from(self.format(register).components);
        row[read..] == DEFAULT_ROW[read..]
    }
}

impl fmt::Debug for InputLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let formats = (0..ATTRIBUTES).map(|register| (register, self.format(register)));
        f.debug_map().entries(formats.filter(|(_, format)| *format != Format::ROW)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_has_a_format_of_its_own() {
        let mut layout = InputLayout::ROWS;
        let format = |register: usize| Format {
            components: 1 + (register * 7 % 4) as u8,
            order: if register.is_multiple_of(3) { ByteOrder::Swapped } else { ByteOrder::Host },
        };
        for register in 0..ATTRIBUTES {
            layout = layout.with(register, format(register));
        }
        for register in 0..ATTRIBUTES {
            assert_eq!(layout.format(register), format(register));
            let only = layout.only(1 << register);
            assert_eq!(only.format(register), format(register));
            assert_eq!(only.with(register, Format::ROW), InputLayout::ROWS);
        }
        assert!(InputLayout::ROWS.is_rows() && !layout.is_rows());
        assert_eq!(layout.only(u16::MAX), layout);
    }

    #[test]
    fn what_is_not_read_must_be_the_default() {
        let layout = InputLayout::ROWS.with(2, Format { components: 2, order: ByteOrder::Swapped });
        assert!(layout.keeps(2, [7, 8, 0, 0x3f80_0000]));
        assert!(!layout.keeps(2, [7, 8, 0, 0]) && layout.keeps(3, [7, 8, 0, 0]));
        assert_eq!(layout.stored(2, [0x0102_0304, 0, 0, 0])[0], 0x0403_0201);
        assert_eq!(layout.stored(1, [0x0102_0304, 0, 0, 0])[0], 0x0102_0304);
    }
}
