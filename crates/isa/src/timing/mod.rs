//! The chip's own time (docs/spec/timing.md): one instruction a clock enters a pipeline, and vertices side by side hide how long
//! that is.
//!
//! ```text
//! written.rs   what an instruction takes from an earlier one
//! path.rs      the instructions that a vertex runs through, and what each waits for
//! pipeline.rs  stages, threads; every instruction's clocks
//! report.rs    what a vertex costs, and each slot of it
//! diagram.rs   clocks as text
//! ```
//! That there is a pipeline of this kind is documented, its stages are not: they are parameters.

mod diagram;
mod path;
mod pipeline;
mod report;
#[cfg(test)]
mod tests;
mod written;

pub use diagram::Diagram;
pub use path::{Path, Step};
pub use pipeline::{Issue, Pipeline};
pub use report::{Report, SlotCost};
