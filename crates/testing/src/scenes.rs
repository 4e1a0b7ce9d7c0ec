//! The fixed set of configurations of Flipper, G1 to G3, with memory and vertices: what its speed is measured on, as programs are
//! on [`crate::programs`].

use super::setups::Random;
#[cfg(test)]
use crate::RandomFlipper;
use crate::chip::flipper::memory::Memory;
use crate::chip::flipper::registers::{self, LIGHT_ANGLE, LIGHT_COLOUR, LIGHT_POSITION, LIGHT_WORDS};
use crate::chip::flipper::transform::{Transform, Vertices};
use crate::chip::flipper::{input, output, rows};
use crate::front::flipper::Setup;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::{ATTRIBUTES, Context, Row};

/// A configuration of the set.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Short name, G1 to G3.
    pub name: &'static str,
    /// What it does.
    pub title: &'static str,
    /// Lights of the first channel, all weakened by angle and distance.
    lights: u32,
    /// Controls of texture coordinates.
    texgens: &'static [u32],
    /// Whether vertices have normals of some length.
    has_normals: bool,
}

/// The first texture coordinate by two rows; position and normal by three rows; the second coordinate by two.
const TEXGENS: [u32; 4] = [5 << 7, 0x6, 1 << 7 | 0x6, 6 << 7];

/// The set, in the order in which figures are printed.
pub const ALL: [Scene; 3] = [
    Scene {
        name: "G1",
        title: "one light, one texture coordinate",
        lights: 1,
        texgens: TEXGENS.first_chunk::<1>().unwrap(),
        has_normals: true,
    },
    Scene {
        name: "G2",
        title: "eight lights, four texture coordinates",
        lights: 8,
        texgens: &TEXGENS,
        has_normals: true,
    },
    Scene {
        name: "G3",
        title: "as G1, normals of no length",
        lights: 1,
        texgens: TEXGENS.first_chunk::<1>().unwrap(),
        has_normals: false,
    },
];

impl Scene {
    /// The configuration of that short name.
    pub fn find(name: &str) -> Option<&'static Scene> {
        ALL.iter().find(|scene| scene.name.eq_ignore_ascii_case(name))
    }

    /// What selects code; tangents and binormals, which vertices do not have, are not put out.
    pub fn setup(&self) -> Setup {
        let vertices = Vertices { matrices: 0, colours: [true, false] };
        let setup = Setup::new(Transform::new(&self.memory(), vertices));
        let live = setup.live_outputs & !(1 << output::TANGENT | 1 << output::BINORMAL);
        setup.live_outputs(live)
    }

    /// Matrices, lights, colours and indices as rows of constants.
    pub fn context(&self) -> Context {
        let mut context = Context::new(rows::ROWS);
        rows::fill(&self.memory(), context.rows_mut());
        context
    }

    /// The unit's words, as commands leave them.
    pub fn memory(&self) -> Memory {
        FpEnv::Default.within(|| self.make_memory())
    }

    fn make_memory(&self) -> Memory {
        let mut memory = Memory::new();
        let mut set = |address: u16, numbers: &[f32]| {
            let words: Vec<u32> = numbers.iter().map(|number| number.to_bits()).collect();
            memory.write(address, &words);
        };
        // A turn about y by a Pythagorean angle, seen from a distance; the same for normals; textures as they are.
        set(0, &[0.6, 0.0, 0.8, 0.1, 0.0, 1.0, 0.0, -0.2, -0.8, 0.0, 0.6, -5.0]);
        set(registers::NORMAL_MATRICES.start, &[0.6, 0.0, 0.8, 0.0, 1.0, 0.0, -0.8, 0.0, 0.6]);
        set(4 * 60, &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        set(registers::VIEWPORT, &[320.0, -240.0, 16_777_215.0, 662.0, 582.0, 16_777_215.0]);
        set(registers::PROJECTION, &[1.0, 0.0, 1.25, 0.0, -0.1, -1.1]);
        let mut random = Random(0x2545_f491);
        for light in 0..8 {
            let [x, y, z] = random.unit();
            let first = registers::LIGHTS.start + light * LIGHT_WORDS;
            set(first + LIGHT_ANGLE, &[0.2, 0.5, 0.3, 1.0, 0.1, 0.01]);
            set(first + LIGHT_POSITION, &[6.0 * x, 6.0 * y, 6.0 * z, -x, -y, -z]);
        }
        for light in 0..8 {
            let colour = 0x3020_10ff_u32.rotate_left(3 * u32::from(light)) & 0x3f3f_3fff | 0xff;
            memory.write(registers::LIGHTS.start + light * LIGHT_WORDS + LIGHT_COLOUR, &[colour]);
        }
        memory.write(registers::AMBIENT, &[0x2020_20ff; 2]);
        memory.write(registers::MATERIAL, &[0xffff_ffff; 2]);
        // Channel 0: the vertex's colour, lit; nothing from behind. The others are as they are.
        let lights = (1_u32 << self.lights) - 1;
        let control = registers::LOW_LIGHTS.set(0x703, lights);
        let control = registers::HIGH_LIGHTS.set(control, lights >> 4);
        memory.write(registers::CHANNEL_CONTROL, &[control, 0, 1, 0]);
        memory.write(registers::CHANNELS, &[1]);
        memory.write(registers::TEXGENS, &[self.texgens.len() as u32]);
        memory.write(registers::TEXGEN, self.texgens);
        let texture = |index: u32| 60 << (6 * index);
        memory.write(registers::MATRIX_INDEX_A, &[(1..5).map(texture).sum()]);
        memory
    }

    /// Attributes of so many vertices, a row each.
    pub fn vertices(&self, count: usize) -> [Vec<Row>; ATTRIBUTES] {
        FpEnv::Default.within(|| self.make_vertices(count))
    }

    fn make_vertices(&self, count: usize) -> [Vec<Row>; ATTRIBUTES] {
        let mut random = Random(0x1234_5678);
        let mut attributes: [Vec<Row>; ATTRIBUTES] = std::array::from_fn(|_| Vec::with_capacity(count));
        for _ in 0..count {
            let mut vertex = [[0; 4]; ATTRIBUTES];
            let mut set = |register: usize, numbers: [f32; 3]| {
                let [x, y, z] = numbers.map(f32::to_bits);
                vertex[register] = [x, y, z, 0];
            };
            set(input::POSITION, [random.next(), random.next(), random.next()]);
            let normal = random.unit();
            set(input::NORMAL, if self.has_normals { normal } else { [0.0; 3] });
            let [s, t, r] = random.unit();
            set(input::TEXCOORD, [s, t, 0.0]);
            set(input::TEXCOORD + 1, [t, r, 0.0]);
            vertex[input::COLOUR] = rows::colour((random.next().to_bits() << 8) | 0xff);
            for (rows, row) in attributes.iter_mut().zip(vertex) {
                rows.push(row);
            }
        }
        attributes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Eval, Worker};
    use crate::native;
    use crate::repro::FlipperCase;

    /// Not even normals of no length, each of which becomes a NaN, leave anything to the fallback.
    #[test]
    fn the_set_runs_without_a_fallback() {
        let native = native();
        for scene in &ALL {
            for quirks in [crate::config::FlipperQuirks::SPEC, crate::config::FlipperQuirks::DOLPHIN_SW] {
                let (setup, context) = (scene.setup().quirks(quirks), scene.context());
                let case = FlipperCase { setup, context, attributes: scene.vertices(24) };
                let mut backends: Vec<&dyn Backend> = vec![&Eval::Host];
                backends.extend(native.as_deref());
                let mut worker = Worker::new();
                assert_eq!(case.check_flipper(&backends, &mut worker).err(), None, "{}", scene.name);
                for backend in backends {
                    let ran = case.run(backend, &mut worker).expect("it compiles");
                    assert_eq!(ran.outcome.deopt_groups, 0, "{} on {}", scene.name, backend.name());
                    let normal = case.placement().row(&ran.output, output::NORMAL, 5).expect("it is live");
                    let is_nan = normal[..3].iter().all(|&word| word == 0x7fff_ffff);
                    assert_eq!(is_nan, !scene.has_normals, "{normal:x?}");
                }
            }
        }
    }

    /// Lights and coordinates make a difference: what is measured is not a scene in the dark.
    #[test]
    fn the_set_is_lit() {
        for scene in &ALL[..2] {
            let case = FlipperCase {
                setup: scene.setup(),
                context: scene.context(),
                attributes: scene.vertices(16),
            };
            let ran = case.run(&crate::backend::Interp::Single, &mut Worker::new()).expect("it runs");
            let placement = case.placement();
            let red: Vec<u32> = (0..16)
                .filter_map(|v| placement.row(&ran.output, output::COLOUR, v))
                .map(|row| row[0])
                .collect();
            let mut different = red.clone();
            different.sort_unstable();
            different.dedup();
            assert!(different.len() > 8, "{}: {red:?}", scene.name);
            let inside = (0..16)
                .filter_map(|v| placement.row(&ran.output, output::FLAGS, v))
                .filter(|row| row[0] == 0);
            assert!(inside.count() > 8, "{}", scene.name);
        }
    }
}
