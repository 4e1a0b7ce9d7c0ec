//! `xfjit run`

use crate::args::{Gen, Global, Run};
use crate::fail::Failure;
use crate::{pending, program_file, streams};

/// Constant rows of a generation.
fn rows(generation: Gen) -> usize {
    match generation {
        Gen::Kelvin => 192,
        Gen::Rankine => 316,
        Gen::Curie => 544,
    }
}

/// Runs a program over vertices.
pub fn run(args: &Run, _: &Global) -> Result<(), Failure> {
    let options = streams::Options {
        format: args.vertex_format,
        map: args.map.clone(),
        layout: args.layout.clone(),
        count: args.count,
    };
    program_file::read(&args.program)?;
    if let Some(file) = &args.constants {
        streams::constants(file, rows(args.r#gen))?;
    }
    streams::vertices(&args.vertices, &options)?;
    Err(pending("the engine"))
}
