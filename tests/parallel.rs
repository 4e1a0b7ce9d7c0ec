//! One batch on several threads gives what one thread gives: every byte of outputs, constants and dirty bytes, the outcome, and the counters.
//! Batches that cannot be cut run on one thread. Whatever a caller's pool does with parts is defined.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use xfjit::backend::{Backend, Interp, Outcome};
use xfjit::engine::{Parts, ProgramStats};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Output, Outputs, Place, StreamError};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::fpenv::FpEnv;
use xfjit::runtime::state::{OUTPUTS, Row};
use xfjit::runtime::texture::Textures;
use xfjit::shader::Cancel;
use xfjit::{Config, Engine, Generation, Model, Options, Program, Worker, asm};
use xfjit_testing::{Case, Choices, Limits, RandomCase, backends};

const UNTOUCHED: u8 = 0x5a;

/// A part on each of so many threads.
fn on_threads(parts: &Parts<'_>) {
    thread::scope(|scope| {
        for number in 0..parts.count() {
            scope.spawn(move || parts.run(number));
        }
    });
}

fn engine(backend: &Arc<dyn Backend>) -> Engine {
    Engine::new(Options::default().with(|options| options.backend = Arc::clone(backend)))
}

fn program(text: &str, config: Config) -> Arc<Program> {
    let decoded = asm::parse(config.generation, text).unwrap_or_else(|errors| panic!("{errors:?}"));
    Engine::new(Options::default()).decoded(decoded, &config)
}

fn kelvin() -> Config {
    Config::new(Generation::Kelvin).model(Model::Ieee).live_outputs(1)
}

/// Counters without what is measured.
fn counted(stats: ProgramStats) -> ProgramStats {
    let mut counted = stats;
    counted.cost = Default::default();
    counted
}

/// What a batch leaves behind.
#[derive(PartialEq, Debug)]
struct Left {
    output: Vec<u8>,
    rows: Vec<Row>,
    dirty: Vec<u8>,
    outcome: Outcome,
    stats: ProgramStats,
    times: [u64; 2],
}

/// Runs a case on an engine of its own.
fn run(
    case: &Case,
    backend: &Arc<dyn Backend>,
    keeps: bool,
    run: impl FnOnce(&Program, &mut Constants<'_>, &Inputs<'_>, &Outputs<'_>) -> Result<Outcome, StreamError>,
) -> Left {
    let program = case.program().expect("it decodes");
    let program = engine(backend).shader(&Microcode::shader(&program, &case.config));
    let mut rows = case.context().rows().to_vec();
    let mut dirty = vec![0; rows.len()];
    let mut output = case.fresh_output();
    let outcome = {
        let mut outputs = Outputs::new(&mut output, case.config.layout, case.places);
        if keeps {
            outputs = outputs.keeping();
        }
        let mut constants = Constants::new(&mut rows).noting(&mut dirty);
        run(&program, &mut constants, &case.inputs(), &outputs).expect("the streams hold the batch")
    };
    let times = program.times().map(|time| time.vertices);
    Left { output, rows, dirty, outcome, stats: counted(program.stats()), times }
}

/// Random programs and data: values that raise guards in some lanes, rows and planes, index lists, formats that are read in place and such
/// that are copied, registers that are kept in part.
#[test]
fn parts_give_what_one_thread_gives() {
    let (mut cut, mut guarded, mut serial) = (BTreeMap::<_, usize>::new(), 0, 0);
    for seed in 0..120 {
        let mut c = Choices::seed(seed);
        let mut limits = Limits::choose(&mut c, Generation::ALL[seed as usize % 3]);
        limits.shape.slots = limits.shape.slots.min(40);
        limits.vertices = 600;
        let case = Case::within(&mut c, limits);
        let keeps = c.chance(30);
        for backend in backends(case.config.model).into_iter().chain([Arc::new(Interp::Batched) as _]) {
            let whole = run(&case, &backend, keeps, |program, constants, inputs, outputs| {
                program.run_on(&mut Worker::new(), constants, inputs, outputs)
            });
            let (parts, piece) = (1 + c.below(8) as usize, 64 * (1 + c.below(3) as usize));
            let mut calls = 0;
            let in_parts = run(&case, &backend, keeps, |program, constants, inputs, outputs| {
                let mut worker = Worker::new();
                worker.set_overtime(None);
                program.run_in_pieces(&mut worker, (parts, piece), constants, inputs, outputs, &mut |parts| {
                    calls += 1;
                    on_threads(parts);
                })
            });
            assert!(whole == in_parts, "{parts} parts, {}: {whole:?} {in_parts:?}\n{case}", backend.name());
            *cut.entry(backend.name()).or_default() += calls;
            guarded += usize::from(calls > 0 && whole.outcome.deopt_groups > 0);
            serial += usize::from(whole.dirty.contains(&1));
            assert!(calls == 0 || !whole.dirty.contains(&1), "a program that writes constants was cut");
        }
    }
    assert!(cut.values().all(|&cut| cut > 20), "batches that were cut: {cut:?}");
    assert!(serial > 5 && (guarded > 10 || cfg!(not(feature = "jit"))), "{serial} {guarded}");
}

/// A batch of many vertices, by the public ways: native code of any width, also that of batches that no cache holds.
#[test]
fn large_batches_give_what_one_thread_gives() {
    const COUNT: usize = 300_007;
    let nan = |i: usize| i.is_multiple_of(4099) || (200_000..200_300).contains(&i) || i + 3 > COUNT;
    let vertex = |i: usize| if nan(i) { [0x7fc0_0001; 4] } else { [0x3f80_0000 + i as u32; 4] };
    let attributes: Vec<Row> = (0..COUNT).map(vertex).collect();
    let longer =
        "MUL r0, v0, c[0]\nMAD r0, r0, r0, v0\nDP4 r1, r0, c[1]\nMUL oPos, r0, r1\nMAD oD0, r0, r1, v0";
    for text in ["MUL oPos, v0, c[0]\nMOV oD0, v0", longer] {
        let mut left = Vec::new();
        for threads in [1, 2, 3, 8] {
            let program = program(text, kelvin().live_outputs(1 | 1 << 3));
            let rows = vec![[0x4000_0000; 4]; 192];
            let mut words = vec![0; 8 * COUNT];
            let (mut worker, mut calls) = (Worker::new(), 0);
            let inputs = Inputs::new(COUNT).with(0, Attribute::rows(&attributes));
            for _ in 0..2 {
                let outputs = Outputs::interleaved(&mut words, &[0, 3]);
                let constants = &mut Constants::read_only(&rows);
                let outcome =
                    program.run_in_parts(&mut worker, threads, constants, &inputs, &outputs, &mut |parts| {
                        assert!((2..=threads).contains(&parts.count()));
                        calls += 1;
                        on_threads(parts);
                    });
                left.push((
                    outcome.expect("the streams hold the batch"),
                    counted(program.stats()).deopt_groups,
                ));
            }
            assert_eq!(calls, if threads == 1 { 0 } else { 2 });
            assert_eq!(program.stats().vertices, 2 * COUNT as u64);
            assert_eq!(left[left.len() - 2..], left[..2]);
            #[cfg(feature = "parallel")]
            {
                let mut again = vec![0; words.len()];
                let mut context = xfjit::runtime::state::Context::new(192);
                context.rows_mut().copy_from_slice(&rows);
                let mut outputs = Outputs::interleaved(&mut again, &[0, 3]);
                let outcome =
                    program.run_parallel(&mut worker, threads - 1, &mut context, &inputs, &mut outputs);
                assert_eq!((outcome, again == words), (Ok(left[0].0), true));
            }
            let sum = words.iter().fold(0u64, |sum, &word| sum.rotate_left(5) ^ u64::from(word));
            left.push((Outcome { deopt_groups: sum, ..Outcome::default() }, 0));
            assert_eq!(left[left.len() - 1], left[2]);
        }
    }
}

/// Runs vertices in pieces of 64; whether they were cut.
fn is_cut(
    program: &Program,
    worker: &mut Worker,
    count: usize,
    outputs: &Outputs<'_>,
) -> Result<bool, StreamError> {
    let attributes = vec![[0x3f80_0000; 4]; count];
    let inputs = Inputs::new(count).with(0, Attribute::rows(&attributes));
    let mut rows = vec![[0x4000_0000; 4]; program.needs().rows];
    let (mut cut, constants) = (false, &mut Constants::new(&mut rows));
    program.run_in_pieces(worker, (4, 64), constants, &inputs, outputs, &mut |parts| {
        cut = true;
        on_threads(parts);
    })?;
    Ok(cut)
}

#[test]
fn what_later_vertices_see_keeps_a_batch_on_one_thread() {
    let is_cut = |program: &Program, worker: &mut Worker| {
        let mut words = vec![0; 4 * 256];
        is_cut(program, worker, 256, &Outputs::interleaved(&mut words, &[0])).expect("it holds the batch")
    };
    let plain = program("MUL oPos, v0, c[3]", kelvin());
    assert!(is_cut(&plain, &mut Worker::new()));
    let writes = program(
        "MUL oPos, v0, c[3]\nADD c[3], v0, v0",
        kelvin().with(|config| config.constant_writes = true),
    );
    assert!(!is_cut(&writes, &mut Worker::new()));

    let mut limited = Worker::new();
    limited.set_slot_budget(Some(1 << 30));
    assert!(!is_cut(&plain, &mut limited));
    limited.set_slot_budget(None);
    assert!(is_cut(&plain, &mut limited));
    limited.set_cancel(Some(Cancel::new()));
    assert!(!is_cut(&plain, &mut limited));
    assert!(!Worker::new().as_one_call(256, |worker| is_cut(&plain, worker)));

    let curie = |text: &str| program(text, Config::new(Generation::Curie).live_outputs(1));
    assert!(is_cut(
        &curie("MOVC cc.x, v0.x\nBRA on (GT.x)\nMOV r0, v0\non:\nMOV oPos, v0"),
        &mut Worker::new()
    ));
    assert!(!is_cut(&curie("again:\nMOVC cc.x, -v0.x\nBRA again (GT.x)\nMOV oPos, v0"), &mut Worker::new()));

    // An overtime is one of loops.
    let mut short = Worker::new();
    short.set_overtime(Some(1));
    assert!(is_cut(&plain, &mut short));
    let lockstep = xfjit::Lockstep::new(Interp::Single, Interp::Batched);
    let pair = engine(&(Arc::new(lockstep) as _)).shader(plain.shader());
    assert!(!is_cut(&pair, &mut Worker::new()));
}

#[test]
fn memory_that_vertices_share_keeps_a_batch_on_one_thread() {
    const COUNT: usize = 256;
    let one = program("MUL oPos, v0, c[3]", kelvin());
    let two = program("MUL oPos, v0, c[3]\nMOV oD0, v0", kelvin().live_outputs(1 | 1 << 3));
    let planes = |config: &mut Config| config.layout = Layout::Planes;
    let planes = program("MUL oPos, v0, c[3]\nMOV oD0, v0", kelvin().live_outputs(1 | 1 << 3).with(planes));
    let places = |places: &[(usize, usize, usize)]| {
        let mut all = [None; OUTPUTS];
        places.iter().for_each(|&(register, offset, stride)| all[register] = Some(Place { offset, stride }));
        all
    };
    let plane = 4 * COUNT;
    let rows = (&two, Layout::Rows);
    for ((program, layout), at, is_apart) in [
        ((&one, Layout::Rows), vec![(0, 3, 16)], true),
        ((&one, Layout::Rows), vec![(0, 0, 15)], false),
        ((&one, Layout::Rows), vec![(0, 0, 0)], false),
        (rows, vec![(0, 0, 32), (3, 16, 32)], true),
        (rows, vec![(0, 17, 33), (3, 0, 33)], true),
        (rows, vec![(0, 0, 32), (3, 8, 32)], true),
        (rows, vec![(0, 0, 32), (3, 20, 32)], false),
        (rows, vec![(0, 0, 32), (3, 16, 64)], false),
        (rows, vec![(0, 0, 32), (3, 32 * COUNT, 64)], true),
        ((&planes, Layout::Planes), vec![(0, 0, plane), (3, 4 * plane, plane + 4)], true),
        ((&planes, Layout::Planes), vec![(0, 0, 2 * plane), (3, plane, 2 * plane)], false),
        ((&planes, Layout::Planes), vec![(0, 0, plane), (3, 4 * plane - 4, plane)], false),
    ] {
        let mut memory = vec![UNTOUCHED; 256 * COUNT];
        let outputs = Outputs::new(&mut memory, layout, places(&at));
        assert_eq!(is_cut(program, &mut Worker::new(), COUNT, &outputs), Ok(is_apart), "{at:?}");
    }
    let mut memory = vec![UNTOUCHED; 16 * COUNT];
    let own = Outputs::none(Layout::Rows).with(0, Output::new(&mut memory, 16));
    assert_eq!(is_cut(&one, &mut Worker::new(), COUNT, &own), Ok(true));
    let cells = vec![Cell::new(UNTOUCHED); 16 * COUNT];
    let shared = Outputs::none(Layout::Rows).with(0, Output::shared(&cells, 16));
    assert_eq!(is_cut(&one, &mut Worker::new(), COUNT, &shared), Ok(false));
    assert!(cells.iter().any(|cell| cell.get() != UNTOUCHED), "it has run");
}

#[test]
fn small_batches_stay_on_one_thread() {
    let program = program("MUL oPos, v0, c[3]", kelvin());
    let rows = vec![[0; 4]; 192];
    for (count, least) in [(1, 1), (64, 1), (10_000, 1), (400_000, 2)] {
        let (attributes, mut words) = (vec![[0; 4]; count], vec![0; 4 * count]);
        let inputs = Inputs::new(count).with(0, Attribute::rows(&attributes));
        let outputs = Outputs::interleaved(&mut words, &[0]);
        let (mut parts, constants) = (1, &mut Constants::read_only(&rows));
        let each = &mut |all: &Parts<'_>| {
            parts = all.count();
            on_threads(all);
        };
        let ran = program.run_in_parts(&mut Worker::new(), 64, constants, &inputs, &outputs, each);
        ran.expect("the streams hold the batch");
        assert!(parts >= least && (least > 1) == (parts > 1), "{count} vertices: {parts} parts");
    }
}

/// Runs 640 vertices in 4 parts by a pool of the caller's; the outputs are those of all vertices, or not.
fn pooled(
    program: &Program,
    mut each: impl FnMut(&Parts<'_>) + Send,
) -> (Result<Outcome, StreamError>, bool) {
    let (attributes, rows) = (vec![[0x3f80_0000; 4]; 640], vec![[0x4000_0000; 4]; 192]);
    let mut words = vec![0; 4 * 640];
    let inputs = Inputs::new(640).with(0, Attribute::rows(&attributes));
    let outputs = Outputs::interleaved(&mut words, &[0]);
    let constants = &mut Constants::read_only(&rows);
    let ran = program.run_in_pieces(&mut Worker::new(), (4, 64), constants, &inputs, &outputs, &mut each);
    (ran, words.iter().all(|&word| word == 0x4000_0000))
}

#[test]
fn pools_that_do_not_run_each_part_once_are_told() {
    let program = program("MUL oPos, v0, c[3]", kelvin());
    let error = |ran, refused| Err(StreamError::PartsNotRun { parts: 4, ran, refused });
    assert_eq!(
        pooled(&program, |parts| (0..4).for_each(|number| parts.run(3 - number))),
        (Ok(Outcome::default()), true)
    );
    assert_eq!(pooled(&program, |_| {}), (error(0, 0), false));
    assert_eq!(pooled(&program, |parts| parts.run(2)).0, error(1, 0));
    assert_eq!(
        pooled(&program, |parts| [0, 1, 2, 3, 1].into_iter().for_each(|number| parts.run(number))).0,
        error(4, 1)
    );
    assert_eq!(pooled(&program, |parts| (0..4).for_each(|_| parts.run(0))).0, error(1, 3));
    assert_eq!(pooled(&program, |parts| (1..6).for_each(|number| parts.run(number))).0, error(3, 2));
    let at_once = |parts: &Parts<'_>| {
        thread::scope(|scope| (0..8).for_each(|number| drop(scope.spawn(move || parts.run(number % 4)))));
    };
    assert_eq!(pooled(&program, at_once).0, error(4, 4));
    assert_eq!(program.stats().batches, 1, "errors count nothing");
    assert_eq!(pooled(&program, on_threads), (Ok(Outcome::default()), true));
}

#[test]
fn a_panic_in_a_part_loses_no_other_and_spoils_nothing() {
    let text = "TXL r0, v0, tex0\nMOV oPos, r0";
    let program = program(text, Config::new(Generation::Curie).model(Model::Ieee).live_outputs(1));
    let attributes: Vec<Row> = (0..640u32).map(|i| [i; 4]).collect();
    let mut worker = Worker::new();
    let mut run = |panics: bool| {
        let mut words = vec![0; 4 * 640];
        let looked = AtomicUsize::new(0);
        let look = |_: u8, coordinate: Row| {
            looked.fetch_add(1, Ordering::Relaxed);
            assert!(!panics || coordinate[0] != 130, "a texture that panics");
            coordinate.map(|word| word + 1)
        };
        let rows = vec![[0; 4]; program.needs().rows];
        let inputs = Inputs::new(640).with(0, Attribute::rows(&attributes)).textured(Textures::Host(&look));
        let result = catch_unwind(AssertUnwindSafe(|| {
            let outputs = Outputs::interleaved(&mut words, &[0]);
            let constants = &mut Constants::read_only(&rows);
            program.run_in_pieces(&mut worker, (4, 64), constants, &inputs, &outputs, &mut on_threads)
        }));
        let missing: Vec<usize> = (0..640).filter(|&i| words[4 * i] != i as u32 + 1).collect();
        (result.map_err(|panic| panic.downcast_ref::<&str>().copied()), missing)
    };
    let (result, missing) = run(true);
    assert_eq!(result.expect_err("it panicked"), Some("a texture that panics"));
    assert!(!missing.is_empty() && missing.iter().all(|&vertex| (128..192).contains(&vertex)), "{missing:?}");
    let (result, missing) = run(false);
    assert!(result.expect("it returned").is_ok() && missing.is_empty(), "{missing:?}");
}

/// A thread of a pool has the environment that its owner likes.
#[test]
fn threads_keep_their_floating_point_environment() {
    let third = || (black_box(1f32) / black_box(3f32)).to_bits();
    let truncated = FpEnv::Truncate.within(third);
    for model in [Model::Ieee, Model::Hw] {
        let program = program("MUL oPos, v0, c[3]", kelvin().model(model));
        let ran = pooled(&program, |parts| {
            thread::scope(|scope| {
                for number in 0..4 {
                    scope.spawn(move || {
                        let after = FpEnv::Truncate.within(|| {
                            parts.run(number);
                            third()
                        });
                        assert_eq!(after, truncated);
                        assert_eq!(third(), 0x3eaa_aaab);
                    });
                }
            });
        });
        assert_eq!(ran, (Ok(Outcome::default()), true));
    }
}
