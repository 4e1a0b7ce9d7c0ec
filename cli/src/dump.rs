//! `xfjit dump`

use crate::args::{Dump, Format, Global, Stage};
use crate::fail::Failure;
use crate::files;
use crate::subject::{self, Subject};
use clap::ValueEnum;
use std::io::Write;
use xfjit::InstructionSet;
use xfjit::backend::CompileError;
use xfjit_core::backend;
use xfjit_ir::machine::Machine;
use xfjit_ir::opt;
use xfjit_native::{Compiler, Target};

/// Shows a program at one stage of the compiler.
pub fn run(args: &Dump, global: &Global) -> Result<(), Failure> {
    let Subject { shader, text, .. } = subject::read(&args.subject, global)?;
    let lowered = || shader.lower();
    let host = || {
        let machine = args.target.map_or(Machine::HOST, InstructionSet::machine);
        backend::to_host(lowered(), &machine)
    };
    let text = match args.stage {
        Stage::Decode => text,
        Stage::Ir => format!("{:#}", lowered()),
        Stage::Opt => format!("{:#}", opt::simplify(lowered())),
        Stage::Host => format!("{:#}", host()),
        Stage::Clif => cranelift(args.target)?.clif_text(&host(), shader.layout()),
        Stage::Asm => {
            let set = args.target.or_else(InstructionSet::best).ok_or_else(|| {
                Failure::Unsupported("there is no native code for this machine: choose a --target".to_owned())
            })?;
            let func = backend::to_host(lowered(), &set.machine());
            let listing = xfjit_native::listing(&func, shader.layout(), set);
            listing.map_err(|error| refused(&error))?.text
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

/// Cranelift for an instruction set, or for this machine.
fn cranelift(set: Option<InstructionSet>) -> Result<Compiler, Failure> {
    let target = match set {
        None => Target::host(),
        Some(InstructionSet::X86_64V3 | InstructionSet::X86_64V4) => {
            return Err(Failure::Usage(
                "--stage clif requires a --target that Cranelift supports".to_owned(),
            ));
        }
        Some(set @ (InstructionSet::X86_64V2 | InstructionSet::Aarch64)) => Target::named(set.name()),
    };
    target.map(Compiler::new).map_err(|error| refused(&error))
}

fn refused(error: &CompileError) -> Failure {
    match error {
        CompileError::TooLarge(why) => {
            Failure::Unsupported(format!("this instruction set has no code for the program: {why}"))
        }
        CompileError::Host(_) => Failure::Unsupported(error.to_string()),
        _ => Failure::Internal(error.to_string()),
    }
}
