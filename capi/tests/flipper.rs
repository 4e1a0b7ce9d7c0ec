//! Flipper through C beside the device of Rust, on streams at random: what leaves, what is fetched, what is culled and what is saved are
//! the same.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use xfjit::config::FlipperQuirks;
use xfjit::flipper::{
    Budget, Call, Console, Cull, Dialect, Element, FlipperUnit, Layout, Memory, Output, Source, Stored,
};
use xfjit::{Engine, Options};
use xfjit_capi::*;

/// Numbers at random, the same each time.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.word() % bound
    }
}

/// A stream of loads, draws, lists and nonsense.
fn stream(random: &mut Random) -> Vec<u8> {
    let mut stream = Vec::new();
    for _ in 0..30 {
        match random.below(8) {
            0 => {
                let lo = random.word() & random.word() & 0x1_ffff | 1 << 9;
                stream.extend([8, 0x50]);
                stream.extend(lo.to_be_bytes());
                stream.extend([8, 0x60]);
                stream.extend((random.word() & random.word() & 0xffff).to_be_bytes());
            }
            1 => {
                stream.extend([8, 0x70 + 16 * random.below(3) as u8]);
                stream.extend(random.word().to_be_bytes());
            }
            2 => {
                let array = random.below(16) as u8;
                stream.extend([8, 0xa0 | array]);
                stream.extend((random.below(0x400) | random.below(2) << 28).to_be_bytes());
                stream.extend([8, 0xb0 | array]);
                stream.extend(random.below(32).to_be_bytes());
            }
            3 | 4 => {
                let starts = [0, 0x400, 0x600, 0x1008, 0x1018, 0x1020, 0x1040];
                let at = starts[random.below(7) as usize] + random.below(16);
                stream.push(0x10);
                stream.extend((7 << 16 | at).to_be_bytes());
                for _ in 0..8 {
                    let float = (random.below(4096) as f32 - 2048.0) / 512.0;
                    let word = if (0x1000..0x101a).contains(&at) { random.word() } else { float.to_bits() };
                    stream.extend(word.to_be_bytes());
                }
            }
            5 => {
                let (first, second) = (random.below(0x300) & !31, random.below(2) << 28);
                stream.push(0x40);
                stream.extend((first | second).to_be_bytes());
                stream.extend(32u32.to_be_bytes());
            }
            6 => stream.extend([0x61, 0x45, 0, 0, random.word() as u8, 0x48, random.word() as u8 & 0x3f]),
            _ => {
                stream.extend([0x80 | (random.below(8) as u8) << 3, 0, random.below(6) as u8]);
                let bytes = 20 * random.below(20);
                stream.extend((0..bytes).map(|_| random.word() as u8));
            }
        }
    }
    stream
}

/// One thing that leaves, however it was told.
#[derive(PartialEq, Debug)]
enum Out {
    Drawn { words: [u32; 4], vertices: Vec<u8>, triangles: Vec<([u32; 3], u32)> },
    Other { kind: u32, address: u32, value: u32 },
}

const VERTEX: usize = 17 * 16;

/// Every output as C declares it, and as Rust does.
fn outputs() -> (Vec<xfjit_flipper_element>, Layout) {
    let is_whole = |register: u32| matches!(register, 6 | 7 | 16);
    let of_c = (0..17).map(|register| xfjit_flipper_element {
        source: XFJIT_FLIPPER_OUT_CLIP + register,
        stored: if is_whole(register) { XFJIT_FLIPPER_U32 } else { XFJIT_FLIPPER_F32 },
        components: 4,
        offset: 16 * register,
        stride: VERTEX as u32,
        reserved: 0,
    });
    let of_rust: Vec<Element> = (0..17)
        .map(|register| Element {
            source: Source::Output(register as u8),
            stored: if is_whole(register) { Stored::U32 } else { Stored::F32 },
            components: 4,
            offset: 16 * register as usize,
            stride: VERTEX,
        })
        .collect();
    (of_c.collect(), Layout::new(&of_rust).expect("it is one"))
}

unsafe extern "C" fn take(user: *mut c_void, output: *const xfjit_flipper_output) {
    // SAFETY: they are what the call was given, and what the library hands over.
    let (seen, output) = unsafe { (&mut *user.cast::<Vec<Out>>(), &*output) };
    let &xfjit_flipper_output { kind, address, value, .. } = output;
    if kind != XFJIT_FLIPPER_DRAW {
        seen.push(Out::Other { kind, address, value });
        return;
    }
    let mut vertices = vec![0; output.vertex_bytes];
    let mut triangles = Vec::new();
    // SAFETY: so many are there until this returns.
    unsafe {
        std::ptr::copy_nonoverlapping(output.vertices.cast(), vertices.as_mut_ptr(), vertices.len());
        for at in 0..output.triangle_count as usize {
            let triangle = &*output.triangles.add(at);
            triangles.push((triangle.vertices, triangle.flags));
        }
    }
    let words = [output.primitive, output.given, output.count, output.disagreement];
    seen.push(Out::Drawn { words, vertices, triangles });
}

fn out(output: Output<'_>, layout: &Layout) -> Out {
    let other = |kind, address, value| Out::Other { kind, address, value };
    match output {
        Output::Drawn(drawn) => {
            let d = drawn.disagreement;
            let bits = [(d.colours, 1), (d.normals, 2), (d.texcoords, 4), (d.matrices, 8), (d.positions, 16)];
            let bits = bits.iter().filter(|(is_one, _)| *is_one).map(|(_, bit)| bit).sum();
            let mut vertices = vec![0; VERTEX * drawn.vertices.count];
            drawn.store(layout, &mut vertices).expect("there is room");
            let triangles = drawn.triangles().map(|triangle| {
                let flags = u32::from(triangle.is_back) + 2 * u32::from(triangle.is_rejected);
                (triangle.vertices.map(|at| at as u32), flags)
            });
            let words = [drawn.primitive as u32, drawn.given.into(), drawn.vertices.count as u32, bits];
            Out::Drawn { words, vertices, triangles: triangles.collect() }
        }
        Output::LoadBp(register, value) => other(XFJIT_FLIPPER_BP, register.into(), value),
        Output::Call(address, bytes) => other(XFJIT_FLIPPER_CALL, address, bytes),
        Output::InvalidateVertices => other(XFJIT_FLIPPER_INVALIDATE, 0, 0),
        Output::Unknown(byte) => other(XFJIT_FLIPPER_UNKNOWN, 0, byte.into()),
    }
}

/// The state of a unit, by C.
fn saved(flipper: *mut xfjit_flipper) -> Vec<u8> {
    // SAFETY: there is room for as many bytes as are named.
    unsafe {
        let mut bytes = vec![0; xfjit_flipper_save(flipper, null_mut(), 0)];
        assert_eq!(xfjit_flipper_save(flipper, bytes.as_mut_ptr().cast(), bytes.len()), bytes.len());
        bytes
    }
}

#[test]
fn streams_give_what_the_device_of_rust_gives() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (elements, layout) = outputs();
    let input = xfjit_flipper_element {
        source: XFJIT_FLIPPER_IN_POSITION,
        stored: XFJIT_FLIPPER_F32,
        components: 3,
        offset: 0,
        stride: 12,
        reserved: 0,
    };
    let position = Layout::new(&[Element {
        source: Source::Attribute(0),
        stored: Stored::F32,
        components: 3,
        offset: 0,
        stride: 12,
    }])
    .expect("it is one");
    let size = size_of::<xfjit_flipper_element>() as u32;
    let rust_engine = {
        let backend: Arc<dyn xfjit::backend::Backend> = Arc::new(xfjit::backend::Interp::Batched);
        Arc::new(Engine::new(Options::default().with(|options| options.backend = backend)))
    };
    let (mut drawn, mut culled, mut fetched) = (0, [0; 2], 0);
    // SAFETY: everything is there, and lives until the calls return.
    unsafe {
        let mut engine = null_mut();
        let mut options: xfjit_options = std::mem::zeroed();
        (options.size, options.backend) = (size_of::<xfjit_options>() as u32, XFJIT_BACKEND_INTERPRETER);
        assert_eq!(xfjit_engine_create(&raw const options, &raw mut engine), XFJIT_OK);
        for round in 0..12 {
            let dialect = round % Dialect::ALL.len() as u32;
            let mut choices: xfjit_flipper_options = std::mem::zeroed();
            choices.size = size_of::<xfjit_flipper_options>() as u32;
            assert_eq!(xfjit_flipper_options_init(&raw mut choices, dialect), XFJIT_OK);
            choices.console = XFJIT_WII;
            choices.held = [0, 1, 256, u32::MAX][round as usize / Dialect::ALL.len()];
            let mut flipper = null_mut();
            assert_eq!(xfjit_flipper_create(engine, &raw const choices, &raw mut flipper), XFJIT_OK);
            assert_eq!(xfjit_flipper_set_layout(flipper, elements.as_ptr(), size, 17, 1), XFJIT_OK);
            let named = Dialect::ALL[dialect as usize];
            let arithmetic: FlipperQuirks = named.transform();
            let mut unit = FlipperUnit::new(Arc::clone(&rust_engine), named.processor(), arithmetic)
                .of_console(Console::Wii);
            let first: Vec<u8> = (0..0x400).map(|_| random.word() as u8).collect();
            let second: Vec<u8> = (0..0x400).map(|_| random.word() as u8 & 0x7f).collect();
            let memory = Memory::new(&first, &second);
            let mut lent: xfjit_flipper_memory = std::mem::zeroed();
            lent.size = size_of::<xfjit_flipper_memory>() as u32;
            (lent.first, lent.first_bytes) = (first.as_ptr().cast(), first.len());
            (lent.second, lent.second_bytes) = (second.as_ptr().cast(), second.len());
            let stream = stream(&mut random);
            let (mut got, mut want): (Vec<Out>, Vec<Out>) = (Vec::new(), Vec::new());
            let mut at = 0;
            while at < stream.len() {
                let piece = &stream[at..stream.len().min(at + 1 + random.below(300) as usize)];
                let budget = if random.below(2) == 0 { 0 } else { u64::from(1 + random.below(400)) };
                let mut progress: xfjit_flipper_progress = std::mem::zeroed();
                progress.size = size_of::<xfjit_flipper_progress>() as u32;
                let status = xfjit_flipper_run(
                    flipper,
                    piece.as_ptr().cast(),
                    piece.len(),
                    &raw const lent,
                    budget,
                    Some(take),
                    (&raw mut got).cast(),
                    &raw mut progress,
                );
                assert_eq!(status, XFJIT_OK);
                let limit = if budget == 0 { Budget::NONE } else { Budget(budget) };
                let used = unit.feed(piece, memory, limit, |output| want.push(out(output, &layout)));
                assert_eq!((progress.used, progress.in_list), (used as u64, u32::from(unit.is_in_list())));
                assert_eq!(progress.waiting, unit.waiting() as u64);
                at += used;
            }
            assert_eq!(got, want, "round {round}");
            drawn +=
                want.iter().filter(|out| matches!(out, Out::Drawn { words, .. } if words[2] > 0)).count();
            assert_eq!(saved(flipper), unit.save());
            // Parts of a draw.
            for opcode in (0x80u8..0xc0).step_by(8) {
                let count = random.below(9) as u16;
                let vertex = unit.vertex_size(opcode);
                assert_eq!(xfjit_flipper_vertex_size(flipper, opcode.into()), vertex);
                let bytes: Vec<u8> = (0..vertex * usize::from(count)).map(|_| random.word() as u8).collect();
                let call = Call { opcode, count, bytes: &bytes, memory };
                let (opcode, number, data) = (u32::from(opcode), u32::from(count), bytes.as_ptr().cast());
                let (faces, mut is_culled) = (random.below(4), -1);
                let faces_of_rust = Cull { front: faces & 1 != 0, back: faces & 2 != 0 };
                let is_hidden = unit.is_culled(&call, faces_of_rust).expect("it is whole");
                let (lent, size_of_bytes) = (&raw const lent, bytes.len());
                let status = xfjit_flipper_culled(
                    flipper,
                    opcode,
                    number,
                    data,
                    size_of_bytes,
                    lent,
                    faces,
                    &raw mut is_culled,
                );
                assert_eq!((status, is_culled), (XFJIT_OK, i32::from(is_hidden)));
                culled[usize::from(is_hidden)] += 1;
                let mut rows = [vec![0u8; 12 * usize::from(count)], vec![0u8; 12 * usize::from(count)]];
                let want = unit.fetch(&call, &position, &mut rows[0]).expect("there is room");
                let (mut stored, room) = (u32::MAX, rows[1].len());
                let status = xfjit_flipper_fetch(
                    flipper,
                    opcode,
                    number,
                    data,
                    size_of_bytes,
                    lent,
                    &raw const input,
                    size,
                    1,
                    rows[1].as_mut_ptr().cast(),
                    room,
                    &raw mut stored,
                );
                assert_eq!((status, stored as usize), (XFJIT_OK, want));
                assert_eq!(rows[0], rows[1]);
                fetched += want;
                let (mut got, mut want): (Vec<Out>, Vec<Out>) = (Vec::new(), Vec::new());
                let user = (&raw mut got).cast();
                let status =
                    xfjit_flipper_draw(flipper, opcode, number, data, size_of_bytes, lent, Some(take), user);
                assert_eq!(status, XFJIT_OK);
                let take = |output: Output<'_>| want.push(out(output, &layout));
                unit.draw(opcode as u8, count, &bytes, memory, take).expect("it is whole");
                assert_eq!(got, want);
            }
            assert_eq!(saved(flipper), unit.save());
            assert_eq!(xfjit_flipper_destroy(flipper), XFJIT_OK);
        }
        assert_eq!(xfjit_engine_destroy(engine), XFJIT_OK);
    }
    assert!(
        drawn > 10 && fetched > 100 && culled.iter().all(|&count| count > 5),
        "{drawn} {fetched} {culled:?}"
    );
}

/// A handle in a call is busy for every other, from any thread.
#[test]
fn a_flipper_serves_one_call_at_a_time() {
    struct Shared(*mut xfjit_flipper);
    // SAFETY: handles may go from thread to thread.
    unsafe impl Sync for Shared {}
    unsafe extern "C" fn ask(user: *mut c_void, _: *const xfjit_flipper_output) {
        // SAFETY: it is what the call was given.
        let (shared, busy) = unsafe { &mut *user.cast::<(&Shared, u32)>() };
        let shared: &Shared = shared;
        std::thread::scope(|scope| {
            // SAFETY: the handle lives.
            let call = || unsafe { xfjit_flipper_load_cp(shared.0, 0x50, 1) };
            *busy += u32::from(scope.spawn(call).join().expect("it ends") == XFJIT_E_BUSY);
        });
        // SAFETY: the handle lives, and stays alive, as it is in use.
        *busy += u32::from(unsafe { xfjit_flipper_destroy(shared.0) } == XFJIT_E_BUSY);
    }
    // SAFETY: everything is there, and lives until the calls return.
    unsafe {
        let (mut engine, mut flipper) = (null_mut(), null_mut());
        assert_eq!(xfjit_engine_create(null(), &raw mut engine), XFJIT_OK);
        assert_eq!(xfjit_flipper_create(engine, null(), &raw mut flipper), XFJIT_OK);
        let shared = Shared(flipper);
        let mut user = (&shared, 0);
        let bytes = [0x48u8, 0x48];
        let status = xfjit_flipper_run(
            flipper,
            bytes.as_ptr().cast(),
            2,
            null(),
            0,
            Some(ask),
            (&raw mut user).cast(),
            null_mut(),
        );
        assert_eq!((status, user.1), (XFJIT_OK, 4));
        assert_eq!(xfjit_flipper_destroy(flipper), XFJIT_OK);
        assert_eq!(xfjit_engine_destroy(engine), XFJIT_OK);
    }
}
