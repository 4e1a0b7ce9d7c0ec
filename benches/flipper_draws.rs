//! Draws of Flipper with a position of three shorts, a normal of three bytes, a colour of four and a texture coordinate of two shorts,
//! under one light and one texture coordinate generator: by the device from bytes of commands, against the engine alone, whose
//! attributes are there as rows, and against the engine on codes that it reads where they are, if vertices hold them. Those lack the
//! products with a power of two. Compare figures of one run only.

use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;
use xfjit::chip::flipper::memory::Memory as Words;
use xfjit::chip::flipper::transform::{Transform, Vertices};
use xfjit::chip::flipper::vat::Field;
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::chip::flipper::{input, output, rows};
use xfjit::config::FlipperQuirks;
use xfjit::engine::Program;
use xfjit::flipper::{Array, Budget, Dialect, Draw, Fetched, FlipperUnit, Memory, Output, Plan, Quirks};
use xfjit::front::flipper::Setup;
use xfjit::runtime::batch::{Inputs, Outputs};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::format::{ByteOrder, Encoding, Format, InputLayout};
use xfjit::runtime::indices::{IndexLayout, IndexWidth, Indices, Numbering};
use xfjit::runtime::state::Row;
use xfjit::{Engine, Options, Shader, Worker};
use xfjit_testing::Choices;
use xfjit_testing::flipper_streams::mesh_formats;

fn main() {
    check();
    divan::main();
}

const COUNTS: [usize; 4] = [4, 20, 100, 1000];
const ATTRIBUTES: [Attribute; 4] =
    [Attribute::Position, Attribute::Normal, Attribute::Colour(0), Attribute::Texcoord(0)];
/// Register, bytes, and what code is made for that reads them where they are.
const FORMATS: [(usize, u32, Format); 4] = [
    (
        input::POSITION,
        6,
        Format { encoding: Encoding::S32k, components: 3, order: ByteOrder::Swapped, fraction: 0 },
    ),
    (input::NORMAL, 3, Format::host(Encoding::S8, 3)),
    (input::COLOUR, 4, Format::host(Encoding::Ub256, 4)),
    (
        input::TEXCOORD,
        4,
        Format { encoding: Encoding::S32k, components: 2, order: ByteOrder::Swapped, fraction: 0 },
    ),
];
const VERTEX: usize = 17;
const ELEMENTS: usize = 256;

struct Scene {
    source: Source,
    unit: FlipperUnit,
    memory: Vec<u8>,
    /// The drawing command.
    draw: Vec<u8>,
    count: usize,
}

impl Scene {
    fn new(source: Source, count: usize) -> Scene {
        Scene::of(source, count, Options::default())
    }

    fn of(source: Source, count: usize, options: Options) -> Scene {
        let mut c = Choices::seed(1);
        let memory = (0..0x2000).map(|_| c.word() as u8).collect();
        let bytes = if source == Source::Direct { VERTEX } else { ATTRIBUTES.len() };
        let mut draw = vec![0x98, (count >> 8) as u8, count as u8];
        draw.extend((0..count * bytes).map(|_| c.below(255) as u8));
        let engine = Arc::new(Engine::new(options));
        let mut unit = FlipperUnit::new(engine, Quirks::default(), FlipperQuirks::SPEC);
        let registers = &mut unit.fifo.processor.registers;
        registers.vcd = ATTRIBUTES.iter().fold(Vcd::default(), |vcd, &a| vcd.with(a, source));
        registers.vats[0] = mesh_formats().with(Field::COLOUR0_FORMAT, 5);
        for (place, (attribute, (_, stride, _))) in (0..).zip(ATTRIBUTES.into_iter().zip(FORMATS)) {
            registers.arrays[attribute.array()] = Array { base: 0x800 * place, stride };
        }
        let mut load = |address: u16, floats: &[f32]| {
            let words: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
            unit.load(address, &words);
        };
        load(0, &[1.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.25, 0.0, 0.0, 1.0, -3.0]);
        load(0x400, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        load(60 * 4, &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        load(0x101a, &[320.0, -240.0, 16_777_215.0, 662.0, 582.0, 16_777_215.0]);
        load(0x1020, &[1.5, 0.0, 2.0, 0.0, -0.01, -1.01]);
        load(0x604, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 5.0, 6.0, 7.0, 0.0, 0.0, 1.0]);
        unit.load(0x603, &[0xffff_ffff]);
        unit.load(0x1009, &[1, 0x1020_3040, 0, 0xff80_40ff, 0x2040_60ff]);
        // Lit by the first light, diffuse; the material is the vertex's colour.
        unit.load(0x100e, &[0x2 | 0x4 | 1 << 3 | 2 << 7; 4]);
        unit.load(0x1018, &[60 << 6, 0]);
        // The first coordinate, by a matrix of two rows.
        unit.load(0x103f, &[1, 5 << 7]);
        Scene { source, unit, memory, draw, count }
    }

    fn run(&mut self) -> u32 {
        let mut seen = 0;
        self.unit.run(&self.draw, &self.memory, Budget::NONE, |output| {
            if let Output::Drawn(drawn) = output {
                seen = drawn.vertices.words.first().map_or(seen, |word| word.wrapping_add(seen));
            }
        });
        seen
    }
}

/// The engine alone.
struct Alone {
    program: Arc<Program>,
    worker: Worker,
    constants: Vec<Row>,
    list: Vec<u8>,
    words: Vec<u32>,
    fetched: Fetched,
}

impl Alone {
    fn new(scene: &Scene, layout: InputLayout) -> Alone {
        let registers = &scene.unit.fifo.processor.registers;
        let words: &Words = scene.unit.words();
        let setup = Setup::new(Transform::new(words, Vertices::of_vcd(registers.vcd.lo)));
        let mask = setup.outputs() & !(1 << (output::COLOUR + 1));
        let shader = Shader::from(setup.live_outputs(mask)).with_inputs(layout);
        let program = Engine::new(Options::default()).shader(&shader);
        let mut constants = vec![[0; 4]; rows::ROWS];
        rows::fill(words, &mut constants);
        let list: Vec<u8> = (0..output::COUNT as u8).filter(|register| mask >> register & 1 != 0).collect();
        let mut fetched = Fetched::default();
        let bytes = &scene.draw[3..];
        let draw = Draw { opcode: 0x98, count: scene.count as u16, size: bytes.len() / scene.count, bytes };
        let plan = Plan::new(registers.vcd, registers.vats[0], Dialect::Spec);
        plan.fetch(&draw, &registers.arrays, Memory::from(&scene.memory), &mut fetched);
        let words = vec![0; 4 * list.len() * scene.count];
        Alone { program, worker: Worker::new(), constants, list, words, fetched }
    }

    fn run(&mut self, inputs: &Inputs<'_>) {
        let mut constants = Constants::read_only(&self.constants);
        let outputs = Outputs::interleaved(&mut self.words, &self.list);
        self.program.run_on(&mut self.worker, &mut constants, inputs, &outputs).expect("it is there");
    }

    fn run_rows(&mut self, scene: &Scene) {
        let fetched = std::mem::take(&mut self.fetched);
        self.run(&fetched.inputs(&scene.unit.fifo.processor.registers));
        self.fetched = fetched;
    }
}

/// The device makes what the engine does.
fn check() {
    for source in [Source::Direct, Source::Index8] {
        let mut scene = Scene::new(source, COUNTS[0]);
        let mut alone = Alone::new(&scene, InputLayout::ROWS);
        alone.run_rows(&scene);
        let Scene { unit, memory, draw, .. } = &mut scene;
        let mut drawn = 0;
        unit.set_held(0);
        for hot in [u64::MAX, 0] {
            unit.set_hot(hot);
            unit.run(draw, &*memory, Budget::NONE, |output| {
                if let Output::Drawn(output) = output {
                    assert_eq!(output.vertices.words, &alone.words[..]);
                    drawn += 1;
                }
            });
        }
        assert_eq!((drawn, unit.stats().in_place), (2, COUNTS[0] as u64));
    }
}

/// With code that reads vertices where they lie from the first draw on, or never.
fn device(bencher: Bencher<'_, '_>, source: Source, count: usize, in_place: bool) {
    let mut scene = Scene::new(source, count);
    scene.unit.set_hot(if in_place { 0 } else { u64::MAX });
    scene.unit.set_held(0);
    scene.run();
    bencher.counter(ItemsCount::new(count)).bench_local(|| scene.run());
}

/// How strips are run.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    /// Each by itself.
    Not,
    /// Together, those of one matrix.
    Versions,
    /// Together, each vertex with its matrix.
    Indexed,
}

/// Draws as games make them: strips of four, before each of which its matrices are loaded, so many in a row.
fn strips(bencher: Bencher<'_, '_>, matrices: bool, held: Held) {
    const DRAWS: usize = 64;
    let mut scene = Scene::new(Source::Direct, 4);
    let draw = std::mem::take(&mut scene.draw);
    for number in 0..DRAWS {
        if matrices {
            for (address, words) in [(0u32, 12u32), (0x400, 9)] {
                scene.draw.push(0x10);
                scene.draw.extend(((words - 1) << 16 | address).to_be_bytes());
                for word in 0..words {
                    let diagonal = word % if address == 0 { 5 } else { 4 } == 0;
                    let float = if diagonal { 1.0 + number as f32 / 64.0 } else { 0.25 };
                    scene.draw.extend(float.to_be_bytes());
                }
            }
        }
        scene.draw.extend_from_slice(&draw);
    }
    if held == Held::Not {
        scene.unit.set_held(0);
    }
    scene.unit.set_hot(if held == Held::Indexed { 0 } else { u64::MAX });
    scene.run();
    bencher.counter(ItemsCount::new(DRAWS)).bench_local(|| scene.run());
}

#[divan::bench]
fn strips_in_a_row(bencher: Bencher<'_, '_>) {
    strips(bencher, false, Held::Versions);
}

#[divan::bench]
fn strips_in_a_row_each_alone(bencher: Bencher<'_, '_>) {
    strips(bencher, false, Held::Not);
}

#[divan::bench]
fn strips_with_matrices(bencher: Bencher<'_, '_>) {
    strips(bencher, true, Held::Indexed);
}

#[divan::bench]
fn strips_with_matrices_by_version(bencher: Bencher<'_, '_>) {
    strips(bencher, true, Held::Versions);
}

#[divan::bench]
fn strips_with_matrices_each_alone(bencher: Bencher<'_, '_>) {
    strips(bencher, true, Held::Not);
}

/// The first draw of a configuration, of an engine that has no other.
fn first_draw(bencher: Bencher<'_, '_>, count: usize, options: fn() -> Options) {
    bencher.with_inputs(|| Scene::of(Source::Direct, count, options())).bench_local_refs(|scene| scene.run());
}

#[divan::bench(args = COUNTS, sample_size = 1)]
fn first_draw_compiled_at_once(bencher: Bencher<'_, '_>, count: usize) {
    first_draw(bencher, count, Options::default);
}

#[divan::bench(args = COUNTS, sample_size = 1)]
fn first_draw_in_the_interpreter(bencher: Bencher<'_, '_>, count: usize) {
    first_draw(bencher, count, || Options::background(1 << 12));
}

#[divan::bench(args = COUNTS)]
fn device_direct(bencher: Bencher<'_, '_>, count: usize) {
    device(bencher, Source::Direct, count, true);
}

#[divan::bench(args = COUNTS)]
fn device_index8(bencher: Bencher<'_, '_>, count: usize) {
    device(bencher, Source::Index8, count, true);
}

#[divan::bench(args = COUNTS)]
fn device_columns_direct(bencher: Bencher<'_, '_>, count: usize) {
    device(bencher, Source::Direct, count, false);
}

#[divan::bench(args = COUNTS)]
fn device_columns_index8(bencher: Bencher<'_, '_>, count: usize) {
    device(bencher, Source::Index8, count, false);
}

#[divan::bench(args = COUNTS)]
fn engine_rows(bencher: Bencher<'_, '_>, count: usize) {
    let scene = Scene::new(Source::Direct, count);
    let mut alone = Alone::new(&scene, InputLayout::ROWS);
    bencher.counter(ItemsCount::new(count)).bench_local(|| alone.run_rows(&scene));
}

fn layout() -> InputLayout {
    FORMATS.iter().fold(InputLayout::ROWS, |layout, &(register, _, format)| layout.with(register, format))
}

#[divan::bench(args = COUNTS)]
fn engine_in_place_direct(bencher: Bencher<'_, '_>, count: usize) {
    let scene = Scene::new(Source::Direct, count);
    let mut alone = Alone::new(&scene, layout());
    let mut inputs = Inputs::new(count);
    let mut at = 3;
    for (register, bytes, format) in FORMATS {
        inputs = inputs.formatted(register, &scene.draw[at..], VERTEX, format);
        at += bytes as usize;
    }
    bencher.counter(ItemsCount::new(count)).bench_local(|| alone.run(&inputs));
}

/// Indices are there as halves of the host, in lists of their own.
#[divan::bench(args = COUNTS)]
fn engine_in_place_indexed(bencher: Bencher<'_, '_>, count: usize) {
    let scene = Scene::new(Source::Index8, count);
    assert_eq!(scene.source, Source::Index8);
    let lists: [Vec<u16>; 4] = std::array::from_fn(|place| {
        scene.draw[3..].chunks_exact(4).map(|vertex| u16::from(vertex[place])).collect()
    });
    let indices = FORMATS
        .iter()
        .fold(IndexLayout::NONE, |layout, &(register, ..)| layout.with(register, Some(IndexWidth::Half)));
    let mut alone = Alone::new(&scene, layout().indexed(indices));
    let numberings: [(usize, Numbering<'_>); 4] =
        std::array::from_fn(|place| (FORMATS[place].0, Numbering::List(Indices::from(&lists[place]))));
    let mut inputs = Inputs::new(count).numbered(&numberings);
    for (place, (register, bytes, format)) in FORMATS.into_iter().enumerate() {
        let array = &scene.memory[0x800 * place..][..ELEMENTS * bytes as usize];
        inputs = inputs.formatted(register, array, bytes as usize, format);
    }
    bencher.counter(ItemsCount::new(count)).bench_local(|| alone.run(&inputs));
}
