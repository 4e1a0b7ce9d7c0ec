//! `xfjit asm`

use crate::args::{Asm, Global};
use crate::fail::Failure;
use crate::program_file::{self, ProgramFile};
use crate::{files, load};
use xfjit::isa;
use xfjit::isa::gl::{Binding, Row};

/// Assembles a program. Microcode passes through, so that formats can be converted.
pub fn run(args: &Asm, global: &Global) -> Result<(), Failure> {
    let name = files::name(&args.file);
    let mut rows = Vec::new();
    let words = match program_file::read(&args.file)? {
        ProgramFile::Words(words) => {
            load::decode(&name, &words, load::generation(args.r#gen), 0)?;
            words
        }
        ProgramFile::Assembler(text) => {
            let loaded = load::assemble(&name, &text, args.r#gen)?;
            rows = loaded.rows;
            let words = isa::encode(loaded.generation, &loaded.program);
            words.as_chunks::<4>().0.to_vec()
        }
    };
    if let Some(path) = &args.constants {
        files::write(path, constants(&rows).as_bytes())?;
    }
    let bytes = if args.binary {
        words.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
    } else {
        program_file::write(&words, global.format).into_bytes()
    };
    files::write(&args.output, &bytes)
}

/// The rows as `run --constants` reads them: literals as they are, all others as zeros to be replaced.
fn constants(rows: &[Row]) -> String {
    let line = |Row { row, binding }: &Row| match binding {
        Binding::Literal(words) => {
            let numbers = words.map(|word| match f32::from_bits(word) {
                number if number.is_finite() => format!("{number:?}"),
                _ => format!("{word:08x}"),
            });
            format!("c[{row}] = {}\n", numbers.join(" "))
        }
        other => format!("c[{row}] = 0 0 0 0  # {other}\n"),
    };
    rows.iter().map(line).collect()
}
