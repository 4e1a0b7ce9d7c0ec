//! Constants as literals of code: rows that stay the same become literals of a further routine, and nobody can see it.
#![cfg(feature = "jit")]

mod rules;

use std::sync::Arc;
use xfjit::backend::{Backend, Interp};
use xfjit::engine::{Event, Hook, Verify};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::Row;
use xfjit::{Compile, Config, Engine, Generation, Model, Options, Program, Worker, asm};
use xfjit_ir::ir::eval;
use xfjit_ir::opt::{literals, simplify};
use xfjit_testing::operand::{self, Temper};
use xfjit_testing::{
    Case, Choices, FAMILIES, FixedCase, FlipperCase, Folded, Limits, RandomCase, RandomFixed,
};
use xfjit_testing::{RandomFlipper, native, native_wide};

const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 0x8000_0000;

/// A row as games have them: mostly 0 and 1, else anything.
fn plain(c: &mut Choices<'_>) -> Row {
    if c.chance(25) {
        return operand::row(c, Temper::Wild);
    }
    std::array::from_fn(|_| match c.below(16) {
        0..=6 => 0,
        7 => SIGN,
        8..=10 => ONE,
        11 => ONE | SIGN,
        12 => c.pick(&[1, 0x7f_ffff, 0x80_0000, 0x8000_0001, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000]),
        _ => operand::row(c, Temper::Ordinary)[0],
    })
}

/// A random program with such constants.
fn case(seed: u64, model: Option<Model>) -> Case {
    let mut c = Choices::seed(seed);
    let generation = c.pick(Generation::ALL);
    let mut limits = Limits { model, ..Limits::choose(&mut c, generation) };
    limits.shape.slots = limits.shape.slots.min(40);
    let mut case = Case::within(&mut c, limits);
    case.config.constant_writes &= c.chance(10);
    case.constants.fill_with(|| plain(&mut c));
    case
}

/// What functions of the chip's primitives become: equal to the bit, or guarded.
#[test]
fn bound_functions_equal_what_they_were() {
    let (mut vertices, mut guarded, mut shorter) = (0, 0, 0);
    for seed in 0..3_000 {
        let case = case(seed, None);
        let program = case.program().expect("the generator makes programs");
        let shader = xfjit::front::Microcode::shader(&program, &case.config);
        let Some(func) = shader.lower_within(1 << 14) else { continue };
        let func = simplify(func);
        if func.is_serial() {
            continue;
        }
        let choice = Choices::seed(seed ^ 0x5555).word();
        let is_chosen = |row: usize| seed % 2 == 0 || choice >> (row % 32) & 1 != 0;
        let bound = literals::bind(&func, |row| is_chosen(row).then(|| case.constants[row]));
        assert_eq!(xfjit_ir::ir::verify::verify(&bound), Ok(()), "seed {seed}");
        shorter += u32::from(bound.body.len() < func.body.len());
        let inputs = case.inputs();
        let mut rows = case.constants.clone();
        let mut others = rows.clone();
        rows.push([0; 4]);
        // What has become a literal is not read any more, but by relative reads.
        let relative = func.insts.iter().any(|inst| inst.op == xfjit_ir::ir::Op::CtxRel);
        others
            .iter_mut()
            .enumerate()
            .filter(|&(row, _)| is_chosen(row))
            .for_each(|(_, row)| *row = [0x7fe1_2345; 4]);
        let others = if relative { rows.clone() } else { others };
        for position in 0..case.count.min(20) {
            let attribute = |register| inputs.fetch(register, position);
            let want = eval::run(&func, &rows, attribute);
            let got = eval::run(&bound, &others, attribute);
            vertices += 1;
            guarded += u32::from(got.guarded);
            assert!(
                got.guarded || want.guarded || got == want,
                "seed {seed}, vertex {position}:\n{func}\n{bound}"
            );
        }
    }
    println!("{vertices} vertices, {guarded} guarded, {shorter} functions shorter");
    assert!(vertices > 5_000 && guarded * 2 < vertices && shorter > 1_000);
}

fn agree(case: &Case, backend: &dyn Backend, worker: &mut Worker, seed: u64) {
    let want = case.run(&Interp::Single, worker).expect("the reference runs every case");
    let got = match case.run(backend, worker) {
        Ok(got) => got,
        Err(refusal) => {
            assert!(
                matches!(&refusal, xfjit_testing::case::Refusal::Compile(error) if error.is_limit()),
                "{refusal}"
            );
            return;
        }
    };
    if let Some((what, _)) = xfjit_testing::check::difference(&case.placement(), &want, &got) {
        panic!("seed {seed}: {what}\n{case}");
    }
}

#[test]
fn code_with_literals_equals_the_reference() {
    let mut worker = Worker::new();
    for backend in native().into_iter().chain(native_wide()) {
        let backends =
            [Folded::new(Arc::clone(&backend), None), Folded::new(backend, Some(0x5a5a_1234_9876_0ff0))];
        for seed in 10_000..10_400 {
            let case = case(seed, None);
            agree(&case, &backends[seed as usize % 2], &mut worker, seed);
        }
        assert!(backends.iter().map(Folded::runs).sum::<u64>() > 250, "{backends:?}");
    }
}

#[test]
fn fixed_functions_with_literals_equal_the_reference() {
    let mut worker = Worker::new();
    let Some(backend) = native_wide().into_iter().last().or_else(native) else { return };
    let folded = [Folded::new(Arc::clone(&backend), None), Folded::new(backend, Some(0xc3a5_0ff0_1234_9876))];
    for seed in 0..120 {
        let mut c = Choices::seed(seed);
        let mut case =
            <FixedCase as RandomFixed>::choose(&mut c, FAMILIES[seed as usize % FAMILIES.len()], None, 20);
        for row in case.context.rows_mut() {
            if c.chance(60) {
                *row = plain(&mut c);
            }
        }
        let backend: &dyn Backend = &folded[seed as usize / 2 % 2];
        case.check(&[backend], &mut worker).unwrap_or_else(|mismatch| panic!("seed {seed}: {mismatch}"));
        let mut case = FlipperCase::choose_flipper(&mut c, 20);
        for row in case.context.rows_mut() {
            if c.chance(30) {
                *row = plain(&mut c);
            }
        }
        case.check_flipper(&[backend], &mut worker)
            .unwrap_or_else(|mismatch| panic!("seed {seed}: {mismatch}"));
    }
}

/// Options that fold what stays for so many runs, of which each is looked at.
fn options(compile: Compile, runs: u64) -> Options {
    Options::default().with(|options| {
        options.compile = compile;
        options.fold_after = runs;
        options.time_one_in = 1;
        options.slow_path_after = 64;
    })
}

/// An engine that folds as soon as it can equals the interpreter, whatever becomes of the constants meanwhile.
#[test]
fn engines_that_fold_equal_the_interpreter() {
    let (mut folded, mut worker) = (0, Worker::new());
    for seed in 20_000..20_150 {
        let mut case = case(seed, None);
        let mut c = Choices::seed(seed ^ 0xff);
        let engine = Engine::new(options(Compile::Inline { threshold: 0 }, 1));
        let program = case.program().expect("the generator makes programs");
        let program = engine.decoded((*program).clone(), &case.config);
        for run in 0..14 {
            match c.below(6) {
                // Stays.
                0..=2 => {}
                // One bit.
                3 => {
                    let row = c.below(case.constants.len() as u32) as usize;
                    case.constants[row][c.below(4) as usize] ^= 1 << c.below(32);
                }
                4 => {
                    let read = program.shader().info().constants_read;
                    if let Some(row) = read.iter().filter(|&row| row < case.constants.len()).last() {
                        case.constants[row] = plain(&mut c);
                    }
                }
                _ => case.constants.fill_with(|| plain(&mut c)),
            }
            let want = case.run(&Interp::Single, &mut worker).expect("the reference runs every case");
            let (mut output, mut context) = (case.fresh_output(), case.context());
            let mut written = vec![0; case.constants.len()];
            let outcome = program
                .run_on(
                    &mut worker,
                    &mut context.constants().noting(&mut written),
                    &case.inputs(),
                    &case.outputs(&mut output),
                )
                .expect("the streams hold the batch");
            let got = xfjit_testing::case::Ran { output, context: Box::new(context), written, outcome };
            if let Some((what, _)) = xfjit_testing::check::difference(&case.placement(), &want, &got) {
                panic!("seed {seed}, run {run}: {what}\n{case}");
            }
        }
        folded += u32::from(program.stats().folded_vertices > 0);
        assert!(program.stats().folded_routines <= 4);
    }
    assert!(folded > 35, "{folded}");
}

/// An engine that interprets. Workers draw the runs that are looked at, so all engines of a worker draw alike.
fn interpreter() -> Engine {
    Engine::new(Options::default().with(|options| {
        options.backend = Arc::new(Interp::Batched);
        options.time_one_in = 1;
    }))
}

const TEXT: &str = "DP4 oPos.x, v0, c[0]\nDP4 oPos.y, v0, c[1]\nDP4 oPos.z, v0, c[2]\nDP4 oPos.w, v0, c[3]";

fn program(engine: &Engine, model: Model) -> Arc<Program> {
    let decoded = asm::parse(Generation::Kelvin, TEXT).expect("it is a program");
    engine.decoded(decoded, &Config::new(Generation::Kelvin).model(model).live_outputs(1))
}

/// A matrix whose last row is (0, 0, 0, 1).
fn matrix() -> Vec<Row> {
    let mut rows = vec![[0; 4]; 192];
    rows[..4].copy_from_slice(&[
        [ONE + 9, 0, 0, 0],
        [0, ONE + 5, 0, 0],
        [0, 0, ONE, ONE + 77],
        [0, 0, 0, ONE],
    ]);
    rows
}

fn positions() -> Vec<Row> {
    (0..40).map(|i| [ONE + i, (ONE + 2 * i) | SIGN, if i % 3 == 0 { SIGN } else { ONE }, ONE]).collect()
}

/// Runs a batch on these rows; its outputs.
fn run(program: &Program, worker: &mut Worker, rows: &[Row]) -> Vec<u32> {
    let positions = positions();
    let mut words = vec![0; 4 * positions.len()];
    let inputs = Inputs::new(positions.len()).with(0, Attribute::rows(&positions));
    let outputs = Outputs::interleaved(&mut words, &[0]);
    program
        .run_on(worker, &mut Constants::read_only(rows), &inputs, &outputs)
        .expect("the streams hold the batch");
    words
}

/// Each bit of the rows that are folded, in the caller's memory in place.
#[test]
fn every_bit_of_a_row_counts() {
    let mut worker = Worker::new();
    for model in [Model::Hw, Model::Ieee] {
        let reference = interpreter();
        let want = program(&reference, model);
        // So many that no routine comes for what is changed below.
        let engine = Engine::new(options(Compile::Now, 1_000));
        let program = program(&engine, model);
        let mut rows = matrix();
        while program.stats().folded_vertices == 0 {
            assert_eq!(run(&program, &mut worker, &rows), run(&want, &mut worker, &rows));
            assert!(program.stats().batches < 2_000);
        }
        for bit in 0..4 * 4 * 32 {
            let before = program.stats().folded_vertices;
            assert_eq!(run(&program, &mut worker, &rows), run(&want, &mut worker, &rows));
            assert!(
                program.stats().folded_vertices > before,
                "{model:?}: the words are those that it was made for"
            );
            let (row, component) = (bit / 128, bit / 32 % 4);
            rows[row][component] ^= 1 << (bit % 32);
            let before = program.stats().folded_vertices;
            assert_eq!(
                run(&program, &mut worker, &rows),
                run(&want, &mut worker, &rows),
                "{model:?}, bit {bit}"
            );
            assert_eq!(program.stats().folded_vertices, before, "{model:?}: bit {bit} has changed");
            rows[row][component] ^= 1 << (bit % 32);
        }
        // Rows that it does not read are nothing to it.
        rows[4] = [7; 4];
        let before = program.stats().folded_vertices;
        run(&program, &mut worker, &rows);
        assert!(program.stats().folded_vertices > before);
    }
}

/// Only the rows that stay are folded; the others may change in each run.
#[test]
fn rows_that_change_are_read() {
    let mut worker = Worker::new();
    for model in [Model::Hw, Model::Ieee] {
        let reference = interpreter();
        let want = program(&reference, model);
        let engine = Engine::new(options(Compile::Now, 4));
        let program = program(&engine, model);
        let mut rows = matrix();
        for draw in 0..40 {
            rows[1] = [ONE + draw, draw << 20, 0, ONE];
            assert_eq!(
                run(&program, &mut worker, &rows),
                run(&want, &mut worker, &rows),
                "{model:?}, {draw}"
            );
        }
        let stats = program.stats();
        assert_eq!(stats.folded_routines, 1, "{stats:?}");
        assert!(stats.folded_vertices > 20 * 40, "{stats:?}");
        assert_eq!(engine.stats().folded, 1);
        let folded = program.folded();
        assert_eq!(folded.vertices, stats.folded_vertices);
        let [_, native] = program.times();
        assert_eq!(native.batches, 40);
    }
}

/// A program whose rows change again and again has four such routines, and no more.
#[test]
fn there_are_four_routines_at_most() {
    let mut worker = Worker::new();
    let engine = Engine::new(options(Compile::Now, 1));
    let program = program(&engine, Model::Hw);
    let mut rows = matrix();
    for draw in 0..20_000_u32 {
        rows[0][0] = ONE + draw / 2_000;
        run(&program, &mut worker, &rows);
    }
    let stats = program.stats();
    assert!((2..=4).contains(&stats.folded_routines), "{stats:?}");
    // Their bytes are part of what the cache holds.
    assert!(engine.stats().bytes > stats.cost.memory_bytes);
}

#[test]
fn who_wants_none_has_none() {
    let mut worker = Worker::new();
    for options in [Options::default(), options(Compile::Now, u64::MAX)] {
        assert_eq!(options.fold_after, u64::MAX);
        let engine = Engine::new(options);
        let program = program(&engine, Model::Hw);
        let rows = matrix();
        (0..3_000).for_each(|_| drop(run(&program, &mut worker, &rows)));
        assert_eq!(program.stats().folded_routines, 0);
    }
    assert_ne!(Options::background(1).fold_after, u64::MAX);
}

/// Of a program that writes constants each vertex may read other ones.
#[test]
fn programs_that_write_constants_have_none() {
    let mut worker = Worker::new();
    let engine = Engine::new(options(Compile::Now, 1));
    let decoded =
        asm::parse(Generation::Kelvin, "MUL c[0], v0, c[1]\nMOV oPos, c[0]").expect("it is a program");
    let config = Config::new(Generation::Kelvin).live_outputs(1).with(|config| config.constant_writes = true);
    let program = engine.decoded(decoded, &config);
    let (positions, mut rows, mut words) = (positions(), matrix(), vec![0; 160]);
    for _ in 0..40 {
        let inputs = Inputs::new(40).with(0, Attribute::rows(&positions));
        let outputs = Outputs::interleaved(&mut words, &[0]);
        program.run_on(&mut worker, &mut Constants::new(&mut rows), &inputs, &outputs).expect("it runs");
    }
    assert_eq!(program.stats().folded_routines, 0);
}

/// Vertices whose w is not positive leave code that assumes so; where all of them do, there is no such code before long.
#[test]
fn guards_of_literals_go_where_every_vertex_raises_them() {
    let mut worker = Worker::new();
    let reference = interpreter();
    let want = program(&reference, Model::Ieee);
    let engine = Engine::new(options(Compile::Now, 1));
    let program = program(&engine, Model::Ieee);
    let rows = matrix();
    let positions: Vec<Row> =
        (0..40).map(|i| [SIGN, ONE + i, 0, if i % 2 == 0 { SIGN } else { 0 }]).collect();
    let mut last = 0;
    for _ in 0..200 {
        let mut outputs = [&program, &want].map(|program| {
            let mut words = vec![0; 160];
            let inputs = Inputs::new(40).with(0, Attribute::rows(&positions));
            let outputs = Outputs::interleaved(&mut words, &[0]);
            let constants = &mut Constants::read_only(&rows);
            last = program.run_on(&mut worker, constants, &inputs, &outputs).expect("it runs").deopt_vertices;
            words
        });
        let [got, want] = outputs.each_mut();
        assert_eq!(got, want);
    }
    assert_eq!(last, 0);
    let stats = program.stats();
    assert!(stats.folded_vertices < 40 * 60, "{stats:?}");
}

/// Threads run one program, each with constants of its own, which it changes between its runs.
#[test]
fn threads_have_constants_of_their_own() {
    let reference = interpreter();
    let want = program(&reference, Model::Hw);
    let engine = Engine::new(options(Compile::Now, 8));
    let program = program(&engine, Model::Hw);
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let (program, want) = (&program, &want);
            scope.spawn(move || {
                let (mut worker, mut rows) = (Worker::new(), matrix());
                for draw in 0..200 {
                    rows[2][1] = if draw % 50 < 40 { thread } else { draw };
                    assert_eq!(
                        run(program, &mut worker, &rows),
                        run(want, &mut worker, &rows),
                        "{thread}, {draw}"
                    );
                }
            });
        }
    });
    assert!(program.stats().folded_vertices > 0);
    // What another thread changes between two runs.
    let rows = std::sync::Mutex::new(matrix());
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (program, want, rows) = (&program, &want, &rows);
            scope.spawn(move || {
                let mut worker = Worker::new();
                for draw in 0..200 {
                    let mut rows = rows.lock().expect("nobody panics");
                    rows[0][3] = if draw % 3 == 0 { 0 } else { ONE + thread };
                    assert_eq!(run(program, &mut worker, &rows), run(want, &mut worker, &rows));
                }
            });
        }
    });
}

/// It comes from the engine's thread, or from whoever runs jobs; its slow path comes as well.
#[test]
fn it_comes_from_whoever_compiles() {
    let mut worker = Worker::new();
    let engine = Engine::new(options(Compile::Background { threshold: 1 }, 4));
    let program = program(&engine, Model::Hw);
    let rows = matrix();
    let want = run(&program, &mut worker, &rows);
    let deadline = std::time::Instant::now() + xfjit_testing::PATIENCE;
    while program.stats().folded_vertices == 0 {
        assert_eq!(run(&program, &mut worker, &rows), want);
        std::thread::yield_now();
        assert!(std::time::Instant::now() < deadline);
    }
    let jobs = Arc::new(std::sync::Mutex::new(Vec::new()));
    let hook = {
        let jobs = Arc::clone(&jobs);
        Hook::new(move |event| {
            if let Event::Hot(job) = event {
                jobs.lock().expect("nobody panics").push(job);
            }
        })
    };
    let options = options(Compile::Handed { threshold: 1 }, 4).with(|options| options.hook = Some(hook));
    let engine = Engine::new(options);
    let program = self::program(&engine, Model::Hw);
    for _ in 0..20 {
        assert_eq!(run(&program, &mut worker, &rows), want);
        let waiting = std::mem::take(&mut *jobs.lock().expect("nobody panics"));
        waiting.into_iter().for_each(xfjit::engine::Job::run);
    }
    assert!(program.stats().folded_vertices > 0);
}

/// Such code is compared with the interpreter as well.
#[test]
fn it_is_verified() {
    let mut worker = Worker::new();
    let every = std::num::NonZeroU64::MIN;
    let options =
        options(Compile::Now, 1).with(|options| options.verify = Some(Verify { every, directory: None }));
    let engine = Engine::new(options);
    let program = program(&engine, Model::Ieee);
    let rows = matrix();
    (0..20).for_each(|_| drop(run(&program, &mut worker, &rows)));
    let (stats, program) = (engine.stats(), program.stats());
    assert_eq!((stats.verified, stats.barred), (20, 0));
    assert!(program.folded_vertices > 0);
}
