//! The formats of attributes: the vertex attribute table. Each draw selects one of eight (flipper.md 1.4).

use super::format::{Colour, Component};
use super::vcd::Attribute;

/// A field of the three words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// 0 is A, 1 is B, 2 is C.
    pub word: usize,
    /// Its lowest bit.
    pub at: u32,
    /// How many it has.
    pub bits: u32,
}

impl Field {
    /// Its bits in its word.
    #[inline]
    pub const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.bits) << self.at
    }
}

macro_rules! fields { ($($constant:ident = $word:literal $at:literal $bits:literal $name:literal;)*) => {
    impl Field {
        $(#[doc = concat!($name, ".")] pub const $constant: Field = Field { name: $name, word: $word, at: $at, bits: $bits };)*
        /// All of them, in order.
        pub const ALL: &[Field] = &[$(Field::$constant),*];
    }
} }

fields! {
    // name           word lowest bit, bits
    POS_COUNT       = 0  0 1 "PosCnt";
    POS_FORMAT      = 0  1 3 "PosFmt";
    POS_SHIFT       = 0  4 5 "PosShift";
    NORMAL_COUNT    = 0  9 1 "NrmCnt";
    NORMAL_FORMAT   = 0 10 3 "NrmFmt";
    COLOUR0_COUNT   = 0 13 1 "Col0Cnt";
    COLOUR0_FORMAT  = 0 14 3 "Col0Fmt";
    COLOUR1_COUNT   = 0 17 1 "Col1Cnt";
    COLOUR1_FORMAT  = 0 18 3 "Col1Fmt";
    TEX0_COUNT      = 0 21 1 "Tex0Cnt";
    TEX0_FORMAT     = 0 22 3 "Tex0Fmt";
    TEX0_SHIFT      = 0 25 5 "Tex0Shift";
    BYTE_DEQUANT    = 0 30 1 "ByteDequant";
    NORMAL_INDEX3   = 0 31 1 "NormalIndex3";
    TEX1_COUNT      = 1  0 1 "Tex1Cnt";
    TEX1_FORMAT     = 1  1 3 "Tex1Fmt";
    TEX1_SHIFT      = 1  4 5 "Tex1Shift";
    TEX2_COUNT      = 1  9 1 "Tex2Cnt";
    TEX2_FORMAT     = 1 10 3 "Tex2Fmt";
    TEX2_SHIFT      = 1 13 5 "Tex2Shift";
    TEX3_COUNT      = 1 18 1 "Tex3Cnt";
    TEX3_FORMAT     = 1 19 3 "Tex3Fmt";
    TEX3_SHIFT      = 1 22 5 "Tex3Shift";
    TEX4_COUNT      = 1 27 1 "Tex4Cnt";
    TEX4_FORMAT     = 1 28 3 "Tex4Fmt";
    CACHE_ENHANCE   = 1 31 1 "VCacheEnhance";
    TEX4_SHIFT      = 2  0 5 "Tex4Shift";
    TEX5_COUNT      = 2  5 1 "Tex5Cnt";
    TEX5_FORMAT     = 2  6 3 "Tex5Fmt";
    TEX5_SHIFT      = 2  9 5 "Tex5Shift";
    TEX6_COUNT      = 2 14 1 "Tex6Cnt";
    TEX6_FORMAT     = 2 15 3 "Tex6Fmt";
    TEX6_SHIFT      = 2 18 5 "Tex6Shift";
    TEX7_COUNT      = 2 23 1 "Tex7Cnt";
    TEX7_FORMAT     = 2 24 3 "Tex7Fmt";
    TEX7_SHIFT      = 2 27 5 "Tex7Shift";
}

/// Count, format and shift of each texture coordinate.
pub const TEXCOORDS: [[Field; 3]; 8] = [
    [Field::TEX0_COUNT, Field::TEX0_FORMAT, Field::TEX0_SHIFT],
    [Field::TEX1_COUNT, Field::TEX1_FORMAT, Field::TEX1_SHIFT],
    [Field::TEX2_COUNT, Field::TEX2_FORMAT, Field::TEX2_SHIFT],
    [Field::TEX3_COUNT, Field::TEX3_FORMAT, Field::TEX3_SHIFT],
    [Field::TEX4_COUNT, Field::TEX4_FORMAT, Field::TEX4_SHIFT],
    [Field::TEX5_COUNT, Field::TEX5_FORMAT, Field::TEX5_SHIFT],
    [Field::TEX6_COUNT, Field::TEX6_FORMAT, Field::TEX6_SHIFT],
    [Field::TEX7_COUNT, Field::TEX7_FORMAT, Field::TEX7_SHIFT],
];

/// Count and format of each colour.
pub const COLOURS: [[Field; 2]; 2] =
    [[Field::COLOUR0_COUNT, Field::COLOUR0_FORMAT], [Field::COLOUR1_COUNT, Field::COLOUR1_FORMAT]];

/// The components of an attribute: their number, their format, and their bits of fraction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Components {
    /// 1, 2, 3 or 9.
    pub count: usize,
    /// The format.
    pub component: Component,
    /// The bits of fraction: for normals from the format, for all others from the table.
    pub shift: u32,
}

/// The three words A, B and C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Vat(pub [u32; 3]);

impl Vat {
    /// A field.
    #[inline]
    pub const fn get(self, field: Field) -> u32 {
        (self.0[field.word] & field.mask()) >> field.at
    }

    /// Returns the table with a new value in a field. Bits that do not fit are dropped.
    #[must_use]
    pub const fn with(mut self, field: Field, value: u32) -> Vat {
        let word = &mut self.0[field.word];
        *word = *word & !field.mask() | value << field.at & field.mask();
        self
    }

    /// The fields that say how many components an attribute has, and of which format.
    const fn count_and_format(attribute: Attribute) -> [Field; 2] {
        match attribute {
            Attribute::Position => [Field::POS_COUNT, Field::POS_FORMAT],
            Attribute::Normal => [Field::NORMAL_COUNT, Field::NORMAL_FORMAT],
            Attribute::Colour(number) => COLOURS[number as usize % 2],
            Attribute::Texcoord(number) => {
                let [count, format, _] = TEXCOORDS[number as usize % 8];
                [count, format]
            }
        }
    }

    /// The components of a position, a normal or a texture coordinate; `None` for a colour.
    #[inline]
    pub const fn components(self, attribute: Attribute) -> Option<Components> {
        let [count, format] = Vat::count_and_format(attribute);
        let (least, step, shift) = match attribute {
            Attribute::Position => (2, 1, Some(Field::POS_SHIFT)),
            Attribute::Normal => (3, 6, None),
            Attribute::Texcoord(number) => (1, 1, Some(TEXCOORDS[number as usize % 8][2])),
            Attribute::Colour(_) => return None,
        };
        let component = Component::from_code(self.get(format));
        let shift = match shift {
            Some(shift) => self.get(shift),
            None => component.normal_shift(),
        };
        Some(Components { count: least + step * self.get(count) as usize, component, shift })
    }

    /// The format of colour 0 or 1. The format decides how many components it has, and the bit next to it is ignored.
    /// UNKNOWN: for one emulator that bit says whether the colour has alpha.
    #[inline]
    pub const fn colour(self, number: usize) -> Colour {
        Colour::from_code(self.get(COLOURS[number % 2][1]))
    }

    /// Whether normals come with tangents and binormals.
    #[inline]
    pub const fn has_tangents(self) -> bool {
        self.get(Field::NORMAL_COUNT) != 0
    }

    /// Whether normal, tangent and binormal each have an index, if they are indexed.
    #[inline]
    pub const fn has_three_indices(self) -> bool {
        self.has_tangents() && self.get(Field::NORMAL_INDEX3) != 0
    }

    /// How many bytes an attribute takes in its array or in the vertex.
    #[inline]
    pub const fn bytes(self, attribute: Attribute) -> usize {
        self.array_bytes(attribute.array())
    }

    /// How many bytes an element of an array takes, by the array's attribute ([`Attribute::array`]).
    ///
    /// # Panics
    /// If there is no such attribute.
    #[inline]
    pub const fn array_bytes(self, array: usize) -> usize {
        let Length { word, at, bytes } = &LENGTHS[array];
        bytes[(self.0[*word] >> *at & 15) as usize] as usize
    }

    /// Bytes of an attribute, as its components have them.
    const fn component_bytes(self, attribute: Attribute) -> usize {
        match (self.components(attribute), attribute) {
            (Some(Components { count, component, .. }), _) => count * component.bytes(),
            (None, Attribute::Colour(number)) => self.colour(number as usize).bytes(),
            (None, _) => 0,
        }
    }
}

/// How many bytes an attribute has, by its count, and its format behind that: four bits.
#[derive(Clone, Copy)]
struct Length {
    word: usize,
    at: u32,
    bytes: [u8; 16],
}

/// Those of all attributes: a vertex is measured each time it is drawn.
static LENGTHS: [Length; Attribute::ALL.len()] = {
    let mut lengths = [Length { word: 0, at: 0, bytes: [0; 16] }; Attribute::ALL.len()];
    let mut number = 0;
    while number < lengths.len() {
        let attribute = Attribute::ALL[number];
        let [count, format] = Vat::count_and_format(attribute);
        let own = &mut lengths[attribute.array()];
        (own.word, own.at) = (count.word, count.at);
        let mut code = 0;
        while code < own.bytes.len() {
            let vat = Vat([0; 3]).with(count, code as u32).with(format, code as u32 >> 1);
            own.bytes[code] = vat.component_bytes(attribute) as u8;
            code += 1;
        }
        number += 1;
    }
    lengths
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_components() {
        let fields: Vec<[Field; 2]> =
            [[Field::POS_COUNT, Field::POS_FORMAT], [Field::NORMAL_COUNT, Field::NORMAL_FORMAT]]
                .into_iter()
                .chain(COLOURS)
                .chain(TEXCOORDS.map(|[count, format, _]| [count, format]))
                .collect();
        for (attribute, [count, format]) in Attribute::ALL.into_iter().zip(fields) {
            assert_eq!((count.word, count.at + 1, count.bits, format.bits), (format.word, format.at, 1, 3));
            for others in [0, u32::MAX] {
                for code in 0..16 {
                    let vat = Vat([others; 3]).with(count, code & 1).with(format, code >> 1);
                    assert_eq!(vat.bytes(attribute), vat.component_bytes(attribute), "{attribute:?} {code}");
                }
            }
        }
    }

    #[test]
    fn every_bit_belongs_to_one_field() {
        let mut seen = [0_u32; 3];
        for field in Field::ALL {
            assert_eq!(seen[field.word] & field.mask(), 0, "{}", field.name);
            seen[field.word] |= field.mask();
        }
        assert_eq!(seen, [u32::MAX; 3]);
        // The masks of fractions as the sources give them.
        let mut shifts = [0; 3];
        let fields = TEXCOORDS.into_iter().map(|[_, _, shift]| shift).chain([Field::POS_SHIFT]);
        fields.for_each(|field| shifts[field.word] |= field.mask());
        assert_eq!(shifts, [0x3e00_01f0, 0x07c3_e1f0, 0xf87c_3e1f]);
    }
}
