//! The reference of Flipper's transform unit: one vertex at a time, as docs/spec/flipper.md 3 has it, without IR.
//!
//! Every operation is one of IEEE single precision, in the order of the text; nothing is fused. A NaN becomes the canonical one where
//! it leaves.

mod light;
mod texgen;

use crate::chip::flipper::transform::Transform;
use crate::chip::flipper::{input, output, rows};
use crate::config::{Depth, FlipperQuirks, Storage};
use crate::shader::{Fallback, Faults, Worker};
use std::ops::Range;
use xfjit_runtime::batch::registers;
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::CANONICAL_NAN;
use xfjit_runtime::num::bits::ONE;
use xfjit_runtime::state::{OUTPUTS, Row};

/// The second float below 1.0, by which Dolphin lessens depth.
pub(crate) const LESSENED: u32 = 0x3f7f_fffe;
/// The bits of a word that a memory of 20 bits keeps.
pub(crate) const UPPER_20: u32 = 0xffff_f000;

type Vec3 = [f32; 3];

/// A configuration that is run vertex by vertex.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) transform: Transform,
    pub(crate) quirks: FlipperQuirks,
    /// Output registers that are written, as a mask.
    pub(crate) live_outputs: u32,
    /// Attributes that these depend on, as a mask.
    pub(crate) live_inputs: u16,
}

/// A vertex on its way.
struct Vertex<'a> {
    unit: &'a Unit,
    constants: &'a Constants<'a>,
    attribute: &'a dyn Fn(usize) -> Row,
    eye: Vec3,
    /// Unit normal, tangent, binormal.
    normals: [Vec3; 3],
    /// Channels as integers.
    colours: [[u32; 4]; 2],
    coordinates: [Vec3; 8],
}

impl Fallback for Unit {
    fn live_inputs(&self) -> u16 {
        self.live_inputs
    }

    fn run(
        &self,
        _: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
    ) -> Faults {
        FpEnv::Default.within(|| {
            for position in positions {
                let outputs = self.vertex(constants, &|register| match self.live_inputs >> register & 1 {
                    0 => [0; 4],
                    _ => bound.inputs().fetch(register, position),
                });
                for register in registers(self.live_outputs) {
                    bound.store(register, position, outputs[register]);
                }
            }
        });
        Faults::default()
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// The left to right sum of products.
fn dot([ax, ay, az]: Vec3, [bx, by, bz]: Vec3) -> f32 {
    ax * bx + ay * by + az * bz
}

fn sub([ax, ay, az]: Vec3, [bx, by, bz]: Vec3) -> Vec3 {
    [ax - bx, ay - by, az - bz]
}

fn unit([x, y, z]: Vec3) -> Vec3 {
    let length = dot([x, y, z], [x, y, z]).sqrt();
    [x / length, y / length, z / length]
}

fn floats<const N: usize>(row: Row) -> [f32; N] {
    std::array::from_fn(|component| f32::from_bits(row[component]))
}

impl Unit {
    fn vertex(&self, constants: &Constants<'_>, attribute: &dyn Fn(usize) -> Row) -> [Row; OUTPUTS] {
        let mut vertex = Vertex {
            unit: self,
            constants,
            attribute,
            eye: [0.0; 3],
            normals: [[0.0; 3]; 3],
            colours: [[0; 4]; 2],
            coordinates: [[0.0; 3]; 8],
        };
        vertex.eye = vertex.position();
        vertex.normals = vertex.normals();
        vertex.colours = [vertex.channel(0), vertex.channel(1)];
        for number in 0..self.transform.texgen_count() {
            vertex.coordinates[number] = vertex.coordinate(number);
        }
        vertex.outputs()
    }
}

impl Vertex<'_> {
    fn constant<const N: usize>(&self, row: usize) -> [f32; N] {
        floats(self.constants.row(row))
    }

    /// A row of a memory that may keep 20 bits of a word only.
    fn short<const N: usize>(&self, row: usize) -> [f32; N] {
        let kept = match self.unit.quirks.storage {
            Storage::Full => u32::MAX,
            Storage::Upper20 => UPPER_20,
        };
        floats(self.constants.row(row).map(|word| word & kept))
    }

    fn input<const N: usize>(&self, register: usize) -> [f32; N] {
        floats((self.attribute)(register))
    }

    /// The first row of a matrix: 0 is that of the position, then come those of texture coordinates.
    fn index(&self, number: usize) -> usize {
        let word = match self.unit.transform.vertices.index_byte(number) {
            Some(byte) => (self.attribute)(input::MATRICES)[byte / 4] >> (8 * (byte % 4)),
            None => self.constants.row(rows::INDICES + number / 4)[number % 4],
        };
        (word & 63) as usize
    }

    /// A row of a matrix of positions or texture coordinates.
    fn matrix(&self, first: usize, row: usize) -> [f32; 4] {
        self.constant(rows::POSITION_MATRICES.start + ((first + row) & 63))
    }

    /// docs/spec/flipper.md 3.1.
    fn position(&self) -> Vec3 {
        let [x, y, z] = self.input(input::POSITION);
        let first = self.index(0);
        [0, 1, 2].map(|row| {
            let [m0, m1, m2, m3] = self.matrix(first, row);
            m0 * x + m1 * y + m2 * z + m3
        })
    }

    /// docs/spec/flipper.md 3.2.
    fn normals(&self) -> [Vec3; 3] {
        let first = self.index(0);
        let [normal, tangent, binormal] = [input::NORMAL, input::TANGENT, input::BINORMAL].map(|register| {
            let vector = self.input(register);
            [0, 1, 2].map(|row| dot(self.short(rows::NORMAL_MATRICES.start + ((first + row) & 31)), vector))
        });
        [unit(normal), tangent, binormal]
    }

    /// docs/spec/flipper.md 3.3.
    fn clip_position(&self) -> [f32; 4] {
        let [ex, ey, ez] = self.eye;
        let [p0, p1, p2, p3] = self.constant(rows::PROJECTION);
        let [p4, p5] = self.constant(rows::PROJECTION_DEPTH);
        let depth = p4 * ez + p5;
        if self.unit.transform.orthographic {
            return [p0 * ex + p1, p2 * ey + p3, depth, 1.0];
        }
        let depth = match self.unit.quirks.depth {
            Depth::Plain => depth,
            Depth::Lessened => depth * f32::from_bits(LESSENED),
        };
        [p0 * ex + p1 * ez, p2 * ey + p3 * ez, depth, -ez]
    }

    fn outputs(&self) -> [Row; OUTPUTS] {
        let bits = |x: f32| if x.is_nan() { CANONICAL_NAN } else { x.to_bits() };
        let vector = |[x, y, z]: Vec3, w: u32| [bits(x), bits(y), bits(z), w];
        let clip = self.clip_position();
        let [x, y, z, w] = clip;
        let outside = [w - x < 0.0, x + w < 0.0, w - y < 0.0, y + w < 0.0, w * z > 0.0, z + w < 0.0];
        let mask = (0..6).fold(0, |mask, bit| mask | u32::from(outside[bit]) << bit);
        let [sx, sy, sz] = self.constant(rows::VIEWPORT_SCALE);
        let [ox, oy, oz] = self.constant(rows::VIEWPORT_OFFSET);
        let inverse = 1.0 / w;
        let screen = [x * inverse * sx + ox, y * inverse * sy + oy, z * inverse * sz + oz];
        let mut outputs = [[0; 4]; OUTPUTS];
        outputs[output::CLIP] = clip.map(bits);
        outputs[output::SCREEN] = vector(screen, bits(inverse));
        outputs[output::EYE] = vector(self.eye, ONE);
        let normals = [output::NORMAL, output::TANGENT, output::BINORMAL];
        for (register, normal) in normals.into_iter().zip(self.normals) {
            outputs[register] = vector(normal, 0);
        }
        outputs[output::COLOUR..][..2].copy_from_slice(&self.colours);
        for (number, &coordinate) in self.coordinates.iter().enumerate() {
            outputs[output::TEXCOORD + number] = vector(coordinate, 0);
        }
        outputs[output::FLAGS] = [mask, 0, 0, 0];
        outputs
    }
}
