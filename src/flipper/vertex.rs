//! How long a vertex is, and where in it an attribute is.

use crate::chip::flipper::vat::Vat;
use crate::chip::flipper::vcd::{Attribute, MATRICES, Source, Vcd};

/// The longest vertex: every attribute direct, in its longest format.
pub const LONGEST: usize = 129;

/// Bytes of an attribute in the vertex: its own, or its indices'.
pub const fn bytes(vcd: Vcd, vat: Vat, attribute: Attribute) -> usize {
    match vcd.source(attribute) {
        Source::Absent => 0,
        Source::Direct => vat.bytes(attribute),
        source @ (Source::Index8 | Source::Index16) => {
            let one = if matches!(source, Source::Index8) { 1 } else { 2 };
            one * if matches!(attribute, Attribute::Normal) && vat.has_three_indices() { 3 } else { 1 }
        }
    }
}

/// Bytes of a vertex. UNKNOWN: what the chip does without a position; here it has no bytes of one.
pub fn size(vcd: Vcd, vat: Vat) -> usize {
    Attribute::ALL.iter().fold(vcd.matrices(), |size, &attribute| size + bytes(vcd, vat, attribute))
}

/// Where in a vertex an attribute is, or its first index, whether it has it or not.
pub fn offset(vcd: Vcd, vat: Vat, attribute: Attribute) -> usize {
    let before = Attribute::ALL.iter().take_while(|&&other| other != attribute);
    before.fold(vcd.matrices(), |size, &attribute| size + bytes(vcd, vat, attribute))
}

/// Where in a vertex a matrix index is, whether it has it or not.
pub const fn matrix_offset(vcd: Vcd, number: usize) -> usize {
    let number = if number < MATRICES { number } else { MATRICES };
    (vcd.lo & ((1 << number) - 1)).count_ones() as usize
}
