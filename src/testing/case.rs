//! A program with everything that it runs on: constants, vertex streams in some layout, places for its outputs.

use super::branching;
use super::choices::Choices;
use super::filetest::FileTest;
use super::operand::{self, Temper};
use super::placement::Placement;
use super::program::{self, Shape};
use super::texels::Texels;
use crate::backend::{Backend, CompileError, Outcome, Worker};
use crate::config::{Access, Arithmetic, Config, Quirk, Quirks, Viewport};
use crate::front::Microcode;
use crate::isa::{self, DecodeError, Generation, Program, ProgramMode};
use std::fmt;
use std::sync::Arc;
use xfjit_runtime::batch::{Attribute, Inputs, Layout, Outputs, Place, StreamError};
use xfjit_runtime::num::Model;
use xfjit_runtime::state::{ATTRIBUTES, Context, OUTPUTS, Row};

/// One attribute of a case, in memory of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feed {
    /// The same for every vertex.
    Constant(Row),
    /// A stream that starts `offset` bytes into its memory.
    Stream {
        /// The memory.
        data: Vec<u8>,
        /// Where vertex 0 is; streams need no alignment.
        offset: usize,
        /// Bytes from vertex to vertex.
        stride: usize,
        /// 1 to 4.
        components: u8,
    },
}

/// A program and its data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Microcode as uploaded.
    pub words: Vec<u32>,
    /// Slot in which it starts.
    pub start: usize,
    /// What it is prepared for.
    pub config: Config,
    /// All constant rows.
    pub constants: Vec<Row>,
    /// Vertex attributes.
    pub attributes: [Feed; ATTRIBUTES],
    /// What TXL reads.
    pub texels: Texels,
    /// Index list, if the draw has one.
    pub indices: Option<Vec<u32>>,
    /// Vertices to run.
    pub count: usize,
    /// Where outputs go; live ones have a place, others may have.
    pub places: [Option<Place>; OUTPUTS],
    /// Size of the output memory.
    pub output_bytes: usize,
}

/// What a backend made of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// The whole output memory, what nobody should write included.
    pub output: Vec<u8>,
    /// The constants afterwards.
    pub context: Context,
    /// What the backend reports.
    pub outcome: Outcome,
}

/// Why a backend made nothing of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The words are no program.
    Decode(DecodeError),
    /// The backend cannot prepare the program.
    Compile(CompileError),
    /// The streams do not hold the batch.
    Streams(StreamError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Decode(error) => write!(f, "{error}"),
            Refusal::Compile(error) => write!(f, "{error}"),
            Refusal::Streams(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// How big and how strange cases are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Whose programs.
    pub generation: Generation,
    /// Programs.
    pub shape: Shape,
    /// Operands.
    pub temper: Temper,
    /// Vertices at most.
    pub vertices: u32,
    /// The model; either, if it is left open.
    pub model: Option<Model>,
}

impl Limits {
    /// Limits that test everything of a generation, drawn from a stream.
    pub fn choose(c: &mut Choices<'_>, generation: Generation) -> Self {
        Limits {
            generation,
            shape: Shape::choose(c, generation.slots()),
            temper: c.pick(&[Temper::Ordinary, Temper::Mixed, Temper::Wild, Temper::Ordinary]),
            vertices: c.weighted(&[(12, 9), (3, 20), (1, 150)]),
            model: None,
        }
    }

    /// With one model only.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = Some(model);
        self
    }
}

/// A random configuration for a program of `slots` slots; the registers in `written` are mostly live.
pub fn config(c: &mut Choices<'_>, limits: Limits, written: u32, slots: usize) -> Config {
    let generation = limits.generation;
    let live = match c.below(4) {
        0 | 1 => written,
        2 => u32::MAX,
        _ => c.word(),
    };
    let config = Config {
        model: limits.model.unwrap_or_else(|| c.pick(&[Model::Ieee, Model::Hw])),
        live_outputs: live & ((1 << generation.outputs()) - 1),
        layout: c.pick(&[Layout::Rows, Layout::Rows, Layout::Planes]),
        access: c.weighted(&[(5, Access::Full), (1, Access::User)]),
        constant_writes: c.chance(20),
        quirks: quirks(c, generation),
        ..Config::new(generation)
    };
    if generation == Generation::Kelvin { config } else { since_rankine(c, config, slots) }
}

/// A hypothesis for each quirk that can matter to a generation.
fn quirks(c: &mut Choices<'_>, generation: Generation) -> Quirks {
    let mut quirks = Quirks::default();
    for quirk in Quirk::ALL.iter().filter(|quirk| quirk.matters(generation)) {
        let values: Vec<(u32, &str)> =
            quirk.weights.iter().copied().zip(quirk.values.iter().copied()).collect();
        (quirk.set)(&mut quirks, c.weighted(&values));
    }
    quirks
}

/// With random options of Rankine and Curie.
fn since_rankine(c: &mut Choices<'_>, config: Config, slots: usize) -> Config {
    let slots = slots as u32;
    Config {
        mode: c.weighted(&[(12, ProgramMode::V2), (1, ProgramMode::V1)]),
        arithmetic: c.pick(&[Arithmetic::Modern, Arithmetic::Legacy]),
        branch_bits: c.word(),
        branch_table: std::array::from_fn(|_| c.below(slots + slots / 8 + 1) as u16),
        // Endless loops are soon over, and some programs end in the middle.
        timeout: match c.below(12) {
            0 => c.below(slots + 1) as u16,
            _ => (4 * slots + 200) as u16,
        },
        viewport: c.weighted(&[(3, Viewport::Skip), (1, Viewport::Transform)]),
        ..config
    }
}

/// The words that upload a program, from slot 0 on, and the slot in which it starts.
pub fn upload(config: &Config, program: &Program) -> (Vec<u32>, usize) {
    let mut words = vec![0; program.first * isa::WORDS_PER_SLOT];
    words.extend(isa::encode_as(config.generation, config.reading(), program));
    (words, program.start)
}

/// What is in memory that nobody should write.
fn untouched(at: usize) -> u8 {
    (at as u8).wrapping_mul(37) ^ 0xa5
}

impl Case {
    /// The case that a stream of decisions names, of any generation.
    pub fn choose(c: &mut Choices<'_>) -> Case {
        let generation = c.pick(Generation::ALL);
        let limits = Limits::choose(c, generation);
        Self::within(c, limits)
    }

    /// The case that a stream of decisions names, within limits.
    pub fn within(c: &mut Choices<'_>, limits: Limits) -> Case {
        let generation = limits.generation;
        let program::Microcode { words, start } = match generation {
            Generation::Kelvin => program::program(c, limits.shape),
            Generation::Rankine | Generation::Curie => branching::program(c, generation, limits.shape),
        };
        let decoded = isa::decode(generation, &words, start).expect("the generator makes programs");
        let slots = words.len() / isa::WORDS_PER_SLOT;
        let config = config(c, limits, decoded.written_outputs(), slots);
        Self::with_program(c, limits, words, start, config)
    }

    /// Random data for a program.
    pub fn with_program(
        c: &mut Choices<'_>,
        limits: Limits,
        words: Vec<u32>,
        start: usize,
        config: Config,
    ) -> Case {
        let count = c.below(limits.vertices + 1) as usize;
        // The data are too many to be spelled out by a fuzzer.
        let mut c = c.fork();
        let c = &mut c;
        let indices = c.chance(25).then(|| (0..count).map(|_| c.below(40)).collect::<Vec<_>>());
        let vertices = indices.as_ref().map_or(count, |_| 40);
        let (places, output_bytes) = places(c, &config, count);
        let constants = (0..config.generation.constants()).map(|_| operand::row(c, limits.temper)).collect();
        let attributes = std::array::from_fn(|_| feed(c, limits.temper, vertices));
        let texels = c.pick(Texels::ALL);
        Case { words, start, config, constants, attributes, texels, indices, count, places, output_bytes }
    }

    /// The decoded program.
    ///
    /// # Errors
    /// Words that are no program.
    pub fn program(&self) -> Result<Arc<Program>, DecodeError> {
        isa::decode_as(self.config.generation, self.config.reading(), &self.words, self.start).map(Arc::new)
    }

    /// The constants as the batch finds them.
    pub fn context(&self) -> Context {
        let mut context = Context::new(self.config.generation.constants());
        for (row, &value) in self.constants.iter().enumerate() {
            context.set_row(row, value);
        }
        context
    }

    /// The vertex streams.
    pub fn inputs(&self) -> Inputs<'_> {
        let attributes = std::array::from_fn(|register| match &self.attributes[register] {
            Feed::Constant(row) => Attribute::Constant(*row),
            Feed::Stream { data, offset, stride, components } => Attribute::Stream {
                data: data.get(*offset..).unwrap_or(&[]),
                stride: *stride,
                components: *components,
            },
        });
        let mut inputs = Inputs::new(self.count);
        (inputs.attributes, inputs.indices) = (attributes, self.indices.as_deref());
        inputs.textured(self.texels.textures())
    }

    /// Output memory that no backend has seen.
    pub fn fresh_output(&self) -> Vec<u8> {
        (0..self.output_bytes).map(untouched).collect()
    }

    /// Outputs in `data`, which must have the size of the case's output memory.
    pub fn outputs<'a>(&self, data: &'a mut [u8]) -> Outputs<'a> {
        Outputs::new(data, self.config.layout, self.places)
    }

    /// Runs the case.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub fn run(&self, backend: &dyn Backend, worker: &mut Worker) -> Result<Ran, Refusal> {
        let program = self.program().map_err(Refusal::Decode)?;
        let routine =
            backend.prepare(&Microcode::shader(&program, &self.config)).map_err(Refusal::Compile)?;
        let (mut output, mut context) = (self.fresh_output(), self.context());
        let outcome = routine
            .run(worker, &mut context, &self.inputs(), &mut self.outputs(&mut output))
            .map_err(Refusal::Streams)?;
        Ok(Ran { output, context, outcome })
    }

    /// One output of one vertex, out of a batch's output memory.
    pub fn output(&self, data: &[u8], register: usize, position: usize) -> Option<Row> {
        self.placement().row(data, register, position)
    }

    /// Where its outputs lie.
    pub fn placement(&self) -> Placement {
        Placement { layout: self.config.layout, places: self.places, count: self.count }
    }

    /// The first byte that has changed although it belongs to no live output of a vertex of the batch.
    pub fn stray_write(&self, data: &[u8]) -> Option<usize> {
        let placement = self.placement();
        let mut belongs = vec![false; self.output_bytes];
        for register in (0..OUTPUTS).filter(|register| self.config.live_outputs >> register & 1 != 0) {
            let Some(place) = self.places[register] else { continue };
            for position in 0..self.count {
                for c in 0..4 {
                    let at = placement.at(place, position, c);
                    belongs[at..at + 4].fill(true);
                }
            }
        }
        (0..self.output_bytes).find(|&at| !belongs[at] && data[at] != untouched(at))
    }
}

/// An attribute for `vertices` vertices, of any layout.
fn feed(c: &mut Choices<'_>, temper: Temper, vertices: usize) -> Feed {
    if c.chance(15) {
        return Feed::Constant(operand::row(c, temper));
    }
    let components = if c.chance(20) { 1 + c.below(4) as u8 } else { 4 };
    let stride = match c.below(8) {
        0 => 0,
        1 => c.below(40) as usize, // rows that overlap, of any alignment
        2 => 4 * (4 + c.below(12)) as usize,
        _ => 16,
    };
    let offset = if c.chance(20) { c.below(17) as usize } else { 0 };
    let slack = if c.chance(20) { c.below(20) as usize } else { 0 };
    let size = offset + vertices.saturating_sub(1) * stride + 4 * usize::from(components) + slack;
    let mut data: Vec<u8> = Vec::with_capacity(size + 16);
    data.resize(offset, 0);
    while data.len() < size {
        // Each vertex starts with a row, whatever the stride is.
        let at = data.len();
        data.extend(operand::row(c, temper).iter().flat_map(|word| word.to_ne_bytes()));
        if stride > 0 && stride < 16 {
            data.truncate(at + stride);
        } else if stride > 16 {
            data.resize(at + stride, 0x55);
        }
    }
    data.truncate(size);
    Feed::Stream { data, offset, stride, components }
}

/// Places that do not overlap, for the live outputs and some others, and the bytes that they need.
fn places(c: &mut Choices<'_>, config: &Config, count: usize) -> ([Option<Place>; OUTPUTS], usize) {
    let wanted = config.live_outputs | c.word() & c.word() & 0xffff;
    let registers: Vec<usize> = (0..OUTPUTS).filter(|register| wanted >> register & 1 != 0).collect();
    let gap = |c: &mut Choices<'_>| if c.chance(30) { c.below(21) as usize } else { 0 };
    let mut places = [None; OUTPUTS];
    let mut end = gap(c);
    match config.layout {
        Layout::Planes => {
            for &register in &registers {
                let stride = 4 * count + gap(c);
                places[register] = Some(Place { offset: end, stride });
                end += 4 * stride + gap(c);
            }
        }
        // One record per vertex.
        Layout::Rows if c.chance(60) => {
            let start = end;
            let mut record = 0;
            for &register in &registers {
                places[register] = Some(Place { offset: start + record, stride: 0 });
                record += 16 + gap(c);
            }
            for place in places.iter_mut().flatten() {
                place.stride = record;
            }
            end = start + record * count;
        }
        // One stream per register.
        Layout::Rows => {
            for &register in &registers {
                let stride = 16 + gap(c);
                places[register] = Some(Place { offset: end, stride });
                end += stride * count + gap(c);
            }
        }
    }
    (places, end + gap(c))
}

/// The case as a filetest.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why =
            format!("{} vertices, {}indexed.", self.count, if self.indices.is_some() { "" } else { "not " });
        match FileTest::of_case(self, vec![why], 0..self.count) {
            Some(test) => write!(f, "{test}"),
            None => write!(f, "{self:08x?}"),
        }
    }
}
