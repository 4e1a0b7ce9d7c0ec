//! Formats of attributes, as a table: a row for each.

use crate::status::{Failure, argument};
use crate::table::constants;
use xfjit::runtime::format::{ByteOrder, Format};

constants! {
    /// How the components of an attribute lie in memory (xfjit_attribute.format). Fewer than four are completed from
    /// (0, 0, 0, 1).
    FORMATS: u32;
    /// There is no memory: every vertex has `value`.
    XFJIT_FORMAT_NONE = 0;
    /// 32-bit floats (or whatever the 32 bits are: they are handed on as they are), little-endian.
    XFJIT_FORMAT_F32 = 1;
    /// Or-ed to a format: the bytes of each component are in the other order, big-endian.
    XFJIT_FORMAT_BIG_ENDIAN = 0x80;
}

/// Bits of the format in what `XFJIT_FORMAT(format, components)` makes; the number of components stands above.
const FORMAT_BITS: u32 = 8;

/// A format with its number of components.
#[inline]
pub(crate) fn format(register: usize, format: u32, components: u32) -> Result<Format, Failure> {
    let big = format & XFJIT_FORMAT_BIG_ENDIAN != 0;
    if format & !XFJIT_FORMAT_BIG_ENDIAN != XFJIT_FORMAT_F32 {
        return Err(argument(format_args!("attribute v{register}: there is no format {format:#x}")));
    }
    if !(1..=4).contains(&components) {
        return Err(argument(format_args!(
            "attribute v{register}: a format of {components} components, not 1 to 4"
        )));
    }
    let order = if big == cfg!(target_endian = "big") { ByteOrder::Host } else { ByteOrder::Swapped };
    Ok(Format { components: components as u8, order })
}

/// What `XFJIT_FORMAT(format, components)` has made.
pub(crate) fn unpack(register: usize, packed: u32) -> Result<Format, Failure> {
    format(register, packed & ((1 << FORMAT_BITS) - 1), packed >> FORMAT_BITS)
}
