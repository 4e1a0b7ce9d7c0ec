//! Which slot of which memory, attribute or output holds what: one table for each family (fixed_function.md 2.1, 5.3,
//! 6 and 7, and its tables).

use super::mode::Side;
use super::{Generation, Pipeline};

/// A slot of LTC: which of the four, and where.
pub type Ltc = (u8, usize);

/// What the transform half reads.
#[derive(Debug)]
pub struct Slots {
    /// Object, or blended eye space, to window.
    pub projection: usize,
    /// Object to eye space; the inverse, for normals, is four rows after each.
    pub model_view: &'static [usize],
    /// Position of light 0; the others follow.
    pub light_position: usize,
    /// Direction of the spot of light 0; the others follow.
    pub spot_direction: usize,
    /// Position of the eye.
    pub eye_position: usize,
    /// Plane that the fog coordinate is generated from.
    pub fog_plane: usize,
    /// Kelvin's scales what passes by, Rankine's what is transformed.
    pub viewport_scale: Option<usize>,
    /// What the viewport adds.
    pub viewport_translate: usize,
    /// Planes of generated coordinates; the matrix is four rows after them.
    pub texture: &'static [usize],
    /// What the lighting half reads.
    pub lighting: Lighting,
    /// Where vertex attributes are.
    pub attributes: Attributes,
    /// Where results go.
    pub outputs: Outputs,
}

/// What the lighting half reads: slots of LTCTX unless they say otherwise.
#[derive(Debug)]
pub struct Lighting {
    /// Slots of a light, of both sides together.
    pub stride: usize,
    /// Half vector of an infinite light, attenuation of others; Rankine: in XFCTX, one slot a light.
    pub half: usize,
    /// Direction of an infinite light; Rankine: in XFCTX, one slot a light.
    pub direction: usize,
    /// Eye direction where it is the same for all vertices; Rankine: in XFCTX.
    pub eye_direction: usize,
    /// A vector of zeros.
    pub zero: usize,
    /// Where point sizes come from.
    pub points: Points,
    /// Range of lights.
    pub range: Ltc,
    /// Cutoff of spots.
    pub cutoff: [Ltc; 3],
    /// The front of a face.
    pub front: Surface,
    /// Celsius lights front sides alone.
    pub back: Option<Surface>,
}

/// What point sizes are computed from.
#[derive(Debug)]
pub enum Points {
    /// In LT.
    Lt {
        /// Constant, linear and quadratic coefficient.
        coefficients: usize,
        /// Range of lights.
        range: usize,
        /// What is added.
        bias: Ltc,
        /// The least size.
        least: Ltc,
    },
    /// In XFCTX: the same coefficients; range, bias and least size.
    Xf {
        /// Constant, linear and quadratic coefficient.
        coefficients: usize,
        /// Range, bias and least size.
        sizes: usize,
    },
}

/// What the lighting of one side of a face reads.
#[derive(Debug)]
pub struct Surface {
    /// Ambient, diffuse and specular colour of light 0.
    pub colours: usize,
    /// The scene's ambient colour.
    pub scene: usize,
    /// The material's factor.
    pub factor: usize,
    /// A to F.
    pub shininess: [Ltc; 6],
    /// Alpha of the material.
    pub alpha: Ltc,
}

impl Lighting {
    /// A side's; the front's where a family lights no other.
    pub fn surface(&self, side: Side) -> &Surface {
        match (side, &self.back) {
            (Side::Back, Some(back)) => back,
            (Side::Front, _) | (Side::Back, None) => &self.front,
        }
    }
}

/// Vertex attributes.
#[derive(Debug)]
pub struct Attributes {
    /// Weight of blended matrices.
    pub weight: usize,
    /// The normal.
    pub normal: usize,
    /// Primary and secondary colour.
    pub colours: [usize; 2],
    /// Not on Celsius.
    pub fog: Option<usize>,
    /// Coordinates of texture unit 0; the other units follow.
    pub texture: usize,
}

/// Output registers: those of programs on the same chip, Kelvin's on Celsius. A colour's components are integers 0 to
/// 255. Fog and point size are in x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outputs {
    /// Window x, y, z; the fourth is 1/w on Celsius, w on the others.
    pub position: u8,
    /// Primary and secondary colour of the front.
    pub front: [u8; 2],
    /// Colours of the back (not on Celsius).
    pub back: [u8; 2],
    /// Fog, as the rasteriser takes it.
    pub fog: u8,
    /// Point size, as the rasteriser takes it.
    pub point_size: u8,
    /// Coordinates of texture unit 0; the other units follow.
    pub texture: u8,
    /// Distance from clip plane 0; the others follow (Rankine only).
    pub clip: u8,
}

impl Outputs {
    /// The registers of a family.
    pub const fn of(pipeline: Pipeline) -> Outputs {
        match pipeline {
            Pipeline::Celsius(_) | Pipeline::Kelvin => Outputs {
                position: 0,
                front: [3, 4],
                back: [7, 8],
                fog: 5,
                point_size: 6,
                texture: 9,
                clip: 17,
            },
            Pipeline::Rankine | Pipeline::Curie => Outputs {
                position: 0,
                front: [3, 4],
                back: [1, 2],
                fog: 5,
                point_size: 6,
                texture: 8,
                clip: 17,
            },
        }
    }

    /// The colours of a side.
    pub const fn colours(&self, side: Side) -> [u8; 2] {
        match side {
            Side::Front => self.front,
            Side::Back => self.back,
        }
    }
}

/// Where positions are read in every family.
pub const POSITION: usize = 0;

/// The table of a family.
pub const fn slots(pipeline: Pipeline) -> &'static Slots {
    match pipeline {
        Pipeline::Celsius(_) => &CELSIUS,
        Pipeline::Kelvin => &KELVIN,
        Pipeline::Rankine | Pipeline::Curie => &RANKINE,
    }
}

static CELSIUS: Slots = Slots {
    projection: 0x08,
    model_view: &[0x00, 0x0c],
    light_position: 0x24,
    spot_direction: 0x2c,
    eye_position: 0x34,
    fog_plane: 0x38,
    viewport_scale: None,
    viewport_translate: 0x39,
    texture: &[0x14, 0x1c],
    lighting: Lighting {
        stride: 5,
        half: 3,
        direction: 4,
        eye_direction: 0x28,
        zero: 0x2c,
        points: Points::Lt { coefficients: 0x2d, range: 0x2e, bias: (1, 2), least: (3, 1) },
        range: (1, 0x03),
        cutoff: [(1, 0x0b), (2, 0x04), (3, 0x03)],
        front: Surface {
            colours: 0,
            scene: 0x29,
            factor: 0x2a,
            shininess: [(1, 1), (2, 1), (3, 2), (0, 2), (2, 2), (2, 3)],
            alpha: (3, 0x0b),
        },
        back: None,
    },
    attributes: Attributes { weight: 6, normal: 5, colours: [1, 2], fog: None, texture: 3 },
    outputs: Outputs::of(Pipeline::NV15),
};

const KELVIN_VIEWPORT: [u16; 2] = Generation::Kelvin.viewport_rows();
const RANKINE_VIEWPORT: [u16; 2] = Generation::Rankine.viewport_rows();

static KELVIN: Slots = Slots {
    projection: 0x00,
    model_view: &[0x08, 0x10, 0x18, 0x20],
    light_position: 0x28,
    spot_direction: 0x30,
    eye_position: 0x38,
    fog_plane: 0x39,
    viewport_scale: Some(KELVIN_VIEWPORT[0] as usize),
    viewport_translate: KELVIN_VIEWPORT[1] as usize,
    texture: &[0x40, 0x48, 0x50, 0x58],
    lighting: Lighting {
        stride: 8,
        half: 3,
        direction: 4,
        eye_direction: 0x40,
        zero: 0x46,
        points: Points::Lt { coefficients: 0x47, range: 0x48, bias: (1, 3), least: (3, 1) },
        range: (1, 0x04),
        cutoff: [(1, 0x0c), (2, 0x07), (3, 0x04)],
        front: Surface {
            colours: 0,
            scene: 0x41,
            factor: 0x43,
            shininess: [(1, 1), (2, 1), (3, 2), (0, 2), (2, 3), (2, 5)],
            alpha: (3, 0x0c),
        },
        back: Some(Surface {
            colours: 5,
            scene: 0x42,
            factor: 0x44,
            shininess: [(1, 2), (2, 2), (3, 3), (0, 3), (2, 4), (2, 6)],
            alpha: (3, 0x0d),
        }),
    },
    attributes: Attributes { weight: 1, normal: 2, colours: [3, 4], fog: Some(5), texture: 9 },
    outputs: Outputs::of(Pipeline::Kelvin),
};

static RANKINE: Slots = Slots {
    projection: 0x3c,
    model_view: &[0x44, 0x4c, 0x54, 0x5c],
    light_position: 0x64,
    spot_direction: 0x6c,
    eye_position: 0x74,
    fog_plane: 0x75,
    viewport_scale: Some(RANKINE_VIEWPORT[0] as usize),
    viewport_translate: RANKINE_VIEWPORT[1] as usize,
    texture: &[0x7c, 0x84, 0x8c, 0x94, 0x00, 0x08, 0x10, 0x18],
    lighting: Lighting {
        stride: 6,
        half: 0x30,
        direction: 0x28,
        eye_direction: 0x38,
        zero: 0x34,
        points: Points::Xf { coefficients: 0x26, sizes: 0x27 },
        range: (1, 0x05),
        cutoff: [(1, 0x0d), (2, 0x05), (3, 0x05)],
        front: Surface {
            colours: 0,
            scene: 0x30,
            factor: 0x32,
            shininess: [(1, 1), (2, 1), (3, 1), (1, 3), (2, 3), (3, 3)],
            alpha: (3, 0x0d),
        },
        back: Some(Surface {
            colours: 3,
            scene: 0x31,
            factor: 0x33,
            shininess: [(1, 2), (2, 2), (3, 2), (1, 4), (2, 4), (3, 4)],
            alpha: (3, 0x0e),
        }),
    },
    attributes: Attributes { weight: 1, normal: 2, colours: [3, 4], fog: Some(5), texture: 8 },
    outputs: Outputs::of(Pipeline::Rankine),
};
/// Clip planes of Rankine.
pub const CLIP_PLANES: usize = 0x20;
