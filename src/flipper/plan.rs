//! Vertices of a draw as columns: the vertex descriptor and the table of formats are decoded once, and then each attribute is
//! read separately.

use super::column::{Column, Kind, Of};
use super::command::Draw;
use super::memory::Memory;
use super::registers::{Array, NormalCache, Registers};
use super::vertex::{self, Elements};
use std::ops::Range;
use xfjit_isa::chip::flipper::cp::ARRAYS;
use xfjit_isa::chip::flipper::format::Component;
use xfjit_isa::chip::flipper::input;
use xfjit_isa::chip::flipper::vat::{COLOURS, Components, Field, TEXCOORDS, Vat};
use xfjit_isa::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit_isa::config::Dialect;
use xfjit_runtime::batch::{Attribute as Stream, Inputs};
use xfjit_runtime::format::Format;
use xfjit_runtime::state::{ATTRIBUTES, Row};

/// A table of formats without bits that have no effect: if two tables become equal, their vertices are the same. It clears
/// formats of absent attributes, fractions of floats, fields about absent tangents, and unused bits.
#[must_use]
pub fn canonical(vcd: Vcd, vat: Vat, dialect: Dialect) -> Vat {
    let mut kept = Vat::default();
    let keep = |kept: Vat, field: Field| kept.with(field, vat.get(field));
    let mut dequant = false;
    for attribute in vcd.attributes() {
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

/// The steps for each vertex, by a descriptor and a table of formats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    pub(super) size: usize,
    pub(super) columns: Vec<Column>,
    /// Where in a vertex the index is that may leave it out.
    pub(super) skip: Option<(usize, Source)>,
}

/// What vertices that do not have an attribute have in its stead: a normal, a tangent or a binormal that was kept, or zeros.
pub(super) fn constant(normals: &NormalCache, register: usize) -> Row {
    let kept = match register {
        input::NORMAL..=input::BINORMAL => normals[register - input::NORMAL],
        _ => None,
    };
    let [x, y, z] = kept.unwrap_or_default();
    [x, y, z, 0]
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
    /// The number of vertices that have not been skipped.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Forgets all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        (self.count, self.present) = (0, 0);
    }

    /// Gives the vertices an attribute, in rows that are written by `write`.
    pub(super) fn give(&mut self, register: usize, write: impl FnOnce(&mut [Row])) {
        let rows = &mut self.rows[register];
        if rows.len() < self.count {
            rows.resize(self.count, [0; 4]);
        }
        self.present |= 1 << register;
        write(&mut rows[..self.count]);
    }

    /// The attributes that they have, as a mask of registers.
    pub fn present(&self) -> u16 {
        self.present
    }

    /// An attribute of each vertex; empty if the vertices lack it.
    pub fn rows(&self, register: usize) -> &[Row] {
        let has = register < ATTRIBUTES && self.present >> register & 1 != 0;
        if has { &self.rows[register][..self.count] } else { &[] }
    }

    /// A batch of the vertices. If they lack a normal, tangent or binormal, the batch uses the one that the unit has kept;
    /// other missing attributes are zeros.
    pub fn inputs(&self, registers: &Registers) -> Inputs<'_> {
        self.inputs_of(u16::MAX, &registers.normals, 0..self.count)
    }

    /// A batch of some of them as [`Fetched::inputs`] has it, but for registers that a mask does not name, which are of no account.
    pub(super) fn inputs_of(&self, live: u16, normals: &NormalCache, part: Range<usize>) -> Inputs<'_> {
        let mut inputs = Inputs::new(part.len());
        for register in (0..ATTRIBUTES).filter(|register| live >> register & 1 != 0) {
            let stream = match self.present >> register & 1 {
                0 => Stream::Constant(constant(normals, register)),
                _ => Stream::rows(&self.rows[register][part.clone()]),
            };
            inputs.attributes[register] = stream;
        }
        inputs
    }
}

impl Plan {
    /// Makes the plan for a descriptor and a table of formats.
    pub fn new(vcd: Vcd, vat: Vat, dialect: Dialect) -> Plan {
        let mut columns = Vec::with_capacity(ATTRIBUTES);
        if vcd.matrices() > 0 {
            let first = if vcd.has_matrix(0) { 0 } else { 1 };
            let masks = [dialect.matrix_mask(first), dialect.matrix_mask(1)];
            let kind = Kind::Matrices(vcd.matrices() as u8, masks);
            let source = Source::Direct;
            columns.push(Column { register: input::MATRICES, source, at: 0, array: 0, bias: 0, kind });
        }
        for attribute in vcd.attributes() {
            let (source, array) = (vcd.source(attribute), attribute.array());
            let at = vertex::offset(vcd, vat, attribute);
            let Elements { format, count, register } = Elements::of(vat, attribute, dialect);
            let index = if vat.has_three_indices() { source.index_bytes().unwrap_or(0) } else { 0 };
            for vector in 0..count {
                let own = vector * format.bytes();
                let (at, bias) = match source {
                    Source::Direct => (at + own, 0),
                    _ => (at + vector * index, own as u32),
                };
                let kind = Kind::Element(format);
                columns.push(Column { register: register + vector, source, at, array, bias, kind });
            }
        }
        let position = vcd.source(Attribute::Position);
        let skip = position.index_bytes().map(|_| (vertex::offset(vcd, vat, Attribute::Position), position));
        Plan { size: vertex::size(vcd, vat), columns, skip }
    }

    /// Makes a plan for vertices with attributes of any formats of the table of encodings, by their registers, one after the other.
    /// Tests use it to go through the table.
    #[doc(hidden)]
    pub fn of_formats(attributes: &[(usize, Format)]) -> Plan {
        let (mut size, mut columns) = (0, Vec::new());
        for &(register, format) in attributes {
            let (source, kind) = (Source::Direct, Kind::Element(format));
            columns.push(Column { register, source, at: size, array: 0, bias: 0, kind });
            size += format.bytes();
        }
        Plan { size, columns, skip: None }
    }

    /// Reads the vertices of a draw. It reuses the memory of earlier draws.
    pub fn fetch(&self, draw: &Draw<'_>, arrays: &[Array; ARRAYS], memory: Memory<'_>, to: &mut Fetched) {
        self.fetch_live(u16::MAX, draw, arrays, memory, to);
    }

    /// Reads only the attributes of a mask: the others are as if the vertices had none.
    pub(super) fn fetch_live(
        &self,
        live: u16,
        draw: &Draw<'_>,
        arrays: &[Array; ARRAYS],
        memory: Memory<'_>,
        to: &mut Fetched,
    ) {
        to.clear();
        let mut copy = std::mem::take(&mut to.bytes);
        let (vertices, count) = self.staying(draw, &mut copy);
        self.append(live, &Of { vertices, size: self.size, arrays, memory }, count, to);
        to.bytes = copy;
    }

    /// The registers of the attributes that vertices have, as a mask.
    pub(super) fn registers(&self) -> u16 {
        self.columns.iter().fold(0, |mask, column| mask | 1 << column.register)
    }

    /// Whether no vertex of a draw is left out.
    pub(super) fn has_all(&self, draw: &Draw<'_>) -> bool {
        self.skip.is_none() || draw.bytes.chunks_exact(self.size).all(|vertex| self.stays(vertex))
    }

    /// Whether a vertex is not left out.
    fn stays(&self, vertex: &[u8]) -> bool {
        match self.skip {
            Some((at, Source::Index16)) => vertex[at..at + 2] != [0xff; 2],
            Some((at, _)) => vertex[at] != 0xff,
            None => true,
        }
    }

    /// Copies the vertices that stay.
    pub(super) fn leave_out(&self, vertices: &[u8], to: &mut Vec<u8>) {
        to.clear();
        vertices.chunks_exact(self.size).filter(|vertex| self.stays(vertex)).for_each(|vertex| {
            to.extend_from_slice(vertex);
        });
    }

    /// The bytes of the vertices of a draw that stay, and how many these are. They are copied if others do not.
    pub(super) fn staying<'a>(&self, draw: &Draw<'a>, copy: &'a mut Vec<u8>) -> (&'a [u8], usize) {
        let given = usize::from(draw.count);
        let bytes = &draw.bytes[..(given * self.size).min(draw.bytes.len())];
        if self.has_all(draw) {
            // Vertices without bytes are there, too.
            return (bytes, bytes.len().checked_div(self.size).unwrap_or(given));
        }
        self.leave_out(bytes, copy);
        (copy, copy.len() / self.size)
    }

    /// Reads the attributes of a mask of so many vertices. They come behind those that are there, which are of the same plan.
    pub(super) fn append(&self, live: u16, of: &Of<'_>, added: usize, to: &mut Fetched) {
        let first = to.count;
        to.count += added;
        for column in self.columns.iter().filter(|column| live >> column.register & 1 != 0) {
            to.present |= 1 << column.register;
            let rows = &mut to.rows[column.register];
            if rows.len() < to.count {
                rows.resize(to.count, [0; 4]);
            }
            column.fetch(of, &mut rows[first..to.count]);
        }
    }

    /// Whether something of the vertices lies in arrays.
    pub(super) fn has_indices(&self) -> bool {
        self.columns.iter().any(|column| column.source.index_bytes().is_some())
    }

    /// The normals of one vertex, if it has some.
    pub(super) fn normals(&self, of: &Of<'_>) -> NormalCache {
        let mut normals = NormalCache::default();
        for column in &self.columns {
            if let Some(normal) =
                column.register.checked_sub(input::NORMAL).and_then(|which| normals.get_mut(which))
            {
                let mut row = [[0; 4]];
                column.fetch(of, &mut row);
                let [[x, y, z, _]] = row;
                *normal = Some([x, y, z]);
            }
        }
        normals
    }
}
