//! Text to [`FileTest`].

use super::Tested;
use super::names::{Flaw, Given, Names};
use super::{Batch, Block, Expected, FileTest, Stage, Texels, Vertex, options};
use std::str::FromStr;
use std::sync::Arc;
use xfjit_core::front::fixed::Setup;
use xfjit_ir::ir::layout;
use xfjit_isa::asm;
use xfjit_isa::chip::mode::Mode;
use xfjit_isa::chip::{Chip, Pipeline};
use xfjit_isa::config::Config;
use xfjit_isa::isa::{Generation, Mask, OutTarget};
use xfjit_isa::text::LineError;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::num::Model;
use xfjit_runtime::state::{DEFAULT_ROW, Row};

impl FromStr for FileTest {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Self, LineError> {
        let mut reader = Reader::default();
        for (number, line) in text.lines().enumerate() {
            reader.line(number, line).map_err(|message| LineError { line: number + 1, message })?;
        }
        reader.finish(text.lines().count())
    }
}

/// What the header is about, but for the model.
enum Subject {
    Program(Config),
    Fixed(Setup),
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
    subject: Option<Subject>,
    known_failure: Option<String>,
    texels: Option<Texels>,
    inputs: Option<InputLayout>,
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
                if matches!(self.subject, Some(Subject::Fixed(_))) {
                    let line = line.trim();
                    return Err(format!(
                        "`{line}` is not a line of a header, and the fixed function has no program"
                    ));
                }
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
                        None => return Err(format!("`{name}` is not something that can be tested")),
                    }
                }
            }
            "gen" => {
                let generation = Generation::ALL.iter().find(|generation| generation.name() == rest.trim());
                let generation = generation.ok_or_else(|| format!("`{rest}` is not a generation"))?;
                self.start("gen", Subject::Program(Config::new(*generation)))?;
            }
            "fixed" => {
                let setup = Setup::new(mode(rest)?);
                if self.texels.is_some() {
                    return Err(NO_TEXELS.to_owned());
                }
                self.start("fixed", Subject::Fixed(setup))?;
            }
            "model" => {
                for name in rest.split_whitespace() {
                    let model = Model::from_name(name);
                    self.models.push(model.ok_or_else(|| format!("`{name}` is not a model (hw, ieee)"))?);
                }
            }
            "option" => self.option(rest)?,
            "inputs" => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let layout =
                    layout::read(&words).ok_or_else(|| format!("`{rest}` is not a layout of attributes"))?;
                self.inputs = Some(layout);
            }
            "texels" => {
                let texels = Texels::ALL.iter().find(|texels| texels.name() == rest.trim());
                self.texels = Some(*texels.ok_or_else(|| format!("`{rest}` are not texels"))?);
                if matches!(self.subject, Some(Subject::Fixed(_))) {
                    return Err(NO_TEXELS.to_owned());
                }
            }
            "known-failure:" => self.known_failure = Some(rest.trim().to_owned()),
            _ => return Ok(false),
        }
        self.has_header = true;
        Ok(true)
    }

    /// Takes what the file is about. Names of registers depend on it, so it stands before all of them.
    fn start(&mut self, keyword: &str, subject: Subject) -> Result<(), Flaw> {
        if self.subject.is_some() {
            return Err(format!("`{keyword}` must come before options and runs, and only once"));
        }
        self.subject = Some(subject);
        Ok(())
    }

    fn subject(&mut self) -> &mut Subject {
        self.subject.get_or_insert_with(|| Subject::Program(Config::new(Generation::Kelvin)))
    }

    fn names(&mut self) -> Names {
        match self.subject() {
            // A program may be run under both models.
            Subject::Program(config) => {
                Names::Program(config.generation, config.clone().model(Model::Ieee).rows())
            }
            Subject::Fixed(setup) => Names::Fixed(setup.mode.pipeline()),
        }
    }

    fn option(&mut self, text: &str) -> Result<(), Flaw> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let names = self.names();
        let ["live_outputs", registers @ ..] = &words[..] else {
            let set = match self.subject() {
                Subject::Program(config) => options::set(config, &words).ok_or(""),
                Subject::Fixed(setup) => options::set_fixed(setup, &words).ok_or(" of the fixed function"),
            };
            return set.map_err(|whose| format!("`{text}` is not an option{whose}"));
        };
        let mut live = 0;
        for register in registers {
            match names.output(register)? {
                (OutTarget::Output(number), _) => live |= 1 << number,
                (OutTarget::Constant(_), _) => return Err(format!("`{register}` is not an output")),
            }
        }
        match self.subject() {
            Subject::Program(config) => config.live_outputs = live,
            Subject::Fixed(setup) => {
                let other = registers.iter().find(|register| !is_among(setup.outputs(), names, register));
                if let Some(other) = other {
                    return Err(format!("`{other}` is not an output of the unit in this mode"));
                }
                setup.live_outputs = live;
            }
        }
        Ok(())
    }

    fn with(&mut self, place: &str, words: &[u32]) -> Result<(), Flaw> {
        match self.names().given(place)? {
            (Given::Row(row), mask) => set(&mut self.constants, row, mask, words, [0; 4], place),
            (Given::Attribute(_), _) => Err(format!("`{place}` is not a constant")),
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
        let (before, after) = text.split_once("->").ok_or("a run needs `->` before its expected outputs")?;
        let mut vertex = Vertex::default();
        let names = self.names();
        values(before, &mut |place, words| match (names.given(place)?, &mut constants) {
            ((Given::Attribute(register), mask), _) => {
                set(&mut vertex.inputs, register, mask, words, DEFAULT_ROW, place)
            }
            ((Given::Row(row), mask), Some(constants)) => set(constants, row, mask, words, [0; 4], place),
            _ => Err("constants can be set only at the start of a batch".to_owned()),
        })?;
        let subject = self.subject();
        values(after, &mut |place, words| {
            match (&*subject, place, words) {
                (Subject::Program(_), "timeout", [1]) => vertex.faults.timeouts = 1,
                (Subject::Program(_), "stack", [1]) => vertex.faults.stack = 1,
                (Subject::Fixed(setup), ..)
                    if names.output(place).is_ok() && !is_among(setup.live_outputs, names, place) =>
                {
                    return Err(format!("`{place}` is not an output of the unit in this mode"));
                }
                _ => vertex.expected.push(expected(names, place, words)?),
            }
            Ok(())
        })?;
        Ok(vertex)
    }

    fn finish(mut self, lines: usize) -> Result<FileTest, LineError> {
        let at_end = |message: &str| LineError { line: lines, message: message.to_owned() };
        let &model =
            self.models.first().ok_or_else(|| at_end("there is no line `model hw` or `model ieee`"))?;
        if !self.runs && self.stages.is_empty() {
            return Err(at_end("there is no line `test`"));
        }
        self.subject();
        let tested = match self.subject {
            Some(Subject::Fixed(setup)) => Tested::Fixed(setup.model(model)),
            Some(Subject::Program(config)) => {
                let program = asm::parse_as(config.generation, config.reading(), &self.source);
                let program = program.map_err(|errors| LineError {
                    line: errors.first().map_or(lines, |error| error.line),
                    message: errors.first().map_or_else(String::new, |error| error.message.clone()),
                })?;
                Tested::Microcode(Arc::new(program), config.model(model))
            }
            None => return Err(at_end("there is no program")),
        };
        Ok(FileTest {
            why: self.why,
            runs: self.runs,
            stages: self.stages,
            models: self.models,
            tested,
            inputs: self.inputs.unwrap_or_default(),
            known_failure: self.known_failure,
            texels: self.texels.unwrap_or_default(),
            batches: self.batches,
            blocks: self.blocks,
        })
    }
}

const NO_TEXELS: &str = "the fixed function does not read texels";

/// A chip and the words of its XFMODE.
pub(super) fn mode(text: &str) -> Result<Mode, Flaw> {
    let mut words = text.split_whitespace();
    let name = words.next().ok_or("`fixed` needs a chip and the words of its XFMODE")?;
    let pipeline = Pipeline::from_name(name).ok_or_else(|| {
        format!("`{name}` is not a chip with a fixed function: nv10, nv15, nv20, nv30, nv40")
    })?;
    let words: Vec<u32> = words.map(word).collect::<Result<_, _>>()?;
    if words.len() != pipeline.words() {
        let (name, needed, got) = (pipeline.name(), pipeline.words(), words.len());
        let names = pipeline.word_names().join(" ");
        return Err(format!("XFMODE of {name} has {needed} words ({names}), not {got}"));
    }
    let mode = Mode::new(pipeline, &words);
    Ok(Chip::from_name(name).map_or(mode, |chip| mode.on(chip)))
}

/// Whether a place is one of these output registers.
fn is_among(live: u32, names: Names, place: &str) -> bool {
    matches!(names.output(place), Ok((OutTarget::Output(register), _)) if live >> register & 1 != 0)
}

/// What must come out.
fn expected(names: Names, place: &str, words: &[u32]) -> Result<Expected, Flaw> {
    let (target, mask) = names.output(place)?;
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
    value.ok_or_else(|| format!("`{text}` is not a word of one to eight hexadecimal digits"))
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
