//! Programs from files, decoded.

use crate::args::{ByteOrder, Pairing};
use crate::configuration::Configuration;
use crate::conflicts::{Given, Kind};
use crate::fail::Failure;
use crate::files;
use crate::program_file::{self, Microcode, ProgramFile, Raw};
use crate::sort;
use crate::text::{Flaw, Place};
use std::path::Path;
use xfjit::Generation;
use xfjit::asm;
use xfjit::asm::gl::{self, Row};
use xfjit::chip::mode::Mode;
use xfjit::chip::{Chip, Pipeline};
use xfjit::isa::{self, DecodeError, Program, Reading};
use xfjit::text::{ParseError, ParseErrors};

/// A program, and what its text said about it.
pub struct Loaded {
    pub program: Program,
    pub generation: Generation,
    /// How the chip reads words: as the command line or the text says.
    pub reading: Reading,
    /// What rows of constants hold, of a program of OpenGL.
    pub rows: Vec<Row>,
    /// The program writes constants, as vertex state programs of OpenGL do.
    pub writes_constants: bool,
}

/// The generation asked for; else Kelvin.
pub fn generation(name: Option<Generation>) -> Generation {
    name.unwrap_or_default()
}

/// What the command line says about a program file.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Whose microcode.
    pub generation: Option<Generation>,
    /// Slot to start at.
    pub start: Option<usize>,
    /// Order of raw words.
    pub order: Option<ByteOrder>,
    /// The options that were written.
    pub given: &'a Given,
    /// What else decides how words are read.
    pub configuration: Option<&'a Configuration>,
    /// How it is made shorter.
    pub pairing: Pairing,
}

impl Wanted<'_> {
    /// How the words of a generation are read.
    fn reading(&self, generation: Generation) -> Result<Reading, Failure> {
        self.configuration.map_or(Ok(Reading::default()), |configuration| configuration.reading(generation))
    }

    /// What a program file holds; options that do nothing with it are refused.
    pub fn read(&self, path: &Path) -> Result<ProgramFile, Failure> {
        self.read_bytes(&files::name(path), &sort::read(path, sort::Wanted::Program)?)
    }

    /// What the content of a program file holds, likewise.
    fn read_bytes(&self, name: &str, bytes: &[u8]) -> Result<ProgramFile, Failure> {
        let how = Raw { order: self.order, generation: generation(self.generation) };
        let file = program_file::read(name, bytes, how)?;
        self.given.input(match &file {
            ProgramFile::Assembler(text) if gl::is_opengl(text) => Kind::OpenGl,
            ProgramFile::Assembler(_) => Kind::Native,
            ProgramFile::Words(microcode) if microcode.is_raw => Kind::RawMicrocode,
            ProgramFile::Words(_) => Kind::Microcode,
        })?;
        Ok(file)
    }
}

/// The program in a file, whatever form it has there, and whether it is raw words.
pub fn program(path: &Path, wanted: &Wanted<'_>) -> Result<(Loaded, bool), Failure> {
    program_in(&files::name(path), &sort::read(path, sort::Wanted::Program)?, wanted)
}

/// The program in the content of a file, likewise.
pub fn program_in(name: &str, bytes: &[u8], wanted: &Wanted<'_>) -> Result<(Loaded, bool), Failure> {
    match wanted.read_bytes(name, bytes)? {
        ProgramFile::Assembler(text) => {
            let mut loaded = assemble(name, &text, wanted.generation, wanted.pairing)?;
            let reading = wanted.reading(loaded.generation)?;
            if reading != Reading::default() {
                if gl::is_opengl(&text) {
                    let message = "--option mode, paired and branch_test are for the chips' own instructions";
                    return Err(Failure::Usage(format!("{message}; {name} is an OpenGL program")));
                }
                let passes = wanted.pairing.passes(false);
                (loaded.program, loaded.reading) =
                    asm::parse_with_passes(loaded.generation, reading, &text, passes)
                        .map_err(|errors| wrong(name, &text, &errors))?;
            }
            Ok((loaded, false))
        }
        ProgramFile::Words(microcode) => {
            let generation = generation(wanted.generation);
            let start = start(name, wanted.start, &microcode)?;
            let reading = wanted.reading(generation)?;
            let program = decode_as(name, &microcode.words, generation, reading, start)?;
            let program = asm::pair(generation, reading, &program, wanted.pairing.passes(false)).program;
            let loaded = Loaded { program, generation, reading, rows: Vec::new(), writes_constants: false };
            Ok((loaded, microcode.is_raw))
        }
    }
}

/// Where microcode starts: as the command line or the file says, which must not contradict each other, else in its
/// first slot.
pub fn start(file: &str, asked: Option<usize>, microcode: &Microcode) -> Result<usize, Failure> {
    match (asked, microcode.start) {
        (Some(asked), Some(start)) if asked != start => {
            Err(Failure::Usage(format!("--start {asked} contradicts `.start {start}` in {file}")))
        }
        (asked, start) => Ok(asked.or(start).unwrap_or(microcode.first)),
    }
}

/// A mode of the fixed function: the name of the chip, then words in hexadecimal.
pub fn mode(words: &[String]) -> Result<Mode, Failure> {
    let [chip, words @ ..] = words else {
        return Err(Failure::Usage("--fixed needs a chip and the words of its XFMODE".to_owned()));
    };
    let unknown = || {
        Failure::Usage(format!("`{chip}` is not a chip with a fixed function: nv10, nv15, nv20, nv30, nv40"))
    };
    let pipeline = Pipeline::from_name(chip).ok_or_else(unknown)?;
    let word = |text: &String| {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let word = if plain { u32::from_str_radix(digits, 16).ok() } else { None };
        word.ok_or_else(|| {
            Failure::Usage(format!("`{text}` is not a word of up to eight hexadecimal digits"))
        })
    };
    let words: Vec<u32> = words.iter().map(word).collect::<Result<_, _>>()?;
    if words.len() != pipeline.words() {
        let (name, needed, got) = (pipeline.name(), pipeline.words(), words.len());
        let names = pipeline.word_names().join(" ");
        return Err(Failure::Usage(format!("XFMODE of {name} has {needed} words ({names}), not {got}")));
    }
    let mode = Mode::new(pipeline, &words);
    Ok(Chip::from_name(chip).map_or(mode, |chip| mode.on(chip)))
}

/// The program that a text describes: one of OpenGL if it begins with `!!`.
pub fn assemble(
    file: &str,
    text: &str,
    name: Option<Generation>,
    pairing: Pairing,
) -> Result<Loaded, Failure> {
    let passes = pairing.passes(gl::is_opengl(text));
    let wrong = |errors: ParseErrors| wrong(file, text, &errors);
    if gl::is_opengl(text) {
        let gl::Assembled { program, generation, language, rows } =
            gl::assemble(name, text, passes).map_err(wrong)?;
        let (reading, writes_constants) = (Reading::default(), language == gl::Language::Vsp10);
        return Ok(Loaded { program, generation, reading, rows, writes_constants });
    }
    let generation = generation(name);
    let (program, reading) =
        asm::parse_with_passes(generation, Reading::default(), text, passes).map_err(wrong)?;
    Ok(Loaded { program, generation, reading, rows: Vec::new(), writes_constants: false })
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

/// Decodes words in one of the ways that the documents leave open.
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

/// The errors of a text.
fn wrong(file: &str, text: &str, errors: &[ParseError]) -> Failure {
    Failure::Input { file: file.to_owned(), flaws: errors.iter().map(|error| flaw(text, error)).collect() }
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
