//! The size of a vertex, the place of each attribute in it, and the size of the attribute.

use xfjit_isa::chip::flipper::input;
use xfjit_isa::chip::flipper::vat::{Components, Field, Vat};
use xfjit_isa::chip::flipper::vcd::{Attribute, MATRICES, Source, Vcd};
use xfjit_isa::config::Dialect;
use xfjit_runtime::format::Format;

/// The longest vertex: every attribute direct, in its longest format.
pub const LONGEST: usize = 129;

/// How many bytes an attribute takes in the vertex: its value, or its indices.
pub const fn bytes(vcd: Vcd, vat: Vat, attribute: Attribute) -> usize {
    array_bytes(vcd.source(attribute), vat, attribute.array())
}

/// Those of the attribute of an array.
#[inline]
const fn array_bytes(source: Source, vat: Vat, array: usize) -> usize {
    match source {
        Source::Absent => 0,
        Source::Direct => vat.array_bytes(array),
        Source::Index8 | Source::Index16 => {
            let one = if matches!(source, Source::Index8) { 1 } else { 2 };
            one * if array == Attribute::Normal.array() && vat.has_three_indices() { 3 } else { 1 }
        }
    }
}

/// How many bytes a vertex has. UNKNOWN: what the chip does without a position; here the position takes no
/// bytes.
pub fn size(vcd: Vcd, vat: Vat) -> usize {
    vcd.sources().fold(vcd.matrices(), |size, (array, source)| size + array_bytes(source, vat, array))
}

/// The offset of an attribute in a vertex, or of its first index, even if the vertex lacks it.
pub fn offset(vcd: Vcd, vat: Vat, attribute: Attribute) -> usize {
    let before = vcd.attributes().take_while(|&other| other.array() < attribute.array());
    before.fold(vcd.matrices(), |size, attribute| size + bytes(vcd, vat, attribute))
}

/// The offset of a matrix index in a vertex, even if the vertex lacks it.
pub const fn matrix_offset(vcd: Vcd, number: usize) -> usize {
    let number = if number < MATRICES { number } else { MATRICES };
    (vcd.lo & ((1 << number) - 1)).count_ones() as usize
}

/// What the bytes of an attribute are, wherever they lie: elements of one format of the table of encodings, which go to registers that
/// follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    /// That of each.
    pub(super) format: Format,
    /// How many there are: three of a normal with tangent and binormal, else one.
    pub(super) count: usize,
    /// The register of the first ([`input`]).
    pub(super) register: usize,
}

impl Elements {
    /// Those of an attribute.
    pub(super) fn of(vat: Vat, attribute: Attribute, dialect: Dialect) -> Elements {
        let register = match attribute {
            Attribute::Position => input::POSITION,
            Attribute::Normal => input::NORMAL,
            Attribute::Colour(number) => input::COLOUR + usize::from(number),
            Attribute::Texcoord(number) => input::TEXCOORD + usize::from(number),
        };
        let Some(Components { count, component, shift }) = vat.components(attribute) else {
            let format = vat.colour(register - input::COLOUR).format();
            return Elements { format, count: 1, register };
        };
        let fraction = match attribute {
            Attribute::Normal => shift,
            _ => dialect.shift(component, shift, vat.get(Field::BYTE_DEQUANT) != 0),
        };
        // Nine components are three vectors.
        let of_each = if count == 9 { 3 } else { count };
        let format = component.format(of_each as u8, fraction as u8);
        Elements { format, count: count / of_each, register }
    }
}
