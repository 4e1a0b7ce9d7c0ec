//! Rules of the transform unit that the golden cases do not reach: what is UNKNOWN, and dialects. Figures are worked out by hand, and
//! every backend has to come to them.

use xfjit::chip::flipper::memory::Memory;
use xfjit::chip::flipper::registers as xf;
use xfjit::chip::flipper::transform::{Transform, Vertices};
use xfjit::chip::flipper::{input, output, rows};
use xfjit::config::{FlipperQuirks, QuirkSet};
use xfjit::front::flipper::Setup;
use xfjit::runtime::state::{ATTRIBUTES, Context, Row};
use xfjit_core::backend::{Backend, Eval, Interp, Worker};
use xfjit_testing::{FlipperCase, Planned, native};

/// Words of the unit, a vertex, a dialect.
struct Scene {
    memory: Memory,
    vertices: Vertices,
    attributes: [Row; ATTRIBUTES],
    quirks: FlipperQuirks,
}

impl Scene {
    /// Matrices that change nothing, and the vertex at the origin; the material is white, the normal z.
    fn new() -> Scene {
        let mut scene = Scene {
            memory: Memory::new(),
            vertices: Vertices::default(),
            attributes: [[0; 4]; ATTRIBUTES],
            quirks: FlipperQuirks::SPEC,
        };
        for row in 0..3 {
            let mut unit = [0.0; 4];
            unit[usize::from(row)] = 1.0;
            scene.floats(4 * row, &unit);
            scene.floats(xf::NORMAL_MATRICES.start + 3 * row, &unit[..3]);
        }
        scene.attribute(input::NORMAL, [0.0, 0.0, 1.0]);
        scene.words(xf::MATERIAL, &[u32::MAX; 2]);
        scene
    }

    fn words(&mut self, address: u16, words: &[u32]) {
        self.memory.write(address, words);
    }

    fn floats(&mut self, address: u16, numbers: &[f32]) {
        let words: Vec<u32> = numbers.iter().map(|number| number.to_bits()).collect();
        self.words(address, &words);
    }

    fn attribute(&mut self, register: usize, numbers: [f32; 3]) {
        let [x, y, z] = numbers.map(f32::to_bits);
        self.attributes[register] = [x, y, z, 0];
    }

    /// A light: red, green and blue alike; a0, a1, a2, k0, k1, k2; position; direction.
    fn light(
        &mut self,
        light: u16,
        colour: u8,
        coefficients: [f32; 6],
        position: [f32; 3],
        direction: [f32; 3],
    ) {
        let first = xf::LIGHTS.start + light * xf::LIGHT_WORDS;
        self.words(first + xf::LIGHT_COLOUR, &[u32::from(colour) * 0x0101_0101]);
        self.floats(first + xf::LIGHT_ANGLE, &coefficients);
        self.floats(first + xf::LIGHT_POSITION, &position);
        self.floats(first + xf::LIGHT_DIRECTION, &direction);
    }

    /// Channel 0's red, green and blue: so many lights, the diffuse function, the attenuation.
    fn lit(&mut self, lights: u32, diffuse: u32, attenuation: u32) {
        let control = xf::LOW_LIGHTS.set(xf::LIGHTING.set(0, 1), (1 << lights) - 1);
        let control = xf::ATTENUATION.set(xf::DIFFUSE.set(control, diffuse), attenuation);
        self.words(xf::CHANNEL_CONTROL, &[control]);
    }

    /// A hypothesis of a field.
    fn quirk(&mut self, field: &str, name: &str) -> &mut Scene {
        assert!(self.quirks.choose(field, name), "{field} {name}");
        self
    }

    /// The outputs, the same on every backend, alone and in the last lane of a group.
    fn run(&self) -> [Row; output::COUNT] {
        let setup = Setup::new(Transform::new(&self.memory, self.vertices)).quirks(self.quirks);
        let mut context = Context::new(rows::ROWS);
        rows::fill(&self.memory, context.rows_mut());
        let attributes = self.attributes.map(|row| vec![row; 4]);
        let case = FlipperCase { setup, context, attributes };
        let native = native();
        let mut backends: Vec<&dyn Backend> =
            vec![&Interp::Single, &Interp::Batched, &Planned, &Eval::Xf, &Eval::Host];
        backends.extend(native.as_deref());
        let mut all = backends.into_iter().map(|backend| {
            let ran = case.run(backend, &mut Worker::new()).expect("it runs");
            let row = |register| case.placement().row(&ran.output, register, 3).unwrap_or([0; 4]);
            (backend.name().to_owned(), std::array::from_fn(row))
        });
        let (_, first) = all.next().expect("the interpreter");
        all.for_each(|(name, outputs)| assert_eq!(outputs, first, "{name}"));
        first
    }

    fn floats_of(&self, register: usize) -> [f32; 3] {
        let [x, y, z, _] = self.run()[register].map(f32::from_bits);
        [x, y, z]
    }

    fn depth(&self) -> u32 {
        self.run()[output::CLIP][2]
    }

    fn red(&self) -> u32 {
        self.run()[output::COLOUR][0]
    }
}

/// Attenuation functions.
const PLAIN: u32 = 0;
const SPECULAR: u32 = 1;
const SPOT: u32 = 3;
/// Coefficients that weaken nothing.
const FULL: [f32; 6] = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
const AHEAD: [f32; 3] = [0.0, 0.0, 5.0];
const BEHIND: [f32; 3] = [0.0, 0.0, -5.0];
const AXIS: [f32; 3] = [0.0, 0.0, 1.0];

#[test]
fn rows_behind_the_last_are_the_first() {
    let mut scene = Scene::new();
    // Matrices that begin with the last row; of an index six bits count, of that of normals five.
    scene.floats(4 * 63, &[1.0, 0.0, 0.0, 10.0]);
    scene.floats(0, &[0.0, 1.0, 0.0, 20.0, 0.0, 0.0, 1.0, 30.0]);
    scene.floats(xf::NORMAL_MATRICES.start + 3 * 31, &[0.0, 0.0, 2.0]);
    scene.floats(xf::NORMAL_MATRICES.start, &[0.0, 3.0, 0.0, 4.0, 0.0, 0.0]);
    scene.floats(xf::POST_MATRICES.start + 4 * 63, &[1.0, 0.0, 0.0, 1.0]);
    scene.floats(xf::POST_MATRICES.start, &[0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 3.0]);
    scene.attribute(input::POSITION, [1.0, 2.0, 3.0]);
    scene.attribute(input::NORMAL, [1.0, 0.0, 0.0]);
    scene.attribute(input::TANGENT, [1.0, 1.0, 1.0]);
    // The position by the first texture matrix as well, then by the post matrix.
    scene.words(xf::TEXGENS, &[1]);
    scene.words(xf::TEXGEN, &[6]);
    scene.words(xf::DUAL_TEXTURE, &[1]);
    scene.words(xf::POST, &[63]);
    scene.words(xf::MATRIX_INDEX_A, &[63 << 6 | 63]);
    for byte in [None, Some(0x3f), Some(0xff)] {
        if let Some(byte) = byte {
            scene.vertices.matrices = 1;
            scene.attributes[input::MATRICES] = [byte; 4];
            // The register does not count.
            scene.words(xf::MATRIX_INDEX_A, &[63 << 6 | 7]);
        }
        assert_eq!(scene.floats_of(output::EYE), [11.0, 22.0, 33.0]);
        assert_eq!(scene.floats_of(output::NORMAL), [0.0, 0.0, 1.0]);
        assert_eq!(scene.floats_of(output::TANGENT), [2.0, 3.0, 4.0]);
        assert_eq!(scene.floats_of(output::TEXCOORD), [12.0, 24.0, 36.0]);
    }
}

#[test]
fn the_fourth_diffuse_function_adds_nothing() {
    let mut scene = Scene::new();
    scene.words(xf::AMBIENT, &[0x4040_4040]);
    scene.light(0, 200, FULL, AHEAD, AXIS);
    for (diffuse, expected) in [(0, 255), (1, 255), (2, 255), (3, 63)] {
        scene.lit(1, diffuse, PLAIN);
        assert_eq!(scene.red(), expected, "{diffuse}");
    }
}

/// The direction to a light at the vertex is a NaN, and so is the sum.
#[test]
fn a_sum_that_is_no_number_is_0() {
    let mut scene = Scene::new();
    scene.words(xf::AMBIENT, &[0x4040_4040]);
    scene.light(0, 200, FULL, [0.0; 3], AXIS);
    scene.lit(1, 1, PLAIN);
    assert_eq!(scene.red(), 0);
    // Nothing comes from behind, though: what is no number is not from the front.
    scene.lit(1, 2, PLAIN);
    assert_eq!(scene.red(), 63);
}

/// So far away that the square of the distance is infinite: its direction is of no length.
#[test]
fn for_a_direction_of_no_length_the_normal_stands_in_unless_light_is_weakened() {
    let far = f32::from_bits((127 + 100) << 23);
    for (attenuation, expected) in [(PLAIN, 200), (2, 200), (SPOT, 0)] {
        for z in [far, -far] {
            let mut scene = Scene::new();
            scene.light(0, 200, FULL, [0.0, 0.0, z], AXIS);
            scene.lit(1, 2, attenuation);
            assert_eq!(scene.red(), expected, "{attenuation} {z}");
        }
    }
}

/// The first is so strong that the last does not count beside it, but the second takes it away again.
#[test]
fn lights_are_added_in_their_order() {
    let strong = [1.0, 0.0, 0.0, f32::from_bits((127 - 40) << 23), 0.0, 0.0];
    let mut scene = Scene::new();
    scene.light(0, 128, strong, AHEAD, AXIS);
    scene.light(1, 128, strong, BEHIND, [0.0, 0.0, -1.0]);
    scene.light(2, 100, FULL, AHEAD, AXIS);
    scene.lit(3, 1, SPOT);
    assert_eq!(scene.red(), 99);
}

/// The square of the distance is 2, that of its root less; what is left of it is 2^-10.
#[test]
fn light_is_weakened_by_the_square_of_which_the_distance_is_the_root() {
    let little = f32::from_bits((127 - 10) << 23);
    let mut scene = Scene::new();
    scene.light(0, 128, [little, 0.0, 0.0, 2.0 + little, 0.0, -1.0], [1.0, 0.0, 1.0], AXIS);
    scene.lit(1, 0, SPOT);
    // 255 * 129 / 256; of 127 it would be 126.
    assert_eq!(scene.red(), 128);
}

#[test]
fn by_zero_of_either_sign_is_divided_to_1_or_0() {
    for zero in [0.0, -0.0] {
        for (angle, expected) in [(0.25, 200), (0.0, 0), (-1.0, 0)] {
            let mut scene = Scene::new();
            scene.light(0, 200, [angle, 0.0, 0.0, zero, zero, zero], AHEAD, AXIS);
            scene.lit(1, 0, SPOT);
            assert_eq!(scene.red(), expected, "{angle} by {zero}");
        }
    }
}

/// The half angle counts where the light is seen edge on, but not from behind.
#[test]
fn specular_light_counts_up_to_the_edge() {
    for (position, expected) in [(AHEAD, 200), ([5.0, 0.0, 0.0], 200), (BEHIND, 0)] {
        let mut scene = Scene::new();
        scene.light(0, 200, [0.0, 1.0, 0.0, 1.0, 0.0, 0.0], position, AXIS);
        scene.lit(1, 0, SPECULAR);
        assert_eq!(scene.red(), expected, "{position:?}");
    }
}

/// Sums from left to right, of terms of which two take each other away; a square that is too small for a float, by what would
/// have made it greater.
#[test]
fn sums_of_specular_light_have_their_order() {
    let power = |exponent: i32| f32::from_bits(((127 + exponent) as u32) << 23);
    let specular = |coefficients, axis, expected| {
        let mut scene = Scene::new();
        scene.light(0, 200, coefficients, AHEAD, axis);
        scene.lit(1, 0, SPECULAR);
        assert_eq!(scene.red(), expected, "{coefficients:?}");
    };
    specular([power(30), -power(30), 1.0, 1.0, 0.0, 0.0], AXIS, 200);
    specular([1.0, 0.0, 0.0, power(30), -power(30), 1.0], AXIS, 200);
    let dim = [0.0, 0.0, power(-80)];
    specular([0.0, 0.0, power(100), 1.0, 0.0, 0.0], dim, 0);
    specular([1.0, 0.0, 0.0, 0.0, 0.0, power(100)], dim, 200);
}

#[test]
fn texture_coordinates_of_unknown_types_are_regular() {
    let mut scene = Scene::new();
    scene.attribute(input::TEXCOORD, [0.25, 0.75, 9.0]);
    scene.words(xf::TEXGENS, &[1]);
    for kind in [0, 4, 5, 6, 7] {
        scene.words(xf::TEXGEN, &[xf::TEXGEN_SOURCE.set(xf::TEXGEN_TYPE.set(0, kind), 5)]);
        assert_eq!(scene.floats_of(output::TEXCOORD), [0.25, 0.75, 1.0], "{kind}");
    }
}

#[test]
fn sources_without_meaning_are_0_0_1() {
    let mut scene = Scene::new();
    scene.floats(0, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    for register in 0..input::MATRICES {
        scene.attribute(register, [9.0, 10.0, 11.0]);
    }
    scene.words(xf::TEXGENS, &[1]);
    for source in std::iter::once(2).chain(13..32) {
        scene.words(xf::TEXGEN, &[xf::TEXGEN_SOURCE.set(xf::TEXGEN_ABC1.set(0, 1), source)]);
        assert_eq!(scene.floats_of(output::TEXCOORD), [7.0, 15.0, 1.0], "{source}");
    }
}

/// A coordinate that is moved before it is made reads as zeros, its q among them.
#[test]
fn embossing_of_what_is_not_made_yet_moves_zeros() {
    let mut scene = Scene::new();
    scene.light(3, 0, FULL, AHEAD, AXIS);
    scene.attribute(input::TANGENT, [1.0, 0.0, 7.0]);
    scene.attribute(input::BINORMAL, [0.0, 2.0, 9.0]);
    scene.attribute(input::TEXCOORD, [0.5, 0.5, 0.0]);
    scene.words(xf::TEXGENS, &[2]);
    let emboss = |source| xf::EMBOSS_LIGHT.set(xf::EMBOSS_SOURCE.set(xf::TEXGEN_TYPE.set(0, 1), source), 3);
    for source in 0..8 {
        scene.words(xf::TEXGEN, &[5 << 7, emboss(source)]);
        let expected = if source == 0 { [7.5, 9.5, 1.0] } else { [7.0, 9.0, 0.0] };
        assert_eq!(scene.floats_of(output::TEXCOORD + 1), expected, "{source}");
    }
}

#[test]
fn depth_is_lessened_where_the_dialect_says_so() {
    let mut scene = Scene::new();
    scene.attribute(input::POSITION, [0.0, 0.0, -2.0]);
    scene.floats(xf::PROJECTION, &[1.0, 0.0, 1.0, 0.0, -1.0, 1.0]);
    assert_eq!(scene.depth(), 3.0_f32.to_bits());
    // 3 * 2^-23 less are one and a half of the last place: to even.
    assert_eq!(scene.quirk("depth", "lessened").depth(), 3.0_f32.to_bits() - 2);
    // Not under an orthographic projection.
    scene.words(xf::PROJECTION_FORM, &[1]);
    assert_eq!(scene.depth(), 3.0_f32.to_bits());
}

/// k2 is 2: plain it halves the light.
#[test]
fn coefficients_beside_the_half_angle_are_made_a_unit_vector_where_the_dialect_says_so() {
    let mut scene = Scene::new();
    scene.light(0, 200, [0.0, 0.0, 1.0, 0.0, 0.0, 2.0], AHEAD, AXIS);
    for (diffuse, plain, normalised) in [(0, 99, 99), (1, 99, 200), (2, 99, 200)] {
        scene.lit(1, diffuse, SPECULAR);
        assert_eq!(scene.quirk("half_angle", "plain").red(), plain, "{diffuse}");
        assert_eq!(scene.quirk("half_angle", "normalised").red(), normalised, "{diffuse}");
    }
}

#[test]
fn what_is_too_great_for_an_integer_is_0_where_the_dialect_says_so() {
    for (weakening, x86) in [(20, 255), (30, 0)] {
        let mut scene = Scene::new();
        let k0 = f32::from_bits((127 - weakening) << 23);
        scene.light(0, 255, [1.0, 0.0, 0.0, k0, 0.0, 0.0], AHEAD, AXIS);
        scene.lit(1, 0, SPOT);
        assert_eq!(scene.red(), 255);
        assert_eq!(scene.quirk("to_integer", "x86").red(), x86);
    }
}

#[test]
fn twenty_bits_are_kept_where_the_dialect_says_so() {
    // A bit below those that are kept.
    let more = f32::from_bits(0x3f80_0800);
    let mut scene = Scene::new();
    scene.floats(xf::NORMAL_MATRICES.start, &[more]);
    scene.attribute(input::TANGENT, [1.0, 0.0, 0.0]);
    scene.light(0, 200, [1.0, 0.0, 0.0, more, 0.0, 0.0], AHEAD, AXIS);
    scene.lit(1, 0, SPOT);
    let [tangent, red] = [scene.floats_of(output::TANGENT)[0].to_bits(), scene.red()];
    // 199 * 256 / 256, not one more.
    assert_eq!((tangent, red), (0x3f80_0800, 199));
    scene.quirk("storage", "upper20");
    let [tangent, red] = [scene.floats_of(output::TANGENT)[0].to_bits(), scene.red()];
    assert_eq!((tangent, red), (0x3f80_0000, 200));
    // Matrices of positions keep all.
    scene.floats(0, &[more]);
    scene.attribute(input::POSITION, [1.0, 0.0, 0.0]);
    assert_eq!(scene.floats_of(output::EYE)[0], more);
}

#[test]
fn lights_are_added_as_integers_where_the_dialect_says_so() {
    let half = [0.5, 0.0, 0.0, 1.0, 0.0, 0.0];
    // Two lights of a half each, and of three halves: to even.
    for (colour, float, integer) in [(1, 0, 0), (3, 2, 3), (5, 4, 3)] {
        let mut scene = Scene::new();
        (0..2).for_each(|light| scene.light(light, colour, half, AHEAD, AXIS));
        scene.lit(2, 0, SPOT);
        assert_eq!(scene.red(), float, "{colour}");
        assert_eq!(scene.quirk("accumulation", "integer").red(), integer, "{colour}");
    }
    // The first one counts as 2^16, which the other takes away.
    let mut scene = Scene::new();
    let strong = [1.0, 0.0, 0.0, 1.0 / 1024.0, 0.0, 0.0];
    scene.light(0, 128, strong, AHEAD, AXIS);
    scene.light(1, 64, strong, BEHIND, [0.0, 0.0, -1.0]);
    scene.lit(2, 1, SPOT);
    assert_eq!(scene.red(), 255);
    assert_eq!(scene.quirk("accumulation", "integer").red(), 0);
}
