//! The fallback of the fixed function: runs a straight-line function of the XF level over many vertices at once.
//!
//! The fixed function has no instructions to interpret. Deoptimised groups, and batches before native code is ready, run
//! its IR instead. The evaluator ([`crate::ir::eval`]) dispatches every instruction for every vertex and is the reference;
//! this is the fast form, with the same bits. A [`Plan`] is made once for a function: it separates uniform values, which
//! are computed once per run, and assigns each other value a row. Rows are reused when a value is dead, so that a chunk
//! stays in the first-level cache. An instruction is dispatched once for [`lanes::CHUNK`] vertices; the inner loops run over
//! arrays and call the golden functions, compiled for each numerics.
//!
//! ```text
//! rows of a chunk:  uniform values that the body reads | attributes, four rows each | the others, by first fit
//! ```
//!
//! The functions are those of [`crate::front::fixed::lower`]: straight lines whose only effects are outputs.

mod lanes;
mod plan;
mod run;

#[cfg(test)]
mod tests;

pub(crate) use plan::Plan;
