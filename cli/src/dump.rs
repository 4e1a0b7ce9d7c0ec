//! `xfjit dump`

use crate::args::{Dump, Format, Global, Stage};
use crate::fail::Failure;
use crate::files;
use crate::listing;
use crate::subject::{self, Subject};
use clap::ValueEnum;
use std::io::Write;
use xfjit::InstructionSet;
use xfjit::backend::CompileError;
use xfjit_core::backend;
use xfjit_ir::machine::Machine;
use xfjit_ir::opt;

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
        Stage::Clif if listing::is_wide(args.target) => {
            return Err(Failure::Usage(
                "--stage clif requires a --target that Cranelift supports".to_owned(),
            ));
        }
        Stage::Clif => {
            let mut compiler =
                listing::compiler(args.target).map_err(|error| refused(&error, args.target))?;
            compiler.clif_text(&host(), shader.layout())
        }
        Stage::Asm => {
            let listing = listing::text(&host(), shader.layout(), args.target);
            listing.map_err(|error| refused(&error, args.target))?
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

fn refused(error: &CompileError, set: Option<InstructionSet>) -> Failure {
    match error {
        CompileError::TooLarge(why) if listing::is_wide(set) => {
            let lanes = set.map_or(0, |set| set.machine().lanes);
            Failure::Unsupported(format!(
                "there is no code for {lanes} lanes: {why}; Cranelift's code runs instead"
            ))
        }
        CompileError::Host(_) => Failure::Unsupported(error.to_string()),
        _ => Failure::Internal(error.to_string()),
    }
}
