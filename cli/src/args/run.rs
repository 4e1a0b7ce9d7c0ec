//! Commands that run programs over vertices.

use super::limits::Limits;
use super::{Backend, ByteOrder};
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
    /// A test file (.xf), as the test suite has them and checks write them: its runs are compared with what it expects,
    /// on every backend.
    #[arg(value_name = "TEST", conflicts_with_all = ["program", "vertices", "constants"])]
    pub test: Option<PathBuf>,
    /// A command stream for the whole unit: what comes out of it is printed (docs/XF.md has the format). Or one for
    /// Flipper (docs/isa/flipper.md), a recording of Dolphin's FIFO player (.dff), or a capture (docs/CAPTURES.md).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test", "program", "vertices", "constants"])]
    pub trace: Option<PathBuf>,
    /// Bytes of Flipper's command FIFO as they are.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test", "trace", "program", "vertices", "constants"])]
    pub fifo: Option<PathBuf>,
    /// With --fifo: what the guest's memory holds, from an address on; several are laid over each other.
    #[arg(long, value_name = "FILE[@ADDRESS]", requires = "fifo", conflicts_with_all = ["test", "trace", "program"])]
    pub memory: Vec<Image>,
    /// Whose reading of what is not known of Flipper; spec if not given.
    #[arg(long, value_parser = by_name::<Dialect>(), conflicts_with_all = ["test", "program"])]
    pub dialect: Option<Dialect>,
    /// A choice of Flipper's over those of the dialect, for example ring=exclusive (docs/QUIRKS.md). A wrong name lists all.
    #[arg(long = "quirk", value_name = "NAME=VALUE", conflicts_with_all = ["test", "program"])]
    pub quirks: Vec<String>,
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
    /// What vertices may execute.
    #[command(flatten)]
    pub limits: Limits,
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
