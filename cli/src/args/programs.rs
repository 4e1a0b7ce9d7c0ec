//! Commands that look at one program.

use super::limits::Limits;
use super::{ByteOrder, Pairing, Stage};
use crate::backends::{Translation, by_name};
use crate::fail::Failure;
use crate::outputs::Files;
use crate::prof::Sampling;
use clap::Args;
use std::path::{Path, PathBuf};
use xfjit::asm::gl::Notation;
use xfjit::flipper::Dialect;
use xfjit::{Generation, InstructionSet, Model};

/// `xfjit asm`
#[derive(Debug, Args)]
pub struct Asm {
    /// Assembler text, for example `MUL r2.xyz, r1, c[12] + RSQ r1.x, r2.x`; or an OpenGL program, beginning with `!!VP1.0` or similar.
    pub file: PathBuf,
    /// Chip generation of the microcode. Default: kelvin, or for an OpenGL program the first generation that can run it.
    #[arg(long, value_parser = by_name::<Generation>())]
    pub r#gen: Option<Generation>,
    /// Output file for the microcode.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Write raw words instead of text.
    #[arg(long)]
    pub binary: bool,
    /// Byte order of raw words, read or written. Default: detected when reading, little-endian when writing.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
    /// Write a list of the constant rows that an OpenGL program names, as lines for `run --constants`.
    #[arg(long, value_name = "FILE")]
    pub constants: Option<PathBuf>,
    /// How it is made shorter.
    #[command(flatten)]
    pub pairing: Pairing,
}

/// `xfjit dis`
#[derive(Debug, Args)]
pub struct Dis {
    /// Microcode: four hexadecimal words a slot, or raw words. Or a capture, or a command stream as text, with --program.
    #[arg(required_unless_present_any = ["fixed", "flipper"], conflicts_with_all = ["fixed", "flipper"])]
    pub file: Option<PathBuf>,
    /// Instead of microcode: a fixed-function configuration. Give the chip (nv10, nv15, nv20, nv30, nv40, or a family) and the words of XFMODE
    /// in hexadecimal (Celsius: B A; Kelvin: B A T1 T0; Rankine: C B A T3 T2 T1 T0).
    #[arg(long, num_args = 1.., value_names = ["CHIP", "WORDS"])]
    pub fixed: Vec<String>,
    /// Instead of a program: a Flipper configuration, as a file of register writes in hexadecimal. Lines are `xf ADDR:WORD:WORD..` for the
    /// transform unit and `cp REG:WORD` for the command processor.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fixed", "gen", "as", "options", "start", "byte_order", "words"])]
    pub flipper: Option<PathBuf>,
    /// Program of a capture: its label or name, its hash as `prof` prints it, or the first characters of the hash. Default: the only one.
    #[arg(long, value_name = "NAME|HASH", conflicts_with_all = ["fixed", "flipper"])]
    pub program: Option<String>,
    /// File with names of the programs of a capture, in lines `HASH NAME`; `#` begins a comment. A name replaces the label in the capture.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fixed", "flipper"])]
    pub names: Option<PathBuf>,
    /// Arithmetic that a capture of a unit is played with: the hash of a program depends on it. Default: hw.
    #[arg(long, value_parser = by_name::<Model>(), conflicts_with_all = ["fixed", "flipper"])]
    pub model: Option<Model>,
    /// Chip generation of the microcode.
    #[arg(long, value_parser = by_name::<Generation>(), default_value = "kelvin")]
    pub r#gen: Generation,
    /// Translate the words for another chip: rankine translates kelvin's words; native writes the words that NV40 keeps of rankine's and
    /// curie's, five a slot.
    #[arg(long, value_parser = by_name::<Translation>(), value_name = "GEN")]
    pub r#as: Option<Translation>,
    /// Choose how words are read where the documents leave it open: mode=v1, paired=shared, branch_test=enabled.
    #[arg(long = "option", value_name = "NAME=VALUE", conflicts_with = "fixed")]
    pub options: Vec<String>,
    /// First slot of the program. Default: as the file says, or 0.
    #[arg(long, value_name = "SLOT")]
    pub start: Option<usize>,
    /// Byte order of raw words. Default: detected.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
    /// Write the words next to the text.
    #[arg(long)]
    pub words: bool,
    /// Write the program in a language of OpenGL, if that language can express it: nv (!!VP1.1, !!VP2.0, !!VP3.0; !!VSP1.0 if it writes
    /// constants), or arb.
    #[arg(long, value_name = "DIALECT", value_parser = by_name::<Notation>(), conflicts_with_all = ["fixed", "flipper", "words"])]
    pub dialect: Option<Notation>,
    /// Write the program as a vertex shader in GLSL, to be read: plain floats, without the chip's rounding and zero rule.
    #[arg(long, conflicts_with_all = ["fixed", "flipper", "words", "dialect"])]
    pub glsl: bool,
}

/// A program or a configuration.
#[derive(Debug, Args)]
pub struct Subject {
    /// Program, as assembler text or microcode. Or a capture, or a command stream as text, with --program.
    #[arg(required_unless_present_any = ["fixed", "flipper"], conflicts_with_all = ["fixed", "flipper"])]
    pub file: Option<PathBuf>,
    /// Instead of a program: a fixed-function configuration. Give the chip (nv10, nv15, nv20, nv30, nv40, or a family) and the words of XFMODE in
    /// hexadecimal (Celsius: B A; Kelvin: B A T1 T0; Rankine: C B A T3 T2 T1 T0).
    #[arg(long, num_args = 1.., value_names = ["CHIP", "WORDS"])]
    pub fixed: Vec<String>,
    /// Instead of a program: a Flipper configuration, as a file of register writes in hexadecimal. Lines are `xf ADDR:WORD:WORD..` for the
    /// transform unit and `cp REG:WORD` for the command processor.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fixed", "gen", "model", "start", "byte_order"])]
    pub flipper: Option<PathBuf>,
    /// Program of a capture: its label or name, its hash as `prof` prints it, or the first characters of the hash. Default: the only one.
    #[arg(long, value_name = "NAME|HASH", conflicts_with_all = ["fixed", "flipper"])]
    pub program: Option<String>,
    /// File with names of the programs of a capture, in lines `HASH NAME`; `#` begins a comment. A name replaces the label in the capture.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fixed", "flipper"])]
    pub names: Option<PathBuf>,
    /// Chip generation of the microcode. Default: kelvin, or for an OpenGL program the first generation that can run it.
    #[arg(long, value_parser = by_name::<Generation>())]
    pub r#gen: Option<Generation>,
    /// Arithmetic: hw is the chip's, ieee is plain IEEE.
    #[arg(long, value_parser = by_name::<Model>(), default_value = "hw")]
    pub model: Model,
    /// First slot of the program. Default: as the file says, or 0.
    #[arg(long, value_name = "SLOT")]
    pub start: Option<usize>,
    /// Byte order of raw words. Default: detected.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
    /// How it is made shorter.
    #[command(flatten)]
    pub pairing: Pairing,
}

/// `xfjit dump`
#[derive(Debug, Args)]
pub struct Dump {
    /// Of what.
    #[command(flatten)]
    pub subject: Subject,
    /// Stage to show.
    #[arg(long, value_enum)]
    pub stage: Stage,
    /// Instruction set for the stages host, clif and asm. Default: this machine's.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
}

/// `xfjit explore`
#[derive(Debug, Args)]
pub struct Explore {
    /// Of what.
    #[command(flatten)]
    pub subject: Subject,
    /// Output file for the page.
    #[arg(short, long, visible_alias = "output", value_name = "FILE.html", default_value = "explore.html")]
    pub out: PathBuf,
}

/// `xfjit chip`
#[derive(Debug, Args)]
pub struct Chip {
    /// Assembler text or microcode.
    #[arg(required_unless_present = "flipper", conflicts_with = "flipper")]
    pub program: Option<PathBuf>,
    /// Instead of a program: a Flipper configuration, as a file of register writes in hexadecimal. Lines are `xf ADDR:WORD:WORD..` for the
    /// transform unit and `cp REG:WORD` for the command processor.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["threads", "stages", "delay", "clocks", "svg", "vertices", "constants"])]
    #[arg(conflicts_with_all = ["gen", "start", "byte_order", "pair", "no_pair"])]
    pub flipper: Option<PathBuf>,
    /// Number of vertices at a time, each with registers and buffers. Default: three, of six under way.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Stages of the pipeline: registers are read in the first one and written in the last one. Default: RR,SN,E1,E2,WB.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub stages: Vec<String>,
    /// Clocks from the clock that writes a result to the clock in which an instruction that reads it goes on.
    #[arg(long, value_name = "CLOCKS", value_parser = clap::value_parser!(u16).range(..=64))]
    pub delay: Option<u16>,
    /// Set a parameter of the model, for example ilu=1. A wrong name lists all names, and --explain describes them.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Report what is documented about the chip's time and what is assumed, and how much each assumption matters here.
    #[arg(long)]
    pub explain: bool,
    /// Number of clocks in the diagram.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=400))]
    pub clocks: u16,
    /// Output file for the diagram as a picture.
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Vertices whose paths a program with branches takes: a Wavefront OBJ mesh, or a table as text.
    #[arg(long, value_name = "FILE")]
    pub vertices: Option<PathBuf>,
    /// Constants: lines `c[12] = 1.0 2.0 3.0 4.0`, or four numbers a line from row 0 on. Default: all zero.
    #[arg(long, value_name = "FILE")]
    pub constants: Option<PathBuf>,
    /// Chip generation of the microcode. Default: kelvin, or for an OpenGL program the first generation that can run it.
    #[arg(long, value_parser = by_name::<Generation>())]
    pub r#gen: Option<Generation>,
    /// First slot of the program. Default: as the file says, or 0.
    #[arg(long, value_name = "SLOT")]
    pub start: Option<usize>,
    /// Byte order of raw words. Default: detected.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
    /// How it is made shorter.
    #[command(flatten)]
    pub pairing: Pairing,
}

/// `xfjit list`
#[derive(Debug, Args)]
pub struct List {
    /// Capture, command stream as text, or recording for Dolphin's FIFO player (.dff); the same as for `run --trace`.
    pub file: PathBuf,
    /// File with names of programs, in lines `HASH NAME`; `#` begins a comment. HASH is as this command prints it, or its first characters. A name
    /// replaces the label in the capture.
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// List only draws.
    #[arg(long)]
    pub draws: bool,
    /// Show the contents of the matrices for each Flipper draw. --format json always includes them.
    #[arg(long)]
    pub matrices: bool,
}

/// `xfjit prof`
#[derive(Debug, Args)]
pub struct Prof {
    /// Capture, command stream as text, or recording for Dolphin's FIFO player (.dff); the same as for `run --trace`. With --diff, the
    /// newer one, or its report.
    #[arg(required_unless_present = "attach")]
    pub capture: Option<PathBuf>,
    /// Attach to a running process instead, by its number, the name of its executable or its file: see what its programs do, and report it in
    /// the end. The process must have asked for it (XFJIT_ATTACH=1, or an option of the library).
    #[arg(long, value_name = "PID|NAME|FILE", conflicts_with_all = ["capture", "diff", "model", "target", "slot_limit", "overtime", "dialect",
        "quirks", "times", "literals", "sampling", "sampled"])]
    pub attach: Option<String>,
    /// With --attach, stop after S seconds. Default: at the end of the process, or when you press q or Ctrl-C.
    #[arg(long, value_name = "S", requires = "attach", conflicts_with = "capture", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub seconds: Option<u32>,
    /// With --attach, print lines on standard error instead of the view on the whole screen, as if it were no terminal.
    #[arg(long, requires = "attach", conflicts_with = "capture")]
    pub plain: bool,
    /// With --attach, count what programs have done since their process began, and not only since now.
    #[arg(long, requires = "attach", conflicts_with = "capture")]
    pub whole: bool,
    /// Compare with this older one: a capture, which is played as well, or a report that --format json has written.
    #[arg(long, value_name = "BEFORE", conflicts_with_all = ["folded", "speedscope", "pprof", "perfetto"])]
    pub diff: Option<PathBuf>,
    /// Arithmetic of NVIDIA's chips: hw or ieee. It does not apply to Flipper, whose arithmetic is fixed.
    #[arg(long, value_parser = by_name::<Model>())]
    pub model: Option<Model>,
    /// Instruction set of native code. Default: the library's choice for this machine.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// What the vertices of a play may execute.
    #[command(flatten)]
    pub limits: Limits,
    /// Dialect of Flipper: which source to follow where sources differ. Default: the documents.
    #[arg(long, value_parser = by_name::<Dialect>())]
    pub dialect: Option<Dialect>,
    /// Change one choice of Flipper's dialect, for example ring=exclusive (docs/QUIRKS.md). A wrong name lists all names.
    #[arg(long = "quirk", value_name = "NAME=VALUE")]
    pub quirks: Vec<String>,
    /// Number of timed plays. Default: plays for a while, at least 20 times unless that takes seconds. One more play, which compiles the
    /// programs, is not timed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub times: Option<u32>,
    /// Also run code in which constants that stay the same are literals, as hosts that compile in the background do. The report says how many
    /// vertices ran in such code, and how many times as fast as in other draws. Samples in such code belong to no slot.
    #[arg(long)]
    pub literals: bool,
    /// Number of programs to report slot by slot. Default with --format json: all.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub top: usize,
    /// Sampling method. Samples divide the time of a program among its slots.
    #[arg(long, value_enum, value_name = "BY", default_value_t = Sampling::Auto)]
    pub sampling: Sampling,
    /// Milliseconds of plays to sample. Default: 1000.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=600_000))]
    pub sampled: Option<u32>,
    /// File with names of programs, in lines `HASH NAME`; `#` begins a comment. HASH is as this command prints it, or its first characters. A name
    /// replaces the label in the capture.
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// Write an HTML page with the whole report.
    #[arg(short, long, visible_alias = "output", value_name = "FILE.html")]
    pub out: Option<PathBuf>,
    /// Write folded stacks for flame graph tools: capture, program, slot, nanoseconds.
    #[arg(long, value_name = "FILE")]
    pub folded: Option<PathBuf>,
    /// Write the same data for speedscope (www.speedscope.app).
    #[arg(long, value_name = "FILE.json")]
    pub speedscope: Option<PathBuf>,
    /// Write the same data for pprof: `go tool pprof FILE`.
    #[arg(long, value_name = "FILE.pb")]
    pub pprof: Option<PathBuf>,
    /// Write the draws of a play in order, as a trace for Perfetto and Chrome (ui.perfetto.dev).
    #[arg(long, value_name = "FILE.json")]
    pub perfetto: Option<PathBuf>,
}

impl Prof {
    /// The files that it writes.
    pub fn outputs(&self) -> Result<Files<'_>, Failure> {
        let outputs = [
            ("--out", self.out.as_deref()),
            ("--folded", self.folded.as_deref()),
            ("--speedscope", self.speedscope.as_deref()),
            ("--pprof", self.pprof.as_deref()),
            ("--perfetto", self.perfetto.as_deref()),
        ];
        let inputs: Vec<&Path> =
            [&self.capture, &self.diff].into_iter().flatten().map(PathBuf::as_path).collect();
        Files::apart(outputs, &inputs)
    }
}
