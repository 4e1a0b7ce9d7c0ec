//! The command line's grammar.

use crate::backends::by_name;
use crate::configuration::Configuration;
use crate::conflicts::Given;
use crate::drawing::Drawing;
use crate::run::flipper::Image;
use crate::{streams, textures};
use clap::builder::PossibleValue;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use xfjit::{Generation, InstructionSet, Model};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// JIT recompiler for the vertex programs of NVIDIA's XF unit, bit for bit.
///
/// Data goes to standard output, everything else to standard error; `-` as a file is standard input or output.
#[derive(Debug, Parser)]
#[command(name = "xfjit", version, styles = STYLES, max_term_width = 80)]
#[command(
    after_help = "Exit codes: 0 fine, 1 a check found a difference, 2 wrong usage, 3 a file that cannot be read, used or written, 4 our fault.\n\
                        Start with `xfjit demo`."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// For every command.
    #[command(flatten)]
    pub global: Global,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// How to write data.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, help_heading = "Global options")]
    pub format: Format,
    /// When to colour messages; NO_COLOR is honoured.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = "Global options")]
    pub color: Color,
    /// Only what is asked for: no progress bars, notes and warnings; of a check its one line of result.
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// Which options were written.
    #[arg(skip)]
    pub given: Given,
}

/// A command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Assemble a program into microcode.
    Asm(Asm),
    /// Disassemble microcode.
    Dis(Dis),
    /// Show a program at one stage of the compiler.
    Dump(Dump),
    /// Run a program over vertices.
    Run(Box<Run>),
    /// Tell what a program costs the chip: its pipeline, clock by clock.
    Chip(Chip),
    /// Check golden vectors.
    Vectors(Vectors),
    /// Measure the tiers on the fixed set of programs.
    Bench(Bench),
    /// Compare the backends on random programs.
    Diff(Diff),
    /// Run a lit program over a shipped mesh on every tier, compare, and draw the result.
    Demo(Demo),
    /// Tell what this machine and this build can do.
    Doctor,
    /// Write a script that completes the command in a shell.
    Completions(Completions),
    /// Write manual pages.
    Man(Man),
}

/// `xfjit asm`
#[derive(Debug, Args)]
pub struct Asm {
    /// Assembler text, for example `MUL r2.xyz, r1, c[12] + RSQ r1.x, r2.x`, or a program of OpenGL: `!!VP1.0` and on.
    pub file: PathBuf,
    /// Whose microcode; without it kelvin's, or that of the first chip that can run a program of OpenGL.
    #[arg(long, value_parser = by_name::<Generation>())]
    pub r#gen: Option<Generation>,
    /// Where the microcode goes.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Write raw words instead of text.
    #[arg(long)]
    pub binary: bool,
    /// Order of the bytes in raw words, read and written; without it what is read is told by what it means, and
    /// little-endian words are written.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
    /// Where a list of the rows of constants goes that a program of OpenGL names: lines for `run --constants`.
    #[arg(long, value_name = "FILE")]
    pub constants: Option<PathBuf>,
}

/// `xfjit dis`
#[derive(Debug, Args)]
pub struct Dis {
    /// Microcode: four hexadecimal words a slot, or raw words.
    #[arg(required_unless_present_any = ["fixed", "flipper"], conflicts_with_all = ["fixed", "flipper"])]
    pub file: Option<PathBuf>,
    /// Instead: a configuration of the fixed function, by the chip (nv10, nv15, nv20, nv30, or a family) and the words
    /// of XFMODE in hexadecimal (Celsius: B A; Kelvin: B A T1 T0; Rankine: C B A T3 T2 T1 T0).
    #[arg(long, num_args = 1.., value_names = ["CHIP", "WORDS"])]
    pub fixed: Vec<String>,
    /// Instead: a configuration of Flipper, a file of writes to its registers: lines `xf ADDR:WORD:WORD..` to the transform
    /// unit, `cp REG:WORD` to the command processor, all in hexadecimal.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fixed", "gen", "as", "options", "start", "byte_order", "words"])]
    pub flipper: Option<PathBuf>,
    /// Whose microcode.
    #[arg(long, value_parser = by_name::<Generation>(), default_value = "kelvin")]
    pub r#gen: Generation,
    /// What another chip makes of the words: rankine translates those of kelvin.
    #[arg(long, value_parser = by_name::<Generation>(), value_name = "GEN")]
    pub r#as: Option<Generation>,
    /// How words are read where the documents leave a choice: mode=v1, paired=shared, branch_test=enabled.
    #[arg(long = "option", value_name = "NAME=VALUE", conflicts_with = "fixed")]
    pub options: Vec<String>,
    /// Slot to start at; without it where the file says, or 0.
    #[arg(long, value_name = "SLOT")]
    pub start: Option<usize>,
    /// Order of the bytes in raw words; without it told by what they mean.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
    /// Write the words beside the text.
    #[arg(long)]
    pub words: bool,
}

/// `xfjit dump`
#[derive(Debug, Args)]
pub struct Dump {
    /// Assembler text or microcode.
    #[arg(required_unless_present_any = ["fixed", "flipper"], conflicts_with_all = ["fixed", "flipper"])]
    pub file: Option<PathBuf>,
    /// Instead: a configuration of the fixed function, by the chip (nv10, nv15, nv20, nv30, or a family) and the words
    /// of XFMODE in hexadecimal (Celsius: B A; Kelvin: B A T1 T0; Rankine: C B A T3 T2 T1 T0).
    #[arg(long, num_args = 1.., value_names = ["CHIP", "WORDS"])]
    pub fixed: Vec<String>,
    /// Instead: a configuration of Flipper, a file of writes to its registers: lines `xf ADDR:WORD:WORD..` to the transform
    /// unit, `cp REG:WORD` to the command processor, all in hexadecimal.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fixed", "gen", "model", "start", "byte_order"])]
    pub flipper: Option<PathBuf>,
    /// What to show.
    #[arg(long, value_enum)]
    pub stage: Stage,
    /// Whose microcode; without it kelvin's, or that of the first chip that can run a program of OpenGL.
    #[arg(long, value_parser = by_name::<Generation>())]
    pub r#gen: Option<Generation>,
    /// Arithmetic.
    #[arg(long, value_parser = by_name::<Model>(), default_value = "hw")]
    pub model: Model,
    /// Host of the stages clif and asm; this machine if not given.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// Slot to start at; without it where the file says, or 0.
    #[arg(long, value_name = "SLOT")]
    pub start: Option<usize>,
    /// Order of the bytes in raw words; without it told by what they mean.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
}

/// `xfjit chip`
#[derive(Debug, Args)]
pub struct Chip {
    /// Assembler text or microcode.
    pub program: PathBuf,
    /// Vertices side by side in a vertex unit.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// Stages of the pipeline: registers are read in the first one and written in the last one.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "RR,SN,E1,E2,WB")]
    pub stages: Vec<String>,
    /// Clocks from the one in which a result is written to the one in which an instruction that has read it goes on.
    #[arg(long, value_name = "CLOCKS", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=64))]
    pub delay: u8,
    /// Clocks of the diagram.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=400))]
    pub clocks: u16,
    /// Where the diagram goes as a picture.
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Vertices, the paths of which are taken by programs with branches: a Wavefront OBJ mesh, or a table in text.
    #[arg(long, value_name = "FILE")]
    pub vertices: Option<PathBuf>,
    /// Constants: lines `c[12] = 1.0 2.0 3.0 4.0`, or four numbers a row from row 0; without it all are zero.
    #[arg(long, value_name = "FILE")]
    pub constants: Option<PathBuf>,
    /// Whose microcode; without it kelvin's, or that of the first chip that can run a program of OpenGL.
    #[arg(long, value_parser = by_name::<Generation>())]
    pub r#gen: Option<Generation>,
    /// Slot to start at; without it where the file says, or 0.
    #[arg(long, value_name = "SLOT")]
    pub start: Option<usize>,
    /// Order of the bytes in raw words; without it told by what they mean.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
}

/// `xfjit run`
#[derive(Debug, Args)]
pub struct Run {
    /// A test file (.xf), as the test suite has them and checks write them: its runs are compared with what it expects,
    /// on every backend.
    #[arg(value_name = "TEST", conflicts_with_all = ["program", "vertices", "constants"])]
    pub test: Option<PathBuf>,
    /// A command stream for the whole unit: what comes out of it is printed (docs/XF.md has the format). Or one for
    /// Flipper (docs/isa/flipper.md), or a recording of Dolphin's FIFO player (.dff).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test", "program", "vertices", "constants"])]
    pub trace: Option<PathBuf>,
    /// Bytes of Flipper's command FIFO as they are.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test", "trace", "program", "vertices", "constants"])]
    pub fifo: Option<PathBuf>,
    /// With --fifo: what the guest's memory holds, from an address on; several are laid over each other.
    #[arg(long, value_name = "FILE[@ADDRESS]", requires = "fifo", conflicts_with_all = ["test", "trace", "program"])]
    pub memory: Vec<Image>,
    /// Whose reading of what is not known of Flipper; spec if not given.
    #[arg(long, value_enum, conflicts_with_all = ["test", "program"])]
    pub dialect: Option<Dialect>,
    /// Assembler text or microcode.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["test", "trace", "fifo"])]
    pub program: Option<PathBuf>,
    /// Constants: lines `c[12] = 1.0 2.0 3.0 4.0`, or four numbers a row from row 0; without it all are zero.
    #[arg(long, value_name = "FILE")]
    pub constants: Option<PathBuf>,
    /// Vertices: a Wavefront OBJ mesh, a table in text, or raw floats.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["test", "trace", "fifo"])]
    pub vertices: Option<PathBuf>,
    /// Whose microcode; without it kelvin's, or that of the first chip that can run a program of OpenGL.
    #[arg(long, value_parser = by_name::<Generation>())]
    pub r#gen: Option<Generation>,
    /// Arithmetic.
    #[arg(long, value_parser = by_name::<Model>(), default_value = "hw")]
    pub model: Model,
    /// Who executes.
    #[arg(long, value_enum, default_value_t = Backend::Jit)]
    pub backend: Backend,
    /// The instruction set of native code; the best of this machine if not given.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// What the vertex file holds, if its name does not tell.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub vertex_format: Option<streams::Format>,
    /// Registers that get the attributes of a mesh: position, normal, texcoord or color.
    #[arg(long, value_name = "REGISTER=ATTRIBUTE", value_delimiter = ',')]
    #[arg(long_help = "Registers that get the attributes of a mesh: position, normal, texcoord or color. \
                       Without it: v0=position,v2=normal,v9=texcoord.")]
    pub map: Vec<streams::Binding>,
    /// What one raw vertex consists of, for example v0:3,v2:3,_:1,v9:2 (_ is passed over); v3:ub_d3d:4 in another format than floats.
    #[arg(long, value_name = "REGISTER:FLOATS", value_delimiter = ',')]
    pub layout: Vec<streams::Field>,
    /// Run only the first vertices; an error if the file has fewer.
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Slot to start at; without it where the file says, or 0.
    #[arg(long, value_name = "SLOT")]
    pub start: Option<usize>,
    /// Order of the bytes in raw microcode and raw vertices; without it the microcode tells by what it means, and vertices
    /// are little-endian.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
    /// Write numbers as 32-bit patterns instead of decimals.
    #[arg(long)]
    pub hex: bool,
    /// Where lockstep writes a test file of the first vertex that differs.
    #[arg(long, value_name = "DIRECTORY")]
    pub report: Option<PathBuf>,
    /// Tell what the run did, on standard error.
    #[arg(short, long)]
    pub verbose: bool,
    /// What else decides what is computed.
    #[command(flatten)]
    pub configuration: Configuration,
    /// What Curie's TXL looks at: a PNG (red, green, blue, alpha from 0 to 1), or raw little-endian floats with their size.
    #[arg(long = "texture", value_name = "UNIT=FILE", help_heading = "Configuration", conflicts_with_all = ["test", "trace", "fifo"])]
    #[arg(
        long_help = "What Curie's TXL looks at, for example 0=heights.png (red, green, blue, alpha from 0 to 1) or \
                       1=table.f32,16x16x1 (raw little-endian floats: width, height, 1 or 4 components). Behind it \
                       `,repeat`: coordinates outside repeat the texture; `,whole`: 1.0 is all of it, not a texel."
    )]
    pub textures: Vec<textures::Given>,
    /// What becomes of the results.
    #[command(flatten)]
    pub drawing: Drawing,
}

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
    /// The same as --format json.
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
    #[arg(long, value_name = "FAMILY", value_parser = ["celsius", "kelvin", "rankine"])]
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

/// `xfjit demo`
#[derive(Debug, Args)]
pub struct Demo {
    /// Where the picture goes; without it knot.png, with --flipper torus.png.
    #[arg(short, long, visible_alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Instead: a torus, lit, as a stream of commands for the GameCube's Flipper.
    #[arg(long, conflicts_with_all = ["mesh", "program", "constants", "gen", "model"])]
    pub flipper: bool,
    /// Draw no picture.
    #[arg(long)]
    pub no_picture: bool,
    /// Another mesh than the shipped one, as Wavefront OBJ.
    #[arg(long, value_name = "FILE")]
    pub mesh: Option<PathBuf>,
    /// Another program than the shipped one, drawn so that it fits.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Its constants, as for `run`; without it those of the shipped program, or a camera where OpenGL's matrices are named.
    #[arg(long, value_name = "FILE", requires = "program")]
    pub constants: Option<PathBuf>,
    /// Whose microcode; without it kelvin's, or that of the first chip that can run a program of OpenGL.
    #[arg(long, value_parser = by_name::<Generation>(), requires = "program")]
    pub r#gen: Option<Generation>,
    /// Arithmetic; without it both models.
    #[arg(long, value_parser = by_name::<Model>())]
    pub model: Option<Model>,
}

/// `xfjit completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// Whose script.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `xfjit man`
#[derive(Debug, Args)]
pub struct Man {
    /// Whose page; without it that of xfjit itself.
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub page: Option<String>,
    /// Write every page into this directory: xfjit.1, xfjit-run.1 and so on.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// How to write data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs; the field `schema` names the version.
    Json,
    /// For spreadsheets.
    Csv,
}

/// When to colour messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Yes, no, or None to decide by the terminal.
    pub fn choice(self) -> Option<bool> {
        match self {
            Color::Auto => None,
            Color::Always => Some(true),
            Color::Never => Some(false),
        }
    }
}

/// Order of the bytes in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Who executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// Native code.
    Jit,
    /// The reference interpreter, one vertex at a time.
    Interp,
    /// The interpreter in blocks of vertices.
    #[value(name = "interp_batch", alias = "interp-batch")]
    InterpBatch,
    /// The evaluator of the compiler's own representation, as lowered.
    Eval,
    /// The same after expansion into machine operations.
    #[value(name = "eval_host", alias = "eval-host")]
    EvalHost,
    /// The reference and native code side by side, compared bit for bit.
    Lockstep,
}

/// Who executes, where several may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every backend.
    All,
    /// This one.
    One(Backend),
}

impl ValueEnum for Choice {
    fn value_variants<'a>() -> &'a [Choice] {
        use Backend::{Eval, EvalHost, Interp, InterpBatch, Jit, Lockstep};
        const {
            &[
                Choice::All,
                Choice::One(Jit),
                Choice::One(Interp),
                Choice::One(InterpBatch),
                Choice::One(Eval),
                Choice::One(EvalHost),
                Choice::One(Lockstep),
            ]
        }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Choice::All => Some(PossibleValue::new("all").help("Each of them")),
            Choice::One(backend) => backend.to_possible_value(),
        }
    }
}

/// Whose reading of Flipper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// The documents, and a console where one was asked.
    #[default]
    Spec,
    /// Dolphin's software renderer.
    DolphinSw,
    /// The vertices of Dolphin's compiled loaders; the rest as spec.
    DolphinJit,
}

/// A stage of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Decoded instructions.
    Decode,
    /// Lowered program.
    Ir,
    /// Optimised program.
    Opt,
    /// Program in host operations.
    Host,
    /// Cranelift's input.
    Clif,
    /// Machine code.
    Asm,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_documented_forms_are_accepted() {
        for line in [
            "asm -",
            "asm lit.vsh --format json",
            "dis --gen curie p.hex",
            "dump --stage clif --target aarch64 p.hex",
            "run --gen kelvin --program p --constants c --vertices v.obj --model ieee --backend lockstep",
            "run --trace stream.trace --model ieee --backend interp",
            "run --trace record.dff --dialect dolphin-sw",
            "run --fifo a.bin --memory b.bin@0x1000 --memory c.bin --hex",
            "run --program p --vertices v.bin --layout v0:3,_:1,v9:2 --count 7",
            "run --program p --vertices v.obj --map v0=position,v8=texcoord",
            "run --program p --vertices v.obj --preset xemu --option access=user --outputs oPos,oD0",
            "run --program p --vertices v.obj --gen curie --bool b0,b7 --texture 0=a.png --texture 1=b,4x4x1,repeat",
            "run --program p --vertices v.csv --draw - --size 64x64 --view window --primitive strip --camera --obj o",
            "vectors a.xz b.txt --backend interp",
            "bench --json",
            "diff --gen rankine --seed 3 --programs 10 --vertices 5",
            "demo",
            "demo --flipper --out -",
            "demo --program p.vsh --constants c.txt --mesh m.obj --gen rankine",
            "doctor --color never",
            "completions zsh",
            "man run",
            "man --out pages",
        ] {
            let words = std::iter::once("xfjit").chain(line.split(' '));
            if let Err(error) = Cli::try_parse_from(words) {
                panic!("{line}: {error}");
            }
        }
        for line in [
            "",
            "vectors",
            "dump p",
            "run --program p --vertices v --map v99=normal",
            "diff --programs 0",
            "run --trace t --option access=user",
            "run --trace t --draw p.png",
            "run --trace t --fifo f",
            "run --trace t --memory m",
            "run --fifo f --option access=user",
            "run --fifo f --memory m@0x8000000",
            "run --fifo f --dialect dolphin",
            "run t.xf --camera",
            "run --program p --vertices v --preset xemu --model hw",
            "run --program p --vertices v --preset doom",
            "run --program p --vertices v --size 4x4",
            "run --program p --vertices v --draw p.png --hex",
            "run --program p --vertices v --texture 9=a",
            "completions",
            "completions dos",
            "man run --out pages",
            "demo --constants c.txt",
            "demo --gen curie",
            "demo --flipper --mesh m.obj",
        ] {
            let words = std::iter::once("xfjit").chain(line.split_whitespace());
            assert_eq!(Cli::try_parse_from(words).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
