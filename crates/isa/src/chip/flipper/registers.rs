//! Addresses of the transform unit and the fields of its registers (flipper.md 2).

use std::ops::Range;

/// Rows of position and texture matrices, four words each: 64.
pub const POSITION_MATRICES: Range<u16> = 0x000..0x100;
/// Rows of normal matrices, three words each: 32.
pub const NORMAL_MATRICES: Range<u16> = 0x400..0x460;
/// Rows of post matrices, four words each: 64.
pub const POST_MATRICES: Range<u16> = 0x500..0x600;
/// Eight lights of sixteen words.
pub const LIGHTS: Range<u16> = 0x600..0x680;
/// Where registers begin; everything below is memory.
pub const REGISTERS: u16 = 0x1000;
/// The end. Words at this address and above are dropped.
pub const END: u16 = 0x1058;

/// Words of a light.
pub const LIGHT_WORDS: u16 = 16;
/// Offsets in the words of a light: colour, three coefficients of the angle, three of the distance, position,
/// direction.
pub const LIGHT_COLOUR: u16 = 3;
/// See [`LIGHT_COLOUR`].
pub const LIGHT_ANGLE: u16 = 4;
/// See [`LIGHT_COLOUR`].
pub const LIGHT_DISTANCE: u16 = 7;
/// See [`LIGHT_COLOUR`].
pub const LIGHT_POSITION: u16 = 10;
/// See [`LIGHT_COLOUR`].
pub const LIGHT_DIRECTION: u16 = 13;

/// A part of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its lowest bit.
    pub shift: u32,
    /// How many bits it has.
    pub bits: u32,
}

impl Field {
    /// The value of the field in a register's word.
    pub const fn of(self, word: u32) -> u32 {
        word >> self.shift & self.mask()
    }

    /// The register's word with a new value in the field. Bits that do not fit are dropped.
    #[must_use]
    pub const fn set(self, word: u32, value: u32) -> u32 {
        word & !(self.mask() << self.shift) | (value & self.mask()) << self.shift
    }

    const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }
}

/// A register, or several consecutive registers of one form.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// Its name.
    pub name: &'static str,
    /// The address of the first.
    pub address: u16,
    /// How many there are.
    pub count: u16,
    /// Its fields, lowest first. A register that holds one number has none.
    pub fields: &'static [Field],
}

impl Register {
    /// The register at an address, and its position among those of its form.
    pub fn at(address: u16) -> Option<(&'static Register, u16)> {
        let register = ALL.iter().find(|r| (r.address..r.address + r.count).contains(&address))?;
        Some((register, address - register.address))
    }
}

macro_rules! registers { ($(
    $(#[doc = $doc:literal])*
    $name:ident $text:literal = $address:literal, $count:literal {
        $($(#[doc = $field_doc:literal])* $field:ident $field_text:literal = $shift:literal, $bits:literal;)*
    }
)*) => {
    $(
        $(#[doc = $doc])*
        pub const $name: u16 = $address;
        $($(#[doc = $field_doc])* pub const $field: Field = Field { name: $field_text, shift: $shift, bits: $bits };)*
    )*

    /// Every register whose meaning is known.
    pub const ALL: &[Register] = &[$(Register {
        name: $text,
        address: $address,
        count: $count,
        fields: &[$($field),*],
    }),*];
} }

registers! {
    /// Clipping; has no influence on vertices.
    CLIP_DISABLE "clip_disable" = 0x1005, 1 {
        /// No clipping.
        CLIP_OFF "clipping" = 0, 1;
        /// No trivial rejection.
        REJECT_OFF "rejection" = 1, 1;
        /// No acceleration of clipping.
        CPOLY_OFF "cpoly" = 2, 1;
    }
    /// What vertices hold, which must agree with VCD: the console hangs otherwise.
    VERTEX_SPEC "invtxspec" = 0x1008, 1 {
        /// Colours, 0..=2.
        SPEC_COLOURS "colours" = 0, 2;
        /// Normals: none, the normal, all three; 3 is as 2 (a console showed it).
        SPEC_NORMALS "normals" = 2, 2;
        /// Texture coordinates, 0..=8.
        SPEC_TEXCOORDS "texcoords" = 4, 4;
    }
    /// Colour channels that leave the unit. All are computed whatever it says.
    CHANNELS "numchans" = 0x1009, 1 {
        /// 0..=2.
        CHANNEL_COUNT "count" = 0, 2;
    }
    /// Ambient colours, RGBA with red in the top byte.
    AMBIENT "ambient" = 0x100a, 2 {}
    /// Material colours, RGBA with red in the top byte.
    MATERIAL "material" = 0x100c, 2 {}
    /// Controls of channels: of red, green and blue of channels 0 and 1, then of their alphas.
    CHANNEL_CONTROL "channel_control" = 0x100e, 4 {
        /// Where the material comes from: the register, or the vertex.
        MATERIAL_SOURCE "material_source" = 0, 1;
        /// Whether lights count.
        LIGHTING "lighting" = 1, 1;
        /// Lights 0 to 3.
        LOW_LIGHTS "lights_0_3" = 2, 4;
        /// Where the ambient colour comes from: the register, or the vertex.
        AMBIENT_SOURCE "ambient_source" = 6, 1;
        /// How the angle between light and normal counts ([`Diffuse`](super::transform::Diffuse)).
        DIFFUSE "diffuse" = 7, 2;
        /// How lights become weaker ([`Attenuation`](super::transform::Attenuation)).
        ATTENUATION "attenuation" = 9, 2;
        /// Lights 4 to 7.
        HIGH_LIGHTS "lights_4_7" = 11, 4;
    }
    /// Whether texture coordinates are transformed by post matrices as well.
    DUAL_TEXTURE "dual_texture" = 0x1012, 1 {
        /// Whether they are.
        DUAL "enable" = 0, 1;
    }
    /// First rows of matrices, for vertices that have no indices of their own.
    MATRIX_INDEX_A "matrix_index_a" = 0x1018, 1 {
        /// Position and normal.
        POSITION_INDEX "position" = 0, 6;
        /// Texture coordinate 0.
        TEX0_INDEX "tex0" = 6, 6;
        /// Texture coordinate 1.
        TEX1_INDEX "tex1" = 12, 6;
        /// Texture coordinate 2.
        TEX2_INDEX "tex2" = 18, 6;
        /// Texture coordinate 3.
        TEX3_INDEX "tex3" = 24, 6;
    }
    /// See [`MATRIX_INDEX_A`].
    MATRIX_INDEX_B "matrix_index_b" = 0x1019, 1 {
        /// Texture coordinate 4.
        TEX4_INDEX "tex4" = 0, 6;
        /// Texture coordinate 5.
        TEX5_INDEX "tex5" = 6, 6;
        /// Texture coordinate 6.
        TEX6_INDEX "tex6" = 12, 6;
        /// Texture coordinate 7.
        TEX7_INDEX "tex7" = 18, 6;
    }
    /// Three scales and three offsets of the viewport.
    VIEWPORT "viewport" = 0x101a, 6 {}
    /// p0 to p5 of the projection.
    PROJECTION "projection" = 0x1020, 6 {}
    /// The form of the projection.
    PROJECTION_FORM "projection_form" = 0x1026, 1 {
        /// Orthographic, else perspective.
        ORTHOGRAPHIC "orthographic" = 0, 1;
    }
    /// How many texture coordinates leave the unit.
    TEXGENS "numtexgens" = 0x103f, 1 {
        /// 0..=8.
        TEXGEN_COUNT "count" = 0, 4;
    }
    /// How texture coordinates are made.
    TEXGEN "texgen" = 0x1040, 8 {
        /// Three rows of the matrix, else two.
        TEXGEN_STQ "projection" = 1, 1;
        /// A, B, C, 1, else A, B, 1, 1.
        TEXGEN_ABC1 "input_form" = 2, 1;
        /// What it is ([`Generator`](super::transform::Generator)).
        TEXGEN_TYPE "type" = 4, 3;
        /// What it is made of ([`Source`](super::transform::Source)).
        TEXGEN_SOURCE "source" = 7, 5;
        /// Embossing: the coordinate that is moved.
        EMBOSS_SOURCE "emboss_source" = 12, 3;
        /// Embossing: the light.
        EMBOSS_LIGHT "emboss_light" = 15, 3;
    }
    /// The second transformation of texture coordinates.
    POST "post" = 0x1050, 8 {
        /// The first row of the matrix.
        POST_INDEX "matrix" = 0, 6;
        /// Whether the coordinate is normalised before.
        POST_NORMALISE "normalise" = 8, 1;
    }
}

/// Fields of matrix indices in order: of the position, of texture coordinates 0 to 7; with their registers.
pub const MATRIX_INDICES: [(u16, Field); 9] = [
    (MATRIX_INDEX_A, POSITION_INDEX),
    (MATRIX_INDEX_A, TEX0_INDEX),
    (MATRIX_INDEX_A, TEX1_INDEX),
    (MATRIX_INDEX_A, TEX2_INDEX),
    (MATRIX_INDEX_A, TEX3_INDEX),
    (MATRIX_INDEX_B, TEX4_INDEX),
    (MATRIX_INDEX_B, TEX5_INDEX),
    (MATRIX_INDEX_B, TEX6_INDEX),
    (MATRIX_INDEX_B, TEX7_INDEX),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_fields_do_not_meet() {
        let mut end = REGISTERS;
        for register in ALL {
            assert!(register.address >= end, "{}", register.name);
            end = register.address + register.count;
            let mut above = 0;
            for field in register.fields {
                assert!(field.shift >= above, "{} of {}", field.name, register.name);
                above = field.shift + field.bits;
                assert_eq!(field.of(field.set(u32::MAX, 0)), 0);
                assert_eq!(field.set(0, u32::MAX).count_ones(), field.bits);
            }
            assert!(above <= 32);
        }
        assert_eq!(end, END);
    }
}
