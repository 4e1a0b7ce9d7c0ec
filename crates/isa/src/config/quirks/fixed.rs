//! Hypotheses about the fixed function of NVIDIA's chips. `front/fixed/` implements them.

use super::table::FixedQuirks;
use crate::chip::{Family, Lights, Pipeline};

/// The bits that LT's sums keep below the significand of the greatest addend. The model of Celsius, which its author checked in private,
/// has the default (fixed_function.md 1.5 and 1.6). The other hypotheses use the other sums that are known of these chips.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LightingSums {
    /// Five in the vector unit, none in the scalar units.
    Split,
    /// Five in all units.
    Guarded,
    /// None in any unit. The vector unit adds the first two of three numbers first.
    Unguarded,
    /// All units add as XF does, and drop the bits that LT's numbers lack: 15 more than they have. Infinities keep their sign.
    Wide,
}

/// Lights behind one that is off (fixed_function.md 5.1), on Kelvin and later. On Celsius the list ends there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LightGaps {
    /// They shine.
    Passed,
    /// They are off, too.
    End,
}

impl FixedQuirks {
    /// Whether the quirk with this name can change anything for a fixed function.
    pub fn matters(name: &str, pipeline: Pipeline) -> bool {
        match name {
            "lighting_sums" => pipeline.lights() == Lights::Lt,
            "light_gaps" => pipeline.family() != Family::Celsius,
            _ => false,
        }
    }
}
