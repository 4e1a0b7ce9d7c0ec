//! Tests as text: a program or a configuration of the fixed function, vertices with their expected results, and the compiler's stages as
//! golden text.
//!
//! ```text
//! ; Why this file exists.
//! test run, host
//! gen kelvin
//! model ieee hw
//! option live_outputs oPos oD0
//!
//! MUL oPos, v0, c[12]
//! END
//!
//! ; with: c[12]=(3f800000 3f800000 0 0)
//! ; run: v0=(7f800000 00000001 0 3f800000) -> oPos=(7f800000 0 0 0)
//! ; host:
//! ;   func host ieee ...
//! ```
//!
//! The header lines come before the program:
//!
//! | line | meaning | without it |
//! |---|---|---|
//! | `test a, b` | what is tested: `run`, and [stages](Stage) | required |
//! | `gen g` | whose microcode; before the options | `kelvin` |
//! | `fixed chip word...` | instead of `gen` and a program: a configuration of the fixed function | |
//! | `model m` | the arithmetic; with two of them runs happen under both, stages show the first | required |
//! | `option name value` | a field of [`Config`](xfjit_isa::config::Config), see below | the chip's setting |
//! | `inputs layout` | how attributes lie in memory and are found, for which the program is prepared, such as `index[16] v5.position v6.index[32]`; runs have rows of floats, behind index lists of these widths | rows, without a list |
//! | `texels t` | what TXL reads, see [`Texels`] | `host` |
//! | `known-failure: reason` | the file must fail, until someone mends what the reason says | |
//!
//! Options: `live_outputs REGISTER...`, `layout planes`, `access user`, `constant_writes yes`; on Rankine and Curie also
//! `arithmetic legacy`, `branch_bits HEX`, `branch_table SLOT...`, `timeout COUNT`, `viewport transform`, `mode v1`; and
//! every [quirk](xfjit_isa::config::Quirk) with one of its values, such as `write_order vector_dropped`. The program is in the grammar of [`xfjit_isa::asm::parse()`].
//!
//! ```text
//! with   = "; with:" { constant "=" value }                 constants for all runs below; others are 0
//! run    = "; run:"  { place "=" value } "->" { place "=" value }
//! then   = "; then:" { input "=" value } "->" { place "=" value }
//! place  = ( input | output | constant ) [ "." mask ]       "v0.xy", "oPos", "c[3].w"
//! value  = word | "(" word { word } ")"                     one word per component
//! word   = one to eight hexadecimal digits
//! ```
//! Each `run` is a batch of its own with fresh constants; `then` adds a vertex to it. Input components that are not named are those of (0,
//! 0, 0, 1); output components that are not named are not compared. A constant after the arrow is its value after the whole batch.
//! `timeout=1` or `stack=1` means that the program of this vertex must end by TIMEOUT or by a stack fault; without it, the program must
//! not. Every back end executes every run, alone and amid copies of the batch.
//!
//! # The fixed function
//!
//! ```text
//! ; The position is divided by w, and the viewport's offset added (fixed_function.md 3, step 3).
//! test run
//! fixed nv15 00000000 00000000
//! model hw
//!
//! ; with: XFCTX[0x08]=(3f800000 0 0 0) XFCTX[0x0b].w=3f800000
//! ; run: v0=(41000000 0 0 40000000) v1=(3f800000 0 0 3f800000) -> oPos.xy=(40800000 0) oD0=(ff 0 0 ff)
//! ```
//!
//! The line `fixed` has the chip (`nv10`, `nv15`, `nv20`, `nv30`, or a family) and the words of its XFMODE, in the order in which
//! `xfjit dis --fixed` and `dump --fixed` take and print them. No program follows. The options are `live_outputs`, `layout planes`,
//! `clamps_depth yes` and the [quirks of the fixed function](xfjit_isa::config::FixedQuirks), the fields of [`Setup`](xfjit_core::front::fixed::Setup).
//!
//! ```text
//! constant = memory "[" slot "]" [ "." mask ]               "XFCTX[0x3a].xy", "LTCTX[0x2c]", "LTC1[3]"
//! memory   = "XFCTX" | "LTCTX" | "LTC0" | "LTC1" | "LTC2" | "LTC3"
//! ```
//! Slots are numbered as in the tables of fixed_function.md, with `0x` before hexadecimal numbers. Slots that are not named are 0,
//! including the driver's hidden constants. LTCTX has the components xyz and LTC has x: the left-aligned numbers of LT, as the commands
//! that load them have rounded them. Attributes are `v0` to `v15` (Celsius: `v0` to `v6`). Outputs are called as in programs of the chip,
//! on Celsius as in Kelvin's; a run can expect neither outputs that the mode does not produce nor memories, which nothing writes. The stage
//! `decode` is XFMODE as named fields.
//!
//! The text of a stage follows `; stage:`, indented. `XFJIT_BLESS=1 cargo test` rewrites it, but never a run.

mod batch;
mod case;
mod fixed;
mod indexed;
pub(crate) mod listed;
mod names;
pub mod options;
mod placement;
mod read;
mod stage;
mod tested;
mod texels;
mod write;

pub use case::{Case, Feed, Ran, Refusal, difference, upload};
pub use fixed::{FixedCase, FlipperCase};
pub use indexed::Indexed;
pub use placement::Placement;
pub use stage::Stage;
pub use tested::Tested;
pub use texels::{Texels, rotated};

use names::Names;
use std::ops::Range;
use xfjit_core::shader::{Faults, Shader};
use xfjit_isa::isa::{Mask, OutTarget};
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::num::Model;
use xfjit_runtime::state::Row;

/// A test file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileTest {
    /// The reason why it exists: the comment lines at the top, without `; `.
    pub why: Vec<String>,
    /// Whether its runs are tested.
    pub runs: bool,
    /// The stages that are tested.
    pub stages: Vec<Stage>,
    /// The models, at least one.
    pub models: Vec<Model>,
    /// The program or configuration, and everything else that it is prepared for; the model is the first one.
    pub tested: Tested,
    /// How attributes lie in memory and are found.
    pub inputs: InputLayout,
    /// The reason why it must fail.
    pub known_failure: Option<String>,
    /// The texture that TXL reads.
    pub texels: Texels,
    /// The runs.
    pub batches: Vec<Batch>,
    /// Golden text of stages that were found in the file, and the lines that it occupies.
    #[doc(hidden)]
    pub blocks: Vec<Block>,
}

impl FileTest {
    /// What is run under one of the models.
    pub fn tested(&self, model: Model) -> Tested {
        self.tested.model(model)
    }

    /// What backends prepare under one of the models.
    pub fn shader(&self, model: Model) -> Shader {
        self.tested(model).shader().with_inputs(self.inputs)
    }

    fn names(&self) -> Names {
        match &self.tested {
            Tested::Microcode(_, config) => Names::Program(config.generation, config.rows()),
            Tested::Fixed(setup) => Names::Fixed(setup.mode.pipeline()),
        }
    }
}

/// Vertices that are run together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Batch {
    /// The line of the file, from 1.
    pub line: usize,
    /// The constants before the batch; for the fixed function, rows of its memories.
    pub constants: Vec<(usize, Row)>,
    /// The vertices.
    pub vertices: Vec<Vertex>,
}

/// One vertex.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vertex {
    /// The attributes; others are (0, 0, 0, 1).
    pub inputs: Vec<(usize, Row)>,
    /// The expected results.
    pub expected: Vec<Expected>,
    /// The expected end of its program.
    pub faults: Faults,
}

/// One register that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The output register, or the constant after the batch.
    pub target: OutTarget,
    /// The components that are compared.
    pub mask: Mask,
    /// Their bits.
    pub row: Row,
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub struct Block {
    pub stage: Stage,
    /// Line numbers from 0, the title included.
    pub lines: Range<usize>,
    pub text: String,
}
