//! Native code as a backend: splits batches into groups, and runs deoptimised groups in the interpreter, adjacent ones
//! together.

mod guarded;
mod jit;
mod memory;
mod routine;
mod run;

pub use jit::Jit;
pub use memory::Memory;
