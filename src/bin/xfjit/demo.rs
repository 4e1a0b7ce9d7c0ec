//! `xfjit demo`

use crate::args::{Demo, Global};
use crate::fail::Failure;
use crate::pending;

/// Runs a lit program over a mesh on every tier, compares every bit, and draws the result.
pub fn run(_: &Demo, _: &Global) -> Result<(), Failure> {
    Err(pending("the engine"))
}
