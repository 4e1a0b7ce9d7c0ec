//! Lists of programs that are made ready on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use xfjit::backend::{Backend, CompileError, Interp, Routine, Runs};
use xfjit::engine::ProgramList;
use xfjit::{Compile, Config, Engine, Generation, Model, Options, Program, Shader, asm};

fn programs(engine: &Engine, count: usize) -> Vec<Arc<Program>> {
    let config = Config::new(Generation::Kelvin).model(Model::Ieee).live_outputs(1);
    let of = |row: usize| {
        asm::parse(Generation::Kelvin, &format!("MUL oPos, v0, c[{row}]")).expect("it assembles")
    };
    (0..count).map(|row| engine.decoded(of(row), &config)).collect()
}

fn engine(compile: Compile) -> Engine {
    Engine::new(Options::default().with(|options| options.compile = compile))
}

fn is_ready(program: &Arc<Program>) -> bool {
    program.stats().native || cfg!(not(feature = "jit"))
}

/// The programs of a cache, the last one used first.
fn names(engine: &Engine) -> Vec<String> {
    engine.programs().iter().map(|program| program.name()).collect()
}

#[test]
fn threads_make_ready_what_one_makes_ready() {
    const COUNT: usize = 40;
    let handed = Compile::Handed { threshold: 1 << 40 };
    for threads in [0, 1, 2, 5, 1000] {
        let engine = engine(handed);
        let programs = programs(&engine, COUNT);
        let mut heard = Vec::new();
        let ready = engine.warm_with(&programs, threads, &mut |ready, of| {
            heard.push((ready, of));
            true
        });
        assert_eq!(ready, COUNT);
        assert_eq!(heard, (1..=COUNT).map(|ready| (ready, COUNT)).collect::<Vec<_>>());
        assert!(programs.iter().all(is_ready));
        assert_eq!(
            engine.stats().compiled,
            if cfg!(feature = "jit") { COUNT as u64 } else { engine.stats().compiled }
        );
    }
    assert_eq!(engine(handed).warm_with(&[], 4, &mut |_, _| unreachable!("there is none")), 0);
}

#[test]
fn lists_are_made_ready_in_the_order_of_one_thread() {
    let mut list = ProgramList::default();
    programs(&engine(Compile::Now), 30).iter().for_each(|program| list.add(program));
    for compile in [Compile::Now, Compile::Background { threshold: 1 << 40 }] {
        let alone = engine(compile);
        alone.warm_list(&list, true);
        let together = engine(compile);
        let programs = together.warm_list_with(&list, 4, &mut |_, _| true);
        assert!(programs.len() == 30 && programs.iter().all(is_ready));
        assert_eq!(names(&together), names(&alone));
        assert_eq!(together.stats().bytes, alone.stats().bytes);
    }
}

/// Whoever reads a list finds one that is whole, whoever else saves one there.
#[test]
fn lists_are_saved_by_many_at_once() {
    let directory = std::env::temp_dir().join(format!("xfjit-lists-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    let path = directory.join("programs");
    let lists = [3, 20].map(|count| {
        let mut list = ProgramList::default();
        programs(&engine(Compile::Now), count).iter().for_each(|program| list.add(program));
        list
    });
    lists[0].save(&path).expect("it is saved");
    std::thread::scope(|scope| {
        for list in [&lists[0], &lists[1], &lists[0]] {
            let path = &path;
            scope.spawn(move || (0..40).for_each(|_| list.save(path).expect("it is saved")));
        }
        for _ in 0..100 {
            let list = ProgramList::load(&path).expect("it is there");
            assert_eq!(list.damaged(), 0);
            assert!([3, 20].contains(&list.programs().len()), "{}", list.programs().len());
        }
    });
    assert_eq!(std::fs::read_dir(&directory).expect("it is there").count(), 1, "nothing is left behind");
    std::fs::remove_dir_all(&directory).expect("it is the test's");
}

#[test]
fn who_has_heard_enough_ends_it() {
    let mut list = ProgramList::default();
    programs(&engine(Compile::Now), 30).iter().for_each(|program| list.add(program));
    for threads in [1, 4] {
        let engine = engine(Compile::Now);
        let mut last = 0;
        let programs = engine.warm_list_with(&list, threads, &mut |ready, _| {
            last = ready;
            ready < 3
        });
        assert_eq!(last, 3, "nothing is told behind that");
        let ready = programs.iter().filter(|program| is_ready(program)).count();
        assert!((3..3 + threads).contains(&ready) || cfg!(not(feature = "jit")), "{ready} are ready");
        // Whoever asks for one of the others gets its code.
        assert!(programs.iter().all(|program| is_ready(&engine.shader(program.shader()))));
    }
}

/// A back end that panics at every second program.
#[derive(Debug)]
struct Panics;

impl Backend for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn runs(&self) -> Runs {
        Runs::Instructions
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        assert!(shader.info().constants_read.iter().all(|row| row % 2 == 0), "a back end that panics");
        Interp::Batched.prepare(shader)
    }
}

#[test]
fn a_panic_leaves_the_engine_whole() {
    let handed = Compile::Handed { threshold: 1 << 40 };
    let options =
        Options::default().with(|options| (options.backend, options.compile) = (Arc::new(Panics), handed));
    let engine = Engine::new(options);
    let programs = programs(&engine, 12);
    let result = catch_unwind(AssertUnwindSafe(|| engine.warm_with(&programs, 3, &mut |_, _| true)));
    let panic = result.expect_err("a back end has panicked");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"a back end that panics"));
    for _ in 0..12 {
        let _ = catch_unwind(AssertUnwindSafe(|| engine.warm_with(&programs, 1, &mut |_, _| true)));
    }
    let refused = programs.iter().filter(|program| program.refusal().is_some()).count();
    assert_eq!((refused, engine.stats().compiled), (6, 6));
}
