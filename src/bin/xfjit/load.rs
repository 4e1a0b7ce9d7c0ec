//! Programs from files, decoded.

use crate::fail::Failure;
use crate::files;
use crate::program_file::{self, ProgramFile};
use crate::text::{Flaw, Place};
use std::path::Path;
use xfjit::Generation;
use xfjit::front::fixed::{Chip, Mode};
use xfjit::isa::{self, DecodeError, Mask, OutTarget, ParseError, Program, Reading};
use xfjit::runtime::state::OUTPUTS;

/// The program in a file, whatever form it has there. Microcode runs from slot `start`, assembler text from where it
/// says itself.
pub fn program(path: &Path, generation: Generation, start: usize) -> Result<Program, Failure> {
    match program_file::read(path)? {
        ProgramFile::Assembler(_) if start != 0 => {
            let message = "--start is for microcode; assembler text says itself where it starts: `.start 2`";
            Err(Failure::Usage(message.to_owned()))
        }
        ProgramFile::Assembler(text) => assemble(&files::name(path), &text, generation),
        ProgramFile::Words(words) => decode(&files::name(path), &words, generation, start),
    }
}

/// A mode of the fixed function: the name of the chip, then words in hexadecimal.
pub fn mode(words: &[String]) -> Result<Mode, Failure> {
    let [chip, words @ ..] = words else {
        return Err(Failure::Usage("--fixed needs a chip and the words of its XFMODE".to_owned()));
    };
    let unknown =
        || Failure::Usage(format!("`{chip}` is no chip with a fixed function: nv10, nv15, nv20, nv30"));
    let chip = Chip::from_name(chip).ok_or_else(unknown)?;
    let word = |text: &String| {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let word = if plain { u32::from_str_radix(digits, 16).ok() } else { None };
        word.ok_or_else(|| {
            Failure::Usage(format!("`{text}` is not a word of up to eight hexadecimal digits"))
        })
    };
    let words: Vec<u32> = words.iter().map(word).collect::<Result<_, _>>()?;
    if words.len() != chip.words() {
        let (name, needed, got) = (chip.name(), chip.words(), words.len());
        let names = chip.family().word_names().join(" ");
        return Err(Failure::Usage(format!("XFMODE of {name} has {needed} words ({names}), not {got}")));
    }
    Ok(Mode::new(chip, &words))
}

/// The program that a text describes.
pub fn assemble(file: &str, text: &str, generation: Generation) -> Result<Program, Failure> {
    isa::parse(generation, text).map_err(|errors| Failure::Input {
        file: file.to_owned(),
        flaws: errors.iter().map(|error| flaw(text, error)).collect(),
    })
}

/// The program that microcode is.
pub fn decode(
    file: &str,
    words: &[[u32; 4]],
    generation: Generation,
    start: usize,
) -> Result<Program, Failure> {
    decode_as(file, words, generation, Reading::default(), start)
}

/// The same, read in one of the ways that the documents leave open.
pub fn decode_as(
    file: &str,
    words: &[[u32; 4]],
    generation: Generation,
    reading: Reading,
    start: usize,
) -> Result<Program, Failure> {
    isa::decode_as(generation, reading, words.as_flattened(), start).map_err(|error| match error {
        DecodeError::StartBeyondEnd { .. } => Failure::Usage(format!("{file}: {error}")),
        _ => Failure::input(file, Flaw::new(error.to_string())),
    })
}

/// An error of the library as ours: same place, same words.
fn flaw(text: &str, error: &ParseError) -> Flaw {
    let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or("");
    let marked =
        text.get(error.span.clone()).map_or(0, |span| span.chars().take_while(|&c| c != '\n').count());
    let place =
        Place { line: error.line, column: error.column, length: marked.max(1), text: line.to_owned() };
    Flaw { message: error.message.clone(), help: error.help.clone(), place: Some(place) }
}

/// What a program writes: for each output register the components.
pub fn written(program: &Program) -> [Mask; OUTPUTS] {
    let mut masks = [Mask::NONE; OUTPUTS];
    for out in program.insns.iter().filter_map(|insn| insn.out) {
        if let OutTarget::Output(register) = out.target
            && let Some(mask) = masks.get_mut(usize::from(register))
        {
            *mask = Mask(mask.0 | out.vec.0 | out.sca.0);
        }
    }
    masks
}

/// The registers with a component in their mask, as a mask of registers.
pub fn registers(masks: &[Mask; OUTPUTS]) -> u32 {
    (0..OUTPUTS).filter(|&register| !masks[register].is_empty()).fold(0, |all, register| all | 1 << register)
}

/// The letters of a mask.
pub fn letters(mask: Mask) -> String {
    mask.components().map(|component| ["x", "y", "z", "w"][component]).collect()
}

/// The name of an output register in the assembler text.
pub fn output_name(generation: Generation, register: usize) -> String {
    let text = isa::print_insn(generation, &copy_to(register as u8));
    let name = text.split([' ', ',']).nth(1);
    name.map_or_else(|| format!("o{register}"), str::to_owned)
}

/// `MOV oREGISTER, v0`
fn copy_to(register: u8) -> isa::Insn {
    let source = isa::Source { bank: isa::Bank::Input, ..isa::Source::UNUSED };
    let out = isa::OutWrite::new(OutTarget::Output(register), Mask::ALL, isa::Unit::Vec);
    isa::Insn {
        vec: isa::op::VecOp::Mov,
        src: [source, isa::Source::UNUSED, isa::Source::UNUSED],
        out: Some(out),
        ..isa::Insn::NOP
    }
}

/// The attributes that a program reads, as a mask.
pub fn read(program: &Program) -> u16 {
    let reads = |insn: &&isa::Insn| insn.src.iter().any(|source| source.bank == isa::Bank::Input);
    program.insns.iter().filter(reads).fold(0, |mask, insn| mask | 1 << (insn.input & 15))
}
