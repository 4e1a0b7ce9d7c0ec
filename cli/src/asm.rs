//! `xfjit asm`

use crate::args::{Asm, ByteOrder, Global};
use crate::fail::Failure;
use crate::program_file::{self, Microcode, ProgramFile};
use crate::{files, load, outputs};
use xfjit::asm;
use xfjit::asm::gl::{Binding, Row};
use xfjit::isa::Reading;

/// Assembles a program. Microcode passes through, so that formats can be converted.
pub fn run(args: &Asm, global: &Global) -> Result<(), Failure> {
    let outputs = [("--constants", args.constants.as_deref()), ("-o", Some(&*args.output))];
    outputs::Files::apart(outputs, &[&args.file])?;
    let name = files::name(&args.file);
    let mut rows = Vec::new();
    let wanted = load::Wanted {
        generation: args.r#gen,
        start: None,
        order: args.byte_order,
        given: &global.given,
        configuration: None,
        pairing: args.pairing,
    };
    let microcode = match wanted.read(&args.file)? {
        ProgramFile::Words(microcode) => {
            let start = load::start(&name, None, &microcode)?;
            let generation = load::generation(args.r#gen);
            let program = load::decode(&name, &microcode.words, generation, start)?;
            match args.pairing.pair {
                None => microcode,
                Some(passes) => {
                    let reading = Reading::default();
                    let paired = asm::pair(generation, reading, &program, passes);
                    Microcode::of(generation, reading, &paired.program)
                }
            }
        }
        ProgramFile::Assembler(text) => {
            let loaded = load::assemble(&name, &text, args.r#gen, args.pairing)?;
            rows = loaded.rows;
            Microcode::of(loaded.generation, loaded.reading, &loaded.program)
        }
    };
    let bytes = if args.binary {
        program_file::write_raw(&microcode, args.byte_order.unwrap_or(ByteOrder::Little))?
    } else {
        program_file::write(&microcode, global.format)?.into_bytes()
    };
    if let Some(path) = &args.constants {
        files::write(path, constants(&rows).as_bytes())?;
    }
    files::write(&args.output, &bytes)
}

/// The rows as `run --constants` reads them: literals as they are, all others as zeros to be replaced.
fn constants(rows: &[Row]) -> String {
    let line = |Row { row, binding }: &Row| match binding {
        Binding::Literal(words) => {
            let numbers = words.map(|word| match f32::from_bits(word) {
                number if number.is_finite() => format!("{number:?}"),
                _ => format!("{word:#010x}"),
            });
            format!("c[{row}] = {}\n", numbers.join(" "))
        }
        other => format!("c[{row}] = 0 0 0 0  # {other}\n"),
    };
    rows.iter().map(line).collect()
}
