//! What leaves Flipper's unit, and what should: the reference interpreters joined by hand.

use crate::backend::{Interp, Worker};
use crate::chip::flipper::memory::Memory as Words;
use crate::chip::flipper::opcode::Primitive;
use crate::chip::flipper::transform::{Transform, Vertices};
use crate::chip::flipper::vcd::{Attribute, Source};
use crate::chip::flipper::{input, output, registers as xf, rows, triangle};
use crate::config::FlipperQuirks;
use crate::front::flipper::Setup;
use crate::shader::Shader;
use crate::xf::Form;
use crate::{Engine, Options};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use xfjit::flipper::{
    Budget, Disagreement, Draw, Fetch, FlipperUnit, Memory, Output, Processor, Quirks, Registers, Sink,
};
use xfjit_runtime::batch::{Attribute as Column, Inputs, Outputs};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::Row;

/// Of a draw with more vertices only so many at its beginning and its end are looked at: three bytes draw 65,535.
const LOOKED_AT: usize = 256;

/// Whether a vertex of so many is looked at.
fn is_looked_at(at: usize, count: usize) -> bool {
    at < LOOKED_AT || at + LOOKED_AT >= count
}

/// What has left a unit.
#[derive(Clone, PartialEq, Debug)]
pub enum Out {
    /// A draw.
    Drawn {
        /// What its vertices make.
        primitive: Primitive,
        /// Vertices of the command.
        given: u16,
        /// Vertices that came out.
        count: usize,
        /// Each register that leaves, of each vertex that is looked at.
        vertices: Vec<BTreeMap<usize, Row>>,
        /// Vertices, whether it shows its back, whether it is rejected; of those vertices.
        triangles: Vec<([usize; 3], bool, bool)>,
        /// What has been told differently.
        disagreement: Disagreement,
    },
    /// A register behind the unit.
    Bp(u8, u32),
    /// A list.
    Call(u32, u32),
    /// The vertex cache is emptied.
    Invalidated,
    /// No command.
    Unknown(u8),
}

impl From<Output<'_>> for Out {
    fn from(output: Output<'_>) -> Out {
        match output {
            Output::Drawn(drawn) => {
                let Form::Registers(mask) = drawn.vertices.form else { panic!("{:?}", drawn.vertices.form) };
                let registers = || (0..32).filter(move |register| mask >> register & 1 != 0);
                let register = |at: usize, register: usize| {
                    (register, drawn.vertices.register(at, register as u8).expect("it is there"))
                };
                let vertex = |at: usize| registers().map(|number| register(at, number)).collect();
                let count = drawn.vertices.count;
                let triangles = drawn.triangles().map(|t| (t.vertices, t.is_back, t.is_rejected));
                let is_seen =
                    |(at, ..): &([usize; 3], bool, bool)| at.iter().all(|&at| is_looked_at(at, count));
                Out::Drawn {
                    primitive: drawn.primitive,
                    given: drawn.given,
                    count,
                    vertices: (0..count).filter(|&at| is_looked_at(at, count)).map(vertex).collect(),
                    triangles: triangles.filter(is_seen).collect(),
                    disagreement: drawn.disagreement,
                }
            }
            Output::LoadBp(register, value) => Out::Bp(register, value),
            Output::Call(address, bytes) => Out::Call(address, bytes),
            Output::InvalidateVertices => Out::Invalidated,
            Output::Unknown(byte) => Out::Unknown(byte),
        }
    }
}

/// A unit on an engine that all share.
pub fn unit(quirks: Quirks) -> FlipperUnit {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Arc::new(Engine::new(Options::default())));
    FlipperUnit::new(Arc::clone(engine), quirks, FlipperQuirks::SPEC)
}

/// One that reads vertices where they lie from the first on.
pub fn placing_unit(quirks: Quirks) -> FlipperUnit {
    let mut unit = unit(quirks);
    unit.set_hot(0);
    unit.set_held(0);
    unit
}

/// One without native code, for what has another configuration with each draw.
pub fn interpreting_unit(quirks: Quirks) -> FlipperUnit {
    let options = Options::default().with(|options| options.backend = Arc::new(Interp::Batched));
    FlipperUnit::new(Arc::new(Engine::new(options)), quirks, FlipperQuirks::SPEC)
}

/// What leaves a unit that runs a stream.
pub fn run(unit: &mut FlipperUnit, stream: &[u8], memory: &[u8]) -> Vec<Out> {
    let mut all = Vec::new();
    unit.run(stream, memory, Budget::NONE, |output| all.push(output.into()));
    all
}

/// The reference: the interpreter of vertices, then that of the transform unit, vertex by vertex, every output computed, all rows
/// written anew; and triangles as the text lists them.
#[derive(Debug)]
pub struct Reference {
    engine: Arc<Engine>,
    worker: Worker,
    quirks: Quirks,
    words: Words,
    out: Vec<Out>,
}

impl Reference {
    /// One whose words are zero.
    pub fn new(quirks: Quirks) -> Reference {
        static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
        let engine = ENGINE.get_or_init(|| {
            let options = Options::default().with(|options| options.backend = Arc::new(Interp::Single));
            Arc::new(Engine::new(options))
        });
        let (engine, worker) = (Arc::clone(engine), Worker::new());
        Reference { engine, worker, quirks, words: Words::new(), out: Vec::new() }
    }

    /// What leaves.
    pub fn run(self, stream: &[u8], memory: &[u8]) -> Vec<Out> {
        self.run_within(stream, memory, Budget::NONE).0
    }

    /// Runs a stream with a budget; also how much of the stream that was.
    pub(super) fn run_within(mut self, stream: &[u8], memory: &[u8], budget: Budget) -> (Vec<Out>, usize) {
        let used = Processor::new(self.quirks).run(stream, memory, &mut self, budget);
        (self.out, used)
    }

    fn triangles(primitive: Primitive, count: usize) -> Vec<[usize; 3]> {
        let all: Vec<usize> = (0..count).collect();
        match primitive {
            Primitive::Quads | Primitive::Quads2 => {
                let of = |quad: &[usize]| match *quad {
                    [a, b, c, d] => vec![[a, b, c], [a, c, d]],
                    [a, b, c] => vec![[a, b, c]],
                    _ => vec![],
                };
                all.chunks(4).flat_map(of).collect()
            }
            Primitive::Triangles => all.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
            Primitive::TriangleStrip => {
                let turned = |(number, t): (usize, &[usize])| match number % 2 {
                    0 => [t[0], t[1], t[2]],
                    _ => [t[0], t[2], t[1]],
                };
                all.windows(3).enumerate().map(turned).collect()
            }
            Primitive::TriangleFan => all.windows(2).skip(1).map(|t| [0, t[0], t[1]]).collect(),
            Primitive::Lines | Primitive::LineStrip | Primitive::Points => vec![],
        }
    }
}

impl Sink for Reference {
    fn load_xf(&mut self, address: u16, words: &[u32]) {
        self.words.write(address, words);
    }

    fn load_bp(&mut self, register: u8, value: u32) {
        self.out.push(Out::Bp(register, value));
    }

    fn call(&mut self, address: u32, bytes: u32) {
        self.out.push(Out::Call(address, bytes));
    }

    fn invalidate_vertices(&mut self) {
        self.out.push(Out::Invalidated);
    }

    fn unknown(&mut self, byte: u8) {
        self.out.push(Out::Unknown(byte));
    }

    fn draw(&mut self, registers: &Registers, draw: &Draw<'_>, memory: Memory<'_>) {
        let fetch = Fetch::new(registers, draw.vat(), memory, self.quirks.dialect);
        let setup = Setup::new(Transform::new(&self.words, Vertices::of_vcd(registers.vcd.lo)));
        let program = self.engine.shader(&Shader::from(setup));
        let mut constants = vec![[0; 4]; rows::ROWS];
        rows::fill(&self.words, &mut constants);
        let numchans = self.words.word(xf::CHANNELS) & 3;
        let leaves = |&(register, _): &(usize, Row)| match register {
            6 => numchans >= 1,
            7 => numchans >= 2,
            _ => true,
        };
        let all = (0..usize::from(draw.count)).map(|number| fetch.vertex(draw.vertex(number)));
        let there: Vec<_> = all.filter_map(|(vertex, is_there)| is_there.then_some(vertex)).collect();
        let count = there.len();
        let mut vertices: BTreeMap<usize, BTreeMap<usize, Row>> = BTreeMap::new();
        for (at, vertex) in there.into_iter().enumerate().filter(|&(at, _)| is_looked_at(at, count)) {
            let mut inputs = Inputs::new(1);
            let mut set = |register: usize, row: Row| inputs.attributes[register] = Column::Constant(row);
            let three = |[x, y, z]: [u32; 3]| [x, y, z, 0];
            set(input::POSITION, three(vertex.position));
            for which in 0..3 {
                let has = registers.vcd.source(Attribute::Normal) != Source::Absent
                    && (which == 0 || registers.vats[draw.vat()].has_tangents());
                let own = has.then_some(vertex.normals[which]).or(registers.normals[which]);
                set(input::NORMAL + which, three(own.unwrap_or_default()));
            }
            for (which, colour) in vertex.colours.into_iter().enumerate() {
                set(input::COLOUR + which, colour.to_be_bytes().map(|byte| f32::from(byte).to_bits()));
            }
            for (which, [s, t]) in vertex.texcoords.into_iter().enumerate() {
                set(input::TEXCOORD + which, [s, t, 0, 0]);
            }
            let mut bytes = [0; 16];
            let given = (0..9).filter(|&matrix| registers.vcd.has_matrix(matrix));
            given.zip(&mut bytes).for_each(|(matrix, byte)| *byte = vertex.matrices[matrix]);
            let packed = bytes.as_chunks::<4>().0;
            set(input::MATRICES, std::array::from_fn(|word| u32::from_le_bytes(packed[word])));
            let list: Vec<u8> = (0..output::COUNT as u8).filter(|r| setup.outputs() >> r & 1 != 0).collect();
            let mut words = vec![0; 4 * list.len()];
            let outputs = Outputs::interleaved(&mut words, &list);
            let mut constants = Constants::read_only(&constants);
            program.run_on(&mut self.worker, &mut constants, &inputs, &outputs).expect("one vertex");
            let rows = list.iter().map(|&r| usize::from(r)).zip(words.as_chunks::<4>().0.iter().copied());
            vertices.insert(at, rows.filter(leaves).collect());
        }
        let scale = self.words.word(xf::VIEWPORT + 1);
        let keeps = self.words.word(xf::CLIP_DISABLE) & 2 != 0;
        let triangles = Self::triangles(draw.primitive(), count).into_iter().filter_map(|at| {
            if !at.iter().all(|vertex| vertices.contains_key(vertex)) {
                return None;
            }
            let row = |register: usize| at.map(|vertex| vertices[&vertex][&register]);
            let is_rejected = triangle::is_rejected(row(16).map(|[mask, ..]| mask));
            Some((at, triangle::is_back(row(0), scale), is_rejected && !keeps))
        });
        let drawn = Out::Drawn {
            primitive: draw.primitive(),
            given: draw.count,
            triangles: triangles.collect(),
            disagreement: Disagreement::new(registers, draw.vat(), &self.words),
            count,
            vertices: vertices.into_values().collect(),
        };
        self.out.push(drawn);
    }
}

/// Vertices that have been drawn.
pub fn vertices(out: &[Out]) -> usize {
    let count = |out: &Out| if let Out::Drawn { count, .. } = out { *count } else { 0 };
    out.iter().map(count).sum()
}
