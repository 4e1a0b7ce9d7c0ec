//! The chip's own time (docs/spec/timing.md): one instruction a clock enters a pipeline, and vertices side by side hide how long
//! that is.
//!
//! ```text
//! grade.rs       how sure a figure is
//! values.rs      parameters of a model, and the values that they have
//! parameters.rs  those of vertex units: the one table
//! families.rs    its values for one chip
//! rules.rs       the same, as the simulation asks for them
//! units.rs       which execution unit an operation takes
//! written.rs     what an instruction takes from an earlier one
//! path.rs        the instructions that a vertex runs through, and what each waits for
//! buffers.rs     vertices on their way in and out
//! pipeline.rs    stages, vertices at a time; every instruction's clocks
//! report.rs      what a vertex costs, and each slot of it
//! influence.rs   what depends on what is not documented
//! diagram.rs     clocks as text
//! flipper/       the transform unit of the GameCube
//! ```
//! What documents say holds; the rest are parameters with a default that says what it rests on.

mod buffers;
mod diagram;
mod families;
pub mod flipper;
mod grade;
mod influence;
mod parameters;
mod path;
mod pipeline;
mod report;
mod rules;
#[cfg(test)]
mod tests;
mod units;
mod values;
mod written;

pub use diagram::{Cut, Diagram};
pub use families::Timing;
pub use grade::Grade;
pub use influence::{Influence, influence};
pub use parameters::PARAMETERS;
pub use path::{Needs, Path, Step};
pub use pipeline::{Issue, Pipeline, Waits};
pub use report::{Report, SlotCost};
pub use units::{Rate, Unit};
pub use values::{Choice, Parameter, Refused, Values};
