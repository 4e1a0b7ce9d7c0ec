//! An attribute of all vertices: a loop for its source and for where its codes are, whose body is operations on four codes at once
//! ([`four`]). What its row of the table of encodings says beyond that is data.

use super::four::{self, Fields, Lanes};
use super::memory::{Memory, read};
use super::place::{Place, bytes};
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

/// Elements of a format, which have somewhere to go. A loop is compiled for each way to read one.
trait Elements {
    /// Puts the value of so many bytes from the beginning of each element; what is behind one does not count.
    fn each<const N: usize>(self, value: impl Copy + Fn(&[u8; N]) -> Row);
}

/// Reads elements of a format.
fn read_elements(format: Format, elements: impl Elements) {
    use Meaning::{Bits, Colour, Number};
    let encoding = format.encoding;
    // What no format of the chip is, as the reference has it.
    let other = move |bytes: &[u8; size_of::<Row>()]| format.read(bytes);
    if encoding.unit() > 1 && format.order != ByteOrder::BIG {
        return elements.each(other);
    }
    let lanes = Lanes::of(format);
    let short = |bytes: &[u8; 2]| u64::from(u16::from_be_bytes(*bytes));
    match (encoding.shape(), encoding.sign(), encoding.meaning()) {
        (Shape::Each8, Sign::Unsigned, Number | Colour) => elements.each(move |b| four::bytes(b, &lanes)),
        (Shape::Each8, Sign::Signed, Number) => elements.each(move |b| four::signed_bytes(b, &lanes)),
        (Shape::Each16, Sign::Unsigned, Number) => elements.each(move |b| four::shorts(b, &lanes)),
        (Shape::Each16, Sign::Signed, Number) => elements.each(move |b| four::signed_shorts(b, &lanes)),
        (Shape::Each32, _, Bits) => elements.each(move |b| four::words(b, &lanes)),
        (Shape::Rgb565, _, Colour) => elements.each(move |b| four::fields(short(b), &RGB565, &lanes)),
        (Shape::Rgba4, _, Colour) => elements.each(move |b| four::fields(short(b), &RGBA4, &lanes)),
        (Shape::Rgba6, _, Colour) => elements.each(move |&[a, b, c]: &[u8; 3]| {
            four::fields(u32::from_be_bytes([0, a, b, c]).into(), &RGBA6, &lanes)
        }),
        _ => elements.each(other),
    }
}

/// The values of elements that begin so many bytes apart. Of the last ones so many bytes as are read need not be there.
#[inline(always)]
fn apart<const N: usize>(
    mut from: &[u8],
    stride: usize,
    value: impl Copy + Fn(&[u8; N]) -> Row,
) -> impl FnMut() -> Row {
    move || {
        let row = from.first_chunk().map_or_else(|| value(&read(from, 0, N)), value);
        from = from.get(stride..).unwrap_or_default();
        row
    }
}

/// Those of a column of vertices, which become rows.
struct Values<'a> {
    column: &'a Column,
    of: &'a Of<'a>,
    rows: &'a mut [Row],
}

impl Elements for Values<'_> {
    /// One loop for each source.
    #[inline(never)]
    fn each<const N: usize>(self, value: impl Copy + Fn(&[u8; N]) -> Row) {
        let Values { column: &Column { source, at, array, bias, .. }, of, rows } = self;
        let &Of { vertices, size, arrays, memory } = of;
        // One comparison: no sum of 32 bits and a few overflows.
        let in_part = |part: &[u8], from: u32| match part.get(from as usize..from as usize + N) {
            Some(bytes) => value(bytes.first_chunk().expect("as many")),
            None => value(&read(part, from, N)),
        };
        let array = arrays[array];
        let (array_part, base) = memory.window(array.base);
        let element = |index: u32| in_part(array_part, base + bias + index * array.stride);
        assert!(at + source.index_bytes().unwrap_or(0) <= size, "a vertex has its indices");
        let rows = rows.iter_mut().zip(vertices.chunks_exact(size));
        match source {
            Source::Index8 => rows.for_each(|(row, vertex)| *row = element(vertex[at].into())),
            Source::Index16 => rows.for_each(|(row, vertex)| {
                *row = element(u16::from_be_bytes([vertex[at], vertex[at + 1]]).into());
            }),
            Source::Direct | Source::Absent => {
                let mut next = apart(vertices.get(at..).unwrap_or_default(), size, value);
                rows.for_each(|(row, _)| *row = next());
            }
        }
    }
}

/// Numbers that lie one after the other, here and where they are stored as floats.
struct List<'a> {
    from: &'a [u8],
    /// Bytes of four numbers.
    four: usize,
    to: &'a mut [u8],
}

impl Elements for List<'_> {
    #[inline(never)]
    fn each<const N: usize>(self, value: impl Copy + Fn(&[u8; N]) -> Row) {
        let List { from, four, to } = self;
        let mut row = apart(from, four, value);
        let mut next = || bytes::<{ size_of::<Row>() }>(row());
        let (whole, last) = to.as_chunks_mut();
        whole.iter_mut().for_each(|to| *to = next());
        if !last.is_empty() {
            last.copy_from_slice(&next()[..last.len()]);
        }
    }
}

/// Elements that an index of a byte can name.
const ELEMENTS: usize = 256;

/// Vertices whose values lie in rows until they are stored: these fit the first-level cache.
const BLOCK: usize = 4 * ELEMENTS;

impl Column {
    /// How its elements lie in memory, for code that reads them there.
    pub(super) fn format(&self) -> Format {
        match self.kind {
            Kind::Element(format) => format,
            // Words, whatever is behind the last byte: nobody looks at that, nor at the upper bits of bytes.
            Kind::Matrices(bytes, _) => Format::words(bytes.div_ceil(4), ByteOrder::LITTLE),
        }
    }

    /// The column of vertices.
    pub(super) fn fetch(&self, of: &Of<'_>, rows: &mut [Row]) {
        if self.source != Source::Index8 || rows.len() < 2 * ELEMENTS {
            return self.read(of, rows);
        }
        // There are fewer elements than vertices: each is read once.
        let every: [u8; ELEMENTS] = std::array::from_fn(|index| index as u8);
        let mut elements = [[0; 4]; ELEMENTS];
        Column { at: 0, ..*self }.read(&Of { vertices: &every, size: 1, ..*of }, &mut elements);
        for (row, vertex) in rows.iter_mut().zip(of.vertices.chunks_exact(of.size)) {
            *row = elements[usize::from(vertex[self.at])];
        }
    }

    fn read(&self, of: &Of<'_>, rows: &mut [Row]) {
        match self.kind {
            Kind::Element(format) => read_elements(format, Values { column: self, of, rows }),
            Kind::Matrices(count, [first, others]) => {
                for (row, vertex) in rows.iter_mut().zip(of.vertices.chunks_exact(of.size)) {
                    let mut all = [0; 16];
                    let own = usize::from(count).min(MATRICES);
                    all[..own].copy_from_slice(&vertex[..own]);
                    all[0] &= first;
                    all[1..].iter_mut().for_each(|byte| *byte &= others);
                    let words = all.as_chunks::<4>().0;
                    *row = [words[0], words[1], words[2], words[3]].map(u32::from_le_bytes);
                }
            }
        }
    }

    /// Stores the column of vertices as a host has it. Memory of earlier rows is used again.
    pub(super) fn store(&self, of: &Of<'_>, rows: &mut Vec<Row>, mut place: Place<'_>) {
        if let Kind::Element(format) = self.kind
            && let components = usize::from(format.components)
            && (self.source, of.size) == (Source::Direct, format.bytes())
            && matches!(format.encoding.shape(), Shape::Each8 | Shape::Each16 | Shape::Each32)
            && let Some(to) = place.as_list(components)
        {
            let numbers = of.vertices.len() / of.size * components;
            let list = List { from: of.vertices, four: 4 * of.size / components, to: &mut to[..4 * numbers] };
            return read_elements(Format { components: 4, ..format }, list);
        }
        if rows.is_empty() {
            rows.resize(BLOCK, [0; 4]);
        }
        for vertices in of.vertices.chunks(BLOCK * of.size) {
            let rows = &mut rows[..vertices.len() / of.size];
            self.fetch(&Of { vertices, ..*of }, rows);
            place.store(rows.iter().copied());
        }
    }
}
