//! `xfjit diff`

use crate::args::{Diff, Global};
use crate::fail::Failure;
use crate::pending;

/// Compares the backends on random programs.
pub fn run(_: &Diff, _: &Global) -> Result<(), Failure> {
    Err(pending("the engine"))
}
