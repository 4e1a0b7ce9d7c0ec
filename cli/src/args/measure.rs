//! Commands that check and measure what is shipped.

use super::{Campaign, Choice};
use crate::backends::by_name;
use clap::Args;
use std::path::PathBuf;
use xfjit::{Generation, InstructionSet, Model};

/// `xfjit vectors`
#[derive(Debug, Args)]
pub struct Vectors {
    /// Files of golden vectors, plain or compressed with xz, and directories of them.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Back end that runs the programs.
    #[arg(long, value_enum, default_value_t = Choice::All)]
    pub backend: Choice,
    /// Instruction set of native code. Default: all that this machine supports.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// How long it goes on, and what it leaves.
    #[command(flatten)]
    pub campaign: Campaign,
}

/// `xfjit summary`
#[derive(Debug, Args)]
pub struct Summary {
    /// Records that --summary or --resume has written, of parts of the same work.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Directory for the files that show the differences in the records.
    #[arg(long, value_name = "DIR")]
    pub findings: Option<PathBuf>,
}

/// `xfjit coverage`
#[derive(Debug, Args)]
pub struct Coverage {
    /// Inputs, and directories of them: test files (.xf), and corpora of fuzz targets in directories that are called asm, decode, fixed, ir,
    /// program or transform.
    #[arg(required = true, value_name = "CORPUS")]
    pub corpora: Vec<PathBuf>,
    /// List every row that no input reaches. --format csv and json always list all rows.
    #[arg(long)]
    pub missing: bool,
}

/// `xfjit bench`
#[derive(Debug, Args)]
pub struct Bench {
    /// Short for --format json.
    #[arg(long)]
    pub json: bool,
    /// Measure only these programs (P1 to P7), fixed-function configurations (F1 to F5) or Flipper configurations (G1 to G3).
    #[arg(long = "program", value_name = "NAME")]
    pub programs: Vec<String>,
    /// Measure only these batch sizes.
    #[arg(long = "batch", value_name = "VERTICES", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub batches: Vec<u32>,
    /// Instruction set of native code. Default: all that this machine supports.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// Measure only this arithmetic.
    #[arg(long, value_parser = by_name::<Model>())]
    pub model: Option<Model>,
    /// Number of samples for each figure. The median is reported.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub samples: u32,
    /// Draw speed by batch size and tier as a picture.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Make only the picture, from results that an earlier run has written with --json. Nothing is measured.
    #[arg(long, value_name = "FILE.json", requires = "plot")]
    #[arg(conflicts_with_all = ["json", "programs", "batches", "target", "model", "samples"])]
    pub from: Option<PathBuf>,
}

/// `xfjit diff`
#[derive(Debug, Args)]
pub struct Diff {
    /// Try fixed-function configurations with random state instead of programs.
    #[arg(long, value_name = "FAMILY", value_parser = ["celsius", "kelvin", "rankine", "nv40"])]
    pub fixed: Option<String>,
    /// Try configurations of Flipper's transform unit with random memory instead of programs, in every dialect.
    #[arg(long, conflicts_with_all = ["fixed", "gen", "model"])]
    pub flipper: bool,
    /// Chip generation of the microcode.
    #[arg(long, value_parser = by_name::<Generation>(), default_value = "kelvin")]
    pub r#gen: Generation,
    /// Arithmetic: hw is the chip's, ieee is plain IEEE. Default: both.
    #[arg(long, value_parser = by_name::<Model>())]
    pub model: Option<Model>,
    /// Instruction set of native code. Default: all that this machine supports.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// Seed of the random numbers. Equal seeds make equal programs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of programs to try. Default: 1000, or with --seconds as many as there is time for.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub programs: Option<u64>,
    /// Maximum number of vertices for each program.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub vertices: u32,
    /// Directory for findings: a file for each program that differs, shortened as long as it still shows the difference.
    #[arg(long, value_name = "DIR")]
    pub findings: Option<PathBuf>,
    /// How long it goes on, and what it leaves.
    #[command(flatten)]
    pub campaign: Campaign,
}
