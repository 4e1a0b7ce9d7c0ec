//! NV40's fixed function, which XF computes alone: against figures that a reading of the documents has, step by step and in the
//! arithmetic of programs (fixed_function.md 3, 5.4 and 6; docs/isa/fixed.md, "NV40"), against the front end on the same numbers, and
//! that no later chip has it.

use crate::{ONE, TWO, engine, unit, vector};
use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::chip::Pipeline;
use xfjit::chip::memory::{EyeDirection, rows};
use xfjit::chip::mode::{Mode, Name, Property, Side};
use xfjit::runtime::num::{self, Numerics, Rules, convert};
use xfjit::runtime::state::Row;
use xfjit::xf::methods::{MethodError, Methods};
use xfjit::xf::{Chip, Family, Form, Output, Register, Type, XfUnit, initial_constants};
use xfjit::{Config, Engine, Generation, Model, Options, Worker};
use xfjit_testing::{Choices, FixedCase, RandomFixed};

/// Where XFCTX has what was LTCTX, LTC1, LTC2 and LTC3.
const LTCTX: usize = 0x19c;
const LTC: [usize; 3] = [0x1d4, 0x1e9, 0x1f6];

/// Registers that stand for XFMODE, in the order of its words.
const WORDS: [Register; 7] = [
    Register::FixedC,
    Register::FixedB,
    Register::FixedA,
    Register::FixedT3,
    Register::FixedT2,
    Register::FixedT1,
    Register::FixedT0,
];

fn set_mode(unit: &mut XfUnit, mode: &Mode) {
    WORDS.into_iter().zip(mode.words()).for_each(|(register, &word)| unit.set(register, word));
    let bits = [(Name::ContextAccess, 2), (Name::ArithRules, 4), (Name::ViewportSkip, 8)];
    unit.set(Register::Execution, bits.iter().fold(0, |word, &(name, bit)| word | mode.get(name) << bit));
}

/// The registers of each vertex, and which of them are sent.
fn sent(unit: &mut XfUnit) -> Vec<Vec<(u8, Row)>> {
    let mut all = Vec::new();
    unit.drain(|output| {
        let Output::Vertices(vertices) = output else { panic!("{output:?}") };
        assert!(matches!(vertices.form, Form::Fixed(_)), "{:?}", vertices.form);
        let of =
            |at| (0..32).filter_map(|register| Some((register, vertices.register(at, register)?))).collect();
        all.extend((0..vertices.count).map(of));
    });
    all
}

fn on(backend: Option<Interp>, model: Model) -> XfUnit {
    let engine = match backend {
        None => engine(),
        Some(backend) => {
            Arc::new(Engine::new(Options::default().with(|options| options.backend = Arc::new(backend))))
        }
    };
    XfUnit::new(engine, Chip::Nv40).with_config(Config { model, ..Config::new(Generation::Curie) })
}

/// A vertex that a driver could have, and what the documents make of it.
struct Reading {
    n: Numerics,
    mode: Mode,
    xfctx: Vec<Row>,
    attributes: [Row; 16],
}

type Vec3 = [u32; 3];

fn xyz([x, y, z, _]: Row) -> Vec3 {
    [x, y, z]
}

fn negative(a: u32) -> bool {
    a >> 31 != 0
}

impl Reading {
    fn choose(c: &mut Choices<'_>, model: Model) -> Reading {
        let mut mode = Mode::new(Pipeline::Curie, &[]);
        for name in [
            Name::ArithRules,
            Name::Normalize,
            Name::LocalViewer,
            Name::SeparateSpecular,
            Name::SpecularAlpha,
            Name::TwoSide,
        ] {
            mode.set(name, c.below(2));
        }
        for name in [Name::Lighting, Name::SpecularEnable, Name::PointParams, Name::FogEnable] {
            mode.set(name, u32::from(c.chance(85)));
        }
        mode.set(Name::FogCoord, c.below(4));
        (0..8).for_each(|light| mode.set(Name::Light(light), c.below(3)));
        for side in [Side::Front, Side::Back] {
            for property in [Property::Emission, Property::Ambient, Property::Diffuse, Property::Specular] {
                mode.set(Name::Source(side, property), c.below(3));
            }
        }
        let n = Numerics { model, rules: mode.rules() };
        let number = |c: &mut Choices<'_>| ((c.below(8192) as f32 - 4096.0) / 3000.0).to_bits();
        let mut xfctx: Vec<Row> = (0..0x220).map(|_| std::array::from_fn(|_| number(c))).collect();
        // Ranges that some lights reach.
        (0..8).for_each(|light| xfctx[LTC[0] + 5 + light][0] = (c.below(50) as f32).to_bits());
        let attributes = std::array::from_fn(|_| std::array::from_fn(|_| number(c)));
        Reading { n, mode, xfctx, attributes }
    }

    fn mul(&self, a: u32, b: u32) -> u32 {
        num::mul(self.n, a, b)
    }

    fn add(&self, a: u32, b: u32) -> u32 {
        num::sum2(self.n, a, b)
    }

    fn scale(&self, a: Vec3, by: u32) -> Vec3 {
        a.map(|x| self.mul(by, x))
    }

    fn plus(&self, a: Vec3, b: Vec3) -> Vec3 {
        std::array::from_fn(|c| self.add(a[c], b[c]))
    }

    fn minus(&self, a: Vec3, b: Vec3) -> Vec3 {
        self.plus(a, b.map(|x| x ^ 1 << 31))
    }

    fn times(&self, a: Vec3, b: Vec3) -> Vec3 {
        std::array::from_fn(|c| self.mul(a[c], b[c]))
    }

    fn dp3(&self, a: Vec3, b: Vec3) -> u32 {
        let [x, y, z] = self.times(a, b);
        num::sum3(self.n, x, y, z)
    }

    fn dp4(&self, a: Row, b: Row) -> u32 {
        let [x, y, z, w] = std::array::from_fn(|c| self.mul(a[c], b[c]));
        num::sum4(self.n, x, y, z, w)
    }

    fn ltctx(&self, slot: usize) -> Vec3 {
        xyz(self.xfctx[LTCTX + slot])
    }

    fn ltc(&self, number: usize, slot: usize) -> u32 {
        self.xfctx[LTC[number - 1] + slot][0]
    }

    /// A vector made a unit vector, its distance, and the square of it (steps 5 and 7).
    fn direction(&self, a: Vec3) -> (Vec3, u32, u32) {
        let square = self.dp3(a, a);
        let root = num::rsq(self.n, square);
        (a.map(|x| self.mul(x, root)), self.mul(square, root), square)
    }

    /// The colour that stands in for a property, by its source.
    fn source(&self, side: Side, property: Property) -> Option<Row> {
        match self.mode.get(Name::Source(side, property)) {
            1 => Some(self.attributes[3]),
            2 => Some(self.attributes[4]),
            _ => None,
        }
    }

    /// What leaves, by register.
    fn outputs(&self) -> Vec<(u8, Row)> {
        let n = self.n;
        let object = self.attributes[0];
        let row = |at: usize| self.xfctx[at];
        let transformed = |first: usize| -> Row { std::array::from_fn(|j| self.dp4(object, row(first + j))) };
        let (clip, seen) = (transformed(0x3c), transformed(0x44));
        // Steps 3, and 6's scale of the viewport.
        let inverse = num::rcc(n, clip[3]);
        let scaled = self.times(xyz(clip), xyz(row(0x76))).map(|x| self.mul(x, inverse));
        let [x, y, z] = self.plus(scaled, xyz(row(0x77)));
        let mut outputs = vec![(0, [x, y, z, clip[3]])];
        // Step 4.
        let given = xyz(self.attributes[2]);
        let mut normal: Vec3 = std::array::from_fn(|j| self.dp3(given, xyz(row(0x48 + j))));
        if self.mode.has(Name::Normalize) {
            let root = num::rsq(n, self.dp3(normal, normal));
            normal = normal.map(|x| self.mul(x, root));
        }
        // Step 5.
        let root = num::rcp(n, seen[3]);
        let position = seen.map(|x| self.mul(x, root));
        let (eye, distance, square) = self.direction(self.minus(xyz(row(0x74)), xyz(position)));
        self.colours(normal, xyz(position), eye, &mut outputs);
        if self.mode.has(Name::FogEnable) {
            let fog = match self.mode.get(Name::FogCoord) {
                0 => self.attributes[4][3],
                1 => distance,
                2 => self.dp4(position, row(0x75)),
                _ => self.attributes[5][0],
            };
            outputs.push((5, [fog, 0, 0, ONE]));
        }
        if self.mode.has(Name::PointParams) {
            let [range, bias, least, _] = row(0x27);
            let size = num::rsq(n, self.dp3([ONE, distance, square], xyz(row(0x26))));
            let size = num::saturate(n, self.add(size, bias));
            outputs.push((6, [self.add(self.mul(size, range), least), 0, 0, ONE]));
        }
        outputs.sort_unstable_by_key(|&(register, _)| register);
        outputs
    }

    fn colours(&self, normal: Vec3, position: Vec3, eye: Vec3, outputs: &mut Vec<(u8, Row)>) {
        let back = self.mode.has(Name::TwoSide).then_some((Side::Back, [1, 2]));
        for (side, registers) in [(Side::Front, [3, 4])].into_iter().chain(back) {
            let [primary, [r, g, b, _]] = match (self.mode.has(Name::Lighting), side) {
                (true, Side::Front) => self.lit(side, normal, position, eye),
                (true, Side::Back) => self.lit(side, normal.map(|x| x ^ 1 << 31), position, eye),
                (false, Side::Front) => [self.attributes[3], self.attributes[4]],
                (false, Side::Back) => [[0, 0, 0, ONE]; 2],
            };
            let dark =
                !self.mode.has(Name::SpecularEnable) || side == Side::Back && !self.mode.has(Name::Lighting);
            let alpha = if self.mode.has(Name::SpecularAlpha) { self.attributes[4][3] } else { ONE };
            let secondary = if dark { [0, 0, 0, ONE] } else { [r, g, b, alpha] };
            for (register, colour) in registers.into_iter().zip([primary, secondary]) {
                outputs.push((register, colour.map(|x| convert::colour_to_u8(x).into())));
            }
        }
    }

    /// Step 10 as 5.4 and 6 have it.
    fn lit(&self, side: Side, normal: Vec3, position: Vec3, eye: Vec3) -> [Row; 2] {
        let n = self.n;
        let (behind, shininess) = match side {
            Side::Front => (0, [[1, 1, 1], [3, 3, 3]]),
            Side::Back => (1, [[2, 2, 2], [4, 4, 4]]),
        };
        let [emission, ambient, diffuse, specular] =
            [Property::Emission, Property::Ambient, Property::Diffuse, Property::Specular]
                .map(|property| self.source(side, property));
        let (scene, factor) = (self.ltctx(0x30 + behind), self.ltctx(0x32 + behind));
        let coloured = |a: Vec3, by: Option<Row>| by.map_or(a, |by| self.times(a, xyz(by)));
        let mut sum = match (emission, ambient) {
            (None, None) => scene,
            (Some(colour), None) | (None, Some(colour)) => self.plus(scene, self.times(xyz(colour), factor)),
            (Some(emission), Some(ambient)) => self.plus(xyz(emission), self.times(xyz(ambient), factor)),
        };
        let separate = self.mode.has(Name::SpecularEnable) && self.mode.has(Name::SeparateSpecular);
        let mut shine = self.ltctx(0x34);
        let viewer = match self.mode.has(Name::LocalViewer) {
            true => eye,
            false => xyz(self.xfctx[0x38]),
        };
        for light in 0..8 {
            let kind = self.mode.get(Name::Light(light as u8));
            if kind == 0 {
                continue;
            }
            let half = xyz(self.xfctx[0x30 + light]);
            let (mut towards, mut fading, mut dark) = (xyz(self.xfctx[0x28 + light]), ONE, false);
            if kind == 2 {
                let (unit, distance, square) =
                    self.direction(self.minus(xyz(self.xfctx[0x64 + light]), position));
                fading = num::rcp(n, self.dp3([ONE, distance, square], half));
                if negative(self.add(distance ^ 1 << 31, self.ltc(1, 5 + light))) {
                    (dark, fading) = (true, 0);
                }
                towards = unit;
            }
            let cosine = self.dp3(normal, towards);
            dark |= negative(cosine);
            let lit = self.mul(fading, if dark { 0 } else { cosine });
            // The formula of x, the cosine or its square.
            let (x, [a, b, c]) = if kind == 1 && !self.mode.has(Name::LocalViewer) {
                (self.dp3(normal, half), shininess[0])
            } else {
                let half = self.plus(viewer, towards);
                let product = self.dp3(normal, half);
                dark |= negative(product);
                let inverse = num::rcp(n, self.dp3(half, half));
                (self.mul(self.mul(product, product), inverse), shininess[1])
            };
            let above = self.add(x, self.ltc(1, a));
            let below = self.add(self.mul(x, self.ltc(2, b)), self.ltc(3, c));
            dark |= negative(above);
            let quotient = self.mul(above, num::rcp(n, below));
            let gleam = self.mul(fading, if dark { 0 } else { quotient });
            let own = |part: usize| self.ltctx(6 * light + 3 * behind + part);
            sum = self.plus(sum, coloured(self.scale(own(0), fading), ambient));
            sum = self.plus(sum, coloured(self.scale(own(1), lit), diffuse));
            let added = coloured(self.scale(own(2), gleam), specular);
            match separate {
                true => shine = self.plus(shine, added),
                false => sum = self.plus(sum, added),
            }
        }
        let alpha = diffuse.map_or(self.ltc(3, 0x0d + behind), |colour| colour[3]);
        let [r, g, b] = sum;
        let second = if separate { shine } else { xyz(self.attributes[4]) };
        [[r, g, b, alpha], [second[0], second[1], second[2], ONE]]
    }
}

/// In both models and by both sets of rules, in native code and in the interpreter.
#[test]
fn nv40_computes_the_fixed_function_with_the_arithmetic_of_programs() {
    let mut lights_differ = 0;
    for (model, backend) in [
        (Model::Hw, None),
        (Model::Hw, Some(Interp::Single)),
        (Model::Ieee, None),
        (Model::Ieee, Some(Interp::Batched)),
    ] {
        let mut unit = on(backend, model);
        let mut rules = [0; 2];
        for seed in 0..60 {
            let reading = Reading::choose(&mut Choices::seed(seed), model);
            rules[usize::from(reading.n.rules == Rules::RankineModern)] += 1;
            set_mode(&mut unit, &reading.mode);
            (0..).zip(&reading.xfctx).for_each(|(slot, &row)| vector(&mut unit, Type::Xfctx, slot, row));
            (0..).zip(&reading.attributes).for_each(|(slot, &row)| vector(&mut unit, Type::Vab, slot, row));
            unit.vertex();
            let want = reading.outputs();
            assert_eq!(
                sent(&mut unit),
                std::slice::from_ref(&want),
                "{model:?} seed {seed}\n{}",
                reading.mode
            );
            let primary = want.iter().find(|(register, _)| *register == 3).expect("it is always sent").1;
            lights_differ += usize::from(primary.iter().any(|byte| (1..255).contains(byte)));
        }
        assert!(rules[0] > 15 && rules[1] > 15, "{rules:?}");
    }
    assert!(lights_differ > 100, "{lights_differ}");
}

/// All modes, all of state: what the front end computes of a context is what a unit that is fed by commands sends.
#[test]
fn the_memories_of_rankine_lie_in_nv40s_xfctx_one_behind_the_other() {
    let mut worker = Worker::new();
    let mut unit = on(Some(Interp::Batched), Model::Hw);
    let count = rows(Pipeline::Curie);
    assert_eq!(count, LTC[2] + 0xf);
    for seed in 0..80 {
        let case = FixedCase::choose(&mut Choices::seed(seed), Family::Curie, Some(Model::Hw), 3);
        let case = FixedCase { setup: xfjit::front::fixed::Setup::new(case.setup.mode), ..case };
        set_mode(&mut unit, &case.setup.mode);
        for (slot, &row) in (0..).zip(case.context.rows()).take(count) {
            vector(&mut unit, Type::Xfctx, slot, row);
        }
        // What lies behind is nobody's.
        (count as u16..0x220).for_each(|slot| vector(&mut unit, Type::Xfctx, slot, [seed as u32; 4]));
        for at in 0..case.count() {
            for (slot, rows) in (0..).zip(&case.attributes) {
                vector(&mut unit, Type::Vab, slot, rows[at]);
            }
            unit.vertex();
        }
        let want = case.run(&Interp::Single, &mut worker).expect("it takes everything");
        let placement = case.placement();
        for (at, registers) in sent(&mut unit).into_iter().enumerate() {
            assert_eq!(registers.len(), case.setup.outputs().count_ones() as usize);
            for (register, row) in registers {
                let want = placement.row(&want.output, usize::from(register), at);
                assert_eq!(Some(row), want, "seed {seed} o{register}");
            }
        }
    }
}

/// Lights leave other bytes than LT's would; what XF has computed on Rankine is the same.
#[test]
fn only_what_lt_computed_differs_from_rankine() {
    let mut worker = Worker::new();
    let (mut same, mut different) = (0, 0);
    for seed in 0..200 {
        let case = FixedCase::choose(&mut Choices::seed(seed), Family::Rankine, Some(Model::Hw), 2);
        let mode = case.setup.mode.with(Name::RawAttenuation, 0);
        let [rankine, curie] = [Pipeline::Rankine, Pipeline::Curie].map(|pipeline| {
            let setup = xfjit::front::fixed::Setup::new(Mode::new(pipeline, mode.words()));
            let case = FixedCase { setup, ..case.clone() };
            (case.placement(), case.run(&Interp::Batched, &mut worker).expect("it takes everything"))
        });
        for register in 0..23 {
            for at in 0..2 {
                let [want, got] = [&rankine, &curie].map(|(at_, ran)| at_.row(&ran.output, register, at));
                let is_colour = (1..5).contains(&register);
                assert!(got == want || is_colour, "seed {seed} o{register}: {want:?} {got:?}");
                same += usize::from(is_colour && got == want);
                different += usize::from(got != want);
            }
        }
    }
    assert!(same > 100 && different > 5, "{same} {different}");
}

/// The mode of execution decides, and what it has of XFMODE's fields is not looked at in the words.
#[test]
fn mode_0_of_nv40_runs_the_fixed_function() {
    let mut unit = unit(Chip::Nv40);
    initial_constants(Chip::Nv40, EyeDirection::Zero).into_iter().for_each(|command| unit.command(command));
    assert_eq!(unit.xfctx(0x74), [0, 0, 0, ONE]);
    assert_eq!(unit.xfctx(LTC[0] + 5), [0x7149_f400, 0, 0, 0]);
    for row in 0..4u16 {
        let mut scaled = [0; 4];
        scaled[usize::from(row)] = ONE;
        vector(&mut unit, Type::Xfctx, 0x3c + row, scaled);
    }
    vector(&mut unit, Type::Xfctx, 0x76, [TWO, TWO, TWO, 0]);
    vector(&mut unit, Type::Vab, 0, [ONE, TWO, ONE, ONE]);
    vector(&mut unit, Type::Vab, 3, [ONE, 0, ONE, ONE]);
    unit.set(Register::Outputs, 1 << 0 | 1 << 3);
    let four = 0x4080_0000;
    // Bits 30 and 31 of B are programs in XFMODE, and bit 16 leaves the viewport out.
    for (execution, word, x) in [(0, 0, TWO), (0, 3 << 30 | 1 << 16, TWO), (0x100, 0, ONE)] {
        unit.set(Register::Execution, execution);
        unit.set(Register::FixedB, word);
        assert_eq!(unit.generation(), None);
        unit.vertex();
        let y = if x == TWO { four } else { TWO };
        assert_eq!(
            sent(&mut unit),
            [[(0, [x, y, x, ONE]), (3, [255, 0, 255, 255])]],
            "{execution:#x} {word:#x}"
        );
    }
    // A recording and a state have the words.
    let (state, trace) = (unit.save(), {
        unit.record();
        unit.vertex();
        unit.recorded().expect("it was asked for")
    });
    unit.discard();
    let mut played = crate::unit(Chip::Nv40);
    trace.items.iter().for_each(|item| _ = played.play(item));
    played.discard();
    assert_eq!((played.save(), played.get(Register::FixedB)), (state, 0));
}

/// FE takes mode 0 for NV40 in both classes; from NV41 on there is an error, registers have no such words, and no name finds it.
#[test]
fn no_chip_from_nv41_on_has_a_fixed_function() {
    let mut nv40 = Methods::new(Chip::Nv40);
    for rankine in [false, true] {
        nv40.set_rankine_class(rankine);
        let mut items = Vec::new();
        assert_eq!(nv40.write(0x1e94, 0x110, &mut |item| items.push(item.to_string())), Ok(()));
        assert_eq!(items, ["set execution 0x110"]);
    }
    for &chip in Chip::ALL.iter().filter(|&&chip| chip >= Chip::Nv41) {
        let mut items = 0;
        let error = Methods::new(chip).write(0x1e94, 0x110, &mut |_| items += 1).expect_err("it has none");
        assert_eq!((error, items), (MethodError::NoFixedFunction { method: 0x1e94 }, 0));
        assert_eq!(
            error.to_string(),
            "method 0x1e94 selects the fixed function, which chips from NV41 on do not have"
        );
        assert!(WORDS.iter().all(|register| !register.exists(chip)));
        assert_eq!((chip.pipeline(), Pipeline::from_name(chip.name())), (None, None));
        assert_eq!(initial_constants(chip, EyeDirection::Zero), []);
    }
    assert!(WORDS.iter().all(|register| register.exists(Chip::Nv40) && !register.exists(Chip::Nv30)));
}
