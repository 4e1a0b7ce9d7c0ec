//! The fixed set of configurations of the fixed function, F1 to F5, with state and vertices: what its speed is measured
//! on, as programs are on [`crate::programs`].
//!
//! State is what a driver writes for a scene: matrices that turn and project, unit directions, coefficients of the
//! shininess 10 (fixed_function.md 3.12). LT's memories hold it rounded.

#[cfg(test)]
use crate::RandomFixed;
use crate::chip::memory::{Ram, context};
use crate::chip::mode::{Mode, Name};
use crate::chip::slots::slots;
use crate::chip::{Family, Pipeline};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::convert::xf_to_lt;
use xfjit_runtime::state::{ATTRIBUTES, Context, Row};

/// A configuration of the set.
#[derive(Clone, Copy, Debug)]
pub struct FixedSetup {
    /// Short name, F1 to F5.
    pub name: &'static str,
    /// What it does.
    pub title: &'static str,
    mode: fn() -> Mode,
}

/// The set, in the order in which figures are printed.
pub const ALL: [FixedSetup; 5] = [
    FixedSetup { name: "F1", title: "unlit, one texture", mode: unlit },
    FixedSetup { name: "F2", title: "one infinite light with specular", mode: infinite },
    FixedSetup { name: "F3", title: "eight local lights", mode: local },
    FixedSetup { name: "F4", title: "two generated textures: sphere and reflection map", mode: generated },
    FixedSetup { name: "F5", title: "Kelvin, two sides, four weights", mode: two_sides },
];

fn unlit() -> Mode {
    Mode::new(Pipeline::NV15, &[]).with(Name::TexEnable(0), 1).with(Name::TexPerspective(0), 1)
}

fn infinite() -> Mode {
    unlit()
        .with(Name::Lighting, 1)
        .with(Name::Normalize, 1)
        .with(Name::SeparateSpecular, 1)
        .with(Name::Light(0), 1)
}

fn local() -> Mode {
    let lit = infinite().with(Name::LocalViewer, 1);
    (0..8).fold(lit, |mode, light| mode.with(Name::Light(light), 2))
}

fn generated() -> Mode {
    let mut mode = Mode::new(Pipeline::NV15, &[]).with(Name::Normalize, 1);
    for (unit, generate, components) in [(0, 3, 2), (1, 5, 3)] {
        for name in [Name::TexEnable(unit), Name::TexMatrix(unit), Name::TexPerspective(unit)] {
            mode.set(name, 1);
        }
        (0..components).for_each(|component| mode.set(Name::TexGen(unit, component), generate));
    }
    mode
}

fn two_sides() -> Mode {
    let fields = [
        (Name::Lighting, 1),
        (Name::Normalize, 1),
        (Name::SpecularEnable, 1),
        (Name::SeparateSpecular, 1),
        (Name::TwoSide, 1),
        (Name::Weight, 6),
        (Name::Light(0), 1),
        (Name::Light(1), 2),
        (Name::TexEnable(0), 1),
        (Name::TexR(0), 1),
    ];
    fields.into_iter().fold(Mode::new(Pipeline::Kelvin, &[]), |mode, (name, value)| mode.with(name, value))
}

/// Numbers between -1 and 1, the same on every host.
pub(super) struct Random(pub(super) u32);

impl Random {
    pub(super) fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(super) fn unit(&mut self) -> [f32; 3] {
        let v = [self.next(), self.next(), self.next() + 1.5];
        let length = v.iter().map(|c| c * c).sum::<f32>().sqrt();
        v.map(|c| c / length)
    }
}

impl FixedSetup {
    /// The configuration of that short name.
    pub fn find(name: &str) -> Option<&'static FixedSetup> {
        ALL.iter().find(|setup| setup.name.eq_ignore_ascii_case(name))
    }

    /// Its mode.
    pub fn mode(&self) -> Mode {
        (self.mode)()
    }

    /// Its memories.
    pub fn context(&self) -> Context {
        FpEnv::Default.within(|| self.make_context())
    }

    fn make_context(&self) -> Context {
        let pipeline = self.mode().pipeline();
        let mut context = context(pipeline);
        let mut random = Random(0x2545_f491);
        let mut set = |ram: Ram, slot: usize, value: [f32; 4]| {
            if let Some(row) = ram.row(pipeline, slot) {
                let round = |x: f32| if ram == Ram::Xfctx { x.to_bits() } else { xf_to_lt(x.to_bits()) };
                context.set_row(row, value.map(round));
            }
        };
        let slots = slots(pipeline);
        let lighting = &slots.lighting;
        for (number, &slot) in slots.model_view.iter().enumerate() {
            // A turn about y by a Pythagorean angle, seen from a distance; the inverse turns back.
            let (s, c) = ([0.6, 0.28, 0.0, 0.8][number], [0.8, 0.96, 1.0, 0.6][number]);
            let rows = [[c, 0.0, s, 0.1], [0.0, 1.0, 0.0, -0.2], [-s, 0.0, c, -5.0], [0.0, 0.0, 0.0, 1.0]];
            rows.into_iter().enumerate().for_each(|(row, value)| set(Ram::Xfctx, slot + row, value));
            rows.into_iter().enumerate().for_each(|(row, [x, y, z, _])| {
                set(Ram::Xfctx, slot + 4 + row, [x, y, z, 0.0]);
            });
        }
        let window = [
            [320.0, 0.0, -320.0, 0.0],
            [0.0, -240.0, -240.0, 0.0],
            [0.0, 0.0, -1.2, -0.4],
            [0.1, 0.0, -1.0, 6.0],
        ];
        window
            .into_iter()
            .enumerate()
            .for_each(|(row, value)| set(Ram::Xfctx, slots.projection + row, value));
        for slot in &slots.texture[..2] {
            for row in 0..4 {
                let mut value = [0.0; 4];
                value[row] = 1.0;
                // The matrix stands behind the planes.
                set(Ram::Xfctx, slot + 4 + row, value);
            }
        }
        for light in 0..8 {
            let [x, y, z] = random.unit();
            set(Ram::Xfctx, slots.light_position + light, [6.0 * x, 6.0 * y, 6.0 * z, 1.0]);
            for slot in 0..lighting.stride {
                let colour = [random.next(), random.next(), random.next()].map(|c| 0.1 * (c + 1.0));
                set(Ram::Ltctx, lighting.stride * light + slot, [colour[0], colour[1], colour[2], 0.0]);
            }
            let mode = self.mode().get(Name::Light(light as u8));
            let half = if mode == 1 { [x * 0.6, y * 0.6, 0.8, 0.0] } else { [1.0, 0.1, 0.01, 0.0] };
            set(Ram::Ltctx, lighting.stride * light + lighting.half, half);
            set(Ram::Ltctx, lighting.stride * light + lighting.direction, [x, y, z, 0.0]);
        }
        // A to F.
        let shininess = [-0.706_496, -2.507_095, 2.800_6, -0.421_539, -1.705_92, 2.284_38];
        for surface in std::iter::once(&lighting.front).chain(&lighting.back) {
            for ((ltc, slot), x) in surface.shininess.into_iter().zip(shininess) {
                set(Ram::Ltc(ltc), slot, [x, 0.0, 0.0, 0.0]);
            }
        }
        context
    }

    /// Attributes of so many vertices, a row each.
    pub fn vertices(&self, count: usize) -> [Vec<Row>; ATTRIBUTES] {
        FpEnv::Default.within(|| self.make_vertices(count))
    }

    fn make_vertices(&self, count: usize) -> [Vec<Row>; ATTRIBUTES] {
        let family = self.mode().pipeline().family();
        let mut random = Random(0x1234_5678);
        let mut attributes: [Vec<Row>; ATTRIBUTES] = Default::default();
        for _ in 0..count {
            for (register, rows) in attributes.iter_mut().enumerate() {
                let [x, y, z] = random.unit();
                let row = match (register, family) {
                    (0, _) => [random.next(), random.next(), random.next(), 1.0],
                    (5, Family::Celsius) | (2, Family::Kelvin) => [x, y, z, 0.0],
                    (1, Family::Kelvin) => [0.4, 0.3, 0.2, 0.1],
                    _ => [x.abs(), y.abs(), z.abs(), 1.0],
                };
                rows.push(row.map(f32::to_bits));
            }
        }
        attributes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Worker};
    use crate::front::fixed::Setup;
    use crate::{FixedCase, native};
    use xfjit_runtime::num::Model;

    #[test]
    fn the_set_runs_without_a_fallback() {
        for set in &ALL {
            for model in [Model::Hw, Model::Ieee] {
                let setup = Setup::new(set.mode()).model(model);
                let case = FixedCase { setup, context: set.context(), attributes: set.vertices(64) };
                let native = native();
                let backends: Vec<&dyn Backend> = native.as_deref().into_iter().collect();
                let mut worker = Worker::new();
                assert_eq!(case.check(&backends, &mut worker).err(), None, "{}", set.name);
                for backend in backends {
                    let ran = case.run(backend, &mut worker).expect("it compiles");
                    assert_eq!(ran.outcome.deopt_groups, 0, "{} {model:?}", set.name);
                }
            }
        }
    }
}
