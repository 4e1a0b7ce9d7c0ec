//! `xfjit dis`

use crate::args::{Dis, Global};
use crate::fail::Failure;
use crate::{pending, program_file};

/// Disassembles microcode.
pub fn run(args: &Dis, _: &Global) -> Result<(), Failure> {
    program_file::read_words(&args.file)?;
    Err(pending("the disassembler"))
}
