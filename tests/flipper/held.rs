//! Draws that are held: what leaves is what leaves of a unit that runs each draw by itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::vat::{Field, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::chip::flipper::{output, registers as xf};
use xfjit::config::FlipperQuirks;
use xfjit::flipper::{
    Budget, Command, Dialect, Element, FlipperUnit, Layout, LayoutError, Output, Quirks, Source as Stored,
    Stored as As,
};
use xfjit::xf::UnitStats;
use xfjit::{Engine, Options};
use xfjit_testing::Choices;
use xfjit_testing::flipper_streams::{Stream, random_memory, random_stream};
use xfjit_testing::flipper_unit::{Out, Reference, interpreting_unit, run, unit};

/// What a unit has done, but for how: which vertices ran together decides how many groups are left to the interpreter, and whether there is
/// code for them.
fn done(unit: &FlipperUnit) -> UnitStats {
    let mut stats = unit.stats();
    (stats.deopt_groups, stats.resolved, stats.in_place) = (0, 0, 0);
    stats
}

/// What leaves a unit that is given one command at a time.
fn run_in_pieces(unit: &mut FlipperUnit, stream: &[u8], memory: &[u8]) -> Vec<Out> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < stream.len() {
        let read = Command::read(&stream[at..], &unit.fifo.processor.registers, Quirks::default().decoding);
        let Ok((_, length)) = read else { break };
        let piece = &stream[at..at + length];
        assert_eq!(unit.run(piece, memory, Budget::NONE, |output| all.push(output.into())), length);
        at += length;
    }
    all
}

/// Runs a stream whole, in pieces of one command each, and with nothing held; tells what left.
fn compare(make: impl Fn() -> FlipperUnit, stream: &[u8], memory: &[u8]) -> Vec<Out> {
    let (mut whole, mut pieces, mut alone) = (make(), make(), make());
    alone.set_held(0);
    let want = run(&mut alone, stream, memory);
    assert_eq!(run(&mut whole, stream, memory), want);
    assert_eq!(run_in_pieces(&mut pieces, stream, memory), want);
    for unit in [&whole, &pieces] {
        assert_eq!(done(unit), done(&alone));
        assert_eq!(unit.save(), alone.save());
    }
    want
}

/// By code that is there from the first vertex on, by batches of one version each, and by the interpreter.
#[test]
fn random_streams_are_the_same_whole_in_pieces_and_not_held() {
    let mut c = Choices::seed(81);
    let mut draws = 0;
    for round in 0..150 {
        let memory = random_memory(&mut c);
        let stream = random_stream(&mut c, 30, 0xc00).0;
        let quirks = Quirks { dialect: c.pick(&Dialect::ALL), ..Quirks::default() };
        let make = || {
            let mut unit = if round % 5 == 0 { unit(quirks) } else { interpreting_unit(quirks) };
            unit.set_hot(if round % 10 == 0 { 0 } else { u64::MAX });
            unit
        };
        draws +=
            compare(make, &stream, &memory).iter().filter(|out| matches!(out, Out::Drawn { .. })).count();
    }
    assert!(draws > 5000, "{draws}");
}

/// Layouts in which vertices of several draws can be stored together, and some in which they cannot: an element behind all others, elements
/// over each other, one that all vertices share, none.
fn layouts() -> Vec<Layout> {
    let element = |source, stored, components, offset, stride| Element {
        source: Stored::Output(source as u8),
        stored,
        components,
        offset,
        stride,
    };
    let whole = |stride: usize| {
        vec![
            element(output::FLAGS, As::U32, 1, 0, stride),
            element(output::CLIP, As::F32, 4, 5, stride),
            element(output::COLOUR, As::U8, 4, 21, stride),
            element(output::TEXCOORD, As::F32, 3, 25, stride),
            element(output::NORMAL, As::F32, 3, 40, stride),
        ]
    };
    let mut behind = whole(52);
    behind[4] = element(output::NORMAL, As::F32, 3, 9000, 12);
    let mut shared = whole(52);
    shared[0].stride = 0;
    let all = [whole(52), whole(70), whole(9), behind, shared, Vec::new()];
    all.iter().map(|elements| Layout::new(elements).expect("it is one")).collect()
}

/// What is stored of a draw is what that draw is stored as by itself, and the bytes between are zeros.
#[test]
fn draws_are_stored_as_each_by_itself() {
    let mut c = Choices::seed(83);
    let mut stored = 0;
    for round in 0..60 {
        let memory = random_memory(&mut c);
        let stream = random_stream(&mut c, 30, 0xc00).0;
        let layout = &layouts()[round % layouts().len()];
        let mut unit = interpreting_unit(Quirks::default());
        unit.set_layout(layout.clone()).expect("it has outputs");
        unit.run(&stream, &memory, Budget::NONE, |output| {
            let Output::Drawn(drawn) = output else { return };
            let mut want = vec![0; layout.bytes(drawn.vertices.count).expect("it is no more than memory")];
            drawn.store(layout, &mut want).expect("there is room");
            assert!(drawn.stored == Some(&want), "{layout:?}");
            stored += want.len();
        });
    }
    assert!(stored > 100_000, "{stored}");
    let fetched =
        Element { source: Stored::Attribute(0), stored: As::F32, components: 3, offset: 0, stride: 12 };
    let set = |element| unit(Quirks::default()).set_layout(Layout::new(&[element]).expect("it is one"));
    assert_eq!(set(fetched), Err(LayoutError::Elsewhere { element: 0 }));
    let clip = Element { source: Stored::Output(output::CLIP as u8), stride: 4096, ..fetched };
    assert_eq!(set(clip), Ok(()));
    let bytes = Some(65534 * 4097 + 12);
    assert_eq!(set(Element { stride: 4097, ..clip }), Err(LayoutError::Wide { bytes }));
    assert_eq!(set(Element { offset: usize::MAX, ..clip }), Err(LayoutError::Wide { bytes: None }));
}

/// A budget of any size ends a call between two commands; what is held leaves before.
#[test]
fn budgets_cut_anywhere() {
    let mut c = Choices::seed(82);
    for _ in 0..12 {
        let memory = random_memory(&mut c);
        let stream = random_stream(&mut c, 30, 0xc00).0;
        let mut alone = interpreting_unit(Quirks::default());
        alone.set_held(0);
        let want = run(&mut alone, &stream, &memory);
        let mut held = interpreting_unit(Quirks::default());
        let (mut got, mut at): (Vec<Out>, usize) = (Vec::new(), 0);
        loop {
            let budget = Budget(1 + u64::from(c.below(600)));
            let used = held.run(&stream[at..], &memory, budget, |output| got.push(output.into()));
            at += used;
            assert!(got == want[..got.len()]);
            if used == 0 && !held.fifo.processor.is_in_list() {
                break;
            }
        }
        assert_eq!((got.len(), held.save()), (want.len(), alone.save()));
    }
}

/// Vertices of a position, and of a normal of bytes.
fn formats() -> (Vcd, Vat) {
    let vcd = Vcd::default()
        .with(Attribute::Position, Source::Direct)
        .with(Attribute::Normal, Source::Direct)
        .with(Attribute::Texcoord(0), Source::Direct);
    let vat =
        Vat::default().with(Field::POS_COUNT, 1).with(Field::NORMAL_FORMAT, 1).with(Field::TEX0_COUNT, 1);
    (vcd, vat)
}

/// Strips in each of which everything is shifted by one more, and which lies at a row of its own.
fn strips(stream: &mut Stream, count: u8, load: impl Fn(&mut Stream, f32)) {
    for number in 0..count {
        load(stream, f32::from(number));
        let vertex = |at: u8| [at, 1, 200 + number, 0, 64, number, at, at];
        let bytes: Vec<u8> = (0..4).flat_map(vertex).collect();
        stream.draw(Primitive::TriangleStrip, 0, 4, &bytes);
    }
}

fn shifted(stream: &mut Stream, by: f32) {
    stream.floats(0, &[1.0, 0.0, 0.0, by, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    stream.floats(0x400, &[1.0, by, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
}

/// A stream that begins with a camera, those formats, a light, and one coordinate.
fn lit() -> Stream {
    let (vcd, vat) = formats();
    let mut stream = Stream::default();
    stream.camera().formats(vcd, 0, vat).light([0.0, 3.0, 1.0], 1 << 1 | 1 << 2 | 2 << 7);
    stream.xf(0x103f, &[1]).xf(0x1040, &[5 << 7]);
    stream
}

/// A unit that has code for vertices where they lie from so many of them on.
fn unit_hot_after(hot: u64) -> FlipperUnit {
    let mut unit = unit(Quirks::default());
    unit.set_hot(hot);
    unit
}

/// Where vertices are in the eye's space: the x of each of a draw.
fn xs(out: &Out) -> Vec<f32> {
    let Out::Drawn { vertices, .. } = out else { panic!("{out:?}") };
    vertices.iter().map(|vertex| f32::from_bits(vertex[&output::EYE][0])).collect()
}

/// What leaves of draws of which each sees another matrix, and how many batches they were: so many with code for versions from the first
/// vertex on; without such code each is one.
fn check_versions(stream: &Stream, batches: u64) -> Vec<Out> {
    let reference = Reference::new(Quirks::default()).run(&stream.0, &[]);
    for hot in [0, u64::MAX] {
        let out = compare(|| unit_hot_after(hot), &stream.0, &[]);
        let engine = Arc::new(Engine::new(Options::default()));
        let mut counted = FlipperUnit::new(Arc::clone(&engine), Quirks::default(), FlipperQuirks::SPEC);
        counted.set_hot(hot);
        assert_eq!(run(&mut counted, &stream.0, &[]), out);
        let run: u64 = engine.programs().iter().map(|program| program.stats().batches).sum();
        let is_code = hot == 0 && cfg!(feature = "jit");
        assert_eq!(run, if is_code { batches } else { out.len() as u64 });
        assert_eq!(out, reference);
    }
    reference
}

/// There are places for ten matrices of normals, however many draws there are, and each draw has its own.
#[test]
fn each_draw_has_its_matrix() {
    let mut stream = lit();
    strips(&mut stream, 30, shifted);
    // The last load of all is behind the last draw that is held.
    shifted(&mut stream, 99.0);
    for (number, out) in (0..).zip(&check_versions(&stream, 3)) {
        assert_eq!(xs(out), [0.0, 1.0, 2.0, 3.0].map(|x| x + number as f32), "{number}");
    }
}

/// Matrices that are there, of which each draw has another by its index: they are run together.
#[test]
fn each_draw_has_its_index() {
    let mut stream = lit();
    (0..10_u8).for_each(|number| {
        let by = f32::from(number);
        stream.floats(12 * u16::from(number), &[1.0, 0.0, 0.0, by, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        stream.floats(0x400 + 9 * u16::from(number), &[1.0, by, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    });
    strips(&mut stream, 20, |stream, by| {
        let index = 3 * (by as u32 % 10);
        // As games load it: into both registers, each by itself; the other indices stay.
        stream.cp(0x30, index | 60 << 6).xf(xf::MATRIX_INDEX_A, &[index | 60 << 6]);
    });
    for (number, out) in (0..).zip(&check_versions(&stream, 2)) {
        assert_eq!(xs(out), [0.0, 1.0, 2.0, 3.0].map(|x| x + (number % 10) as f32), "{number}");
    }
}

/// What held draws look at beside that matrix runs them before it is loaded.
#[test]
fn what_a_draw_would_see_is_loaded_behind_it() {
    let loads: [fn(&mut Stream, f32); 9] = [
        // The matrix of a coordinate, and one that both look at.
        |stream, by| _ = stream.floats(60 * 4 + 3, &[by]),
        |stream, by| _ = stream.xf(0x1018, &[0]).floats(3, &[by]),
        // Indices of other matrices with it, one where a coordinate's matrix lies, a matrix that wraps.
        |stream, by| _ = stream.xf(0x1018, &[(by as u32 * 3 % 60) | (by as u32 * 3) << 6]).floats(3, &[by]),
        |stream, by| _ = stream.xf(0x1018, &[(58 + by as u32 % 4) | (60 << 6)]).floats(4 * 58, &[by; 8]),
        |stream, by| _ = stream.xf(0x1018, &[62 | 60 << 6]).floats(0, &[by, 2.0, 3.0, by]),
        // A light, the viewport, what vertices are to be, registers behind.
        |stream, by| _ = stream.floats(0x60a, &[by, 1.0, 2.0]),
        |stream, by| _ = stream.floats(0x101a, &[by, -by]),
        |stream, by| _ = stream.xf(xf::VERTEX_SPEC, &[by as u32]).cp(0x30, by as u32),
        |stream, by| stream.0.extend([0x61, 0x20, 0, 0, by as u8]),
    ];
    for load in loads {
        let mut stream = lit();
        strips(&mut stream, 12, load);
        for hot in [0, u64::MAX] {
            let out = compare(|| unit_hot_after(hot), &stream.0, &[]);
            assert_eq!(out, Reference::new(Quirks::default()).run(&stream.0, &[]));
            assert_ne!(out[0], out[out.len() - 1]);
        }
    }
}

/// Draws without vertices are held as others are.
#[test]
fn draws_without_vertices_leave_in_order() {
    let mut stream = Stream::default();
    let (vcd, vat) = formats();
    stream.camera().formats(vcd, 0, vat);
    (0..600).for_each(|at: u32| _ = stream.draw(Primitive::ALL[at as usize % 8], 0, 0, &[]));
    assert_eq!(compare(|| interpreting_unit(Quirks::default()), &stream.0, &[]).len(), 600);
}

/// What is kept behind a draw whose last vertex is left out differs from dialect to dialect, and a draw of no vertices changes nothing of it.
#[test]
fn a_draw_without_vertices_keeps_what_is_kept() {
    let (vcd, vat) = formats();
    let vcd = vcd.with(Attribute::Position, Source::Index8);
    let mut kept = Vec::new();
    for dialect in Dialect::ALL {
        let mut stream = lit();
        stream.formats(vcd, 0, vat);
        // An index, a normal, two bytes of a coordinate; of the second vertex the index is all ones.
        stream.draw(Primitive::Points, 0, 2, &[0, 64, 0, 0, 1, 1, 0xff, 0, 32, 0, 2, 2]);
        stream.draw(Primitive::Points, 0, 0, &[]);
        let quirks = Quirks { dialect, ..Quirks::default() };
        compare(|| interpreting_unit(quirks), &stream.0, &[0; 64]);
        let mut unit = interpreting_unit(quirks);
        run(&mut unit, &stream.0, &[0; 64]);
        kept.push(unit.fifo.processor.registers.normals[0].map(|normal| normal.map(f32::from_bits)));
    }
    assert_eq!(kept, [Some([1.0, 0.0, 0.0]), Some([0.0, 0.5, 0.0]), None, None]);
}

/// A function that panics takes what was held with it: the next call has its own draws alone.
#[test]
fn a_call_that_panics_leaves_nothing() {
    let (vcd, vat) = formats();
    let mut stream = Stream::default();
    stream.camera().formats(vcd, 0, vat);
    strips(&mut stream, 5, shifted);
    let mut unit = interpreting_unit(Quirks::default());
    let panicking = || unit.run(&stream.0, &[], Budget::NONE, |_: Output<'_>| panic!("as it is to be"));
    catch_unwind(AssertUnwindSafe(panicking)).expect_err("the function panics");
    let mut more = Stream::default();
    strips(&mut more, 1, shifted);
    let got = run(&mut unit, &more.0, &[]);
    let all = Reference::new(Quirks::default()).run(&[stream.0, more.0].concat(), &[]);
    assert_eq!(got, all[5..]);
}
