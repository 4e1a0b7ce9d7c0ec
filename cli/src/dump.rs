//! `xfjit dump`

use crate::args::{Dump, Format, Global, Stage};
use crate::fail::Failure;
use crate::files;
use crate::subject::{self, Subject};
use clap::ValueEnum;
use std::io::Write;
use xfjit::backend::CompileError;
use xfjit::ir::func::Func;
use xfjit::machine::Machine;
#[cfg(target_arch = "x86_64")]
use xfjit::native::wide::Width;
use xfjit::native::{self, Compiler};
use xfjit::shader::Shader;
use xfjit::{InstructionSet, backend, opt};

/// Shows a program at one stage of the compiler.
pub fn run(args: &Dump, global: &Global) -> Result<(), Failure> {
    let Subject { shader, text, .. } = subject::read(&args.subject, global)?;
    let lowered = || shader.lower();
    let host = || {
        let machine = args.target.map_or(Machine::HOST, InstructionSet::machine);
        backend::to_host(lowered(), &machine)
    };
    let compiler = || target(args.target).map(Compiler::new).map_err(|error| refused(&error));
    let text = match args.stage {
        Stage::Decode => text,
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
