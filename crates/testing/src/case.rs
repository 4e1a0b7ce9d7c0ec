//! Random cases: a program with everything that it runs on, drawn from a stream of decisions.

pub use crate::repro::{Case, Feed, Ran, Refusal, upload};

use super::branching;
use super::choices::Choices;
use super::operand::{self, Temper};
use super::program::{self, Shape};
use crate::config::{Access, Arithmetic, Config, Quirk, QuirkSet, Viewport};
use crate::isa::{self, Generation, ProgramMode};
use crate::repro::Texels;
use xfjit_runtime::batch::{Layout, Place};
use xfjit_runtime::num::Model;
use xfjit_runtime::state::OUTPUTS;

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
        quirks: chosen(c, |quirk| quirk.matters(generation)),
        ..Config::new(generation)
    };
    let config = if generation == Generation::Kelvin { config } else { since_rankine(c, config, slots) };
    // Forms are heard under `ieee`, and half of its programs have none.
    if config.model == Model::Ieee && c.chance(50) {
        Config { forms: chosen(c, |form| form.matters(generation)), ..config }
    } else {
        config
    }
}

/// A hypothesis for each quirk, or a form for each thing, that can matter.
pub(crate) fn chosen<S: QuirkSet>(c: &mut Choices<'_>, matters: impl Fn(&&Quirk<S>) -> bool) -> S {
    let mut quirks = S::default();
    for quirk in S::TABLE.iter().filter(matters) {
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

/// Cases that a stream of decisions names.
pub trait RandomCase: Sized {
    /// The case that a stream of decisions names, of any generation.
    fn choose(c: &mut Choices<'_>) -> Case;

    /// The case that a stream of decisions names, within limits.
    fn within(c: &mut Choices<'_>, limits: Limits) -> Case;

    /// Random data for a program.
    fn with_program(
        c: &mut Choices<'_>,
        limits: Limits,
        words: Vec<u32>,
        start: usize,
        config: Config,
    ) -> Case;
}

impl RandomCase for Case {
    fn choose(c: &mut Choices<'_>) -> Case {
        let generation = c.pick(Generation::ALL);
        let limits = Limits::choose(c, generation);
        Self::within(c, limits)
    }

    fn within(c: &mut Choices<'_>, limits: Limits) -> Case {
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

    fn with_program(
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
        let constants = (0..config.rows()).map(|_| operand::row(c, limits.temper)).collect();
        let attributes = std::array::from_fn(|_| feed(c, limits.temper, vertices));
        let texels = c.pick(Texels::ALL);
        Case { words, start, config, constants, attributes, texels, indices, count, places, output_bytes }
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
