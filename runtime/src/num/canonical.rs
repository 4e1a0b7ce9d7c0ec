//! What a program's result looks like to the outside.

use super::bits::is_nan;
use super::{CANONICAL_NAN, Model, Numerics};

/// In the model `ieee` a NaN that leaves the program is the canonical one, whatever its bits were (docs/NUMERICS.md,
/// "Two models"); in the model `hw` bits leave as they are.
#[inline]
pub fn canonical(n: Numerics, x: u32) -> u32 {
    if n.model == Model::Ieee && is_nan(x) { CANONICAL_NAN } else { x }
}
