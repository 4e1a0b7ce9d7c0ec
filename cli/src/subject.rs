//! What is compiled: a program or a configuration, as the command line names it.

use crate::args::{self, Global};
use crate::capture;
use crate::fail::Failure;
use crate::files;
use crate::flipper::Registers;
use crate::load::{self, Loaded};
use crate::registers;
use crate::sort::{self, Wanted};
use crate::table;
use std::sync::Arc;
use xfjit::capture::Recorded;
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::isa::{self, Program};
use xfjit::shader::Shader;
use xfjit::{Config, asm};

/// A program or a configuration.
pub struct Subject {
    /// The file, or the pipeline.
    pub name: String,
    pub shader: Shader,
    /// What its words say.
    pub text: String,
    /// The program, and for which chip, if it is one.
    pub program: Option<(Arc<Program>, Config)>,
}

/// What the command line names.
pub fn read(args: &args::Subject, global: &Global) -> Result<Subject, Failure> {
    let model = args.model;
    if let Some(file) = &args.flipper {
        let registers = Registers::read(file)?;
        let text =
            registers.named().iter().fold(String::new(), |text, register| format!("{text}{register}\n"));
        let shader = Shader::from(registers.setup());
        return Ok(Subject { name: files::name(file), shader, text, program: None });
    }
    let Some(file) = &args.file else {
        let setup = Setup::new(load::mode(&args.fixed)?).model(model);
        let (name, text) = (args.fixed.join(" "), setup.mode.to_string());
        return Ok(Subject { name, shader: Shader::from(setup), text, program: None });
    };
    let (name, bytes) = (files::name(file), sort::read(file, Wanted::Subject)?);
    let wish = (args.program.as_deref(), args.names.as_deref());
    if let Some(known) = capture::program_of((&name, &bytes), wish, model, global)? {
        let Recorded { words, start, config } = &known.recorded;
        let (generation, reading) = (config.generation, config.reading());
        let program = load::decode_as(&name, words.as_chunks().0, generation, reading, *start)?;
        let program = asm::pair(generation, reading, &program, args.pairing.passes(false)).program;
        let subject = Subject::of(format!("{}, {name}", known.shown()), program, config.clone());
        return Ok(Subject { text: format!("; {}\n{}", known.shown(), subject.text), ..subject });
    }
    let wanted = load::Wanted {
        generation: args.r#gen,
        start: args.start,
        order: args.byte_order,
        given: &global.given,
        configuration: None,
        pairing: args.pairing,
    };
    let (Loaded { program, generation, reading, .. }, _) = load::program_in(&name, &bytes, &wanted)?;
    let written = registers::registers(&registers::written(&program));
    let config = Config::new(generation).model(model).live_outputs(written).read_as(reading);
    Ok(Subject::of(name, program, config))
}

impl Subject {
    /// Of a program.
    fn of(name: String, program: Program, config: Config) -> Subject {
        let text = decoded(&program, &config);
        let program = Arc::new(program);
        let shader = Microcode::shader(&program, &config);
        Subject { name, shader, text, program: Some((program, config)) }
    }
}

/// What the program reads and writes, then a line for each slot: number, canonical words, text.
fn decoded(program: &Program, config: &Config) -> String {
    let generation = config.generation;
    let inputs: String =
        (0..16).filter(|i| registers::read(program) >> i & 1 != 0).map(|i| format!(" v{i}")).collect();
    let masks = registers::written(program);
    let outputs: String = (0..generation.outputs())
        .filter(|&register| !masks[register].is_empty())
        .map(|register| {
            let name = registers::output_name(generation, register);
            format!(" {name}.{}", registers::letters(masks[register]))
        })
        .collect();
    let end = if program.unterminated { ", without END" } else { "" };
    let mut text =
        format!("; {} from slot {}{end}\n", table::count(program.insns.len(), "slot"), program.start);
    text += &format!("; reads{inputs}\n; writes{outputs}\n");
    let words = isa::encode_as(generation, config.reading(), program);
    for (i, (words, insn)) in words.chunks(isa::WORDS_PER_SLOT).zip(&program.insns).enumerate() {
        let words: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        let insn = asm::print_insn(generation, insn);
        text += &format!("{:3}: {}  {insn}\n", program.first + i, words.join(" "));
    }
    text
}
