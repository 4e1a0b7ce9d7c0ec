//! What leaves a unit, and what should: the reference interpreters joined by hand.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use xfjit::backend::Interp;
use xfjit::chip::flipper::memory::Memory as Words;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::transform::{Transform, Vertices};
use xfjit::chip::flipper::vcd::{Attribute, Source};
use xfjit::chip::flipper::{input, output, registers as xf, rows, triangle};
use xfjit::config::FlipperQuirks;
use xfjit::flipper::{
    Budget, Disagreement, Draw, Fetch, FlipperUnit, Memory, Output, Processor, Quirks, Registers, Sink,
};
use xfjit::front::flipper::Setup;
use xfjit::runtime::batch::{Attribute as Column, Inputs, Outputs};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::Row;
use xfjit::xf::Form;
use xfjit::{Engine, Options, Shader, Worker};

/// What has left a unit.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Out {
    Drawn {
        primitive: Primitive,
        given: u16,
        /// Each register that leaves, of each vertex.
        vertices: Vec<BTreeMap<usize, Row>>,
        triangles: Vec<([usize; 3], bool, bool)>,
        disagreement: Disagreement,
    },
    Bp(u8, u32),
    Call(u32, u32),
    Invalidated,
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
                Out::Drawn {
                    primitive: drawn.primitive,
                    given: drawn.given,
                    vertices: (0..drawn.vertices.count).map(vertex).collect(),
                    triangles: drawn.triangles().map(|t| (t.vertices, t.is_back, t.is_rejected)).collect(),
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

pub(crate) fn unit(quirks: Quirks) -> FlipperUnit {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Arc::new(Engine::new(Options::default())));
    FlipperUnit::new(Arc::clone(engine), quirks, FlipperQuirks::SPEC)
}

pub(crate) fn run(unit: &mut FlipperUnit, stream: &[u8], memory: &[u8]) -> Vec<Out> {
    let mut all = Vec::new();
    unit.run(stream, memory, Budget::NONE, |output| all.push(output.into()));
    all
}

/// The reference: the interpreter of vertices, then that of the transform unit, vertex by vertex, every output computed, all rows
/// written anew; and triangles as the text lists them.
pub(crate) struct Reference {
    engine: Engine,
    worker: Worker,
    quirks: Quirks,
    words: Words,
    out: Vec<Out>,
}

impl Reference {
    pub(crate) fn new(quirks: Quirks) -> Reference {
        let options = Options::default().with(|options| options.backend = Arc::new(Interp::Single));
        let (engine, worker) = (Engine::new(options), Worker::new());
        Reference { engine, worker, quirks, words: Words::new(), out: Vec::new() }
    }

    pub(crate) fn run(mut self, stream: &[u8], memory: &[u8]) -> Vec<Out> {
        Processor::new(self.quirks).run(stream, memory, &mut self, Budget::NONE);
        self.out
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
                    _ => [t[1], t[0], t[2]],
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
        let mut vertices: Vec<BTreeMap<usize, Row>> = Vec::new();
        for number in 0..usize::from(draw.count) {
            let (vertex, is_there) = fetch.vertex(draw.vertex(number));
            if !is_there {
                continue;
            }
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
            vertices.push(rows.filter(leaves).collect());
        }
        let scale = self.words.word(xf::VIEWPORT + 1);
        let keeps = self.words.word(xf::CLIP_DISABLE) & 2 != 0;
        let triangles = Self::triangles(draw.primitive(), vertices.len()).into_iter().map(|at| {
            let row = |register: usize| at.map(|vertex| vertices[vertex][&register]);
            let is_rejected = triangle::is_rejected(row(16).map(|[mask, ..]| mask));
            (at, triangle::is_back(row(0), scale), is_rejected && !keeps)
        });
        let drawn = Out::Drawn {
            primitive: draw.primitive(),
            given: draw.count,
            triangles: triangles.collect(),
            disagreement: Disagreement::new(registers, draw.vat(), &self.words),
            vertices,
        };
        self.out.push(drawn);
    }
}

/// Vertices that have been drawn.
pub(crate) fn vertices(out: &[Out]) -> usize {
    let count = |out: &Out| if let Out::Drawn { vertices, .. } = out { vertices.len() } else { 0 };
    out.iter().map(count).sum()
}
