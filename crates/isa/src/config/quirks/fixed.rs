//! Hypotheses about the fixed function of NVIDIA's chips. `front/fixed/` implements them.

use super::table::FixedQuirks;
use crate::chip::{Family, Lights, Pipeline};
use xfjit_runtime::num::Model;

/// How LT adds. UNKNOWN on Kelvin and Rankine: the model of Celsius, which its author checked in private, has the default (fixed_function.md
/// 1.5 and 1.6). The other hypotheses take other sums that are known of these chips, with all their rules. Under the model `ieee`, and on
/// NV40, XF lights, and this has no effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LightingSums {
    /// The vector unit keeps five guard bits below the significand of the greatest addend, the scalar units keep none.
    Split,
    /// Each unit adds as the vector unit does by default: with five guard bits.
    Guarded,
    /// Each unit adds as the scalar units do by default: without guard bits, and two numbers at a time. Of three numbers the first two are added
    /// first.
    Unguarded,
    /// Each unit adds as XF does, whose numbers have ten bits more, and drops these from the result. Infinities keep their sign.
    Wide,
}

/// Lights behind one that is off. UNKNOWN on silicon (fixed_function.md 5.1). On Celsius the list of lights ends there, whatever this says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LightGaps {
    /// They shine.
    Passed,
    /// They are off, too.
    End,
}

impl FixedQuirks {
    /// Whether the quirk with this name can change anything for a fixed function, under a model.
    pub fn matters(name: &str, pipeline: Pipeline, model: Model) -> bool {
        match name {
            "lighting_sums" => model == Model::Hw && pipeline.lights() == Lights::Lt,
            "light_gaps" => pipeline.family() != Family::Celsius,
            _ => false,
        }
    }
}
