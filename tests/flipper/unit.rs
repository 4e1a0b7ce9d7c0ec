//! The unit: what draws make is what the reference interpreters make, joined by hand.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use xfjit::backend::Interp;
use xfjit::chip::flipper::memory::Memory as Words;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::transform::{Transform, Vertices};
use xfjit::chip::flipper::vat::{Field, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::chip::flipper::{input, output, registers as xf, rows, triangle};
use xfjit::config::FlipperQuirks;
use xfjit::flipper::{
    Budget, Disagreement, Draw, Fetch, FlipperUnit, Memory, Output, Processor, Quirks, Registers, Sink,
    Trace, vertex,
};
use xfjit::front::flipper::Setup;
use xfjit::runtime::batch::{Attribute as Column, Inputs, Outputs};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::Row;
use xfjit::testing::Choices;
use xfjit::xf::Form;
use xfjit::{Engine, Options, Shader, Worker};

/// What has left a unit.
#[derive(Clone, PartialEq, Debug)]
pub enum Out {
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

pub fn unit(quirks: Quirks) -> FlipperUnit {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Arc::new(Engine::new(Options::default())));
    FlipperUnit::new(Arc::clone(engine), quirks, FlipperQuirks::SPEC)
}

pub fn run(unit: &mut FlipperUnit, stream: &[u8], memory: &[u8]) -> Vec<Out> {
    let mut all = Vec::new();
    unit.run(stream, memory, Budget::NONE, |output| all.push(output.into()));
    all
}

/// The reference: the interpreter of vertices, then that of the transform unit, vertex by vertex, every output computed, all rows
/// written anew; and triangles as the text lists them.
struct Reference {
    engine: Engine,
    worker: Worker,
    quirks: Quirks,
    words: Words,
    out: Vec<Out>,
}

impl Reference {
    fn new(quirks: Quirks) -> Reference {
        let options = Options::default().with(|options| options.backend = Arc::new(Interp::Single));
        let (engine, worker) = (Engine::new(options), Worker::new());
        Reference { engine, worker, quirks, words: Words::new(), out: Vec::new() }
    }

    fn run(mut self, stream: &[u8], memory: &[u8]) -> Vec<Out> {
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

/// A stream of commands.
#[derive(Clone, Default)]
pub struct Stream(pub Vec<u8>);

impl Stream {
    pub fn cp(&mut self, register: u8, value: u32) -> &mut Self {
        self.0.extend([8, register]);
        self.0.extend(value.to_be_bytes());
        self
    }

    pub fn xf(&mut self, address: u16, words: &[u32]) -> &mut Self {
        self.0.push(0x10);
        self.0.extend(((words.len() as u32 - 1) << 16 | u32::from(address)).to_be_bytes());
        self.0.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        self
    }

    pub fn floats(&mut self, address: u16, floats: &[f32]) -> &mut Self {
        let words: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
        self.xf(address, &words)
    }

    pub fn formats(&mut self, vcd: Vcd, vat: usize, formats: Vat) -> &mut Self {
        self.cp(0x50, vcd.lo).cp(0x60, vcd.hi);
        let [a, b, c] = formats.0;
        let number = vat as u8;
        self.cp(0x70 | number, a).cp(0x80 | number, b).cp(0x90 | number, c)
    }

    pub fn draw(&mut self, primitive: Primitive, vat: usize, count: u16, bytes: &[u8]) -> &mut Self {
        self.0.push(0x80 | (primitive as u8) << 3 | vat as u8);
        self.0.extend(count.to_be_bytes());
        self.0.extend(bytes);
        self
    }

    /// Identity matrices, a perspective projection, a viewport of 640 by 480.
    pub fn camera(&mut self) -> &mut Self {
        let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        self.floats(0, &identity).floats(60 * 4, &identity);
        self.floats(0x400, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        self.xf(0x1018, &[60 << 6 | 60 << 12 | 60 << 18 | 60 << 24, 60 | 60 << 6 | 60 << 12 | 60 << 18]);
        self.floats(0x101a, &[320.0, -240.0, 16_777_215.0, 662.0, 582.0, 16_777_215.0]);
        self.floats(0x1020, &[1.5, 0.0, 2.0, 0.0, -0.01, -1.01]).xf(0x1026, &[0])
    }

    /// One light, white, at a place, and both channels lit by it.
    pub fn light(&mut self, position: [f32; 3], control: u32) -> &mut Self {
        self.xf(0x603, &[0xffff_ffff]).floats(0x604, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        self.floats(0x60a, &position).floats(0x60d, &[0.0, 0.0, 1.0]);
        self.xf(0x1009, &[2]).xf(0x100a, &[0x1020_3040, 0, 0xff80_40ff, 0x2040_60ff]);
        self.xf(0x100e, &[control; 4])
    }
}

fn lit_formats() -> (Vcd, Vat) {
    let vcd = Vcd::default()
        .with(Attribute::Position, Source::Direct)
        .with(Attribute::Normal, Source::Index8)
        .with(Attribute::Texcoord(0), Source::Index16);
    let vat = Vat::default()
        .with(Field::POS_COUNT, 1)
        .with(Field::POS_FORMAT, 3)
        .with(Field::POS_SHIFT, 8)
        .with(Field::NORMAL_FORMAT, 1)
        .with(Field::TEX0_COUNT, 1)
        .with(Field::TEX0_FORMAT, 0)
        .with(Field::TEX0_SHIFT, 4)
        .with(Field::BYTE_DEQUANT, 1);
    (vcd, vat)
}

/// Lit by its own light, a mesh of strips: figures that are known, and those of the reference.
#[test]
fn a_lit_mesh() {
    let (vcd, vat) = lit_formats();
    let mut memory = vec![0; 0x200];
    // Normals: towards the viewer, then others.
    for (at, normal) in [[0, 0, 64], [64, 0, 0], [0, 64, 0], [45, 0, 45], [0, 45, 45_i8]].iter().enumerate() {
        normal.iter().zip(&mut memory[0x100 + 3 * at..]).for_each(|(&n, to)| *to = n as u8);
    }
    (0..32).for_each(|at| memory[0x180 + at] = 16 * (at as u8 % 9));
    let mut stream = Stream::default();
    stream.camera().formats(vcd, 3, vat).cp(0xa1, 0x100).cp(0xb1, 3).cp(0xa4, 0x180).cp(0xb4, 2);
    // Lighting, light 0, clamped, spot without weakening; texture coordinate 0 as it is.
    stream.light([0.0, 0.0, 0.0], 1 << 1 | 1 << 2 | 2 << 7 | 3 << 9);
    stream.xf(0x103f, &[1]).xf(0x1040, &[5 << 7]);
    let mut vertices = Vec::new();
    for strip in 0..6_i16 {
        vertices.clear();
        for column in 0..8_i16 {
            for row in [strip, strip + 1] {
                let position = [(column - 4) * 64, (row - 3) * 64, -512];
                vertices.extend(position.iter().flat_map(|c| c.to_be_bytes()));
                // In the middle the first.
                vertices.push(if column == 4 && row == 3 { 0 } else { (column + row) as u8 % 5 });
                vertices.extend([0, (column + 2 * row) as u8 % 16]);
            }
        }
        stream.draw(Primitive::TriangleStrip, 3, 16, &vertices);
    }
    let mut unit = unit(Quirks::default());
    let out = run(&mut unit, &stream.0, &memory);
    assert_eq!(out, Reference::new(Quirks::default()).run(&stream.0, &memory));
    assert_eq!((unit.stats().batches, unit.stats().vertices, unit.stats().resolved), (6, 96, 1));
    let Out::Drawn { vertices, triangles, disagreement, .. } = &out[3] else { panic!("{out:?}") };
    // The vertex in the middle: (0, 0, -2), lit from where the viewer is by a light of 255 and an ambient of 16, 32, 48, 64.
    let middle = &vertices[8];
    assert_eq!(middle[&output::COLOUR], [255, 128, 64, 255]);
    assert_eq!(middle[&output::EYE].map(f32::from_bits), [0.0, 0.0, -2.0, 1.0]);
    assert_eq!(middle[&output::CLIP].map(f32::from_bits)[3], 2.0);
    assert_eq!(middle[&output::SCREEN].map(f32::from_bits)[..2], [662.0, 582.0]);
    assert_eq!(middle[&output::NORMAL].map(f32::from_bits), [0.0, 0.0, 1.0, 0.0]);
    assert!(middle.contains_key(&output::TEXCOORD) && !middle.contains_key(&(output::TEXCOORD + 1)));
    // All of a strip shows the same side.
    assert_eq!((triangles.len(), triangles[1].0), (14, [2, 1, 3]));
    assert!(triangles.iter().all(|t| t.1 == triangles[0].1 && !t.2), "{triangles:?}");
    // INVTXSPEC has not been loaded, nor have CP's matrix indices.
    let wrong = Disagreement { colours: false, normals: true, texcoords: true, matrices: true };
    assert_eq!(*disagreement, wrong);
}

/// What a guest may do between draws: everything at random, but mostly with sense.
pub fn random_stream(c: &mut Choices<'_>, commands: usize, memory_bytes: u32) -> Stream {
    let mut stream = Stream::default();
    let (mut vcd, mut vats) = (Vcd::default(), [Vat::default(); 8]);
    stream.camera();
    let float = |c: &mut Choices<'_>| (c.below(4096) as f32 - 2048.0) / 512.0;
    for _ in 0..commands {
        match c.below(12) {
            0 => {
                vcd = Vcd { lo: c.word() & c.word() & Vcd::LO, hi: c.word() & c.word() & Vcd::HI };
                if c.chance(80) {
                    vcd = vcd.with(Attribute::Position, Source::ALL[1 + c.below(3) as usize]);
                }
                stream.cp(0x50, vcd.lo).cp(0x60, vcd.hi);
            }
            1 => {
                let vat = c.below(8);
                vats[vat as usize] = Vat([c.word(), c.word(), c.word()]);
                stream.formats(vcd, vat as usize, vats[vat as usize]);
            }
            2 => {
                let array = c.below(16) as u8;
                stream.cp(0xa0 | array, c.below(memory_bytes)).cp(0xb0 | array, c.below(40));
            }
            3 => {
                let words: Vec<f32> = (0..1 + c.below(16)).map(|_| float(c)).collect();
                stream.floats(c.below(0x100) as u16, &words);
            }
            4 => {
                let base = [0x400, 0x500, 0x600, 0x101a][c.below(4) as usize];
                let words: Vec<f32> = (0..1 + c.below(12)).map(|_| float(c)).collect();
                stream.floats(base + if base == 0x101a { 0 } else { c.below(0x60) as u16 }, &words);
            }
            5 => {
                let controls: Vec<u32> = (0..4).map(|_| c.word() & c.word() & 0x7fff).collect();
                stream
                    .xf(0x1009, &[c.below(4), c.word(), c.word(), c.word(), c.word()])
                    .xf(0x100e, &controls);
            }
            6 => {
                let texgens: Vec<u32> = (0..8).map(|_| c.word() & !0x40).collect();
                stream.xf(0x103f, &[c.below(10)]).xf(0x1040, &texgens);
            }
            7 => {
                let post: Vec<u32> = (0..8).map(|_| c.word()).collect();
                stream.xf(0x1012, &[c.below(2)]).xf(0x1050, &post).xf(0x1026, &[c.below(3)]);
            }
            8 => {
                stream.cp(0x30, c.word()).cp(0x40, c.word()).xf(0x1018, &[c.word(), c.word()]);
                stream.xf(0x1005, &[c.below(8)]).xf(0x1008, &[c.below(256)]);
            }
            9 => {
                // From an array, into matrices or lights.
                let count = c.below(16);
                stream.0.push([0x20, 0x28, 0x30, 0x38][c.below(4) as usize]);
                let address = [0, 0x400, 0x500, 0x600][c.below(4) as usize] + c.below(0x40);
                stream.0.extend((c.below(40) << 16 | count << 12 | address).to_be_bytes());
            }
            _ => {
                let (vat, count) = (c.below(8) as usize, c.below(24) as u16);
                let size = vertex::size(vcd, vats[vat]);
                let mut bytes: Vec<u8> = (0..size * usize::from(count)).map(|_| c.word() as u8).collect();
                for at in 0..usize::from(count) {
                    let position = vertex::offset(vcd, vats[vat], Attribute::Position);
                    let own = vertex::bytes(vcd, vats[vat], Attribute::Position);
                    if vcd.source(Attribute::Position).index_bytes().is_some() && c.below(5) == 0 {
                        bytes[at * size + position..][..own].fill(0xff);
                    }
                }
                stream.draw(Primitive::ALL[c.below(8) as usize], vat, count, &bytes);
            }
        }
        match c.below(20) {
            0 => stream.0.push(0x48),
            1 => stream.0.extend([0x61, c.word() as u8, 1, 2, 3]),
            2 => stream.0.extend([0, 0, 0]),
            _ => {}
        }
    }
    stream
}

pub fn random_memory(c: &mut Choices<'_>) -> Vec<u8> {
    (0..0x800).map(|at| if at % 4 == 0 { 0x3f + c.below(2) as u8 } else { c.word() as u8 }).collect()
}

#[test]
fn states_change_between_draws() {
    let mut c = Choices::seed(21);
    let (mut drawn, mut rejected, mut backs) = (0, 0, 0);
    for _ in 0..40 {
        let memory = random_memory(&mut c);
        let stream = random_stream(&mut c, 60, 0xc00);
        let quirks = Quirks { dialect: c.pick(&xfjit::flipper::Dialect::ALL), ..Quirks::default() };
        let got = run(&mut unit(quirks), &stream.0, &memory);
        let want = Reference::new(quirks).run(&stream.0, &memory);
        assert_eq!(got.len(), want.len());
        for (number, (got, want)) in got.iter().zip(&want).enumerate() {
            assert_eq!(got, want, "{number}");
            if let Out::Drawn { vertices, triangles, .. } = got {
                drawn += vertices.len();
                backs += triangles.iter().filter(|t| t.1).count();
                rejected += triangles.iter().filter(|t| t.2).count();
            }
        }
    }
    assert!(drawn > 2000 && backs > 100 && rejected > 100, "{drawn} {backs} {rejected}");
}

/// Vertices without normals have those of the draw before; a draw that nobody sees keeps them, too.
#[test]
fn normals_are_kept_for_later_draws() {
    let (vcd, vat) = lit_formats();
    let with = vcd.with(Attribute::Normal, Source::Direct).with(Attribute::Texcoord(0), Source::Absent);
    let without = with.with(Attribute::Normal, Source::Absent);
    let mut stream = Stream::default();
    stream.camera().formats(with, 0, vat);
    let position = [0, 0, 0, 0, 0xfe, 0];
    stream.draw(Primitive::Points, 0, 2, &[&position[..], &[0, 64, 0], &position, &[64, 0, 0]].concat());
    stream.formats(without, 0, vat).draw(Primitive::Points, 0, 1, &position);
    let out = run(&mut unit(Quirks::default()), &stream.0, &[]);
    let Out::Drawn { vertices, .. } = &out[1] else { panic!("{out:?}") };
    assert_eq!(vertices[0][&output::NORMAL].map(f32::from_bits), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(out, Reference::new(Quirks::default()).run(&stream.0, &[]));
}

#[test]
fn both_are_to_be_told_the_same() {
    let (vcd, vat) = lit_formats();
    let vcd = vcd.with(Attribute::Colour(1), Source::Direct).with(Attribute::Texcoord(5), Source::Index8);
    let mut words = Words::new();
    let mut registers = Registers { vcd, ..Registers::default() };
    registers.vats[2] = vat;
    let told = |registers: &Registers, words: &Words| Disagreement::new(registers, 2, words);
    let fine = 1 | 1 << 2 | 2 << 4;
    words.write(xf::VERTEX_SPEC, &[fine]);
    assert!(!told(&registers, &words).is_any());
    for (change, want) in [
        (3, Disagreement { colours: true, ..Disagreement::default() }),
        (3 << 2, Disagreement { normals: true, ..Disagreement::default() }),
        (1 << 4, Disagreement { texcoords: true, ..Disagreement::default() }),
    ] {
        words.write(xf::VERTEX_SPEC, &[fine ^ change]);
        assert_eq!(told(&registers, &words), want);
    }
    // Two and three are three normals.
    registers.vats[2] = vat.with(Field::NORMAL_COUNT, 1);
    for normals in [2, 3] {
        words.write(xf::VERTEX_SPEC, &[fine & !12 | normals << 2]);
        assert!(!told(&registers, &words).is_any(), "{normals}");
    }
    // Indices of the position, of coordinate 5; the vertex's own do not count.
    for (at, own) in [(0, 0), (1, 6)] {
        registers.matrices = [0; 2];
        registers.matrices[at] = if at == 0 { 5 } else { 9 << 6 };
        assert!(told(&registers, &words).matrices);
        registers.vcd.lo = vcd.lo | 1 << own;
        assert!(!told(&registers, &words).is_any());
        registers.vcd.lo = vcd.lo;
    }
}

/// What nobody asks for does not leave, and all else is the same.
#[test]
fn outputs_are_those_asked_for() {
    let mut c = Choices::seed(22);
    let memory = random_memory(&mut c);
    let stream = random_stream(&mut c, 120, 0x800);
    let all = run(&mut unit(Quirks::default()), &stream.0, &memory);
    for mask in [0, 1 << output::COLOUR, 1 << output::TEXCOORD | 1 << output::EYE] {
        let mut unit = unit(Quirks::default());
        unit.set_outputs(mask);
        let some = run(&mut unit, &stream.0, &memory);
        let kept = mask | 1 << output::CLIP | 1 << output::FLAGS;
        let mut want = all.clone();
        for out in &mut want {
            if let Out::Drawn { vertices, .. } = out {
                vertices.iter_mut().for_each(|vertex| vertex.retain(|register, _| kept >> register & 1 != 0));
            }
        }
        assert_eq!(some, want);
    }
}

/// The same stream in pieces, with little budget, and as blocks of the ring.
#[test]
fn how_commands_come_does_not_matter() {
    let mut c = Choices::seed(23);
    let mut memory = random_memory(&mut c);
    let stream = random_stream(&mut c, 80, 0x800);
    // The ring lies behind, and holds already what will be stored there: indices may reach it.
    let (base, top) = (0x1000, 0x1000 + stream.0.len().next_multiple_of(32) as u32);
    memory.resize(base as usize, 0);
    memory.extend(&stream.0);
    memory.resize(top as usize + 64, 0);
    let want = run(&mut unit(Quirks::default()), &stream.0, &memory);
    let mut pieces = unit(Quirks::default());
    let (mut got, mut used, mut end) = (Vec::<Out>::new(), 0, 0);
    while used < stream.0.len() {
        end = (end + 1 + c.below(70) as usize).min(stream.0.len());
        used +=
            pieces.run(&stream.0[used..end], &memory, Budget(u64::from(c.below(40))), |o| got.push(o.into()));
    }
    assert_eq!(got, want);
    let mut ring = unit(Quirks::default());
    ring.fifo.write_gather_address(0x0c00_8000);
    [(0x0c, base), (0x10, top), (0x14, base)].iter().for_each(|&(at, value)| ring.fifo.write_pi(at, value));
    for (at, value) in [(0x20, base), (0x24, top), (0x34, base), (0x38, base), (0x02, 0x11)] {
        ring.fifo.write_cp(at, value as u16);
        if at != 2 {
            ring.fifo.write_cp(at + 2, (value >> 16) as u16);
        }
    }
    let mut got: Vec<Out> = Vec::new();
    for &byte in stream.0.iter().chain(&[0; 32]) {
        ring.fifo.store(byte.into(), 1, &mut memory);
        if c.below(50) == 0 {
            ring.run_fifo(&memory, Budget(u64::from(c.below(200))), |output| got.push(output.into()));
        }
    }
    ring.run_fifo(&memory, Budget::NONE, |output| got.push(output.into()));
    assert_eq!(got, want);
}

#[test]
fn states_are_saved_and_restored() {
    let mut c = Choices::seed(24);
    for _ in 0..10 {
        let mut memory = random_memory(&mut c);
        // A list that the budget ends in.
        let list = random_stream(&mut c, 8, 0x800);
        let at = memory.len();
        memory.extend(&list.0);
        memory.resize(memory.len().next_multiple_of(32), 0);
        let mut stream = random_stream(&mut c, 20, 0x800);
        stream.0.push(0x40);
        [at, memory.len() - at].iter().for_each(|&word| stream.0.extend((word as u32).to_be_bytes()));
        stream.0.extend(random_stream(&mut c, 20, 0x800).0);
        let mut first = unit(Quirks::default());
        let used = first.run(&stream.0, &memory, Budget(u64::from(c.below(9000))), |_| ());
        let state = first.save();
        let want = run(&mut first, &stream.0[used..], &memory);
        let mut second = unit(Quirks::default());
        run(&mut second, &random_stream(&mut c, 30, 0x800).0, &memory);
        second.restore(&state).expect("it is one");
        assert_eq!(second.save(), state);
        assert_eq!(run(&mut second, &stream.0[used..], &memory), want);
        for broken in [&state[..state.len() - 1], &state[..40], &state[..3], &[&state[..], &[0]].concat()] {
            let before = second.save();
            assert!(second.restore(broken).is_err());
            assert_eq!(second.save(), before);
        }
    }
}

/// A recording plays in a fresh unit, with a memory that it makes itself, and its text is the same recording.
#[test]
fn recordings_play() {
    let mut c = Choices::seed(25);
    for round in 0..16 {
        let mut memory = random_memory(&mut c);
        let mut recorded = unit(Quirks::default());
        // From any state on.
        run(&mut recorded, &random_stream(&mut c, 30 * (round % 2), 0x800).0, &memory);
        recorded.record();
        let mut want = run(&mut recorded, &random_stream(&mut c, 40, 0xa00).0, &memory);
        // Memory changes between draws, and so does the state.
        memory[0x100..0x300].reverse();
        let state = recorded.save();
        want.extend(run(&mut recorded, &random_stream(&mut c, 20, 0xa00).0, &memory));
        recorded.restore(&state).expect("it is one");
        want.extend(run(&mut recorded, &random_stream(&mut c, 20, 0xa00).0, &memory));
        want.retain(|out| !matches!(out, Out::Call(..) | Out::Unknown(_)));
        let trace = recorded.recorded().expect("it has been recorded");
        assert_eq!(recorded.recorded(), None);
        let text = trace.to_string();
        assert_eq!(Trace::parse(&text).as_ref(), Ok(&trace));
        let (mut got, mut memory) = (Vec::<Out>::new(), Vec::new());
        let mut fresh = unit(Quirks::default());
        for item in &trace.items {
            fresh.play(item, &mut memory, |output| got.push(output.into())).expect("it is whole");
        }
        assert_eq!(got, want);
        // The state behind it, too, but for what does not belong to draws.
        assert_eq!(fresh.words(), recorded.words());
        assert_eq!(fresh.fifo.processor.registers, recorded.fifo.processor.registers);
    }
}

#[track_caller]
fn error(text: &str, want: &str) {
    let errors = Trace::parse(text).expect_err("it is none");
    assert_eq!(errors[0].to_string(), want);
    errors[0].render(text);
}

#[test]
fn errors_of_traces_name_line_and_column() {
    error("", "1:1: the trace is empty");
    error("cp 0 0", "1:1: the chip is missing");
    error("chip nv2a", "1:6: no chip `nv2a` in this trace");
    error("chip flipper\nchip flipper", "2:1: the chip is known already");
    error("chip flipper\nbq 1 2", "2:1: `bq` is no item");
    error("chip flipper\ncp 0x100 2", "2:4: `0x100` is too great: there are 0x100");
    error("chip flipper\nxf 0x1058 0", "2:4: `0x1058` is too great: there are 0x1058");
    error("chip flipper\nxf 0 5", "2:6: `5` is no word");
    error("chip flipper\nnormal 0 none 1", "2:10: `none` is no word");
    error("chip flipper\nmemory 0x7ffffff 0102", "2:18: there is no such memory");
    error("chip flipper\nmemory 0 012", "2:10: `012` is no bytes");
    error("chip flipper\ndraw 0x70 1", "2:6: `0x70` draws nothing");
    error("chip flipper\ncp 0x50 0x200\ndraw 0x90 2 0102", "3:1: the vertices have 4 bytes, these are 2");
    let words = "0.5 ".repeat(17);
    error(&format!("chip flipper\nxf 0 {words}"), "2:70: nothing more is expected here");
    let trace =
        Trace::parse("chip flipper # and\ncp 0x50 512\n\nxf 32 1.0 0\ndraw 0x90 2 01 020304\n").expect("one");
    let want = "chip flipper\ncp 0x50 0x00000200\nxf 0x0020 0x3f800000 0x00000000\ndraw 0x90 2 0102 0304\n";
    assert_eq!(trace.to_string(), want);
}

/// Bytes that nobody has made for this: all of it is defined, bounded, and the same as the reference.
#[test]
fn streams_that_mean_harm() {
    let mut c = Choices::seed(26);
    for _ in 0..60 {
        let memory: Vec<u8> = (0..c.below(300)).map(|_| c.word() as u8).collect();
        let mut stream = Stream::default();
        for _ in 0..30 {
            let byte = c.pick(&[0x08, 0x10, 0x20, 0x28, 0x38, 0x40, 0x61, 0x90, 0x98, 0xa0, 0x80]);
            stream.0.push(byte);
            let rest = c.below(12);
            stream.0.extend((0..rest).map(|_| (c.word() & c.word()) as u8));
        }
        // Vertices without bytes: a draw of many costs three bytes.
        if c.chance(30) {
            stream.cp(0x50, 0).cp(0x60, 0).draw(Primitive::TriangleStrip, 0, 0x300, &[]);
        }
        let mut got = Vec::new();
        let mut unit = unit(Quirks::default());
        let mut used = 0;
        loop {
            let taken =
                unit.run(&stream.0[used..], &memory, Budget(500), |output| got.push(Out::from(output)));
            used += taken;
            if taken == 0 && !unit.fifo.processor.is_in_list() {
                break;
            }
        }
        assert_eq!(got, Reference::new(Quirks::default()).run(&stream.0, &memory));
    }
}
