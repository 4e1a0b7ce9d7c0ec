//! The fixed benchmark set: seven vertex programs with their exact inputs. Five run on any generation, two branch.
//!
//! Every speed figure of the project is made with these programs on these numbers, so a figure of today can be compared
//! with one of next year, and with other implementations. The generators are defined to the bit: a 32-bit xorshift
//! feeds plain binary32 arithmetic in a fixed order, and the tests compare hashes of what comes out.
//!
//! Streams are interleaved float4s: vertex after vertex, each with its attributes in the order of
//! [`Fixed::attributes`]; outputs likewise, in the order of [`Fixed::outputs`].

use crate::asm;
use crate::config::Config;
use crate::isa::{self, Generation};
use xfjit_runtime::batch::{Attribute, Inputs};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::Model;
use xfjit_runtime::state::Context;

/// Rows of constants that a program of the set can address: all that Kelvin has.
pub const ROWS: usize = 192;

/// The constant memory, one float4 (as bits) per row.
pub type Constants = [[u32; 4]; ROWS];

/// One program of the set.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// Short name, P1 to P7.
    pub name: &'static str,
    /// Short name and what the program does.
    pub title: &'static str,
    /// Whose assembly text and microcode it is.
    pub generation: Generation,
    /// Assembly text.
    pub text: &'static str,
    /// Microcode in hexadecimal, four words a line.
    pub microcode: &'static str,
    /// Vertex attributes in stream order, one float4 each.
    pub attributes: &'static [u8],
    /// Output registers, by their number in the generation, in stream order, one float4 each.
    pub outputs: &'static [u8],
    /// Boolean constants.
    pub branch_bits: u32,
    /// Microcode and outputs of the same text on Curie, if it is another generation's.
    on_curie: Option<(&'static str, &'static [u8])>,
}

macro_rules! kelvin {
    ($name:literal, $title:literal, $attributes:expr, $outputs:expr, $on_curie:expr) => {
        Fixed {
            name: $name,
            title: $title,
            generation: Generation::Kelvin,
            text: include_str!(concat!("../programs/", $title, ".asm")),
            microcode: include_str!(concat!("../programs/", $title, ".nv20.hex")),
            attributes: &$attributes,
            outputs: &$outputs,
            branch_bits: 0,
            on_curie: Some((include_str!(concat!("../programs/", $title, ".nv40.hex")), &$on_curie)),
        }
    };
}

macro_rules! curie {
    ($name:literal, $title:literal, $attributes:expr, $outputs:expr, $branch_bits:expr) => {
        Fixed {
            name: $name,
            title: $title,
            generation: Generation::Curie,
            text: include_str!(concat!("../programs/", $title, ".asm")),
            microcode: include_str!(concat!("../programs/", $title, ".nv40.hex")),
            attributes: &$attributes,
            outputs: &$outputs,
            branch_bits: $branch_bits,
            on_curie: None,
        }
    };
}

/// The set, in the order in which figures are printed.
pub const ALL: [Fixed; 7] = [
    kelvin!("P1", "P1_mvp", [0, 3, 8], [0, 3, 9], [0, 1, 7]),
    kelvin!("P2", "P2_lit", [0, 2, 8], [0, 3, 9], [0, 1, 7]),
    kelvin!("P3", "P3_lit8", [0, 2, 8], [0, 3, 9], [0, 1, 7]),
    kelvin!("P4", "P4_skin", [0, 1, 2, 5, 8], [0, 3, 9], [0, 1, 7]),
    kelvin!("P5", "P5_seed35", [0, 2, 3], [0, 3, 7], [0, 1, 3]),
    // A loop over as many lights as the vertex says.
    curie!("P6", "P6_lights", [0, 2, 6, 8], [0, 1, 7], 0),
    // Everything that a fixed pipeline does, by boolean constants: here two bones, unit normals, two lights, the second
    // with a position, highlights, a texture matrix and fog.
    curie!("P7", "P7_material", [0, 1, 2, 3, 5, 8], [0, 1, 2, 5, 7], 0b110_0111_0111),
];

impl Fixed {
    /// The program of that short name or title.
    pub fn find(name: &str) -> Option<&'static Fixed> {
        ALL.iter().find(|fixed| fixed.name.eq_ignore_ascii_case(name) || fixed.title == name)
    }

    /// This text as a program of Curie, where it is not one already.
    pub fn on_curie(&self) -> Option<Fixed> {
        let (microcode, outputs) = self.on_curie?;
        Some(Fixed { generation: Generation::Curie, microcode, outputs, on_curie: None, ..*self })
    }

    /// The assembled program.
    ///
    /// # Panics
    /// Never: tests assemble the whole set.
    pub fn program(&self) -> isa::Program {
        asm::parse(self.generation, self.text).unwrap_or_else(|errors| panic!("{}: {errors:?}", self.title))
    }

    /// Its configuration: the outputs that it is there for, and its boolean constants.
    pub fn config(&self, model: Model) -> Config {
        let live = self.outputs.iter().fold(0, |mask, register| mask | 1 << register);
        let config = Config::new(self.generation).model(model).live_outputs(live);
        Config { branch_bits: self.branch_bits, ..config }
    }

    /// Its constants in the memory of the generation.
    pub fn context(&self) -> Context {
        let mut context = Context::new(self.generation.constants());
        context.rows_mut()[..ROWS].copy_from_slice(&self.constants());
        context
    }

    /// Words of one vertex in the input stream.
    pub const fn input_words(&self) -> usize {
        4 * self.attributes.len()
    }

    /// Words of one vertex in the output stream.
    pub const fn output_words(&self) -> usize {
        4 * self.outputs.len()
    }

    /// The constants that the program runs with; rows that it does not use are zero.
    pub fn constants(&self) -> Constants {
        FpEnv::Default.within(|| self.make_constants())
    }

    fn make_constants(&self) -> Constants {
        let mut rows = [[0.0; 4]; ROWS];
        rows[..7].copy_from_slice(&TRANSFORM);
        match self.name {
            "P2" => rows[8..14].copy_from_slice(&LIT),
            "P3" => eight_lights(&mut rows),
            "P4" => bones(&mut rows),
            "P6" => {
                eight_lights(&mut rows);
                // Zero, one, and rows from one light to the next.
                rows[8] = [0.0, 1.0, 3.0, 0.0];
            }
            "P7" => {
                bones(&mut rows);
                rows[96..110].copy_from_slice(&MATERIAL);
            }
            "P5" => rows[..15].copy_from_slice(&SEED35),
            _ => {}
        }
        rows.map(|row| row.map(f32::to_bits))
    }

    /// The first `count` vertices of the input stream, `input_words` each.
    pub fn vertices(&self, count: usize) -> Vec<u32> {
        FpEnv::Default.within(|| self.make_vertices(count))
    }

    /// A batch of the first `count` vertices of such a stream.
    pub fn inputs<'a>(&self, words: &'a [u32], count: usize) -> Inputs<'a> {
        self.attributes.iter().enumerate().fold(Inputs::new(count), |inputs, (i, &register)| {
            inputs.with(register.into(), Attribute::interleaved(words, 4 * i, 4, self.input_words()))
        })
    }

    fn make_vertices(&self, count: usize) -> Vec<u32> {
        let mut random = Random(0x1234_5678);
        let mut words = Vec::with_capacity(count * self.input_words());
        for _ in 0..count {
            for &attribute in self.attributes {
                words.extend(random.attribute(attribute).map(f32::to_bits));
            }
        }
        words
    }
}

/// c0..c3: to clip space; c4..c6: to eye space (P5 has its own).
const TRANSFORM: [[f32; 4]; 7] = [
    [1.2, 0.1, 0.05, 0.3],
    [-0.1, 1.1, 0.2, -0.2],
    [0.02, -0.15, 0.9, 0.4],
    [0.01, 0.02, 0.1, 3.0],
    [0.9, 0.1, 0.0, 0.1],
    [-0.1, 0.95, 0.05, 0.2],
    [0.0, -0.05, 1.02, -3.0],
];

/// c8..c13 of P2: light, half vector, exponent, then the diffuse, ambient and specular colours.
const LIT: [[f32; 4]; 6] = [
    [0.57735, 0.57735, 0.57735, 0.0],
    [0.4, 0.5, 0.768, 0.0],
    [0.0, 0.0, 0.0, 20.0],
    [0.8, 0.7, 0.6, 1.0],
    [0.1, 0.1, 0.12, 1.0],
    [0.5, 0.5, 0.5, 1.0],
];

/// c96..c109 of P7: ambient colour, the least highlight (from which sums of fading ones stay exact without a fallback),
/// eye and exponent, half and fog; then for each of two lights its place, attenuation, diffuse and specular colours;
/// the texture matrix.
const MATERIAL: [[f32; 4]; 14] = [
    [0.1, 0.1, 0.12, 1.0],
    [0.01, 0.01, 0.01, 1.0],
    [0.0, 0.0, 1.0, 20.0],
    [0.5, -0.1, 1.2, 0.0],
    [0.57735, 0.57735, 0.57735, 0.0],
    [1.0, 0.0, 0.0, 0.0],
    [0.8, 0.7, 0.6, 1.0],
    [0.5, 0.5, 0.5, 1.0],
    [2.0, 3.0, 1.0, 1.0],
    [1.0, 0.05, 0.1, 0.0],
    [0.4, 0.5, 0.6, 1.0],
    [0.3, 0.3, 0.3, 1.0],
    [0.9, 0.2, 0.0, 0.1],
    [-0.2, 0.9, 0.0, 0.3],
];

/// c0..c14 of P5: matrices by columns, colours, the light's position.
const SEED35: [[f32; 4]; 15] = [
    [0.0, 0.0, 0.0, 0.0],
    [0.9, -0.1, 0.0, 0.0],
    [0.1, 0.95, -0.05, 0.0],
    [0.0, 0.05, 1.02, 0.0],
    [0.1, 0.2, -3.0, 1.0],
    [0.9, -0.1, 0.0, 0.0],
    [0.1, 0.95, -0.05, 0.0],
    [0.0, 0.05, 1.02, 0.0],
    [0.1, 0.1, 0.12, 1.0],
    [0.8, 0.7, 0.6, 1.0],
    [2.0, 3.0, 1.0, 1.0],
    [1.2, -0.1, 0.02, 0.01],
    [0.1, 1.1, -0.15, 0.02],
    [0.05, 0.2, 0.9, 0.1],
    [0.3, -0.2, 0.4, 3.0],
];

/// Seed of the constants that are random.
const CONSTANT_SEED: u32 = 0x9e37_79b9;

/// P3: ambient colour, zero and one, then per light its position, attenuation (1, d^2, d) and colour.
fn eight_lights(rows: &mut [[f32; 4]; ROWS]) {
    let mut random = Random(CONSTANT_SEED);
    rows[7] = [0.05, 0.05, 0.06, 1.0];
    rows[8] = [0.0, 1.0, 0.0, 0.0];
    for light in rows[16..40].chunks_exact_mut(3) {
        // z is drawn first.
        let [z, y, x] = random.triple(-4.0, 4.0);
        light[0] = [x, y, z, 1.0];
        light[1] = [1.0, 0.05, 0.1, 0.0];
        let [z, y, x] = random.triple(0.1, 1.0);
        light[2] = [x, y, z, 1.0];
    }
}

/// P4: zero and one, light, colours, then 24 bones of three rows, each near the identity.
fn bones(rows: &mut [[f32; 4]; ROWS]) {
    let mut random = Random(CONSTANT_SEED);
    rows[8] = [0.0, 1.0, 0.0, 0.0];
    rows[9] = [0.3, 0.9, 0.3, 0.0];
    rows[10] = [0.1, 0.1, 0.1, 1.0];
    rows[11] = [0.8, 0.7, 0.6, 0.0];
    for bone in rows[20..92].chunks_exact_mut(3) {
        for (diagonal, row) in bone.iter_mut().enumerate() {
            for (column, value) in row[..3].iter_mut().enumerate() {
                *value = random.between(-0.2, 0.2) + f32::from(u8::from(column == diagonal));
            }
            row[3] = random.between(-0.5, 0.5);
        }
    }
}

/// The generator: 32-bit xorshift (13, 17, 5).
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A value of [low, high), from the top 24 bits of one draw.
    fn between(&mut self, low: f32, high: f32) -> f32 {
        let draw = self.next() >> 8;
        low + (high - low) * draw as f32 * (1.0 / 16_777_216.0)
    }

    /// Three values, in the order in which they are drawn.
    fn triple(&mut self, low: f32, high: f32) -> [f32; 3] {
        [self.between(low, high), self.between(low, high), self.between(low, high)]
    }

    /// One attribute of one vertex.
    fn attribute(&mut self, attribute: u8) -> [f32; 4] {
        match attribute {
            0 => {
                let [x, y, z] = self.triple(-1.0, 1.0);
                [x, y, z, 1.0]
            }
            1 => self.weights(),
            2 => self.normal(),
            3 => std::array::from_fn(|_| self.between(0.0, 1.0)),
            6 => [(1 + self.next() % 8) as f32, 0.0, 0.0, 1.0],
            5 => std::array::from_fn(|_| (3 * (self.next() % 24)) as f32),
            _ => [self.between(0.0, 1.0), self.between(0.0, 1.0), 0.0, 1.0],
        }
    }

    /// Four weights whose sum is one.
    fn weights(&mut self) -> [f32; 4] {
        let weights: [f32; 4] = std::array::from_fn(|_| self.between(0.05, 1.0));
        let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
        weights.map(|weight| weight / sum)
    }

    /// A unit vector: a point of the ball that is not too near its centre, scaled.
    fn normal(&mut self) -> [f32; 4] {
        loop {
            let [x, y, z] = self.triple(-1.0, 1.0);
            let square = x * x + y * y + z * z;
            if (0.01..=1.0).contains(&square) {
                let scale = 1.0 / square.sqrt();
                return [x * scale, y * scale, z * scale, 1.0];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a over little-endian bytes.
    fn hash(words: impl IntoIterator<Item = u32>) -> u32 {
        let bytes = words.into_iter().flat_map(u32::to_le_bytes);
        bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    #[test]
    fn constants_and_inputs_have_the_hashes_of_the_definition() {
        let want = [
            ("P1", 0x0207_ccb4, 0x87c0_36f8),
            ("P2", 0x8dc5_3976, 0x405f_7333),
            ("P3", 0x4bf2_aede, 0x405f_7333),
            ("P4", 0x4922_0886, 0x9eda_6f31),
            ("P5", 0xa5ca_594a, 0x226e_1902),
        ];
        let got = std::array::from_fn(|i| {
            let fixed = ALL[i];
            let constants = hash(fixed.constants()[..96].iter().flatten().copied());
            (fixed.name, constants, hash(fixed.vertices(64)))
        });
        assert_eq!(got, want);
    }

    #[test]
    fn rows_past_the_definition_are_zero() {
        assert!(ALL[..5].iter().all(|fixed| fixed.constants()[96..].iter().flatten().all(|&word| word == 0)));
    }

    #[test]
    fn a_shorter_stream_is_the_start_of_a_longer_one() {
        for fixed in ALL {
            let long = fixed.vertices(70);
            assert_eq!(long.len(), 70 * fixed.input_words());
            assert_eq!(fixed.vertices(3), long[..3 * fixed.input_words()]);
        }
    }

    #[test]
    fn programs_are_found_by_name_and_by_title() {
        assert_eq!(Fixed::find("p4").map(|fixed| fixed.title), Some("P4_skin"));
        assert_eq!(Fixed::find("P5_seed35").map(|fixed| fixed.name), Some("P5"));
        assert!(Fixed::find("P8").is_none());
    }

    #[test]
    fn text_and_microcode_are_the_same_program() {
        for fixed in ALL.into_iter().chain(ALL.iter().filter_map(Fixed::on_curie)) {
            let words: Vec<u32> = fixed
                .microcode
                .split_whitespace()
                .map(|word| u32::from_str_radix(word, 16).expect("eight digits"))
                .collect();
            let decoded = isa::decode(fixed.generation, &words, 0).expect("it decodes");
            assert_eq!(decoded, fixed.program(), "{} on {}", fixed.title, fixed.generation.name());
        }
    }
}
