//! Parts of what Flipper does with a draw, for hosts that do the rest: vertices fetched, vertices transformed, draws that cannot be seen.

use crate::batch::{instances, xfjit_batch};
use crate::export::functions;
use crate::extent::{apart, range_of};
use crate::flipper::{enter, xfjit_flipper};
use crate::flipper_layout::{incomplete, layout, refused, xfjit_flipper_element};
use crate::flipper_run::{command, memory, xfjit_flipper_memory};
use crate::indices::{Lists, Numbers};
use crate::status::{Failure, argument, call, count as counted, xfjit_status};
use crate::streams::arrays;
use crate::table::constants;
use std::ffi::c_void;
use xfjit::chip::flipper::input;
use xfjit::chip::flipper::transform::Vertices;
use xfjit::flipper::{Call, Cull, TransformError};
use xfjit::runtime::batch::Attribute;

constants! {
    /// The faces that the host does not draw (xfjit_flipper_culled), or-ed.
    CULLS: u32;
    /// Triangles that show their front face.
    XFJIT_FLIPPER_CULL_FRONT = 1;
    /// Triangles that show their back face.
    XFJIT_FLIPPER_CULL_BACK = 2;
}

/// Bits of matrix indices.
const MATRICES: u32 = 0x1ff;

functions! {
    FUNCTIONS;
    /// Returns the number of bytes in a vertex of a drawing command (0x80 to 0xbf), given the current registers. Returns 0 on an error, or
    /// if vertices are empty. One thread at a time.
    fn xfjit_flipper_vertex_size(flipper: *mut xfjit_flipper, opcode: u32) -> usize {
        counted(|| {
            let state = enter(&flipper)?;
            Ok(state.unit.vertex_size(command(opcode, 0)?.0))
        })
    }
    /// Reads the vertices of a drawing command and stores them as they are before the transform unit, as a vertex loader does. All elements
    /// (see xfjit_flipper_set_layout) must be inputs (XFJIT_FLIPPER_IN). They are relative to `data`. Its data_size bytes must hold `count`
    /// vertices (otherwise XFJIT_E_OUTPUT), and must not overlap memory that the call reads. Bytes that no element covers stay unchanged.
    /// `stored`, which may be null, becomes the number of stored vertices; it excludes vertices that are left out. The unit keeps normals
    /// as after a draw. Returns XFJIT_E_INPUT if bytes of the command are missing. One thread at a time.
    fn xfjit_flipper_fetch(flipper: *mut xfjit_flipper, opcode: u32, count: u32, bytes: *const c_void, size: usize, memory: *const xfjit_flipper_memory, elements: *const xfjit_flipper_element, element_size: u32, element_count: usize, data: *mut c_void, data_size: usize, stored: *mut u32) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let (opcode, count) = command(opcode, count)?;
            let layout = layout(&elements, element_size, element_count)?;
            let bytes = bytes.bytes();
            // SAFETY: `size` bytes are at `bytes`.
            let bytes = unsafe { bytes.slice(size, "bytes") }?;
            let mut other = None;
            let memory = self::memory(&memory, &mut other)?;
            if !stored.is_null() {
                stored.check("stored")?;
            }
            let written = crate::extent::extent(data.as_ptr().cast::<u8>(), data_size, "data")?;
            apart(&written, "data", &range_of(bytes), "bytes")?;
            for part in memory.windows() {
                apart(&written, "data", &range_of(part), "memory")?;
            }
            // SAFETY: `data_size` bytes are at `data`, which are apart from all that is read.
            let data = unsafe { data.bytes().slice(data_size, "data") }?;
            let call = Call { opcode, count, bytes, memory };
            let fetched = state.unit.fetch(&call, &layout, data).map_err(refused)?;
            if !stored.is_null() {
                // SAFETY: there is room for one at `stored`.
                unsafe { stored.slice(1, "stored") }?.fill(fetched as u32);
            }
            Ok(())
        })
    }
    /// Transforms vertices from arrays with the words of the unit, and stores the results. The call uses the vertices, indices and
    /// attributes of the batch. Attributes: 0 position, 1 normal, 2 tangent, 3 binormal, 4 and 5 colours as numbers from 0 to 255
    /// (XFJIT_FORMAT_RGBA8, XFJIT_FORMAT_UB256), 6 to 13 texture coordinates, 14 matrix indices. Matrix indices are 1 to 3 floats that hold
    /// one byte for each bit of `matrices`, the lowest bit first; bit 0 is the position's, bits 1 to 8 are those of the texture
    /// coordinates. Vertices have those colours that have memory. Other attributes without memory have their `value`. Instances and the
    /// restart index are not supported. All elements are outputs; `data` is as for xfjit_flipper_fetch. The unit does not change. One
    /// thread at a time.
    fn xfjit_flipper_transform(flipper: *mut xfjit_flipper, batch: *const xfjit_batch, matrices: u32, elements: *const xfjit_flipper_element, element_size: u32, element_count: usize, data: *mut c_void, data_size: usize) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let layout = layout(&elements, element_size, element_count)?;
            if matrices & !MATRICES != 0 {
                return Err(argument(format_args!("matrices is {matrices:#x}; only nine bits are allowed")));
            }
            let (mut other, mut lists) = (None, Lists::default());
            let batch = batch.borrow(&mut other)?;
            let numbers = Numbers::of(batch, &mut lists, None)?;
            if numbers.has_restarts || instances(batch)? != (1, 0) {
                return Err(argument("Flipper does not support instances or a restart index"));
            }
            let (mut inputs, given) = arrays(batch, &numbers, (0, 0), u16::MAX)?;
            let written = crate::extent::extent(data.as_ptr().cast::<u8>(), data_size, "data")?;
            apart(&written, "data", &numbers.read, "indices")?;
            for register in 0..inputs.attributes.len() {
                match inputs.attributes[register] {
                    Attribute::Stream { data, .. } if given >> register & 1 != 0 => {
                        apart(&written, "data", &range_of(data), "an attribute")?;
                    }
                    _ => {
                        let value = batch.attribute(register)?.map_or([0; 4], |attribute| attribute.value);
                        inputs.attributes[register] = Attribute::Constant(value);
                    }
                }
            }
            inputs.indices = numbers.indices(&lists, 0..numbers.count);
            let has = |register: usize| given >> register & 1 != 0;
            let colours = [has(input::COLOUR), has(input::COLOUR + 1)];
            let vertices = Vertices { matrices: matrices as u16, colours };
            // SAFETY: `data_size` bytes are at `data`, which are apart from all that is read.
            let data = unsafe { data.bytes().slice(data_size, "data") }?;
            let transformed = state.unit.transform(vertices, &inputs, &layout, data);
            transformed.map_err(|error| match error {
                TransformError::Stream(error) => Failure::from(error),
                TransformError::Layout(error) => refused(error),
            })
        })
    }
    /// Says whether a drawing command shows nothing. `culled` becomes 1 if each of its triangles is rejected or shows a face in `faces`
    /// (XFJIT_FLIPPER_CULL_FRONT, XFJIT_FLIPPER_CULL_BACK); otherwise it becomes 0. Lines and points have a width, so they count as visible
    /// if there are any vertices. The unit does not change. Everything else is as for xfjit_flipper_draw. One thread at a time.
    fn xfjit_flipper_culled(flipper: *mut xfjit_flipper, opcode: u32, count: u32, bytes: *const c_void, size: usize, memory: *const xfjit_flipper_memory, faces: u32, culled: *mut i32) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let (opcode, count) = command(opcode, count)?;
            if faces & !(XFJIT_FLIPPER_CULL_FRONT | XFJIT_FLIPPER_CULL_BACK) != 0 {
                return Err(argument(format_args!("there are no faces {faces:#x}")));
            }
            culled.check("culled")?;
            let bytes = bytes.bytes();
            // SAFETY: `size` bytes are at `bytes`.
            let bytes = unsafe { bytes.slice(size, "bytes") }?;
            let mut other = None;
            let memory = self::memory(&memory, &mut other)?;
            let cull = Cull {
                front: faces & XFJIT_FLIPPER_CULL_FRONT != 0,
                back: faces & XFJIT_FLIPPER_CULL_BACK != 0,
            };
            let hidden = state.unit.is_culled(&Call { opcode, count, bytes, memory }, cull).map_err(incomplete)?;
            // SAFETY: there is room for one at `culled`.
            unsafe { culled.slice(1, "culled") }?.fill(hidden.into());
            Ok(())
        })
    }
}
