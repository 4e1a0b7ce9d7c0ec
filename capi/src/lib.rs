//! The C interface of xfjit: `include/xfjit.h`, which is made of this source ([`table`]).
//!
//! Rules: handles are opaque; no panic crosses the border; every function tells in its description which threads may call
//! it; there is no state of the process, only the message of each thread. `docs/DESIGN.md`, section 14.
//!
//! All of it is unsafe to call, since C cannot say what it lends. What it may lend is checked as far as that can be done: null
//! pointers, alignment, sizes, overlaps, kinds of handles.

mod again;
mod batch;
mod cancel;
mod config;
mod draw;
mod engine;
mod extent;
mod format;
mod indices;
mod library;
mod list;
mod memory;
mod outputs;
mod program;
mod record;
mod run;
mod status;
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
pub use format::*;
pub use indices::*;
pub use library::*;
pub use list::*;
pub use outputs::*;
pub use program::*;
pub use record::*;
pub use run::*;
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
    Section { title: "Programs", items: &[program::INFO, program::STYLES, program::FUNCTIONS] },
    Section {
        title: "Running",
        items: &[
            batch::ATTRIBUTE,
            batch::OUTPUT,
            indices::BATCH_FLAGS,
            batch::BATCH,
            batch::OUTCOME,
            worker::FUNCTIONS,
            run::FUNCTIONS,
            batch::FUNCTIONS,
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
            unit::PIECES,
            unit::PIECE,
            unit::VIEW,
            unit::TAKE,
            unit::FUNCTIONS,
            unit_draw::FUNCTIONS,
        ],
    },
    Section { title: "Ending calls of other threads", items: &[cancel::FUNCTIONS] },
    Section { title: "Recording", items: &[record::RECORD, record::FUNCTIONS] },
];

/// What stands in `xfjit_config.input_formats`.
const FORMAT_MACRO: &str =
    "#define XFJIT_FORMAT(format, components) ((uint32_t)(format) | (uint32_t)(components) << 8)";
