//! What a host asks beside the stream: pieces of any size, vertices in its own layout, vertices transformed alone, draws that cannot be
//! seen, the second memory of the Wii.

use xfjit::chip::flipper::input;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::transform::Vertices;
use xfjit::chip::flipper::vat::Vat;
use xfjit::chip::flipper::vcd::{Attribute, Source as InVertex, Vcd};
use xfjit::flipper::{
    Array, Budget, Call, Console, Cull, Dialect, Draw, Element, Fetch, FlipperUnit, Layout, LayoutError,
    Memory, Output, Quirks, Ram, Registers, Source, Stored, TransformError, Vertex, vertex,
};
use xfjit::runtime::batch::{Attribute as Column, Inputs};
use xfjit::shader::Cancel;
use xfjit_testing::Choices;
use xfjit_testing::flipper_streams::{Stream, random_memory, random_stream};
use xfjit_testing::flipper_unit::{Out, interpreting_unit, run, unit};

fn element(source: Source, stored: Stored, components: u8, offset: usize, stride: usize) -> Element {
    Element { source, stored, components, offset, stride }
}

/// A vertex of a host that has everything: 9 bytes of indices, 4 x 3 floats, 2 colours, 8 x 2 floats.
const SIZE: usize = 12 + 48 + 8 + 64;

fn everything() -> Layout {
    let mut elements = Vec::new();
    for number in 0..9 {
        elements.push(element(Source::Matrix(number), Stored::U8, 1, usize::from(number), SIZE));
    }
    for register in 0..4 {
        let at = 12 + 12 * usize::from(register);
        elements.push(element(Source::Attribute(register), Stored::F32, 3, at, SIZE));
    }
    for register in 0..2 {
        let (source, at) = (input::COLOUR as u8 + register, 60 + 4 * usize::from(register));
        elements.push(element(Source::Attribute(source), Stored::U8, 4, at, SIZE));
    }
    for register in 0..8 {
        let (source, at) = (input::TEXCOORD as u8 + register, 68 + 8 * usize::from(register));
        elements.push(element(Source::Attribute(source), Stored::F32, 2, at, SIZE));
    }
    Layout::new(&elements).expect("it is one")
}

/// A vertex as that layout has it.
fn bytes_of(vertex: &Vertex) -> Vec<u8> {
    let mut bytes = vertex.matrices.to_vec();
    bytes.resize(12, 0xee);
    let words = vertex.position.iter().chain(vertex.normals.iter().flatten());
    words.for_each(|word| bytes.extend(word.to_ne_bytes()));
    vertex.colours.iter().for_each(|colour| bytes.extend(colour.to_be_bytes()));
    vertex.texcoords.iter().flatten().for_each(|word| bytes.extend(word.to_ne_bytes()));
    bytes
}

/// The loader of vertices equals the reference, whatever registers say, and keeps the same normals.
#[test]
fn vertices_are_fetched_into_a_layout() {
    let mut c = Choices::seed(31);
    let (layout, mut left_out) = (everything(), 0);
    let bytes: Vec<u8> = (0..4000).map(|_| c.word() as u8).collect();
    for round in 0..400 {
        let dialect = Dialect::ALL[round % Dialect::ALL.len()];
        let quirks = Quirks { dialect, ..Quirks::default() };
        let mut unit = interpreting_unit(quirks);
        let given: [u32; 2] = [c.word() & 0x3fff_ffff, c.word() & 0x00ff_ffff];
        let kept = c.chance(50).then(|| [1, 2, 3].map(|word: u32| word.wrapping_mul(c.word())));
        let registers = Registers {
            matrices: given,
            vcd: Vcd { lo: c.word() & Vcd::LO, hi: c.word() & Vcd::HI },
            vats: std::array::from_fn(|_| Vat([c.word(), c.word(), c.word()])),
            arrays: std::array::from_fn(|_| Array { base: c.below(900), stride: c.below(40) }),
            normals: [kept; 3],
            ..Registers::default()
        };
        unit.fifo.processor.registers = registers.clone();
        let opcode = 0x80 | c.below(64) as u8;
        let size = unit.vertex_size(opcode);
        let count = c.below(30) as u16;
        let mut stream: Vec<u8> = (0..size * usize::from(count)).map(|_| c.word() as u8).collect();
        let vat = registers.vats[usize::from(opcode & 7)];
        for vertex in stream.chunks_exact_mut(size.max(1)).filter(|_| c.below(4) == 0) {
            let at = vertex::offset(registers.vcd, vat, Attribute::Position);
            let own = vertex::bytes(registers.vcd, vat, Attribute::Position);
            vertex[at..at + own].fill(0xff);
        }
        let memory = Memory::from(&bytes);
        let call = Call { opcode, count, bytes: &stream, memory };
        let draw = Draw::new(&registers, opcode, count, &stream).expect("it is whole");
        let fetch = Fetch::new(&registers, draw.vat(), memory, dialect);
        let mut want = Vec::new();
        for number in 0..usize::from(count) {
            let (mut vertex, is_there) = fetch.vertex(draw.vertex(number));
            left_out += usize::from(!is_there);
            for (at, normal) in vertex.normals.iter_mut().enumerate() {
                let has = registers.vcd.source(Attribute::Normal) != InVertex::Absent;
                if !has || at > 0 && !vat.has_tangents() {
                    *normal = kept.unwrap_or_default();
                }
            }
            for (at, index) in
                vertex.matrices.iter_mut().enumerate().filter(|(at, _)| !registers.vcd.has_matrix(*at))
            {
                *index = (given[at / 5] >> (6 * (at % 5)) & 63) as u8;
            }
            if is_there {
                want.extend(bytes_of(&vertex));
            }
        }
        let mut got = vec![0xee; SIZE * usize::from(count)];
        let stored = unit.fetch(&call, &layout, &mut got).expect("there is room");
        assert_eq!((stored * SIZE, &got[..stored * SIZE]), (want.len(), &want[..]), "{registers:x?}");
        assert!(got[stored * SIZE..].iter().all(|&byte| byte == 0xee), "what is behind them stays");
        let backwards = (0..usize::from(count)).rev().map(|number| draw.vertex(number));
        assert_eq!(unit.fifo.processor.registers.normals, fetch.kept(registers.normals, backwards));
        // A byte too few, of either, changes nothing.
        if count > 0 && size > 0 {
            let short = Call { bytes: &stream[1..], ..call };
            let room = SIZE * usize::from(count);
            let needed = Some(room);
            let before = unit.fifo.clone();
            assert_eq!(
                unit.fetch(&short, &layout, &mut got),
                Err(LayoutError::Incomplete { needed: stream.len() })
            );
            let error = LayoutError::Memory { got: room - 1, needed };
            assert_eq!(unit.fetch(&call, &layout, &mut got[1..]), Err(error));
            assert_eq!(unit.fifo, before);
        }
    }
    assert!(left_out > 300, "{left_out}");
}

/// Whatever a layout is, it holds what the reference has: components, strides, places of elements, which may lie over each other, and
/// vertices without anything else, which are lists of numbers on both sides.
#[test]
fn vertices_are_fetched_into_any_layout() {
    let mut c = Choices::seed(33);
    let mut lists = 0;
    for round in 0..600 {
        let mut unit = interpreting_unit(Quirks::default());
        let is_alone = round % 3 == 0;
        let (attribute, register) = match c.below(4) {
            0 => (Attribute::Position, input::POSITION),
            1 => (Attribute::Normal, input::NORMAL),
            2 => (Attribute::Colour(1), input::COLOUR + 1),
            _ => (Attribute::Texcoord(3), input::TEXCOORD + 3),
        };
        let others = if is_alone { 0 } else { c.word() & 0x1_01ff };
        let source = InVertex::ALL[1 + if is_alone { 0 } else { c.below(3) as usize }];
        let registers = &mut unit.fifo.processor.registers;
        registers.vcd = Vcd { lo: others, hi: others >> 3 & 0x5555 }.with(attribute, source);
        registers.vats[1] = Vat([c.word(), c.word(), c.word()]);
        registers.arrays = std::array::from_fn(|_| Array { base: c.below(900), stride: c.below(40) });
        let registers = registers.clone();
        let count = c.below(40) as u16;
        let stream: Vec<u8> =
            (0..unit.vertex_size(0x81) * usize::from(count)).map(|_| c.below(255) as u8).collect();
        let bytes: Vec<u8> = (0..4000).map(|_| c.word() as u8).collect();
        let call = Call { opcode: 0x81, count, bytes: &stream, memory: Memory::from(&bytes) };
        let is_colour = register == input::COLOUR + 1;
        let own = registers.vats[1]
            .components(attribute)
            .map_or(4, |own| if own.count == 9 { 3 } else { own.count });
        let mut elements = Vec::new();
        for _ in 0..if is_alone { 1 } else { 1 + c.below(3) } {
            let stored = if is_colour {
                [Stored::F32, Stored::U8, Stored::U32][c.below(3) as usize]
            } else {
                Stored::F32
            };
            let components = if is_alone { own } else { 1 + c.below(4) as usize };
            let width = components * stored.bytes();
            let stride =
                if is_alone { width } else { [0, 1, width - 1, width, width + 1, 40][c.below(6) as usize] };
            let source = Source::Attribute(register as u8);
            elements.push(element(source, stored, components as u8, c.below(50) as usize, stride));
        }
        lists += usize::from(is_alone && count >= 4 && !is_colour);
        let layout = Layout::new(&elements).expect("it is one");
        let mut got = vec![0xee; layout.bytes(count.into()).expect("few") + 3];
        let mut want = got.clone();
        let stored = unit.fetch(&call, &layout, &mut got).expect("there is room");
        let fetch = Fetch::new(&registers, 1, call.memory, Dialect::Spec);
        let vertices: Vec<Vertex> = stream
            .chunks_exact(unit.vertex_size(0x81))
            .map(|vertex| fetch.vertex(vertex))
            .filter_map(|(vertex, is_there)| is_there.then_some(vertex))
            .collect();
        assert_eq!(stored, vertices.len());
        for &Element { stored, components, offset, stride, .. } in layout.elements() {
            for (number, vertex) in vertices.iter().enumerate() {
                let colour = vertex.colours[1].to_be_bytes();
                let numbers = colour.map(|byte| f32::from(byte).to_bits());
                let [x, y, z] = match attribute {
                    Attribute::Position => vertex.position,
                    Attribute::Normal => vertex.normals[0],
                    Attribute::Texcoord(_) => [vertex.texcoords[3][0], vertex.texcoords[3][1], 0],
                    Attribute::Colour(_) => [0; 3],
                };
                let row = if is_colour { numbers } else { [x, y, z, 0] };
                for at in 0..usize::from(components) {
                    let to = offset + number * stride + at * stored.bytes();
                    match stored {
                        Stored::F32 => want[to..to + 4].copy_from_slice(&row[at].to_ne_bytes()),
                        Stored::U8 => want[to] = colour[at],
                        Stored::U32 => want[to..to + 4].copy_from_slice(&u32::from(colour[at]).to_ne_bytes()),
                    }
                }
            }
        }
        assert_eq!(got, want, "{elements:?} of {registers:x?}");
    }
    assert!(lists > 100, "{lists}");
}

/// However a stream is cut, and however small budgets are, what leaves is the same, and so is the state.
#[test]
fn a_stream_may_come_in_any_pieces() {
    let mut c = Choices::seed(32);
    for round in 0..60 {
        let memory = random_memory(&mut c);
        let stream = random_stream(&mut c, 25, 0xa00).0;
        let (mut whole, mut pieces) =
            (interpreting_unit(Quirks::default()), interpreting_unit(Quirks::default()));
        let want = run(&mut whole, &stream, &memory);
        let mut got: Vec<Out> = Vec::new();
        let mut at = 0;
        while at < stream.len() || pieces.is_in_list() {
            let end = stream.len().min(at + 1 + c.below([2, 40, 4000][round % 3]) as usize);
            let budget = if c.chance(50) { Budget::NONE } else { Budget(u64::from(1 + c.below(50))) };
            let used = pieces.feed(&stream[at..end], &memory, budget, |output| got.push(output.into()));
            assert!(used <= end - at && (used == end - at || budget != Budget::NONE));
            at += used;
        }
        assert_eq!(got, want);
        // What has waited in pieces is left over of the whole.
        let mut left = Vec::new();
        let used = interpreting_unit(Quirks::default()).run(&stream, &memory, Budget::NONE, |_| ());
        assert_eq!(pieces.waiting(), stream.len() - used);
        whole.feed(&stream[used..], &memory, Budget::NONE, |output| left.push(Out::from(output)));
        assert_eq!(pieces.save(), whole.save());
    }
}

/// A flag that is raised while a stream runs ends the call behind the command that was running, and nothing is lost.
#[test]
fn a_flag_ends_a_call_and_nothing_is_lost() {
    let mut c = Choices::seed(33);
    let mut ended = 0;
    for _ in 0..40 {
        let memory = random_memory(&mut c);
        let stream = random_stream(&mut c, 25, 0xa00).0;
        let (mut whole, mut parts) =
            (interpreting_unit(Quirks::default()), interpreting_unit(Quirks::default()));
        let mut want: Vec<Out> = Vec::new();
        whole.feed(&stream, &memory, Budget::NONE, |output| want.push(output.into()));
        let cancel = Cancel::new();
        parts.set_cancel(Some(cancel.clone()));
        let (mut got, mut at) = (Vec::<Out>::new(), 0);
        loop {
            let (before, raised_at) = (got.len(), 1 + c.below(3) as usize);
            let used = parts.feed(&stream[at..], &memory, Budget::NONE, |output| {
                got.push(output.into());
                if got.len() >= before + raised_at {
                    cancel.cancel();
                }
            });
            at += used;
            if !parts.was_cancelled() {
                assert_eq!(at, stream.len());
                break;
            }
            // What leaves with one command: nothing more than that.
            assert_eq!(got.len(), before + raised_at);
            assert_eq!(parts.feed(&stream[at..], &memory, Budget::NONE, |_| panic!("a command has run")), 0);
            assert!(parts.was_cancelled());
            cancel.reset();
            ended += 1;
        }
        assert_eq!(got, want);
        assert_eq!(parts.save(), whole.save());
    }
    assert!(ended > 100, "{ended}");
}

/// A unit with a camera, a light, and vertices of positions, normals and colours.
fn scene(primitive: Primitive, positions: &[[f32; 3]]) -> (FlipperUnit, Vec<u8>) {
    let mut stream = Stream::default();
    // Direct positions and normals of floats, a colour of four bytes; two matrix indices.
    stream.camera().light([0.0, 2.0, 1.0], 0x0606).cp(0x50, 3 | 1 << 9 | 1 << 11 | 1 << 13).cp(0x60, 1);
    stream.cp(0x70, 1 | 4 << 1 | 4 << 10 | 1 << 13 | 5 << 14 | 1 << 21 | 4 << 22);
    stream.xf(0x103f, &[1]).xf(0x1040, &[5 << 7]);
    let mut unit = unit(Quirks::default());
    run(&mut unit, &stream.0, &[]);
    let mut bytes = Vec::new();
    for (at, position) in (0u8..).zip(positions) {
        bytes.extend([0, 60]);
        bytes.extend(position.iter().flat_map(|float| float.to_be_bytes()));
        bytes.extend([0.6f32, 0.0, 0.8].iter().flat_map(|float| float.to_be_bytes()));
        bytes.extend([40 * at, 255 - at, 3, 200]);
        bytes.extend([0.25 * f32::from(at), 0.5].iter().flat_map(|float| float.to_be_bytes()));
    }
    assert_eq!(unit.vertex_size(0x80 | (primitive as u8) << 3) * positions.len(), bytes.len());
    (unit, bytes)
}

const SHAPE: [[f32; 3]; 5] =
    [[0.0, 0.0, -2.0], [1.0, 0.0, -3.0], [0.0, 1.0, -2.5], [1.0, 1.0, -4.0], [0.5, 2.0, -3.0]];

/// Outputs of arrays are those of a draw of the same vertices.
#[test]
fn arrays_are_transformed_as_draws() {
    let (mut unit, bytes) = scene(Primitive::Triangles, &SHAPE);
    let outputs: Vec<Element> = (0..17)
        .map(|register| {
            let stored = if matches!(register, 6 | 7 | 16) { Stored::U32 } else { Stored::F32 };
            element(Source::Output(register), stored, 4, 16 * usize::from(register), 17 * 16)
        })
        .collect();
    let outputs = Layout::new(&outputs).expect("it is one");
    let mut want = vec![0; 5 * 17 * 16];
    let opcode = 0x80 | (Primitive::Triangles as u8) << 3;
    unit.draw(opcode, 5, &bytes, &[], |output| {
        let Output::Drawn(drawn) = output else { panic!("it is a draw") };
        assert_eq!(
            drawn.store(&outputs, &mut want[1..]),
            Err(LayoutError::Memory { got: 1359, needed: Some(1360) })
        );
        drawn.store(&outputs, &mut want).expect("there is room");
    })
    .expect("it is whole");
    assert!(want.iter().any(|&byte| byte != 0));
    let before = unit.save();
    let vertices = Vertices::of_vcd(unit.fifo.processor.registers.vcd.lo);
    let column = |from: usize, floats: usize| -> Vec<[u32; 4]> {
        let one = |vertex: &[u8]| -> [u32; 4] {
            std::array::from_fn(|at| match vertex.get(from + 4 * at..from + 4 * at + 4) {
                Some(word) if at < floats => u32::from_be_bytes(word.try_into().expect("four")),
                _ => 0,
            })
        };
        bytes.chunks(bytes.len() / 5).map(one).collect()
    };
    let colours: Vec<[u32; 4]> = bytes
        .chunks(bytes.len() / 5)
        .map(|vertex| std::array::from_fn(|at| f32::from(vertex[26 + at]).to_bits()))
        .collect();
    let (positions, normals, coordinates) = (column(2, 3), column(14, 3), column(30, 2));
    let mut inputs = Inputs::new(5);
    inputs.attributes = [Column::Constant([0; 4]); 16];
    inputs.attributes[input::POSITION] = Column::rows(&positions);
    inputs.attributes[input::NORMAL] = Column::rows(&normals);
    inputs.attributes[input::COLOUR] = Column::rows(&colours);
    inputs.attributes[input::TEXCOORD] = Column::rows(&coordinates);
    inputs.attributes[input::MATRICES] = Column::Constant([60 << 8, 0, 0, 0]);
    let mut got = vec![0; want.len()];
    unit.transform(vertices, &inputs, &outputs, &mut got).expect("it can be");
    assert_eq!(got, want);
    assert_eq!(unit.save(), before, "the state is as it was");
    // Attributes that are too short are told, and what the unit draws afterwards is what it drew before.
    inputs.attributes[input::POSITION] = Column::rows(&positions[..4]);
    let error = unit.transform(vertices, &inputs, &outputs, &mut got);
    assert!(matches!(error, Err(TransformError::Stream(_))), "{error:?}");
    let error = unit.transform(vertices, &inputs, &everything(), &mut got);
    assert_eq!(error, Err(TransformError::Layout(LayoutError::Elsewhere { element: 0 })));
    let mut again = vec![0; want.len()];
    unit.draw(opcode, 5, &bytes, &[], |output| {
        let Output::Drawn(drawn) = output else { panic!("it is a draw") };
        drawn.store(&outputs, &mut again).expect("there is room");
    })
    .expect("it is whole");
    assert_eq!(again, want);
}

/// A draw is culled if each of its triangles is outside of a plane or shows a face that is not drawn.
#[test]
fn draws_that_cannot_be_seen_are_told() {
    let mut c = Choices::seed(33);
    let mut seen = [[0; 2]; 4];
    for round in 0..400 {
        let primitive = Primitive::ALL[round % 8];
        let (x, z) = ([0.0, -30.0, 30.0][c.below(3) as usize], [-3.0, 3.0][c.below(2) as usize]);
        let float = |c: &mut Choices<'_>| c.below(100) as f32 / 100.0;
        let count = c.below(6) as usize;
        let positions: Vec<[f32; 3]> =
            (0..count).map(|_| [x + float(&mut c), float(&mut c), z - float(&mut c)]).collect();
        let (mut unit, bytes) = scene(primitive, &positions);
        let opcode = 0x80 | (primitive as u8) << 3;
        let call = Call { opcode, count: count as u16, bytes: &bytes, memory: Memory::default() };
        let mut triangles = Vec::new();
        let draw = |unit: &mut FlipperUnit| {
            let mut all = Vec::new();
            unit.draw(opcode, count as u16, &bytes, &[], |output| all.push(Out::from(output)))
                .expect("whole");
            all
        };
        let before = draw(&mut unit);
        for out in &before {
            let Out::Drawn { triangles: all, .. } = out else { panic!("{out:?}") };
            triangles.extend(all);
        }
        for (number, seen) in seen.iter_mut().enumerate() {
            let cull = Cull { front: number & 1 != 0, back: number & 2 != 0 };
            let is_hidden = |&(_, is_back, is_rejected): &([usize; 3], bool, bool)| {
                is_rejected || if is_back { cull.back } else { cull.front }
            };
            let has_triangles = (primitive as usize) < Primitive::Lines as usize;
            let want = if has_triangles { triangles.iter().all(is_hidden) } else { count == 0 };
            assert_eq!(unit.is_culled(&call, cull), Ok(want), "{primitive:?} {triangles:?} {cull:?}");
            seen[usize::from(want)] += 1;
        }
        if count > 0 {
            let short = Call { bytes: &bytes[1..], ..call };
            assert!(unit.is_culled(&short, Cull::default()).is_err());
        }
        assert_eq!(draw(&mut unit), before, "nothing has changed");
    }
    assert!(seen.iter().flatten().all(|&count| count > 30), "{seen:?}");
}

/// A source has four components: a float of the fourth is 0 before the transform unit, whether it is read or has been kept.
#[test]
fn what_a_source_lacks_is_zero() {
    let (mut unit, bytes) = scene(Primitive::Points, &SHAPE[..1]);
    let all = [0, 1, 2, input::TEXCOORD as u8]
        .map(|register| element(Source::Attribute(register), Stored::U32, 4, 16 * usize::from(register), 0));
    assert_eq!(Layout::new(&all), Err(LayoutError::NotWhole { element: 0 }));
    let layout = Layout::new(&all.map(|one| Element { stored: Stored::F32, ..one })).expect("it is one");
    let mut room = [0xee; 16 * 7];
    let memory = Memory::default();
    let call = Call { opcode: 0xb8, count: 1, bytes: &bytes, memory };
    assert_eq!(unit.fetch(&call, &layout, &mut room), Ok(1));
    let float = |at: usize| f32::from_ne_bytes(room[at..at + 4].try_into().expect("four"));
    assert_eq!([0, 4, 8, 12].map(float), [0.0, 0.0, -2.0, 0.0]);
    assert_eq!([16, 20, 24, 28].map(float), [0.6, 0.0, 0.8, 0.0]);
    assert_eq!([32, 36, 40, 44].map(float), [0.0; 4]);
    assert_eq!([96, 100, 104, 108].map(float), [0.0, 0.5, 0.0, 0.0]);
    assert_eq!(float(48).to_bits(), 0xeeee_eeee, "what no element covers stays");
}

#[test]
fn layouts_that_mean_nothing_are_refused() {
    let one =
        |source, stored, components| Layout::new(&[element(source, stored, components, 0, 0)]).map(|_| ());
    assert_eq!(one(Source::Attribute(13), Stored::F32, 4), Ok(()));
    assert_eq!(one(Source::Attribute(14), Stored::F32, 4), Err(LayoutError::NoSource { element: 0 }));
    assert_eq!(one(Source::Attribute(255), Stored::F32, 4), Err(LayoutError::NoSource { element: 0 }));
    assert_eq!(one(Source::Matrix(9), Stored::U8, 1), Err(LayoutError::NoSource { element: 0 }));
    assert_eq!(one(Source::Output(16), Stored::U8, 1), Ok(()));
    assert_eq!(one(Source::Output(17), Stored::F32, 1), Err(LayoutError::NoSource { element: 0 }));
    assert_eq!(one(Source::Output(6), Stored::U8, 0), Err(LayoutError::Components { element: 0 }));
    assert_eq!(one(Source::Output(6), Stored::U8, 5), Err(LayoutError::Components { element: 0 }));
    assert_eq!(one(Source::Output(1), Stored::U8, 3), Err(LayoutError::NotWhole { element: 0 }));
    // Sizes beyond all memory are none.
    let huge = element(Source::Output(1), Stored::F32, 3, usize::MAX - 4, usize::MAX);
    let huge = Layout::new(&[huge]).expect("it is one");
    assert_eq!((huge.bytes(0), huge.bytes(1), huge.bytes(2)), (Some(0), None, None));
}

/// Arrays, lists and loads in the second memory of the Wii give what they give in the first; the GameCube has no such addresses, and a
/// recording has the console and both memories.
#[test]
fn the_second_memory_is_where_the_wii_has_it() {
    let mut data = vec![0; 0x100];
    data[0x20..0x26].copy_from_slice(&[5, 0, 0, 6, 0, 0]);
    data[0x40..0x44].copy_from_slice(&3.0f32.to_be_bytes());
    // A list that draws two points.
    data[0x60..0x65].copy_from_slice(&[0xb8, 0, 2, 0, 1]);
    let stream = |base: u32| {
        let mut stream = Stream::default();
        // Positions of three bytes, indexed; an indexed load of the first word of a matrix.
        stream
            .cp(0x50, 2 << 9)
            .cp(0x70, 1)
            .cp(0xa0, base + 0x20)
            .cp(0xb0, 3)
            .cp(0xac, base + 0x40)
            .cp(0xbc, 4);
        stream.0.extend([0x20, 0, 0, 0, 0]);
        stream.0.push(0x40);
        stream.0.extend((base + 0x60).to_be_bytes().into_iter().chain(32u32.to_be_bytes()));
        stream.0
    };
    let second = 0x1000_0000;
    let eyes = |unit: &mut FlipperUnit, stream: &[u8], memory: Memory<'_>| {
        let mut all = Vec::new();
        unit.run(stream, memory, Budget::NONE, |output| {
            if let Output::Drawn(drawn) = output {
                let eye = |at| f32::from_bits(drawn.vertices.register(at, 2).expect("it leaves")[0]);
                all.extend((0..drawn.vertices.count).map(eye));
            }
        });
        all
    };
    let wii = || unit(Quirks::default()).of_console(Console::Wii);
    let want = [15.0, 18.0];
    assert_eq!(eyes(&mut unit(Quirks::default()), &stream(0), Memory::from(&data)), want);
    assert_eq!(eyes(&mut wii(), &stream(0), Memory::from(&data)), want);
    for hot in [0, u64::MAX] {
        let mut unit = wii();
        unit.set_hot(hot);
        unit.record();
        assert_eq!(eyes(&mut unit, &stream(second), Memory::new(&[], &data)), want);
        let trace = unit.recorded().expect("it is recorded");
        let text = trace.to_string();
        assert_eq!(xfjit::flipper::Trace::parse(&text).as_ref(), Ok(&trace), "{text}");
        assert!(text.contains("console wii\n") && text.contains("memory 0x10000020"), "{text}");
        assert_eq!(xfjit_testing::captures::flipper_through_a_capture(&trace).as_ref(), Ok(&trace));
        let (mut fresh, mut ram, mut seen) =
            (super::alone::unit(Quirks::default()), Ram::default(), Vec::new());
        for item in &trace.items {
            fresh.play(item, &mut ram, |output| seen.push(Out::from(output))).expect("it is whole");
        }
        assert_eq!(fresh.fifo.processor.registers.console, Console::Wii);
        let Some(Out::Drawn { vertices, .. }) = seen.last() else { panic!("{seen:?}") };
        assert_eq!(vertices.iter().map(|v| f32::from_bits(v[&2][0])).collect::<Vec<_>>(), want);
        // A state keeps the long pointers, of a unit that has them.
        let mut restored = wii();
        restored.restore(&unit.save()).expect("it is one");
        assert_eq!(restored.fifo.processor.registers.arrays[0].base, second + 0x20);
    }
    // The GameCube drops the bit.
    assert_eq!(eyes(&mut unit(Quirks::default()), &stream(second), Memory::new(&data, &[])), want);
    assert_eq!(eyes(&mut wii(), &stream(second), Memory::new(&data, &[])), [0.0f32; 0]);
}
