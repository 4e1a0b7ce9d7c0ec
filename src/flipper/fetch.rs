//! The reference: a vertex as its bytes and arrays have it, in plain Rust (flipper.md 1.4 to 1.6). What an element means is what
//! the table of encodings says ([`Format::read`](xfjit_runtime::format::Format::read)).

use super::memory::Memory;
use super::registers::{Array, NormalCache, Registers};
use super::vertex::{self, Elements};
use xfjit_isa::chip::flipper::cp::ARRAYS;
use xfjit_isa::chip::flipper::vat::Vat;
use xfjit_isa::chip::flipper::vcd::{Attribute, MATRICES, Source, Vcd};
use xfjit_isa::config::Dialect;

/// The attributes of a vertex; those that it lacks are zero.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Vertex {
    /// Matrix indices: that of the position, and those of eight texture coordinates.
    pub matrices: [u8; MATRICES],
    /// z is 0 if there are two components.
    pub position: [u32; 3],
    /// Normal, tangent and binormal.
    pub normals: [[u32; 3]; 3],
    /// Two colours, with red in the upper byte and alpha in the lowest.
    pub colours: [u32; 2],
    /// t is 0 if there is one component.
    pub texcoords: [[u32; 2]; 8],
}

/// Everything that decides what the bytes of a vertex mean.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// Which attributes.
    pub vcd: Vcd,
    /// In which formats.
    pub vat: Vat,
    /// Where.
    pub arrays: &'a [Array; ARRAYS],
    /// Of what.
    pub memory: Memory<'a>,
    /// Read by whom.
    pub dialect: Dialect,
}

/// The bytes of a vertex, from its first on.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn number(&mut self, bytes: usize) -> u32 {
        big_endian(self.take(bytes))
    }
}

fn big_endian(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// Whether a position's index of so many bytes does not leave out the vertex, as one of all ones does.
fn is_element(index: u32, index_bytes: usize) -> bool {
    index != (1 << (8 * index_bytes)) - 1
}

/// The most bytes of an element: three vectors of floats.
const ELEMENT: usize = 36;

impl<'a> Fetch<'a> {
    /// That of a drawing command with a number of a table of formats.
    pub fn new(registers: &'a Registers, vat: usize, memory: Memory<'a>, dialect: Dialect) -> Fetch<'a> {
        Fetch { vcd: registers.vcd, vat: registers.vats[vat % 8], arrays: &registers.arrays, memory, dialect }
    }

    /// A vertex, and whether it is there: one whose position has an index of all ones is skipped. What it has behind that is
    /// read all the same.
    pub fn vertex(&self, bytes: &[u8]) -> (Vertex, bool) {
        self.vertex_from(bytes, &mut |_, _| {})
    }

    /// A vertex as [`Fetch::vertex`] has it. `reads` is told where in memory how many bytes are read, which need not be there.
    pub(super) fn vertex_from(&self, bytes: &[u8], reads: &mut impl FnMut(u32, usize)) -> (Vertex, bool) {
        let mut reader = Reader(bytes);
        let mut vertex = Vertex::default();
        for (number, matrix) in vertex.matrices.iter_mut().enumerate() {
            if self.vcd.has_matrix(number) {
                *matrix = reader.number(1) as u8 & self.dialect.matrix_mask(number);
            }
        }
        let mut is_there = true;
        for attribute in Attribute::ALL {
            is_there &= self.read(attribute, &mut reader, reads, &mut vertex);
        }
        (vertex, is_there)
    }

    /// The normals of a vertex alone, and whether it is there.
    fn normals(&self, bytes: &[u8]) -> ([[u32; 3]; 3], bool) {
        let reader = |attribute: Attribute| {
            let at = vertex::offset(self.vcd, self.vat, attribute).min(bytes.len());
            Reader(&bytes[at..])
        };
        let is_there = self.vcd.source(Attribute::Position).index_bytes().is_none_or(|index_bytes| {
            is_element(reader(Attribute::Position).number(index_bytes), index_bytes)
        });
        let mut vertex = Vertex::default();
        self.read(Attribute::Normal, &mut reader(Attribute::Normal), &mut |_, _| {}, &mut vertex);
        (vertex.normals, is_there)
    }

    /// Reads an attribute; whether it does not leave out the vertex.
    fn read(
        &self,
        attribute: Attribute,
        reader: &mut Reader<'_>,
        reads: &mut impl FnMut(u32, usize),
        vertex: &mut Vertex,
    ) -> bool {
        let source = self.vcd.source(attribute);
        if source == Source::Absent {
            return true;
        }
        let mut is_there = true;
        let bytes = self.vat.bytes(attribute);
        let mut element = [0; ELEMENT];
        match source.index_bytes() {
            None => element[..bytes].copy_from_slice(&padded(reader.take(bytes))[..bytes]),
            Some(index_bytes) => {
                let array = self.arrays[attribute.array()];
                if attribute == Attribute::Normal && self.vat.has_three_indices() {
                    for vector in 0..3 {
                        // The vectors of one element each, so that the second is a vector's bytes further.
                        let own = bytes / 3;
                        let at = array.offset(reader.number(index_bytes)) + (vector * own) as u32;
                        reads(array.base + at, own);
                        let read: [u8; 12] = self.memory.element(array.base, at, own);
                        element[vector * own..(vector + 1) * own].copy_from_slice(&read[..own]);
                    }
                } else {
                    let index = reader.number(index_bytes);
                    is_there = attribute != Attribute::Position || is_element(index, index_bytes);
                    reads(array.element(index), bytes);
                    element = self.memory.element(array.base, array.offset(index), bytes);
                }
            }
        }
        self.take(attribute, &element, vertex);
        is_there
    }

    /// The value of an attribute's bytes.
    fn take(&self, attribute: Attribute, bytes: &[u8; ELEMENT], vertex: &mut Vertex) {
        let Elements { format, count, .. } = Elements::of(self.vat, attribute, self.dialect);
        for (number, element) in bytes.chunks(format.bytes()).take(count).enumerate() {
            let [x, y, z, w] = format.read(element);
            match attribute {
                Attribute::Position => vertex.position = [x, y, z],
                Attribute::Normal => vertex.normals[number] = [x, y, z],
                Attribute::Texcoord(own) => vertex.texcoords[usize::from(own)] = [x, y],
                Attribute::Colour(own) => {
                    // Numbers from 0.0 to 255.0, whole ones.
                    let bytes = [x, y, z, w].map(|number| f32::from_bits(number) as u8);
                    vertex.colours[usize::from(own)] = u32::from_be_bytes(bytes);
                }
            }
        }
    }

    /// What is kept behind a draw of these vertices for those of later ones, of what has been kept.
    ///
    /// UNKNOWN: what is left where the last vertex was skipped. Here the last one that was not, since others do not reach the
    /// transform unit; `dolphin-sw` keeps the skipped one's, `dolphin-jit` nothing but a binormal, and that of the last one
    /// that was not skipped.
    pub fn kept<'b>(
        &self,
        before: NormalCache,
        mut backwards: impl Iterator<Item = &'b [u8]>,
    ) -> NormalCache {
        if self.vcd.source(Attribute::Normal) == Source::Absent {
            return before;
        }
        let Some((last, is_there)) = backwards.next().map(|bytes| self.normals(bytes)) else { return before };
        let last_there = if is_there || self.dialect == Dialect::DolphinSw {
            Some(last)
        } else {
            backwards
                .map(|bytes| self.normals(bytes))
                .find(|(_, is_there)| *is_there)
                .map(|(normals, _)| normals)
        };
        let Some(normals) = last_there else { return before };
        let mut kept = before;
        for (number, kept) in kept.iter_mut().enumerate() {
            let has = number == 0 || self.vat.has_tangents();
            let stays = self.dialect.is_compiled() && !is_there && number < 2;
            if has && !stays {
                *kept = Some(normals[number]);
            }
        }
        kept
    }
}

/// Bytes with zeros behind.
fn padded(bytes: &[u8]) -> [u8; ELEMENT] {
    let mut all = [0; ELEMENT];
    all[..bytes.len()].copy_from_slice(bytes);
    all
}
