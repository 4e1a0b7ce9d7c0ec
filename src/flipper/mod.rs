//! The vertex part of the GameCube's Flipper as a device: its command processor, followed by its transform unit.
//!
//! ```text
//! Command    a command of a stream, its length known before it is taken    Registers  what loads leave
//! Processor  runs them, lists too, and hands on what is for others: Sink   Fetch      what a vertex's bytes mean
//! Plan       reads the vertices of a draw as columns: Fetched, or lends them where they lie
//! Fifo       brings it commands: gathered stores, rings, their registers
//! FlipperUnit  all of it, and the transform unit: commands in, finished vertices out
//! Layout     how a host has vertices in its memory: fetched alone, transformed alone
//! Trace      what its draws depend on, as text
//! dff        recordings that Dolphin makes of the same
//! ```
//! For unknown behaviour of the chip, [`Quirks`] has a hypothesis. Reads of a guest's memory stay inside the slice, whatever the commands
//! are.

mod alone;
mod column;
mod command;
pub mod dff;
mod execute;
mod fetch;
mod fifo;
mod four;
mod held;
mod in_place;
mod layout;
mod memory;
mod output;
mod place;
mod plan;
mod play;
mod processor;
mod record;
mod registers;
mod snapshot;
mod storing;
pub mod trace;
mod unit;
mod versions;
pub mod vertex;

pub use alone::{Cull, TransformError};
pub use command::{Command, Commands, Draw, Incomplete, MOST_WORDS, Words};
pub use fetch::{Fetch, Vertex};
pub use fifo::{Fifo, Progress};
pub use in_place::Copied;
pub use layout::{Call, Element, Layout, LayoutError, Source, Stored};
pub use memory::{Memory, Ram};
pub use output::{Disagreement, Drawn, Output, Triangle};
pub use plan::{Fetched, Plan, canonical};
pub use processor::{Budget, Processor, Sink};
pub use registers::{Array, NormalCache, Registers};
pub use snapshot::RestoreError;
pub use trace::Trace;
pub use unit::FlipperUnit;
pub use xfjit_isa::chip::flipper::Console;
pub use xfjit_isa::config::{Dialect, Interrupt, ProcessorQuirks as Quirks, Ring, Watermarks, Wrap};
