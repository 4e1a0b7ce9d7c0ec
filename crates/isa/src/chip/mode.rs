//! XFMODE, the words that configure the fixed function, as named fields (fixed_function.md 2.3, 5.1, 6 and 8).
//!
//! Words are in the order in which a vector holds them, first word first. The newer documents name them so:
//!
//! | chip | words |
//! |---|---|
//! | Celsius | B, A |
//! | Kelvin | B, A, T\[1\], T\[0\] |
//! | Rankine, NV40 | C, B, A, T\[3\], T\[2\], T\[1\], T\[0\] |
//!
//! NV40 has no XFMODE. The library assumes that its bundles hold the same fields (UNKNOWN: where), and keeps
//! them in these words.

mod fields;
pub mod values;

pub use fields::{LIGHTS, MAX_UNITS, Name, Place, Property, Side};

use crate::chip::{Chip, Pipeline};
use std::fmt;
use values::Operation;
use xfjit_runtime::num::Rules;
use xfjit_runtime::state::Row;

/// Words of the longest.
const MAX_WORDS: usize = Pipeline::Rankine.words();

/// The kind of a light.
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
    /// The component of the vertex. The reserved mode 7 does this, too, as on the chip (fixed_function.md 3,
    /// step 8).
    Pass,
    /// The distance from a plane in eye space.
    EyeLinear,
    /// The distance from a plane in object space.
    ObjectLinear,
    /// A sphere map for s and t. r comes from the reflected eye vector, except on Celsius, where r passes
    /// unchanged. q passes unchanged.
    SphereMap,
    /// The normal. q passes unchanged.
    NormalMap,
    /// The reflected eye vector. q passes unchanged.
    ReflectionMap,
    /// Bump mapping by shifted coordinates. It affects only s of Celsius's second unit; all others pass unchanged. UNKNOWN: on Kelvin, odd units
    /// that have it from an object of Celsius's class (fixed_function.md 5.7); they pass.
    EmbossMap,
}

/// What a texture unit does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Texture {
    /// Whether it applies its matrix.
    pub matrix: bool,
    /// Whether it multiplies coordinates by 1/w.
    pub perspective: bool,
    /// How it makes each component.
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
    /// The magnitude of the distance from a plane.
    PlanarAbs,
    /// A vertex attribute.
    Attribute,
}

/// The words of XFMODE for a fixed function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mode {
    pipeline: Pipeline,
    words: [u32; MAX_WORDS],
}

impl Mode {
    /// The mode that some words make, in the order of the module's table. Missing words are 0, and further
    /// ones are dropped.
    pub fn new(pipeline: Pipeline, words: &[u32]) -> Self {
        let mut all = [0; MAX_WORDS];
        for (to, from) in all.iter_mut().zip(words).take(pipeline.words()) {
            *to = *from;
        }
        Mode { pipeline, words: all }
    }

    /// The mode that the vectors of XFMODE hold. Its words are the last ones; words before them have no
    /// meaning.
    pub fn from_vectors(pipeline: Pipeline, vectors: &[Row]) -> Self {
        let words = vectors.get(..pipeline.sizes().mode).unwrap_or(vectors).as_flattened();
        Mode::new(pipeline, &words[words.len().saturating_sub(pipeline.words())..])
    }

    /// Puts the words where [`Mode::from_vectors`] finds them.
    pub fn store(&self, vectors: &mut [Row]) {
        let count = self.pipeline.sizes().mode.min(vectors.len());
        let words = vectors[..count].as_flattened_mut();
        let first = words.len().saturating_sub(self.pipeline.words());
        words[first..].iter_mut().zip(self.words()).for_each(|(to, from)| *to = *from);
    }

    /// The fixed function that it belongs to.
    pub const fn pipeline(&self) -> Pipeline {
        self.pipeline
    }

    /// The words.
    pub fn words(&self) -> &[u32] {
        &self.words[..self.pipeline.words()]
    }

    /// The value of a field; 0 if the family lacks it.
    pub fn get(&self, name: Name) -> u32 {
        let place = self.pipeline.place(name);
        place.map_or(0, |Place { word, low, width }| self.words[word] >> low & ((1 << width) - 1))
    }

    /// Sets a field, if the family has it; bits beyond its width are dropped.
    pub fn set(&mut self, name: Name, value: u32) {
        if let Some(Place { word, low, width }) = self.pipeline.place(name) {
            let mask = ((1 << width) - 1) << low;
            self.words[word] = self.words[word] & !mask | value << low & mask;
        }
    }

    /// The mode as a chip has it: fields without effect on that chip are zero.
    #[must_use]
    pub fn on(self, chip: Chip) -> Self {
        if chip.has_raw_attenuation() { self } else { self.with(Name::RawAttenuation, 0) }
    }

    /// Returns the mode with a field set.
    #[must_use]
    pub fn with(mut self, name: Name, value: u32) -> Self {
        self.set(name, value);
        self
    }

    /// Whether a field is not 0.
    pub fn has(&self, name: Name) -> bool {
        self.get(name) != 0
    }

    /// Whether the mode selects the bypass, which only scales and moves positions.
    pub fn is_bypass(&self) -> bool {
        self.value(&values::OPERATION) == Operation::Bypass
    }

    /// Whether a program transforms vertices.
    pub fn runs_programs(&self) -> bool {
        self.value(&values::OPERATION) == Operation::Program
    }

    /// The kind of a light; `None` if it is off.
    pub fn light(&self, light: usize) -> Option<LightMode> {
        self.value(&values::light(u8::try_from(light).ok()?))
    }

    /// The lights that are on. On Celsius the list ends at the first light that is off. UNKNOWN: what later lights do;
    /// no driver can set them up by methods (fixed_function.md 2.3, 3.11). Kelvin and Rankine skip a light that is
    /// off: methods accept such masks, and drivers write them (5.1; UNKNOWN on silicon).
    pub fn lights(&self) -> impl Iterator<Item = (usize, LightMode)> + '_ {
        let end = match self.pipeline {
            Pipeline::Celsius(_) => (0..LIGHTS).find(|&light| self.light(light).is_none()).unwrap_or(LIGHTS),
            Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => LIGHTS,
        };
        (0..end).filter_map(|light| Some((light, self.light(light)?)))
    }

    /// What a texture unit does, if it is on.
    pub fn texture(&self, unit: usize) -> Option<Texture> {
        let number = u8::try_from(unit).ok()?;
        self.has(Name::TexEnable(number)).then(|| Texture {
            matrix: self.has(Name::TexMatrix(number)),
            perspective: self.has(Name::TexPerspective(number)),
            generate: [0, 1, 2, 3].map(|component| self.value(&values::generation(number, component))),
        })
    }

    /// Where the distance of fog comes from, if there is fog.
    pub fn fog(&self) -> Option<FogCoord> {
        self.has(Name::FogEnable).then(|| self.value(&values::FOG_COORD))
    }

    /// The rules of XF's arithmetic. UNKNOWN: whether Rankine's switch affects the fixed function; here it
    /// does.
    pub fn rules(&self) -> Rules {
        match self.pipeline {
            Pipeline::Celsius(_) => Rules::Celsius,
            Pipeline::Kelvin => Rules::Kelvin,
            Pipeline::Rankine | Pipeline::Curie if self.has(Name::ArithRules) => Rules::RankineModern,
            Pipeline::Rankine | Pipeline::Curie => Rules::RankineLegacy,
        }
    }
}

/// The fields that are not 0, a word a line.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.pipeline.fields();
        for (number, (word, name)) in self.words().iter().zip(self.pipeline.word_names()).enumerate() {
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
    fn fields_are_where_the_documents_have_them() {
        let mode = Mode::new(Pipeline::NV15, &[0x1000_0000, 0xa000_204a]);
        assert!(mode.is_bypass() && mode.has(Name::Lighting) && mode.has(Name::FogEnable));
        assert_eq!(mode.get(Name::TexGen(0, 3)), 2);
        let kelvin = Mode::new(Pipeline::Kelvin, &[0x0400_0000, 1 << 19 | 2 << 6, 0, 0x0003_0001]);
        assert_eq!(kelvin.get(Name::Weight), 1);
        assert_eq!(kelvin.get(Name::Source(Side::Front, Property::Specular)), 1);
        assert_eq!(kelvin.get(Name::Source(Side::Back, Property::Emission)), 2);
        assert!(kelvin.texture(0).is_some() && kelvin.texture(1).is_some_and(|unit| unit.matrix));
        let rankine = Mode::new(Pipeline::Rankine, &[0x21, 0, 0, 1 << 16]);
        assert!(rankine.has(Name::ClipPlane(5)) && rankine.texture(7).is_some());
    }

    /// Whatever its mode says; Kelvin has one in mode 1.
    #[test]
    fn rankine_has_no_bypass() {
        let mode = |pipeline, value| Mode::new(pipeline, &[]).with(Name::Mode, value);
        assert_eq!([0, 1, 2, 3].map(|value| mode(Pipeline::Rankine, value).is_bypass()), [false; 4]);
        assert_eq!([0, 1, 2].map(|value| mode(Pipeline::Kelvin, value).is_bypass()), [false, true, false]);
    }

    #[test]
    fn words_stand_last_in_the_vectors_that_hold_them() {
        for pipeline in Pipeline::ALL {
            let words: Vec<u32> = (1..=pipeline.words() as u32).collect();
            let mode = Mode::new(pipeline, &words);
            let mut vectors = [[9; 4]; 2];
            mode.store(&mut vectors);
            assert_eq!(Mode::from_vectors(pipeline, &vectors), mode);
            let want = match pipeline {
                Pipeline::Celsius(_) => [[9, 9, 1, 2], [9; 4]],
                Pipeline::Kelvin => [[1, 2, 3, 4], [9; 4]],
                Pipeline::Rankine | Pipeline::Curie => [[9, 1, 2, 3], [4, 5, 6, 7]],
            };
            assert_eq!(vectors, want);
            assert_eq!(Mode::from_vectors(pipeline, &[]), Mode::new(pipeline, &[]));
            mode.store(&mut []);
        }
    }

    #[test]
    fn what_is_set_is_read() {
        for pipeline in Pipeline::ALL {
            for (name, place) in pipeline.fields() {
                let most = (1 << place.width) - 1;
                let mode = Mode::new(pipeline, &[]).with(name, most);
                assert_eq!(mode.get(name), most);
                assert_eq!(mode.words().iter().map(|word| word.count_ones()).sum::<u32>(), place.width);
                assert!(mode.to_string().contains(&name.to_string()));
                assert_eq!(mode.with(name, 0), Mode::new(pipeline, &[]));
            }
        }
    }
}
