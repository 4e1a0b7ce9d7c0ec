//! Layouts of vertices, as C declares them.

use crate::lent::Lent;
use crate::sized::MOST;
use crate::status::{
    Failure, XFJIT_E_INPUT, XFJIT_E_MEMORY, XFJIT_E_OUTPUT, XFJIT_E_SIZE, XFJIT_E_VERSION, argument,
};
use crate::table::{constants, record};
use xfjit::flipper::{Element, Incomplete, Layout, LayoutError, Source, Stored};

constants! {
    /// A part of a vertex (xfjit_flipper_element.source). Colours and matrix indices are integers, and so are the output channels and the
    /// clip mask. Everything else is floats. Each source has four components; those that it lacks are 0.
    SOURCES: u32;
    /// Inputs of the transform unit begin here. The position: x, y, z.
    XFJIT_FLIPPER_IN_POSITION = 0;
    /// The normal. If a vertex has no normal, tangent or binormal, the last ones that the unit kept are used.
    XFJIT_FLIPPER_IN_NORMAL = 1;
    /// The tangent.
    XFJIT_FLIPPER_IN_TANGENT = 2;
    /// The binormal.
    XFJIT_FLIPPER_IN_BINORMAL = 3;
    /// Colour 0: red, green, blue, alpha, 0 to 255. Colour 1 follows.
    XFJIT_FLIPPER_IN_COLOUR0 = 4;
    /// Texture coordinate 0: s, t. The other seven follow.
    XFJIT_FLIPPER_IN_TEX0 = 6;
    /// The matrix index of the position. Those of eight texture coordinates follow. If the vertex has no index of its own, the command
    /// processor's registers give it.
    XFJIT_FLIPPER_IN_MATRIX0 = 16;
    /// Outputs of the transform unit begin here. The position in clip space: x, y, z, w.
    XFJIT_FLIPPER_OUT_CLIP = 32;
    /// The position on the screen: x, y, z, 1/w.
    XFJIT_FLIPPER_OUT_SCREEN = 33;
    /// The position in eye space: x, y, z, 1.
    XFJIT_FLIPPER_OUT_EYE = 34;
    /// The unit normal.
    XFJIT_FLIPPER_OUT_NORMAL = 35;
    /// The tangent.
    XFJIT_FLIPPER_OUT_TANGENT = 36;
    /// The binormal.
    XFJIT_FLIPPER_OUT_BINORMAL = 37;
    /// Channel 0: red, green, blue, alpha, 0 to 255. Channel 1 follows.
    XFJIT_FLIPPER_OUT_COLOUR0 = 38;
    /// Texture coordinate 0: s, t, q. The other seven follow.
    XFJIT_FLIPPER_OUT_TEX0 = 40;
    /// The clip mask, as one integer.
    XFJIT_FLIPPER_OUT_MASK = 48;
}

constants! {
    /// The type of stored components (xfjit_flipper_element.stored).
    TYPES: u32;
    /// Floats of 32 bits.
    XFJIT_FLIPPER_F32 = 0;
    /// Bytes; only for integers.
    XFJIT_FLIPPER_U8 = 1;
    /// Integers of 32 bits; only for integers.
    XFJIT_FLIPPER_U32 = 2;
}

record! {
    ELEMENT;
    /// An attribute of vertices, in a layout that the caller declares. Numbers have the host's byte order. If elements overlap, the later
    /// one wins.
    struct xfjit_flipper_element {
        /// XFJIT_FLIPPER_IN_* or XFJIT_FLIPPER_OUT_*, plus the number of the colour, texture coordinate or matrix.
        source: u32,
        /// The type of stored components: XFJIT_FLIPPER_F32 ...
        stored: u32,
        /// 1 to 4
        components: u32,
        /// The byte offset of the first vertex's value.
        offset: u32,
        /// Bytes from one vertex to the next.
        stride: u32,
        /// 0
        reserved: u32,
    }
}

fn source(number: u32) -> Option<Source> {
    const MATRIX: u32 = XFJIT_FLIPPER_IN_MATRIX0;
    const OUT: u32 = XFJIT_FLIPPER_OUT_CLIP;
    Some(match number {
        0..MATRIX => Source::Attribute(number as u8),
        MATRIX..OUT => Source::Matrix((number - MATRIX) as u8),
        _ => Source::Output(u8::try_from(number - OUT).ok()?),
    })
}

/// What is wrong with a layout or its memory.
pub(crate) fn refused(error: LayoutError) -> Failure {
    match error {
        LayoutError::Incomplete { .. } => Failure::new(XFJIT_E_INPUT, error),
        LayoutError::Memory { .. } => Failure::new(XFJIT_E_OUTPUT, error),
        _ => argument(error),
    }
}

/// A command that has fewer bytes than its vertices.
pub(crate) fn incomplete(error: Incomplete) -> Failure {
    refused(error.into())
}

/// The layout of so many elements.
pub(crate) fn layout(
    elements: &Lent<'_, xfjit_flipper_element>,
    size: u32,
    count: usize,
) -> Result<Layout, Failure> {
    if count == 0 {
        return Layout::new(&[]).map_err(refused);
    }
    let (size, known) = (size as usize, size_of::<xfjit_flipper_element>());
    if !(known..=MOST).contains(&size) || !size.is_multiple_of(4) {
        let text = format_args!("an element has the size {size}; it must be {known}");
        return Err(Failure::new(XFJIT_E_SIZE, text));
    }
    let words =
        count.checked_mul(size / 4).ok_or_else(|| argument("the elements exceed the address space"))?;
    let elements = elements.words();
    // SAFETY: `count` elements of `size` bytes are there, which are words.
    let words = unsafe { elements.slice(words, "elements") }?;
    let mut all = Vec::new();
    all.try_reserve(count).map_err(|_| Failure::new(XFJIT_E_MEMORY, "not enough memory for the elements"))?;
    for (number, words) in words.chunks(size / 4).enumerate() {
        let &[from, stored, components, offset, stride, reserved, ref unknown @ ..] = words else {
            return Err(argument("an element is incomplete"));
        };
        if reserved != 0 || unknown.iter().any(|&word| word != 0) {
            let text = "elements sets fields that this version of the library does not know";
            return Err(Failure::new(XFJIT_E_VERSION, text));
        }
        let wrong =
            |what: &str, value: u32| argument(format_args!("element {number}: there is no {what} {value}"));
        all.push(Element {
            source: source(from).ok_or_else(|| wrong("source", from))?,
            stored: match stored {
                XFJIT_FLIPPER_F32 => Stored::F32,
                XFJIT_FLIPPER_U8 => Stored::U8,
                XFJIT_FLIPPER_U32 => Stored::U32,
                other => return Err(wrong("type", other)),
            },
            components: u8::try_from(components).unwrap_or(u8::MAX),
            offset: offset as usize,
            stride: stride as usize,
        });
    }
    Layout::new(&all).map_err(refused)
}
