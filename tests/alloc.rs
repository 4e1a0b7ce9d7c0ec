//! Running a program allocates nothing (invariant I9), in no tier and for no kind of batch, in a thread whose working memory
//! has been made.

use std::alloc::{GlobalAlloc, Layout as Block, System};
use std::cell::Cell;
use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::config::FlipperQuirks;
use xfjit::flipper::{self, FlipperUnit, Quirks};
use xfjit::front::fixed::Setup;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
use xfjit::xf::{Chip, Command, Register, Type, XfUnit};
use xfjit::{Compile, Config, Engine, Generation, Options, Program, Worker, asm, isa};
use xfjit_testing::{native_models, setups};

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that is being torn down is none of ours.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: everything is left to the system's allocator; the counter is a plain cell that allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Block) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Block) {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Block, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const GEN: Generation = Generation::Kelvin;
const TEXT: &str = "DP4 oPos.x, v0, c[0]\nARL a0.x, v1.x\nMUL oPos.yzw, v0, c[a0 + 1]\nMAX r0, v0, c[2]\nLIT oD0, r0\nMOV oT0, v2";

/// How many allocations a run makes.
fn allocations(program: &Program, worker: &mut Worker, inputs: &Inputs<'_>) -> u64 {
    let mut context = Context::new(GEN.constants());
    context.set_row(0, [0x3f80_0000; 4]);
    let mut words = vec![0; 12 * inputs.count];
    let registers = [0, 3, 9];
    let mut outputs = match program.shader().layout() {
        Layout::Rows => Outputs::interleaved(&mut words, &registers),
        Layout::Planes => Outputs::planes(&mut words, &registers, inputs.count),
    };
    let before = COUNT.get();
    let result = program.run(worker, &mut context, inputs, &mut outputs);
    let after = COUNT.get();
    result.expect("the streams are long enough");
    after - before
}

fn check(options: Options, text: &str, model: Model, what: &str) {
    for layout in [Layout::Rows, Layout::Planes] {
        for constant_writes in [false, true] {
            let config = Config::new(GEN).model(model).live_outputs(0x209).with(|config| {
                config.layout = layout;
                config.constant_writes = constant_writes;
            });
            let decoded = asm::parse(GEN, text).expect("it assembles");
            let program = Engine::new(options.clone()).decoded(decoded, &config);
            let mut worker = Worker::new();
            let finite: Vec<Row> = vec![[0x3f80_0000, 0x4000_0000, 0, 0x3f80_0000]; 130];
            let mut mixed = finite.clone();
            mixed[2][1] = 0x7fc0_0000;
            mixed[77] = [0xffff_ffff; 4];
            let indices: Vec<u32> = (0..130).rev().collect();
            // Whatever runs a vertex makes its memory when it first does: native code, and what it leaves others to.
            let all = Inputs::new(130).with(0, Attribute::rows(&mixed)).with(1, Attribute::rows(&mixed));
            allocations(&program, &mut worker, &all);
            for rows in [&finite, &mixed] {
                for count in [0, 1, 3, 4, 64, 67, 128, 130] {
                    let short = Attribute::Stream { data: bytes(rows), stride: 16, components: 2 };
                    let direct =
                        Inputs::new(count).with(0, Attribute::rows(rows)).with(1, Attribute::rows(rows));
                    let staged = direct.with(2, short);
                    let indexed = direct.indexed(&indices[..count]);
                    for inputs in [direct, staged, indexed] {
                        let got = allocations(&program, &mut worker, &inputs);
                        assert_eq!(got, 0, "{what}, {layout:?}, {count} vertices");
                    }
                }
            }
        }
    }
}

fn bytes(rows: &[Row]) -> &[u8] {
    match Attribute::rows(rows) {
        Attribute::Stream { data, .. } => data,
        Attribute::Constant(_) => &[],
    }
}

#[test]
fn counting_works() {
    let before = COUNT.get();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(COUNT.get() - before, 2);
}

#[test]
fn compiled_programs_allocate_nothing() {
    for &model in native_models() {
        check(Options::default(), TEXT, model, "native");
        // The first call brings the slow path, by which all later ones run what raises guards.
        check(Options::default().with(|options| options.slow_path_after = 1), TEXT, model, "slow path");
    }
}

/// Rows are watched without memory, and so is choosing the routine for them. Making it takes some, on whichever thread does so.
#[test]
#[cfg(feature = "jit")]
fn programs_with_constants_as_literals_allocate_nothing() {
    for &model in native_models() {
        let options = Options::default().with(|options| {
            options.fold_after = 8;
            options.time_one_in = 1;
        });
        let text =
            "DP4 oPos.x, v0, c[0]\nDP4 oPos.y, v0, c[1]\nDP4 oPos.z, v0, c[2]\nMOV oD0, v1\nMOV oT0, v1";
        let decoded = asm::parse(GEN, text).expect("it assembles");
        let config = Config::new(GEN).model(model).live_outputs(0x209);
        let engine = Engine::new(options);
        let program = engine.decoded(decoded, &config);
        let (mut worker, mut context) = (Worker::new(), Context::new(GEN.constants()));
        let rows: Vec<Row> = vec![[0x3f80_0000, 0x4000_0000, 0, 0x3f80_0000]; 67];
        let inputs = Inputs::new(67).with(0, Attribute::rows(&rows)).with(1, Attribute::rows(&rows));
        let mut words = vec![0; 12 * inputs.count];
        for run in 0..40 {
            // The nine runs until rows have stayed for eight, and then those that change some.
            context.set_row(0, if run < 20 || run % 3 == 0 { [0x3f80_0000; 4] } else { [run; 4] });
            let before = COUNT.get();
            let outputs = &mut Outputs::interleaved(&mut words, &[0, 3, 9]);
            program.run(&mut worker, &mut context, &inputs, outputs).expect("the streams are long enough");
            let makes = run < 20 && program.stats().folded_vertices == 0;
            assert!(run == 0 || makes || COUNT.get() == before, "{model:?}, run {run}");
        }
        let stats = program.stats();
        assert!(stats.folded_routines == 1 && stats.folded_vertices > 67 * 9, "{stats:?}");
    }
}

#[test]
fn programs_that_write_constants_allocate_nothing() {
    let text = "ADD c[7], v0, c[7]\nMOV oPos, c[7]\nMOV oD0, v1\nMOV oT0, v2";
    for &model in native_models() {
        check(Options::default(), text, model, "serial");
    }
}

#[test]
fn interpreted_programs_allocate_nothing() {
    for model in [Model::Ieee, Model::Hw] {
        for form in [Interp::Single, Interp::Batched] {
            let options = Options::default().with(|options| options.backend = Arc::new(form));
            check(options, TEXT, model, "interpreter");
        }
        // Not compiled yet, and about to become so.
        let options = Options::default().with(|options| {
            options.backend = Arc::new(Interp::Batched);
            options.compile = Compile::Background { threshold: 1_000 };
        });
        check(options, TEXT, model, "background");
    }
}

/// What an emulator does every frame: constants, modes, vertices one by one and in arrays, bundles.
fn frame(unit: &mut XfUnit, rows: &[Row], number: u32) {
    let vector = |unit: &mut XfUnit, kind: Type, slot: u16, row: Row| {
        unit.command(Command::pair(kind, slot, 0, [row[0], row[1]]));
        unit.command(Command::pair(kind, slot, 2, [row[2], row[3]]));
    };
    let list: [u16; 600] = std::array::from_fn(|position| 599 - position as u16);
    for mode in [2 << 30 | 1 << 18, 0] {
        for start in [0, 1] {
            vector(unit, Type::Mode, 0, [mode, start << 8, 0, 0]);
            vector(unit, Type::Xfctx, 100, [number + start; 4]);
            for row in rows {
                vector(unit, Type::Vab, 0, *row);
                vector(unit, Type::Vab, 3, *row);
                unit.vertex();
            }
            let inputs = Inputs::new(rows.len()).with(0, Attribute::rows(rows));
            unit.draw(inputs, 1).expect("the arrays are long enough");
            unit.draw(inputs.indexed(&list), 1).expect("the arrays are long enough");
            unit.command(Command::pair(Type::Passthru, 0, 0, [4, number]));
        }
    }
    let mut vertices = 0;
    unit.drain(|output| {
        if let xfjit::xf::Output::Vertices(some) = output {
            vertices += some.count;
        }
    });
    assert_eq!(vertices, 12 * rows.len());
}

#[test]
fn a_unit_allocates_nothing_once_it_has_seen_a_frame() {
    let mut unit = XfUnit::new(Arc::new(Engine::new(Options::default())), Chip::Nv2a);
    let program = asm::parse(GEN, "MUL oPos, v0, c[100]\nMOV oD0, v3").expect("it assembles");
    for (slot, words) in (0..).zip(isa::encode(GEN, &program).as_chunks::<2>().0) {
        unit.command(Command::pair(Type::Xfpr, slot / 2, 2 * (slot % 2) as u8, *words));
    }
    unit.set(Register::Outputs, 0b1001);
    let rows: Vec<Row> = (0..600u32).map(|i| [(i as f32).to_bits(), 0, 0x3f80_0000, 0x3f80_0000]).collect();
    frame(&mut unit, &rows, 1);
    let before = COUNT.get();
    for number in 2..5 {
        frame(&mut unit, &rows, number);
    }
    assert_eq!(COUNT.get() - before, 0);
}

/// Draws of a frame, with states that change between them, as a guest sends them each time.
#[test]
fn flipper_allocates_nothing_once_it_has_seen_frames() {
    // From columns, and where vertices lie.
    for hot in [u64::MAX, 0] {
        let in_place = flipper_frames(hot);
        assert_eq!(in_place > 0, hot == 0 && cfg!(feature = "jit"), "{in_place}");
    }
}

/// Runs frames; returns the vertices that have been read in place.
fn flipper_frames(hot: u64) -> u64 {
    let engine = Arc::new(Engine::new(Options::default()));
    let mut unit = FlipperUnit::new(engine, Quirks::default(), FlipperQuirks::SPEC);
    unit.set_hot(hot);
    let mut stream = Vec::new();
    let cp = |stream: &mut Vec<u8>, register: u8, value: u32| {
        stream.extend([8, register]);
        stream.extend(value.to_be_bytes());
    };
    for number in 0..6_u8 {
        // Positions direct or by index, with a normal and a colour, of which some are lit, then a matrix.
        cp(&mut stream, 0x50, if number % 2 == 0 { 0x2a00 } else { 0x4e01 });
        cp(&mut stream, 0x70 + number, 1 | u32::from(number) << 4);
        stream
            .extend([0x10, 0, 4, 0x10, 0x09, 0, 0, 0, 2, 0, 0, 0, 9, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0]);
        stream.extend([0x10, 0, 0, 0x10, 0x0e, 0, 0, 3 + 4 * (number / 3), 6]);
        stream.extend([0x10, 0, 1, 0, 0, 0x3f, 0x80, 0, number, 0, 0, 0, 0]);
        let bytes = if number % 2 == 0 { 8 } else { 7 };
        stream.extend([0x98 + number, 0, 120]);
        stream.extend((0..120 * bytes).map(|at| (at * 7) as u8));
    }
    let memory: Vec<u8> = (0..3000).map(|at| at as u8).collect();
    let (mut vertices, mut backs) = (0, 0);
    let mut frame = |unit: &mut FlipperUnit| {
        let used = unit.run(&stream, &memory, flipper::Budget::NONE, |output| {
            if let flipper::Output::Drawn(drawn) = output {
                vertices += drawn.vertices.count;
                backs += drawn.triangles().filter(|triangle| triangle.is_back).count();
            }
        });
        assert_eq!(used, stream.len());
    };
    // The third makes plans of what native code has left to the interpreter.
    (0..3).for_each(|_| frame(&mut unit));
    let before = COUNT.get();
    (0..3).for_each(|_| frame(&mut unit));
    assert_eq!(COUNT.get() - before, 0);
    assert!(vertices > 6 * 600 && backs > 0, "{vertices} {backs}");
    unit.stats().in_place
}

#[test]
fn the_fixed_function_allocates_nothing() {
    for set in &setups::ALL {
        for model in [Model::Hw, Model::Ieee] {
            let setup = Setup::new(set.mode()).model(model);
            let program = Engine::new(Options::default()).fixed(&setup);
            let (mut worker, mut context) = (Worker::new(), set.context());
            let mut attributes = set.vertices(130);
            // Native code leaves these to the evaluator.
            attributes[0][2][1] = 0x7fc0_0000;
            attributes[0][77] = [0xffff_ffff; 4];
            for (run, count) in [130, 130, 0, 1, 3, 64, 130].into_iter().enumerate() {
                let mut inputs = Inputs::new(count);
                for (register, rows) in attributes.iter().enumerate() {
                    inputs = inputs.with(register, Attribute::rows(rows));
                }
                let live: Vec<u8> = (0..24).filter(|register| setup.outputs() >> register & 1 != 0).collect();
                let mut words = vec![0; 4 * live.len() * count];
                let mut outputs = Outputs::interleaved(&mut words, &live);
                let before = COUNT.get();
                let result = program.run(&mut worker, &mut context, &inputs, &mut outputs);
                let after = COUNT.get();
                result.expect("the streams are long enough");
                // In the first one working memory is made, in the second one the interpreter's plan: it runs 256 vertices without.
                assert!(run < 2 || after == before, "{}, {count} vertices", set.name);
            }
        }
    }
}
