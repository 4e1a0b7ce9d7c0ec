//! One suite, stamped out for every backend: each must do on every bit what the reference does.

mod fixed;
mod flipper;
mod vectors;

use std::sync::Arc;
use xfjit::backend::{Backend, CompileError, Interp, Worker};
use xfjit::config::Arithmetic;
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Layout, Outputs, Place};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::DEFAULT_ROW;
use xfjit::{Config, Generation, asm, isa};
use xfjit_isa::isa::op::{Components, ScaOp, Slot, VecOp};
use xfjit_testing::RandomCase;
use xfjit_testing::case::{Feed, Refusal};
use xfjit_testing::check::difference;
use xfjit_testing::operand::{self, Temper};
use xfjit_testing::program::Shape;
use xfjit_testing::programs;
use xfjit_testing::{Case, Choices, Limits, native_models, share};

const GEN: Generation = Generation::Kelvin;
const WILD: Limits = Limits {
    generation: GEN,
    shape: Shape { slots: 8, rare: 10, raw: 0, idioms: 20 },
    temper: Temper::Wild,
    vertices: 150,
    model: None,
};

/// The models that a backend runs.
fn models(backend: &dyn Backend) -> impl Iterator<Item = Model> {
    let runs_all = !backend.runs().is_legalised();
    [Model::Hw, Model::Ieee].into_iter().filter(move |model| runs_all || native_models().contains(model))
}

/// Compares a backend with the reference; the text of the case tells what is wrong.
fn agrees(backend: &dyn Backend, case: &Case) {
    assert!(agrees_or_refuses(backend, case), "the backend runs every case");
}

/// Asserts that a backend agrees; whether the case was run. What is too large for compiled code may be refused.
fn agrees_or_refuses(backend: &dyn Backend, case: &Case) -> bool {
    let mut worker = Worker::new();
    let want = case.run(&Interp::Single, &mut worker).expect("the reference runs every case");
    let got = match case.run(backend, &mut worker) {
        Err(Refusal::Compile(CompileError::TooLarge(_))) => return false,
        result => result.expect("the backend runs every case that is not too large"),
    };
    assert_eq!(got.outcome.mismatches, 0, "{case}");
    if let Some((what, _)) = difference(&case.placement(), &want, &got) {
        panic!("{}: {what}\n{case}", backend.name());
    }
    assert_eq!(case.stray_write(&got.output), None, "{case}");
    true
}

fn assemble(generation: Generation, text: &str) -> Vec<u32> {
    let program = asm::parse(generation, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    isa::encode(generation, &program)
}

/// A case of a program in text, on random data.
fn case(text: &str, config: &Config, seed: u64, limits: Limits) -> Case {
    let mut c = Choices::seed(seed);
    Case::with_program(&mut c, limits, assemble(config.generation, text), 0, config.clone())
}

fn every_opcode_on_spicy_values(backend: &dyn Backend) {
    for &generation in Generation::ALL {
        let texts = one_of_each_opcode(generation);
        for model in models(backend) {
            for arithmetic in [Arithmetic::Legacy, Arithmetic::Modern] {
                let config = Config::new(generation)
                    .model(model)
                    .live_outputs(1)
                    .with(|config| config.arithmetic = arithmetic);
                for text in &texts {
                    for seed in 0..6 {
                        agrees(backend, &case(text, &config, seed, WILD));
                    }
                    agrees(backend, &case(text, &config, 9, Limits { temper: Temper::Ordinary, ..WILD }));
                }
                if generation == GEN {
                    break;
                }
            }
        }
    }
}

/// A program for each operation of a generation that leaves something behind.
fn one_of_each_opcode(generation: Generation) -> Vec<String> {
    let operands = |slots: &[Slot]| {
        let names = slots.iter().map(|slot| match slot {
            Slot::A => "v0",
            Slot::B => "c[0]",
            Slot::C => "r0",
        });
        names.map(|name| format!(", {name}")).collect::<String>()
    };
    let vec = VecOp::ALL.iter().filter(|op| op.since() <= generation && **op != VecOp::Nop);
    let vec = vec.map(|op| match op {
        VecOp::Arl | VecOp::Arr => format!("{} a0.x, v0.x\nMOV oPos, c[a0 + 90]", op.mnemonic()),
        VecOp::Ara => "ARL a0, v0\nARA a1, a0\nMOV oPos, c[a1.y + 90]".to_owned(),
        VecOp::Txl => "TXL oPos, v0, tex1".to_owned(),
        op => format!("MOV r0, v1\n{} oPos{}", op.mnemonic(), operands(op.reads())),
    });
    let sca = ScaOp::ALL.iter().filter(|op| op.since() <= generation && op.has_value());
    let sca = sca.map(|op| match op {
        ScaOp::Mov => "IMV oPos, v0".to_owned(),
        // A source of which it reads more than one component has a swizzle.
        op if op.components(Slot::C) != Some(Components::X) => format!("{} oPos, v0", op.mnemonic()),
        op => format!("{} oPos, v0.x", op.mnemonic()),
    });
    vec.chain(sca).collect()
}

/// Codes that mean nothing, or mean something to the next generation only, write nothing (rankine_curie.md 2.1).
fn undefined_operations_write_nothing(backend: &dyn Backend) {
    for (generation, register) in [(Generation::Rankine, 3), (Generation::Curie, 1)] {
        let vec = (0..0x20).filter(|&code| VecOp::from_code(generation, code).is_none());
        let sca = (0..0x20).filter(|&code| ScaOp::from_code(generation, code).is_none());
        let codes = vec.map(|vec| (vec.into(), 0)).chain(sca.map(|sca| (0, sca.into())));
        for (vec, sca) in codes.chain([(0x1f, 0x1f)]) {
            // Every destination that there is, to be kept from by what the codes mean.
            let text = "MOV r1, v0\nMUL oD0, v0, r1 + MOV r1, r1\nMOV oPos, r1";
            let mut words = assemble(generation, text);
            let slot = &mut words[4..8];
            match generation {
                Generation::Curie => slot[1] = slot[1] & 0x003f_ffff | vec << 22 | sca << 27,
                _ => {
                    slot[1] = slot[1] & 0x007f_ffff | vec << 23 | sca << 28;
                    slot[0] = slot[0] & !1 | sca >> 4;
                }
            }
            for model in models(backend) {
                let config = Config::new(generation).model(model).live_outputs(1 << 0 | 1 << register);
                let limits = Limits { temper: Temper::Ordinary, vertices: 9, ..WILD };
                let case = Case::with_program(&mut Choices::seed(1), limits, words.clone(), 0, config);
                agrees(backend, &case);
                let ran = case.run(backend, &mut Worker::new()).expect("it runs");
                for position in 0..case.count {
                    let [from, to] = [
                        case.inputs().fetch(0, position),
                        case.output(&ran.output, 0, position).unwrap_or_default(),
                    ];
                    assert_eq!(from, to, "{vec:x} {sca:x}");
                    assert_eq!(case.output(&ran.output, register, position), Some(DEFAULT_ROW));
                }
            }
        }
    }
}

fn every_count_of_vertices_runs(backend: &dyn Backend) {
    let text = "DP4 oPos.x, v0, c[0]\nMUL oPos.yzw, v0, c[1]\nMOV oD0, v3\nMAX oT0, v9, c[2]";
    for model in models(backend) {
        for layout in [Layout::Rows, Layout::Planes] {
            let config = Config::new(GEN)
                .model(model)
                .live_outputs(1 << 0 | 1 << 3 | 1 << 9)
                .with(|config| config.layout = layout);
            let limits = Limits { temper: Temper::Mixed, ..WILD };
            for count in (0..=18).chain(62..=70).chain(126..=134) {
                let mut case = case(text, &config, 3, Limits { vertices: 0, ..limits });
                let rows: Vec<u8> = (0..count + 1)
                    .flat_map(|i| operand::row(&mut Choices::seed(i as u64), Temper::Mixed))
                    .flat_map(u32::to_ne_bytes)
                    .collect();
                let feed =
                    |components| Feed::Stream { data: rows.clone(), offset: 4, stride: 16, components };
                case.attributes[0] = feed(3);
                case.attributes[3] = feed(if count % 3 == 0 { 2 } else { 4 - u8::from(count % 2 == 1) });
                case.attributes[9] = feed(3);
                case.count = count;
                case.indices = None;
                for (i, place) in case.places.iter_mut().enumerate() {
                    *place = Some(match layout {
                        Layout::Rows => Place { offset: 16 * i + 1, stride: 260 },
                        Layout::Planes => Place { offset: i * (16 * count + 12), stride: 4 * count + 3 },
                    });
                }
                case.output_bytes = 16 * (16 * count + 12) + 260 * count + 300;
                agrees(backend, &case);
            }
        }
    }
}

fn wild_addresses_read_zero(backend: &dyn Backend) {
    let text = "ARL a0.x, v0.x\nMOV oPos, c[a0 + 96]\nARL a0.x, -v0.y\nADD oD0, c[a0], c[a0].wzyx\nMOV oD1, c[a0 + 191]\nMOV oT0, c[a0 + 255]";
    for model in models(backend) {
        for seed in 0..20 {
            agrees(backend, &case(text, &Config::new(GEN).model(model), seed, WILD));
        }
    }
}

fn constant_writes_are_seen_by_later_vertices(backend: &dyn Backend) {
    let text =
        "ARL a0.x, v0.x\nADD c[97].xz, c[97], v1\nMAX c[98], c[98], v1\nMOV oPos, c[a0 + 95]\nMOV oD0, c[97]";
    for model in models(backend) {
        let config = Config::new(GEN).model(model).with(|config| config.constant_writes = true);
        for seed in 0..20 {
            agrees(backend, &case(text, &config, seed, Limits { vertices: 12, ..WILD }));
        }
    }
}

fn the_fixed_set_agrees(backend: &dyn Backend) {
    for fixed in programs::ALL.into_iter().chain(programs::ALL.iter().filter_map(programs::Fixed::on_curie)) {
        let program = Arc::new(fixed.program());
        let vertices = fixed.vertices(70);
        for model in models(backend) {
            let config = fixed.config(model);
            let run = |backend: &dyn Backend| {
                let routine =
                    backend.prepare(&Microcode::shader(&program, &config)).expect("the set compiles");
                let mut context = fixed.context();
                let inputs = fixed.inputs(&vertices, 70);
                let mut words = vec![0; 70 * fixed.output_words()];
                let mut outputs = Outputs::interleaved(&mut words, fixed.outputs);
                let outcome =
                    routine.run(&mut Worker::new(), &mut context, &inputs, &mut outputs).expect("it runs");
                assert_eq!(outcome.deopt_groups, 0, "{} needs no fallback", fixed.title);
                words
            };
            assert_eq!(run(backend), run(&Interp::Single), "{}", fixed.title);
        }
    }
}

fn streams_that_are_too_short_leave_everything_alone(backend: &dyn Backend) {
    for model in models(backend) {
        let config = Config::new(GEN).model(model).live_outputs(1);
        let limits = Limits { vertices: 9, temper: Temper::Ordinary, ..WILD };
        let mut good = case("ADD c[0], v0, c[0]\nMOV oPos, v0", &config, 1, limits);
        good.attributes[0] = Feed::Stream { data: vec![0; 9 * 16], offset: 0, stride: 16, components: 4 };
        (good.indices, good.count) = (None, 9);
        good.places[0] = Some(Place { offset: 0, stride: 16 });
        good.output_bytes = 9 * 16;
        agrees(backend, &good);
        let refused = |case: &Case| {
            let result = case.run(backend, &mut Worker::new());
            assert!(matches!(result, Err(Refusal::Streams(_))), "{result:?}");
        };
        refused(&Case { count: 10, ..good.clone() });
        refused(&Case { output_bytes: 9 * 16 - 1, ..good.clone() });
        refused(&Case { indices: Some(vec![0, 1, 9, 0, 0, 0, 0, 0, 0]), ..good.clone() });
        refused(&Case { indices: Some(vec![0; 8]), ..good.clone() });
        let mut case = good.clone();
        case.attributes[0] = Feed::Stream { data: vec![0; 9 * 16], offset: 0, stride: 16, components: 5 };
        refused(&case);
        case.attributes[0] = Feed::Stream { data: vec![0; 64], offset: 0, stride: usize::MAX, components: 4 };
        refused(&case);
        let mut case = good.clone();
        case.places[0] = None;
        refused(&case);
        case.places[0] = Some(Place { offset: usize::MAX - 8, stride: 16 });
        refused(&case);
    }
}

fn random_programs_match_the_reference(backend: &dyn Backend) {
    let mut refused = 0;
    for (seed, &generation) in (10_000..10_000 + share(240)).zip(Generation::ALL.iter().cycle()) {
        for model in models(backend) {
            let mut c = Choices::seed(seed);
            let mut limits = Limits::choose(&mut c, generation).model(model);
            // Larger ones are often too large for compiled code.
            limits.shape.slots = limits.shape.slots.min(136);
            refused += usize::from(!agrees_or_refuses(backend, &Case::within(&mut c, limits)));
        }
    }
    assert!(refused <= 2, "{refused} programs were refused");
}

fn golden_programs_come_out_right(backend: &dyn Backend) {
    for model in models(backend) {
        vectors::check(backend, model);
    }
}

fn golden_fixed_function_cases_come_out_right(backend: &dyn Backend) {
    fixed::check_golden(backend);
}

fn golden_flipper_cases_come_out_right(backend: &dyn Backend) {
    flipper::check_golden(backend);
}

macro_rules! backend_tests { ($($name:ident => $backend:expr;)*) => { $(mod $name {
    #[test]
    fn every_opcode_on_spicy_values() { super::every_opcode_on_spicy_values(&$backend) }
    #[test]
    fn undefined_operations_write_nothing() { super::undefined_operations_write_nothing(&$backend) }
    #[test]
    fn every_count_of_vertices_runs() { super::every_count_of_vertices_runs(&$backend) }
    #[test]
    fn wild_addresses_read_zero() { super::wild_addresses_read_zero(&$backend) }
    #[test]
    fn constant_writes_are_seen_by_later_vertices() { super::constant_writes_are_seen_by_later_vertices(&$backend) }
    #[test]
    fn the_fixed_set_agrees() { super::the_fixed_set_agrees(&$backend) }
    #[test]
    fn streams_that_are_too_short_leave_everything_alone() {
        super::streams_that_are_too_short_leave_everything_alone(&$backend)
    }
    #[test]
    fn random_programs_match_the_reference() { super::random_programs_match_the_reference(&$backend) }
    #[test]
    fn golden_programs_come_out_right() { super::golden_programs_come_out_right(&$backend) }
    #[test]
    fn golden_fixed_function_cases_come_out_right() {
        super::golden_fixed_function_cases_come_out_right(&$backend)
    }
    #[test]
    fn golden_flipper_cases_come_out_right() { super::golden_flipper_cases_come_out_right(&$backend) }
})* } }

backend_tests! {
    interp => xfjit::backend::Interp::Single;
    interp_batch => xfjit::backend::Interp::Batched;
    eval => xfjit_core::backend::Eval::Xf;
    eval_host => xfjit_core::backend::Eval::Host;
    lockstep => xfjit::Lockstep::new(xfjit_core::backend::Interp::Batched, xfjit_core::backend::Eval::Host);
}

#[cfg(feature = "jit")]
fn jit(budget: xfjit_native::Budget) -> xfjit_native::Jit {
    xfjit_native::Jit::cranelift().expect("native code on this host").budget(budget)
}

/// What runs by default.
#[cfg(feature = "jit")]
fn host() -> xfjit_native::Jit {
    let jit = xfjit_native::Jit::host().expect("native code on this host");
    jit.budget(xfjit_native::Budget::UNLIMITED)
}

#[cfg(feature = "jit")]
backend_tests! {
    host => super::host();
    jit => super::jit(xfjit_native::Budget::UNLIMITED);
    jit_quick => super::jit(xfjit_native::Budget { thorough: 0, ..xfjit_native::Budget::UNLIMITED });
    lockstep_jit => xfjit::Lockstep::new(
        xfjit::backend::Interp::Batched,
        super::jit(xfjit_native::Budget::UNLIMITED),
    );
}

/// The slow path, in each form of code that this machine has.
#[cfg(feature = "jit")]
mod slow {
    use xfjit::backend::{Backend, Worker};
    use xfjit::{Config, Generation, Model};
    use xfjit_testing::check::native_slow;

    fn slow() -> impl Backend {
        native_slow().expect("native code on this host")
    }

    #[test]
    fn every_opcode_on_spicy_values() {
        super::every_opcode_on_spicy_values(&slow());
        super::every_opcode_on_spicy_values(&super::jit(xfjit_native::Budget::UNLIMITED).slowly());
    }
    #[test]
    fn every_count_of_vertices_runs() {
        super::every_count_of_vertices_runs(&slow());
    }
    #[test]
    fn wild_addresses_read_zero() {
        super::wild_addresses_read_zero(&slow());
    }
    #[test]
    fn constant_writes_are_seen_by_later_vertices() {
        super::constant_writes_are_seen_by_later_vertices(&slow());
    }
    #[test]
    fn the_fixed_set_agrees() {
        super::the_fixed_set_agrees(&slow());
    }
    #[test]
    fn random_programs_match_the_reference() {
        super::random_programs_match_the_reference(&slow());
    }
    #[test]
    fn golden_programs_come_out_right() {
        super::golden_programs_come_out_right(&slow());
    }

    /// It exists to leave nothing: but for texels, and angles for which the chip's shifter wraps.
    #[test]
    fn no_operand_raises_a_guard() {
        let mut worker = Worker::new();
        for &generation in Generation::ALL {
            for text in super::one_of_each_opcode(generation) {
                if ["TXL", "SIN", "COS"].iter().any(|mnemonic| text.contains(mnemonic)) {
                    continue;
                }
                for model in [Model::Hw, Model::Ieee] {
                    let config = Config::new(generation).model(model).live_outputs(1);
                    let case = super::case(&text, &config, 3, super::WILD);
                    let ran = case.run(&slow(), &mut worker).expect("it has a slow path");
                    assert_eq!(ran.outcome.deopt_groups, 0, "{case}");
                }
            }
        }
    }
}

/// Code of our own emitter for AArch64.
#[cfg(all(feature = "wide", target_arch = "aarch64"))]
fn neon() -> xfjit_native::Jit {
    let width = xfjit_native::a64::Width::Four;
    jit(xfjit_native::Budget::UNLIMITED).wide(width).expect("each of these processors has it")
}

#[cfg(all(feature = "wide", target_arch = "aarch64"))]
backend_tests! {
    neon => super::neon();
}

/// Code for wide vectors; on machines that lack them it is evaluated, and a line says so.
#[cfg(all(feature = "wide", target_arch = "x86_64"))]
fn wide(width: xfjit_native::x64::Width) -> xfjit_native::Jit {
    jit(xfjit_native::Budget::UNLIMITED).wide(width).unwrap_or_else(|error| {
        println!("{} is evaluated: {error}", width.name());
        xfjit_testing::x86::evaluated(width).expect("native code on this host")
    })
}

#[cfg(all(feature = "wide", target_arch = "x86_64"))]
backend_tests! {
    wide8 => super::wide(xfjit_native::x64::Width::Eight);
    wide8e => super::wide(xfjit_native::x64::Width::EightEvex);
    wide16 => super::wide(xfjit_native::x64::Width::Sixteen);
}

/// A width without a row above does not compile.
#[cfg(all(feature = "wide", target_arch = "x86_64"))]
const _: () = assert!(xfjit_native::x64::Width::ALL.len() == 3);
