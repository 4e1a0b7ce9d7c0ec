//! No backend touches a byte outside of the streams (invariant I10): every buffer ends where memory ends, or starts
//! where it starts, so that a stray access is fatal.

#[path = "guard_pages/tails.rs"]
mod tails;

use region::{Allocation, Protection, page};
use std::ops::Range;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Runs};
use xfjit::chip::flipper::vat::Vat;
use xfjit::chip::flipper::vcd::{Attribute as VertexAttribute, Source, Vcd};
use xfjit::config::FlipperQuirks;
use xfjit::flipper::{self, Budget, FlipperUnit, Quirks, vertex};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Output, Outputs};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::format::{ByteOrder, Encoding, Format, InputLayout};
use xfjit::runtime::indices::{IndexLayout, IndexWidth, Indices, Numbering};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, OUTPUTS, Row};
use xfjit::{Config, Engine, Generation, Options, Worker, asm};
use xfjit_testing::RandomCase;
use xfjit_testing::case::Feed;
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{Case, Choices, Limits, backends, backends_and_evaluated, share};

/// Which end of a buffer lies at the border of accessible memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Border {
    Start,
    End,
}

/// A copy of bytes with inaccessible pages before and behind it.
struct Guarded {
    memory: Allocation,
    bytes: Range<usize>,
}

impl Guarded {
    fn new(bytes: &[u8], border: Border) -> Self {
        let pages = bytes.len().next_multiple_of(page::size()).max(page::size());
        let mut memory = region::alloc(pages + 2 * page::size(), Protection::READ_WRITE).expect("memory");
        let start = page::size() + if border == Border::Start { 0 } else { pages - bytes.len() };
        let first: *mut u8 = memory.as_mut_ptr();
        // SAFETY: the allocation is readable and writable, has just been made, and holds the range: a page, as many
        // pages as the bytes need, a page. The pages made inaccessible are the first and the last, and nothing refers
        // to them.
        unsafe {
            std::slice::from_raw_parts_mut(first.add(start), bytes.len()).copy_from_slice(bytes);
            region::protect(first, page::size(), Protection::NONE).expect("the page before");
            region::protect(first.add(page::size() + pages), page::size(), Protection::NONE)
                .expect("the page behind");
        }
        Guarded { memory, bytes: start..start + bytes.len() }
    }

    fn bytes(&self) -> &[u8] {
        let first: *const u8 = self.memory.as_ptr();
        // SAFETY: the range is initialised, accessible, and borrowed as long as the slice lives.
        unsafe { std::slice::from_raw_parts(first.add(self.bytes.start), self.bytes.len()) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let first: *mut u8 = self.memory.as_mut_ptr();
        // SAFETY: as above, and mutably borrowed.
        unsafe { std::slice::from_raw_parts_mut(first.add(self.bytes.start), self.bytes.len()) }
    }

    /// The bytes as indices.
    fn indices(&self, width: IndexWidth) -> Indices<'_> {
        match width {
            IndexWidth::Half => self.words::<u16>().into(),
            IndexWidth::Word => self.words::<u32>().into(),
        }
    }

    fn words<T: Word>(&self) -> &[T] {
        let bytes = self.bytes();
        // SAFETY: any bits are such a number.
        let (before, indices, behind) = unsafe { bytes.align_to::<T>() };
        assert!(before.is_empty() && behind.is_empty(), "whole words next to a page border are aligned");
        indices
    }
}

/// Numbers of index lists: any bits are one.
trait Word {}
impl Word for u16 {}
impl Word for u32 {}

impl Guarded {
    /// The bytes as rows of constants.
    fn rows_mut(&mut self) -> &mut [Row] {
        // SAFETY: any bits are a row.
        let (before, rows, behind) = unsafe { self.bytes_mut().align_to_mut::<Row>() };
        assert!(before.is_empty() && behind.is_empty(), "whole rows next to a page border are aligned");
        rows
    }
}

/// Bytes of a stream that the vertices up to `last` need.
fn needed(case: &Case, stride: usize, components: u8) -> usize {
    let last = match &case.indices {
        Some(indices) => indices.iter().max().map(|&index| index as usize),
        None => case.count.checked_sub(1),
    };
    last.map_or(0, |last| last * stride + 4 * usize::from(components))
}

/// Bytes of output memory that the live registers need, from the first that is used.
fn output_end(case: &Case) -> usize {
    let live = (0..OUTPUTS).filter(|register| case.config.live_outputs >> register & 1 != 0);
    let ends = live.filter_map(|register| case.places[register]).map(|place| match case.config.layout {
        Layout::Rows => place.offset + (case.count.max(1) - 1) * place.stride + 16,
        Layout::Planes => place.offset + 3 * place.stride + 4 * case.count,
    });
    if case.count == 0 { 0 } else { ends.max().unwrap_or(0) }
}

/// None if the backend refuses the program.
fn run_guarded(
    case: &Case,
    backend: &dyn Backend,
    border: Border,
    layout: InputLayout,
) -> Option<(Vec<u8>, Vec<Row>)> {
    let feeds: Vec<Option<Guarded>> = case
        .attributes
        .iter()
        .map(|feed| match feed {
            Feed::Constant(_) => None,
            Feed::Stream { data, offset, stride, components } => {
                let size = needed(case, *stride, *components);
                Some(Guarded::new(&data[*offset..offset + size], border))
            }
        })
        .collect();
    let width = layout.indices().width().unwrap_or(IndexWidth::Word);
    let indices = case.indices.as_ref().map(|indices| {
        let bytes: Vec<u8> = match width {
            IndexWidth::Half => indices.iter().flat_map(|&index| (index as u16).to_ne_bytes()).collect(),
            IndexWidth::Word => indices.iter().flat_map(|index| index.to_ne_bytes()).collect(),
        };
        Guarded::new(&bytes, border)
    });
    let attributes = std::array::from_fn(|register| match (&case.attributes[register], &feeds[register]) {
        (&Feed::Stream { stride, components, .. }, Some(data)) => {
            Attribute::Stream { data: data.bytes(), stride, components }
        }
        (&Feed::Constant(row), _) => Attribute::Constant(row),
        (Feed::Stream { .. }, None) => unreachable!("every stream is guarded"),
    });
    let mut inputs = Inputs::new(case.count);
    (inputs.attributes, inputs.indices) =
        (attributes, indices.as_ref().map(|indices| indices.indices(width)));
    let inputs = inputs.textured(case.texels.textures());
    let mut output = Guarded::new(&case.fresh_output()[..output_end(case)], border);
    let context = case.context();
    let mut rows = context.rows().to_vec();
    // Every other time with a row of zeros behind them, which code of a program without constant writes reads in place.
    let zeros = case.count % 2;
    rows.resize(rows.len() + zeros, [0; 4]);
    let bytes: Vec<u8> = rows.as_flattened().iter().flat_map(|word| word.to_ne_bytes()).collect();
    let mut rows = Guarded::new(&bytes, border);
    let program = case.program().expect("it decodes");
    let routine = backend.prepare(&Microcode::shader(&program, &case.config).with_inputs(layout)).ok()?;
    let data = output.bytes_mut();
    let outputs = Outputs::new(data, case.config.layout, case.places);
    let constants = Constants::new(rows.rows_mut());
    let mut constants = if zeros == 1 { constants.with_zero_row() } else { constants };
    routine
        .run_on(&mut Worker::new(), &mut constants, &inputs, &outputs)
        .expect("the streams are long enough");
    let written = constants.rows().to_vec();
    Some((output.bytes().to_vec(), written))
}

/// The traps are there: without them the tests below would test nothing.
#[test]
fn the_pages_around_a_buffer_are_inaccessible() {
    for border in [Border::Start, Border::End] {
        let memory = Guarded::new(&[1; 5000], border);
        assert_eq!(memory.bytes(), [1; 5000]);
        let protection = |at: *const u8| region::query(at).expect("a mapping").protection();
        let inside = memory.bytes().as_ptr_range();
        let (before, behind) = match border {
            Border::Start => (1, page::size()),
            Border::End => (page::size(), 0),
        };
        assert_eq!(protection(inside.start.wrapping_sub(before)), Protection::NONE);
        assert_eq!(protection(inside.end.wrapping_add(behind)), Protection::NONE);
        assert_eq!(protection(inside.start), Protection::READ_WRITE);
    }
}

/// The layout of a case, for which code reads all attributes where they are.
fn layout(case: &Case) -> InputLayout {
    let feeds = case.attributes.iter().enumerate();
    feeds.fold(InputLayout::ROWS, |layout, (register, feed)| match *feed {
        Feed::Constant(_) => layout,
        Feed::Stream { components, .. } => layout.with(register, Format::words(components, ByteOrder::Host)),
    })
}

/// Tells whether some backend has refused the program. Evaluated code takes long, and is not for all cases.
fn check(case: &Case, is_evaluated: bool) -> bool {
    let mut refused = false;
    let want = case.run(&Interp::Single, &mut Worker::new()).expect("the reference runs every case");
    let all = if is_evaluated { backends_and_evaluated } else { backends };
    for backend in all(case.config.model) {
        let mut ways = vec![(InputLayout::ROWS, Border::Start), (InputLayout::ROWS, Border::End)];
        if backend.runs() == Runs::Native {
            ways.push((layout(case), Border::End));
            for width in [IndexWidth::Half, IndexWidth::Word].into_iter().filter(|_| case.indices.is_some()) {
                let layout = layout(case).indexed(IndexLayout::shared(width));
                ways.push((layout, Border::End));
            }
        }
        for (layout, border) in ways {
            let Some((output, rows)) = run_guarded(case, &*backend, border, layout) else {
                refused = true;
                continue;
            };
            let name = backend.name();
            assert!(output == want.output[..output.len()], "{name}, {layout:?}, {border:?}\n{case}");
            assert!(rows == want.context.rows(), "{name}, {layout:?}, {border:?}\n{case}");
        }
    }
    refused
}

#[test]
fn random_cases_stay_inside_their_buffers() {
    let mut refused = 0;
    for seed in 0..share(250) {
        let mut c = Choices::seed(seed);
        let mut limits = Limits::choose(&mut c, Generation::ALL[seed as usize % 3]);
        limits.shape.slots = limits.shape.slots.min(136);
        refused += usize::from(check(&Case::within(&mut c, limits), seed % 5 == 0));
    }
    assert!(refused < 25, "most programs are compiled, {refused} were not");
}

#[test]
fn odd_strides_and_counts_stay_inside_their_buffers() {
    let shape = Shape { slots: 12, rare: 5, raw: 0, idioms: 50 };
    for (seed, count) in (0..=18).chain([31, 32, 33]).chain(61..=68).enumerate() {
        for stride in [0, 1, 4, 12, 13, 16, 20, 4096] {
            let mut c = Choices::seed(seed as u64);
            let model = Some(Model::Ieee);
            let limits =
                Limits { generation: Generation::Kelvin, shape, temper: Temper::Mixed, vertices: 0, model };
            let mut case = Case::within(&mut c, limits);
            (case.count, case.indices) = (count, None);
            let mut size = 0;
            for (register, feed) in case.attributes.iter_mut().enumerate() {
                let components = if register % 3 == 2 { 3 } else { 4 };
                *feed = Feed::Stream { data: vec![0x3f; 70 * 4096], offset: 0, stride, components };
            }
            for (register, place) in case.places.iter_mut().enumerate() {
                use xfjit::runtime::batch::Place;
                // The last register ends the memory.
                let (offset, own) = match case.config.layout {
                    Layout::Rows => (register * 17, 16 * 17),
                    Layout::Planes => (register * (4 * (4 * count + 1)), 4 * count + 1),
                };
                *place = Some(Place { offset, stride: own });
                size = offset + if case.config.layout == Layout::Rows { own * count } else { 4 * own };
            }
            case.output_bytes = size + 17;
            assert!(!check(&case, stride % 5 == 0 || stride == 12));
        }
    }
}

/// How attributes of the test below are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    ByPosition,
    Through(IndexWidth),
    /// One of them through a list of its own.
    ThroughTwo,
}

/// Batches of every size up to a few groups: vertices that are copied, loaded in columns and stored, whether the last group is
/// whole or not, and the numbers of index lists.
#[test]
fn groups_of_any_size_touch_the_vertices_that_are_there() {
    const MOST: usize = 33;
    const OUTPUT_REGISTERS: [u8; 2] = [0, 3];
    let program =
        asm::parse(Generation::Kelvin, "MOV R0, v2\nMOV oPos, v0\nMUL oD0, R0, v1").expect("it assembles");
    let program = Arc::new(program);
    let mut worker = Worker::new();
    let number = |position: usize| position * 5 % 7;
    let halves: Vec<u8> = (0..MOST).flat_map(|i| (number(i) as u16).to_ne_bytes()).collect();
    let words: Vec<u8> = (0..MOST).flat_map(|i| (number(i) as u32).to_ne_bytes()).collect();
    let formats = [(Encoding::Float, 4), (Encoding::Float, 3), (Encoding::U16, 3), (Encoding::Unorm8, 4)];
    for (encoding, components) in formats {
        let format = Format::host(encoding, components);
        for layout in [Layout::Rows, Layout::Planes] {
            let config = Config::new(Generation::Kelvin)
                .model(Model::Ieee)
                .live_outputs(0b1001)
                .with(|config| config.layout = layout);
            for found in [
                Found::ByPosition,
                Found::Through(IndexWidth::Half),
                Found::Through(IndexWidth::Word),
                Found::ThroughTwo,
            ] {
                let lists = match found {
                    Found::ByPosition => IndexLayout::NONE,
                    Found::Through(width) => IndexLayout::shared(width),
                    Found::ThroughTwo => {
                        IndexLayout::shared(IndexWidth::Word).with(2, Some(IndexWidth::Half))
                    }
                };
                let inputs = InputLayout::ROWS.with(1, format).indexed(lists);
                let shader = Microcode::shader(&program, &config).with_inputs(inputs);
                let mut routines: Vec<_> = backends_and_evaluated(Model::Ieee)
                    .into_iter()
                    .filter(|backend| backend.runs() == Runs::Native)
                    .map(|backend| (backend.prepare(&shader).expect("it is small"), backend.name()))
                    .collect();
                let reference = Interp::Single.prepare(&shader).expect("it runs everything");
                routines.insert(0, (reference, "the reference"));
                for (count, gap) in (1..=MOST).flat_map(|count| [0, 13].map(|gap| (count, gap))) {
                    let border = if (count + gap) % 4 == 0 { Border::Start } else { Border::End };
                    let vertices = if found == Found::ByPosition {
                        count
                    } else {
                        (0..count).map(number).max().unwrap() + 1
                    };
                    let stream = |bytes: usize, stride: usize, seed: usize| {
                        let size = (vertices - 1) * stride + bytes;
                        // Floats that are no NaN, which would leave groups to the interpreter.
                        let bytes: Vec<u8> = (0..size).map(|at| ((at * 7 + seed) % 61) as u8).collect();
                        Guarded::new(&bytes, border)
                    };
                    let strides = [16 + gap, format.bytes() + gap, if gap == 0 { 0 } else { 17 }];
                    let streams = [
                        stream(16, strides[0], 1),
                        stream(format.bytes(), strides[1], 2),
                        stream(16, strides[2], 3),
                    ];
                    let lists = [(&halves, 2), (&words, 4)]
                        .map(|(bytes, width)| Guarded::new(&bytes[..width * count], border));
                    let [halves, words] = [(0, IndexWidth::Half), (1, IndexWidth::Word)]
                        .map(|(i, width)| lists[i].indices(width));
                    let own = [(2, Numbering::List(halves))];
                    let inputs = Inputs::new(count)
                        .with(0, whole(&streams[0], strides[0]))
                        .formatted(1, streams[1].bytes(), strides[1], format)
                        .with(2, whole(&streams[2], strides[2]));
                    let inputs = match found {
                        Found::ByPosition => inputs,
                        Found::Through(IndexWidth::Half) => inputs.indexed(halves),
                        Found::Through(IndexWidth::Word) => inputs.indexed(words),
                        Found::ThroughTwo => inputs.indexed(words).numbered(&own),
                    };
                    let (size, step) = match layout {
                        Layout::Rows => ((count - 1) * (16 + gap) + 16, 16 + gap),
                        Layout::Planes => (3 * (4 * count + gap) + 4 * count, 4 * count + gap),
                    };
                    let mut want: Option<Vec<Vec<u8>>> = None;
                    for (routine, name) in &routines {
                        let mut memory = OUTPUT_REGISTERS.map(|_| Guarded::new(&vec![0x5a; size], border));
                        let mut outputs = Outputs::none(layout);
                        for (memory, register) in memory.iter_mut().zip(OUTPUT_REGISTERS) {
                            outputs = outputs.with(register, Output::new(memory.bytes_mut(), step));
                        }
                        let rows = vec![[0; 4]; 192];
                        let outcome = routine
                            .run_on(&mut worker, &mut Constants::read_only(&rows), &inputs, &outputs)
                            .expect("the vertices are there");
                        assert_eq!(outcome.deopt_groups, 0, "{name}: no NaN is there");
                        let got: Vec<Vec<u8>> = memory.iter().map(|memory| memory.bytes().to_vec()).collect();
                        let want = want.get_or_insert_with(|| got.clone());
                        assert!(got == *want, "{name}: {count}, {gap}, {layout:?}, {found:?}, {format:?}");
                    }
                }
            }
        }
    }
}

/// Rows of four floats.
fn whole(memory: &Guarded, stride: usize) -> Attribute<'_> {
    Attribute::Stream { data: memory.bytes(), stride, components: 4 }
}

/// Elements of one to sixteen bytes, the last of which ends where the memory does.
#[test]
fn packed_elements_are_read_to_their_last_byte_and_no_further() {
    let program = asm::parse(Generation::Kelvin, "MOV oPos, v1").expect("it assembles");
    let program = Arc::new(program);
    for &encoding in Encoding::ALL {
        for components in encoding.least()..=encoding.most() {
            let format = Format::host(encoding, components);
            let config = Config::new(Generation::Kelvin).model(Model::Hw).live_outputs(1);
            let layout = InputLayout::ROWS.with(1, format);
            let shader = Microcode::shader(&program, &config).with_inputs(layout);
            for (stride, count) in [(0, 4), (1, 8), (format.bytes(), 9), (16, 8)] {
                let size = stride * (count - 1) + format.bytes();
                let bytes: Vec<u8> = (0..size).map(|i| (i * 29 + 3) as u8).collect();
                for border in [Border::Start, Border::End] {
                    let memory = Guarded::new(&bytes, border);
                    for backend in backends_and_evaluated(Model::Hw) {
                        let routine = backend.prepare(&shader).expect("it is small enough");
                        let mut words = vec![0; 4 * count];
                        let mut outputs = Outputs::interleaved(&mut words, &[0]);
                        let inputs = Inputs::new(count).formatted(1, memory.bytes(), stride, format);
                        let done =
                            routine.run(&mut Worker::new(), &mut Context::new(192), &inputs, &mut outputs);
                        done.expect("the elements are there");
                        for (vertex, got) in words.as_chunks::<4>().0.iter().enumerate() {
                            let want = format.value(format.element(&bytes[vertex * stride..]));
                            assert_eq!(*got, want, "{} {format:?}", backend.name());
                        }
                    }
                }
            }
        }
    }
}

/// Attributes of an array that are loaded at once, up to the last byte of the last one.
#[test]
fn neighbours_are_read_to_the_last_byte_and_no_further() {
    const OUTPUTS: [u8; 3] = [0, 3, 9];
    let program =
        asm::parse(Generation::Kelvin, "MOV oPos, v0\nMOV oD0, v3\nMOV oT0, v8").expect("it assembles");
    let program = Arc::new(program);
    let live = OUTPUTS.iter().fold(0, |live, output| live | 1_u32 << output);
    let config = Config::new(Generation::Kelvin).model(Model::Hw).live_outputs(live);
    for last in [(Encoding::Half, 2), (Encoding::Half, 1), (Encoding::U16, 3), (Encoding::Unorm8, 1)] {
        let formats = [(Encoding::S1, 3), (Encoding::UbD3d, 4), last];
        let formats = formats.map(|(encoding, components)| Format::host(encoding, components));
        let [v0, v3, v8] = formats;
        let layout = InputLayout::ROWS.with(0, v0).with(3, v3).with(8, v8);
        let shader = Microcode::shader(&program, &config).with_inputs(layout);
        for (stride, count) in [(0, 16), (1, 32), (12 + v8.bytes(), 33), (24, 48)] {
            let bytes: Vec<u8> =
                (0..stride * (count - 1) + 12 + v8.bytes()).map(|i| (i * 29 + 3) as u8).collect();
            for border in [Border::Start, Border::End] {
                let memory = Guarded::new(&bytes, border);
                for backend in backends_and_evaluated(Model::Hw) {
                    let routine = backend.prepare(&shader).expect("it is small enough");
                    let mut words = vec![0; 4 * OUTPUTS.len() * count];
                    let mut outputs = Outputs::interleaved(&mut words, &OUTPUTS);
                    let inputs = Inputs::new(count)
                        .formatted(0, memory.bytes(), stride, v0)
                        .formatted(3, &memory.bytes()[8..], stride, v3)
                        .formatted(8, &memory.bytes()[12..], stride, v8);
                    let done = routine.run(&mut Worker::new(), &mut Context::new(192), &inputs, &mut outputs);
                    done.expect("the elements are there");
                    for (number, got) in words.as_chunks::<4>().0.iter().enumerate() {
                        let (vertex, attribute) = (number / OUTPUTS.len(), number % OUTPUTS.len());
                        let (format, at) = (formats[attribute], [0, 8, 12][attribute]);
                        let want = format.value(format.element(&bytes[at + vertex * stride..]));
                        assert_eq!(*got, want, "{} {format:?} {stride} {number}", backend.name());
                    }
                }
            }
        }
    }
}

/// Whatever formats, strides and bases a stream of Flipper's names: elements at both ends of memory and behind it, indices of all
/// widths, vertices up to the last byte of the stream.
#[test]
fn flipper_reads_neither_outside_of_the_stream_nor_of_memory() {
    let engine = Arc::new(Engine::new(Options::default().with(|o| o.backend = Arc::new(Interp::Batched))));
    let mut unit = FlipperUnit::new(engine, Quirks::default(), FlipperQuirks::SPEC);
    // Native code that reads vertices where they lie.
    let engine = Arc::new(Engine::new(Options::default()));
    let mut placing = FlipperUnit::new(engine, Quirks::default(), FlipperQuirks::SPEC);
    placing.set_hot(0);
    placing.set_held(0);
    let mut c = Choices::seed(31);
    let (mut vertices, mut colours) = (0, 0);
    for round in 0..400_usize {
        let memory_bytes = 1 + c.below(900);
        let mut stream = Vec::new();
        let mut cp = |register: u8, value: u32| {
            stream.extend([8, register]);
            stream.extend(value.to_be_bytes());
        };
        let vcd = Vcd { lo: c.word() & c.word() & Vcd::LO, hi: c.word() & c.word() & Vcd::HI };
        let vcd = vcd.with(VertexAttribute::Position, Source::ALL[1 + round % 3]);
        let vcd = vcd.with(VertexAttribute::Colour(0), Source::ALL[round / 3 % 4]);
        let vat = Vat([c.word(), c.word(), c.word()]);
        let formats = [(0x50, vcd.lo), (0x60, vcd.hi), (0x70, vat.0[0]), (0x80, vat.0[1]), (0x90, vat.0[2])];
        formats.into_iter().for_each(|(register, value)| cp(register, value));
        for array in 0..16 {
            // The last element that an index of a byte names ends with memory, or near that; or its first begins there.
            let stride = c.below(4);
            let end = memory_bytes.saturating_sub(255 * stride + c.below(40));
            cp(0xa0 | array, if c.chance(80) { end } else { memory_bytes.saturating_sub(c.below(20)) });
            cp(0xb0 | array, stride);
        }
        // Positions leave as they come, and the first colour as it is in vertices.
        stream.extend([0x10, 0, 2, 0, 0]);
        stream.extend([1_f32, 0.0, 0.0].into_iter().flat_map(|float| float.to_bits().to_be_bytes()));
        stream.extend([0x10, 0, 0, 0x10, 0x09, 0, 0, 0, 1, 0x10, 0, 0, 0x10, 0x0e, 0, 0, 0, 1]);
        let count = if round % 50 == 0 { 520 } else { c.below(30) as u16 };
        stream.extend([0x90, (count >> 8) as u8, count as u8]);
        let bytes = vertex::size(vcd, vat) * usize::from(count);
        stream.extend((0..bytes).map(|_| if c.chance(30) { 0xfe } else { c.word() as u8 }));
        let memory: Vec<u8> = (0..memory_bytes).map(|_| c.word() as u8).collect();
        let mut run = |unit: &mut FlipperUnit, stream: &[u8], memory: &[u8]| {
            let mut words = Vec::new();
            let used = unit.run(stream, memory, Budget::NONE, |output| {
                if let flipper::Output::Drawn(drawn) = output {
                    words.extend_from_slice(drawn.vertices.words);
                    vertices += drawn.vertices.count;
                    colours += usize::from(vcd.source(VertexAttribute::Colour(0)) != Source::Absent);
                }
            });
            assert_eq!(used, stream.len());
            words
        };
        let want = run(&mut unit, &stream, &memory);
        for border in [Border::Start, Border::End] {
            let (stream, memory) = (Guarded::new(&stream, border), Guarded::new(&memory, border));
            assert_eq!(run(&mut unit, stream.bytes(), memory.bytes()), want, "{vcd:x?} {vat:x?}");
            if round % 8 == 0 {
                // What earlier vertices have left.
                placing.fifo.processor.registers.normals = unit.fifo.processor.registers.normals;
                let got = run(&mut placing, stream.bytes(), memory.bytes());
                assert_eq!(got, want, "in place, {vcd:x?} {vat:x?}");
            }
        }
    }
    assert!(vertices > 10_000 && colours > 500, "{vertices} {colours}");
    let in_place = placing.stats().in_place;
    assert!(in_place > 400 || !cfg!(feature = "jit"), "{in_place}");
}
