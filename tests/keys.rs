//! Programs that differ in anything that decides what they compute have handles of their own (invariant I8).
//!
//! Instructions are data: a caller may hand over some that no words express, and programs of equal words that stand or
//! start elsewhere. The key holds the instructions themselves, so the engine must tell them apart all the same.

use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Routine};
use xfjit::engine::key::Key;
use xfjit::front::Microcode;
use xfjit::isa::{Insn, Mask, OutTarget};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::{Context, Row};
use xfjit::shader::Shader;
use xfjit::{Config, Engine, Generation, Model, Options, Worker, asm, isa};
use xfjit_isa::isa::op::{ScaOp, VecOp};
use xfjit_testing::program::{Shape, program};
use xfjit_testing::{Choices, branching};

const VERTICES: usize = 3;

/// What a routine computes from numbers without meaning.
fn run(
    code: &Shader,
    routine: impl FnOnce(&mut Worker, &mut Context, &Inputs<'_>, &mut Outputs<'_>),
) -> Vec<u32> {
    let mut context = Context::new(code.rows());
    for (number, row) in context.rows_mut().iter_mut().enumerate() {
        *row = [1.0, 0.5, -2.0, 3.0].map(|x: f32| (x + number as f32 / 7.0).to_bits());
    }
    let attribute = |register: usize| -> [Row; VERTICES] {
        std::array::from_fn(|i| [0.3, 1.5, -0.7, 2.0].map(|x: f32| (x * (i + register + 1) as f32).to_bits()))
    };
    let attributes: [_; 16] = std::array::from_fn(attribute);
    let mut inputs = Inputs::new(VERTICES);
    for (register, rows) in attributes.iter().enumerate() {
        inputs.attributes[register] = Attribute::rows(rows);
    }
    let mut words = vec![0; VERTICES * 24 * 4];
    let registers: Vec<u8> = (0..24).collect();
    routine(&mut Worker::new(), &mut context, &inputs, &mut Outputs::interleaved(&mut words, &registers));
    words.extend(context.rows().iter().flatten());
    words
}

fn reference(code: &Shader) -> Vec<u32> {
    let routine: Arc<dyn Routine> = Interp::Single.prepare(code).expect("it refuses nothing");
    run(code, |worker, context, inputs, outputs| {
        routine.run(worker, context, inputs, outputs).expect("the streams are long enough");
    })
}

/// Changes a field to another value that the generation has, whether words can express the result or not.
fn change(c: &mut Choices<'_>, generation: Generation, insn: &mut Insn) {
    let temp = |c: &mut Choices<'_>| c.below(generation.temps() as u32) as u8;
    let masks = [Mask::ALL, Mask::NONE, Mask(1)];
    match c.below(11) {
        0 | 1 => insn.sca_dst.reg = temp(c),
        2 => insn.vec_dst.reg = temp(c),
        3 => insn.sca_dst.mask = c.pick(&masks),
        4 => insn.vec_dst.mask = c.pick(&masks),
        5 => insn.constant = c.below(96) as u16,
        6 => insn.input = c.below(16) as u8,
        7 => insn.saturate ^= true,
        8 => {
            let source = &mut insn.src[c.below(3) as usize];
            source.negate ^= true;
        }
        9 => {
            if let Some(out) = &mut insn.out {
                out.target = OutTarget::Output(c.below(generation.outputs() as u32) as u8);
            }
        }
        _ => {
            insn.vec = c.pick(&[VecOp::Mov, VecOp::Mul, VecOp::Add]);
            insn.sca = c.pick(&[ScaOp::Nop, ScaOp::Rcp, ScaOp::Mov]);
        }
    }
}

#[test]
fn instructions_that_differ_have_handles_of_their_own() {
    let shape = Shape { slots: 6, rare: 20, raw: 10, idioms: 20 };
    let engine = Engine::new(Options::default().with(|options| options.backend = Arc::new(Interp::Batched)));
    let native = Engine::new(Options::default());
    let target: Arc<str> = "test".into();
    let (mut changed, mut told_apart) = (0, 0);
    for seed in 0..1_200 {
        let c = &mut Choices::seed(seed);
        let generation = Generation::ALL[seed as usize % 3];
        let microcode = match generation {
            Generation::Kelvin => program(c, shape),
            _ => branching::program(c, generation, shape),
        };
        let model = c.pick(&[Model::Hw, Model::Ieee]);
        let config = Config::new(generation).model(model).with(|config| {
            config.timeout = 100;
            config.constant_writes = true;
        });
        let first = isa::decode(generation, &microcode.words, microcode.start).expect("it decodes");
        let mut second = first.clone();
        let at = c.below(second.insns.len() as u32) as usize;
        change(c, generation, &mut second.insns[at]);
        let engine = if seed % 8 == 0 { &native } else { &engine };
        let [a, b] = [&first, &second].map(|program| Microcode::shader(&Arc::new(program.clone()), &config));
        let [handle_a, handle_b] = [engine.shader(&a), engine.decoded(second.clone(), &config)];
        assert_eq!(Arc::ptr_eq(&handle_a, &handle_b), first.insns == second.insns, "seed {seed}");
        for (code, handle) in [(&a, &handle_a), (&b, &handle_b)] {
            let got = run(code, |worker, context, inputs, outputs| {
                handle.run(worker, context, inputs, outputs).expect("the streams are long enough");
            });
            assert!(got == reference(code), "seed {seed}: the handle runs another program\n{code:?}");
        }
        // A bucket for each, so that a guest finds no programs that share one.
        let [hash_a, hash_b] = [&a, &b].map(|shader| Key::new(shader, &target).hash());
        assert_eq!(hash_a == hash_b, first.insns == second.insns, "seed {seed}");
        changed += usize::from(first.insns != second.insns);
        told_apart += usize::from(reference(&a) != reference(&b));
    }
    assert!(changed > 800 && told_apart > 50, "{changed} changed, {told_apart} of them to be seen");
}

#[test]
fn paired_reciprocals_to_different_registers_are_two_programs() {
    let program = |register: u8| {
        let text = "MUL r3, v0, c[0] + RCP r1, v0.x\nMOV oPos, r1\nMOV oD0, r2";
        let mut program = asm::parse(Generation::Kelvin, text).expect("it assembles");
        program.insns[0].sca_dst.reg = register;
        program
    };
    assert_eq!(isa::encode(Generation::Kelvin, &program(1)), isa::encode(Generation::Kelvin, &program(2)));
    let (engine, config) = (Engine::new(Options::default()), Config::new(Generation::Kelvin));
    let [one, two] = [1, 2].map(|register| engine.decoded(program(register), &config));
    assert!(!Arc::ptr_eq(&one, &two));
    for handle in [one, two] {
        let got = run(handle.shader(), |worker, context, inputs, outputs| {
            handle.run(worker, context, inputs, outputs).expect("the streams are long enough");
        });
        assert_eq!(got, reference(handle.shader()));
    }
}

#[test]
fn programs_with_branches_are_told_apart_by_where_they_start() {
    // The branch back is never taken, but it makes slot 0 part of both.
    let text = "L0:\nMOV r0, v0\nL1:\nADD r0, r0, v0\nBRA L0 (NE.x)\nMOV oPos, r0";
    let decoded = asm::parse(Generation::Curie, text).expect("it assembles");
    let words = isa::encode(Generation::Curie, &decoded);
    let (engine, config) = (Engine::new(Options::default()), Config::new(Generation::Curie));
    let [zero, one] = [0, 1].map(|start| engine.program(&words, start, &config).expect("it decodes"));
    assert!(!Arc::ptr_eq(&zero, &one));
    for handle in [zero, one] {
        let got = run(handle.shader(), |worker, context, inputs, outputs| {
            handle.run(worker, context, inputs, outputs).expect("the streams are long enough");
        });
        assert_eq!(got, reference(handle.shader()));
    }
}
