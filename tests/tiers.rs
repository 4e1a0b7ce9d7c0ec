//! Who compiles programs, and when; and the list of programs that an engine is warmed with.

#![cfg(feature = "jit")]

use std::fs;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use xfjit::backend::{Backend, CompileError, Interp, Routine, Runs};
use xfjit::engine::{Event, Hook, Job, ProgramList, Verify};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::format::{ByteOrder, Encoding, Format, InputLayout};
use xfjit::runtime::indices::{IndexLayout, IndexWidth};
use xfjit::runtime::state::{Context, Row};
use xfjit::{Compile, Config, Engine, Generation, Options, Program, Shader, Worker, asm};
use xfjit_testing::PATIENCE;
use xfjit_testing::RandomCase;
use xfjit_testing::RandomFixed;
use xfjit_testing::{Case, Choices, FAMILIES, FixedCase, Limits};

const GEN: Generation = Generation::Kelvin;

fn program(engine: &Engine, number: usize) -> Arc<Program> {
    let text = format!("MUL r0, v0, c[{number}]\nADD oPos, r0, c[{}]", number + 1);
    let program = asm::parse(GEN, &text).unwrap_or_else(|errors| panic!("{errors:?}"));
    engine.decoded(program, &Config::new(GEN).live_outputs(1))
}

fn run(program: &Program, worker: &mut Worker, count: usize) -> Vec<u32> {
    let mut context = Context::new(GEN.constants());
    for row in 0..192 {
        context.set_row(row, [(row as f32).to_bits(); 4]);
    }
    let rows: Vec<Row> = (0..count).map(|i| [1.0, 2.0, 0.5, i as f32].map(f32::to_bits)).collect();
    let mut words = vec![0; 4 * count];
    let inputs = Inputs::new(count).with(0, Attribute::rows(&rows));
    let mut outputs = Outputs::interleaved(&mut words, &[0]);
    program.run(worker, &mut context, &inputs, &mut outputs).expect("the streams are long enough");
    words
}

#[test]
fn an_embedder_compiles_on_a_thread_of_its_own() {
    let jobs: Arc<Mutex<Vec<Job>>> = Arc::default();
    let compiled = Arc::new(AtomicUsize::new(0));
    let hook = {
        let (jobs, compiled) = (Arc::clone(&jobs), Arc::clone(&compiled));
        Hook::new(move |event| match event {
            Event::Hot(job) => jobs.lock().expect("nobody panics").push(job),
            Event::Compiled(program) => {
                assert!(program.stats().native, "it is told of when it is there");
                compiled.fetch_add(1, Ordering::Relaxed);
            }
            other => panic!("{other:?}"),
        })
    };
    let options = Options::default().with(|options| {
        options.compile = Compile::Handed { threshold: 10 };
        options.hook = Some(hook);
    });
    let engine = Engine::new(options);
    let (first, second, mut worker) = (program(&engine, 1), program(&engine, 2), Worker::new());
    let want = run(&first, &mut worker, 7);
    assert!(jobs.lock().unwrap().is_empty(), "it is not hot yet");
    run(&first, &mut worker, 7);
    run(&first, &mut worker, 7);
    let job = jobs.lock().unwrap().pop().expect("it is hot");
    assert!(jobs.lock().unwrap().is_empty(), "it is handed out once");
    assert!(Arc::ptr_eq(job.program(), &first) && !first.stats().native);
    std::thread::spawn(|| job.run()).join().expect("it compiles");
    assert!(first.stats().native);
    assert_eq!(run(&first, &mut worker, 7), want);

    // A job that is dropped leaves the program where it is, until somebody wants it.
    run(&second, &mut worker, 70);
    drop(jobs.lock().unwrap().pop().expect("it is hot"));
    run(&second, &mut worker, 70);
    assert!(jobs.lock().unwrap().is_empty() && !second.stats().native);
    engine.warm(&[Arc::clone(&second)], false);
    let job = jobs.lock().unwrap().pop().expect("it is wanted");
    // A job may outlive its engine, and so may a program.
    drop(engine);
    job.run();
    assert!(second.stats().native);
    assert_eq!(compiled.load(Ordering::Relaxed), 2);
}

#[test]
fn inline_compilation_depends_on_vertices_alone() {
    for round in 0..3 {
        let options = Options::default().with(|options| options.compile = Compile::Inline { threshold: 20 });
        let engine = Engine::new(options);
        let (program, mut worker) = (program(&engine, round), Worker::new());
        let want = run(&program, &mut worker, 9);
        for batch in 2..6 {
            assert_eq!(run(&program, &mut worker, 9), want);
            assert_eq!(program.stats().native, batch > 2, "batch {batch}");
        }
        assert_eq!(engine.stats().compiled, 1);
    }
}

#[test]
fn warm_programs_are_native_before_they_run() {
    for compile in [
        Compile::Now,
        Compile::Background { threshold: u64::MAX },
        Compile::Handed { threshold: u64::MAX },
        Compile::Inline { threshold: u64::MAX },
    ] {
        let engine = Engine::new(Options::default().with(|options| options.compile = compile));
        let programs: Vec<_> = (0..20).map(|number| program(&engine, number)).collect();
        // Who does not wait and who does: each program is compiled once.
        engine.warm(&programs, false);
        engine.warm(&programs, true);
        assert!(programs.iter().all(|program| program.stats().native), "{compile:?}");
        assert_eq!(engine.stats().compiled, 20);
        engine.warm(&programs, true);
        assert_eq!(engine.stats().compiled, 20);
    }
}

fn path(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

/// An engine that has seen random programs and configurations.
fn busy(seeds: u64) -> Engine {
    let options = Options::default().with(|options| options.backend = Arc::new(Interp::Batched));
    let engine = Engine::new(options);
    for seed in 0..seeds {
        let c = &mut Choices::seed(seed);
        for generation in [Generation::Kelvin, Generation::Rankine, Generation::Curie] {
            let limits = Limits::choose(c, generation);
            let case = Case::within(c, limits);
            if let Ok(program) = case.program() {
                engine.decoded((*program).clone(), &case.config);
                let format = c.pick(&[Format::words(3, ByteOrder::Swapped), Format::host(Encoding::Half, 2)]);
                let indices = c.pick(&[IndexLayout::NONE, IndexLayout::shared(IndexWidth::Half)]);
                let inputs = InputLayout::ROWS.with(c.below(16) as usize, format).indexed(indices);
                engine.shader(&Microcode::shader(&program, &case.config).with_inputs(inputs));
            }
        }
        for family in FAMILIES {
            engine.fixed(&FixedCase::choose(c, family, None, 1).setup);
        }
    }
    engine
}

#[test]
fn a_list_brings_back_the_programs() {
    let engine = busy(60);
    let mut counted = ProgramList::default();
    let hot = program(&engine, 3);
    run(&hot, &mut Worker::new(), 1000);
    let all = engine.programs();
    let list = engine.list();
    counted.add(&hot);
    assert_eq!(list.programs().len(), all.len());
    assert_eq!(list.programs()[0], (hot.shader(), 1000));

    let path = path("programs.xfl");
    assert_eq!(ProgramList::load(&path).expect("no file is an empty list").programs().len(), 0);
    list.save(&path).expect("it is written");
    let mut loaded = ProgramList::load(&path).expect("it is read");
    assert_eq!(loaded.damaged(), 0);
    // All that guests can upload: whatever is left out has instructions that no words express.
    assert!(loaded.programs().len() >= all.len() * 99 / 100, "{} of {}", loaded.programs().len(), all.len());
    for (shader, _) in loaded.programs() {
        assert!(all.iter().any(|program| program.shader() == shader), "{shader:?}");
    }
    // Counts add up over sessions.
    loaded.merge(&counted);
    assert_eq!(loaded.programs()[0], (hot.shader(), 2000));
    loaded.save(&path).expect("it takes the place of the old one");
    assert_eq!(ProgramList::load(&path).expect("it is read").programs()[0].1, 2000);

    let fresh = Engine::new(Options::background(u64::MAX));
    let warm = fresh.warm_list(&counted, true);
    assert!(warm[0].stats().native && warm[0].shader() == hot.shader());
    let again = program(&fresh, 3);
    assert!(Arc::ptr_eq(&again, &warm[0]), "who asks for it finds it compiled");
}

#[test]
fn damage_costs_the_damaged_programs_alone() {
    let text = busy(12).list().to_text();
    let whole = ProgramList::from_text(&text).programs().len();
    let mut c = Choices::seed(7);
    for _ in 0..100 {
        let mut bytes = text.clone().into_bytes();
        let at = c.below(bytes.len() as u32) as usize;
        match c.below(3) {
            0 => bytes[at] ^= 1 << c.below(8),
            1 => bytes.truncate(at),
            _ => drop(bytes.drain(at..(at + 300).min(text.len()))),
        }
        let list = ProgramList::from_text(&String::from_utf8_lossy(&bytes));
        let left = list.programs().len();
        assert!(left <= whole);
        if bytes.len() > text.len() - 400 && at > 20 {
            assert!(left + 20 >= whole, "{left} of {whole} programs are left of a damage at {at}");
        }
    }
    for text in [
        "",
        "xfjit programs 2\nprogram",
        "\0",
        "xfjit programs 1\nprogram",
        "xfjit programs 1\nprogram x y\n",
    ] {
        assert_eq!(ProgramList::from_text(text).programs().len(), 0);
    }
}

#[test]
fn sound_code_stands_the_comparison() {
    let verify = Verify { every: NonZeroU64::new(4).expect("it is not zero"), directory: None };
    let engine = Engine::new(Options::default().with(|options| options.verify = Some(verify)));
    let plain = Engine::new(Options::default());
    let (program, same, mut worker) = (program(&engine, 5), program(&plain, 5), Worker::new());
    for _ in 0..16 {
        assert_eq!(run(&program, &mut worker, 21), run(&same, &mut worker, 21));
    }
    let stats = engine.stats();
    assert_eq!((stats.verified, stats.barred), (4, 0));
    assert!(program.stats().native && !program.stats().barred);
}

/// An engine that tells a function what it has compiled, or could not.
fn telling(options: Options, hear: impl Fn(&Arc<Program>) + Send + Sync + 'static) -> Engine {
    let hook = Hook::new(move |event| match event {
        Event::Compiled(program) | Event::Refused(program) => hear(program),
        other => panic!("{other:?}"),
    });
    Engine::new(options.with(|options| options.hook = Some(hook)))
}

#[test]
fn who_hears_of_a_program_may_look_it_up() {
    // Also where the cache has no room for it.
    for bytes in [1 << 20, 1] {
        let known: Arc<Mutex<Option<Arc<Engine>>>> = Arc::default();
        let heard = Arc::new(AtomicUsize::new(0));
        let (of_hook, count) = (Arc::clone(&known), Arc::clone(&heard));
        let options = Options::default().with(|options| options.cache_bytes = bytes);
        let engine = telling(options, move |told| {
            assert!(told.stats().native);
            count.fetch_add(1, Ordering::Relaxed);
            let engine = of_hook.lock().expect("nobody panics").clone().expect("it is there");
            let found = engine.shader(told.shader());
            assert_eq!(Arc::ptr_eq(&found, told), bytes > 1);
        });
        let engine = known.lock().unwrap().insert(Arc::new(engine)).clone();
        assert!(program(&engine, 1).stats().native);
        assert_eq!(heard.load(Ordering::Relaxed), 1);
        // Or the engine would hold itself.
        *known.lock().unwrap() = None;
    }
}

/// A back end that panics at programs of one row.
#[derive(Debug)]
struct Panicking(Arc<dyn Backend>);

impl Backend for Panicking {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn runs(&self) -> Runs {
        self.0.runs()
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        assert!(!shader.info().constants_read.contains(7), "as it is meant to");
        self.0.prepare(shader)
    }
}

#[test]
fn a_panic_on_the_thread_of_an_engine_is_that_of_one_program() {
    let (told, hears) = std::sync::mpsc::channel();
    let told = Mutex::new(told);
    let options = Options::background(1)
        .with(|options| options.backend = Arc::new(Panicking(xfjit::engine::default_backend())));
    let engine = telling(options, move |program| {
        told.lock().expect("it is let go of").send(Arc::clone(program)).expect("it is heard");
        assert!(!program.shader().info().constants_read.contains(3), "as it is meant to");
    });
    let mut worker = Worker::new();
    // The compiler panics at the first one, and who hears of the second one.
    for number in [7, 3, 1] {
        let program = program(&engine, number);
        run(&program, &mut worker, 5);
        match number {
            7 => {}
            _ => assert!(Arc::ptr_eq(&hears.recv_timeout(PATIENCE).expect("it is compiled"), &program)),
        }
    }
    assert!(program(&engine, 7).refusal().is_some());
}

#[test]
fn another_engine_warms_what_an_engine_has_left() {
    let handed = Arc::new(Mutex::new(Vec::new()));
    let jobs = Arc::clone(&handed);
    let hands = Hook::new(move |event| {
        if let Event::Hot(job) = event {
            jobs.lock().expect("nobody panics").push(job);
        }
    });
    let of_handed = Options::default().with(|options| {
        options.compile = Compile::Handed { threshold: u64::MAX };
        options.hook = Some(hands);
    });
    let left = || program(&Engine::new(Options::background(u64::MAX)), 1);
    let (one, other) = (left(), left());
    Engine::new(of_handed).warm(&[Arc::clone(&one)], false);
    handed.lock().unwrap().pop().expect("it is handed out").run();
    assert!(one.stats().native);

    let (told, hears) = std::sync::mpsc::channel();
    let told = Mutex::new(told);
    let engine = telling(Options::background(u64::MAX), move |program| {
        told.lock().expect("nobody panics").send(program.stats().native).expect("it is heard");
    });
    engine.warm(&[Arc::clone(&other)], false);
    assert!(hears.recv_timeout(PATIENCE).expect("it is compiled"));
}

#[test]
fn a_worker_times_as_seldom_as_it_is_told_and_ends_calls_that_panic() {
    let engine = Engine::new(Options::default().with(|options| options.time_one_in = u32::MAX));
    let program = program(&engine, 1);
    let want = run(&program, &mut Worker::new(), 5);
    for _ in 0..20 {
        let mut worker = Worker::new();
        worker.set_slot_budget(Some(64));
        let call = std::panic::AssertUnwindSafe(|| worker.as_one_call(64, |_| panic!("as it is meant to")));
        assert!(std::panic::catch_unwind(call).is_err());
        // Each run has a budget of its own.
        for _ in 0..3 {
            assert_eq!(run(&program, &mut worker, 5), want);
        }
    }
}
