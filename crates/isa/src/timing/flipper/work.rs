//! What a configuration of the transform unit asks for.

use crate::chip::flipper::memory::Memory;
use crate::chip::flipper::registers::{self, CHANNEL_COUNT, CHANNELS, SPEC_NORMALS, VERTEX_SPEC};
use crate::chip::flipper::transform::{Generator, Transform, Vertices};

/// Rows of a matrix of positions or normals.
const ROWS: u16 = 3;

/// What a vertex takes of the unit, counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Work {
    /// Rows of matrices for the position. The projection has no full rows, and belongs to what every vertex takes.
    pub position: u16,
    /// Rows for normal, tangent and binormal.
    pub normals: u16,
    /// Rows for texture coordinates, in both transformations; embossing has a product with the tangent and one with the binormal.
    pub texcoords: u16,
    /// Lights, once for each channel that leaves. UNKNOWN: whether a channel's alpha takes time of its own; here it does not.
    pub lights: u16,
}

impl Work {
    /// Of the registers: how many normals vertices have is said there, too (1008).
    pub fn new(memory: &Memory, vertices: Vertices) -> Work {
        let transform = Transform::new(memory, vertices);
        let normals = match SPEC_NORMALS.of(memory.word(VERTEX_SPEC)) {
            0 => 0,
            1 => 1,
            _ => 3,
        };
        let texcoord = |number: usize| {
            let texgen = transform.texgen(number);
            match texgen.generator {
                Generator::Regular => 2 + u16::from(texgen.projects) + if transform.dual { ROWS } else { 0 },
                Generator::Emboss => 2,
                Generator::Colour(_) => 0,
            }
        };
        let channels = CHANNEL_COUNT.of(memory.word(CHANNELS)).min(2) as usize;
        let lights = |channel: usize| {
            let lit = transform.channel(channel).into_iter().filter_map(|control| control.lighting);
            lit.fold(0u8, |all, lighting| all | lighting.lights).count_ones() as u16
        };
        Work {
            position: ROWS,
            normals: normals * ROWS,
            texcoords: (0..transform.texgen_count()).map(texcoord).sum(),
            lights: (0..channels).map(lights).sum(),
        }
    }

    /// All rows of matrices.
    pub const fn rows(&self) -> u16 {
        self.position + self.normals + self.texcoords
    }
}

/// The register with a number of clocks that a vertex should take, in the unit's own words a target (7 bits; a later version of
/// the page on Flipper that docs/DEPARTURES.md numbers 003 has it). UNKNOWN: what the unit does with it.
const TARGET: u16 = registers::REGISTERS + 7;

/// The target that is set, if one is.
pub fn target(memory: &Memory) -> Option<u32> {
    Some(memory.word(TARGET) & 0x7f).filter(|&clocks| clocks != 0)
}
