//! `xfjit dump`

use crate::args::{Dump, Format, Global, Stage};
use crate::fail::Failure;
use crate::files;
use crate::flipper::Registers;
use crate::load::{self, Loaded};
use clap::ValueEnum;
use std::io::Write;
use std::sync::Arc;
use xfjit::backend::CompileError;
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::ir::func::Func;
use xfjit::isa::{self, Program};
use xfjit::machine::Machine;
#[cfg(target_arch = "x86_64")]
use xfjit::native::wide::Width;
use xfjit::native::{self, Compiler};
use xfjit::shader::Shader;
use xfjit::{Config, InstructionSet, asm, backend, opt};

/// Shows a program at one stage of the compiler.
pub fn run(args: &Dump, global: &Global) -> Result<(), Failure> {
    let (shader, decoded) = shader(args, global)?;
    let lowered = || shader.lower();
    let host = || {
        let machine = args.target.map_or(Machine::HOST, InstructionSet::machine);
        backend::to_host(lowered(), &machine)
    };
    let compiler = || target(args.target).map(Compiler::new).map_err(|error| refused(&error));
    let text = match args.stage {
        Stage::Decode => decoded,
        Stage::Ir => format!("{:#}", lowered()),
        Stage::Opt => format!("{:#}", opt::simplify(lowered())),
        Stage::Host => format!("{:#}", host()),
        Stage::Clif if wide(args.target) => {
            return Err(Failure::Usage("--stage clif is Cranelift's, which has no such --target".to_owned()));
        }
        Stage::Clif => compiler()?.clif_text(&host(), shader.layout()),
        Stage::Asm if wide(args.target) => listing(&host(), &shader, args.target)?,
        Stage::Asm => {
            let listing = compiler()?.listing(&host(), shader.layout());
            listing.map_err(|error| refused(&error))?
        }
    };
    let mut out = files::stdout();
    match global.format {
        Format::Text | Format::Csv => writeln!(out, "{}", text.trim_end())?,
        Format::Json => {
            let stage = args.stage.to_possible_value().map(|value| value.get_name().to_owned());
            let value = serde_json::json!({ "schema": "xfjit.dump.1", "stage": stage, "text": text });
            writeln!(out, "{value}")?;
        }
    }
    Ok(out.flush()?)
}

/// What the command line names, and its text.
fn shader(args: &Dump, global: &Global) -> Result<(Shader, String), Failure> {
    let model = args.model;
    if let Some(file) = &args.flipper {
        let registers = Registers::read(file)?;
        let text =
            registers.named().iter().fold(String::new(), |text, register| format!("{text}{register}\n"));
        return Ok((Shader::from(registers.setup()), text));
    }
    let Some(file) = &args.file else {
        let setup = Setup::new(load::mode(&args.fixed)?).model(model);
        return Ok((Shader::from(setup), setup.mode.to_string()));
    };
    let wanted = load::Wanted {
        generation: args.r#gen,
        start: args.start,
        order: args.byte_order,
        given: &global.given,
        configuration: None,
    };
    let (Loaded { program, generation, reading, .. }, _) = load::program(file, &wanted)?;
    let written = load::registers(&load::written(&program));
    let config = Config::new(generation).model(model).live_outputs(written).read_as(reading);
    let text = decoded(&program, &config);
    Ok((Microcode::shader(&Arc::new(program), &config), text))
}

/// The machine that Cranelift generates code for.
fn target(set: Option<InstructionSet>) -> Result<native::Target, CompileError> {
    match set {
        None => native::Target::host(),
        Some(set) => native::Target::named(set.name()),
    }
}

/// Whether code for wide vectors is asked for, which is not Cranelift's.
fn wide(set: Option<InstructionSet>) -> bool {
    matches!(set, Some(InstructionSet::X86_64V3 | InstructionSet::X86_64V4))
}

/// Code for wide vectors.
#[cfg(target_arch = "x86_64")]
fn listing(func: &Func, shader: &Shader, set: Option<InstructionSet>) -> Result<String, Failure> {
    let width = set.and_then(Width::of).ok_or_else(|| Failure::Internal("no width".to_owned()))?;
    match native::wide::listing(func, shader.layout(), width) {
        Err(CompileError::TooLarge(why)) => {
            let text = format!("no code of {} lanes: {why}; Cranelift's runs instead", width.lanes());
            Err(Failure::Unsupported(text))
        }
        listing => listing.map_err(|error| refused(&error)),
    }
}

/// Code for wide vectors, which is made on its own architecture alone.
#[cfg(not(target_arch = "x86_64"))]
fn listing(_: &Func, _: &Shader, set: Option<InstructionSet>) -> Result<String, Failure> {
    let name = set.map_or("", InstructionSet::name);
    Err(Failure::Unsupported(format!("code for {name} is made on x86-64 alone")))
}

fn refused(error: &CompileError) -> Failure {
    match error {
        CompileError::Host(_) => Failure::Unsupported(error.to_string()),
        _ => Failure::Internal(error.to_string()),
    }
}

/// What the program reads and writes, then a line for each slot: number, canonical words, text.
fn decoded(program: &Program, config: &Config) -> String {
    let generation = config.generation;
    let inputs: String =
        (0..16).filter(|i| load::read(program) >> i & 1 != 0).map(|i| format!(" v{i}")).collect();
    let masks = load::written(program);
    let outputs: String = (0..generation.outputs())
        .filter(|&register| !masks[register].is_empty())
        .map(|register| {
            let name = load::output_name(generation, register);
            format!(" {name}.{}", load::letters(masks[register]))
        })
        .collect();
    let end = if program.unterminated { ", without END" } else { "" };
    let mut text = format!("; {} slots from slot {}{end}\n", program.insns.len(), program.start);
    text += &format!("; reads{inputs}\n; writes{outputs}\n");
    let words = isa::encode_as(generation, config.reading(), program);
    for (i, (words, insn)) in words.chunks(isa::WORDS_PER_SLOT).zip(&program.insns).enumerate() {
        let words: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        let insn = asm::print_insn(generation, insn);
        text += &format!("{:3}: {}  {insn}\n", program.first + i, words.join(" "));
    }
    text
}
