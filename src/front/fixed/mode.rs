//! XFMODE, the words that configure the fixed function, as named fields (fixed_function.md 2.3, 5.1, 6 and 8).
//!
//! Words stand in the order in which a vector holds them, first word first, under the names of the new documents:
//!
//! | chip | words |
//! |---|---|
//! | Celsius | B, A |
//! | Kelvin | B, A, T\[1\], T\[0\] |
//! | Rankine | C, B, A, T\[3\], T\[2\], T\[1\], T\[0\] |

use std::fmt;
use xfjit_runtime::num::Rules;

/// Words of the largest generation.
pub const MAX_WORDS: usize = 7;
/// Lights of every generation.
pub const LIGHTS: usize = 8;
/// Texture units of the largest generation.
pub const MAX_UNITS: usize = 8;

/// Whose fixed function; NV25 and NV2A are as NV20, NV34 is as NV30 (fixed_function.md 5, 6).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Chip {
    /// Celsius, first revision.
    Nv10,
    /// Celsius, second revision.
    Nv15,
    /// Kelvin.
    Nv20,
    /// Rankine.
    Nv30,
}

/// What chips have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// NV10, NV15.
    Celsius,
    /// NV20, NV25, NV2A.
    Kelvin,
    /// NV30, NV34.
    Rankine,
}

impl Chip {
    /// Every chip.
    pub const ALL: [Chip; 4] = [Chip::Nv10, Chip::Nv15, Chip::Nv20, Chip::Nv30];

    /// Its family.
    pub const fn family(self) -> Family {
        match self {
            Chip::Nv10 | Chip::Nv15 => Family::Celsius,
            Chip::Nv20 => Family::Kelvin,
            Chip::Nv30 => Family::Rankine,
        }
    }

    /// Words of its XFMODE.
    pub const fn words(self) -> usize {
        match self.family() {
            Family::Celsius => 2,
            Family::Kelvin => 4,
            Family::Rankine => 7,
        }
    }

    /// Texture units.
    pub const fn units(self) -> usize {
        match self.family() {
            Family::Celsius => 2,
            Family::Kelvin => 4,
            Family::Rankine => 8,
        }
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Chip::Nv10 => "nv10",
            Chip::Nv15 => "nv15",
            Chip::Nv20 => "nv20",
            Chip::Nv30 => "nv30",
        }
    }

    /// The chip of a name: its own, or that of its family, which stands for the later revision.
    pub fn from_name(name: &str) -> Option<Chip> {
        match name {
            "celsius" => Some(Chip::Nv15),
            "kelvin" => Some(Chip::Nv20),
            "rankine" => Some(Chip::Nv30),
            _ => Chip::ALL.into_iter().find(|chip| chip.name() == name),
        }
    }
}

/// A property of a material.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Property {
    /// Independent of lights.
    Emission,
    /// Of the scene and of each light, whatever the direction.
    Ambient,
    /// By the angle to the light.
    Diffuse,
    /// By the angle to the reflected light.
    Specular,
}

/// Which side of a face.
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
    /// Mode of a light, a [`LightMode`].
    Light(u8),
    /// Where the fog distance comes from, a [`FogCoord`].
    FogCoord,
    /// Whether fog is computed.
    FogEnable,
    /// Kelvin's exponential fog modes (UNKNOWN what XF does with it: fixed_function.md 5.7).
    FogExp,
    /// Attenuation by the polynomial itself instead of its reciprocal.
    RawAttenuation,
    /// Celsius: the vertex has a secondary colour.
    VertexSpecular,
    /// Kelvin: there is a secondary colour at all.
    SpecularEnable,
    /// The specular sum goes to the secondary colour.
    SeparateSpecular,
    /// Kelvin: alpha of the secondary colour is the material's (UNKNOWN which: fixed_function.md 10.6).
    SpecularAlpha,
    /// Celsius: a property is multiplied by vertex colours; later: which colour its place is taken by.
    Source(Side, Property),
    /// Point size from the distance.
    PointParams,
    /// How matrices are blended: Celsius one bit, Kelvin modes 0 to 6.
    Weight,
    /// Celsius: transform and lighting are passed over. Kelvin and later: operating mode, 0 is the fixed function.
    Mode,
    /// Celsius: which offset a bypassed position takes.
    Origin,
    /// The eye vector of the vertex takes part in lighting.
    LocalViewer,
    /// Lighting.
    Lighting,
    /// Back colours, too.
    TwoSide,
    /// Normals are normalised.
    Normalize,
    /// What sphere and reflection maps are seen from: the eye vector of the vertex, or one for all.
    TexgenInfinite,
    /// The viewport is not applied (Rankine).
    ViewportSkip,
    /// Arithmetic of programs (Rankine).
    ArithRules,
    /// A clip plane is on (Rankine).
    ClipPlane(u8),
    /// Constants that programs may read: no part of the fixed function.
    ContextAccess,
    /// Whether programs may write constants: no part of the fixed function.
    ContextWrite,
    /// Where programs start: no part of the fixed function.
    ProgramStart,
    /// A texture unit is on.
    TexEnable(u8),
    /// Its matrix is applied.
    TexMatrix(u8),
    /// Celsius: its coordinates are multiplied by 1/w.
    TexPerspective(u8),
    /// Kelvin and later: its third coordinate is computed.
    TexR(u8),
    /// How a component of its coordinates is made, a [`Gen`].
    TexGen(u8, u8),
}

/// Where a field is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Word of the mode.
    pub word: usize,
    /// Lowest bit.
    pub low: u32,
    /// Bits.
    pub width: u32,
}

const fn at(word: usize, low: u32, width: u32) -> Option<Place> {
    Some(Place { word, low, width })
}

impl Family {
    /// Names of the words.
    pub const fn word_names(self) -> &'static [&'static str] {
        match self {
            Family::Celsius => &["B", "A"],
            Family::Kelvin => &["B", "A", "T[1]", "T[0]"],
            Family::Rankine => &["C", "B", "A", "T[3]", "T[2]", "T[1]", "T[0]"],
        }
    }

    /// Where the family has a field, if it does.
    pub const fn place(self, name: Name) -> Option<Place> {
        match self {
            Family::Celsius => celsius(name),
            Family::Kelvin => kelvin(name, 0),
            Family::Rankine => rankine(name),
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
        Name::Light(light) => at(B, 2 * light as u32, 2),
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
        Name::Light(light) => at(b, 2 * light as u32, 2),
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

/// A word `T` describes two units; that of units 0 and 1 stands last.
const fn texture(last: usize, unit: u8, low: u32, width: u32) -> Option<Place> {
    at(last - unit as usize / 2, 16 * (unit as u32 % 2) + low, width)
}

impl Name {
    /// Every name.
    pub fn all() -> impl Iterator<Item = Name> {
        use Property::{Ambient, Diffuse, Emission, Specular};
        let lights = (0..LIGHTS as u8).map(Name::Light);
        let single = [
            Name::FogCoord,
            Name::FogEnable,
            Name::FogExp,
            Name::RawAttenuation,
            Name::VertexSpecular,
            Name::SpecularEnable,
            Name::SeparateSpecular,
            Name::SpecularAlpha,
            Name::PointParams,
            Name::Weight,
            Name::Mode,
            Name::Origin,
            Name::LocalViewer,
            Name::Lighting,
            Name::TwoSide,
            Name::Normalize,
            Name::TexgenInfinite,
            Name::ViewportSkip,
            Name::ArithRules,
            Name::ContextAccess,
            Name::ContextWrite,
            Name::ProgramStart,
        ];
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
        lights.chain(single).chain(sources).chain(planes).chain(units)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let single = match *self {
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
            Name::FogCoord => "FOG_COORD",
            Name::FogEnable => "FOG_ENABLE",
            Name::FogExp => "FOG_MODE_EXP",
            Name::RawAttenuation => "RAW_ATTENUATION",
            Name::VertexSpecular => "VERTEX_SPECULAR",
            Name::SpecularEnable => "SPECULAR_ENABLE",
            Name::SeparateSpecular => "SEPARATE_SPECULAR",
            Name::SpecularAlpha => "ALPHA_FROM_MATERIAL_SPECULAR",
            Name::PointParams => "POINT_PARAMS",
            Name::Weight => "WEIGHT_MODE",
            Name::Mode => "MODE",
            Name::Origin => "ORIGIN",
            Name::LocalViewer => "LOCAL_VIEWER",
            Name::Lighting => "LIGHTING",
            Name::TwoSide => "TWO_SIDE",
            Name::Normalize => "NORMALIZE",
            Name::TexgenInfinite => "TEXGEN_REF",
            Name::ViewportSkip => "VIEWPORT_TRANSFORM_SKIP",
            Name::ArithRules => "ARITH_RULES",
            Name::ContextAccess => "XFCTX_ACCESS",
            Name::ContextWrite => "XFCTX_WRITE_ENABLE",
            Name::ProgramStart => "PROGRAM_START",
        };
        f.write_str(single)
    }
}

/// Mode of a light.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LightMode {
    /// At infinity.
    Infinite,
    /// At a position.
    Local,
    /// At a position, with a cone.
    Spot,
}

/// How a component of a texture coordinate is made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gen {
    /// The vertex's own. The reserved mode 7, too (as on the chip: fixed_function.md 3, step 8).
    Pass,
    /// A plane in eye space.
    EyeLinear,
    /// A plane in object space.
    ObjectLinear,
    /// A sphere map; s and t only, others pass.
    SphereMap,
    /// The normal; not q, which passes.
    NormalMap,
    /// The reflected eye vector; not q, which passes.
    ReflectionMap,
    /// Bump mapping by shifted coordinates: s of Celsius's second unit only, others pass.
    EmbossMap,
}

impl Gen {
    /// The mode's meaning for a component; what a component does not have passes. UNKNOWN: Kelvin is said to have maps
    /// on all components (fixed_function.md 5.7), of which only these are defined.
    const fn decode(bits: u32, component: usize) -> Gen {
        match (bits, component) {
            (1, _) => Gen::EyeLinear,
            (2, _) => Gen::ObjectLinear,
            (3, 0..2) => Gen::SphereMap,
            (4, 0..3) => Gen::NormalMap,
            (5, 0..3) => Gen::ReflectionMap,
            (6, 0) => Gen::EmbossMap,
            _ => Gen::Pass,
        }
    }
}

/// What a texture unit does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Texture {
    /// Matrix.
    pub matrix: bool,
    /// Multiplication by 1/w.
    pub perspective: bool,
    /// Components.
    pub generate: [Gen; 4],
}

/// Where the distance of fog comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FogCoord {
    /// Alpha of the secondary colour.
    SpecularAlpha,
    /// Distance from the eye.
    Radial,
    /// Distance from a plane.
    Planar,
    /// Its magnitude.
    PlanarAbs,
    /// A vertex attribute.
    Attribute,
}

/// XFMODE of a chip.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mode {
    chip: Chip,
    words: [u32; MAX_WORDS],
}

impl Mode {
    /// A mode by its words, in the order of the module's table; missing words are 0, further ones are dropped.
    pub fn new(chip: Chip, words: &[u32]) -> Self {
        let mut all = [0; MAX_WORDS];
        for (to, from) in all.iter_mut().zip(words).take(chip.words()) {
            *to = *from;
        }
        Mode { chip, words: all }
    }

    /// The chip.
    pub const fn chip(&self) -> Chip {
        self.chip
    }

    /// The words.
    pub fn words(&self) -> &[u32] {
        &self.words[..self.chip.words()]
    }

    /// A field; 0 if the family has none of the name.
    pub fn get(&self, name: Name) -> u32 {
        let place = self.chip.family().place(name);
        place.map_or(0, |Place { word, low, width }| self.words[word] >> low & ((1 << width) - 1))
    }

    /// Sets a field, if the family has it; bits beyond its width are dropped.
    pub fn set(&mut self, name: Name, value: u32) {
        if let Some(Place { word, low, width }) = self.chip.family().place(name) {
            let mask = ((1 << width) - 1) << low;
            self.words[word] = self.words[word] & !mask | value << low & mask;
        }
    }

    /// With a field set.
    #[must_use]
    pub fn with(mut self, name: Name, value: u32) -> Self {
        self.set(name, value);
        self
    }

    /// Whether a field is not 0.
    pub fn has(&self, name: Name) -> bool {
        self.get(name) != 0
    }

    /// Whether only the bypass runs. UNKNOWN: Rankine has none; its mode 1 is illegal and taken for the fixed function,
    /// as are, on Kelvin too, the modes of programs: who runs those does not ask here.
    pub fn is_bypass(&self) -> bool {
        match self.chip.family() {
            Family::Celsius => self.has(Name::Mode),
            Family::Kelvin => self.get(Name::Mode) == 1,
            Family::Rankine => false,
        }
    }

    /// Mode of a light.
    pub fn light(&self, light: usize) -> Option<LightMode> {
        match self.get(Name::Light(light as u8)) {
            1 => Some(LightMode::Infinite),
            2 => Some(LightMode::Local),
            3 => Some(LightMode::Spot),
            _ => None,
        }
    }

    /// The lights that are on. They end at the first that is off: UNKNOWN what those behind it do, which no driver can
    /// set up by methods (fixed_function.md 2.3, 3.11).
    pub fn lights(&self) -> impl Iterator<Item = (usize, LightMode)> + '_ {
        (0..LIGHTS).map_while(|light| Some((light, self.light(light)?)))
    }

    /// What a texture unit does, if it is on.
    pub fn texture(&self, unit: usize) -> Option<Texture> {
        let number = unit as u8;
        let emboss = self.chip.family() == Family::Celsius && unit == 1;
        self.has(Name::TexEnable(number)).then(|| Texture {
            matrix: self.has(Name::TexMatrix(number)),
            perspective: self.has(Name::TexPerspective(number)),
            generate: std::array::from_fn(|component| {
                match Gen::decode(self.get(Name::TexGen(number, component as u8)), component) {
                    Gen::EmbossMap if !emboss => Gen::Pass,
                    generate => generate,
                }
            }),
        })
    }

    /// Where the distance of fog comes from, if there is fog. UNKNOWN: Kelvin's reserved codes 5 to 7 are taken for 4.
    pub fn fog(&self) -> Option<FogCoord> {
        let coord = match (self.get(Name::FogCoord), self.chip.family()) {
            (0, _) => FogCoord::SpecularAlpha,
            (1, _) => FogCoord::Radial,
            (2, _) => FogCoord::Planar,
            (3, Family::Celsius | Family::Kelvin) => FogCoord::PlanarAbs,
            _ => FogCoord::Attribute,
        };
        self.has(Name::FogEnable).then_some(coord)
    }

    /// Whose arithmetic XF has. UNKNOWN: whether Rankine's switch acts on the fixed function; here it does.
    pub fn rules(&self) -> Rules {
        match self.chip.family() {
            Family::Celsius => Rules::Celsius,
            Family::Kelvin => Rules::Kelvin,
            Family::Rankine if self.has(Name::ArithRules) => Rules::RankineModern,
            Family::Rankine => Rules::RankineLegacy,
        }
    }
}

/// The fields that are not 0, a word a line.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.chip.family().fields();
        for (number, (word, name)) in self.words().iter().zip(self.chip.family().word_names()).enumerate() {
            write!(f, "XFMODE_{name:<5}{word:08x} ")?;
            let mut rest = *word;
            for (name, place) in fields.iter().filter(|(_, place)| place.word == number) {
                rest &= !(((1 << place.width) - 1) << place.low);
                match self.get(*name) {
                    0 => {}
                    1 if place.width == 1 => write!(f, " {name}")?,
                    value => write!(f, " {name}={value}")?,
                }
            }
            if rest != 0 {
                write!(f, " ; no field: {rest:08x}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bit_belongs_to_two_fields() {
        for family in [Family::Celsius, Family::Kelvin, Family::Rankine] {
            let mut taken = [0u32; MAX_WORDS];
            for (name, Place { word, low, width }) in family.fields() {
                let mask = ((1 << width) - 1) << low;
                assert_eq!(taken[word] & mask, 0, "{family:?} {name}");
                taken[word] |= mask;
            }
        }
    }

    #[test]
    fn fields_are_where_the_documents_have_them() {
        let mode = Mode::new(Chip::Nv15, &[0x1000_0000, 0xa000_204a]);
        assert!(mode.is_bypass() && mode.has(Name::Lighting) && mode.has(Name::FogEnable));
        assert_eq!(mode.get(Name::TexGen(0, 3)), 2);
        let kelvin = Mode::new(Chip::Nv20, &[0x0400_0000, 1 << 19 | 2 << 6, 0, 0x0003_0001]);
        assert_eq!(kelvin.get(Name::Weight), 1);
        assert_eq!(kelvin.get(Name::Source(Side::Front, Property::Specular)), 1);
        assert_eq!(kelvin.get(Name::Source(Side::Back, Property::Emission)), 2);
        assert!(kelvin.texture(0).is_some() && kelvin.texture(1).is_some_and(|unit| unit.matrix));
        let rankine = Mode::new(Chip::Nv30, &[0x21, 0, 0, 1 << 16]);
        assert!(rankine.has(Name::ClipPlane(5)) && rankine.texture(7).is_some());
    }

    #[test]
    fn what_is_set_is_read() {
        for chip in Chip::ALL {
            for (name, place) in chip.family().fields() {
                let most = (1 << place.width) - 1;
                let mode = Mode::new(chip, &[]).with(name, most);
                assert_eq!(mode.get(name), most);
                assert_eq!(mode.words().iter().map(|word| word.count_ones()).sum::<u32>(), place.width);
                assert!(mode.to_string().contains(&name.to_string()));
                assert_eq!(mode.with(name, 0), Mode::new(chip, &[]));
            }
        }
    }
}
