//! Captures of calls: for emulators that run batches, and have no unit.
//!
//! ```text
//! name     u32 program | the name, to the end of the block
//! program  u32 number | u32 slot it starts in | u32 bytes of text | text | u32 words | the words, from slot 0 on
//! call     u32 program | u32 vertices | u32 rows that follow: each u32 number, four words
//!          u32 attributes: bits 0-15 those of each vertex, 16-31 those that all vertices have in common
//!          of the latter a row each | of the former a row for each vertex, attribute by attribute
//! ```
//! The text says line by line what is not the chip's own: `gen kelvin`, `model ieee`, `live_outputs 00000fff`, and `option` lines as
//! test files have them.

use super::MOST_VERTICES;
use super::bytes::Bytes;
use super::error::CaptureError;
use crate::engine::{Engine, LabelError, Program, check_label};
use crate::repro::options;
use std::fmt::Write;
use std::sync::Arc;
use xfjit_core::backend::Outcome;
use xfjit_core::front::Microcode;
use xfjit_core::shader::Worker;
use xfjit_isa::config::Config;
use xfjit_isa::isa::{self, DecodeError, WORDS_PER_SLOT};
use xfjit_runtime::batch::{Attribute, Inputs, Layout, Outputs, StreamError, registers};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::num::Model;
use xfjit_runtime::state::{ATTRIBUTES, Row};

/// A program of a capture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Its microcode, from slot 0 on.
    pub words: Vec<u32>,
    /// The slot where it starts.
    pub start: usize,
    /// Everything else that decides what it computes. A capture does not include the layout of outputs.
    pub config: Config,
}

impl Recorded {
    /// Returns a program of an engine, in the form of a capture; none if it has no instructions.
    pub fn of(program: &Program) -> Option<Recorded> {
        let microcode = program.shader().made_of::<Microcode>()?;
        let config = Config { layout: Layout::Rows, ..microcode.config.clone() };
        let decoded = &microcode.program;
        let mut words = vec![0; WORDS_PER_SLOT * decoded.first];
        words.extend(isa::encode_as(config.generation, config.reading(), decoded));
        Some(Recorded { words, start: decoded.start, config })
    }
}

/// A batch of vertices, and the program that runs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The number of the program.
    pub program: usize,
    /// The number of vertices.
    pub count: usize,
    /// Rows of constants that differ from the call before; all are zeros at first. What programs write is discarded after the call.
    pub constants: Vec<(u16, Row)>,
    /// Attributes by register, in order; the others are (0, 0, 0, 1).
    pub attributes: Vec<(u8, Stream)>,
}

/// An attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stream {
    /// One row for all vertices.
    One(Row),
    /// A row for each vertex.
    Each(Vec<Row>),
}

fn text(config: &Config) -> Option<String> {
    let mut text = String::new();
    let (generation, model) = (config.generation.name(), config.model.name());
    writeln!(text, "gen {generation}\nmodel {model}\nlive_outputs {:08x}", config.live_outputs).ok()?;
    options::write(&mut text, &Config { layout: Layout::Rows, ..config.clone() }).ok()?;
    Some(text)
}

fn config(text: &str) -> Result<Config, String> {
    let mut config: Option<Config> = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let done = match (&words[..], &mut config) {
            (["gen", name], None) => {
                config = isa::Generation::from_name(name).map(Config::new);
                config.as_ref().map(|_| ())
            }
            (["model", name], Some(config)) => Model::from_name(name).map(|model| config.model = model),
            (["live_outputs", bits], Some(config)) => {
                u32::from_str_radix(bits, 16).ok().map(|bits| config.live_outputs = bits)
            }
            (["option", "layout", ..], _) => None,
            (["option", words @ ..], Some(config)) => options::set(config, words),
            _ => None,
        };
        done.ok_or_else(|| format!("`{}` is not allowed there", line.escape_debug()))?;
    }
    config.ok_or_else(|| "the program does not name its chip generation".to_owned())
}

/// The block of a program; an error if a reader would not take it as what it is.
pub(super) fn write_program(number: usize, program: &Recorded) -> Result<Vec<u8>, String> {
    let nameless = || "a configuration has no name".to_owned();
    let text = text(&program.config).ok_or_else(nameless)?;
    let start = u32::try_from(program.start).map_err(|_| format!("slot {}", program.start))?;
    if program.words.len() > WORDS_PER_SLOT * program.config.generation.slots() {
        return Err(format!("a program of {} words", program.words.len()));
    }
    let mut block = Vec::new();
    for number in [number as u32, start, text.len() as u32] {
        block.extend(number.to_le_bytes());
    }
    block.extend(text.as_bytes());
    block.extend((program.words.len() as u32).to_le_bytes());
    program.words.iter().for_each(|word| block.extend(word.to_le_bytes()));
    let again =
        read_program(number, &mut Bytes::new(block.clone(), 0)).map_err(|error| error.problem.to_string())?;
    match again.config == (Config { layout: Layout::Rows, ..program.config.clone() }) {
        true => Ok(block),
        false => Err(nameless()),
    }
}

/// How many vertices a call has, and one for what every call takes.
pub(super) fn vertices(call: &Call) -> u64 {
    (call.count as u64).max(1)
}

/// Takes the program of a block.
pub(super) fn read_program(number: usize, from: &mut Bytes) -> Result<Recorded, CaptureError> {
    let got = from.u32()? as usize;
    if got != number {
        return from.nonsense(0, format!("program {got} is in the place of program {number}"));
    }
    let (start, length) = (from.u32()? as usize, from.u32()? as usize);
    let at = from.at();
    let config = match str::from_utf8(from.take(length)?) {
        Ok(text) => config(text),
        Err(_) => Err("this is not text".to_owned()),
    };
    let config = match config {
        Ok(config) => config,
        Err(message) => return from.nonsense(at, message),
    };
    let (at, count) = (from.at(), from.u32()? as usize);
    if count > WORDS_PER_SLOT * config.generation.slots() || !count.is_multiple_of(WORDS_PER_SLOT) {
        return from.nonsense(at, format!("a program of {count} words"));
    }
    let words = from.words(count)?;
    let decoded = isa::decode_as(config.generation, config.reading(), &words, start);
    match decoded {
        Ok(_) if from.is_empty() => Ok(Recorded { words, start, config }),
        Ok(_) => from.nonsense(from.at(), "extra data follows the program"),
        Err(error) => from.nonsense(at, error.to_string()),
    }
}

/// The block of a program's name.
pub(super) fn write_name(program: usize, name: &str) -> Vec<u8> {
    let mut block = (program as u32).to_le_bytes().to_vec();
    block.extend(name.as_bytes());
    block
}

/// Takes the name of one of so many programs.
pub(super) fn read_name(programs: usize, from: &mut Bytes) -> Result<(usize, String), CaptureError> {
    let program = from.u32()? as usize;
    if program >= programs {
        return from.nonsense(0, format!("no program {program}"));
    }
    let at = from.at();
    match str::from_utf8(from.rest()) {
        Ok(name) => match check_label(name) {
            Ok(()) => Ok((program, name.to_owned())),
            Err(error) => from.nonsense(at, error.to_string()),
        },
        Err(_) => from.nonsense(at, "the name of a program is not UTF-8"),
    }
}

/// The bytes that [`write_call`] adds.
pub(super) fn bytes(call: &Call) -> usize {
    let rows = |stream: &Stream| match stream {
        Stream::One(_) => 1,
        Stream::Each(rows) => rows.len(),
    };
    let rows: usize = call.attributes.iter().map(|(_, stream)| rows(stream)).sum();
    16 + 20 * call.constants.len() + 16 * rows
}

/// Adds a call to a block.
pub(super) fn write_call(call: &Call, to: &mut Vec<u8>) {
    for number in [call.program, call.count, call.constants.len()] {
        to.extend((number as u32).to_le_bytes());
    }
    for (number, row) in &call.constants {
        to.extend(u32::from(*number).to_le_bytes());
        row.iter().for_each(|word| to.extend(word.to_le_bytes()));
    }
    let mask = call.attributes.iter().fold(0u32, |mask, (register, stream)| {
        mask | 1 << (*register + if matches!(stream, Stream::One(_)) { 16 } else { 0 })
    });
    to.extend(mask.to_le_bytes());
    let mut rows = |rows: &[Row]| rows.iter().flatten().for_each(|word| to.extend(word.to_le_bytes()));
    for (_, stream) in &call.attributes {
        if let Stream::One(row) = stream {
            rows(&[*row]);
        }
    }
    for (_, stream) in &call.attributes {
        if let Stream::Each(each) = stream {
            rows(each);
        }
    }
}

/// Takes a call of a block; programs so far have so many rows of constants each.
pub(super) fn read_call(rows: &[u16], from: &mut Bytes) -> Result<Call, CaptureError> {
    let at = from.at();
    let (program, count) = (from.u32()? as usize, from.u32()? as usize);
    let Some(&most) = rows.get(program) else { return from.nonsense(at, format!("no program {program}")) };
    if count > MOST_VERTICES {
        return from.nonsense(at, format!("{count} vertices, more than {MOST_VERTICES}"));
    }
    let changed = from.u32()?;
    let mut constants = Vec::new();
    for _ in 0..changed {
        let at = from.at();
        match u16::try_from(from.u32()?) {
            Ok(row) if row < most => constants.push((row, from.row()?)),
            _ => return from.nonsense(at, "there is no such row of constants"),
        }
    }
    let (at, mask) = (from.at(), from.u32()?);
    let (each, one) = (mask & 0xffff, mask >> 16);
    if each & one != 0 {
        return from.nonsense(at, "an attribute occurs twice");
    }
    let mut attributes = Vec::new();
    for register in registers(one) {
        attributes.push((register as u8, Stream::One(from.row()?)));
    }
    for register in registers(each) {
        let words = from.words(4 * count)?;
        attributes.push((register as u8, Stream::Each(words.as_chunks().0.to_vec())));
    }
    attributes.sort_by_key(|(register, _)| *register);
    Ok(Call { program, count, constants, attributes })
}

/// Plays captures of calls on an engine.
///
/// ```
/// use std::sync::Arc;
/// use xfjit::capture::{Call, CallPlayer, CallWriter, Part, Reader, Recorded, Stream};
/// use xfjit::{Config, Engine, Generation, Options, asm, isa};
///
/// let decoded = asm::parse(Generation::Kelvin, "ADD oPos, v0, c[96]").unwrap();
/// let words = isa::encode(Generation::Kelvin, &decoded);
/// let mut writer = CallWriter::new(Vec::new())?;
/// let config = Config::new(Generation::Kelvin);
/// let program = writer.program(&Recorded { words, start: 0, config })?;
/// let row = [1.0f32.to_bits(); 4];
/// let attributes = vec![(0, Stream::Each(vec![row, [0; 4]]))];
/// writer.call(&Call { program, count: 2, constants: vec![(96, row)], attributes })?;
/// let file = writer.finish()?;
///
/// let mut player = CallPlayer::new(Arc::new(Engine::new(Options::default())));
/// let mut reader = Reader::new(&file[..])?;
/// let mut positions = Vec::new();
/// while let Some(part) = reader.part()? {
///     match part {
///         Part::Program(program) => player.program(&program)?,
///         Part::Call(call) => {
///             let (_, outputs) = player.call(&call)?;
///             positions.extend(outputs.rows(0).unwrap().map(|row| f32::from_bits(row[0])));
///         }
///         _ => {}
///     }
/// }
/// assert_eq!(positions, [2.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CallPlayer {
    engine: Arc<Engine>,
    worker: Worker,
    programs: Vec<Arc<Program>>,
    constants: Vec<Row>,
    outputs: Vec<u32>,
}

/// The outputs of a call.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    registers: u32,
    count: usize,
    words: &'a [u32],
}

impl<'a> Played<'a> {
    /// Output registers, as a mask: those that the program writes and the configuration wants.
    pub fn registers(&self) -> u32 {
        self.registers
    }

    /// The number of vertices.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns a register of each vertex, or none if the register is not among the outputs.
    pub fn rows(&self, register: usize) -> Option<impl ExactSizeIterator<Item = Row> + use<'a>> {
        let place = registers(self.registers).position(|one| one == register)?;
        let rows = self.words.as_chunks::<4>().0;
        Some(rows.iter().skip(place).step_by(self.registers.count_ones() as usize).copied())
    }
}

impl CallPlayer {
    /// Creates a player without programs.
    pub fn new(engine: Arc<Engine>) -> CallPlayer {
        CallPlayer {
            engine,
            worker: Worker::new(),
            programs: Vec::new(),
            constants: vec![[0; 4]; Config::MOST_ROWS],
            outputs: Vec::new(),
        }
    }

    /// Limits the overtime of each call, see [`Worker::set_overtime`].
    pub fn set_overtime(&mut self, slots: Option<u64>) {
        self.worker.set_overtime(slots);
    }

    /// Adds the next program.
    ///
    /// # Errors
    /// Words that are not a program. A reader does not return such words.
    pub fn program(&mut self, program: &Recorded) -> Result<(), DecodeError> {
        self.programs.push(self.engine.program(&program.words, program.start, &program.config)?);
        Ok(())
    }

    /// Names a program, by its number; an empty name removes the existing one. If no program has this number, nothing happens.
    ///
    /// # Errors
    /// A name that is not a valid label ([`Program::set_label`]). A reader does not return such names.
    pub fn name(&mut self, program: usize, name: &str) -> Result<(), LabelError> {
        self.programs.get(program).map_or(Ok(()), |program| program.set_label(name))
    }

    /// Runs a call.
    ///
    /// # Errors
    /// A call without a program, or with streams that are too short. A reader does not return such calls.
    pub fn call(&mut self, call: &Call) -> Result<(Outcome, Played<'_>), StreamError> {
        let Some(program) = self.programs.get(call.program) else { return Err(StreamError::WrongLayout) };
        for &(row, value) in &call.constants {
            if let Some(constant) = self.constants.get_mut(usize::from(row)) {
                *constant = value;
            }
        }
        let needs = program.needs();
        let live = needs.outputs;
        let wanted: Vec<u8> = registers(live).map(|register| register as u8).collect();
        let bytes: Vec<Vec<u8>> = call
            .attributes
            .iter()
            .map(|(_, stream)| match stream {
                Stream::One(_) => Vec::new(),
                Stream::Each(rows) => {
                    rows.as_flattened().iter().flat_map(|word| word.to_ne_bytes()).collect()
                }
            })
            .collect();
        let mut inputs = Inputs::new(call.count);
        for ((register, stream), data) in call.attributes.iter().zip(&bytes) {
            let attribute = match stream {
                Stream::One(row) => Attribute::Constant(*row),
                Stream::Each(_) => Attribute::Stream { data, stride: 16, components: 4 },
            };
            inputs = inputs.with(usize::from(*register) % ATTRIBUTES, attribute);
        }
        self.outputs.clear();
        self.outputs.resize(4 * call.count * wanted.len(), 0);
        let outputs = Outputs::interleaved(&mut self.outputs, &wanted);
        let mut written;
        let mut constants = match needs.writes_constants {
            true => {
                written = self.constants[..needs.rows].to_vec();
                Constants::new(&mut written)
            }
            false => Constants::read_only(&self.constants[..needs.rows]),
        };
        let outcome = program.run_on(&mut self.worker, &mut constants, &inputs, &outputs)?;
        Ok((outcome, Played { registers: live, count: call.count, words: &self.outputs }))
    }
}
