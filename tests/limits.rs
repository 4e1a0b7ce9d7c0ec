//! No program holds a thread: overtime of a call, native code that is left inside of a batch, and threads that end the
//! calls of others. Nothing here looks at a clock.

use std::sync::Arc;
use std::thread;
use xfjit::backend::{Backend, Interp, Outcome};
use xfjit::config::Indirect;
use xfjit::engine::default_backend;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::{Context, Row};
use xfjit::shader::Cancel;
use xfjit::xf::{Chip, Command, Output, Register, Type, XfUnit};
use xfjit::{Config, Engine, Generation, Model, Options, Program, Worker, asm, isa};

/// Counts its rounds, three slots each, and never ends.
const ENDLESS: &str = "again:\nADD oPos, r0, c[0]\nADD r0, r0, c[0]\nBRA again";
/// As many rounds as the attribute says, four slots each, and three slots; of a NaN in v1 the output is one.
const ROUNDS: &str = "MOV r1, v0\nagain:\nADD r1, r1, -c[0]\nADD r0, r0, c[0]\nMOVC cc.x, r1.x\nBRA again (GT.x)\n\
                      MUL r0, r0, v1\nMOV oPos, r0";
const FREE: u64 = 2048;
const UNTOUCHED: u32 = 0xdead_beef;

/// Engines that must agree: the reference, the fallback, the fastest of this build, and that beside the reference.
fn engines() -> Vec<Engine> {
    let backends: [Arc<dyn Backend>; 4] = [
        Arc::new(Interp::Single),
        Arc::new(Interp::Batched),
        default_backend(),
        Arc::new(xfjit::Lockstep::new(Interp::Single, default_backend())),
    ];
    backends.map(|backend| Engine::new(Options::default().with(|options| options.backend = backend))).into()
}

fn config(serial: bool) -> Config {
    Config::new(Generation::Rankine).live_outputs(1).with(|config| config.constant_writes = serial)
}

fn program(engine: &Engine, text: &str, config: &Config) -> Arc<Program> {
    let decoded = asm::parse(config.generation, text).unwrap_or_else(|errors| panic!("{errors:?}"));
    engine.decoded(decoded, config)
}

/// What vertices with these numbers in v0 and v1 leave: outputs, then the first rows of constants.
fn run(program: &Program, worker: &mut Worker, vertices: &[[f32; 2]]) -> (Outcome, Vec<u32>) {
    let mut context = Context::new(program.shader().rows());
    context.set_row(0, [1f32.to_bits(); 4]);
    let [v0, v1] = [0, 1].map(|which| vertices.iter().map(|vertex| [vertex[which].to_bits(); 4]).collect());
    let (v0, v1): (Vec<Row>, Vec<Row>) = (v0, v1);
    let inputs = Inputs::new(v0.len()).with(0, Attribute::rows(&v0)).with(1, Attribute::rows(&v1));
    let mut words = vec![UNTOUCHED; 4 * v0.len()];
    let outcome = program
        .run(worker, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[0]))
        .expect("the streams are long enough");
    words.extend(context.row(0).into_iter().chain(context.row(1)));
    (outcome, words)
}

/// Slots of a vertex of [`ROUNDS`].
fn slots(rounds: f32) -> u64 {
    4 * rounds as u64 + 3
}

#[test]
fn overtime_ends_a_call_after_the_same_vertices_on_every_tier() {
    // Of 512, 513, 700, 2,000 and 16,000 rounds, so that some have no overtime, some little, and some much.
    let rounds = [3.0, 511.0, 512.0, 513.0, 700.0, 2_000.0, 16_000.0, 1.0];
    let vertices: Vec<[f32; 2]> = (0..64).map(|i| [rounds[i * i % 8], 1.0]).collect();
    for serial in [false, true] {
        let more = if serial { 2 } else { 0 };
        let over: Vec<u64> =
            vertices.iter().map(|[rounds, _]| (slots(*rounds) + more).saturating_sub(FREE)).collect();
        let all: u64 = over.iter().sum();
        let text =
            if serial { format!("{ROUNDS}\nMOV r3, c[1]\nADD c[1], r3, c[0]") } else { ROUNDS.to_owned() };
        for budget in [1, 800, 60_000, all / 2, all / 4 * 3, all - 1, all, all + 1, 1 << 24] {
            let begins = |vertex: &usize| over[..*vertex].iter().sum::<u64>() < budget;
            let done = (0..vertices.len()).take_while(begins).count();
            let mut results = Vec::new();
            for engine in engines() {
                let mut worker = Worker::new();
                worker.set_overtime(Some(budget));
                let program = program(&engine, &text, &config(serial));
                let (outcome, words) = run(&program, &mut worker, &vertices);
                assert_eq!(outcome.out_of_time, (done < vertices.len()).then_some(done), "{budget} slots");
                assert!(!outcome.cancelled && outcome.mismatches == 0);
                assert_eq!(engine.stats().overtime, over[..done].iter().sum::<u64>(), "{budget} slots");
                for (vertex, row) in words.as_chunks::<4>().0[..vertices.len()].iter().enumerate() {
                    let want = if vertex < done { vertices[vertex][0].to_bits() } else { UNTOUCHED };
                    assert_eq!(*row, [want; 4], "vertex {vertex}, {budget} slots");
                }
                results.push(words);
            }
            assert!(results.iter().all(|words| *words == results[0]), "{budget} slots");
        }
    }
}

#[test]
fn without_a_word_calls_have_a_bound_and_programs_without_overtime_have_none() {
    let each = 65_535 - FREE;
    let done = Worker::OVERTIME.div_ceil(each) as usize;
    for engine in engines().into_iter().skip(1).take(2) {
        let endless = program(&engine, ENDLESS, &config(false));
        let (outcome, words) = run(&endless, &mut Worker::new(), &[[0.0; 2]; 280]);
        assert_eq!((outcome.out_of_time, outcome.faults.timeouts), (Some(done), done as u64));
        assert_eq!(words.as_chunks::<4>().0[done - 1], [21_845f32.to_bits(); 4]);
        assert_eq!(words.as_chunks::<4>().0[done..280], vec![[UNTOUCHED; 4]; 280 - done]);

        let mut worker = Worker::new();
        worker.set_overtime(None);
        let (outcome, _) = run(&endless, &mut worker, &[[0.0; 2]; 270]);
        assert_eq!((outcome.out_of_time, outcome.faults.timeouts), (None, 270));

        let short = program(&engine, ROUNDS, &config(false));
        let (outcome, _) = run(&short, &mut Worker::new(), &[[500.0, 1.0]; 2000]);
        assert_eq!(outcome.out_of_time, None);
    }
}

#[test]
fn parts_of_a_call_share_its_limits() {
    // Two limits, three parts of ten vertices, each of 4 * 1000 + 3 slots.
    let vertices = [[1000.0, 1.0]; 10];
    let each = slots(1000.0);
    for (budget, overtime) in [(Some(13 * each), None), (None, Some(13 * (each - FREE)))] {
        for engine in engines() {
            let program = program(&engine, ROUNDS, &config(false));
            let mut worker = Worker::new();
            worker.set_slot_budget(budget);
            worker.set_overtime(overtime);
            let done = worker.as_one_call(30, |worker| {
                [0; 3].map(|_| run(&program, worker, &vertices).0.out_of_time.unwrap_or(10))
            });
            assert_eq!(done, [10, 3, 0], "{budget:?} {overtime:?}");
            assert_eq!(run(&program, &mut worker, &vertices).0.out_of_time, None, "a call of its own");
        }
    }
}

#[test]
fn native_code_is_left_inside_of_a_batch_if_it_runs_for_long_in_vain() {
    let engine = Engine::new(Options::default());
    for model in [Model::Ieee, Model::Hw] {
        // Every vertex runs for 2,003 slots, and then its output is a NaN.
        let looping = program(&engine, ROUNDS, &config(false).model(model));
        let vertices = [[500.0, f32::NAN]; 512];
        let (outcome, words) = run(&looping, &mut Worker::new(), &vertices);
        let reference =
            Engine::new(Options::default().with(|options| options.backend = Arc::new(Interp::Single)));
        let want = program(&reference, ROUNDS, &config(false).model(model));
        assert_eq!(words, run(&want, &mut Worker::new(), &vertices).1);
        if !looping.stats().native || outcome.deopt_vertices == 0 {
            continue;
        }
        assert!(looping.stats().given_up, "{model:?}");
        let (again, words) = run(&looping, &mut Worker::new(), &vertices);
        assert_eq!((again.deopt_vertices, words), (0, run(&want, &mut Worker::new(), &vertices).1));

        // One in ten does not matter, nor do those that are short.
        for (rounds, one_in) in [(500.0, 10), (3.0, 1)] {
            let text = format!("{ROUNDS}\nMOV r{one_in}, v0");
            let some = program(&engine, &text, &config(false).model(model));
            let nan = |at: usize| if at.is_multiple_of(one_in) { f32::NAN } else { 1.0 };
            let vertices: Vec<[f32; 2]> = (0..1000).map(|at| [rounds, nan(at)]).collect();
            run(&some, &mut Worker::new(), &vertices);
            assert!(!some.stats().given_up, "{model:?}, one in {one_in}");
        }
    }
}

#[test]
fn loops_that_are_slower_in_native_code_have_none() {
    // A branch that may go to each of 250 slots, and goes to itself.
    let text = |targets: usize| format!("ARL a0, c[0]\nBRAI a0.x\n{}MOV oPos, c[0]", "NOP\n".repeat(targets));
    let config = config(false).with(|config| config.quirks.indirect = Indirect::Slot);
    let mut results = Vec::new();
    for engine in engines() {
        let many = program(&engine, &text(250), &config);
        let (outcome, words) = run(&many, &mut Worker::new(), &[[0.0; 2]; 5]);
        assert_eq!(outcome.faults.timeouts, 5);
        results.push(words);
        // The pair of them is no native code, and says so by itself.
        let few = program(&engine, &text(8), &config);
        if few.stats().native && few.stats().cost.code_bytes > 0 {
            assert!(!many.stats().native, "{:?}", many.refusal());
        }
    }
    assert!(results.iter().all(|words| *words == results[0]));
}

#[test]
fn a_call_that_is_cancelled_before_it_begins_does_nothing() {
    for engine in engines() {
        for text in ["MOV oPos, v0", ROUNDS, ENDLESS] {
            let program = program(&engine, text, &config(false));
            let (mut worker, cancel) = (Worker::new(), Cancel::new());
            worker.set_cancel(Some(cancel.clone()));
            let free = run(&program, &mut worker, &[[4.0, 1.0]; 40]);
            assert!(!free.0.cancelled && free.0.out_of_time.is_none());
            cancel.cancel();
            let (outcome, words) = run(&program, &mut worker, &[[4.0, 1.0]; 40]);
            assert_eq!((outcome.cancelled, outcome.out_of_time), (true, Some(0)));
            assert!(words[..160].iter().all(|&word| word == UNTOUCHED));
            cancel.reset();
            assert_eq!(run(&program, &mut worker, &[[4.0, 1.0]; 40]).1, free.1);
            cancel.cancel();
            worker.set_cancel(None);
            assert_eq!(run(&program, &mut worker, &[[4.0, 1.0]; 40]).1, free.1);
        }
    }
}

#[test]
fn another_thread_ends_a_call_that_would_take_minutes() {
    for engine in engines() {
        let program = program(&engine, ENDLESS, &config(false));
        let (mut worker, cancel) = (Worker::new(), Cancel::new());
        worker.set_cancel(Some(cancel.clone()));
        worker.set_overtime(None);
        let vertices = vec![[0.0; 2]; 1 << 16];
        let (outcome, words) = thread::scope(|scope| {
            let caller = scope.spawn(|| run(&program, &mut worker, &vertices));
            cancel.cancel();
            caller.join().expect("it does not panic")
        });
        assert!(outcome.cancelled);
        let done = outcome.out_of_time.expect("it was ended");
        assert!(done < vertices.len() && outcome.faults.timeouts == done as u64);
        let rows = &words.as_chunks::<4>().0[..vertices.len()];
        assert!(rows[..done].iter().all(|row| *row == [21_845f32.to_bits(); 4]));
        assert!(rows[done..].iter().all(|row| *row == [UNTOUCHED; 4]));
    }
}

#[test]
fn a_unit_drops_what_is_overtime_or_cancelled() {
    let decoded = asm::parse(Generation::Curie, ENDLESS).expect("it assembles");
    let words = isa::encode(Generation::Curie, &decoded);
    for engine in engines() {
        let mut unit = XfUnit::new(Arc::new(engine), Chip::Nv40);
        for (slot, words) in (0..).zip(words.as_chunks::<2>().0) {
            unit.command(Command::pair(Type::Xfpr, slot / 2, 2 * (slot % 2) as u8, *words));
        }
        unit.command(Command::pair(Type::Mode, 0, 0, [2 << 30 | 1 << 18, 0]));
        unit.command(Command::pair(Type::Xfctx, 0, 0, [1f32.to_bits(); 2]));
        unit.command(Command::pair(Type::Xfctx, 0, 2, [1f32.to_bits(); 2]));
        unit.set(Register::Execution, 0x1fd);
        unit.set(Register::Outputs, 1);
        // Three vertices begin.
        unit.set_overtime(Some(2 * (65_535 - FREE) + 1));
        let cancel = Cancel::new();
        unit.set_cancel(Some(cancel.clone()));
        let positions = |unit: &mut XfUnit| {
            (0..5).for_each(|_| unit.vertex());
            let mut all = Vec::new();
            unit.drain(|output| {
                if let Output::Vertices(vertices) = output {
                    all.extend(
                        (0..vertices.count).map(|at| vertices.register(at, 0).expect("it is sent")[0]),
                    );
                }
            });
            all
        };
        let done = 21_845f32.to_bits();
        assert_eq!(positions(&mut unit), [done, done, done, 0, 0]);
        cancel.cancel();
        assert_eq!(positions(&mut unit), [0; 5]);
        assert_eq!((unit.stats().faults.timeouts, unit.stats().dropped), (3, 7));
    }
}

/// Of the fixed function, too, nothing comes out of a batch that did not run but zeros, whatever has come out before.
#[test]
fn a_unit_drops_vertices_of_the_fixed_function_that_are_cancelled() {
    for chip in [Chip::Nv10, Chip::Nv20, Chip::Nv34] {
        for engine in engines() {
            let mut unit = XfUnit::new(Arc::new(engine), chip);
            let cancel = Cancel::new();
            unit.set_cancel(Some(cancel.clone()));
            unit.set(Register::Outputs, u32::MAX);
            let words = |unit: &mut XfUnit| {
                (0..5).for_each(|_| unit.vertex());
                let mut all = Vec::new();
                unit.drain(|output| {
                    if let Output::Vertices(vertices) = output {
                        assert_eq!(vertices.count, 5);
                        all.extend_from_slice(vertices.words);
                    }
                });
                all
            };
            let before = words(&mut unit);
            assert!(before.iter().any(|&word| word != 0), "{chip:?}");
            cancel.cancel();
            assert_eq!(words(&mut unit), vec![0; before.len()], "{chip:?}");
            assert_eq!(unit.stats().dropped, 5, "{chip:?}");
        }
    }
}
