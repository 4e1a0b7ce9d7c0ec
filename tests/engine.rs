//! The engine: equal programs share a handle, the cache stays in its bounds, tiers change invisibly, and a backend
//! that refuses costs speed only (invariants I7 and I8).

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Instant;
use xfjit::backend::{Backend, Interp};
use xfjit::chip::Pipeline;
use xfjit::chip::mode::Mode;
use xfjit::config::FogWrite;
use xfjit::engine::cache::Cache;
use xfjit::engine::default_backend;
use xfjit::engine::key::Key;
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
#[cfg(feature = "jit")]
use xfjit::shader::Shader;
use xfjit::{Compile, Config, Engine, Generation, Options, Program, Worker, asm, isa};
use xfjit_testing::PATIENCE;

const GEN: Generation = Generation::Kelvin;

fn config() -> Config {
    Config::new(GEN).model(Model::Ieee).live_outputs(1)
}

fn words(text: &str) -> Vec<u32> {
    isa::encode(GEN, &asm::parse(GEN, text).unwrap_or_else(|errors| panic!("{errors:?}")))
}

/// Programs that differ in a constant row.
fn numbered(number: usize) -> Vec<u32> {
    let row = number % 180;
    words(&format!("MUL r0, v0, c[{row}]\nADD oPos, r0, c[{}]", row + 1 + number / 180 % 10))
}

fn run(program: &Program, worker: &mut Worker, rows: &[Row]) -> Vec<u32> {
    let mut context = Context::new(GEN.constants());
    for row in 0..192 {
        context.set_row(row, [(row as f32).to_bits(); 4]);
    }
    let mut words = vec![0; 4 * rows.len()];
    let inputs = Inputs::new(rows.len()).with(0, Attribute::rows(rows));
    program
        .run(worker, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[0]))
        .expect("the streams are long enough");
    words
}

fn rows(count: usize) -> Vec<Row> {
    (0..count).map(|i| [1.0, 2.0, 0.5, i as f32].map(f32::to_bits)).collect()
}

/// What the interpreter makes of a program.
fn reference(words: &[u32], rows: &[Row]) -> Vec<u32> {
    let options = Options::default().with(|options| options.backend = Arc::new(Interp::Single));
    let program = Engine::new(options).program(words, 0, &config()).expect("it decodes");
    run(&program, &mut Worker::new(), rows)
}

#[test]
fn equal_programs_share_a_handle() {
    let engine = Engine::new(Options::default());
    let first = engine.program(&numbered(5), 0, &config()).expect("it decodes");
    let again = engine.program(&numbered(5), 0, &config()).expect("it decodes");
    assert!(Arc::ptr_eq(&first, &again));

    // Bits that are not stored, slots behind END, and the number of the start slot do not matter.
    let mut unused = numbered(5);
    unused[0] = !0;
    unused[1] |= 0xf000_0000;
    unused.extend([1, 2, 3, 4]);
    let again = engine.program(&unused, 0, &config()).expect("it decodes");
    assert!(Arc::ptr_eq(&first, &again));
    let shifted = [[0; 4].to_vec(), numbered(5)].concat();
    let again = engine.program(&shifted, 1, &config()).expect("it decodes");
    assert!(Arc::ptr_eq(&first, &again));

    let stats = engine.stats();
    assert_eq!((stats.hits, stats.misses, stats.programs), (3, 1, 1));
}

#[test]
fn every_part_of_the_configuration_makes_another_program() {
    let engine = Engine::new(Options::default());
    let words = words("MOV oFog.y, v0");
    let base = Config::new(GEN).model(Model::Ieee);
    let variants = [
        base.clone(),
        base.clone().live_outputs(1 << 5),
        base.clone().quirk(|quirks| quirks.fog_write = FogWrite::Masked),
        base.clone().with(|config| config.layout = xfjit::runtime::batch::Layout::Planes),
        base.clone().with(|config| config.access = xfjit::config::Access::User),
        base.clone().with(|config| config.constant_writes = true),
        base.clone().quirk(|quirks| quirks.write_order = xfjit::config::WriteOrder::VectorDropped),
        base.quirk(|quirks| quirks.address_bias = xfjit::config::AddressBias::Milli),
    ];
    let programs = variants.each_ref().map(|config| engine.program(&words, 0, config).expect("it decodes"));
    for (i, a) in programs.iter().enumerate() {
        assert!(matches!(a.shader().made_of(), Some(Microcode { config, .. }) if *config == variants[i]));
        assert!(programs[..i].iter().all(|b| !Arc::ptr_eq(a, b)), "variant {i}");
    }
}

#[test]
fn options_that_cannot_matter_make_no_other_program() {
    let engine = Engine::new(Options::default());
    let words = words("MOV oFog.y, v0");
    let first = engine.program(&words, 0, &config()).expect("it decodes");
    let others = [
        config().with(|config| config.branch_bits = 1),
        config().with(|config| config.timeout = 0),
        config().with(|config| config.live_outputs |= 1 << 31),
    ];
    for other in others {
        let program = engine.program(&words, 0, &other).expect("it decodes");
        assert!(Arc::ptr_eq(&first, &program), "{other:?}");
    }

    // A boolean constant matters to the programs that branch on it.
    let curie = |bits: u32| Config::new(Generation::Curie).with(|config| config.branch_bits = bits);
    let decoded =
        asm::parse(Generation::Curie, "BRB L1, b3\nMOV oPos, v0\nL1:\nMOV oFog, v0").expect("it assembles");
    let words = isa::encode(Generation::Curie, &decoded);
    let program = |bits| engine.program(&words, 0, &curie(bits)).expect("it decodes");
    assert!(Arc::ptr_eq(&program(0), &program(1 << 4)));
    assert!(!Arc::ptr_eq(&program(0), &program(1 << 3)));
}

#[test]
fn programs_and_the_fixed_function_share_the_cache() {
    let engine = Engine::new(Options::default());
    engine.program(&numbered(1), 0, &config()).expect("it decodes");
    let setup = Setup::new(Mode::new(Pipeline::NV15, &[0, 1]));
    let first = engine.fixed(&setup);
    // A mode of a texture unit that is off, and a light without lighting.
    let again = engine.fixed(&Setup::new(Mode::new(Pipeline::NV15, &[1, 1 | 1 << 17])));
    assert!(Arc::ptr_eq(&first, &again));
    for other in
        [setup.model(Model::Ieee), setup.live_outputs(1), Setup::new(Mode::new(Pipeline::NV10, &[0, 1]))]
    {
        assert!(!Arc::ptr_eq(&first, &engine.fixed(&other)), "{other:?}");
    }
    let stats = engine.stats();
    assert_eq!((stats.hits, stats.misses, stats.programs), (1, 5, 5));
}

#[test]
fn the_cache_stays_in_its_bounds_and_evicted_programs_still_run() {
    let measured = Engine::new(Options::default());
    measured.program(&numbered(0), 0, &config()).expect("it decodes");
    let capacity = 12 * measured.stats().bytes;
    let engine = Engine::new(Options::default().with(|options| options.cache_bytes = capacity));
    let first = engine.program(&numbered(0), 0, &config()).expect("it decodes");
    for number in 1..100 {
        engine.program(&numbered(number), 0, &config()).expect("it decodes");
        // The one that is used all the time stays.
        let kept = engine.program(&numbered(1), 0, &config()).expect("it decodes");
        assert!(
            matches!(kept.shader().made_of(), Some(Microcode { program, .. }) if program.insns.len() == 2)
        );
        let stats = engine.stats();
        assert!(stats.bytes <= capacity, "{stats:?}");
    }
    let stats = engine.stats();
    assert!(stats.evictions > 50 && stats.programs < 50, "{stats:?}");
    assert_eq!(stats.hits, 99);
    let again = engine.program(&numbered(0), 0, &config()).expect("it decodes");
    assert!(!Arc::ptr_eq(&first, &again));
    drop(engine);
    let rows = rows(7);
    assert_eq!(run(&first, &mut Worker::new(), &rows), reference(&numbered(0), &rows));
}

#[test]
fn a_cache_without_room_still_serves() {
    let engine = Engine::new(Options::default().with(|options| options.cache_bytes = 0));
    let rows = rows(5);
    for number in 0..10 {
        let program = engine.program(&numbered(number), 0, &config()).expect("it decodes");
        assert_eq!(run(&program, &mut Worker::new(), &rows), reference(&numbered(number), &rows));
    }
    assert_eq!((engine.stats().programs, engine.stats().bytes), (0, 0));
}

/// Hashes everything to the same number.
#[derive(Clone, Copy)]
struct Constant;

impl Hasher for Constant {
    fn finish(&self) -> u64 {
        42
    }

    fn write(&mut self, _: &[u8]) {}
}

impl BuildHasher for Constant {
    type Hasher = Constant;

    fn build_hasher(&self) -> Constant {
        Constant
    }
}

#[test]
fn colliding_hashes_do_not_mix_programs_up() {
    let target: Arc<str> = "test".into();
    let key = |number: usize| {
        let program = isa::decode(GEN, &numbered(number), 0).expect("it decodes");
        Key::with_hasher(&Microcode::shader(&Arc::new(program), &config()), &target, &Constant)
    };
    let mut cache = Cache::new(1 << 20);
    for number in 0..200 {
        assert_eq!(key(number).hash(), 42);
        assert_eq!(cache.get(&key(number)), None);
        assert_eq!(cache.insert(key(number), number, 10), number);
    }
    for number in 0..200 {
        assert_eq!(cache.get(&key(number)), Some(number));
        // Whoever came first stays.
        assert_eq!(cache.insert(key(number), 1_000, 10), number);
    }
    assert_eq!(cache.stats().programs, 200);
}

#[test]
fn nobody_sees_when_the_tier_changes() {
    let options = Options::default().with(|options| options.compile = Compile::Background { threshold: 40 });
    let engine = Engine::new(options);
    let rows = rows(9);
    let want = reference(&numbered(7), &rows);
    let program = engine.program(&numbered(7), 0, &config()).expect("it decodes");
    let mut worker = Worker::new();
    let start = Instant::now();
    let mut batches = 0;
    while !program.stats().native || batches < 100 {
        assert_eq!(run(&program, &mut worker, &rows), want);
        batches += 1;
        let stats = program.stats();
        assert_eq!((stats.batches, stats.vertices), (batches, 9 * batches));
        if batches < 4 {
            assert!(!stats.native, "it is not hot yet");
        }
        assert!(start.elapsed() < PATIENCE, "it is never compiled");
    }
    assert_eq!(engine.stats().compiled, 1);
}

#[test]
fn threads_share_a_program() {
    let options = Options::default().with(|options| options.compile = Compile::Background { threshold: 100 });
    let engine = Engine::new(options);
    let rows = rows(13);
    let wants: Vec<Vec<u32>> = (0..5).map(|number| reference(&numbered(number), &rows)).collect();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (engine, rows, wants) = (&engine, &rows, &wants);
            scope.spawn(move || {
                let mut worker = Worker::new();
                for round in 0..100 {
                    let number = (thread + round) % 5;
                    let program = engine.program(&numbered(number), 0, &config()).expect("it decodes");
                    assert_eq!(run(&program, &mut worker, rows), wants[number]);
                }
            });
        }
    });
    let stats = engine.stats();
    assert_eq!((stats.programs, stats.hits + stats.misses), (5, 800));
    let first = engine.program(&numbered(0), 0, &config()).expect("it decodes");
    assert_eq!(first.stats().vertices, 13 * 160);
}

#[test]
fn a_hot_program_is_compiled_though_another_one_goes() {
    let options = Options::default().with(|options| {
        options.compile = Compile::Background { threshold: 5 };
        options.cache_bytes = 0; // Programs live as long as their handles.
    });
    let engine = Engine::new(options);
    let (rows, mut worker) = (rows(5), Worker::new());
    for round in 0..300 {
        let goes = engine.program(&numbered(2 * round), 0, &config()).expect("it decodes");
        let stays = engine.program(&numbered(2 * round + 1), 0, &config()).expect("it decodes");
        run(&stays, &mut worker, &rows);
        run(&goes, &mut worker, &rows);
        drop(goes);
        // Nothing wakes the thread any more.
        let start = Instant::now();
        while !stays.stats().native && stays.refusal().is_none() {
            assert!(start.elapsed() < PATIENCE, "round {round}: the thread sleeps");
            std::thread::yield_now();
        }
    }
}

#[test]
fn words_that_are_no_program_are_refused() {
    let engine = Engine::new(Options::default());
    assert!(engine.program(&[], 0, &config()).is_err());
    assert!(engine.program(&numbered(0), 2, &config()).is_err());
    assert!(engine.program(&[0; 137 * 4], 0, &config()).is_err());
    assert_eq!(engine.stats().programs, 0);
}

#[cfg(feature = "jit")]
mod refusing {
    use super::*;
    use xfjit::backend::{CompileError, Routine, Runs};
    use xfjit::runtime::batch::registers;
    use xfjit_native::{Budget, Jit};
    use xfjit_testing::setups::FixedSetup;

    /// Prepares nothing.
    #[derive(Debug)]
    struct Refusing;

    impl Backend for Refusing {
        fn name(&self) -> &'static str {
            "refusing"
        }

        fn runs(&self) -> Runs {
            Runs::Native
        }

        fn prepare(&self, _: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
            Err(CompileError::Host("there is none".to_owned()))
        }
    }

    #[test]
    fn what_nobody_waits_for_is_compiled_with_more_care() {
        if Jit::host().is_err() {
            return;
        }
        let set = FixedSetup::find("F3").expect("it is of the set");
        let setup = Setup::new(set.mode());
        let live: Vec<u8> = registers(setup.outputs()).map(|register| register as u8).collect();
        let attributes = set.vertices(21);
        let mut inputs = Inputs::new(21);
        for (attribute, rows) in inputs.attributes.iter_mut().zip(&attributes) {
            *attribute = Attribute::rows(rows);
        }
        let run = |program: &Program| {
            let mut words = vec![0; 21 * 4 * live.len()];
            let mut outputs = Outputs::interleaved(&mut words, &live);
            let outcome = program.run(&mut Worker::new(), &mut set.context(), &inputs, &mut outputs);
            outcome.expect("the streams are long enough");
            words
        };
        // Only Cranelift has a quick way and a careful one.
        let engines = [(Options::default(), Budget::default()), (Options::background(1), Budget::PATIENT)]
            .map(|(options, budget)| {
                let cranelift = Jit::cranelift().expect("this host has native code").budget(budget);
                Engine::new(options.with(|options| options.backend = Arc::new(cranelift)))
            });
        let [quick, careful] = [0, 1].map(|number: usize| engines[number].fixed(&setup));
        let want = run(&quick);
        let start = Instant::now();
        while !careful.stats().native {
            assert_eq!(run(&careful), want);
            assert!(start.elapsed() < PATIENCE, "it is never compiled");
        }
        assert_eq!(run(&careful), want);
        let [quick, careful] = [quick, careful].map(|program| program.stats().cost.code_bytes);
        assert!(careful < quick, "{careful} bytes are not less than {quick}");
    }

    #[test]
    fn a_program_over_the_budget_runs_in_the_interpreter() {
        let Ok(jit) = Jit::host() else { return };
        let budget = Budget { most: 30, ..Budget::default() };
        let options = Options::default().with(|options| options.backend = Arc::new(jit.budget(budget)));
        let engine = Engine::new(options);
        let rows = rows(11);
        let long = words("RSQ r0.x, v0.x\nLIT r1, v0\nMAD r0, r0.x, v0, r1\nMOV oPos, r0");
        let program = engine.program(&long, 0, &config()).expect("it decodes");
        assert!(matches!(program.refusal(), Some(CompileError::TooLarge(_))), "{:?}", program.refusal());
        assert_eq!(run(&program, &mut Worker::new(), &rows), reference(&long, &rows));
        let short = engine.program(&words("MOV oPos, v0"), 0, &config()).expect("it decodes");
        assert!(short.stats().native && !program.stats().native);
        assert_eq!((engine.stats().refused, engine.stats().compiled), (1, 1));
    }

    #[test]
    fn a_refused_program_runs_in_the_interpreter() {
        for compile in [Compile::Now, Compile::Background { threshold: 1 }] {
            let options = Options::default().with(|options| {
                options.backend = Arc::new(Refusing);
                options.compile = compile;
            });
            let engine = Engine::new(options);
            let rows = rows(11);
            let program = engine.program(&numbered(3), 0, &config()).expect("it decodes");
            let mut worker = Worker::new();
            let want = reference(&numbered(3), &rows);
            let start = Instant::now();
            while program.refusal().is_none() {
                assert_eq!(run(&program, &mut worker, &rows), want);
                assert!(start.elapsed() < PATIENCE, "nobody has tried to compile it");
            }
            assert_eq!(run(&program, &mut worker, &rows), want);
            assert!(!program.stats().native);
            assert_eq!((engine.stats().refused, engine.stats().compiled), (1, 0));
        }
    }
}

#[test]
fn the_default_backend_prepares_programs() {
    let program = Arc::new(isa::decode(GEN, &numbered(0), 0).expect("it decodes"));
    assert!(default_backend().prepare(&Microcode::shader(&program, &config())).is_ok());
}
