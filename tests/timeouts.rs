//! No guest holds a thread for longer than the embedder allows: a cap on the slots of a vertex, a budget of slots for a
//! call, and no native code for programs that keep running out of time.

use std::sync::Arc;
use xfjit::backend::{Interp, Outcome};
use xfjit::engine::default_backend;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::{Context, Row};
use xfjit::xf::{Chip, Command, Register, Type, XfUnit};
use xfjit::{Config, Engine, Generation, Options, Program, Worker, asm, isa};

/// Counts its rounds, three slots each, and never ends.
const ENDLESS: &str = "again:\nADD oPos, r0, c[0]\nADD r0, r0, c[0]\nBRA again";
/// As many rounds as the attribute says, four slots each, and two slots.
const ROUNDS: &str = "MOV r1, v0\nagain:\nADD r1, r1, -c[0]\nADD r0, r0, c[0]\nMOVC cc.x, r1.x\nBRA again (GT.x)\nMOV oPos, r0";
const UNTOUCHED: u32 = 0xdead_beef;

fn words(text: &str) -> Vec<u32> {
    let program = asm::parse(Generation::Curie, text).unwrap_or_else(|errors| panic!("{errors:?}"));
    isa::encode(Generation::Curie, &program)
}

fn config(timeout: u16) -> Config {
    Config::new(Generation::Curie).live_outputs(1).with(|config| config.timeout = timeout)
}

fn program(engine: &Engine, text: &str, timeout: u16) -> Arc<Program> {
    engine.program(&words(text), 0, &config(timeout)).expect("it decodes")
}

/// Engines that must agree: the reference, the fallback, and the fastest of this build.
fn engines(options: &Options) -> Vec<Engine> {
    let backends = [Arc::new(Interp::Single), Arc::new(Interp::Batched), default_backend()];
    backends.map(|backend| Engine::new(options.clone().with(|options| options.backend = backend))).into()
}

/// Runs vertices whose attribute is this number; what they leave, and the first row of constants.
fn run(program: &Program, worker: &mut Worker, rounds: &[f32]) -> (Outcome, Vec<u32>) {
    let mut context = Context::new(program.shader().rows());
    context.set_row(0, [1f32.to_bits(); 4]);
    let rows: Vec<Row> = rounds.iter().map(|rounds| [rounds.to_bits(); 4]).collect();
    let inputs = Inputs::new(rows.len()).with(0, Attribute::rows(&rows));
    let mut words = vec![UNTOUCHED; 4 * rows.len()];
    let outcome = program
        .run(worker, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[0]))
        .expect("the streams are long enough");
    words.extend(context.row(0));
    (outcome, words)
}

#[test]
fn no_program_gets_more_slots_than_the_embedder_allows() {
    for engine in engines(&Options::default().with(|options| options.slot_limit = 101)) {
        let capped = program(&engine, ENDLESS, u16::MAX);
        let (outcome, words) = run(&capped, &mut Worker::new(), &[0.0; 7]);
        assert_eq!(outcome.faults.timeouts, 7);
        // Slots 1, 4, 7 and so on write the position.
        assert_eq!(words[..4], [34f32.to_bits(); 4]);
        assert!(Arc::ptr_eq(&capped, &program(&engine, ENDLESS, 500)), "to the engine they are one");
        assert!(!Arc::ptr_eq(&capped, &program(&engine, ENDLESS, 100)), "a lower limit stays");
        assert_eq!(engine.stats().timeouts, 7);
    }
}

#[test]
fn no_command_raises_the_limit() {
    let engine = Arc::new(Engine::new(Options::default().with(|options| options.slot_limit = 41)));
    let mut unit = XfUnit::new(engine, Chip::Nv40);
    for (slot, words) in (0..).zip(words(ENDLESS).as_chunks::<2>().0) {
        unit.command(Command::pair(Type::Xfpr, slot / 2, 2 * (slot % 2) as u8, *words));
    }
    unit.command(Command::word(Type::Xtra, 2, 0, 0xffff));
    unit.command(Command::pair(Type::Mode, 0, 0, [2 << 30 | 1 << 18, 0]));
    unit.command(Command::pair(Type::Xfctx, 0, 0, [1f32.to_bits(); 2]));
    unit.command(Command::pair(Type::Xfctx, 0, 2, [1f32.to_bits(); 2]));
    unit.set(Register::Execution, 0x1fd);
    unit.set(Register::Timeout, 0xffff);
    unit.set(Register::Outputs, 1);
    for _ in 0..9 {
        unit.vertex();
    }
    let mut seen = 0;
    unit.drain(|output| {
        if let xfjit::xf::Output::Vertices(vertices) = output {
            for vertex in 0..vertices.count {
                assert_eq!(vertices.register(vertex, 0).expect("it is sent")[0], 14f32.to_bits());
                seen += 1;
            }
        }
    });
    assert_eq!((seen, unit.stats().faults.timeouts), (9, 9));
}

#[test]
fn a_call_ends_when_its_budget_is_used_up() {
    // A vertex of n rounds takes 4 n + 2 slots.
    let rounds = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0];
    let whole: Vec<u64> = rounds.iter().map(|rounds| 4 * *rounds as u64 + 2).collect();
    for budget in [0, 1, 14, 15, 20, 21, 40, 80, 161, 162, 163, 175, 176, 177, 1000, u64::MAX] {
        // A vertex begins if those before it have used less than the budget.
        let begins = |vertex: &usize| whole[..*vertex].iter().sum::<u64>() < budget;
        let done = (0..whole.len()).take_while(begins).count();
        for engine in engines(&Options::default()) {
            let mut worker = Worker::new();
            worker.set_slot_budget(Some(budget));
            let (outcome, words) = run(&program(&engine, ROUNDS, 1000), &mut worker, &rounds);
            assert_eq!(outcome.out_of_time, (done < rounds.len()).then_some(done), "{budget} slots");
            assert_eq!(outcome.faults.timeouts, 0);
            for (vertex, row) in words.as_chunks::<4>().0.iter().take(rounds.len()).enumerate() {
                let want = if vertex < done { rounds[vertex].to_bits() } else { UNTOUCHED };
                assert_eq!(*row, [want; 4], "vertex {vertex}, {budget} slots");
            }
        }
    }
}

#[test]
fn straight_programs_have_budgets_too() {
    // Three slots a vertex; constants are written, so what runs too far would be seen there.
    let text = "ADD r0, v0, c[0]\nMOV oPos, r0\nADD c[0], r0, c[0]";
    for serial in [false, true] {
        for (budget, done) in
            [(0, 0), (1, 1), (3, 1), (4, 2), (12, 4), (13, 5), (26, 9), (27, 9), (28, 10), (30, 10)]
        {
            let mut results = Vec::new();
            for engine in engines(&Options::default()) {
                let decoded = asm::parse(Generation::Rankine, text);
                let decoded =
                    decoded.or_else(|_| asm::parse(Generation::Kelvin, text)).expect("it assembles");
                let config = Config::new(Generation::Kelvin)
                    .live_outputs(1)
                    .with(|config| config.constant_writes = serial);
                let mut worker = Worker::new();
                worker.set_slot_budget(Some(budget));
                let program = engine.decoded(decoded, &config);
                let (outcome, words) = run(&program, &mut worker, &[1.0; 10]);
                assert_eq!(outcome.out_of_time, (done < 10).then_some(done), "{budget} slots");
                assert_eq!(program.stats().vertices, done as u64);
                let touched = words.as_chunks::<4>().0[..10].iter().filter(|row| row[0] != UNTOUCHED).count();
                assert_eq!(touched, done, "{budget} slots");
                results.push(words);
            }
            assert!(results.iter().all(|words| *words == results[0]), "{budget} slots");
        }
    }
}

#[test]
fn a_batch_that_does_not_fit_is_refused_whatever_the_budget() {
    for engine in engines(&Options::default()) {
        for text in ["MOV oPos, v0", ROUNDS] {
            let program = program(&engine, text, 1000);
            let mut worker = Worker::new();
            worker.set_slot_budget(Some(2));
            let mut words = [UNTOUCHED; 16];
            let rows = [[0; 4]; 2];
            let inputs = Inputs::new(4).with(0, Attribute::rows(&rows));
            let mut context = Context::new(Generation::Curie.constants());
            let result =
                program.run(&mut worker, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[0]));
            assert!(result.is_err(), "two of four vertices are there");
            assert_eq!(words, [UNTOUCHED; 16]);
        }
    }
}

#[test]
fn native_code_is_given_up_for_programs_that_keep_running_out_of_time() {
    let [_, _, engine] = engines(&Options::default()).try_into().expect("three engines");
    let endless = program(&engine, ENDLESS, 300);
    let (first, words) = run(&endless, &mut Worker::new(), &[0.0; 1000]);
    assert_eq!(first.faults.timeouts, 1000);
    assert_eq!(words[..4], [100f32.to_bits(); 4]);
    assert!(endless.stats().given_up);
    let (second, again) = run(&endless, &mut Worker::new(), &[0.0; 1000]);
    assert_eq!((second.deopt_groups, again), (0, words));
    let stats = engine.stats();
    assert_eq!((stats.timeouts, stats.given_up), (2000, 1));

    // One in ten does not matter.
    let some = program(&engine, ROUNDS, 300);
    let rounds: Vec<f32> = (0..1000).map(|i| if i % 10 == 0 { 200.0 } else { 3.0 }).collect();
    for _ in 0..3 {
        let (outcome, _) = run(&some, &mut Worker::new(), &rounds);
        assert_eq!(outcome.faults.timeouts, 100);
    }
    assert!(!some.stats().given_up);
    assert_eq!(engine.stats().given_up, 1);
}

#[test]
fn a_unit_drops_what_its_budget_does_not_admit() {
    let mut unit = XfUnit::new(Arc::new(Engine::new(Options::default())), Chip::Nv40);
    for (slot, words) in (0..).zip(words(ENDLESS).as_chunks::<2>().0) {
        unit.command(Command::pair(Type::Xfpr, slot / 2, 2 * (slot % 2) as u8, *words));
    }
    unit.command(Command::pair(Type::Mode, 0, 0, [2 << 30 | 1 << 18, 0]));
    unit.command(Command::pair(Type::Xfctx, 0, 0, [1f32.to_bits(); 2]));
    unit.command(Command::pair(Type::Xfctx, 0, 2, [1f32.to_bits(); 2]));
    unit.set(Register::Execution, 0x1fd);
    unit.command(Command::word(Type::Xtra, 2, 0, 100));
    unit.set(Register::Outputs, 1);
    unit.set_slot_budget(Some(250));
    for _ in 0..8 {
        unit.vertex();
    }
    let mut positions = Vec::new();
    unit.drain(|output| {
        if let xfjit::xf::Output::Vertices(vertices) = output {
            positions.extend(
                (0..vertices.count).map(|vertex| vertices.register(vertex, 0).expect("it is sent")[0]),
            );
        }
    });
    let done = 34f32.to_bits();
    assert_eq!(positions, [done, done, done, 0, 0, 0, 0, 0]);
    assert_eq!((unit.stats().faults.timeouts, unit.stats().dropped), (3, 5));
}
