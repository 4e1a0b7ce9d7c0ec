//! What the values of fields mean, for those that are more than a switch or a number: a row for each, which names the field
//! and decodes what it holds. Beside it the bypass reads FOG_COORD, which means another thing there (`front::fixed`), and the unit
//! which class of programs MODE runs, in terms of decoding.

use super::{FogCoord, Gen, LightMode, Mode, Name, Property, Side};
use crate::chip::{Family, Pipeline};

/// A field whose values have names.
pub struct Field<T> {
    name: Name,
    decode: fn(Pipeline, Name, u32) -> T,
}

/// Who transforms vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The fixed function.
    Fixed,
    /// What is left of it: positions are scaled and moved.
    Bypass,
    /// A program.
    Program,
}

/// The operating mode. UNKNOWN: Rankine has no bypass; its mode 1 is illegal and taken for the fixed function. On Kelvin mode 3
/// is rejected by FE; here it runs the program.
pub const OPERATION: Field<Operation> = Field {
    name: Name::Mode,
    decode: |pipeline, _, bits| match (pipeline, bits) {
        (_, 0) | (Pipeline::Rankine | Pipeline::Curie, 1) => Operation::Fixed,
        (Pipeline::Celsius(_), 1..) | (Pipeline::Kelvin, 1) => Operation::Bypass,
        (Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie, 2..) => Operation::Program,
    },
};

/// Where the distance of fog comes from. UNKNOWN: Kelvin's reserved codes 5 to 7 are taken for 4.
pub const FOG_COORD: Field<FogCoord> = Field {
    name: Name::FogCoord,
    decode: |pipeline, _, bits| match (bits, pipeline) {
        (0, _) => FogCoord::SpecularAlpha,
        (1, _) => FogCoord::Radial,
        (2, _) => FogCoord::Planar,
        (3, Pipeline::Celsius(_) | Pipeline::Kelvin) => FogCoord::PlanarAbs,
        (3, Pipeline::Rankine | Pipeline::Curie) | (4.., _) => FogCoord::Attribute,
    },
};

/// How matrices are blended: how many there are, and how many weights a vertex gives. On Celsius a vertex gives one of two.
/// UNKNOWN: the reserved mode 7 is taken for 0.
pub const WEIGHTS: Field<Option<(usize, usize)>> = Field {
    name: Name::Weight,
    decode: |_, _, bits| match bits {
        1 => Some((2, 1)),
        2 => Some((2, 2)),
        3 => Some((3, 2)),
        4 => Some((3, 3)),
        5 => Some((4, 3)),
        6 => Some((4, 4)),
        _ => None,
    },
};

/// The mode of a light that is on.
pub const fn light(light: u8) -> Field<Option<LightMode>> {
    Field {
        name: Name::Light(light),
        decode: |_, _, bits| match bits {
            1 => Some(LightMode::Infinite),
            2 => Some(LightMode::Local),
            3 => Some(LightMode::Spot),
            _ => None,
        },
    }
}

/// Kelvin and later: which of a vertex's colours takes the place of a material property. UNKNOWN: the reserved source 3; here
/// the material property, as 0.
pub const fn source(side: Side, property: Property) -> Field<Option<usize>> {
    Field {
        name: Name::Source(side, property),
        decode: |_, _, bits| match bits {
            1 => Some(0),
            2 => Some(1),
            _ => None,
        },
    }
}

/// How a component of a unit's coordinates is made; what a component does not have passes. UNKNOWN: Kelvin is said to have
/// maps on all components (fixed_function.md 5.7), of which only these are defined; and Rankine's sphere map on r.
pub const fn generation(unit: u8, component: u8) -> Field<Gen> {
    Field {
        name: Name::TexGen(unit, component),
        decode: |pipeline, name, bits| {
            let Name::TexGen(unit, component) = name else { return Gen::Pass };
            let celsius = pipeline.family() == Family::Celsius;
            match (bits, component) {
                (1, _) => Gen::EyeLinear,
                (2, _) => Gen::ObjectLinear,
                (3, 2) if celsius => Gen::Pass,
                (3, 2) => Gen::ReflectionMap,
                (3, 0..2) => Gen::SphereMap,
                (4, 0..3) => Gen::NormalMap,
                (5, 0..3) => Gen::ReflectionMap,
                (6, 0) if celsius && unit == 1 => Gen::EmbossMap,
                _ => Gen::Pass,
            }
        },
    }
}

impl Mode {
    /// What a field means; where the family has none of the name, what 0 does.
    pub fn value<T>(&self, field: &Field<T>) -> T {
        (field.decode)(self.pipeline, field.name, self.get(field.name))
    }
}
