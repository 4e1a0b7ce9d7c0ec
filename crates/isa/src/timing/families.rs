//! The values of the table for one chip.

use super::parameters::PARAMETERS;
use super::values::Values;
use crate::chip::Family;

/// The parameters of a vertex unit. Chips run programs from Kelvin on; Celsius has the fixed function alone, and how that takes its
/// steps is not known.
pub type Timing = Values;

impl Values {
    /// The vertex units of a family, as far as documents go.
    pub fn of(family: Family) -> Timing {
        Values::new(PARAMETERS, Some(family))
    }

    /// With so many vertices at a time, each with registers, and twice as many buffers at least, as the chips have.
    #[must_use]
    pub fn with_vertices(self, count: u16) -> Timing {
        let mut timing = self.with("vertices", count).with("registers", count);
        for kind in ["ibuf", "tbuf", "wbuf", "vbuf", "ubuf"] {
            let buffers = timing.get(kind).unwrap_or(0).max(count.saturating_mul(2));
            timing = timing.with(kind, buffers);
        }
        timing
    }
}
