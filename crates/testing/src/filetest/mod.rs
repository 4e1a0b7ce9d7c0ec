//! Test files ([`crate::repro`]) are run, on every backend.

mod runner;
mod stage;
#[cfg(test)]
mod tests;

pub use crate::repro::{Batch, Expected, FileTest, Stage, Tested, Vertex};
pub use runner::{Bless, CheckFileTest, check_text};
