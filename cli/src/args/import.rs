//! What other tools have written.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `xfjit import`
#[derive(Debug, Args)]
pub struct Import {
    /// What another tool has written, or a directory of raw programs; docs/CAPTURES.md has the formats.
    pub file: PathBuf,
    /// What it is; without it its content tells.
    #[arg(long, value_enum, value_name = "FORM")]
    pub from: Option<Form>,
    /// Where it goes: a program file, as text; or a capture. Of a directory a directory, with a file for each program.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// A form of other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Raw programs of the RSX, as RPCS3 keeps them: bare little-endian words.
    Rpcs3,
    /// Binary programs of Cg for the RSX.
    Vpo,
    /// Microcode as hexadecimal text, in any dump or source.
    Hex,
    /// Logs of the Xbox's methods: xemu's, nv2a-trace's.
    Nv2a,
    /// Recordings of Dolphin's FIFO player.
    Dff,
    /// Command streams as text: traces.
    Trace,
}
