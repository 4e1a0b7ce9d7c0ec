//! Text to [`FileTest`].

use super::{Batch, Block, Expected, FileTest, Stage, Vertex, options};
use crate::config::Config;
use crate::isa::{self, Bank, Generation, Insn, Mask, Unit};
use crate::testing::texels::Texels;
use std::fmt;
use std::str::FromStr;
use xfjit_runtime::num::Model;
use xfjit_runtime::state::{DEFAULT_ROW, Row};

/// Why text is no test. The fault of whoever wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for FileError {}

/// What is wrong with a piece of a line.
type Flaw = String;

impl FromStr for FileTest {
    type Err = FileError;

    fn from_str(text: &str) -> Result<Self, FileError> {
        let mut reader = Reader::default();
        for (number, line) in text.lines().enumerate() {
            reader.line(number, line).map_err(|message| FileError { line: number + 1, message })?;
        }
        reader.finish(text.lines().count())
    }
}

#[derive(Default)]
struct Reader {
    why: Vec<String>,
    has_header: bool,
    /// The text without the header, line by line: what the assembler reads.
    source: String,
    in_program: bool,
    runs: bool,
    stages: Vec<Stage>,
    models: Vec<Model>,
    config: Option<Config>,
    known_failure: Option<String>,
    texels: Texels,
    constants: Vec<(usize, Row)>,
    batches: Vec<Batch>,
    blocks: Vec<Block>,
    /// The last line belongs to the last block.
    in_block: bool,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Flaw> {
        let mut source = "";
        if let Some(comment) = line.strip_prefix(';') {
            self.comment(number, comment)?;
        } else {
            self.in_block = false;
            if !line.trim().is_empty() && !self.in_program && !self.header(line)? {
                self.in_program = true;
            }
            if self.in_program {
                source = line;
            }
        }
        self.source += source;
        self.source.push('\n');
        Ok(())
    }

    fn comment(&mut self, number: usize, comment: &str) -> Result<(), Flaw> {
        let is_inner = comment.is_empty() || comment.starts_with("   ");
        if let Some(block) = self.blocks.last_mut().filter(|_| self.in_block && is_inner) {
            block.lines.end = number + 1;
            block.text += comment.get(3..).unwrap_or("");
            block.text.push('\n');
            return Ok(());
        }
        self.in_block = false;
        let comment = comment.strip_prefix(' ').unwrap_or(comment);
        if let Some((name, rest)) = comment.split_once(':') {
            match name {
                "with" => return values(rest, &mut |place, words| self.with(place, words)),
                "run" => return self.run(number, rest),
                "then" => return self.then(rest),
                _ => {}
            }
            if let Some(stage) = Stage::from_name(name).filter(|_| rest.trim().is_empty()) {
                if self.blocks.iter().any(|block| block.stage == stage) {
                    return Err(format!("there are two blocks `{name}:`"));
                }
                self.blocks.push(Block { stage, lines: number..number + 1, text: String::new() });
                self.in_block = true;
                return Ok(());
            }
        }
        if !self.has_header {
            self.why.push(comment.to_owned());
        }
        Ok(())
    }

    /// Whether the line belongs to the header.
    fn header(&mut self, line: &str) -> Result<bool, Flaw> {
        let (keyword, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match keyword {
            "test" => {
                for name in rest.split(',').map(str::trim) {
                    match Stage::from_name(name) {
                        _ if name == "run" => self.runs = true,
                        Some(stage) => self.stages.push(stage),
                        None => return Err(format!("`{name}` is nothing that can be tested")),
                    }
                }
            }
            "gen" => {
                let generation = Generation::ALL.iter().find(|generation| generation.name() == rest.trim());
                let generation = generation.ok_or_else(|| format!("`{rest}` is no generation"))?;
                if self.config.is_some() {
                    return Err("the generation must be named before the options".to_owned());
                }
                self.config = Some(Config::new(*generation));
            }
            "model" => {
                for name in rest.split_whitespace() {
                    self.models.push(match name {
                        "hw" => Model::Hw,
                        "ieee" => Model::Ieee,
                        _ => return Err(format!("`{name}` is no model (hw, ieee)")),
                    });
                }
            }
            "option" => self.option(rest)?,
            "texels" => {
                let texels = Texels::ALL.iter().find(|texels| texels.name() == rest.trim());
                self.texels = *texels.ok_or_else(|| format!("`{rest}` are no texels"))?;
            }
            "known-failure:" => self.known_failure = Some(rest.trim().to_owned()),
            _ => return Ok(false),
        }
        self.has_header = true;
        Ok(true)
    }

    fn config(&mut self) -> &mut Config {
        self.config.get_or_insert_with(|| Config::new(Generation::Kelvin))
    }

    fn option(&mut self, text: &str) -> Result<(), Flaw> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let config = self.config();
        let ["live_outputs", registers @ ..] = &words[..] else {
            return options::set(config, &words).ok_or_else(|| format!("`{text}` is no option"));
        };
        config.live_outputs = 0;
        for register in registers {
            match output(config.generation, register)? {
                (isa::OutTarget::Output(register), _) => config.live_outputs |= 1 << register,
                (isa::OutTarget::Constant(_), _) => return Err(format!("`{register}` is no output")),
            }
        }
        Ok(())
    }

    fn with(&mut self, place: &str, words: &[u32]) -> Result<(), Flaw> {
        match self.input(place)? {
            (Bank::Constant, row, mask) => set(&mut self.constants, row, mask, words, [0; 4], place),
            _ => Err(format!("`{place}` is no constant")),
        }
    }

    fn run(&mut self, number: usize, text: &str) -> Result<(), Flaw> {
        let mut batch = Batch { line: number + 1, constants: self.constants.clone(), vertices: Vec::new() };
        let vertex = self.vertex(text, Some(&mut batch.constants))?;
        batch.vertices.push(vertex);
        self.batches.push(batch);
        Ok(())
    }

    fn then(&mut self, text: &str) -> Result<(), Flaw> {
        let vertex = self.vertex(text, None)?;
        let batch = self.batches.last_mut().ok_or("there is no run before this")?;
        batch.vertices.push(vertex);
        Ok(())
    }

    fn vertex(&mut self, text: &str, mut constants: Option<&mut Vec<(usize, Row)>>) -> Result<Vertex, Flaw> {
        let (before, after) = text.split_once("->").ok_or("a run needs `->` before what comes out of it")?;
        let mut vertex = Vertex::default();
        values(before, &mut |place, words| match (self.input(place)?, &mut constants) {
            ((Bank::Input, register, mask), _) => {
                set(&mut vertex.inputs, register, mask, words, DEFAULT_ROW, place)
            }
            ((Bank::Constant, row, mask), Some(constants)) => set(constants, row, mask, words, [0; 4], place),
            _ => Err("constants can be set only where a batch begins".to_owned()),
        })?;
        let generation = self.config().generation;
        values(after, &mut |place, words| {
            match (place, words) {
                ("timeout", [1]) => vertex.faults.timeouts = 1,
                ("stack", [1]) => vertex.faults.stack = 1,
                _ => return expected(generation, place, words).map(|found| vertex.expected.push(found)),
            }
            Ok(())
        })?;
        Ok(vertex)
    }

    /// An input register or constant, and the components that are named.
    fn input(&mut self, place: &str) -> Result<(Bank, usize, Mask), Flaw> {
        let (register, mask) = place.split_once('.').unwrap_or((place, "xyzw"));
        let insn = instruction(self.config().generation, &format!("MOV r0.{mask}, {register}"))
            .ok_or_else(|| format!("`{place}` is no input and no constant"))?;
        let bank = insn.src[0].bank;
        match bank {
            Bank::Input => Ok((bank, usize::from(insn.input), insn.vec_dst.mask)),
            Bank::Constant if !insn.indexed => Ok((bank, usize::from(insn.constant), insn.vec_dst.mask)),
            _ => Err(format!("`{place}` is no input and no constant")),
        }
    }

    fn finish(mut self, lines: usize) -> Result<FileTest, FileError> {
        let at_end = |message: &str| FileError { line: lines, message: message.to_owned() };
        let &model =
            self.models.first().ok_or_else(|| at_end("there is no line `model hw` or `model ieee`"))?;
        if !self.runs && self.stages.is_empty() {
            return Err(at_end("there is no line `test`"));
        }
        let config = Config { model, ..self.config().clone() };
        let program =
            isa::parse_as(config.generation, config.reading, &self.source).map_err(|errors| FileError {
                line: errors.first().map_or(lines, |error| error.line),
                message: errors.first().map_or_else(String::new, |error| error.message.clone()),
            })?;
        Ok(FileTest {
            why: self.why,
            runs: self.runs,
            stages: self.stages,
            models: self.models,
            config,
            known_failure: self.known_failure,
            texels: self.texels,
            program,
            batches: self.batches,
            blocks: self.blocks,
        })
    }
}

/// The assembler knows the names of registers.
fn instruction(generation: Generation, text: &str) -> Option<Insn> {
    isa::parse(generation, text).ok()?.insns.first().copied()
}

/// An output register or constant, and the components that are named.
fn output(generation: Generation, place: &str) -> Result<(isa::OutTarget, Mask), Flaw> {
    let out = instruction(generation, &format!("MOV {place}, v0")).and_then(|insn| insn.out);
    out.map(|out| (out.target, out.mask(Unit::Vec)))
        .ok_or_else(|| format!("`{place}` is no output and no constant"))
}

/// What must come out.
fn expected(generation: Generation, place: &str, words: &[u32]) -> Result<Expected, Flaw> {
    let (target, mask) = output(generation, place)?;
    Ok(Expected { target, mask, row: spread(mask, words, [0; 4], place)? })
}

/// What is done with a place and its words.
type SetPlace<'a> = dyn FnMut(&str, &[u32]) -> Result<(), Flaw> + 'a;

/// Calls `set` for each `place=value`.
fn values(text: &str, set: &mut SetPlace<'_>) -> Result<(), Flaw> {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (place, after) = rest.split_once('=').ok_or_else(|| format!("`{rest}` has no `=`"))?;
        let after = after.trim_start();
        let words;
        (words, rest) = match after.strip_prefix('(') {
            Some(inner) => inner.split_once(')').ok_or_else(|| format!("`{after}` has no `)`"))?,
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        let words: Vec<u32> = words.split_whitespace().map(word).collect::<Result<_, _>>()?;
        set(place.trim(), &words)?;
        rest = rest.trim_start();
    }
    Ok(())
}

fn word(text: &str) -> Result<u32, Flaw> {
    let is_word = (1..=8).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    let value = u32::from_str_radix(text, 16).ok().filter(|_| is_word);
    value.ok_or_else(|| format!("`{text}` is no word of one to eight hexadecimal digits"))
}

/// The row in which the components of the mask have these words, the others those of `row`.
fn spread(mask: Mask, words: &[u32], mut row: Row, place: &str) -> Result<Row, Flaw> {
    let components: Vec<usize> = mask.components().collect();
    if components.len() != words.len() {
        let (names, got) = (components.len(), words.len());
        return Err(format!("`{place}` names {names} components, but there are {got} words"));
    }
    for (c, &word) in components.into_iter().zip(words) {
        row[c] = word;
    }
    Ok(row)
}

fn set(
    rows: &mut Vec<(usize, Row)>,
    register: usize,
    mask: Mask,
    words: &[u32],
    default: Row,
    place: &str,
) -> Result<(), Flaw> {
    match rows.iter_mut().find(|(number, _)| *number == register) {
        Some((_, row)) => *row = spread(mask, words, *row, place)?,
        None => rows.push((register, spread(mask, words, default, place)?)),
    }
    Ok(())
}
