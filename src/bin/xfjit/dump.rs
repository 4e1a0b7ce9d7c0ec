//! `xfjit dump`

use crate::args::{Dump, Global};
use crate::fail::Failure;
use crate::{pending, program_file};

/// Shows a program at one stage of the compiler.
pub fn run(args: &Dump, _: &Global) -> Result<(), Failure> {
    program_file::read(&args.file)?;
    Err(pending("the compiler"))
}
