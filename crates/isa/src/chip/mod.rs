//! Facts about the chips. Each fact is here once, and everything that decodes, compiles or emulates uses it.
//!
//! ```text
//! Chip  ->  Family        the commands and memories of its XF unit; four families exist
//!             |-> Generation   the microcode of its programs; Celsius has none
//!             '-> Pipeline     which fixed function it has; in the family Curie, only NV40 has one
//! ```

pub mod boards;
mod chips;
mod family;
pub mod flipper;
pub mod memory;
pub mod methods;
pub mod mode;
pub mod output_map;
pub mod programs;
mod sizes;
pub mod slots;

pub use chips::Chip;
pub use family::{Family, Generation, Lights, Pipeline, Revision};
pub use mode::Mode;
pub use sizes::Sizes;
pub use slots::Outputs;
