//! What engines count, and what they tell of it.

use serde_json::Value;
use std::sync::Arc;
use xfjit::engine::{Profile, Tier};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
use xfjit::{Compile, Config, Engine, Generation, Options, Program, Worker, asm};

const GEN: Generation = Generation::Kelvin;
/// Slot 2 has the reciprocal square root, slot 3 a sum.
const TEXT: &str = "MUL r0, v0, c[0]\nMOV oD0, v1\nRSQ r1, r0.x\nADD oT0, r1, v1\nMOV oPos, r0";

fn handle(engine: &Engine, model: Model) -> Arc<Program> {
    let program = asm::parse(GEN, TEXT).expect("it parses");
    engine.decoded(program, &Config::new(GEN).model(model).live_outputs(0x209))
}

/// Runs vertices whose first attribute is a word in all components.
fn run(program: &Program, worker: &mut Worker, words: &[u32]) {
    let mut context = Context::new(GEN.constants());
    context.set_row(0, [0x3f80_0000; 4]);
    let rows: Vec<Row> = words.iter().map(|&word| [word; 4]).collect();
    let ones = vec![[0x3f80_0000; 4]; words.len()];
    let inputs = Inputs::new(words.len()).with(0, Attribute::rows(&rows)).with(1, Attribute::rows(&ones));
    let mut out = vec![0; 12 * words.len()];
    let mut outputs = Outputs::interleaved(&mut out, &[0, 3, 9]);
    program.run(worker, &mut context, &inputs, &mut outputs).expect("the streams are there");
}

fn always(options: Options) -> Options {
    options.with(|options| options.time_one_in = 1)
}

fn json(profile: &Profile) -> Value {
    serde_json::from_str(&profile.to_json()).expect("it is JSON")
}

#[test]
fn tiers_are_counted_and_timed() {
    let engine = Engine::new(always(Options::default()).with(|options| {
        options.compile = Compile::Inline { threshold: 10 };
    }));
    let program = handle(&engine, Model::Ieee);
    assert!(Arc::ptr_eq(&program, &handle(&engine, Model::Ieee)));
    let mut worker = Worker::new();
    for count in [4, 7, 24, 3] {
        run(&program, &mut worker, &vec![0x4000_0000; count]);
    }
    let profile = engine.profile();
    let [of] = &profile.programs[..] else { panic!("{profile:?}") };
    let has_native = program.refusal().is_none() && of.stats.native && of.lanes > 1;
    assert_eq!((of.stats.batches, of.stats.vertices, of.hits), (4, 38, 1));
    assert_eq!((of.interpreted.batches, of.interpreted.vertices), (2, 11));
    assert_eq!((of.native.batches, of.native.vertices), (2, 27));
    assert_eq!((of.native.timed_batches, of.native.timed_vertices), (2, 27));
    assert_eq!(of.time(), Some(of.native.timed + of.interpreted.timed));
    assert!(of.time() > Some(std::time::Duration::ZERO));
    assert_eq!(of.tier, Tier::Native);
    if has_native {
        let stages = of.stats.cost.stages;
        let parts = [stages.lower, stages.simplify, stages.legalize, stages.optimize, stages.generate];
        assert!(parts.iter().all(|part| !part.is_zero()), "{stages:?}");
        assert!(parts.iter().sum::<std::time::Duration>() <= of.stats.cost.compile_time);
    }

    let json = json(&profile);
    assert_eq!(json["schema"], "xfjit.profile.1");
    let of_json = &json["programs"][0];
    assert_eq!(of_json["name"], program.name());
    assert_eq!(of_json["label"], Value::Null);
    program.set_label("a \"name\"").expect("it is short");
    assert_eq!(of.label, None);
    let json_of = |engine: &Engine| self::json(&engine.profile());
    assert_eq!(json_of(&engine)["programs"][0]["label"], "a \"name\"");
    assert_eq!(of_json["vertices"], 38);
    assert_eq!(of_json["interpreted"]["vertices"], 11);
    assert_eq!(of_json["native"]["ns"], of.native.timed.as_nanos() as u64);
    assert_eq!(of_json["cache_hits"], 1);
    assert_eq!(json["cache"]["hits"], 1);
}

#[test]
fn nothing_is_timed_unless_it_is_asked_for() {
    let engine = Engine::new(Options::default().with(|options| options.time_one_in = 0));
    let program = handle(&engine, Model::Ieee);
    let mut worker = Worker::new();
    (0..1000).for_each(|_| run(&program, &mut worker, &[0x4000_0000; 8]));
    let of = program.profile();
    assert_eq!((of.native.batches, of.native.timed_batches, of.time()), (1000, 0, None));
    assert_eq!(json(&engine.profile())["programs"][0]["ns"], Value::Null);
}

#[test]
fn some_of_many_batches_are_timed() {
    let engine = Engine::new(Options::default().with(|options| options.time_one_in = 16));
    let program = handle(&engine, Model::Ieee);
    let mut worker = Worker::new();
    (0..2000).for_each(|_| run(&program, &mut worker, &[0x4000_0000; 8]));
    let of = program.profile();
    assert!((60..250).contains(&of.native.timed_batches), "{of:?}");
    let estimated = of.native.estimated.expect("some were timed");
    assert!(estimated > of.native.timed, "{of:?}");
}

/// Native code leaves NaNs and operands beyond its recipes to the interpreter; the profile says whose they are.
#[cfg(feature = "jit")]
#[test]
fn guards_are_explained() {
    let nan = 0x7fc0_0000;
    for (model, word) in [(Model::Ieee, nan), (Model::Hw, nan), (Model::Hw, 0x7f80_0000)] {
        let engine = Engine::new(Options::default());
        let program = handle(&engine, model);
        assert!(program.refusal().is_none());
        let mut worker = Worker::new();
        let mut words = [0x4000_0000; 64];
        words[21] = word;
        (0..50).for_each(|_| run(&program, &mut worker, &words));
        run(&program, &mut worker, &[0x4000_0000; 64]);
        let of = program.profile();
        assert_eq!((of.guarded_batches, of.stats.deopt_groups, of.guarded_vertices), (50, 50, 50));
        let found = &of.found;
        assert_eq!((found.groups, found.vertices), (4, 4), "{found:?}");
        let first = &found.guards[0];
        assert_eq!(first.vertices, 4, "{found:?}");
        assert!(first.slot.is_some_and(|slot| slot < 5) && !first.operation.is_empty(), "{found:?}");
        // It says which vertex has what.
        let example = first.example;
        let operand = example.operand.expect("an attribute is the reason");
        let kind = if word == nan { "NaN" } else { "infinity" };
        assert_eq!((example.vertex, operand.to_string().as_str()), (21, "v0.x"), "{found:?}");
        assert_eq!((operand.bits, operand.kind()), (word, kind));
        if model == Model::Ieee {
            // All that is made of the NaN is one; of the product in slot 0 the output is, too.
            let product = found.guards.iter().find(|guard| guard.slot == Some(0)).expect("slot 0");
            assert_eq!((product.operation, product.why), ("mul", xfjit::engine::Why::Nan), "{found:?}");
        }
        let guards = &json(&engine.profile())["programs"][0]["guards"];
        assert_eq!(guards["groups"], 50);
        assert_eq!(guards["by"].as_array().expect("a list").len(), found.guards.len());
        assert_eq!(guards["by"][0]["place"], first.place);
        assert_eq!(guards["by"][0]["example"]["vertex"], 21);
        assert_eq!(guards["by"][0]["example"]["operand"], "v0.x");
        assert_eq!(guards["by"][0]["example"]["bits"], word);
    }
}

/// What the interpreter takes for vertices that native code has left is timed by itself, a part of the whole, and nothing where none was left.
#[cfg(feature = "jit")]
#[test]
fn the_interpreter_has_its_own_time() {
    let engine = Engine::new(Options::default().with(|options| options.time_one_in = 1));
    let program = handle(&engine, Model::Hw);
    let mut worker = Worker::new();
    (0..20).for_each(|_| run(&program, &mut worker, &[0x4000_0000; 64]));
    let of = program.profile().native;
    assert_eq!((of.timed_batches, of.timed_fallback.as_nanos()), (20, 0));
    let guards = &json(&engine.profile())["programs"][0]["guards"];
    assert_eq!(guards["ns"], 0);

    let mut words = [0x4000_0000; 64];
    words[21] = 0x7fc0_0000;
    (0..20).for_each(|_| run(&program, &mut worker, &words));
    let of = program.profile().native;
    assert_eq!(of.timed_batches, 40);
    assert!(!of.timed_fallback.is_zero() && of.timed_fallback < of.timed, "{of:?}");
    assert_eq!(of.fallback, Some(of.timed_fallback));
    let guards = &json(&engine.profile())["programs"][0]["guards"];
    assert_eq!(guards["ns"], of.timed_fallback.as_nanos() as u64);
}

#[cfg(feature = "jit")]
#[test]
fn no_groups_are_kept_unless_that_is_wanted() {
    let engine = Engine::new(Options::default().with(|options| options.guard_looks = 0));
    let program = handle(&engine, Model::Ieee);
    run(&program, &mut Worker::new(), &[0x7fc0_0000; 8]);
    let of = program.profile();
    assert_eq!((of.guarded_batches, of.found.groups), (1, 0));
}

/// Profiles of different backends are compared by name, which tells programs and models apart, and nothing else.
#[test]
fn names_are_the_same_for_every_backend() {
    let name = |backend: &Arc<dyn xfjit::backend::Backend>, model: Model| {
        let options = Options::default().with(|options| options.backend = Arc::clone(backend));
        handle(&Engine::new(options), model).name()
    };
    let all = xfjit_testing::backends(Model::Ieee);
    assert!(all.len() > 1);
    for model in [Model::Ieee, Model::Hw] {
        let names: Vec<String> = all.iter().map(|backend| name(backend, model)).collect();
        assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
    }
    assert_ne!(name(&all[0], Model::Ieee), name(&all[0], Model::Hw));
}
