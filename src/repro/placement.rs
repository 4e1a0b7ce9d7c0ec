//! Where a batch puts what comes out of it.

use xfjit_runtime::batch::{Layout, Place};
use xfjit_runtime::state::{OUTPUTS, Row};

/// Where the outputs of a batch lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// How each place is laid out.
    pub layout: Layout,
    /// Where each register goes.
    pub places: [Option<Place>; OUTPUTS],
    /// Vertices.
    pub count: usize,
}

impl Placement {
    /// The bytes of one component of an output.
    pub(super) fn at(&self, place: Place, position: usize, component: usize) -> usize {
        place.offset
            + match self.layout {
                Layout::Rows => position * place.stride + 4 * component,
                Layout::Planes => component * place.stride + 4 * position,
            }
    }

    /// One output of one vertex, out of a batch's output memory.
    pub fn row(&self, data: &[u8], register: usize, position: usize) -> Option<Row> {
        let place = self.places[register]?;
        let mut row = [0; 4];
        for (c, word) in row.iter_mut().enumerate() {
            let at = self.at(place, position, c);
            *word = u32::from_ne_bytes(data.get(at..at + 4)?.try_into().ok()?);
        }
        Some(row)
    }
}
