//! The C interface of xfjit: `include/xfjit.h`, which is made of this source ([`table`]).
//!
//! Rules: handles are opaque; no panic crosses the border; every function tells in its description which threads may call
//! it; there is no state of the process, only the message of each thread. `docs/DESIGN.md`, section 14.
//!
//! All of it is unsafe to call, since C cannot say what it lends. What it may lend is checked as far as that can be done: null
//! pointers, alignment, sizes, overlaps, kinds of handles. Pointers come in at one place (`export.rs`) and become types there, which say who
//! owns what, and until when. No lifetime is longer than the call.
//!
//! Each file imports what stands above it in this table, and nothing else:
//!
//! | file | what it holds |
//! |---|---|
//! | `table.rs` | macros for constants and records, and what headers are made of |
//! | `status.rs` | statuses, the message of the thread, the border that no panic crosses |
//! | `extent.rs` | ranges of addresses: which can be memory, which overlap |
//! | `lent.rs` | `Lent`, `LentMut`: pointers for the call in which C hands them over |
//! | `export.rs` | the macro for functions, where pointers become those |
//! | `sized.rs` | records that begin with their size |
//! | `handle.rs` | `Owned`, `Shared`: handles, and how C holds them |
//! | `exclusive.rs` | what one call at a time may use |
//! | `gate.rs` | the way to the parts of a batch |
//! | `library.rs` | functions: versions, what this host can do, messages |
//! | `format.rs` | formats of attributes, widths of indices |
//! | `outputs.rs` | names of output registers |
//! | `config.rs` | configurations |
//! | `program.rs` | programs, and functions about them |
//! | `tiers.rs` | jobs, and callbacks of engines |
//! | `engine.rs` | engines |
//! | `list.rs` | lists of programs |
//! | `microcode.rs` | programs by their words |
//! | `constants.rs` | constants that C lends |
//! | `batch.rs` | records of batches, and their arrays |
//! | `indices.rs` | which vertices a batch runs |
//! | `streams.rs` | attributes and outputs as memory of a call |
//! | `draw.rs` | batches that have passed the checks |
//! | `pieces.rs` | runs of draws, piece by piece |
//! | `repeat.rs` | batches that are remembered, and run without checks when they are repeated |
//! | `described.rs` | what is remembered of a batch of xfjit_run |
//! | `rows.rs` | batches of xfjit_run_rows |
//! | `sink.rs` | where bytes of captures go |
//! | `recording.rs` | recordings of what workers run |
//! | `worker.rs` | workers |
//! | `run.rs` | functions: running batches |
//! | `fetch.rs` | functions: one vertex of a batch |
//! | `vertex.rs` | functions: slot by slot, and one operation |
//! | `unit.rs` | units as devices |
//! | `unit_draw.rs` | functions: draws of units |
//! | `cancel.rs` | flags that end calls of other threads |
//! | `record.rs` | functions: recording |
//! | `flipper_options.rs` | choices of Flipper's units |
//! | `flipper_layout.rs` | layouts of vertices |
//! | `flipper.rs` | Flipper as a device: registers, states, recordings |
//! | `flipper_run.rs` | commands, and what leaves |
//! | `flipper_fifo.rs` | functions: gathered stores, rings and their registers |
//! | `flipper_draw.rs` | functions: parts of what is done with a draw |

mod batch;
mod cancel;
mod config;
mod constants;
mod described;
mod draw;
mod engine;
mod exclusive;
mod export;
mod extent;
mod fetch;
mod flipper;
mod flipper_draw;
mod flipper_fifo;
mod flipper_layout;
mod flipper_options;
mod flipper_run;
mod format;
mod gate;
mod handle;
mod indices;
mod lent;
mod library;
mod list;
mod microcode;
mod outputs;
mod pieces;
mod program;
mod record;
mod recording;
mod repeat;
mod rows;
mod run;
mod sink;
mod sized;
mod status;
mod streams;
pub mod table;
mod tiers;
mod unit;
mod unit_draw;
mod vertex;
mod worker;

pub use batch::*;
pub use cancel::*;
pub use config::*;
pub use engine::*;
pub use fetch::*;
pub use flipper::*;
pub use flipper_draw::*;
pub use flipper_fifo::*;
pub use flipper_layout::*;
pub use flipper_options::*;
pub use flipper_run::*;
pub use format::*;
pub use indices::*;
pub use library::*;
pub use list::*;
pub use microcode::*;
pub use outputs::*;
pub use program::*;
pub use record::*;
pub use run::*;
pub use sink::*;
pub use status::*;
pub use tiers::*;
pub use unit::*;
pub use unit_draw::*;
pub use vertex::*;
pub use worker::*;

use table::{Item, Section};

/// Everything that C sees, in the order of the header.
pub const INTERFACE: &[Section] = &[
    Section {
        title: "Library",
        items: &[library::VERSION, status::STATUSES, library::FEATURES, library::FUNCTIONS],
    },
    Section {
        title: "Engine",
        items: &[
            engine::ENGINE,
            program::PROGRAM,
            worker::WORKER,
            cancel::CANCEL,
            tiers::JOB,
            list::LIST,
            engine::BACKENDS,
            engine::INSTRUCTIONS,
            engine::PERF,
            tiers::COMPILERS,
            tiers::EVENTS,
            tiers::HOT,
            tiers::HEARD,
            tiers::LOG_LEVELS,
            tiers::LOG,
            tiers::WARMED,
            engine::OPTIONS,
            engine::FUNCTIONS,
            tiers::FUNCTIONS,
            list::FUNCTIONS,
        ],
    },
    Section {
        title: "Configuration",
        items: &[
            config::GENERATIONS,
            config::MODELS,
            config::EMULATORS,
            config::FORMS,
            config::LAYOUTS,
            outputs::KELVIN,
            outputs::RANKINE,
            outputs::CURIE,
            format::FORMATS,
            Item::Macro(FORMAT_MACRO),
            config::CONFIG,
            config::FUNCTIONS,
        ],
    },
    Section {
        title: "Programs",
        items: &[program::INFO, program::STYLES, microcode::FUNCTIONS, program::FUNCTIONS],
    },
    Section {
        title: "Running",
        items: &[
            batch::ATTRIBUTE,
            batch::OUTPUT,
            indices::BATCH_FLAGS,
            batch::BATCH,
            batch::OUTCOME,
            run::EACH,
            worker::FUNCTIONS,
            run::FUNCTIONS,
            fetch::FUNCTIONS,
        ],
    },
    Section {
        title: "One vertex, and one operation",
        items: &[vertex::ENDS, vertex::UNITS, vertex::VERTEX, vertex::FUNCTIONS],
    },
    Section {
        title: "The unit as a device",
        items: &[
            unit::UNIT,
            unit::CHIPS,
            unit::COMMANDS,
            unit::REGISTERS,
            unit::TEXTURES,
            unit::PIECES,
            unit::PIECE,
            unit::VIEW,
            unit::TAKE,
            unit::FUNCTIONS,
            unit_draw::FUNCTIONS,
        ],
    },
    Section { title: "Ending calls of other threads", items: &[cancel::FUNCTIONS] },
    Section { title: "Recording", items: &[sink::RECORD, record::FUNCTIONS] },
    Section {
        title: "Flipper as a device",
        items: &[
            flipper::FLIPPER,
            flipper_options::CONSOLES,
            flipper_options::DIALECTS,
            flipper_options::OPTIONS,
            flipper_layout::SOURCES,
            flipper_layout::TYPES,
            flipper_layout::ELEMENT,
            flipper_run::OUTPUTS,
            flipper_run::DISAGREEMENTS,
            flipper_run::SIDES,
            flipper_draw::CULLS,
            flipper_fifo::PI,
            flipper_fifo::PORTS,
            flipper_fifo::STATUS,
            flipper_fifo::ENABLE,
            flipper_fifo::CLEAR,
            flipper_run::MEMORY,
            flipper::TRIANGLE,
            flipper_run::OUTPUT,
            flipper_run::PROGRESS,
            flipper_run::TAKE,
            flipper_options::FUNCTIONS,
            flipper::FUNCTIONS,
            flipper_run::FUNCTIONS,
            flipper_fifo::FUNCTIONS,
            flipper_draw::FUNCTIONS,
        ],
    },
];

/// What stands in `xfjit_config.input_formats`.
const FORMAT_MACRO: &str =
    "#define XFJIT_FORMAT(format, components) ((uint32_t)(format) | (uint32_t)(components) << 8)";
