//! The slow path of an engine's programs: it is compiled once guards are raised often, by whoever compiles, and nobody can see it.
#![cfg(feature = "jit")]

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use xfjit::engine::{Event, Hook, Job};
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Output, Outputs};
use xfjit::runtime::bound::Bound;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::Row;
use xfjit::{Compile, Config, Engine, Generation, Model, Options, Program, Worker, asm};

const ONE: u32 = 0x3f80_0000;
const NAN: u32 = 0xffc1_2345;

/// A normal made a unit vector, and light: what a mesh without some of its normals runs.
const TEXT: &str = "DP3 r0, v2, v2\nRSQ r0.w, r0.x\nMUL r0, v2, r0.w\nDP3 r1, r0, c[1]\nMAX r1, r1, c[0]\nMAD oPos, v0, r1, c[2]";

fn program(engine: &Engine, model: Model) -> Arc<Program> {
    assembled(engine, model, TEXT, 1)
}

fn assembled(engine: &Engine, model: Model, text: &str, live: u32) -> Arc<Program> {
    let decoded = asm::parse(Generation::Kelvin, text).expect("it is a program");
    engine.decoded(decoded, &Config::new(Generation::Kelvin).model(model).live_outputs(live))
}

/// Runs 48 vertices, of which one in 16 has a NaN in its normal; the outputs, and those vertices that the slow path ran.
fn run(program: &Program, worker: &mut Worker) -> (Vec<u32>, u64) {
    let mut rows = vec![[0; 4]; 192];
    rows[1] = [ONE, ONE + 1, ONE + 77, ONE];
    rows[2] = [ONE + 5; 4];
    let positions: Vec<Row> = (0..48).map(|i| [ONE + i, ONE, ONE + 3 * i, ONE]).collect();
    let normals: Vec<Row> =
        (0..48).map(|i| if i % 16 == 5 { [ONE, NAN, ONE, ONE] } else { [ONE + i, ONE, ONE, ONE] }).collect();
    let inputs = Inputs::new(48).with(0, Attribute::rows(&positions)).with(2, Attribute::rows(&normals));
    let mut words = vec![0; 4 * 48];
    let outputs = Outputs::interleaved(&mut words, &[0]);
    let outcome = program.run_on(worker, &mut Constants::read_only(&rows), &inputs, &outputs);
    let outcome = outcome.expect("the streams hold the batch");
    assert_eq!(outcome.deopt_vertices, 3, "{outcome:?}");
    (words, outcome.slow_vertices)
}

fn options(compile: Compile) -> Options {
    Options::default().with(|options| {
        options.compile = compile;
        options.slow_path_after = 9;
    })
}

#[test]
fn guards_that_are_raised_often_bring_it_and_no_bit_changes() {
    for model in [Model::Hw, Model::Ieee] {
        let engine = Engine::new(options(Compile::Now));
        let program = program(&engine, model);
        let before = program.stats().cost.memory_bytes;
        let mut worker = Worker::new();
        let want = run(&program, &mut worker);
        assert_eq!(want.1, 0);
        assert_eq!(run(&program, &mut worker), want);
        // The third batch brings the ninth vertex, and the slow path at its end.
        assert_eq!(run(&program, &mut worker), want);
        let (words, slow_vertices) = run(&program, &mut worker);
        assert_eq!(words, want.0, "{model:?}");
        assert_eq!(slow_vertices, 3, "the guarded vertex of each of three groups");
        let stats = program.stats();
        assert_eq!((stats.deopt_vertices, stats.slow_vertices), (12, 3));
        assert!(stats.cost.memory_bytes > before, "what the cache holds has grown");
        assert_eq!(engine.stats().compiled, 1);
    }
}

#[test]
fn it_comes_from_whoever_compiles() {
    let mut worker = Worker::new();
    let jobs: Arc<Mutex<Vec<Job>>> = Arc::default();
    let hook = {
        let jobs = Arc::clone(&jobs);
        Hook::new(move |event| {
            if let Event::Hot(job) = event {
                jobs.lock().expect("nobody panics").push(job);
            }
        })
    };
    let engine =
        Engine::new(options(Compile::Handed { threshold: 1 }).with(|options| options.hook = Some(hook)));
    let program = program(&engine, Model::Hw);
    let jobs_run = || {
        let jobs = std::mem::take(&mut *jobs.lock().expect("nobody panics"));
        let count = jobs.len();
        jobs.into_iter().for_each(Job::run);
        count
    };
    engine.warm(&[Arc::clone(&program)], true);
    let (words, _) = run(&program, &mut worker);
    for round in 2..6 {
        let (got, slow_vertices) = run(&program, &mut worker);
        assert_eq!(got, words);
        // The third batch brings the ninth vertex, and a job.
        assert_eq!(slow_vertices, if round > 3 { 3 } else { 0 }, "{round}");
        if round == 3 {
            // A job that is dropped comes again if somebody asks.
            assert_eq!(jobs.lock().expect("nobody panics").drain(..).count(), 1);
            engine.warm(&[Arc::clone(&program)], false);
        }
        assert_eq!(jobs_run(), usize::from(round == 3), "{round}");
    }

    let engine = Engine::new(options(Compile::Background { threshold: 1 }));
    let program = self::program(&engine, Model::Hw);
    engine.warm(&[Arc::clone(&program)], true);
    let is_there = (0..).any(|_| {
        let (got, slow_vertices) = run(&program, &mut worker);
        assert_eq!(got, words);
        std::thread::yield_now();
        slow_vertices > 0
    });
    assert!(is_there);
}

/// A batch that is bound once runs again and again, on the slow path where it has to; with the same bits, and the same outcome.
#[test]
fn what_has_run_runs_again() {
    let mut worker = Worker::new();
    let mut rng = 1_u32;
    // An attribute that is copied is guarded as a whole under `ieee`.
    let copying = format!("{TEXT}\nMOV oT0, v8");
    let texts = [(TEXT, 1), (&*copying, 1 | 1 << 9)];
    for (model, (text, live)) in
        [Model::Hw, Model::Ieee].into_iter().flat_map(|model| texts.map(|text| (model, text)))
    {
        let engine = Engine::new(options(Compile::Now).with(|options| options.time_one_in = 0));
        let program = assembled(&engine, model, text, live);
        let mut repeated = 0;
        for count in [48, 1, 2, 3, 5, 8, 9, 16, 17, 31, 48, 64, 100] {
            for one_in in [1, 2, 7, 30] {
                let mut normal = |i| {
                    rng = rng.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                    if (rng >> 16).is_multiple_of(one_in) {
                        [ONE, NAN, ONE, ONE]
                    } else {
                        [ONE + i, ONE, ONE, ONE]
                    }
                };
                let normals: Vec<Row> = (0..count).map(&mut normal).collect();
                let copied: Vec<Row> = (0..count).map(&mut normal).collect();
                let positions: Vec<Row> = (0..count).map(|i| [ONE + i, ONE, ONE + 3 * i, ONE]).collect();
                let count = count as usize;
                let inputs = Inputs::new(count)
                    .with(0, Attribute::rows(&positions))
                    .with(2, Attribute::rows(&normals))
                    .with(8, Attribute::rows(&copied));
                let words = vec![Cell::new(0); 32 * count];
                let mut outputs = Outputs::none(Layout::Rows);
                outputs.set(0, Output::shared(&words, 32));
                outputs.set(9, Output::shared(&words[16..], 32));
                let mut bound = Bound::new(program.needs(), &inputs, &outputs).expect("it holds the batch");
                for round in 0..3 {
                    let mut rows = vec![[0; 4]; 192];
                    rows[1] = [ONE, ONE + 1, ONE + 77 + round, ONE];
                    rows[2] = [if round == 2 && one_in == 30 { NAN } else { ONE + 5 }; 4];
                    let mut constants = Constants::read_only(&rows);
                    let whole = program.run_bound(&mut worker, &mut constants, &mut bound, 0..count);
                    let whole = whole.expect("it is bound");
                    let want: Vec<u8> = words.iter().map(Cell::take).collect();
                    let before = program.stats();
                    let again = program.run_repeat(&mut worker, &mut constants, &mut bound.repeat());
                    let after = program.stats();
                    let runs = after.batches - before.batches;
                    let Some(outcome) = again.outcome() else {
                        assert_eq!((runs, after.deopt_vertices), (0, before.deopt_vertices));
                        continue;
                    };
                    let got: Vec<u8> = words.iter().map(Cell::get).collect();
                    assert!(got == want, "{model:?}, {count} vertices, one in {one_in}, round {round}");
                    assert_eq!(outcome, whole, "{model:?}, {count} vertices, one in {one_in}, round {round}");
                    assert_eq!((runs, after.vertices - before.vertices), (1, count as u64));
                    let counted = (
                        after.deopt_groups - before.deopt_groups,
                        after.deopt_vertices - before.deopt_vertices,
                        after.slow_vertices - before.slow_vertices,
                    );
                    assert_eq!(counted, (whole.deopt_groups, whole.deopt_vertices, whole.slow_vertices));
                    repeated += u32::from(whole.slow_vertices > 0);
                }
            }
        }
        assert!(repeated > 50, "{model:?}, {text}: {repeated} batches ran again on the slow path");
    }
}

#[test]
fn who_wants_none_has_none() {
    let engine = Engine::new(options(Compile::Now).with(|options| options.slow_path_after = u64::MAX));
    let program = program(&engine, Model::Hw);
    let mut worker = Worker::new();
    for _ in 0..40 {
        assert_eq!(run(&program, &mut worker).1, 0);
    }
}
