//! Vertices of a draw as columns: what the vertex descriptor and a table of formats say is looked at once, and each attribute is
//! then read by a loop that was compiled for its source and its format.

use super::command::Draw;
use super::memory::Memory;
use super::quirks::Dialect;
use super::registers::{Array, Registers};
use super::vertex;
use crate::chip::flipper::cp::ARRAYS;
use crate::chip::flipper::format::{Colour, Component};
use crate::chip::flipper::input;
use crate::chip::flipper::vat::{COLOURS, Components, Field, TEXCOORDS, Vat};
use crate::chip::flipper::vcd::{Attribute, MATRICES, Source, Vcd};
use xfjit_runtime::batch::{Attribute as Stream, Inputs};
use xfjit_runtime::state::{ATTRIBUTES, Row};

/// The same without what cannot matter: two that become equal have the same vertices. Formats of attributes that are absent, fractions
/// of floats, what is said of tangents that are not there, and bits that nobody looks at are cleared.
#[must_use]
pub fn canonical(vcd: Vcd, vat: Vat, dialect: Dialect) -> Vat {
    let mut kept = Vat::default();
    let keep = |kept: Vat, field: Field| kept.with(field, vat.get(field));
    let mut dequant = false;
    for attribute in Attribute::ALL {
        if vcd.source(attribute) == Source::Absent {
            continue;
        }
        let (count, format, shift) = match attribute {
            Attribute::Position => (Some(Field::POS_COUNT), Field::POS_FORMAT, Some(Field::POS_SHIFT)),
            Attribute::Normal => (Some(Field::NORMAL_COUNT), Field::NORMAL_FORMAT, None),
            Attribute::Colour(number) => (None, COLOURS[usize::from(number)][1], None),
            Attribute::Texcoord(number) => {
                let [count, format, shift] = TEXCOORDS[usize::from(number)];
                (Some(count), format, Some(shift))
            }
        };
        if let Some(count) = count {
            kept = keep(kept, count);
        }
        kept = match vat.components(attribute) {
            Some(Components { component, .. }) => kept.with(format, component as u32),
            None => {
                let Attribute::Colour(number) = attribute else { continue };
                kept.with(format, vat.colour(usize::from(number)) as u32)
            }
        };
        let (Some(field), Some(Components { component, shift, .. })) = (shift, vat.components(attribute))
        else {
            continue;
        };
        if dialect.shift(component, shift, true) != dialect.shift(component, shift, false) {
            dequant = true;
        }
        if component != Component::F32 {
            kept = keep(kept, field);
        }
    }
    let is_indexed = vcd.source(Attribute::Normal).index_bytes().is_some();
    if is_indexed && vat.has_three_indices() {
        kept = keep(kept, Field::NORMAL_INDEX3);
    }
    if dequant { keep(kept, Field::BYTE_DEQUANT) } else { kept }
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// One, two or three components, and the float that they are multiplied by, a power of two.
    Numbers(Component, u8, u32),
    Colour(Colour),
    /// So many bytes, and those of their bits that count: of the first, of the others.
    Matrices(u8, [u8; 2]),
}

/// An attribute of all vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Column {
    /// Its register ([`input`]).
    register: usize,
    source: Source,
    /// Where in a vertex its bytes are, or its index.
    at: usize,
    array: usize,
    /// Bytes from the beginning of an element.
    bias: u32,
    kind: Kind,
}

/// What has to be done for each vertex of a descriptor and a table of formats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    size: usize,
    columns: Vec<Column>,
    /// Where in a vertex the index is that may leave it out.
    skip: Option<(usize, Source)>,
}

/// Columns of vertices, and memory for those of the next draw.
#[derive(Clone, Default, Debug)]
pub struct Fetched {
    count: usize,
    /// The vertices that are left, if some were left out.
    bytes: Vec<u8>,
    rows: [Vec<Row>; ATTRIBUTES],
    /// Those that the vertices have, as a mask.
    present: u16,
}

impl Fetched {
    /// Vertices that have not been left out.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The attributes that they have, as a mask of registers.
    pub fn present(&self) -> u16 {
        self.present
    }

    /// An attribute of each; nothing of one that they do not have.
    pub fn rows(&self, register: usize) -> &[Row] {
        let has = register < ATTRIBUTES && self.present >> register & 1 != 0;
        if has { &self.rows[register][..self.count] } else { &[] }
    }

    /// A batch of them. A normal, a tangent or a binormal that they do not have is the one that was kept; other attributes are
    /// zeros.
    pub fn inputs(&self, registers: &Registers) -> Inputs<'_> {
        let mut inputs = Inputs::new(self.count);
        for register in 0..ATTRIBUTES {
            let kept = match register {
                input::NORMAL..=input::BINORMAL => registers.normals[register - input::NORMAL],
                _ => None,
            };
            inputs = inputs.with(
                register,
                match self.present >> register & 1 {
                    0 => {
                        let [x, y, z] = kept.unwrap_or_default();
                        Stream::Constant([x, y, z, 0])
                    }
                    _ => Stream::rows(self.rows(register)),
                },
            );
        }
        inputs
    }
}

impl Plan {
    /// For a descriptor and a table of formats.
    pub fn new(vcd: Vcd, vat: Vat, dialect: Dialect) -> Plan {
        let mut columns = Vec::with_capacity(ATTRIBUTES);
        if vcd.matrices() > 0 {
            let first = if vcd.has_matrix(0) { 0 } else { 1 };
            let masks = [dialect.matrix_mask(first), dialect.matrix_mask(1)];
            let kind = Kind::Matrices(vcd.matrices() as u8, masks);
            let source = Source::Direct;
            columns.push(Column { register: input::MATRICES, source, at: 0, array: 0, bias: 0, kind });
        }
        for attribute in Attribute::ALL {
            let (source, array) = (vcd.source(attribute), attribute.array());
            if source == Source::Absent {
                continue;
            }
            let at = vertex::offset(vcd, vat, attribute);
            let register = match attribute {
                Attribute::Position => input::POSITION,
                Attribute::Normal => input::NORMAL,
                Attribute::Colour(number) => input::COLOUR + usize::from(number),
                Attribute::Texcoord(number) => input::TEXCOORD + usize::from(number),
            };
            let Some(Components { count, component, shift }) = vat.components(attribute) else {
                let kind = Kind::Colour(vat.colour(register - input::COLOUR));
                columns.push(Column { register, source, at, array, bias: 0, kind });
                continue;
            };
            let shift = match attribute {
                Attribute::Normal => shift,
                _ => dialect.shift(component, shift, vat.get(Field::BYTE_DEQUANT) != 0),
            };
            let scale = (127 - shift) << 23;
            let of_each = if count == 9 { 3 } else { count };
            for vector in 0..count / of_each {
                let own = vector * of_each * component.bytes();
                let index = if vat.has_three_indices() { source.index_bytes().unwrap_or(0) } else { 0 };
                let (at, bias) = match source {
                    Source::Direct => (at + own, 0),
                    _ => (at + vector * index, own as u32),
                };
                let kind = Kind::Numbers(component, of_each as u8, scale);
                columns.push(Column { register: register + vector, source, at, array, bias, kind });
            }
        }
        let position = vcd.source(Attribute::Position);
        let skip = position.index_bytes().map(|_| (vertex::offset(vcd, vat, Attribute::Position), position));
        Plan { size: vertex::size(vcd, vat), columns, skip }
    }

    /// Reads the vertices of a draw. Memory of earlier ones is used again.
    pub fn fetch(&self, draw: &Draw<'_>, arrays: &[Array; ARRAYS], memory: Memory<'_>, to: &mut Fetched) {
        self.fetch_live(u16::MAX, draw, arrays, memory, to);
    }

    /// The same, but only the attributes of a mask: the others are as if the vertices had none.
    pub(super) fn fetch_live(
        &self,
        live: u16,
        draw: &Draw<'_>,
        arrays: &[Array; ARRAYS],
        memory: Memory<'_>,
        to: &mut Fetched,
    ) {
        let mut bytes = draw.bytes;
        to.count = draw.count.into();
        to.present = 0;
        if let Some((at, source)) = self.skip {
            let stays = |vertex: &[u8]| match source {
                Source::Index16 => vertex[at..at + 2] != [0xff; 2],
                _ => vertex[at] != 0xff,
            };
            if !bytes.chunks_exact(self.size).all(stays) {
                to.bytes.clear();
                bytes.chunks_exact(self.size).filter(|vertex| stays(vertex)).for_each(|vertex| {
                    to.bytes.extend_from_slice(vertex);
                });
                to.count = to.bytes.len() / self.size;
                bytes = &to.bytes;
            }
        }
        for column in self.columns.iter().filter(|column| live >> column.register & 1 != 0) {
            to.present |= 1 << column.register;
            let rows = &mut to.rows[column.register];
            if rows.len() < to.count {
                rows.resize(to.count, [0; 4]);
            }
            column.fetch(bytes, self.size, arrays, memory, &mut rows[..to.count]);
        }
    }
}

/// A function of an element of so many bytes, for all vertices.
struct Elements<'a> {
    column: &'a Column,
    vertices: &'a [u8],
    size: usize,
    array: Array,
    memory: Memory<'a>,
}

impl Elements<'_> {
    /// One loop for each source.
    #[inline(always)]
    fn each<const N: usize>(&self, rows: &mut [Row], value: impl Fn(&[u8; N]) -> Row) {
        let at = self.column.at;
        let vertices = self.vertices.chunks_exact(self.size);
        let first = self.array.base + self.column.bias;
        let element = |index: u32| {
            let address = first + index * self.array.stride;
            match self.memory.0.get(address as usize..).and_then(|from| from.first_chunk()) {
                Some(element) => value(element),
                None => value(&self.memory.read(address, N)),
            }
        };
        match self.column.source {
            Source::Index8 => rows.iter_mut().zip(vertices).for_each(|(row, vertex)| {
                *row = element(vertex[at].into());
            }),
            Source::Index16 => rows.iter_mut().zip(vertices).for_each(|(row, vertex)| {
                *row = element(u16::from_be_bytes([vertex[at], vertex[at + 1]]).into());
            }),
            Source::Direct | Source::Absent => rows.iter_mut().zip(vertices).for_each(|(row, vertex)| {
                *row = vertex[at..].first_chunk().map_or([0; 4], &value);
            }),
        }
    }

    /// One loop for each number of components.
    #[inline(always)]
    fn numbers<const B: usize>(&self, count: u8, rows: &mut [Row], number: impl Fn([u8; B]) -> u32 + Copy) {
        // Arrays of arrays are not there by arithmetic on constants: one for each number of bytes.
        fn part<const B: usize>(bytes: &[u8], at: usize) -> [u8; B] {
            std::array::from_fn(|byte| bytes[at * B + byte])
        }
        match (count, B) {
            (1, 1) => self.each::<1>(rows, |b| [number(part(b, 0)), 0, 0, 0]),
            (1, 2) => self.each::<2>(rows, |b| [number(part(b, 0)), 0, 0, 0]),
            (1, _) => self.each::<4>(rows, |b| [number(part(b, 0)), 0, 0, 0]),
            (2, 1) => self.each::<2>(rows, |b| [number(part(b, 0)), number(part(b, 1)), 0, 0]),
            (2, 2) => self.each::<4>(rows, |b| [number(part(b, 0)), number(part(b, 1)), 0, 0]),
            (2, _) => self.each::<8>(rows, |b| [number(part(b, 0)), number(part(b, 1)), 0, 0]),
            (_, 1) => {
                self.each::<3>(rows, |b| [number(part(b, 0)), number(part(b, 1)), number(part(b, 2)), 0])
            }
            (_, 2) => {
                self.each::<6>(rows, |b| [number(part(b, 0)), number(part(b, 1)), number(part(b, 2)), 0])
            }
            (_, _) => {
                self.each::<12>(rows, |b| [number(part(b, 0)), number(part(b, 1)), number(part(b, 2)), 0])
            }
        }
    }
}

/// Elements that an index of a byte can name.
const ELEMENTS: usize = 256;

impl Column {
    /// The column of vertices.
    fn fetch(
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
        let bytes = |components: [u8; 4]| components.map(|byte| f32::from(byte).to_bits());
        match self.kind {
            Kind::Numbers(component, count, scale) => {
                let scale = f32::from_bits(scale);
                let scaled = move |number: f32| (number * scale).to_bits();
                match component {
                    Component::U8 => elements.numbers(count, rows, |[byte]| scaled(byte.into())),
                    Component::S8 => elements.numbers(count, rows, |[byte]| scaled((byte as i8).into())),
                    Component::U16 => elements.numbers(count, rows, |b| scaled(u16::from_be_bytes(b).into())),
                    Component::S16 => elements.numbers(count, rows, |b| scaled(i16::from_be_bytes(b).into())),
                    Component::F32 => elements.numbers(count, rows, u32::from_be_bytes),
                }
            }
            Kind::Colour(colour) => match colour {
                Colour::Rgb565 => elements
                    .each(rows, |&[a, b]| bytes(Colour::Rgb565.components(u32::from_be_bytes([0, 0, a, b])))),
                Colour::Rgba4 => elements
                    .each(rows, |&[a, b]| bytes(Colour::Rgba4.components(u32::from_be_bytes([0, 0, a, b])))),
                Colour::Rgba6 => elements.each(rows, |&[a, b, c]| {
                    bytes(Colour::Rgba6.components(u32::from_be_bytes([0, a, b, c])))
                }),
                Colour::Rgb8 => elements.each(rows, |&[r, g, b]| bytes([r, g, b, 255])),
                Colour::Rgb8x => elements.each(rows, |&[r, g, b, _]| bytes([r, g, b, 255])),
                Colour::Rgba8 => elements.each(rows, |&rgba: &[u8; 4]| bytes(rgba)),
            },
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
