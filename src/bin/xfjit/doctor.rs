//! `xfjit doctor`

use crate::args::Global;
use crate::fail::Failure;
use crate::pending;

/// Tells what this machine and this build can do.
pub fn run(_: &Global) -> Result<(), Failure> {
    Err(pending("the engine"))
}
