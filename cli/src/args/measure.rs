//! Commands that check and measure what is shipped.

use super::Choice;
use crate::backends::by_name;
use clap::Args;
use std::path::PathBuf;
use xfjit::{Generation, InstructionSet, Model};

/// `xfjit vectors`
#[derive(Debug, Args)]
pub struct Vectors {
    /// Files of golden vectors, packed with xz or plain.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Who executes.
    #[arg(long, value_enum, default_value_t = Choice::All)]
    pub backend: Choice,
    /// The instruction set of native code; without it all that this machine has.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
}

/// `xfjit bench`
#[derive(Debug, Args)]
pub struct Bench {
    /// As --format json.
    #[arg(long)]
    pub json: bool,
    /// Only these programs (P1 to P7), configurations of the fixed function (F1 to F5) or of Flipper (G1 to G3).
    #[arg(long = "program", value_name = "NAME")]
    pub programs: Vec<String>,
    /// Only these batch sizes.
    #[arg(long = "batch", value_name = "VERTICES", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub batches: Vec<u32>,
    /// The instruction set of native code; without it all that this machine has.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// Only this model.
    #[arg(long, value_parser = by_name::<Model>())]
    pub model: Option<Model>,
    /// Samples of each figure; the median is reported.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub samples: u32,
    /// Where speed by batch size and tier goes as a picture.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// What an earlier run has written with --json: only its picture is made, nothing is measured.
    #[arg(long, value_name = "FILE.json", requires = "plot")]
    #[arg(conflicts_with_all = ["json", "programs", "batches", "target", "model", "samples"])]
    pub from: Option<PathBuf>,
}

/// `xfjit diff`
#[derive(Debug, Args)]
pub struct Diff {
    /// Configurations of the fixed function, with random state, instead of programs.
    #[arg(long, value_name = "FAMILY", value_parser = ["celsius", "kelvin", "rankine", "nv40"])]
    pub fixed: Option<String>,
    /// Configurations of Flipper's transform unit, with random memory, instead of programs; in every dialect.
    #[arg(long, conflicts_with_all = ["fixed", "gen", "model"])]
    pub flipper: bool,
    /// Whose microcode.
    #[arg(long, value_parser = by_name::<Generation>(), default_value = "kelvin")]
    pub r#gen: Generation,
    /// Arithmetic; without it both models.
    #[arg(long, value_parser = by_name::<Model>())]
    pub model: Option<Model>,
    /// The instruction set of native code; without it all that this machine has.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// Where the random numbers start; equal seeds make equal programs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Programs to try.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub programs: u64,
    /// Vertices of each program, at most.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub vertices: u32,
}
