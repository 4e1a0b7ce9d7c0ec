//! The part of the unit's registers that selects code. Matrices, lights, colours and indices are rows of
//! constants ([`super::rows`]).

use super::memory::Memory;
use super::registers::{self, Field};
use std::ops::Range;

/// Texture coordinates.
pub const TEXGENS: usize = 8;
/// Lights.
pub const LIGHTS: usize = 8;

/// Bits of a clip mask (flipper.md 3.3): right of the volume (w - x is negative), left (x + w), above (w - y), below (y + w),
/// behind (w z is positive), before (z + w is negative).
pub const OUTSIDE: [&str; 6] = ["right", "left", "above", "below", "behind", "before"];

/// The state that selects code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Transform {
    /// The attributes of vertices, as far as they select code.
    pub vertices: Vertices,
    /// Controls of channels 0 and 1, red, green and blue: the register's words.
    pub colour: [u32; 2],
    /// Controls of channels 0 and 1, alpha: the register's words.
    pub alpha: [u32; 2],
    /// How many texture coordinates the unit makes. Values above 8 count as 8.
    pub texgens: u8,
    /// How it makes them: the register's words.
    pub texgen: [u32; TEXGENS],
    /// Whether it transforms them a second time.
    pub dual: bool,
    /// How it transforms them a second time: the register's words. The row of the matrix in them is an index,
    /// which does not select code.
    pub post: [u32; TEXGENS],
    /// Whether the projection is orthographic.
    pub orthographic: bool,
}

/// The attributes of vertices, as far as they select code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Vertices {
    /// Which matrix indices they have: bit 0 is for the position, bits 1 to 8 are for texture coordinates.
    pub matrices: u16,
    /// Whether they have colour 0, and colour 1.
    pub colours: [bool; 2],
}

impl Vertices {
    /// Decodes the low half of VCD (flipper.md 1.2).
    pub const fn of_vcd(low: u32) -> Self {
        Vertices { matrices: (low & 0x1ff) as u16, colours: [low >> 13 & 3 != 0, low >> 15 & 3 != 0] }
    }

    /// Where the bytes of a vertex hold a matrix index; `None` if the vertex lacks it. Number 0 is for the position; the
    /// others are for texture coordinates.
    pub const fn index_byte(self, number: usize) -> Option<usize> {
        if self.matrices >> number & 1 == 0 {
            return None;
        }
        Some((self.matrices & ((1 << number) - 1)).count_ones() as usize)
    }

    /// The vertex's colour that feeds a channel (flipper.md 3.4). If the vertex has only one colour, it feeds
    /// channel 0.
    pub const fn colour_of(self, channel: usize) -> Option<usize> {
        match (self.colours, channel) {
            ([true, true], channel) => Some(channel),
            ([true, false], 0) => Some(0),
            ([false, true], 0) => Some(1),
            _ => None,
        }
    }
}

/// How the angle between light and normal affects a light.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Diffuse {
    /// Not at all.
    None,
    /// Its cosine.
    Signed,
    /// Its cosine, but nothing from behind.
    Clamped,
    /// UNKNOWN: lights add nothing.
    Reserved,
}

/// How lights are attenuated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Attenuation {
    /// Not at all.
    None,
    /// By the half angle.
    Specular,
    /// By the angle to the light's direction, and by the distance.
    Spot,
}

/// The source of a colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ColourSource {
    /// The register.
    Register,
    /// The vertex.
    Vertex,
}

/// A channel's control, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    /// The source of the material colour.
    pub material: ColourSource,
    /// The lighting, if it is on.
    pub lighting: Option<Lighting>,
}

/// How a channel is lit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lighting {
    /// The source of the ambient colour.
    pub ambient: ColourSource,
    /// Which lights count, as a mask.
    pub lights: u8,
    /// How the angle affects lights.
    pub diffuse: Diffuse,
    /// How lights are attenuated.
    pub attenuation: Attenuation,
}

impl Lighting {
    /// Whether lights add anything.
    pub const fn adds(&self) -> bool {
        self.lights != 0 && !matches!(self.diffuse, Diffuse::Reserved)
    }
}

impl Channel {
    /// Decodes a control register's word.
    pub const fn of(word: u32) -> Self {
        const fn source(field: Field, word: u32) -> ColourSource {
            if field.of(word) == 0 { ColourSource::Register } else { ColourSource::Vertex }
        }
        let material = source(registers::MATERIAL_SOURCE, word);
        if registers::LIGHTING.of(word) == 0 {
            return Channel { material, lighting: None };
        }
        let lights = registers::LOW_LIGHTS.of(word) | registers::HIGH_LIGHTS.of(word) << 4;
        let diffuse = match registers::DIFFUSE.of(word) {
            0 => Diffuse::None,
            1 => Diffuse::Signed,
            2 => Diffuse::Clamped,
            _ => Diffuse::Reserved,
        };
        let attenuation = match registers::ATTENUATION.of(word) {
            1 => Attenuation::Specular,
            3 => Attenuation::Spot,
            _ => Attenuation::None,
        };
        let ambient = source(registers::AMBIENT_SOURCE, word);
        Channel { material, lighting: Some(Lighting { ambient, lights: lights as u8, diffuse, attenuation }) }
    }

    /// Whether the channel takes a colour from this source.
    pub fn reads(&self, source: ColourSource) -> bool {
        self.material == source || self.lighting.is_some_and(|lighting| lighting.ambient == source)
    }

    /// The word in canonical form: bits without effect are cleared, so equal meanings have equal words.
    pub const fn word(self) -> u32 {
        let mut word = registers::MATERIAL_SOURCE.set(0, self.material as u32);
        if let Some(lighting) = self.lighting {
            let Lighting { ambient, lights, diffuse, attenuation } = lighting;
            word = registers::LIGHTING.set(word, 1);
            word = registers::AMBIENT_SOURCE.set(word, ambient as u32);
            // Without lights, or with such that add nothing, there is no angle to look at.
            if lighting.adds() {
                word = registers::LOW_LIGHTS.set(word, lights as u32);
                word = registers::HIGH_LIGHTS.set(word, lights as u32 >> 4);
                word = registers::DIFFUSE.set(word, diffuse as u32);
                let attenuation = match attenuation {
                    Attenuation::None => 0,
                    Attenuation::Specular => 1,
                    Attenuation::Spot => 3,
                };
                word = registers::ATTENUATION.set(word, attenuation);
            }
        }
        word
    }
}

/// How a texture coordinate is generated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Generator {
    /// A vector times a matrix. UNKNOWN: types 4 to 7 are this as well.
    Regular,
    /// Another coordinate, shifted by the direction to a light.
    Emboss,
    /// Red and green of a channel.
    Colour(u8),
}

/// How many rows of the matrix count, and the form of the vector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// A, B, 1, 1.
    Ab11,
    /// A, B, C, 1.
    Abc1,
}

/// The vector that a texture coordinate is made from, before any transformation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The position.
    Position,
    /// The normal.
    Normal,
    /// The tangent.
    Tangent,
    /// The binormal.
    Binormal,
    /// s and t of a texture coordinate, and 1.
    Texcoord(u8),
    /// UNKNOWN: with a matrix, rows 2 (colours) and 13 to 31 are (0, 0, 1), like an absent coordinate.
    Nothing,
}

/// A texture coordinate's control, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Texgen {
    /// Whether q comes from the matrix, else it is 1.
    pub projects: bool,
    /// The form of the vector.
    pub input: Input,
    /// How it is generated.
    pub generator: Generator,
    /// The vector that it is made from.
    pub source: Source,
    /// Embossing: the coordinate that is shifted. UNKNOWN: a coordinate that has not been made yet reads as
    /// zeros.
    pub emboss_source: u8,
    /// Embossing: the light.
    pub emboss_light: u8,
}

impl Texgen {
    /// Decodes a register's word.
    pub const fn of(word: u32) -> Self {
        let generator = match registers::TEXGEN_TYPE.of(word) {
            1 => Generator::Emboss,
            2 => Generator::Colour(0),
            3 => Generator::Colour(1),
            _ => Generator::Regular,
        };
        let source = match registers::TEXGEN_SOURCE.of(word) {
            0 => Source::Position,
            1 => Source::Normal,
            3 => Source::Tangent,
            4 => Source::Binormal,
            row @ 5..=12 => Source::Texcoord(row as u8 - 5),
            _ => Source::Nothing,
        };
        Texgen {
            projects: registers::TEXGEN_STQ.of(word) != 0,
            input: if registers::TEXGEN_ABC1.of(word) == 0 { Input::Ab11 } else { Input::Abc1 },
            generator,
            source,
            emboss_source: registers::EMBOSS_SOURCE.of(word) as u8,
            emboss_light: registers::EMBOSS_LIGHT.of(word) as u8,
        }
    }

    /// The word in canonical form: bits without effect are cleared, so equal meanings have equal words.
    pub const fn word(self) -> u32 {
        match self.generator {
            Generator::Regular => {
                let source = match self.source {
                    Source::Position => 0,
                    Source::Normal => 1,
                    Source::Nothing => 2,
                    Source::Tangent => 3,
                    Source::Binormal => 4,
                    Source::Texcoord(number) => 5 + number as u32,
                };
                let word = registers::TEXGEN_STQ.set(0, self.projects as u32);
                let word = registers::TEXGEN_ABC1.set(word, matches!(self.input, Input::Abc1) as u32);
                registers::TEXGEN_SOURCE.set(word, source)
            }
            Generator::Emboss => {
                let word = registers::TEXGEN_TYPE.set(0, 1);
                let word = registers::EMBOSS_SOURCE.set(word, self.emboss_source as u32);
                registers::EMBOSS_LIGHT.set(word, self.emboss_light as u32)
            }
            Generator::Colour(channel) => registers::TEXGEN_TYPE.set(0, 2 + channel as u32),
        }
    }
}

impl Transform {
    /// Whether a change of some words may select other code.
    pub fn is_selected_by(changed: &Range<u16>) -> bool {
        let selecting = [
            (registers::CHANNEL_CONTROL, 4),
            (registers::DUAL_TEXTURE, 1),
            (registers::PROJECTION_FORM, 1),
            (registers::TEXGENS, 1),
            (registers::TEXGEN, TEXGENS as u16),
            (registers::POST, TEXGENS as u16),
        ];
        selecting.into_iter().any(|(first, count)| changed.start < first + count && first < changed.end)
    }

    /// The state that the registers select for vertices with some attributes.
    pub fn new(memory: &Memory, vertices: Vertices) -> Self {
        let word = |address: u16| memory.word(address);
        Transform {
            vertices,
            colour: memory.row(registers::CHANNEL_CONTROL),
            alpha: memory.row(registers::CHANNEL_CONTROL + 2),
            texgens: registers::TEXGEN_COUNT.of(word(registers::TEXGENS)) as u8,
            texgen: memory.row(registers::TEXGEN),
            dual: registers::DUAL.of(word(registers::DUAL_TEXTURE)) != 0,
            post: memory.row(registers::POST),
            orthographic: registers::ORTHOGRAPHIC.of(word(registers::PROJECTION_FORM)) != 0,
        }
    }

    /// Controls of a channel's red, green and blue, and of its alpha.
    pub const fn channel(&self, channel: usize) -> [Channel; 2] {
        [Channel::of(self.colour[channel]), Channel::of(self.alpha[channel])]
    }

    /// How many texture coordinates the unit makes, 0..=8.
    pub fn texgen_count(&self) -> usize {
        usize::from(self.texgens).min(TEXGENS)
    }

    /// The control of a texture coordinate.
    pub const fn texgen(&self, number: usize) -> Texgen {
        Texgen::of(self.texgen[number])
    }

    /// Whether a texture coordinate is normalised before its second transformation.
    pub const fn normalises(&self, number: usize) -> bool {
        registers::POST_NORMALISE.of(self.post[number]) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_selects_is_known_by_its_address() {
        let mut selecting = 0;
        for address in 0..registers::END {
            let mut memory = Memory::new();
            let before = Transform::new(&memory, Vertices::default());
            memory.write(address, &[u32::MAX]);
            let selects = Transform::new(&memory, Vertices::default()) != before;
            assert_eq!(Transform::is_selected_by(&(address..address + 1)), selects, "{address:x}");
            selecting += usize::from(selects);
        }
        assert_eq!(selecting, 4 + 3 + 8 + 8);
    }
}
