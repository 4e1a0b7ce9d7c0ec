//! One vertex of Flipper after the other, in the shape of a software renderer: the unit's words as they were written, and for each
//! vertex a look at every register. Nothing is known before a vertex comes. Its results are those of the library, bit for bit.

use xfjit::chip::flipper::memory::Memory;
use xfjit::chip::flipper::{input, output, registers};
use xfjit::runtime::state::ATTRIBUTES;

type Vec3 = [f32; 3];

/// The one NaN that leaves.
const NAN: u32 = 0x7fff_ffff;

/// The unit, and what it makes of a vertex.
pub(super) struct Renderer {
    words: Vec<u32>,
    /// Matrices, lights and the rest as numbers.
    numbers: Vec<f32>,
    has_colour: [bool; 2],
    eye: Vec3,
    normal: Vec3,
    clip: [f32; 4],
    screen: [f32; 4],
    mask: u32,
    colours: [[u32; 4]; 2],
    coordinates: [Vec3; 8],
}

fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn normalised(a: Vec3) -> Vec3 {
    let length = dot(a, a).sqrt();
    [a[0] / length, a[1] / length, a[2] / length]
}

fn positive(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

fn safe_divide(a: f32, b: f32) -> f32 {
    if b != 0.0 || b.is_nan() {
        a / b
    } else if a > 0.0 {
        1.0
    } else {
        0.0
    }
}

fn bits(x: f32) -> u32 {
    if x.is_nan() { NAN } else { x.to_bits() }
}

impl Renderer {
    pub(super) fn new(memory: &Memory, has_colour: [bool; 2]) -> Renderer {
        Renderer {
            words: memory.words().to_vec(),
            numbers: memory.words().iter().map(|&word| f32::from_bits(word)).collect(),
            has_colour,
            eye: [0.0; 3],
            normal: [0.0; 3],
            clip: [0.0; 4],
            screen: [0.0; 4],
            mask: 0,
            colours: [[0; 4]; 2],
            coordinates: [[0.0; 3]; 8],
        }
    }

    fn word(&self, address: u16) -> u32 {
        self.words[usize::from(address)]
    }

    fn three(&self, address: u16) -> Vec3 {
        let at = usize::from(address);
        [self.numbers[at], self.numbers[at + 1], self.numbers[at + 2]]
    }

    /// A matrix of rows of four times a vector and 1.
    fn transformed<const ROWS: usize>(&self, first: usize, v: Vec3, is_ab11: bool) -> [f32; ROWS] {
        let matrix = &self.numbers[4 * first..4 * (first + ROWS)];
        std::array::from_fn(|row| {
            let m = &matrix[4 * row..4 * row + 4];
            if is_ab11 {
                m[0] * v[0] + m[1] * v[1] + m[2] + m[3]
            } else {
                m[0] * v[0] + m[1] * v[1] + m[2] * v[2] + m[3]
            }
        })
    }

    fn transform_position(&mut self, position: Vec3) {
        let first = registers::POSITION_INDEX.of(self.word(registers::MATRIX_INDEX_A)) as usize;
        self.eye = self.transformed(first, position, false);
    }

    /// By the matrix of normals.
    fn turned(&self, vector: Vec3) -> Vec3 {
        let first = registers::POSITION_INDEX.of(self.word(registers::MATRIX_INDEX_A)) & 31;
        let row = |row: u16| self.three(registers::NORMAL_MATRICES.start + 3 * (first as u16 + row));
        [dot(row(0), vector), dot(row(1), vector), dot(row(2), vector)]
    }

    fn project(&mut self) {
        let [ex, ey, ez] = self.eye;
        let ([p0, p1, p2], [p3, p4, p5]) =
            (self.three(registers::PROJECTION), self.three(registers::PROJECTION + 3));
        self.clip = if registers::ORTHOGRAPHIC.of(self.word(registers::PROJECTION_FORM)) != 0 {
            [p0 * ex + p1, p2 * ey + p3, p4 * ez + p5, 1.0]
        } else {
            [p0 * ex + p1 * ez, p2 * ey + p3 * ez, p4 * ez + p5, -ez]
        };
        let [x, y, z, w] = self.clip;
        self.mask = 0;
        for (bit, is_outside) in
            [w - x < 0.0, x + w < 0.0, w - y < 0.0, y + w < 0.0, w * z > 0.0, z + w < 0.0]
                .into_iter()
                .enumerate()
        {
            self.mask |= u32::from(is_outside) << bit;
        }
        let (scale, offset) = (self.three(registers::VIEWPORT), self.three(registers::VIEWPORT + 3));
        let inverse = 1.0 / w;
        self.screen = [
            x * inverse * scale[0] + offset[0],
            y * inverse * scale[1] + offset[1],
            z * inverse * scale[2] + offset[2],
            inverse,
        ];
    }

    /// How much a light gives, and the direction to it.
    fn attenuation(&self, light: u16, function: u32) -> (Vec3, f32) {
        let first = registers::LIGHTS.start + light * registers::LIGHT_WORDS;
        let position = self.three(first + registers::LIGHT_POSITION);
        let away = [position[0] - self.eye[0], position[1] - self.eye[1], position[2] - self.eye[2]];
        let [angle, distance, axis] =
            [registers::LIGHT_ANGLE, registers::LIGHT_DISTANCE, registers::LIGHT_DIRECTION]
                .map(|part| self.three(first + part));
        match function {
            1 => {
                let direction = normalised(away);
                let s =
                    if dot(self.normal, direction) >= 0.0 { positive(dot(self.normal, axis)) } else { 0.0 };
                let square = s * s;
                let weak = positive(angle[0] + s * angle[1] + square * angle[2]);
                (direction, safe_divide(weak, distance[0] + s * distance[1] + square * distance[2]))
            }
            3 => {
                let square = dot(away, away);
                let length = square.sqrt();
                let direction = [away[0] / length, away[1] / length, away[2] / length];
                let s = positive(dot(direction, axis));
                let weak = positive(angle[0] + angle[1] * s + angle[2] * s * s);
                (direction, safe_divide(weak, distance[0] + distance[1] * length + distance[2] * square))
            }
            _ => {
                let direction = normalised(away);
                (if direction == [0.0; 3] { self.normal } else { direction }, 1.0)
            }
        }
    }

    /// Adds a light to components of a sum.
    fn add_light(&self, light: u16, control: u32, components: std::ops::Range<usize>, sum: &mut [f32; 4]) {
        let diffuse = registers::DIFFUSE.of(control);
        if diffuse == 3 {
            return;
        }
        let (direction, weak) = self.attenuation(light, registers::ATTENUATION.of(control));
        let word =
            self.word(registers::LIGHTS.start + light * registers::LIGHT_WORDS + registers::LIGHT_COLOUR);
        let colour = word.to_be_bytes();
        let product = match diffuse {
            1 => dot(direction, self.normal),
            2 => positive(dot(direction, self.normal)),
            _ => 1.0,
        };
        for component in components {
            let colour = f32::from(colour[component]);
            sum[component] += match (diffuse, component) {
                (0, _) => colour * weak,
                (_, 3) => colour * weak * product,
                _ => colour * (weak * product),
            };
        }
    }

    fn transform_colours(&mut self, vertex: [[f32; 4]; 2]) {
        for channel in 0..2 {
            let of_vertex = match (self.has_colour, channel) {
                ([true, true], channel) => vertex[channel],
                ([true, false], 0) => vertex[0],
                ([false, true], 0) => vertex[1],
                _ => [255.0; 4],
            };
            let mut made = [0; 4];
            let register = |base: u16| self.word(base + channel as u16).to_be_bytes().map(f32::from);
            for (control, components) in [(channel as u16, 0..3), (channel as u16 + 2, 3..4)] {
                let control = self.word(registers::CHANNEL_CONTROL + control);
                let is_vertex = registers::MATERIAL_SOURCE.of(control) != 0;
                let material = if is_vertex { of_vertex } else { register(registers::MATERIAL) };
                if registers::LIGHTING.of(control) == 0 {
                    components.for_each(|c| made[c] = material[c] as u32);
                    continue;
                }
                let is_vertex = registers::AMBIENT_SOURCE.of(control) != 0;
                let mut sum = if is_vertex { of_vertex } else { register(registers::AMBIENT) };
                let lights = registers::LOW_LIGHTS.of(control) | registers::HIGH_LIGHTS.of(control) << 4;
                for light in 0..8 {
                    if lights >> light & 1 != 0 {
                        self.add_light(light, control, components.clone(), &mut sum);
                    }
                }
                for c in components {
                    let lit = (sum[c] as i32).clamp(0, 255) as u32;
                    made[c] = (material[c] as u32 * (lit + (lit >> 7))) >> 8;
                }
            }
            self.colours[channel] = made;
        }
    }

    fn transform_coordinates(&mut self, attribute: impl Fn(usize) -> Vec3) {
        let indices = [self.word(registers::MATRIX_INDEX_A), self.word(registers::MATRIX_INDEX_B)];
        for number in 0..self.word(registers::TEXGENS).min(8) as usize {
            let control = self.word(registers::TEXGEN + number as u16);
            match registers::TEXGEN_TYPE.of(control) {
                1 => {
                    let light = registers::EMBOSS_LIGHT.of(control) as u16 * registers::LIGHT_WORDS;
                    let position = self.three(registers::LIGHTS.start + light + registers::LIGHT_POSITION);
                    let direction = normalised(std::array::from_fn(|c| position[c] - self.eye[c]));
                    let [along, across] = [input::TANGENT, input::BINORMAL]
                        .map(|register| dot(direction, self.turned(attribute(register))));
                    let source = registers::EMBOSS_SOURCE.of(control) as usize;
                    let [s, t, q] = if source < number { self.coordinates[source] } else { [0.0; 3] };
                    self.coordinates[number] = [s + along, t + across, q];
                    continue;
                }
                kind @ 2..=3 => {
                    let [red, green, ..] =
                        self.colours[kind as usize - 2].map(|component| component as f32 / 255.0);
                    self.coordinates[number] = [red, green, 1.0];
                    continue;
                }
                _ => {}
            }
            let source = match registers::TEXGEN_SOURCE.of(control) {
                0 => attribute(input::POSITION),
                1 => attribute(input::NORMAL),
                3 => attribute(input::TANGENT),
                4 => attribute(input::BINORMAL),
                row @ 5..=12 => {
                    let [s, t, _] = attribute(input::TEXCOORD + row as usize - 5);
                    [s, t, 1.0]
                }
                _ => [0.0, 0.0, 1.0],
            };
            let source = source.map(|component: f32| if component.is_nan() { 1.0 } else { component });
            let first = match number {
                0..4 => indices[0] >> (6 * (number + 1)) & 63,
                _ => indices[1] >> (6 * (number - 4)) & 63,
            } as usize;
            let is_ab11 = registers::TEXGEN_ABC1.of(control) == 0;
            let mut coordinate = if registers::TEXGEN_STQ.of(control) != 0 {
                self.transformed::<3>(first, source, is_ab11)
            } else {
                let [s, t] = self.transformed::<2>(first, source, is_ab11);
                [s, t, 1.0]
            };
            if registers::DUAL.of(self.word(registers::DUAL_TEXTURE)) != 0 {
                let post = self.word(registers::POST + number as u16);
                if registers::POST_NORMALISE.of(post) != 0 {
                    coordinate = normalised(coordinate);
                }
                let row = registers::POST_MATRICES.start / 4 + registers::POST_INDEX.of(post) as u16;
                coordinate = self.transformed::<3>(row.into(), coordinate, false);
            }
            if coordinate[2] == 0.0 {
                for component in &mut coordinate[..2] {
                    *component = (*component / 2.0).clamp(-1.0, 1.0);
                }
            }
            self.coordinates[number] = coordinate;
        }
    }

    /// Runs vertices that have a row for every attribute; of each the registers of `live` are written, a row each. Tangents and
    /// binormals are not among what the set puts out.
    pub(super) fn run(&mut self, words: &[u32], out: &mut [u32], live: &[u8]) {
        let vertices = words.chunks_exact(4 * ATTRIBUTES).zip(out.chunks_exact_mut(4 * live.len()));
        for (vertex, out) in vertices {
            let row = |register: usize| -> [f32; 4] {
                std::array::from_fn(|component| f32::from_bits(vertex[4 * register + component]))
            };
            let three = |register: usize| {
                let [x, y, z, _] = row(register);
                [x, y, z]
            };
            self.transform_position(three(input::POSITION));
            self.normal = normalised(self.turned(three(input::NORMAL)));
            self.project();
            self.transform_colours([row(input::COLOUR), row(input::COLOUR + 1)]);
            self.transform_coordinates(three);
            for (&register, out) in live.iter().zip(out.as_chunks_mut::<4>().0) {
                let with = |[x, y, z]: Vec3, w: f32| [x, y, z, w].map(bits);
                *out = match usize::from(register) {
                    output::CLIP => self.clip.map(bits),
                    output::SCREEN => self.screen.map(bits),
                    output::EYE => with(self.eye, 1.0),
                    output::NORMAL => with(self.normal, 0.0),
                    output::FLAGS => [self.mask, 0, 0, 0],
                    register if register >= output::TEXCOORD => {
                        with(self.coordinates[register - output::TEXCOORD], 0.0)
                    }
                    register if register >= output::COLOUR => self.colours[register - output::COLOUR],
                    _ => [0; 4],
                };
            }
        }
    }
}
