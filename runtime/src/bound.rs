//! Streams bound to a call of generated code: the proof that what the code touches is there.
//!
//! A [`Bound`] can only be made from checked streams, and it borrows them; so generated code that keeps to its
//! contract ([`crate::abi::Entry`]) cannot leave them (invariant I10).

use crate::abi::MOST_LANES;
use crate::batch::{Attribute, BLOCK, Inputs, Layout, Outputs, Staging, StreamError, registers};
use crate::state::{Io, Scratch, Stream};
use std::marker::PhantomData;

/// An [`Io`] whose streams are valid for a known number of groups of vertices.
#[derive(Debug)]
pub struct Bound<'a> {
    io: &'a mut Io,
    groups: usize,
    live_inputs: u16,
    live_outputs: u32,
    layout: Layout,
    lanes: usize,
    borrowed: PhantomData<&'a mut [u8]>,
}

impl<'a> Bound<'a> {
    /// Whether generated code can read the attributes in the mask `live` where they are.
    #[inline]
    pub fn is_direct(inputs: &Inputs<'_>, live: u16) -> bool {
        let in_place = |register: usize| match inputs.attributes[register] {
            Attribute::Constant(_) => true,
            Attribute::Stream { components, .. } => components == 4,
        };
        inputs.indices.is_none() && registers(live).all(in_place)
    }

    /// The caller's own streams, for the whole groups of `lanes` vertices of the batch.
    ///
    /// # Errors
    /// Streams that do not hold the batch, see [`Inputs::check`] and [`Outputs::check`].
    ///
    /// # Panics
    /// If the inputs are not direct, or no code has so many lanes: a power of two up to [`MOST_LANES`].
    #[inline]
    pub fn direct(
        io: &'a mut Io,
        scratch: &'a mut Scratch,
        inputs: &'a Inputs<'a>,
        outputs: &'a mut Outputs<'_>,
        live_inputs: u16,
        live_outputs: u32,
        lanes: usize,
    ) -> Result<Self, StreamError> {
        check_lanes(lanes);
        assert!(Self::is_direct(inputs, live_inputs), "indexed or short attributes must be staged");
        inputs.check(live_inputs)?;
        outputs.check(live_outputs, inputs.count)?;
        io.scratch = (&raw mut *scratch).expose_provenance();
        for register in registers(live_inputs) {
            io.input[register] = match &inputs.attributes[register] {
                Attribute::Constant(row) => Stream { base: row.as_ptr().expose_provenance(), stride: 0 },
                Attribute::Stream { data, stride, .. } => {
                    Stream { base: data.as_ptr().expose_provenance(), stride: *stride }
                }
            };
        }
        for register in registers(live_outputs) {
            let place = outputs.places[register].ok_or(StreamError::NoPlace { register })?;
            // In an empty batch the place may be anywhere, and nothing is written there.
            let base = outputs.data.get_mut(place.offset..).unwrap_or_default();
            let base = base.as_mut_ptr().expose_provenance();
            io.output[register] = Stream { base, stride: place.stride };
        }
        let groups = inputs.count >> lanes.trailing_zeros();
        let layout = outputs.layout;
        Ok(Bound { io, groups, live_inputs, live_outputs, layout, lanes, borrowed: PhantomData })
    }

    /// A staging area: all of its vertices, whether they have been loaded or not, in groups of `lanes`.
    ///
    /// # Panics
    /// If no code has so many lanes: a power of two up to [`MOST_LANES`].
    #[inline]
    pub fn staged(
        io: &'a mut Io,
        scratch: &'a mut Scratch,
        staging: &'a mut Staging,
        live_inputs: u16,
        live_outputs: u32,
        layout: Layout,
        lanes: usize,
    ) -> Self {
        check_lanes(lanes);
        io.scratch = (&raw mut *scratch).expose_provenance();
        for register in registers(live_inputs) {
            let base = staging.input[register].as_mut_ptr().expose_provenance();
            io.input[register] = Stream { base, stride: 16 };
        }
        for register in registers(live_outputs) {
            let base = staging.output[register].as_mut_ptr().expose_provenance();
            let stride = if layout == Layout::Rows { 16 } else { 4 * BLOCK };
            io.output[register] = Stream { base, stride };
        }
        let groups = BLOCK >> lanes.trailing_zeros();
        Bound { io, groups, live_inputs, live_outputs, layout, lanes, borrowed: PhantomData }
    }

    /// Groups that the streams hold.
    #[inline]
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Whether the streams serve code that reads and writes the registers in these masks, in this layout, so many
    /// vertices a group.
    #[inline]
    pub fn serves(&self, live_inputs: u16, live_outputs: u32, layout: Layout, lanes: usize) -> bool {
        live_inputs & !self.live_inputs == 0
            && live_outputs & !self.live_outputs == 0
            && layout == self.layout
            && lanes == self.lanes
    }

    /// The raw streams, for the call.
    #[inline]
    pub fn io(&mut self) -> &mut Io {
        self.io
    }
}

/// The scratch memory is made for these, and the staging area holds whole groups of them.
#[inline]
fn check_lanes(lanes: usize) {
    assert!(lanes.is_power_of_two() && lanes <= MOST_LANES, "no code has {lanes} lanes");
}
