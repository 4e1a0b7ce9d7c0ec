//! The canonical form of NaNs in outputs.

use super::bits::is_nan;
use super::{CANONICAL_NAN, Model, Numerics};

/// In the model `ieee` a NaN in an output becomes the canonical one (docs/NUMERICS.md, "Two models"); in the model `hw`
/// output bits are unchanged.
#[inline]
pub fn canonical(n: Numerics, x: u32) -> u32 {
    if n.model == Model::Ieee && is_nan(x) { CANONICAL_NAN } else { x }
}
