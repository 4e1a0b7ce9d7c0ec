//! Vertices copied out of the caller's streams, a block at a time.

use crate::batch::{Attribute, Inputs};
use crate::bound::Bound;
pub use crate::call::BLOCK;
use crate::call::{Call, NumberedCall, POSITIONS, Streams};
use crate::encoding::Encoding;
use crate::format::ByteOrder;
use crate::outputs::Layout;
use crate::registers::{ATTRIBUTES, OUTPUTS, Row, read_row, registers};
use crate::state::{Io, Scratch, Stream};
use std::ops::Range;

/// A float4 row for each vertex of a block; or four planes of [`BLOCK`] words.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Rows(pub [Row; BLOCK]);

/// A block of vertices copied out of the caller's streams, and room for as many outputs. Both are made where they stay: the stack of a guest's
/// thread may have no room for them.
#[derive(Clone, Debug)]
pub struct Staging {
    /// Of each attribute.
    pub input: Vec<Rows>,
    /// Of each output register.
    pub output: Vec<Rows>,
    /// The streams of all registers, and what they are those of: an area at this address, with this layout of outputs.
    io: Io,
    laid_out: Option<(usize, Layout)>,
}

impl Staging {
    /// An empty area.
    pub fn new() -> Box<Self> {
        Box::new(Staging {
            input: vec![Rows([[0; 4]; BLOCK]); ATTRIBUTES],
            output: vec![Rows([[0; 4]; BLOCK]); OUTPUTS],
            io: Io::new(),
            laid_out: None,
        })
    }

    /// The streams of all registers, for code with this layout of outputs; made when the layout is another than before.
    #[inline]
    pub(crate) fn streams(&mut self, layout: Layout) -> &mut Io {
        let address = self.input.as_mut_ptr().expose_provenance();
        if self.laid_out != Some((address, layout)) {
            self.lay_out(address, layout);
        }
        &mut self.io
    }

    #[cold]
    fn lay_out(&mut self, address: usize, layout: Layout) {
        let output = self.output.as_mut_ptr().expose_provenance();
        for (register, stream) in self.io.input.iter_mut().enumerate() {
            *stream = Stream { base: address + register * size_of::<Rows>(), stride: size_of::<Row>() };
        }
        let stride = if layout == Layout::Rows { size_of::<Row>() } else { BLOCK * size_of::<u32>() };
        for (register, stream) in self.io.output.iter_mut().enumerate() {
            *stream = Stream { base: output + register * size_of::<Rows>(), stride };
        }
        self.laid_out = Some((address, layout));
    }

    /// Copies attributes of `count` vertices from `position` on for a call, as its layout has them.
    ///
    /// # Panics
    /// If the batch has not been checked, or the vertices are more than [`BLOCK`].
    pub fn load(&mut self, inputs: &Inputs<'_>, call: &Call, position: usize, count: usize) {
        for register in registers(call.live_inputs) {
            let rows = &mut self.input[register].0[..count];
            let layout = &call.input_layout;
            if layout.format(register).encoding != Encoding::Float {
                for (i, row) in rows.iter_mut().enumerate() {
                    *row = inputs.fetch_stored(register, position + i, layout);
                }
                continue;
            }
            match inputs.attributes[register] {
                Attribute::Constant(row) => rows.fill(row),
                Attribute::Stream { data, stride, components: 4 }
                    if inputs.is_plain(register) && inputs.is_sequential(register) =>
                {
                    copy_rows(data, position * stride, stride, rows);
                }
                Attribute::Stream { .. } => {
                    for (i, row) in rows.iter_mut().enumerate() {
                        *row = inputs.fetch(register, position + i);
                    }
                }
            }
            if layout.format(register).order == ByteOrder::Swapped {
                rows.iter_mut().for_each(|row| *row = layout.stored(register, *row));
            }
        }
    }

    /// Copies the outputs in the mask `live` of some of its vertices to where the batch has them; its vertex 0 stands at batch position
    /// `position`. Outputs that the batch keeps stay unchanged.
    ///
    /// # Panics
    /// If the batch, or the area, does not hold the vertices.
    pub fn store(&self, bound: &Bound<'_>, live: u32, position: usize, vertices: Range<usize>) {
        let outputs = bound.outputs();
        for register in registers(live & bound.stored()) {
            let Some(output) = outputs.register(register) else { continue };
            let mask = bound.mask(register);
            match outputs.layout() {
                Layout::Rows if mask == 15 => {
                    output.put_rows(position + vertices.start, &self.output[register].0[vertices.clone()]);
                }
                Layout::Rows => {
                    for (i, &row) in self.output[register].0[vertices.clone()].iter().enumerate() {
                        output.store(Layout::Rows, position + vertices.start + i, row, mask);
                    }
                }
                Layout::Planes => {
                    let planes: &[[u32; BLOCK]; 4] = bytemuck::cast_ref(&self.output[register].0);
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
    pub fn staged(scratch: &'a mut Scratch, staging: &'a mut Staging, call: &'a NumberedCall) -> Self {
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

/// Copies rows that are `stride` bytes apart.
#[inline]
fn copy_rows(data: &[u8], at: usize, stride: usize, rows: &mut [Row]) {
    for (number, row) in rows.iter_mut().enumerate() {
        *row = read_row(data, at + number * stride);
    }
}
