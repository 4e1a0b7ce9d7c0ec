//! The fallback of the fixed function: runs a straight function of the XF level over many vertices at once.
//!
//! A configuration of the fixed function has no instructions to step, so what native code leaves, and what runs while
//! there is none, is its IR. The evaluator ([`crate::ir::eval`]) looks at every instruction for every vertex and is the
//! reference; this is the fast form, and has its bits. A [`Plan`] is made once for a function: uniform values apart, which
//! are computed once per run, and places that are used again and again instead of one for each value, so that a chunk
//! stays in the first-level cache. Running it looks at an instruction once for [`CHUNK`] vertices; the inner loops go
//! over plain arrays and call the golden functions, compiled for the numerics that are met.
//!
//! ```text
//! rows of a chunk:  uniform values that the body reads | attributes, four rows each | the others, by first fit
//! ```
//!
//! Takes what [`crate::front::fixed::lower`] makes: one straight line whose only effects are outputs.

mod lanes;
mod plan;
mod run;

#[cfg(test)]
mod tests;

pub use lanes::CHUNK;
pub use plan::Plan;
pub use run::{Chunk, ROWS, UNIFORM};
