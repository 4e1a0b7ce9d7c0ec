//! What is known of chips: each fact stands here once, below everything that decodes, compiles or emulates.
//!
//! ```text
//! Chip  ->  Family        which commands and memories its XF unit has: four of them
//!             |-> Generation   what its programs are written in; not Celsius, which has none
//!             '-> Pipeline     which fixed function it has; of Curie NV40 alone has one
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
