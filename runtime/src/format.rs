//! The memory formats of vertex attributes, as generated code knows them.

use crate::encoding::Meaning;
pub use crate::encoding::{Encoding, Encodings};
use crate::indexing::IndexLayout;
use crate::registers::{ATTRIBUTES, DEFAULT_ROW, Row, read_row};
use std::fmt;

/// The order of the bytes of a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ByteOrder {
    /// The order of the host.
    Host,
    /// The opposite order.
    Swapped,
}

impl ByteOrder {
    /// The highest byte first.
    pub const BIG: ByteOrder = if cfg!(target_endian = "big") { ByteOrder::Host } else { ByteOrder::Swapped };
    /// The lowest byte first.
    pub const LITTLE: ByteOrder =
        if cfg!(target_endian = "big") { ByteOrder::Swapped } else { ByteOrder::Host };

    /// Converts a word of the host to memory of this order, or back, which is the same operation.
    #[inline]
    pub const fn swap(self, word: u32) -> u32 {
        match self {
            ByteOrder::Host => word,
            ByteOrder::Swapped => word.swap_bytes(),
        }
    }
}

/// The memory format of a vertex's attribute: its *element*, at any address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    /// The encoding of its codes.
    pub encoding: Encoding,
    /// The number of components, [`Encoding::least`] to [`Encoding::most`]. Missing ones are those of the default
    /// ([`Encoding::default_row`]).
    pub components: u8,
    /// The byte order of each word, each half of a word, or of three bytes; single bytes have none.
    pub order: ByteOrder,
    /// The bits of fraction of whole numbers, up to [`MOST_FRACTION`]: a code is a number divided by 2 to this power, exactly. Other
    /// encodings have none.
    pub fraction: u8,
}

/// The most bits of fraction of a number (flipper.md 1.4).
pub const MOST_FRACTION: u8 = 31;

impl Format {
    /// Four words of the host.
    pub const ROW: Format = Format::words(4, ByteOrder::Host);

    /// Floats, 1 to 4.
    pub const fn words(components: u8, order: ByteOrder) -> Format {
        Format { encoding: Encoding::Float, components, order, fraction: 0 }
    }

    /// Components of an encoding, in the byte order of the host; CMP of size 1 has three ([`Encoding::components`]). A format without
    /// elements does not [exist](Format::exists).
    pub const fn host(encoding: Encoding, size: u8) -> Format {
        let components = match encoding.components(size) {
            Some(components) => components,
            None => size,
        };
        Format { encoding, components, order: ByteOrder::Host, fraction: 0 }
    }

    /// A float in the byte order of the host.
    pub const fn float1() -> Format {
        Format::host(Encoding::Float, 1)
    }

    /// Two floats in the byte order of the host, for example a texture coordinate.
    pub const fn float2() -> Format {
        Format::host(Encoding::Float, 2)
    }

    /// Three floats in the byte order of the host, for example a position or a normal: w is 1.
    pub const fn float3() -> Format {
        Format::host(Encoding::Float, 3)
    }

    /// Four floats in the byte order of the host: a row.
    pub const fn float4() -> Format {
        Format::host(Encoding::Float, 4)
    }

    /// Returns this format with this many bits of fraction.
    #[must_use]
    pub const fn with_fraction(self, fraction: u8) -> Format {
        Format { fraction, ..self }
    }

    /// The fewest components of floats that hold the value of elements: all four for a colour, whose alpha is not 1 if it is missing.
    #[inline]
    pub const fn floats(self) -> u8 {
        if self.encoding.default_row()[3] == DEFAULT_ROW[3] { self.components } else { 4 }
    }

    /// Whether an element can have this many components, and a number this many bits of fraction.
    #[inline]
    pub const fn exists(self) -> bool {
        let (least, most) = (self.encoding.least(), self.encoding.most());
        self.components >= least && self.components <= most && self.fraction <= MOST_FRACTION
    }

    /// The bytes of an element.
    #[inline]
    pub const fn bytes(self) -> usize {
        self.encoding.bytes(self.components)
    }

    /// The number of words of an element; the last word may be incomplete.
    #[inline]
    pub const fn element_words(self) -> usize {
        self.bytes().div_ceil(4)
    }

    /// The canonical form of formats with the same elements: bytes, which have no order, have the host's order, and encodings other than
    /// whole numbers have no bits of fraction.
    #[must_use]
    pub const fn canonical(self) -> Format {
        let order = if self.encoding.unit() == 1 { ByteOrder::Host } else { self.order };
        let fraction = if matches!(self.encoding.meaning(), Meaning::Number) { self.fraction } else { 0 };
        Format { order, fraction, ..self }
    }

    /// Returns the value of the element at the beginning of some memory. This is the reference of all encodings, for code that reads one
    /// element at a time; faster code has the same bits.
    ///
    /// # Panics
    /// If the element is not there.
    #[inline]
    pub fn read(self, memory: &[u8]) -> Row {
        if self.encoding != Encoding::Float {
            return self.value(self.element(memory));
        }
        // Most elements are floats, whose words are what they mean.
        if self.components == 4 {
            return read_row(memory, 0).map(|word| self.order.swap(word));
        }
        let mut row = DEFAULT_ROW;
        for (word, bytes) in row.iter_mut().zip(memory[..self.bytes()].as_chunks::<4>().0) {
            *word = self.order.swap(u32::from_ne_bytes(*bytes));
        }
        row
    }

    /// An element in words, with zeros behind it: as code for little-endian hosts loads it. On others, codes in the order of the host lie
    /// in these words as they do there.
    ///
    /// # Panics
    /// If the element is not there.
    #[inline]
    pub fn element(self, memory: &[u8]) -> Row {
        let mut bytes = [0; size_of::<Row>()];
        let own = self.bytes();
        bytes[..own].copy_from_slice(&memory[..own]);
        let (words, _) = bytes.as_chunks::<4>();
        let words = [words[0], words[1], words[2], words[3]].map(u32::from_le_bytes);
        words.map(|word| if cfg!(target_endian = "big") { self.other_order(word) } else { word })
    }

    /// A word of an element whose codes are in the other byte order.
    const fn other_order(self, word: u32) -> u32 {
        match self.encoding.unit() {
            4 => word.swap_bytes(),
            3 => word.swap_bytes() >> 8,
            2 => word.swap_bytes().rotate_left(16),
            _ => word,
        }
    }

    /// The value of an element that has been loaded so.
    pub fn value(self, element: Row) -> Row {
        let is_swapped = self.order == ByteOrder::Swapped;
        let words = element.map(|word| if is_swapped { self.other_order(word) } else { word });
        let mut row = self.encoding.default_row();
        for (component, value) in row.iter_mut().enumerate().take(self.components.into()) {
            let field = self.encoding.field(component);
            let code = words[field.word] >> field.shift & u32::MAX >> (32 - field.bits);
            *value = scaled(self.encoding.value(code, field.bits), self.canonical().fraction);
        }
        row
    }

    /// The format with this text: `3`, or with another encoding than floats `s1:3`, or with eight bits of fraction `s32k.8:3`;
    /// `cmp:1` is `cmp:3`. The byte order is the host's.
    pub fn from_text(text: &str) -> Option<Format> {
        let (name, components) = text.split_once(':').unwrap_or((Encoding::Float.text(), text));
        let (name, fraction) = match name.split_once('.') {
            None => (name, 0),
            Some((name, fraction)) => (name, fraction.parse().ok().filter(|&fraction| fraction > 0)?),
        };
        let format =
            Format::host(Encoding::from_text(name)?, components.parse().ok()?).with_fraction(fraction);
        (format.exists() && format.canonical() == format).then_some(format)
    }
}

/// A float that is zero or no less than 1, divided by a power of two.
const fn scaled(number: u32, fraction: u8) -> u32 {
    if number & 0x7fff_ffff == 0 { number } else { number - ((fraction as u32) << 23) }
}

/// Without the byte order, as [`Format::from_text`] reads it.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.encoding != Encoding::Float {
            f.write_str(self.encoding.text())?;
            if self.fraction > 0 {
                write!(f, ".{}", self.fraction)?;
            }
            f.write_str(":")?;
        }
        write!(f, "{}", self.components)
    }
}

/// The memory layout of the attributes of vertices. It is part of the compiled code: code for three components reads only three, and has a
/// constant for the fourth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct InputLayout {
    /// Components that each attribute lacks, two bits for each.
    missing: u32,
    /// The attributes whose words are swapped.
    swapped: u16,
    encodings: Encodings,
    indices: IndexLayout,
}

impl InputLayout {
    /// Rows of four words of the host: the default layout of code.
    pub const ROWS: InputLayout =
        InputLayout { missing: 0, swapped: 0, encodings: Encodings::FLOATS, indices: IndexLayout::NONE };

    /// Sets the format of one attribute.
    ///
    /// # Panics
    /// If the attribute does not exist, or the encoding cannot have this number of components.
    #[must_use]
    pub fn with(mut self, register: usize, format: Format) -> Self {
        let format = format.canonical();
        assert!(register < ATTRIBUTES, "there is no attribute v{register}");
        assert!(
            format.exists(),
            "no attribute has {} components of {:?}",
            format.components,
            format.encoding
        );
        self.encodings = self.encodings.with(register, format.encoding, format.fraction);
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
        let order = if swapped { ByteOrder::Swapped } else { ByteOrder::Host };
        let fraction = self.encodings.fraction(register);
        Format { encoding: self.encodings.of(register), components, order, fraction }
    }

    /// Sets how batches are indexed.
    #[must_use]
    pub const fn indexed(self, indices: IndexLayout) -> Self {
        InputLayout { indices, ..self }
    }

    /// Returns how attributes are found in memory.
    #[inline]
    pub const fn indices(&self) -> IndexLayout {
        self.indices
    }

    /// Returns this layout for the attributes in a mask; the others are rows.
    #[must_use]
    pub fn only(&self, registers: u16) -> Self {
        let mut layout = InputLayout::ROWS.indexed(self.indices.only(registers));
        for register in (0..ATTRIBUTES).filter(|register| registers >> register & 1 != 0) {
            layout = layout.with(register, self.format(register));
        }
        layout
    }

    /// Whether all attributes are rows, and found without an index list.
    #[inline]
    pub const fn is_rows(&self) -> bool {
        self.missing == 0 && self.swapped == 0 && self.encodings.are_floats() && self.indices.is_none()
    }

    /// A row of an attribute of floats, as it is in memory.
    #[inline]
    pub fn stored(&self, register: usize, row: Row) -> Row {
        let order = self.format(register).order;
        row.map(|word| order.swap(word))
    }

    /// Whether code for this layout sees of a row what it is: it takes floats, and components that it does not read are the
    /// default's.
    #[inline]
    pub fn keeps(&self, register: usize, row: Row) -> bool {
        let Format { encoding, components, .. } = self.format(register);
        let read = usize::from(components);
        encoding == Encoding::Float && row[read..] == DEFAULT_ROW[read..]
    }
}

impl fmt::Debug for InputLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let formats = (0..ATTRIBUTES).map(|register| (register, self.format(register)));
        f.debug_map().entries(formats.filter(|(_, format)| *format != Format::ROW)).finish()?;
        if self.indices.is_none() { Ok(()) } else { write!(f, " {:?}", self.indices) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_has_a_format_of_its_own() {
        let mut layout = InputLayout::ROWS;
        let format = |register: usize| {
            let encoding = Encoding::ALL[register % Encoding::ALL.len()];
            let (least, most) = (encoding.least(), encoding.most());
            let components = least + (register * 7) as u8 % (most - least + 1);
            let order = if register.is_multiple_of(3) { ByteOrder::Swapped } else { ByteOrder::Host };
            Format { encoding, components, order, fraction: register as u8 }.canonical()
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
        let layout = InputLayout::ROWS.with(2, Format::words(2, ByteOrder::Swapped));
        assert!(layout.keeps(2, [7, 8, 0, 0x3f80_0000]));
        assert!(!layout.keeps(2, [7, 8, 0, 0]) && layout.keeps(3, [7, 8, 0, 0]));
        assert_eq!(layout.stored(2, [0x0102_0304, 0, 0, 0])[0], 0x0403_0201);
        assert_eq!(layout.stored(1, [0x0102_0304, 0, 0, 0])[0], 0x0102_0304);
        let packed = layout.with(2, Format::host(Encoding::S1, 2));
        assert!(!packed.keeps(2, DEFAULT_ROW), "a row is none of shorts");
    }
}
