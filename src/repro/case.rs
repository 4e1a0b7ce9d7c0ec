//! A program with everything that it runs on: constants, vertex streams in some layout, places for its outputs.

use super::{FileTest, Placement, Texels};
use std::fmt;
use std::sync::Arc;
use xfjit_core::backend::{Backend, CompileError, Outcome, Routine, Worker};
use xfjit_core::front::Microcode;
use xfjit_core::shader::Shader;
use xfjit_isa::config::Config;
use xfjit_isa::isa::{self, DecodeError, Program};
use xfjit_runtime::batch::{Attribute, Inputs, Outputs, Place, StreamError};
use xfjit_runtime::state::{ATTRIBUTES, Context, OUTPUTS, Row};

/// One attribute of a case, in memory of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feed {
    /// One row for every vertex.
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
    pub context: Box<Context>,
    /// For each row of them 1 if it was written, as the caller is told ([`noting`](xfjit_runtime::constants::Constants::noting)).
    pub written: Vec<u8>,
    /// What the backend reports.
    pub outcome: Outcome,
}

impl Ran {
    /// Runs a batch on constants of its own; what it wrote to memory is the caller's.
    pub(super) fn of(
        routine: &dyn Routine,
        worker: &mut Worker,
        mut context: Box<Context>,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
    ) -> Result<Ran, StreamError> {
        let mut written = vec![0; context.rows().len()];
        let outcome =
            routine.run_on(worker, &mut context.constants().noting(&mut written), inputs, outputs)?;
        Ok(Ran { output: Vec::new(), context, written, outcome })
    }
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
    /// The decoded program.
    ///
    /// # Errors
    /// Words that are no program.
    pub fn program(&self) -> Result<Arc<Program>, DecodeError> {
        isa::decode_as(self.config.generation, self.config.reading(), &self.words, self.start).map(Arc::new)
    }

    /// The constants as the batch finds them.
    pub fn context(&self) -> Context {
        let mut context = Context::new(self.config.rows());
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
        (inputs.attributes, inputs.indices) = (attributes, self.indices.as_ref().map(Into::into));
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
        self.run_with(backend, worker, &Microcode::shader(&program, &self.config), &self.inputs())
    }

    /// Runs the case with the program prepared in another way, and the attributes elsewhere.
    ///
    /// # Errors
    /// As [`Case::run`].
    pub fn run_with(
        &self,
        backend: &dyn Backend,
        worker: &mut Worker,
        shader: &Shader,
        inputs: &Inputs<'_>,
    ) -> Result<Ran, Refusal> {
        let routine = backend.prepare(shader).map_err(Refusal::Compile)?;
        self.run_prepared(&*routine, worker, inputs).map_err(Refusal::Streams)
    }

    /// Runs the case on a routine that has been prepared for it.
    ///
    /// # Errors
    /// Streams that do not hold the batch.
    pub fn run_prepared(
        &self,
        routine: &dyn Routine,
        worker: &mut Worker,
        inputs: &Inputs<'_>,
    ) -> Result<Ran, StreamError> {
        let (mut output, context) = (self.fresh_output(), Box::new(self.context()));
        let ran = Ran::of(routine, worker, context, inputs, &self.outputs(&mut output))?;
        Ok(Ran { output, ..ran })
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

/// The first difference between two runs of a batch, and the vertex that it is about.
pub fn difference(placement: &Placement, want: &Ran, got: &Ran) -> Option<(String, Option<usize>)> {
    for position in 0..placement.count {
        for register in 0..OUTPUTS {
            let [want, got] = [want, got].map(|run| placement.row(&run.output, register, position));
            if want != got {
                let [want, got] = [want, got].map(|row| row.unwrap_or_default());
                let what = format!("vertex {position}, o{register}: expected {want:08x?}, got {got:08x?}");
                return Some((what, Some(position)));
            }
        }
    }
    let mut bytes = want.output.iter().zip(&got.output);
    if let Some(at) = bytes.position(|(want, got)| want != got) {
        return Some((format!("wrote byte {at}, which is outside all outputs"), None));
    }
    let rows = want.context.rows().iter().zip(got.context.rows());
    if let Some((row, (want, got))) = rows.enumerate().find(|(_, (want, got))| want != got) {
        return Some((format!("c[{row}] afterwards: expected {want:08x?}, got {got:08x?}"), None));
    }
    if want.context != got.context {
        return Some(("wrote past the last constant".to_owned(), None));
    }
    let mut bytes = want.written.iter().zip(&got.written);
    if let Some(row) = bytes.position(|(want, got)| want != got) {
        let [want, got] = [want, got].map(|run| run.written[row]);
        return Some((format!("the dirty byte of c[{row}]: expected {want}, got {got}"), None));
    }
    let [want, got] = [want, got].map(|run| run.outcome.faults);
    (want != got).then(|| (format!("expected {want:?}, got {got:?}"), None))
}
