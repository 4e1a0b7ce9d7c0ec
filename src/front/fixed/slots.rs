//! Which slot of which memory, attribute or output holds what: one table for each family (fixed_function.md 2.1, 5.3,
//! 6 and 7, and its tables).

use super::chip::Family;
use super::fields::Side;

/// A slot of LTC: which of the four, and where.
pub(super) type Ltc = (u8, usize);

/// What the transform half reads.
#[derive(Debug)]
pub(super) struct Slots {
    /// Object, or blended eye space, to window.
    pub projection: usize,
    /// Object to eye space; the inverse, for normals, stands four rows behind each.
    pub model_view: [usize; 4],
    pub light_position: usize,
    pub spot_direction: usize,
    pub eye_position: usize,
    pub fog_plane: usize,
    /// Rankine alone applies a scale.
    pub viewport_scale: usize,
    pub viewport_translate: usize,
    /// Planes of generated coordinates; the matrix stands four rows behind them.
    pub texture: [usize; 8],
    pub lighting: Lighting,
    pub attributes: Attributes,
    pub outputs: Outputs,
}

/// What the lighting half reads: slots of LTCTX unless they say otherwise.
#[derive(Debug)]
pub(super) struct Lighting {
    /// Slots of a light, of both sides together.
    pub stride: usize,
    /// Ambient, diffuse and specular colour, front and back.
    pub colours: [usize; 2],
    /// Half vector of an infinite light, attenuation of others; Rankine: in XFCTX, one slot a light.
    pub half: usize,
    /// Direction of an infinite light; Rankine: in XFCTX, one slot a light.
    pub direction: usize,
    /// Eye direction where it is the same for all vertices; Rankine: in XFCTX.
    pub eye_direction: usize,
    pub scene: [usize; 2],
    pub factor: [usize; 2],
    pub zero: usize,
    /// Constant, linear and quadratic coefficient.
    pub points: usize,
    /// Range of point sizes.
    pub point_range: usize,
    pub point_bias: Ltc,
    pub point_least: Ltc,
    /// A to F, front and back.
    pub shininess: [[Ltc; 6]; 2],
    pub range: Ltc,
    pub cutoff: [Ltc; 3],
    /// Alpha of the material, front and back.
    pub alpha: [Ltc; 2],
}

/// Vertex attributes.
#[derive(Debug)]
pub(super) struct Attributes {
    pub weight: usize,
    pub normal: usize,
    pub colours: [usize; 2],
    pub fog: usize,
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
    /// The same of the back (not on Celsius).
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
    pub const fn of(family: Family) -> Outputs {
        match family {
            Family::Celsius | Family::Kelvin => Outputs {
                position: 0,
                front: [3, 4],
                back: [7, 8],
                fog: 5,
                point_size: 6,
                texture: 9,
                clip: 17,
            },
            Family::Rankine => Outputs {
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

/// Index of a side in the tables.
pub(super) const fn index(side: Side) -> usize {
    match side {
        Side::Front => 0,
        Side::Back => 1,
    }
}

/// Where positions are read in every family.
pub(super) const POSITION: usize = 0;
/// The row of nothing, where a family has no such slot: reads as 0.
const NONE: usize = usize::MAX / 16;

pub(super) const fn slots(family: Family) -> &'static Slots {
    match family {
        Family::Celsius => &CELSIUS,
        Family::Kelvin => &KELVIN,
        Family::Rankine => &RANKINE,
    }
}

static CELSIUS: Slots = Slots {
    projection: 0x08,
    model_view: [0x00, 0x0c, NONE, NONE],
    light_position: 0x24,
    spot_direction: 0x2c,
    eye_position: 0x34,
    fog_plane: 0x38,
    viewport_scale: NONE,
    viewport_translate: 0x39,
    texture: [0x14, 0x1c, NONE, NONE, NONE, NONE, NONE, NONE],
    lighting: Lighting {
        stride: 5,
        colours: [0, NONE],
        half: 3,
        direction: 4,
        eye_direction: 0x28,
        scene: [0x29, NONE],
        factor: [0x2a, NONE],
        zero: 0x2c,
        points: 0x2d,
        point_range: 0x2e,
        point_bias: (1, 2),
        point_least: (3, 1),
        shininess: [[(1, 1), (2, 1), (3, 2), (0, 2), (2, 2), (2, 3)], [(0, NONE); 6]],
        range: (1, 0x03),
        cutoff: [(1, 0x0b), (2, 0x04), (3, 0x03)],
        alpha: [(3, 0x0b), (3, NONE)],
    },
    attributes: Attributes { weight: 6, normal: 5, colours: [1, 2], fog: NONE, texture: 3 },
    outputs: Outputs::of(Family::Celsius),
};

static KELVIN: Slots = Slots {
    projection: 0x00,
    model_view: [0x08, 0x10, 0x18, 0x20],
    light_position: 0x28,
    spot_direction: 0x30,
    eye_position: 0x38,
    fog_plane: 0x39,
    viewport_scale: 0x3a,
    viewport_translate: 0x3b,
    texture: [0x40, 0x48, 0x50, 0x58, NONE, NONE, NONE, NONE],
    lighting: Lighting {
        stride: 8,
        colours: [0, 5],
        half: 3,
        direction: 4,
        eye_direction: 0x40,
        scene: [0x41, 0x42],
        factor: [0x43, 0x44],
        zero: 0x46,
        points: 0x47,
        point_range: 0x48,
        point_bias: (1, 3),
        point_least: (3, 1),
        shininess: [
            [(1, 1), (2, 1), (3, 2), (0, 2), (2, 3), (2, 5)],
            [(1, 2), (2, 2), (3, 3), (0, 3), (2, 4), (2, 6)],
        ],
        range: (1, 0x04),
        cutoff: [(1, 0x0c), (2, 0x07), (3, 0x04)],
        alpha: [(3, 0x0c), (3, 0x0d)],
    },
    attributes: Attributes { weight: 1, normal: 2, colours: [3, 4], fog: 5, texture: 9 },
    outputs: Outputs::of(Family::Kelvin),
};

static RANKINE: Slots = Slots {
    projection: 0x3c,
    model_view: [0x44, 0x4c, 0x54, 0x5c],
    light_position: 0x64,
    spot_direction: 0x6c,
    eye_position: 0x74,
    fog_plane: 0x75,
    viewport_scale: 0x76,
    viewport_translate: 0x77,
    texture: [0x7c, 0x84, 0x8c, 0x94, 0x00, 0x08, 0x10, 0x18],
    lighting: Lighting {
        stride: 6,
        colours: [0, 3],
        half: 0x30,
        direction: 0x28,
        eye_direction: 0x38,
        scene: [0x30, 0x31],
        factor: [0x32, 0x33],
        zero: 0x34,
        points: 0x26,
        point_range: 0x27,
        point_bias: (0, NONE),
        point_least: (0, NONE),
        shininess: [
            [(1, 1), (2, 1), (3, 1), (1, 3), (2, 3), (3, 3)],
            [(1, 2), (2, 2), (3, 2), (1, 4), (2, 4), (3, 4)],
        ],
        range: (1, 0x05),
        cutoff: [(1, 0x0d), (2, 0x05), (3, 0x05)],
        alpha: [(3, 0x0d), (3, 0x0e)],
    },
    attributes: Attributes { weight: 1, normal: 2, colours: [3, 4], fog: 5, texture: 8 },
    outputs: Outputs::of(Family::Rankine),
};
/// Clip planes of Rankine.
pub(super) const CLIP_PLANES: usize = 0x20;
