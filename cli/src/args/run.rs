//! Commands that run programs over vertices.

use super::limits::Limits;
use super::{Backend, ByteOrder, Extent};
use crate::backends::by_name;
use crate::configuration::Configuration;
use crate::drawing::Drawing;
use crate::run::flipper::Image;
use crate::streams;
use crate::textures;
use clap::Args;
use std::path::PathBuf;
use xfjit::flipper::Dialect;
use xfjit::{Generation, InstructionSet, Model};

/// `xfjit run`
#[derive(Debug, Args)]
pub struct Run {
    /// Test file (.xf), from the test suite or from a check that found a difference, or a directory of them. Its runs are compared with the
    /// expected results, on every back end.
    #[arg(value_name = "TEST", conflicts_with_all = ["program", "vertices", "constants"])]
    pub test: Option<PathBuf>,
    /// Command stream for the whole unit; its output is printed (docs/XF.md describes the format). Or one for Flipper
    /// (docs/isa/flipper.md), a recording for Dolphin's FIFO player (.dff), or a capture (docs/CAPTURES.md).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test", "program", "vertices", "constants"])]
    pub trace: Option<PathBuf>,
    /// Raw bytes of Flipper's command FIFO.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test", "trace", "program", "vertices", "constants"])]
    pub fifo: Option<PathBuf>,
    /// With --fifo: contents of the guest's memory from an address on. The option may be repeated; later files overwrite earlier ones.
    #[arg(long, value_name = "FILE[@ADDRESS]", requires = "fifo", conflicts_with_all = ["test", "trace", "program"])]
    pub memory: Vec<Image>,
    /// Dialect of Flipper: which source to follow where sources differ. Default: spec.
    #[arg(long, value_parser = by_name::<Dialect>(), conflicts_with_all = ["test", "program"])]
    pub dialect: Option<Dialect>,
    /// Change one choice of Flipper's dialect, for example ring=exclusive (docs/QUIRKS.md). A wrong name lists all names.
    #[arg(long = "quirk", value_name = "NAME=VALUE", conflicts_with_all = ["test", "program"])]
    pub quirks: Vec<String>,
    /// Program, as assembler text or microcode.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["test", "trace", "fifo"])]
    pub program: Option<PathBuf>,
    /// Constants: lines `c[12] = 1.0 2.0 3.0 4.0`, or four numbers a line from row 0 on. Default: all zero.
    #[arg(long, value_name = "FILE")]
    pub constants: Option<PathBuf>,
    /// Vertices: a Wavefront OBJ mesh, a table as text, or raw floats.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["test", "trace", "fifo"])]
    pub vertices: Option<PathBuf>,
    /// Chip generation of the microcode. Default: kelvin, or for an OpenGL program the first generation that can run it.
    #[arg(long, value_parser = by_name::<Generation>())]
    pub r#gen: Option<Generation>,
    /// Arithmetic: hw is the chip's, ieee is plain IEEE.
    #[arg(long, value_parser = by_name::<Model>(), default_value = "hw")]
    pub model: Model,
    /// Back end that runs the programs.
    #[arg(long, value_enum, default_value_t = Backend::Jit)]
    pub backend: Backend,
    /// Instruction set of native code. Default: the best of this machine.
    #[arg(long, value_parser = by_name::<InstructionSet>())]
    pub target: Option<InstructionSet>,
    /// Format of the vertex file. Default: chosen by its name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub vertex_format: Option<streams::Format>,
    /// Registers that receive the attributes of a mesh: position, normal, texcoord or color.
    #[arg(long, value_name = "REGISTER=ATTRIBUTE", value_delimiter = ',')]
    #[arg(
        long_help = "Registers that receive the attributes of a mesh: position, normal, texcoord or color. \
                       Default: v0=position,v2=normal,v9=texcoord."
    )]
    pub map: Vec<streams::Binding>,
    /// Contents of one raw vertex, for example v0:3,v2:3,_:1,v9:2 (_ skips words); v3:ub_d3d:4 reads another format than floats.
    #[arg(long, value_name = "REGISTER:FLOATS", value_delimiter = ',')]
    pub layout: Vec<streams::Field>,
    /// Run only the first N vertices. It is an error if the file has fewer.
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Run a large batch on this many threads, at most one for each core; 0 uses all cores. The results are the same. Programs that write
    /// constants or have loops run on one thread. With a directory: number of test files at a time.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["trace", "fifo"], value_parser = clap::value_parser!(u16).range(..=1024))]
    pub jobs: u16,
    /// With a directory of test files: how long it goes on, and what it leaves.
    #[command(flatten)]
    pub extent: Extent,
    /// First slot of the program. Default: as the file says, or 0.
    #[arg(long, value_name = "SLOT")]
    pub start: Option<usize>,
    /// Byte order of raw microcode and raw vertices. Default: detected for microcode, little-endian for vertices.
    #[arg(long, value_enum)]
    pub byte_order: Option<ByteOrder>,
    /// Print numbers as 32-bit patterns instead of decimals.
    #[arg(long)]
    pub hex: bool,
    /// Directory where lockstep writes a test file of the first vertex that differs.
    #[arg(long, value_name = "DIRECTORY")]
    pub report: Option<PathBuf>,
    /// Report on standard error what the run did.
    #[arg(short, long)]
    pub verbose: bool,
    /// What vertices may execute.
    #[command(flatten)]
    pub limits: Limits,
    /// What else decides what is computed.
    #[command(flatten)]
    pub configuration: Configuration,
    /// Texture that TXL reads (curie): a PNG (red, green, blue, alpha from 0 to 1), or raw little-endian floats with their size.
    #[arg(long = "texture", value_name = "UNIT=FILE", help_heading = "Configuration", conflicts_with_all = ["test", "fifo"])]
    #[arg(
        long_help = "Texture that TXL reads (curie), for example 0=heights.png (red, green, blue, alpha from 0 to 1) or \
                       1=table.f32,16x16x1 (raw little-endian floats: width, height, 1 or 4 components). Append \
                       `,repeat` to repeat the texture outside its edges, and `,whole` to make 1.0 the whole width or \
                       height instead of one texel."
    )]
    pub textures: Vec<textures::Given>,
    /// What becomes of the results.
    #[command(flatten)]
    pub drawing: Drawing,
}

/// `xfjit demo`
#[derive(Debug, Args)]
pub struct Demo {
    /// Output file for the picture. Default: knot.png, or torus.png with --flipper.
    #[arg(short, long, visible_alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Instead of the mesh: draw a lit torus with a command stream for the GameCube's Flipper.
    #[arg(long, conflicts_with_all = ["mesh", "program", "constants", "gen", "model"])]
    pub flipper: bool,
    /// Do not draw the picture.
    #[arg(long)]
    pub no_picture: bool,
    /// Mesh to use instead of the included one (Wavefront OBJ).
    #[arg(long, value_name = "FILE")]
    pub mesh: Option<PathBuf>,
    /// Program to use instead of the included one. The picture is scaled to fit.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Constants of the program, as for `run`. Default: those of the included program, or a camera if the program names OpenGL's matrices.
    #[arg(long, value_name = "FILE", requires = "program")]
    pub constants: Option<PathBuf>,
    /// Chip generation of the microcode. Default: kelvin, or for an OpenGL program the first generation that can run it.
    #[arg(long, value_parser = by_name::<Generation>(), requires = "program")]
    pub r#gen: Option<Generation>,
    /// Arithmetic: hw is the chip's, ieee is plain IEEE. Default: both.
    #[arg(long, value_parser = by_name::<Model>())]
    pub model: Option<Model>,
}
