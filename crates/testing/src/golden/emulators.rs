//! What the code of emulators makes of programs: single operations and whole programs, by one emulator a file.
//!
//! ```text
//! # emulator mame release 0.289 (..) ops
//! case MUL edge 14                        operation, class of operands, number; or `program 17`
//! program kelvin words W.. start S        four words a slot
//! c[N] = h h h h                          rows before each vertex, the others are 0
//! vertex 0                                vertices are independent of one another
//! v N = h h h h                           attributes, the others are 0
//! before oN = h h h h                     an output that does not begin as the others do
//! out NAME = h h h h                      an output afterwards; those without a line are as they began
//! rows N = h h h h                        a row that has changed
//! ```
//! Outputs begin as (0, 0, 0, 1), those of nv2a_vsh_cpu as (0, 0, 0, 0), which has 13 of them. NaNs are those of the
//! machine that the emulator ran on: any NaN counts as any other.

use super::lines::{FileFlaw, Source, hex_words, index, words_of};
use crate::asm;
use crate::chip::Generation;
use crate::config::{Config, RowCount};
use crate::emulators::{Emulator, NotEmulated};
use crate::interp::{End, Stepper, VertexState};
use crate::isa::{self, Program};
use crate::text::{self, Flaw, Line, Word, clip};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::{ATTRIBUTES, DEFAULT_ROW, Row};
use xfjit_runtime::texture::Textures;

/// Outputs that an emulator has at most.
const OUTPUTS: usize = 16;
/// The temporary that reads oPos back on Kelvin.
const POSITION: usize = 12;

/// One vertex, and what the emulator made of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmulatedVertex {
    /// Where it stands in the file.
    pub line: usize,
    /// Attributes.
    pub inputs: [Row; ATTRIBUTES],
    /// Outputs as they begin.
    pub before: [Row; OUTPUTS],
    /// Outputs afterwards.
    pub outputs: [Row; OUTPUTS],
    /// Rows of constants that have changed, as they are afterwards.
    pub written: Vec<(usize, Row)>,
}

/// A program that an emulator ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmulatedCase {
    /// Where it stands in the file.
    pub line: usize,
    /// What the file calls it.
    pub name: String,
    /// Whose microcode.
    pub generation: Generation,
    /// Program memory from slot 0 on, four words a slot.
    pub words: Vec<Row>,
    /// The first slot.
    pub start: usize,
    /// Rows of constants that are not 0 before each vertex.
    pub constants: Vec<(usize, Row)>,
    /// Vertices; there is one or more.
    pub vertices: Vec<EmulatedVertex>,
}

/// How many words of a vertex were compared, and how many differ.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Compared {
    /// Words of outputs and of rows of constants.
    pub words: usize,
    /// Those that differ.
    pub differing: usize,
}

/// The cases of a file.
#[derive(Debug)]
pub struct EmulatedCases {
    emulator: Emulator,
    source: Source,
}

impl EmulatedCases {
    /// Opens a text, which its first line names.
    ///
    /// # Errors
    /// The first line does not name an emulator.
    pub fn new(name: String, text: String) -> Result<Self, FileFlaw> {
        let named = match text::lines(&text).next() {
            Some(line) => emulator(line),
            None => Err(Flaw::new("is empty")),
        };
        let source = Source::new(name, text);
        match named {
            Ok(emulator) => Ok(EmulatedCases { emulator, source }),
            Err(flaw) => Err(source.fail(flaw)),
        }
    }

    /// Whose figures.
    pub fn emulator(&self) -> Emulator {
        self.emulator
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    fn case(&mut self) -> Result<Option<EmulatedCase>, Flaw> {
        let Some(line) = self.source.line() else { return Ok(None) };
        let words = words_of(line);
        let Some(("case", name)) = words.split_first().map(|(first, rest)| (first.text, rest)) else {
            return Err(Flaw::line(&line, "is not the start of a case"));
        };
        let name: Vec<&str> = name.iter().map(|word| word.text).collect();
        let (name, number) = (name.join(" "), line.number);
        let Some(line) = self.source.line() else {
            return Err(Flaw::new(format!("case {name} has no program: is the file cut short?")));
        };
        let mut case = program(&line)?;
        (case.name, case.line) = (name, number);
        while !self.source.continues_with(&["case"]) {
            let Some(line) = self.source.line() else { break };
            case.take(&line, self.emulator)?;
        }
        match case.vertices.is_empty() {
            true => Err(Flaw::new(format!("case {} has no vertex: is the file cut short?", case.name))),
            false => Ok(Some(case)),
        }
    }
}

impl Iterator for EmulatedCases {
    type Item = Result<EmulatedCase, FileFlaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let case = self.case();
        self.source.item(case)
    }
}

impl EmulatedCase {
    /// A line behind the program.
    fn take(&mut self, line: &Line<'_>, emulator: Emulator) -> Result<(), Flaw> {
        let words = words_of(*line);
        let Some((keyword, rest)) = words.split_first() else { return Ok(()) };
        match (keyword.text, self.vertices.last_mut()) {
            ("vertex", _) => {
                let zeroed = emulator == Emulator::Nv2aVshCpu;
                let outputs = [if zeroed { [0; 4] } else { DEFAULT_ROW }; OUTPUTS];
                let (line, inputs) = (line.number, [[0; 4]; ATTRIBUTES]);
                let vertex = EmulatedVertex { line, inputs, before: outputs, outputs, written: Vec::new() };
                self.vertices.push(vertex);
            }
            ("v", Some(vertex)) => vertex.inputs[index(line, rest.first(), ATTRIBUTES)?] = row(line, rest)?,
            ("before", Some(vertex)) => {
                let at = output(line, rest.first(), self.generation)?;
                vertex.before[at] = row(line, rest)?;
                vertex.outputs[at] = vertex.before[at];
            }
            ("out", Some(vertex)) => {
                vertex.outputs[output(line, rest.first(), self.generation)?] = row(line, rest)?;
            }
            ("rows", Some(vertex)) => {
                let at = index(line, rest.first(), self.generation.constants())?;
                vertex.written.push((at, row(line, rest)?));
            }
            (word, None) if word.starts_with("c[") => {
                let number = word.strip_prefix("c[").and_then(|word| word.strip_suffix(']')?.parse().ok());
                // Bochs has 512 rows, whatever the chip.
                let Some(number) = number.filter(|&number: &usize| number < 512) else {
                    return Err(Flaw::word(keyword, format!("`{}` is not a row", clip(word))));
                };
                self.constants.push((number, row(line, &words)?));
            }
            (word, _) => return Err(Flaw::word(keyword, format!("`{}` is not allowed here", clip(word)))),
        }
        Ok(())
    }

    /// The constants before each vertex, as many as a configuration has.
    pub fn rows(&self, config: &Config) -> Vec<Row> {
        let mut rows = vec![[0; 4]; config.rows()];
        // Rows that the configuration lacks exist in the emulator only.
        for &(number, row) in &self.constants {
            if let Some(constant) = rows.get_mut(number) {
                *constant = row;
            }
        }
        rows
    }

    /// The constants behind a vertex.
    pub fn rows_behind(&self, config: &Config, vertex: &EmulatedVertex) -> Vec<Row> {
        let mut rows = self.rows(config);
        for &(number, row) in &vertex.written {
            rows[number] = row;
        }
        rows
    }

    /// The program.
    ///
    /// # Panics
    /// If the words are none of the generation.
    pub fn program(&self, config: &Config) -> Program {
        isa::decode_as(self.generation, config.reading(), self.words.as_flattened(), self.start)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Runs all vertices in the interpreter: for each the outputs and the rows of constants afterwards.
    ///
    /// # Panics
    /// If the words are no program of the generation.
    pub fn results(&self, emulator: Emulator, config: &Config) -> Vec<([Row; OUTPUTS], Vec<Row>)> {
        let program = self.program(config);
        let run = |vertex: &EmulatedVertex| {
            let mut rows = self.rows(config);
            let mut state = VertexState::new(&program, config, vertex.inputs);
            state.outputs[..OUTPUTS].copy_from_slice(&vertex.before);
            if emulator == Emulator::Nv2aVshCpu {
                state.temps[POSITION] = vertex.before[0];
            }
            let mut stepper = Stepper::new(&program, config, &state);
            let end = stepper.run(&mut Constants::new(&mut rows), &Textures::NONE);
            assert_eq!(end, End::Done, "{}", self.name);
            let outputs = stepper.outputs();
            (std::array::from_fn(|register| outputs[register]), rows)
        };
        self.vertices.iter().map(run).collect()
    }

    /// Runs all vertices in the interpreter, and compares every output and every row of constants.
    ///
    /// # Panics
    /// If the words are no program of the generation.
    pub fn compare(&self, emulator: Emulator, config: &Config) -> Compared {
        let mut compared = Compared::default();
        for (vertex, (outputs, rows)) in self.vertices.iter().zip(self.results(emulator, config)) {
            let expected = self.rows_behind(config, vertex);
            let outputs = outputs.iter().zip(&vertex.outputs).take(outputs_of(emulator));
            for (got, wanted) in outputs.chain(rows.iter().zip(&expected)) {
                let differing =
                    got.iter().zip(wanted).filter(|(got, wanted)| !is_same(**got, **wanted)).count();
                compared.words += 4;
                compared.differing += differing;
            }
        }
        compared
    }
}

/// The preset of an emulator, with what is to be asked for: its library, and Bochs' 512 rows.
///
/// # Errors
/// The emulator runs no programs of the generation.
pub fn preset(emulator: Emulator, generation: Generation) -> Result<Config, NotEmulated> {
    let mut config = Config::like(emulator, generation)?;
    config.forms.library = emulator.library();
    if emulator == Emulator::Bochs {
        config.forms.rows = RowCount::Most;
    }
    Ok(config)
}

/// Whether a program has operations for which emulators call a library, whose results are not the chip's tables'.
pub fn has_functions(program: &Program) -> bool {
    program.insns.iter().any(|insn| insn.sca.is_exponential())
}

/// Whether a word is the emulator's: any NaN is as good as any other.
pub fn is_same(got: u32, wanted: u32) -> bool {
    got == wanted || [got, wanted].into_iter().all(|bits| f32::from_bits(bits).is_nan())
}

/// Output registers that an emulator has.
pub fn outputs_of(emulator: Emulator) -> usize {
    if emulator == Emulator::Nv2aVshCpu { 13 } else { OUTPUTS }
}

/// Whose figures a first line announces: `# emulator mame release 0.289 ..`, `# emulator bochs_curie commit ..`.
fn emulator(line: Line<'_>) -> Result<Emulator, Flaw> {
    let words = words_of(line);
    let ["#", "emulator", name, ..] = words.iter().map(|word| word.text).collect::<Vec<_>>()[..] else {
        return Err(Flaw::line(&line, "is not the start of a file of an emulator's figures"));
    };
    let known = Emulator::ALL.into_iter().find(|emulator| {
        let behind = name.strip_prefix(emulator.name());
        behind.is_some_and(|chip| chip.is_empty() || chip.starts_with('_'))
    });
    known.ok_or_else(|| Flaw::word(&words[2], format!("`{}` is not a known emulator", clip(name))))
}

/// `program kelvin words W W W W start 0`
fn program(line: &Line<'_>) -> Result<EmulatedCase, Flaw> {
    let words = words_of(*line);
    let form = || Flaw::line(line, "is not a program: `program GENERATION words W.. start S`");
    let [keyword, generation, is_words, code @ .., is_start, start] = &words[..] else { return Err(form()) };
    if [keyword, is_words, is_start].map(|word| word.text) != ["program", "words", "start"] {
        return Err(form());
    }
    let unknown = || Flaw::word(generation, format!("`{}` is not a generation", clip(generation.text)));
    let generation = Generation::from_name(generation.text).ok_or_else(unknown)?;
    let (slots, rest) = code.as_chunks::<4>();
    if slots.is_empty() || !rest.is_empty() || slots.len() > generation.slots() {
        return Err(form());
    }
    let words = slots.iter().map(|slot| hex_words(line, slot)).collect::<Result<Vec<Row>, _>>()?;
    let start = index(line, Some(start), words.len())?;
    let (name, constants, vertices) = (String::new(), Vec::new(), Vec::new());
    Ok(EmulatedCase { line: line.number, name, generation, words, start, constants, vertices })
}

/// The number of an output, by its name or as `o3`.
fn output(line: &Line<'_>, word: Option<&Word<'_>>, generation: Generation) -> Result<usize, Flaw> {
    let Some(word) = word else { return Err(Flaw::line(line, "needs an output: is the file cut short?")) };
    let numbered = word.text.strip_prefix('o').and_then(|number| number.parse().ok());
    let found = numbered.or_else(|| asm::output_number(generation, word.text));
    found
        .filter(|&number| number < OUTPUTS)
        .ok_or_else(|| Flaw::word(word, format!("`{}` is not an output", clip(word.text))))
}

/// The four words behind `=`, which stands after at most one word behind the keyword.
fn row(line: &Line<'_>, words: &[Word<'_>]) -> Result<Row, Flaw> {
    match words {
        [_, equals, row @ ..] if equals.text == "=" => hex_words(line, row),
        _ => Err(Flaw::line(line, "needs `=` and four words: is the file cut short?")),
    }
}
