//! What other tools have written.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `xfjit import`
#[derive(Debug, Args)]
pub struct Import {
    /// File of another tool, or a directory of raw programs. docs/CAPTURES.md describes the formats.
    pub file: PathBuf,
    /// Format of the file. Default: detected from its content.
    #[arg(long, value_enum, value_name = "FORM")]
    pub from: Option<Form>,
    /// Output file: a program as text, or a capture. If the input is a directory, this is a directory too, with one file for each program.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// A form of other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Raw RSX programs from RPCS3's cache: bare little-endian words.
    Rpcs3,
    /// Binary Cg programs for the RSX.
    Vpo,
    /// Microcode as hexadecimal text, inside any dump or source.
    Hex,
    /// Logs of Xbox methods, from xemu or nv2a-trace.
    Nv2a,
    /// Recordings for Dolphin's FIFO player.
    Dff,
    /// Traces: command streams as text.
    Trace,
}
