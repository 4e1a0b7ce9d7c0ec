//! What a program tells of itself.

use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::chip::mode::Mode;
use xfjit::chip::{Generation, Pipeline};
use xfjit::config::FogWrite;
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::isa::Mask;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::constants::Constants;
use xfjit::shader::ProgramInfo;
use xfjit::{Compile, Config, Engine, Options, Shader, Worker, asm};

fn info(generation: Generation, text: &str, change: impl FnOnce(&mut Config)) -> ProgramInfo {
    let program = Arc::new(asm::parse(generation, text).expect("it assembles"));
    let mut config = Config::new(generation);
    change(&mut config);
    Microcode::shader(&program, &config).info()
}

#[test]
fn registers_and_constants_are_those_of_the_text() {
    let text = "MUL oPos.xy, v0, c[3]\nMOV oPos.w, v4\nADD c[7].x, v4, c[9]\nMOV oD0, c[9]";
    let plain = info(Generation::Kelvin, text, |_| {});
    assert_eq!(plain.inputs, 1 | 1 << 4);
    assert_eq!([plain.outputs[0], plain.outputs[3], plain.outputs[4]], [Mask(13), Mask::ALL, Mask::NONE]);
    assert_eq!(plain.written_outputs(), 0b1001);
    assert!(plain.constants_read.iter().eq([3, 9]), "{:?}", plain.constants_read);
    assert!(plain.constants_written.is_empty(), "this configuration drops the write");
    assert_eq!(plain.slots, 0..4);
    let writing = info(Generation::Kelvin, text, |config| config.constant_writes = true);
    assert!(writing.constants_written.iter().eq([7]), "{:?}", writing.constants_written);
}

/// A masked write to oFog leaves its x there as well (kelvin.md 3), also where the rest is kept.
#[test]
fn any_write_to_fog_is_one_of_its_x() {
    const OLD: u32 = 0x1234_5678;
    let text = "MOV oFog.y, v0";
    let masked = |config: &mut Config| config.quirks.fog_write = FogWrite::Masked;
    assert_eq!(info(Generation::Kelvin, text, |_| {}).outputs[5], Mask(12));
    assert_eq!(info(Generation::Kelvin, text, masked).outputs[5], Mask(4));
    for (config, want) in [
        (Config::new(Generation::Kelvin), [1, 2, OLD, OLD]),
        (Config::new(Generation::Kelvin).with(masked), [OLD, 2, OLD, OLD]),
    ] {
        for backend in [xfjit::engine::default_backend(), Arc::new(Interp::Single)] {
            let engine = Engine::new(Options::default().with(|options| options.backend = backend));
            let program = asm::parse(Generation::Kelvin, text).expect("it assembles");
            let program = engine.decoded(program, &config.clone().live_outputs(1 << 5));
            let mut words = [OLD; 4];
            let outputs = Outputs::interleaved(&mut words, &[5]).keeping();
            let inputs = Inputs::new(1).with(0, Attribute::Constant([1, 2, 3, 4]));
            let constants = [[0; 4]; 192];
            let mut constants = Constants::read_only(&constants);
            program.run_on(&mut Worker::new(), &mut constants, &inputs, &outputs).expect("there is room");
            assert_eq!(words, want);
        }
    }
}

#[test]
fn an_index_may_reach_everything() {
    let text = "ARL a0.x, v1.x\nMOV oPos, c[a0 + 5]";
    let rows = info(Generation::Kelvin, text, |_| {}).constants_read;
    assert!(rows.iter().eq(0..Generation::Kelvin.constants()), "{rows:?}");
}

#[test]
fn native_code_is_told_of_once_it_is_there() {
    let program = || asm::parse(Generation::Kelvin, "MOV oPos, v0").expect("it assembles");
    let config = Config::new(Generation::Kelvin);
    let options =
        Options::default().with(|options| options.compile = Compile::Background { threshold: u64::MAX });
    assert!(!Engine::new(options).decoded(program(), &config).info().native);
    let program = Engine::new(Options::default()).decoded(program(), &config);
    assert_eq!(program.info().native, program.stats().native);
}

#[test]
fn the_fixed_function_reads_what_its_mode_needs() {
    let setup = Setup::new(Mode::new(Pipeline::NV15, &[]));
    let info = Shader::from(setup).info();
    assert_eq!(info.written_outputs(), setup.outputs());
    assert!(info.inputs & 1 != 0 && info.inputs != u16::MAX, "the position, and not everything");
    assert!(!info.constants_read.is_empty() && info.constants_written.is_empty());
    assert_eq!(info.slots, 0..0);
    let position = Shader::from(setup.live_outputs(1)).info();
    assert!(position.constants_read.iter().all(|row| info.constants_read.contains(row)));
    assert!(position.inputs.count_ones() <= info.inputs.count_ones());
}
