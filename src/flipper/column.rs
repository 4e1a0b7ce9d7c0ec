//! An attribute of all vertices: a loop for its source and the width of its codes, whose body is operations on four codes at once
//! ([`four`]). What a format is beyond that is data.

use super::four::{self, Fields, Lanes};
use super::memory::Memory;
use super::registers::Array;
use crate::chip::flipper::cp::ARRAYS;
use crate::chip::flipper::format::{Colour, Component};
use crate::chip::flipper::vcd::{MATRICES, Source};
use xfjit_runtime::state::Row;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// One, two or three components, and the float that they are multiplied by, a power of two.
    Numbers(Component, u8, u32),
    Colour(Colour),
    /// So many bytes, and those of their bits that count: of the first, of the others.
    Matrices(u8, [u8; 2]),
}

/// An attribute of all vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Column {
    /// Its register ([`crate::chip::flipper::input`]).
    pub(super) register: usize,
    pub(super) source: Source,
    /// Where in a vertex its bytes are, or its index.
    pub(super) at: usize,
    pub(super) array: usize,
    /// Bytes from the beginning of an element.
    pub(super) bias: u32,
    pub(super) kind: Kind,
}

/// Fields of colours, where the codes are placed by [`Elements::colours`].
const RGB565: Fields = Fields::new([5, 6, 5, 0], [6, 4, 0, 0]);
const RGBA4: Fields = Fields::new([4; 4], [8, 4, 0, 0]);
const RGBA6: Fields = Fields::new([6; 4], [0; 4]);

/// What is read for all vertices.
struct Elements<'a> {
    column: &'a Column,
    vertices: &'a [u8],
    size: usize,
    array: Array,
    memory: Memory<'a>,
}

impl Elements<'_> {
    /// The value of so many bytes from the beginning of each element; what is behind one does not count. One loop for each source.
    #[inline(never)]
    fn each<const N: usize>(&self, rows: &mut [Row], value: impl Fn(&[u8; N]) -> Row) {
        let Elements { column: &Column { source, at, bias, .. }, vertices, size, array, memory } = *self;
        // One comparison: no sum of 32 bits and a few overflows.
        let in_part = |part: &[u8], from: u32| match part.get(from as usize..from as usize + N) {
            Some(bytes) => value(bytes.first_chunk().expect("as many")),
            None => value(&Memory(part).read(from, N)),
        };
        let element = |index: u32| in_part(memory.0, array.base + bias + index * array.stride);
        assert!(at + source.index_bytes().unwrap_or(0) <= size, "a vertex has its indices");
        let rows = rows.iter_mut().zip(vertices.chunks_exact(size));
        match source {
            Source::Index8 => rows.for_each(|(row, vertex)| *row = element(vertex[at].into())),
            Source::Index16 => rows.for_each(|(row, vertex)| {
                *row = element(u16::from_be_bytes([vertex[at], vertex[at + 1]]).into());
            }),
            Source::Direct | Source::Absent => {
                let mut from = at as u32;
                for (row, _) in rows {
                    *row = in_part(vertices, from);
                    from += size as u32;
                }
            }
        }
    }

    fn numbers(&self, component: Component, rows: &mut [Row], lanes: &Lanes) {
        match component {
            Component::U8 => self.each(rows, |bytes| four::bytes(bytes, lanes)),
            Component::S8 => self.each(rows, |bytes| four::signed_bytes(bytes, lanes)),
            Component::U16 => self.each(rows, |bytes| four::shorts(bytes, lanes)),
            Component::S16 => self.each(rows, |bytes| four::signed_shorts(bytes, lanes)),
            Component::F32 => self.each(rows, |bytes| four::words(bytes, lanes)),
        }
    }

    fn colours(&self, colour: Colour, rows: &mut [Row]) {
        let opaque = [0, 0, 0, 255_f32.to_bits()];
        let (rgb, rgba) = (&Lanes::new(1.0, 3, opaque), &Lanes::new(1.0, 4, opaque));
        let short = |bytes: [u8; 2]| u64::from(u16::from_be_bytes(bytes));
        match colour {
            // A product places a code more than once.
            Colour::Rgb565 => self.each(rows, |&bytes| {
                four::fields((short(bytes) * (1 | 1 << 20 | 1 << 37)) >> 5, &RGB565, rgb)
            }),
            Colour::Rgba4 => self.each(rows, |&bytes| {
                let places = 1 | 1 << 16 | 1 << 32 | 1 << 52;
                four::fields(short(bytes).wrapping_mul(places) >> 4, &RGBA4, rgba)
            }),
            Colour::Rgba6 => self.each(rows, |&[a, b, c]| {
                let [r, g] = [u64::from(a) >> 2, short([a, b]) >> 4 & 0x3f];
                let [b, a] = [short([b, c]) >> 6 & 0x3f, u64::from(c) & 0x3f];
                four::fields(r | g << 16 | b << 32 | a << 48, &RGBA6, rgba)
            }),
            Colour::Rgb8 | Colour::Rgb8x => self.numbers(Component::U8, rows, rgb),
            Colour::Rgba8 => self.numbers(Component::U8, rows, rgba),
        }
    }
}

/// Elements that an index of a byte can name.
const ELEMENTS: usize = 256;

impl Column {
    /// The column of vertices.
    pub(super) fn fetch(
        &self,
        vertices: &[u8],
        size: usize,
        arrays: &[Array; ARRAYS],
        memory: Memory<'_>,
        rows: &mut [Row],
    ) {
        if self.source != Source::Index8 || rows.len() < 2 * ELEMENTS {
            return self.read(vertices, size, arrays, memory, rows);
        }
        // There are fewer elements than vertices: each is read once.
        let every: [u8; ELEMENTS] = std::array::from_fn(|index| index as u8);
        let mut elements = [[0; 4]; ELEMENTS];
        Column { at: 0, ..*self }.read(&every, 1, arrays, memory, &mut elements);
        for (row, vertex) in rows.iter_mut().zip(vertices.chunks_exact(size)) {
            *row = elements[usize::from(vertex[self.at])];
        }
    }

    fn read(
        &self,
        vertices: &[u8],
        size: usize,
        arrays: &[Array; ARRAYS],
        memory: Memory<'_>,
        rows: &mut [Row],
    ) {
        let elements = Elements { column: self, vertices, size, array: arrays[self.array], memory };
        match self.kind {
            Kind::Numbers(component, count, scale) => {
                elements.numbers(component, rows, &Lanes::new(f32::from_bits(scale), count, [0; 4]));
            }
            Kind::Colour(colour) => elements.colours(colour, rows),
            Kind::Matrices(count, [first, others]) => {
                for (row, vertex) in rows.iter_mut().zip(vertices.chunks_exact(size)) {
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
}
