//! What a program tells of itself.

use std::sync::Arc;
use xfjit::chip::mode::Mode;
use xfjit::chip::{Generation, Pipeline};
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::isa::Mask;
use xfjit::shader::ProgramInfo;
use xfjit::{Compile, Config, Engine, Options, Shader, asm};

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
