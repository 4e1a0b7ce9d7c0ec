//! Test files ([`crate::repro`]) are run, on every backend.

mod runner;
mod stage;
#[cfg(test)]
mod tests;

pub use crate::repro::{Batch, Expected, FileError, FileTest, Stage, Tested, Vertex};
pub use runner::{Bless, check_text};
