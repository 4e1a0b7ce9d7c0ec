//! Vertices of a draw in place: their formats for generated code, and the batch that it reads.
//!
//! For attributes in the vertex, the stride is the size of a vertex. For the others, the vertex has indices, which are copied into
//! lists. There are two reasons for this: a guest may change its memory while code reads it without another check, and the copy leaves
//! out skipped vertices. Elements are not copied.

use super::command::Draw;
use super::memory::Memory;
use super::plan::{Plan, constant};
use super::registers::Registers;
use xfjit_isa::chip::flipper::vcd::Source;
use xfjit_runtime::batch::{Attribute as Stream, Inputs};
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::indices::{IndexLayout, IndexWidth, Indices, Numbering};
use xfjit_runtime::state::{ATTRIBUTES, Row};

/// Memory for copied parts of a draw: indices, the vertices if some are skipped, and values that are stored
/// elsewhere.
#[derive(Clone, Default, Debug)]
pub struct Copied {
    numbers: Vec<u16>,
    pub(super) bytes: Vec<u8>,
    pub(super) rows: Vec<Row>,
}

/// The numbers of `vertices` of `size` bytes that stand at a place in them.
fn copy_numbers(vertices: &[u8], size: usize, (at, source): (usize, Source), to: &mut [u16]) {
    let numbers = to.iter_mut().zip(vertices.chunks_exact(size));
    if source == Source::Index16 {
        assert!(at + 2 <= size, "a vertex has its indices");
        numbers.for_each(|(to, vertex)| *to = u16::from_be_bytes([vertex[at], vertex[at + 1]]));
    } else {
        assert!(at < size, "a vertex has its indices");
        numbers.for_each(|(to, vertex)| *to = vertex[at].into());
    }
}

/// Whether one of the numbers is all ones.
fn has_ones(numbers: &[u16], source: Source) -> bool {
    let ones = if source == Source::Index16 { u16::MAX } else { u8::MAX.into() };
    // A fold, unlike a search, becomes vector code.
    numbers.iter().fold(0, |a, &b| a.max(b)) == ones
}

impl Plan {
    /// The memory layout of the attributes in a mask, for code that reads them in place.
    pub fn layout(&self, live: u16) -> InputLayout {
        let columns = self.columns.iter().filter(|column| live >> column.register & 1 != 0);
        let (mut layout, mut indices) = (InputLayout::ROWS, IndexLayout::NONE);
        for column in columns {
            layout = layout.with(column.register, column.format());
            if column.source.index_bytes().is_some() {
                indices = indices.with(column.register, Some(IndexWidth::Half));
            }
        }
        layout.indexed(indices)
    }

    /// Lends the vertices of a draw in place, as a batch for code that is made for [`Plan::layout`] of the same mask. If an element
    /// is partly outside memory, the batch is too small and binding refuses it; use [`Plan::fetch`] for such draws, which makes
    /// columns. Attributes that vertices lack are as in [`Fetched::inputs`](super::Fetched::inputs).
    ///
    /// # Panics
    /// If the draw has fewer bytes than its vertices need by this plan.
    pub fn lend<R>(
        &self,
        live: u16,
        (registers, draw, memory): (&Registers, &Draw<'_>, Memory<'_>),
        copied: &mut Copied,
        run: impl FnOnce(&Inputs<'_>) -> R,
    ) -> R {
        let Copied { numbers, bytes, .. } = copied;
        let mut count = usize::from(draw.count);
        let mut vertices = &draw.bytes[..count * self.size];
        // Where each list begins, if others than those before have it.
        let mut lists = [None; ATTRIBUTES];
        let mut places = [(0, Source::Absent); ATTRIBUTES + 1];
        let mut listed = 0;
        for column in self.columns.iter().filter(|column| live >> column.register & 1 != 0) {
            if column.source.index_bytes().is_none() {
                continue;
            }
            let place = (column.at, column.source);
            let known = places[..listed].iter().position(|known| *known == place);
            let list = known.unwrap_or(listed);
            (lists[column.register], places[list]) = (Some(list), place);
            listed = listed.max(list + 1);
        }
        let skip = self.skip.map(|skip| {
            let known = places[..listed].iter().position(|known| *known == skip);
            let list = known.unwrap_or(listed);
            places[list] = skip;
            listed = listed.max(list + 1);
            list
        });
        if numbers.len() < listed * count {
            numbers.resize(listed * count, 0);
        }
        let mut skips = false;
        for (list, &place) in places[..listed].iter().enumerate() {
            let numbers = &mut numbers[list * count..(list + 1) * count];
            copy_numbers(vertices, self.size, place, numbers);
            skips |= skip == Some(list) && has_ones(numbers, place.1);
        }
        if skips {
            self.leave_out(vertices, bytes);
            vertices = bytes;
            count = vertices.len() / self.size;
            for (list, &place) in places[..listed].iter().enumerate() {
                copy_numbers(vertices, self.size, place, &mut numbers[list * count..(list + 1) * count]);
            }
        }
        let mut numberings = [(0, Numbering::Position); ATTRIBUTES];
        let mut numbered = 0;
        let mut inputs = Inputs::new(count);
        inputs.attributes =
            std::array::from_fn(|register| Stream::Constant(constant(&registers.normals, register)));
        for column in self.columns.iter().filter(|column| live >> column.register & 1 != 0) {
            let array = registers.arrays[column.array];
            let (data, stride) = match lists[column.register] {
                None => (vertices.get(column.at..).unwrap_or_default(), self.size),
                Some(list) => {
                    let list = Indices::from(&numbers[list * count..(list + 1) * count]);
                    numberings[numbered] = (column.register, Numbering::List(list));
                    numbered += 1;
                    let (part, base) = memory.window(array.base);
                    let first = base.saturating_add(column.bias) as usize;
                    (part.get(first..).unwrap_or_default(), array.stride as usize)
                }
            };
            inputs.place(column.register, data, stride, column.format());
        }
        if numbered > 0 {
            inputs = inputs.numbered(&numberings[..numbered]);
        }
        run(&inputs)
    }
}
