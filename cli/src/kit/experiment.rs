//! One experiment, and the reader of its file: one item a line, `#` begins a comment.
//!
//! ```text
//! question Which unit wins if both write the same component of a register?
//! asks write_order                # a quirk, a form, or `model`: its values are the hypotheses
//! warning It may hang the console.  # if it may
//! alike dolphin-jit dolphin       # values that this experiment does not tell apart
//! program                         # text of the assembler; of Flipper lines of a trace
//!     MOV c[10], v0
//! end                             # in place of `program`, `microcode` has words, where the assembler would leave out what cannot run, and
//!                                 # `commands` those of the Xbox's unit that set up its fixed function and draw, as lines of a trace;
//!                                 # `use plain` stands for the lines of `plain.trace`: matrices that pass positions and normals on
//! constant 0 1.0 2.0 0x7fffffff 4.0
//! input 1.0 2.0 3.0 4.0           # Xbox: v0 of the state program. PlayStation 3: v1 of a point; a line for each point
//! read c[10]                      # Xbox: a constant, or pixel 0 behind commands. Others: pixel 0, depth 0
//! ```

use super::hypothesis::{Hypothesis, hypotheses};
use super::reading::Reading;
use crate::text::{self, Flaw, Line, Word};
use clap::ValueEnum;
use xfjit::flipper::Trace;
use xfjit::isa::{WORDS_PER_SLOT, encode};
use xfjit::runtime::state::Row;
use xfjit::{Generation, asm, xf};

/// Whose chip an experiment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Console {
    /// Xbox, whose chip is the NV2A: a push buffer and a C file for nxdk.
    Nv2a,
    /// GameCube and Wii: a command FIFO and a recording for Dolphin's FIFO player.
    Flipper,
    /// PlayStation 3, whose chip is the RSX: methods as words.
    Rsx,
}

impl Console {
    /// Every one.
    pub const ALL: [Console; 3] = [Console::Nv2a, Console::Flipper, Console::Rsx];

    /// The name in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Console::Nv2a => "nv2a",
            Console::Flipper => "flipper",
            Console::Rsx => "rsx",
        }
    }

    /// Whose programs its chip runs.
    pub const fn generation(self) -> Option<Generation> {
        match self {
            Console::Nv2a => Some(Generation::Kelvin),
            Console::Rsx => Some(Generation::Curie),
            Console::Flipper => None,
        }
    }
}

/// A program with its operands.
#[derive(Clone, Debug)]
pub struct Program {
    /// Microcode from slot 0 on.
    pub words: Vec<u32>,
    /// The slot in which it starts.
    pub start: usize,
    /// Constants that are loaded before it.
    pub constants: Vec<(u16, Row)>,
    /// v0 of a state program, or v1 of each point.
    pub inputs: Vec<Row>,
}

/// What a console runs.
#[derive(Clone, Debug)]
pub enum Body {
    /// A program.
    Program(Program),
    /// Commands of the Xbox's unit.
    Commands(xf::Trace),
    /// Commands of Flipper.
    Stream(Trace),
}

/// An experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// Who can run it.
    pub console: Console,
    /// What it asks, in plain words.
    pub question: String,
    /// What may go wrong on the console.
    pub warning: Option<String>,
    /// The answers.
    pub hypotheses: Vec<Hypothesis>,
    /// Values that it does not tell apart.
    pub alike: Vec<Vec<String>>,
    /// The text of what is run.
    pub listing: String,
    /// What is run.
    pub body: Body,
    /// What is read back.
    pub readings: Vec<Reading>,
}

/// What the text of an experiment is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Program,
    Microcode,
    Commands,
}

impl Form {
    /// By the word that begins it.
    fn named(word: &str) -> Option<Form> {
        match word {
            "program" => Some(Form::Program),
            "microcode" => Some(Form::Microcode),
            "commands" => Some(Form::Commands),
            _ => None,
        }
    }
}

/// Lines that several experiments begin with, by what stands for them.
const SHARED: &[(&str, &str)] = &[("use plain", include_str!("../../kit/nv2a/plain.trace"))];

/// A line of what is run as `kit show` has it: lines that it stands for are indented like it.
fn spelled(line: &str) -> String {
    let stands = SHARED.iter().find(|(name, _)| *name == line.trim());
    let Some((name, lines)) = stands else { return format!("{line}\n") };
    let indent = &line[..line.find(name).unwrap_or_default()];
    lines.lines().map(|line| format!("{indent}{line}\n")).collect()
}

/// Lines so far.
#[derive(Default)]
struct Lines {
    question: Option<String>,
    warning: Option<String>,
    hypotheses: Vec<Hypothesis>,
    alike: Vec<Vec<String>>,
    listing: Option<String>,
    form: Form,
    constants: Vec<(u16, Row)>,
    inputs: Vec<Row>,
    readings: Vec<Reading>,
}

impl Experiment {
    /// Reads the file of an experiment.
    ///
    /// # Errors
    /// The first line that is wrong, or what the file lacks.
    pub fn parse(name: &'static str, console: Console, text: &str) -> Result<Experiment, Flaw> {
        let mut read = Lines::default();
        let mut lines = text::lines(text);
        while let Some(line) = lines.next() {
            let words: Vec<Word<'_>> = text::words(line, &[], &["#"]).collect();
            let Some((verb, rest)) = words.split_first() else { continue };
            if let Some(form) = Form::named(verb.text) {
                read.form = form;
                let body = lines.by_ref().take_while(|line| line.text.trim() != "end");
                read.listing = Some(body.map(|line| spelled(line.text)).collect());
            } else {
                read.line(console, verb, rest)?;
            }
        }
        read.finish(name, console)
    }
}

impl Lines {
    fn line(&mut self, console: Console, verb: &Word<'_>, rest: &[Word<'_>]) -> Result<(), Flaw> {
        let Some(first) = rest.first() else {
            return Err(Flaw::word(verb, "something is missing after this word"));
        };
        match verb.text {
            "question" => self.question = Some(sentence(rest)),
            "warning" => self.warning = Some(sentence(rest)),
            "asks" => {
                self.hypotheses = hypotheses(console, first.text)
                    .ok_or_else(|| Flaw::word(first, "no quirk, form or model of this console"))?;
            }
            "alike" => self.alike.push(rest.iter().map(|word| word.text.to_owned()).collect()),
            "constant" => self.constants.push((number(first)?, row(&first.line, &rest[1..])?)),
            "input" => self.inputs.push(row(&first.line, rest)?),
            "read" => {
                let name = sentence(rest);
                let reading = Reading::named(&name).filter(|reading| reading.exists(console));
                let reading = reading.ok_or_else(|| Flaw::word(first, "nothing that can be read back"))?;
                self.readings.push(reading);
            }
            _ => return Err(Flaw::word(verb, "no line of an experiment begins like this")),
        }
        Ok(())
    }

    fn finish(self, name: &'static str, console: Console) -> Result<Experiment, Flaw> {
        let missing = |what: &str| Flaw::new(format!("lacks {what}"));
        let listing = self.listing.ok_or_else(|| missing("a program"))?;
        let question = self.question.ok_or_else(|| missing("a question"))?;
        if self.hypotheses.is_empty() || self.readings.is_empty() {
            return Err(missing("a line `asks`, or a line `read`"));
        }
        let is_program = console.generation().is_some() && self.form != Form::Commands;
        let has_operands = !self.constants.is_empty() || !self.inputs.is_empty();
        if has_operands && !is_program {
            return Err(Flaw::new("constants and inputs are for programs"));
        }
        let leaves_constants = is_program && console == Console::Nv2a;
        let is_left = |reading: &&Reading| matches!(reading, Reading::Constant(_)) == leaves_constants;
        if let Some(reading) = self.readings.iter().find(|reading| !is_left(reading)) {
            return Err(Flaw::new(format!("leaves no `{reading}`")));
        }
        let wrong = |error: String| Flaw::new(format!("its program: {error}"));
        let body = match console.generation() {
            None => {
                let trace = Trace::parse(&format!("chip flipper\n{listing}"));
                Body::Stream(trace.map_err(|errors| wrong(errors.to_string()))?)
            }
            Some(_) if self.form == Form::Commands => {
                let trace = xf::Trace::parse(&format!("chip {}\n{listing}", console.name()));
                Body::Commands(trace.map_err(|errors| wrong(errors.to_string()))?)
            }
            Some(generation) => {
                let assembled = if self.form == Form::Microcode { microcode } else { assemble };
                let (words, start) = assembled(generation, &listing).map_err(wrong)?;
                let (mut constants, inputs) = (self.constants, self.inputs);
                // What will be read is loaded as well, so that words which the program leaves unwritten are known.
                for reading in &self.readings {
                    if let (&Reading::Constant(row), Some(word)) = (reading, reading.untouched())
                        && !constants.iter().any(|(loaded, _)| *loaded == row)
                    {
                        constants.push((row, [word; 4]));
                    }
                }
                Body::Program(Program { words, start, constants, inputs })
            }
        };
        let Lines { warning, hypotheses, alike, readings, .. } = self;
        Ok(Experiment { name, console, question, warning, hypotheses, alike, listing, body, readings })
    }
}

/// The words of a program from slot 0 on, and the slot in which it starts.
fn assemble(generation: Generation, text: &str) -> Result<(Vec<u32>, usize), String> {
    let program = asm::parse(generation, text).map_err(|errors| errors.to_string())?;
    let mut words = vec![0; WORDS_PER_SLOT * program.first];
    words.extend(encode(generation, &program));
    Ok((words, program.start))
}

/// Words that are written out, which start in slot 0.
fn microcode(generation: Generation, text: &str) -> Result<(Vec<u32>, usize), String> {
    asm::words::parse_hex(generation, text).map(|words| (words, 0)).map_err(|errors| errors.to_string())
}

/// Words as a text again.
fn sentence(words: &[Word<'_>]) -> String {
    words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// The number of a row.
fn number(word: &Word<'_>) -> Result<u16, Flaw> {
    word.text.parse().map_err(|_| Flaw::word(word, "not the number of a row"))
}

/// Four words of a register.
fn row(line: &Line<'_>, words: &[Word<'_>]) -> Result<Row, Flaw> {
    let bits = words.iter().map(text::bits).collect::<Result<Vec<u32>, Flaw>>()?;
    bits.try_into().map_err(|_| Flaw::line(line, "a register has four components"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "question Who?\nasks write_order\nprogram\n    MOV c[10], v0\nend\n\
        constant 3 1.0 0x5 0 0 # words\ninput 1 2 3 4\nread c[10]\n";

    fn refused(text: &str) -> String {
        Experiment::parse("test", Console::Nv2a, text).expect_err("it is wrong").to_string()
    }

    #[test]
    fn a_file_is_an_experiment() {
        let read = Experiment::parse("test", Console::Nv2a, TEXT).expect("it is one");
        assert_eq!((read.question.as_str(), read.hypotheses.len(), read.readings.len()), ("Who?", 3, 1));
        let Body::Program(program) = &read.body else { panic!("{:?}", read.body) };
        assert_eq!((program.words.len(), program.start, program.inputs.len()), (4, 0, 1));
        // What is read is loaded, too.
        assert_eq!(program.constants, [(3, [0x3f80_0000, 5, 0, 0]), (10, [0xdead_beef; 4])]);
    }

    #[test]
    fn wrong_files_are_refused_where_they_are_wrong() {
        for (from, to, expected) in [
            ("asks write_order", "asks ring", "line 2, column 6: no quirk, form or model of this console"),
            ("read c[10]", "read depth 0", "line 8, column 6: nothing that can be read back"),
            ("read c[10]", "read pixel 0", "leaves no `pixel 0`"),
            ("program", "commands", "constants and inputs are for programs"),
            ("input 1 2 3 4", "input 1 2 3", "line 7: a register has four components"),
            ("input 1 2 3 4", "input 1 2 3 x", "line 7, column 13: `x` is not a number"),
            ("constant 3", "constant -3", "line 6, column 10: not the number of a row"),
            ("question Who?", "query Who?", "line 1, column 1: no line of an experiment begins like this"),
            ("question Who?", "question", "line 1, column 1: something is missing after this word"),
            ("question Who?", "", "lacks a question"),
            ("read c[10]", "", "lacks a line `asks`, or a line `read`"),
            ("MOV c[10], v0", "MOVE c[10], v0", "its program: "),
        ] {
            let message = refused(&TEXT.replace(from, to));
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
