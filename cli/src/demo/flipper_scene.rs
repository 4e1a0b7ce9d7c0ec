//! The scene of `xfjit demo --flipper`: a torus as the GameCube's programs would have it drawn. Arrays in the guest's memory, registers,
//! a strip of triangles for each of its rings; every other ring is in a display list.
//!
//! All numbers come from +, -, *, / and square roots, which are the same on every host.

use crate::demo_scene::LOOK;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::registers as xf;
use xfjit::chip::flipper::vat::{Field, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};

/// Rings around the hole, and corners of each.
const RINGS: usize = 128;
const CORNERS: usize = 64;
/// Of the middle of the tube, and of the tube.
const RADII: [f64; 2] = [1.0, 0.44];
/// Bits of fraction of positions, normals and texture coordinates.
const POSITION_BITS: u32 = 13;
const NORMAL_BITS: u32 = 14;
const TEXCOORD_BITS: u32 = 5;

/// Rotation about z, then about x, as (cosine, sine).
const TURN: [(f64, f64); 2] = [(12.0 / 13.0, 5.0 / 13.0), (0.6, -0.8)];
const DISTANCE: f64 = 6.0;
const NEAR: f64 = 3.0;
const FAR: f64 = 9.0;
/// One over the tangent of half of the vertical field of view.
const LENS: f64 = 4.1;

/// The table of formats that is used, and rows of matrices.
const VAT: usize = 2;
const TEXTURE_MATRIX: u16 = 30;
const SHEEN_MATRIX: u16 = 33;

/// A stream of commands, and what the guest's memory holds.
pub struct Scene {
    pub stream: Vec<u8>,
    pub memory: Vec<u8>,
}

/// Cosines and sines of `count` steps around a circle, 4 times a power of two, and the first again.
fn circle(count: usize) -> Vec<[f64; 2]> {
    // Halves of a quarter, until there are enough.
    let (mut step, mut parts) = ([0.0, 1.0], 4);
    while parts < count {
        let [cos, _]: [f64; 2] = step;
        step = [((1.0 + cos) / 2.0).sqrt(), ((1.0 - cos) / 2.0).sqrt()];
        parts *= 2;
    }
    let turn = |[x, y]: [f64; 2]| [x * step[0] - y * step[1], x * step[1] + y * step[0]];
    let mut points: Vec<[f64; 2]> =
        std::iter::successors(Some([1.0, 0.0]), |point| Some(turn(*point))).take(count).collect();
    points.push(points[0]);
    points
}

impl Scene {
    pub fn new() -> Scene {
        let mut scene = Scene { stream: Vec::new(), memory: vec![0; 0x1000] };
        let position = |position: [f64; 3]| fixed(position, POSITION_BITS);
        let (around, across) = (circle(RINGS), circle(CORNERS));
        let points = || around.iter().flat_map(|ring| across.iter().map(move |corner| (ring, corner)));
        let [whole, tube] = RADII;
        let positions = points().map(|([cos, sin], [c, s])| {
            let radius = whole + tube * c;
            position([radius * cos, radius * sin, tube * s])
        });
        scene.array(0, 6, positions.flatten());
        let normals = points().map(|([cos, sin], [c, s])| fixed([c * cos, c * sin, *s], NORMAL_BITS));
        scene.array(1, 6, normals.flatten());
        // One colour for each ring.
        scene.array(2, 3, around[..RINGS].iter().flat_map(|&ring| colour(ring)));
        let texcoords =
            (0..=RINGS).flat_map(|ring| (0..=CORNERS).map(move |corner| [ring as u8, corner as u8]));
        scene.array(4, 2, texcoords.flatten());
        scene.registers();
        scene.draws();
        scene
    }

    /// The next bytes of memory, whole blocks.
    fn store(&mut self, bytes: impl IntoIterator<Item = u8>) -> u32 {
        let at = self.memory.len();
        self.memory.extend(bytes);
        self.memory.resize(self.memory.len().next_multiple_of(32), 0);
        at as u32
    }

    fn array(&mut self, number: u8, stride: u32, bytes: impl IntoIterator<Item = u8>) {
        let base = self.store(bytes);
        self.cp(0xa0 | number, base);
        self.cp(0xb0 | number, stride);
    }

    fn cp(&mut self, register: u8, value: u32) {
        self.stream.extend([0x08, register]);
        self.stream.extend(value.to_be_bytes());
    }

    fn xf(&mut self, address: u16, words: &[u32]) {
        self.stream.push(0x10);
        self.stream.extend(((words.len() as u32 - 1) << 16 | u32::from(address)).to_be_bytes());
        self.stream.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    }

    fn floats(&mut self, address: u16, floats: &[f64]) {
        let words: Vec<u32> = floats.iter().map(|&float| (float as f32).to_bits()).collect();
        self.xf(address, &words);
    }

    fn registers(&mut self) {
        let vcd = Vcd::default()
            .with(Attribute::Position, Source::Index16)
            .with(Attribute::Normal, Source::Index16)
            .with(Attribute::Colour(0), Source::Index8)
            .with(Attribute::Texcoord(0), Source::Index16);
        let vat = Vat::default()
            .with(Field::POS_COUNT, 1)
            .with(Field::POS_FORMAT, 3)
            .with(Field::POS_SHIFT, POSITION_BITS)
            .with(Field::NORMAL_FORMAT, 3)
            .with(Field::COLOUR0_FORMAT, 1)
            .with(Field::TEX0_COUNT, 1)
            .with(Field::TEX0_FORMAT, 0)
            .with(Field::TEX0_SHIFT, TEXCOORD_BITS)
            .with(Field::BYTE_DEQUANT, 1);
        self.cp(0x50, vcd.lo);
        self.cp(0x60, vcd.hi);
        for (word, number) in vat.0.into_iter().zip([0x70, 0x80, 0x90]) {
            self.cp(number | VAT as u8, word);
        }
        // Both parts of the chip are told the same: a colour, a normal, a coordinate, rows of matrices.
        self.xf(xf::VERTEX_SPEC, &[1 | 1 << 2 | 1 << 4]);
        let rows = u32::from(TEXTURE_MATRIX) << 6 | u32::from(SHEEN_MATRIX) << 12;
        self.cp(0x30, rows);
        self.xf(xf::MATRIX_INDEX_A, &[rows, 0]);
        self.matrices();
        self.lights();
        // Coordinate 0 is the vertex's, coordinate 1 is made of its normal.
        self.xf(xf::TEXGENS, &[2]);
        self.xf(xf::TEXGEN, &[5 << 7, 1 << 7 | 1 << 2]);
    }

    fn matrices(&mut self) {
        let [(cz, sz), (cx, sx)] = TURN;
        let world = [[cz, -sz, 0.0], [cx * sz, cx * cz, -sx], [sx * sz, sx * cz, cx]];
        let rows = world.iter().zip([0.0, 0.0, -DISTANCE]);
        let position: Vec<f64> = rows.flat_map(|(&[x, y, z], w)| [x, y, z, w]).collect();
        self.floats(xf::POSITION_MATRICES.start, &position);
        self.floats(xf::NORMAL_MATRICES.start, world.as_flattened());
        let row = |number: u16| xf::POSITION_MATRICES.start + 4 * number;
        // Stripes that wind around the tube; of the normal where it points, seen from the camera.
        self.floats(row(TEXTURE_MATRIX), &[2.0, 1.0, 0.0, 0.0, -1.0, 2.0, 0.0, 0.0]);
        let seen: Vec<f64> =
            world[..2].iter().flat_map(|row| row.iter().map(|v| v / 2.0).chain([0.5])).collect();
        self.floats(row(SHEEN_MATRIX), &seen);
        let aspect = LOOK.width as f64 / LOOK.height as f64;
        let depth = FAR - NEAR;
        self.floats(xf::PROJECTION, &[LENS / aspect, 0.0, LENS, 0.0, -NEAR / depth, -FAR * NEAR / depth]);
        self.xf(xf::PROJECTION_FORM, &[0]);
        let (width, height) = (LOOK.width as f64 / 2.0, LOOK.height as f64 / 2.0);
        let most = 16_777_215.0;
        self.floats(xf::VIEWPORT, &[width, -height, most, width + 342.0, height + 342.0, most]);
    }

    fn lights(&mut self) {
        let key = unit([-0.5, 0.8, 0.7]);
        let fill = unit([0.9, -0.3, 0.25]);
        let half = unit([key[0], key[1], key[2] + 1.0]);
        // The third is the first's shine: by the half angle, of an exponent of about 16.
        let shine = 8.0;
        let lights = [
            (0xfff0_d8ff, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], key, [0.0; 3]),
            (0x4060_a0ff, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], fill, [0.0; 3]),
            (0xfff8_e8ff, [0.0, 0.0, 1.0, shine, 0.0, 1.0 - shine], key, half),
        ];
        for (number, (colour, weakening, towards, direction)) in (0..).zip(lights) {
            let light = xf::LIGHTS.start + number * xf::LIGHT_WORDS;
            self.xf(light + xf::LIGHT_COLOUR, &[colour]);
            self.floats(light + xf::LIGHT_ANGLE, &weakening);
            self.floats(light + xf::LIGHT_POSITION, &towards.map(|v| v * 1000.0));
            self.floats(light + xf::LIGHT_DIRECTION, &direction);
        }
        self.xf(xf::CHANNELS, &[2]);
        self.xf(xf::AMBIENT, &[0x2428_38ff, 0]);
        self.xf(xf::MATERIAL, &[0xffff_ffff, 0xffff_ffff]);
        // Channel 0: the vertex's colour under two lights, clamped. Channel 1: white under the third.
        let lit = xf::LIGHTING.set(0, 1);
        let first = xf::DIFFUSE.set(xf::LOW_LIGHTS.set(xf::MATERIAL_SOURCE.set(lit, 1), 3), 2);
        let second = xf::ATTENUATION.set(xf::LOW_LIGHTS.set(lit, 4), 1);
        self.xf(xf::CHANNEL_CONTROL, &[first, second, 0, 0]);
    }

    fn draws(&mut self) {
        let mut list = Vec::new();
        for ring in 0..RINGS {
            let bytes = strip(ring);
            if ring % 2 == 0 { self.stream.extend(bytes) } else { list.extend(bytes) }
        }
        let address = self.store(list);
        self.stream.push(0x40);
        self.stream.extend(address.to_be_bytes());
        self.stream.extend((self.memory.len() as u32 - address).to_be_bytes());
    }
}

/// The command of a strip between two rings.
fn strip(ring: usize) -> Vec<u8> {
    let count = 2 * (CORNERS + 1) as u16;
    let mut bytes = vec![0x80 | (Primitive::TriangleStrip as u8) << 3 | VAT as u8];
    bytes.extend(count.to_be_bytes());
    for corner in 0..=CORNERS {
        for ring in [ring, ring + 1] {
            let index = ((ring * (CORNERS + 1) + corner) as u16).to_be_bytes();
            bytes.extend([index, index].as_flattened());
            bytes.push((ring % RINGS) as u8);
            bytes.extend(index);
        }
    }
    bytes
}

/// Big-endian shorts with so many bits of fraction.
fn fixed(components: [f64; 3], bits: u32) -> [u8; 6] {
    let bytes = components.map(|v| ((v * f64::from(1 << bits)).round() as i16).to_be_bytes());
    std::array::from_fn(|at| bytes[at / 2][at % 2])
}

/// The colour of a ring: from one side to the other, and from the front to the back.
fn colour([x, y]: [f64; 2]) -> [u8; 3] {
    let (a, b) = ((x + 1.0) / 2.0, (y + 1.0) / 2.0);
    let mix = |from: f64, to: f64, bow: f64| from + (to - from) * a + bow * b;
    [mix(0.98, 0.30, -0.08), mix(0.42, 0.55, 0.30), mix(0.16, 0.98, -0.10)]
        .map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8)
}

/// What stands behind the unit: the colour of a vertex from both channels and both coordinates.
pub fn shade(channels: [[u32; 4]; 2], texture: [f32; 2], sheen: [f32; 2]) -> [f32; 3] {
    let [s, t] = texture.map(wave);
    // Tiles with soft edges, as the colour is one of vertices.
    let tile = 0.72 + (s * t * 3.0).clamp(-1.0, 1.0) * 0.28;
    let [x, y] = sheen;
    // A bright band above.
    let glow = ((y - 0.72) * (0.95 - y) * 40.0).clamp(0.0, 1.0) * 0.10 * (0.4 + 0.6 * x);
    std::array::from_fn(|i| {
        let [lit, shine] = channels.map(|colour| colour[i] as f32 / 255.0);
        lit * tile + shine + glow
    })
}

/// From -1 to 1 and back.
fn wave(x: f32) -> f32 {
    let x = x - x.floor();
    1.0 - (4.0 * x - 2.0).abs()
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|v| v / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_round_and_closed() {
        for count in [4, 64, 128] {
            let points = circle(count);
            assert_eq!((points.len(), points[count]), (count + 1, [1.0, 0.0]));
            assert!(points.iter().all(|[x, y]| (x * x + y * y - 1.0).abs() < 1e-12));
            let [x, y] = points[count / 4];
            assert!(x.abs() < 1e-12 && (y - 1.0).abs() < 1e-12, "{x} {y}");
        }
    }
}
