//! Vertices copied out of the caller's streams, a block at a time.

use crate::batch::{Attribute, Inputs};
use crate::bound::Bound;
pub use crate::call::BLOCK;
use crate::call::{Call, POSITIONS, Streams};
use crate::encoding::Encoding;
use crate::format::ByteOrder;
use crate::outputs::Layout;
use crate::registers::{ATTRIBUTES, OUTPUTS, Row, read_row, registers};
use crate::state::{Io, Scratch, Stream};
use memoffset::offset_of;
use std::ops::Range;

/// Vertices of the groups that most code has.
const GROUP: usize = 4;

/// A block of vertices copied out of the caller's streams, and room for as many outputs.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Staging {
    /// Per attribute, a float4 row per vertex.
    pub input: [[Row; BLOCK]; ATTRIBUTES],
    /// Per output register, a float4 row per vertex; or four planes of [`BLOCK`] words.
    pub output: [[Row; BLOCK]; OUTPUTS],
    /// The streams of all registers, and what they are those of: an area at this address, with this layout of outputs.
    io: Io,
    laid_out: Option<(usize, Layout)>,
}

impl Staging {
    /// An empty area.
    pub fn new() -> Box<Self> {
        Box::new(Staging {
            input: [[[0; 4]; BLOCK]; ATTRIBUTES],
            output: [[[0; 4]; BLOCK]; OUTPUTS],
            io: Io::new(),
            laid_out: None,
        })
    }

    /// The streams of all registers, for code with this layout of outputs; made when the layout is another than before.
    #[inline]
    pub(crate) fn streams(&mut self, layout: Layout) -> &mut Io {
        let address = (&raw mut *self).expose_provenance();
        if self.laid_out != Some((address, layout)) {
            self.lay_out(address, layout);
        }
        &mut self.io
    }

    #[cold]
    fn lay_out(&mut self, address: usize, layout: Layout) {
        let place = |offset: usize, register: usize| address + offset + register * size_of::<[Row; BLOCK]>();
        for (register, stream) in self.io.input.iter_mut().enumerate() {
            *stream = Stream { base: place(offset_of!(Staging, input), register), stride: size_of::<Row>() };
        }
        let stride = if layout == Layout::Rows { size_of::<Row>() } else { BLOCK * size_of::<u32>() };
        for (register, stream) in self.io.output.iter_mut().enumerate() {
            *stream = Stream { base: place(offset_of!(Staging, output), register), stride };
        }
        self.laid_out = Some((address, layout));
    }

    /// [`Staging::load`] for vertices of a batch that has been bound.
    ///
    /// # Panics
    /// As there, or if the batch has not so many vertices.
    #[inline]
    pub fn load_bound(&mut self, bound: &Bound<'_>, call: &Call, position: usize, count: usize) {
        match bound.input_rows(call) {
            Some(io) if call.lanes == GROUP && count <= GROUP => {
                let is_there =
                    count > 0 && position.checked_add(count).is_some_and(|end| end <= bound.count());
                assert!(is_there, "a batch without these vertices");
                self.load_group(io, call.live_inputs, position, count);
            }
            _ => self.load(bound.inputs(), call, position, count),
        }
    }

    /// Loads one group, which mostly is a call of few vertices: so nothing is asked for each of them.
    #[expect(unsafe_code, reason = "the batch is bound, so the rows are there")]
    #[inline]
    fn load_group(&mut self, io: &Io, live: u16, position: usize, count: usize) {
        // Where there is no further vertex, the step to it is none.
        let is_more: [usize; GROUP] =
            std::array::from_fn(|lane| if lane + 1 < count { usize::MAX } else { 0 });
        for register in registers(live) {
            let stream = &io.input[register];
            let mut at = stream.base + position * stream.stride;
            for (row, is_more) in self.input[register].iter_mut().zip(is_more) {
                // SAFETY: the stream has been found to hold a row for each vertex of the batch, of which this is one, and it is
                // borrowed.
                *row = unsafe { std::ptr::with_exposed_provenance::<Row>(at).read_unaligned() };
                at += stream.stride & is_more;
            }
        }
    }

    /// Copies attributes of `count` vertices from `position` on for a call, as its layout has them, and pads to whole
    /// groups with the last one, if the code has no others.
    ///
    /// # Panics
    /// If the batch has not been checked, there is no vertex to copy, or the padded vertices are more than [`BLOCK`].
    #[inline]
    pub fn load(&mut self, inputs: &Inputs<'_>, call: &Call, position: usize, count: usize) {
        let padded = if call.has_tails { count } else { count.next_multiple_of(call.lanes) };
        if call.input_layout.is_rows() && inputs.are_rows(call.live_inputs) {
            self.load_rows(inputs, call.live_inputs, position, count, padded);
            return;
        }
        for register in registers(call.live_inputs) {
            let rows = &mut self.input[register][..padded];
            let layout = &call.input_layout;
            if layout.format(register).encoding != Encoding::Float {
                for (i, row) in rows.iter_mut().enumerate() {
                    *row = inputs.fetch_stored(register, position + i.min(count - 1), layout);
                }
                continue;
            }
            match inputs.attributes[register] {
                Attribute::Constant(row) => rows.fill(row),
                Attribute::Stream { data, stride, components: 4 }
                    if inputs.is_plain(register) && inputs.is_sequential(register) =>
                {
                    copy_rows(data, position * stride, stride, count, rows);
                }
                Attribute::Stream { .. } => {
                    for (i, row) in rows.iter_mut().enumerate() {
                        *row = inputs.fetch(register, position + i.min(count - 1));
                    }
                }
            }
            if layout.format(register).order == ByteOrder::Swapped {
                rows.iter_mut().for_each(|row| *row = layout.stored(register, *row));
            }
        }
    }

    /// Loads what has not to be looked for or converted: most batches of less than a group are such.
    #[inline]
    fn load_rows(&mut self, inputs: &Inputs<'_>, live: u16, position: usize, count: usize, padded: usize) {
        for register in registers(live) {
            let rows = &mut self.input[register][..padded];
            match &inputs.attributes[register] {
                Attribute::Constant(row) => rows.fill(*row),
                Attribute::Stream { data, stride, components: 4 } => {
                    copy_rows(data, position * stride, *stride, count, rows);
                }
                Attribute::Stream { .. } => {
                    for (i, row) in rows.iter_mut().enumerate() {
                        *row = inputs.fetch(register, position + i.min(count - 1));
                    }
                }
            }
        }
    }

    /// Copies the outputs in the mask `live` of some of its vertices to where the batch has them; its vertex 0 stands at
    /// batch position `position`. What the batch keeps is left as it is.
    ///
    /// # Panics
    /// If the batch, or the area, does not hold the vertices.
    #[inline]
    pub fn store(&self, bound: &Bound<'_>, live: u32, position: usize, vertices: Range<usize>) {
        match bound.output_rows() {
            Some(io) if vertices.end <= GROUP => {
                let end = position.checked_add(vertices.end);
                assert!(end.is_some_and(|end| end <= bound.count()), "a batch without these vertices");
                self.store_group(io, live & bound.stored(), position, vertices);
            }
            _ => self.store_some(bound, live, position, vertices),
        }
    }

    /// Stores one group, of which all components are stored.
    #[expect(unsafe_code, reason = "the batch is bound, so the rows are there")]
    #[inline]
    fn store_group(&self, io: &Io, live: u32, position: usize, vertices: Range<usize>) {
        for register in registers(live) {
            let stream = &io.output[register];
            let mut at = stream.base + (position + vertices.start) * stream.stride;
            for row in &self.output[register][vertices.clone()] {
                // SAFETY: the stream has been found to have room for a row of each vertex of the batch, of which this is one, and
                // it is borrowed. Nobody else looks at it meanwhile.
                unsafe { std::ptr::with_exposed_provenance_mut::<Row>(at).write_unaligned(*row) };
                at += stream.stride;
            }
        }
    }

    fn store_some(&self, bound: &Bound<'_>, live: u32, position: usize, vertices: Range<usize>) {
        let outputs = bound.outputs();
        for register in registers(live & bound.stored()) {
            let Some(output) = outputs.register(register) else { continue };
            let mask = bound.mask(register);
            match outputs.layout() {
                Layout::Rows if mask == 15 => {
                    output.put_rows(position + vertices.start, &self.output[register][vertices.clone()]);
                }
                Layout::Rows => {
                    for (i, &row) in self.output[register][vertices.clone()].iter().enumerate() {
                        output.store(Layout::Rows, position + vertices.start + i, row, mask);
                    }
                }
                Layout::Planes => {
                    let planes: &[[u32; BLOCK]; 4] = bytemuck::cast_ref(&self.output[register]);
                    for (c, plane) in planes.iter().enumerate().filter(|&(c, _)| mask >> c & 1 != 0) {
                        let at = output.at(Layout::Planes, position + vertices.start, c);
                        output.put(at, &plane[vertices.clone()]);
                    }
                }
            }
        }
    }
}

impl<'a> Streams<'a> {
    /// A staging area: all of its vertices, whether they have been loaded or not.
    #[inline]
    pub fn staged(scratch: &'a mut Scratch, staging: &'a mut Staging, call: &'a Call) -> Self {
        let io = staging.streams(call.layout);
        io.scratch = (&raw mut *scratch).expose_provenance();
        let indices = call.input_layout.indices();
        if !indices.is_none() {
            for (list, width) in registers(call.live_inputs).filter_map(|v| indices.of(v).list(v)) {
                io.index[list] = POSITIONS.address(width);
            }
        }
        Streams { io, count: BLOCK, call }
    }
}

/// Copies `count` rows that are `stride` bytes apart, and the last one for the others.
#[inline]
fn copy_rows(data: &[u8], mut at: usize, stride: usize, count: usize, rows: &mut [Row]) {
    let (rows, padding) = rows.split_at_mut(count);
    let mut last = [0; 4];
    for row in rows {
        last = read_row(data, at);
        at += stride;
        *row = last;
    }
    padding.iter_mut().for_each(|row| *row = last);
}
