//! `xfjit asm`

use crate::args::{Asm, Global};
use crate::fail::Failure;
use crate::program_file::{self, ProgramFile};
use crate::{files, pending};

/// Assembles a program. Microcode passes through, so that formats can be converted.
pub fn run(args: &Asm, global: &Global) -> Result<(), Failure> {
    let words = match program_file::read(&args.file)? {
        ProgramFile::Words(words) => words,
        ProgramFile::Assembler(_) => return Err(pending("the assembler")),
    };
    let bytes = if args.binary {
        words.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
    } else {
        program_file::write(&words, global.format).into_bytes()
    };
    files::write(&args.output, &bytes)
}
