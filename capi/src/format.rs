//! Formats of attributes, as a table: a row for each; and widths of indices.

use crate::status::{Failure, argument};
use crate::table::constants;
use xfjit::runtime::format::{ByteOrder, Encoding, Format};
use xfjit::runtime::indices::IndexWidth;

constants! {
    /// The memory format of an attribute's components (xfjit_attribute.format). If an attribute has fewer than four components, the others
    /// come from (0, 0, 0, 1).
    FORMATS: u32;
    /// The attribute has no memory: every vertex gets xfjit_attribute.value.
    XFJIT_FORMAT_NONE = 0;
    /// 32-bit floats, little-endian. All 32 bits are passed on unchanged, so they may hold anything.
    XFJIT_FORMAT_F32 = 1;
    /// Half floats.
    XFJIT_FORMAT_F16 = 2;
    /// Shorts, normalised as the chips do it: (2v + 1) / 65535, truncated.
    XFJIT_FORMAT_S1 = 3;
    /// Shorts as whole numbers.
    XFJIT_FORMAT_S32K = 4;
    /// Bytes, normalised as the chips do it: v / 255, truncated; 255 is 1.0.
    XFJIT_FORMAT_UB_OGL = 5;
    /// The four bytes of a colour, normalised likewise, in the order blue, green, red, alpha.
    XFJIT_FORMAT_UB_D3D = 6;
    /// Bytes as whole numbers.
    XFJIT_FORMAT_UB256 = 7;
    /// Three signed fields of a word, normalised: v / 1023, v / 511. They have 11, 11 and 10 bits, the lowest bits first. Attributes always
    /// have all three. components is 3; the Xbox writes 1, which means the same.
    XFJIT_FORMAT_CMP = 8;
    /// Shorts, normalised as graphics APIs do it: v / 32767, rounded to nearest, at least -1.
    XFJIT_FORMAT_SNORM16 = 9;
    /// Unsigned shorts, normalised: v / 65535.
    XFJIT_FORMAT_UNORM16 = 10;
    /// Unsigned shorts as whole numbers.
    XFJIT_FORMAT_U16 = 11;
    /// Signed bytes, normalised: v / 127, at least -1.
    XFJIT_FORMAT_SNORM8 = 12;
    /// Bytes, normalised as graphics APIs do it: v / 255, rounded to nearest.
    XFJIT_FORMAT_UNORM8 = 13;
    /// Signed bytes as whole numbers.
    XFJIT_FORMAT_S8 = 14;
    /// A 16-bit colour, from the highest bits on: red (5 bits), green (6), blue (5). In this format and all that follow, components are
    /// numbers from 0 to 255. Codes of fewer than eight bits are extended by repeating their bits. Alpha is 255 if the format has none.
    XFJIT_FORMAT_RGB565 = 15;
    /// A 16-bit colour, four bits for each component.
    XFJIT_FORMAT_RGBA4 = 16;
    /// A colour in three bytes, six bits for each component.
    XFJIT_FORMAT_RGBA6 = 17;
    /// A colour in bytes, red first. With three components it has no alpha.
    XFJIT_FORMAT_RGBA8 = 18;
    /// Or-ed to a format: the bytes of each word or short are in big-endian order.
    XFJIT_FORMAT_BIG_ENDIAN = 0x80;
}

/// Bits of the format in what `XFJIT_FORMAT(format, components)` makes; the number of components stands above.
const FORMAT_BITS: u32 = 8;

/// What the codes of a format mean.
const fn encoding(format: u32) -> Option<Encoding> {
    Some(match format {
        XFJIT_FORMAT_F32 => Encoding::Float,
        XFJIT_FORMAT_F16 => Encoding::Half,
        XFJIT_FORMAT_S1 => Encoding::S1,
        XFJIT_FORMAT_S32K => Encoding::S32k,
        XFJIT_FORMAT_UB_OGL => Encoding::UbOgl,
        XFJIT_FORMAT_UB_D3D => Encoding::UbD3d,
        XFJIT_FORMAT_UB256 => Encoding::Ub256,
        XFJIT_FORMAT_CMP => Encoding::Cmp,
        XFJIT_FORMAT_SNORM16 => Encoding::Snorm16,
        XFJIT_FORMAT_UNORM16 => Encoding::Unorm16,
        XFJIT_FORMAT_U16 => Encoding::U16,
        XFJIT_FORMAT_SNORM8 => Encoding::Snorm8,
        XFJIT_FORMAT_UNORM8 => Encoding::Unorm8,
        XFJIT_FORMAT_S8 => Encoding::S8,
        XFJIT_FORMAT_RGB565 => Encoding::Rgb565,
        XFJIT_FORMAT_RGBA4 => Encoding::Rgba4,
        XFJIT_FORMAT_RGBA6 => Encoding::Rgba6,
        XFJIT_FORMAT_RGBA8 => Encoding::Rgba8,
        _ => return None,
    })
}

/// A format with its number of components.
#[inline]
pub(crate) fn format(register: usize, format: u32, components: u32) -> Result<Format, Failure> {
    let big = format & XFJIT_FORMAT_BIG_ENDIAN != 0;
    let Some(encoding) = encoding(format & !XFJIT_FORMAT_BIG_ENDIAN) else {
        return Err(argument(format_args!("attribute v{register}: there is no format {format:#x}")));
    };
    let order = if big == cfg!(target_endian = "big") { ByteOrder::Host } else { ByteOrder::Swapped };
    let format = Format { order, ..Format::host(encoding, u8::try_from(components).unwrap_or(u8::MAX)) };
    if !format.exists() {
        return Err(argument(format_args!(
            "attribute v{register}: the format has {components} components, not {}",
            counts(encoding)
        )));
    }
    Ok(format)
}

/// How many components an encoding has, as a text.
fn counts(encoding: Encoding) -> String {
    match (encoding.least(), encoding.most()) {
        (least, most) if least == most => format!("1, the size of its word, or {most}"),
        (least, most) => format!("{least} to {most}"),
    }
}

/// What `XFJIT_FORMAT(format, components)` has made.
pub(crate) fn unpack(register: usize, packed: u32) -> Result<Format, Failure> {
    format(register, packed & ((1 << FORMAT_BITS) - 1), packed >> FORMAT_BITS)
}

/// How wide indices of so many bytes are.
pub(crate) fn index_width(bytes: u32) -> Result<IndexWidth, Failure> {
    let found =
        [IndexWidth::Half, IndexWidth::Word].into_iter().find(|width| width.bytes() == bytes as usize);
    found.ok_or_else(|| argument(format_args!("index_size is {bytes}, not 2 or 4")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CMP comes with size 1 from the Xbox, and has three components.
    #[test]
    fn a_word_of_three_fields_has_all_of_them() {
        let whole = format(2, XFJIT_FORMAT_CMP, 3).expect("it is one");
        assert_eq!(whole.components, 3);
        assert_eq!(format(2, XFJIT_FORMAT_CMP, 1).expect("it is one"), whole);
        assert_eq!(unpack(2, XFJIT_FORMAT_CMP | 1 << FORMAT_BITS).expect("it is one"), whole);
        for components in [0, 2, 4, 7, 257, u32::MAX] {
            let failure = format(2, XFJIT_FORMAT_CMP, components).expect_err("it is none");
            let text = format!(
                "attribute v2: the format has {components} components, not 1, the size of its word, or 3"
            );
            assert_eq!(failure.text, text);
        }
        let failure = format(2, XFJIT_FORMAT_F32, 5).expect_err("it is none");
        assert_eq!(failure.text, "attribute v2: the format has 5 components, not 1 to 4");
    }

    #[test]
    fn every_encoding_has_a_number() {
        let named: Vec<Encoding> = (0..0x80).filter_map(encoding).collect();
        assert!(Encoding::ALL.iter().all(|encoding| named.contains(encoding)));
        assert_eq!(named.len(), Encoding::ALL.len());
    }
}
