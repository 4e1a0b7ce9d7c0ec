//! Instruction sets: that each that this machine has computes what the interpreter does, for batches of every size.
#![cfg(feature = "jit")]

use std::sync::Arc;
use xfjit::backend::{Backend, CompileError, Interp};
use xfjit::front::Microcode;
use xfjit::runtime::batch::Outputs;
use xfjit::{Compile, Config, Engine, Generation, InstructionSet, Jit, Model, Options, Worker, asm};
use xfjit_testing::programs::Fixed;

/// Batches up to a few groups of the widest code.
const MOST: usize = 70;

fn run(fixed: &Fixed, model: Model, backend: &dyn Backend, count: usize) -> Vec<u32> {
    let shader = Microcode::shader(&Arc::new(fixed.program()), &fixed.config(model));
    let routine = backend.prepare(&shader).expect("it is short");
    let words = fixed.vertices(count);
    let mut inputs = fixed.inputs(&words, count);
    let mut out = vec![0; count * fixed.output_words()];
    let mut all = Vec::new();
    for count in 1..=count {
        out.fill(0);
        let mut outputs = Outputs::interleaved(&mut out, fixed.outputs);
        inputs.count = count;
        let outcome = routine.run(&mut Worker::new(), &mut fixed.context(), &inputs, &mut outputs);
        assert_eq!(outcome.expect("the streams are long enough").faults, Default::default());
        all.extend_from_slice(&out);
    }
    all
}

#[test]
fn batches_of_every_size_are_computed_in_every_instruction_set() {
    for name in ["P1", "P2", "P7"] {
        let fixed = Fixed::find(name).expect("it is of the set");
        for model in [Model::Ieee, Model::Hw] {
            let want = run(fixed, model, &Interp::Batched, MOST);
            for set in InstructionSet::here() {
                let jit = Jit::of(set).expect("it is here");
                assert!(run(fixed, model, &jit, MOST) == want, "{name}, {model:?}, {}", set.name());
            }
        }
    }
}

/// The widest has a second routine for small batches.
#[test]
fn wide_sets_say_how_many_vertices_a_group_has() {
    let fixed = Fixed::find("P1").expect("it is of the set");
    let shader = Microcode::shader(&Arc::new(fixed.program()), &fixed.config(Model::Ieee));
    for set in InstructionSet::here() {
        let routine = Jit::of(set).expect("it is here").prepare(&shader).expect("it is short");
        assert_eq!(routine.lanes(), set.machine().lanes, "{}", set.name());
    }
}

/// Vertices of programs that write constants run one by one, so there is no code for the longest vectors.
#[test]
fn serial_programs_have_no_code_for_the_widest_groups() {
    let program =
        asm::parse(Generation::Kelvin, "MUL oPos, v0, c[3]\nADD c[3].x, v0, c[3]").expect("it assembles");
    let config = Config::new(Generation::Kelvin).with(|config| config.constant_writes = true);
    let shader = Microcode::shader(&Arc::new(program), &config);
    for set in InstructionSet::here() {
        let routine = Jit::of(set).expect("it is here").prepare(&shader).expect("it is short");
        assert_eq!(routine.lanes(), set.machine().lanes.min(8), "{}", set.name());
    }
}

#[test]
fn engines_have_the_instruction_set_that_is_asked_for() {
    let fixed = Fixed::find("P1").expect("it is of the set");
    for &set in InstructionSet::ALL {
        for compile in [Compile::Now, Compile::Background { threshold: 1 }] {
            let options = Options::default().with(|options| options.compile = compile).instructions(set);
            match set.check_host() {
                Ok(()) => {
                    let options = options.expect("it is here");
                    let name = options.backend.target();
                    assert!(set.machine().lanes == 4 || name.contains("wide"), "{name}");
                    let engine = Engine::new(options);
                    let handle = engine.decoded(fixed.program(), &fixed.config(Model::Ieee));
                    engine.warm(std::slice::from_ref(&handle), true);
                    assert!(handle.stats().native, "{}", set.name());
                }
                Err(why) => assert_eq!(options.expect_err("it is not here"), why),
            }
        }
    }
    let missing = InstructionSet::ALL.iter().filter_map(|set| set.check_host().err());
    assert!(missing.into_iter().all(|error| matches!(error, CompileError::Host(_))));
    let targets: Vec<String> =
        InstructionSet::here().filter_map(|set| Some(Jit::of(set).ok()?.target())).collect();
    let mut distinct = targets.clone();
    distinct.dedup();
    assert_eq!(targets, distinct, "targets are part of keys");
}
