//! The named fields of XFMODE, and where each family has them (fixed_function.md 2.3, 5.1, 6 and 8).

use crate::chip::Pipeline;
use std::fmt;

/// How many lights every family has.
pub const LIGHTS: usize = 8;
/// How many texture units the family with the most units has.
pub const MAX_UNITS: usize = Pipeline::Rankine.units();

/// A property of a material.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Property {
    /// Independent of lights.
    Emission,
    /// Light of the scene, and the part of each light that depends on no direction.
    Ambient,
    /// Depends on the angle to the light.
    Diffuse,
    /// Depends on the angle to the reflected light.
    Specular,
}

/// A side of a face.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Front.
    Front,
    /// Back, lit with the normal reversed.
    Back,
}

/// The name of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Name {
    /// Mode of a light, a [`LightMode`](super::LightMode).
    Light(u8),
    /// Where the fog distance comes from, a [`FogCoord`](super::FogCoord).
    FogCoord,
    /// Whether fog is computed.
    FogEnable,
    /// Kelvin's exponential fog modes (UNKNOWN what XF does with it: fixed_function.md 5.7).
    FogExp,
    /// Attenuation by the polynomial itself instead of its reciprocal.
    RawAttenuation,
    /// Celsius: the vertex has a secondary colour.
    VertexSpecular,
    /// Kelvin: the unit computes a secondary colour.
    SpecularEnable,
    /// The specular sum goes to the secondary colour.
    SeparateSpecular,
    /// Kelvin: alpha of the secondary colour is the material's (UNKNOWN which: fixed_function.md 10.6).
    SpecularAlpha,
    /// Celsius: whether a property is multiplied by vertex colours. Later: which colour replaces it.
    Source(Side, Property),
    /// The point size depends on the distance.
    PointParams,
    /// How matrices are blended: Celsius one bit, Kelvin modes 0 to 6.
    Weight,
    /// Celsius: the unit skips transform and lighting. Kelvin and later: the operating mode; 0 is the fixed
    /// function.
    Mode,
    /// Celsius: which offset the unit adds to a position in bypass mode.
    Origin,
    /// Lighting uses the eye vector of the vertex.
    LocalViewer,
    /// The unit computes lighting.
    Lighting,
    /// The unit also computes back colours.
    TwoSide,
    /// Normals are normalised.
    Normalize,
    /// The eye vector of sphere and reflection maps: that of the vertex, or one for all vertices.
    TexgenInfinite,
    /// The viewport is not applied (Rankine).
    ViewportSkip,
    /// The arithmetic rules of programs (Rankine).
    ArithRules,
    /// A clip plane is on (Rankine).
    ClipPlane(u8),
    /// Which constants programs may read. It does not concern the fixed function.
    ContextAccess,
    /// Whether programs may write constants. It does not concern the fixed function.
    ContextWrite,
    /// The slot where programs start. It does not concern the fixed function.
    ProgramStart,
    /// A texture unit is on.
    TexEnable(u8),
    /// Its matrix is applied.
    TexMatrix(u8),
    /// Celsius: its coordinates are multiplied by 1/w.
    TexPerspective(u8),
    /// Kelvin and later: its third coordinate is computed.
    TexR(u8),
    /// How a component of its coordinates is made, a [`Gen`](super::Gen).
    TexGen(u8, u8),
}

/// The place of a field in the mode's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of the word.
    pub word: usize,
    /// Lowest bit.
    pub low: u32,
    /// How many bits it has.
    pub width: u32,
}

const fn at(word: usize, low: u32, width: u32) -> Option<Place> {
    Some(Place { word, low, width })
}

impl Pipeline {
    /// Names of the words.
    pub const fn word_names(self) -> &'static [&'static str] {
        match self {
            Pipeline::Celsius(_) => &["B", "A"],
            Pipeline::Kelvin => &["B", "A", "T[1]", "T[0]"],
            Pipeline::Rankine | Pipeline::Curie => &["C", "B", "A", "T[3]", "T[2]", "T[1]", "T[0]"],
        }
    }

    /// The place of a field; `None` if the family lacks it.
    pub const fn place(self, name: Name) -> Option<Place> {
        match self {
            Pipeline::Celsius(_) => celsius(name),
            Pipeline::Kelvin => kelvin(name, 0),
            Pipeline::Rankine => rankine(name),
            Pipeline::Curie => curie(name),
        }
    }

    /// The fields that the family has, in the order of their words and bits.
    pub fn fields(self) -> Vec<(Name, Place)> {
        let mut fields: Vec<(Name, Place)> =
            Name::all().filter_map(|name| Some((name, self.place(name)?))).collect();
        fields.sort_by_key(|(_, place)| (place.word, place.low));
        fields
    }
}

/// fixed_function.md 2.3.
const fn celsius(name: Name) -> Option<Place> {
    const B: usize = 0;
    const A: usize = 1;
    match name {
        Name::Light(light @ 0..8) => at(B, 2 * light as u32, 2),
        Name::FogCoord => at(B, 16, 2),
        Name::RawAttenuation => at(B, 18, 1),
        Name::VertexSpecular => at(B, 19, 1),
        Name::SeparateSpecular => at(B, 20, 1),
        Name::Source(Side::Front, Property::Emission) => at(B, 21, 1),
        Name::Source(Side::Front, Property::Ambient) => at(B, 22, 1),
        Name::Source(Side::Front, Property::Diffuse) => at(B, 23, 1),
        Name::Source(Side::Front, Property::Specular) => at(B, 24, 1),
        Name::PointParams => at(B, 25, 1),
        Name::Weight => at(B, 27, 1),
        Name::Mode => at(B, 28, 1),
        Name::Origin => at(B, 29, 1),
        Name::TexEnable(unit @ 0..2) => at(A, 14 * unit as u32, 1),
        Name::TexMatrix(unit @ 0..2) => at(A, 14 * unit as u32 + 1, 1),
        Name::TexPerspective(unit @ 0..2) => at(A, 14 * unit as u32 + 2, 1),
        Name::TexGen(unit @ 0..2, component @ 0..3) => at(A, 14 * unit as u32 + 3 + 3 * component as u32, 3),
        Name::TexGen(unit @ 0..2, 3) => at(A, 14 * unit as u32 + 12, 2),
        Name::LocalViewer => at(A, 28, 1),
        Name::Lighting => at(A, 29, 1),
        Name::Normalize => at(A, 30, 1),
        Name::FogEnable => at(A, 31, 1),
        _ => None,
    }
}

/// fixed_function.md 5.1; `first` is the number of the word B.
const fn kelvin(name: Name, first: usize) -> Option<Place> {
    let (b, a) = (first, first + 1);
    match name {
        Name::Light(light @ 0..8) => at(b, 2 * light as u32, 2),
        Name::ContextAccess => at(b, 18, 1),
        Name::FogEnable => at(b, 19, 1),
        Name::TexgenInfinite => at(b, 20, 1),
        Name::FogExp => at(b, 21, 1),
        Name::FogCoord => at(b, 22, 3),
        Name::PointParams => at(b, 25, 1),
        Name::Weight => at(b, 26, 3),
        Name::ContextWrite => at(b, 29, 1),
        Name::Mode => at(b, 30, 2),
        Name::Source(side, property) => {
            let side = match side {
                Side::Back => 0,
                Side::Front => 19,
            };
            let property = match property {
                Property::Specular => 0,
                Property::Diffuse => 2,
                Property::Ambient => 4,
                Property::Emission => 6,
            };
            at(a, side + property, 2)
        }
        Name::ProgramStart => at(a, 8, 8),
        Name::SpecularEnable => at(a, 16, 1),
        Name::SpecularAlpha => at(a, 17, 1),
        Name::SeparateSpecular => at(a, 18, 1),
        Name::Normalize => at(a, 27, 1),
        Name::RawAttenuation => at(a, 28, 1),
        Name::TwoSide => at(a, 29, 1),
        Name::LocalViewer => at(a, 30, 1),
        Name::Lighting => at(a, 31, 1),
        Name::TexEnable(unit @ 0..4) => texture(first + 3, unit, 0, 1),
        Name::TexMatrix(unit @ 0..4) => texture(first + 3, unit, 1, 1),
        Name::TexR(unit @ 0..4) => texture(first + 3, unit, 2, 1),
        Name::TexGen(unit @ 0..4, component @ 0..4) => texture(first + 3, unit, 4 + 3 * component as u32, 3),
        _ => None,
    }
}

/// fixed_function.md 6. UNKNOWN: where it names no bit, the place is taken to be Kelvin's.
const fn rankine(name: Name) -> Option<Place> {
    const C: usize = 0;
    const B: usize = 1;
    const T0: usize = 6;
    match name {
        Name::ClipPlane(plane @ 0..6) => at(C, plane as u32, 1),
        Name::ViewportSkip => at(B, 16, 1),
        Name::ArithRules => at(B, 17, 1),
        Name::FogCoord => at(B, 22, 2),
        Name::FogExp => None,
        Name::TexEnable(unit @ 0..8) => texture(T0, unit, 0, 1),
        Name::TexMatrix(unit @ 0..8) => texture(T0, unit, 1, 1),
        Name::TexR(unit @ 0..8) => texture(T0, unit, 2, 1),
        Name::TexGen(unit @ 0..8, component @ 0..4) => texture(T0, unit, 4 + 3 * component as u32, 3),
        _ => kelvin(name, B),
    }
}

/// NV40: Rankine's fields, but for the alternate attenuation of lights, which NV34 has lost (XF overview; fixed_function.md 5.1: NV30 only).
const fn curie(name: Name) -> Option<Place> {
    match name {
        Name::RawAttenuation => None,
        _ => rankine(name),
    }
}

/// A word `T` describes two units; that of units 0 and 1 stands last.
const fn texture(last: usize, unit: u8, low: u32, width: u32) -> Option<Place> {
    at(last - unit as usize / 2, 16 * (unit as u32 % 2) + low, width)
}

/// The names without a number, and their text.
const PLAIN: [(Name, &str); 22] = [
    (Name::FogCoord, "FOG_COORD"),
    (Name::FogEnable, "FOG_ENABLE"),
    (Name::FogExp, "FOG_MODE_EXP"),
    (Name::RawAttenuation, "RAW_ATTENUATION"),
    (Name::VertexSpecular, "VERTEX_SPECULAR"),
    (Name::SpecularEnable, "SPECULAR_ENABLE"),
    (Name::SeparateSpecular, "SEPARATE_SPECULAR"),
    (Name::SpecularAlpha, "ALPHA_FROM_MATERIAL_SPECULAR"),
    (Name::PointParams, "POINT_PARAMS"),
    (Name::Weight, "WEIGHT_MODE"),
    (Name::Mode, "MODE"),
    (Name::Origin, "ORIGIN"),
    (Name::LocalViewer, "LOCAL_VIEWER"),
    (Name::Lighting, "LIGHTING"),
    (Name::TwoSide, "TWO_SIDE"),
    (Name::Normalize, "NORMALIZE"),
    (Name::TexgenInfinite, "TEXGEN_REF"),
    (Name::ViewportSkip, "VIEWPORT_TRANSFORM_SKIP"),
    (Name::ArithRules, "ARITH_RULES"),
    (Name::ContextAccess, "XFCTX_ACCESS"),
    (Name::ContextWrite, "XFCTX_WRITE_ENABLE"),
    (Name::ProgramStart, "PROGRAM_START"),
];

impl Name {
    /// Every name.
    pub fn all() -> impl Iterator<Item = Name> {
        use Property::{Ambient, Diffuse, Emission, Specular};
        let lights = (0..LIGHTS as u8).map(Name::Light);
        let sources = [Side::Front, Side::Back].into_iter().flat_map(|side| {
            [Emission, Ambient, Diffuse, Specular].map(|property| Name::Source(side, property))
        });
        let planes = (0..6).map(Name::ClipPlane);
        let units = (0..MAX_UNITS as u8).flat_map(|unit| {
            let generated = (0..4).map(move |component| Name::TexGen(unit, component));
            [Name::TexEnable(unit), Name::TexMatrix(unit), Name::TexPerspective(unit), Name::TexR(unit)]
                .into_iter()
                .chain(generated)
        });
        lights.chain(PLAIN.map(|(name, _)| name)).chain(sources).chain(planes).chain(units)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match *self {
            Name::Light(light) => return write!(f, "LIGHT_{light}"),
            Name::Source(side, property) => {
                let side = if side == Side::Back { "_BACK" } else { "" };
                let property = match property {
                    Property::Emission => "EMISSION",
                    Property::Ambient => "AMBIENT",
                    Property::Diffuse => "DIFFUSE",
                    Property::Specular => "SPECULAR",
                };
                return write!(f, "MATERIAL_{property}{side}");
            }
            Name::ClipPlane(plane) => return write!(f, "CLIP_PLANE_{plane}"),
            Name::TexEnable(unit) => return write!(f, "TEX_{unit}_ENABLE"),
            Name::TexMatrix(unit) => return write!(f, "TEX_{unit}_MATRIX"),
            Name::TexPerspective(unit) => return write!(f, "TEX_{unit}_PERSPECTIVE"),
            Name::TexR(unit) => return write!(f, "TEX_{unit}_R_ENABLE"),
            Name::TexGen(unit, component) => {
                return write!(f, "TEX_{unit}_GEN_{}", ["S", "T", "R", "Q"][usize::from(component & 3)]);
            }
            plain => PLAIN.iter().find(|(name, _)| *name == plain).map_or("", |(_, text)| text),
        };
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bit_belongs_to_two_fields() {
        for pipeline in Pipeline::ALL {
            let mut taken = vec![0u32; pipeline.words()];
            for (name, Place { word, low, width }) in pipeline.fields() {
                let mask = ((1 << width) - 1) << low;
                assert_eq!(taken[word] & mask, 0, "{pipeline:?} {name}");
                taken[word] |= mask;
            }
        }
    }

    #[test]
    fn every_name_has_a_text_of_its_own() {
        let texts: Vec<String> = Name::all().map(|name| name.to_string()).collect();
        for (i, text) in texts.iter().enumerate() {
            assert!(!text.is_empty() && !texts[..i].contains(text), "{text}");
        }
    }
}
