//! `xfjit asm`

use crate::args::{Asm, Global};
use crate::fail::Failure;
use crate::program_file::{self, ProgramFile};
use crate::{backends, files, load};
use xfjit::isa;

/// Assembles a program. Microcode passes through, so that formats can be converted.
pub fn run(args: &Asm, global: &Global) -> Result<(), Failure> {
    let generation = backends::generation(args.r#gen);
    let name = files::name(&args.file);
    let words = match program_file::read(&args.file)? {
        ProgramFile::Words(words) => {
            load::decode(&name, &words, generation, 0)?;
            words
        }
        ProgramFile::Assembler(text) => {
            let program = load::assemble(&name, &text, generation)?;
            let words = isa::encode(generation, &program);
            words.as_chunks::<4>().0.to_vec()
        }
    };
    let bytes = if args.binary {
        words.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
    } else {
        program_file::write(&words, global.format).into_bytes()
    };
    files::write(&args.output, &bytes)
}
