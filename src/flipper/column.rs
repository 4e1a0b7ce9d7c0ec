//! An attribute of all vertices: a loop for its source and for where its codes are, whose body is operations on four codes at once
//! ([`four`]). What its row of the table of encodings says beyond that is data.

use super::four::{self, Fields, Lanes};
use super::memory::{Memory, read};
use super::place::{Fill, Place, Put};
use super::registers::Array;
use xfjit_isa::chip::flipper::cp::ARRAYS;
use xfjit_isa::chip::flipper::vcd::{MATRICES, Source};
use xfjit_runtime::encoding::{Encoding, Meaning, Shape, Sign};
use xfjit_runtime::format::{ByteOrder, Format};
use xfjit_runtime::state::Row;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An element of the table of encodings.
    Element(Format),
    /// So many bytes, and those of their bits that count: of the first, of the others.
    Matrices(u8, [u8; 2]),
}

/// An attribute of all vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Column {
    /// Its register ([`xfjit_isa::chip::flipper::input`]).
    pub(super) register: usize,
    pub(super) source: Source,
    /// Where in a vertex its bytes are, or its index.
    pub(super) at: usize,
    pub(super) array: usize,
    /// Bytes from the beginning of an element.
    pub(super) bias: u32,
    pub(super) kind: Kind,
}

/// Fields of the colours that have some.
const RGB565: Fields = Fields::of(Encoding::Rgb565);
const RGBA4: Fields = Fields::of(Encoding::Rgba4);
const RGBA6: Fields = Fields::of(Encoding::Rgba6);

/// Vertices of a plan, and what their indices are of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of<'a> {
    pub(super) vertices: &'a [u8],
    pub(super) size: usize,
    pub(super) arrays: &'a [Array; ARRAYS],
    pub(super) memory: Memory<'a>,
}

/// A column of vertices.
struct Values<'a>(&'a Column, &'a Of<'a>);

impl Values<'_> {
    /// The value of so many bytes from the beginning of each element; what is behind one does not count. One loop for each source.
    #[inline(always)]
    fn each<const N: usize>(&self, to: &mut impl Put, value: impl Copy + Fn(&[u8; N]) -> Row) {
        let Values(&Column { source, at, array, bias, .. }, &Of { vertices, size, arrays, memory }) = *self;
        let array = arrays[array];
        // One comparison: no sum of 32 bits and a few overflows.
        let in_part = move |part: &[u8], from: u32| match part.get(from as usize..from as usize + N) {
            Some(bytes) => value(bytes.first_chunk().expect("as many")),
            None => value(&read(part, from, N)),
        };
        let (array_part, base) = memory.window(array.base);
        let element = move |index: u32| in_part(array_part, base + bias + index * array.stride);
        assert!(at + source.index_bytes().unwrap_or(0) <= size, "a vertex has its indices");
        let each = vertices.chunks_exact(size);
        match source {
            Source::Index8 => to.put(each.map(move |vertex| element(vertex[at].into()))),
            Source::Index16 => to.put(
                each.map(move |vertex| element(u16::from_be_bytes([vertex[at], vertex[at + 1]]).into())),
            ),
            Source::Direct | Source::Absent => {
                let (mut rest, mut left) = (vertices.get(at..).unwrap_or_default(), each.len());
                to.put(std::iter::from_fn(|| {
                    let value = value(rest.first_chunk()?);
                    rest = rest.get(size..).unwrap_or_default();
                    left -= 1;
                    Some(value)
                }));
                // Of the last vertices so many bytes need not be there.
                let behind = each.len() - left..each.len();
                to.put(behind.map(|number| in_part(vertices, (number * size + at) as u32)));
            }
        }
    }

    fn elements(&self, format: Format, to: &mut impl Put) {
        use Meaning::{Bits, Colour, Number};
        let encoding = format.encoding;
        if encoding.unit() > 1 && format.order != ByteOrder::BIG {
            return self.one_by_one(format, to);
        }
        let lanes = Lanes::of(format);
        let short = |bytes: &[u8; 2]| u64::from(u16::from_be_bytes(*bytes));
        match (encoding.shape(), encoding.sign(), encoding.meaning()) {
            (Shape::Each8, Sign::Unsigned, Number | Colour) => self.each(to, move |b| four::bytes(b, &lanes)),
            (Shape::Each8, Sign::Signed, Number) => self.each(to, move |b| four::signed_bytes(b, &lanes)),
            (Shape::Each16, Sign::Unsigned, Number) => self.each(to, move |b| four::shorts(b, &lanes)),
            (Shape::Each16, Sign::Signed, Number) => self.each(to, move |b| four::signed_shorts(b, &lanes)),
            (Shape::Each32, _, Bits) => self.each(to, move |b| four::words(b, &lanes)),
            (Shape::Rgb565, _, Colour) => self.each(to, move |b| four::fields(short(b), &RGB565, &lanes)),
            (Shape::Rgba4, _, Colour) => self.each(to, move |b| four::fields(short(b), &RGBA4, &lanes)),
            (Shape::Rgba6, _, Colour) => self.each(to, move |&[a, b, c]: &[u8; 3]| {
                four::fields(u32::from_be_bytes([0, a, b, c]).into(), &RGBA6, &lanes)
            }),
            _ => self.one_by_one(format, to),
        }
    }

    /// What no format of the chip is, as the reference has it.
    fn one_by_one(&self, format: Format, to: &mut impl Put) {
        self.each(to, move |bytes: &[u8; size_of::<Row>()]| format.read(bytes));
    }

    fn read(&self, to: &mut impl Put) {
        let Values(column, &Of { vertices, size, .. }) = *self;
        match column.kind {
            Kind::Element(format) => self.elements(format, to),
            Kind::Matrices(count, [first, others]) => {
                to.put(vertices.chunks_exact(size).map(|vertex| {
                    let mut all = [0; 16];
                    let own = usize::from(count).min(MATRICES);
                    all[..own].copy_from_slice(&vertex[..own]);
                    all[0] &= first;
                    all[1..].iter_mut().for_each(|byte| *byte &= others);
                    let words = all.as_chunks::<4>().0;
                    [words[0], words[1], words[2], words[3]].map(u32::from_le_bytes)
                }));
            }
        }
    }
}

/// Elements that an index of a byte can name.
const ELEMENTS: usize = 256;

impl Fill for Values<'_> {
    fn fill(self, to: &mut impl Put) {
        let Values(column, of) = self;
        if column.source != Source::Index8 || of.vertices.len() / of.size < 2 * ELEMENTS {
            return self.read(to);
        }
        // There are fewer elements than vertices: each is read once.
        let every: [u8; ELEMENTS] = std::array::from_fn(|index| index as u8);
        let mut elements = [[0; 4]; ELEMENTS];
        let once = Of { vertices: &every, size: 1, ..*of };
        Values(&Column { at: 0, ..*column }, &once).read(&mut elements.iter_mut());
        let indices = of.vertices.chunks_exact(of.size).map(|vertex| usize::from(vertex[column.at]));
        to.put(indices.map(|index| elements[index]));
    }
}

impl Column {
    /// How its elements lie in memory, for code that reads them there.
    pub(super) fn format(&self) -> Format {
        match self.kind {
            Kind::Element(format) => format,
            // Words, whatever is behind the last byte: nobody looks at that, nor at the upper bits of bytes.
            Kind::Matrices(bytes, _) => Format::words(bytes.div_ceil(4), ByteOrder::LITTLE),
        }
    }

    /// The column of vertices: the value of each is put to where it goes.
    pub(super) fn fetch(&self, of: &Of<'_>, to: &mut impl Put) {
        Values(self, of).fill(to);
    }

    /// Stores the column of vertices as a host has it.
    pub(super) fn store(&self, of: &Of<'_>, place: Place<'_>) {
        if let Kind::Element(format) = self.kind
            && let components = usize::from(format.components)
            && (self.source, of.size) == (Source::Direct, format.bytes())
            && matches!(format.encoding.shape(), Shape::Each8 | Shape::Each16 | Shape::Each32)
            && place.is_list(components)
        {
            // Nothing lies between two elements, here or there: they are a list of numbers, of which four are read at a time.
            let number = of.size / components;
            let fours = of.vertices.len() / (4 * number);
            let (whole, last) = of.vertices.split_at(fours * 4 * number);
            let parts = [(4, whole), (1, last)];
            for ((components, vertices), place) in parts.into_iter().zip(place.in_fours(fours)) {
                let kind = Kind::Element(Format { components, ..format });
                let of = Of { vertices, size: usize::from(components) * number, ..*of };
                place.fill(Values(&Column { kind, ..*self }, &of));
            }
            return;
        }
        place.fill(Values(self, of));
    }
}
