//! Vertices slot by slot, put down and taken up again on the way, end as whole runs of the reference do.

use xfjit::backend::{Interp, Worker};
use xfjit::front::Microcode;
use xfjit::interp::{End, STACK, StackEntry, Stepper, VertexState};
use xfjit::runtime::batch::{Outputs, registers};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::DEFAULT_ROW;
use xfjit::runtime::texture::Textures;
use xfjit::shader::Faults;
use xfjit::{Config, Generation, asm};
use xfjit_testing::RandomCase;
use xfjit_testing::{Case, Choices, Limits};

#[test]
fn steps_make_up_whole_runs() {
    let mut worker = Worker::new();
    let (mut steps, mut taken_up, mut ends) = (0, 0, Faults::default());
    for seed in 0..300 {
        let mut c = Choices::seed(seed);
        let mut limits = Limits::choose(&mut c, Generation::ALL[seed as usize % 3]);
        limits.shape.slots = limits.shape.slots.min(60);
        let case = Case::within(&mut c, limits);
        let program = case.program().expect("it decodes");
        let want = case.run(&Interp::Single, &mut worker).expect("the reference runs every case");
        let read = Microcode::shader(&program, &case.config).info().inputs;
        let mut context = case.context();
        let mut constants = context.constants();
        let (inputs, mut output) = (case.inputs(), case.fresh_output());
        let outputs = Outputs::new(&mut output, case.config.layout, case.places);
        let mut faults = Faults::default();
        for position in 0..case.count {
            // What nothing reads need not be there.
            let attributes = std::array::from_fn(|register| match read >> register & 1 {
                0 => DEFAULT_ROW,
                _ => inputs.fetch(register, position),
            });
            let start = VertexState::new(&program, &case.config, attributes);
            let mut vertex = Stepper::new(&program, &case.config, &start);
            // Some run to the end at once, some stop at each slot, some from some slot on.
            let stops = c.below(4) * 5;
            let mut end = None;
            for _ in 0..stops {
                end = vertex.step(&mut constants, &inputs.textures);
                steps += 1;
                if c.chance(30) {
                    let state = vertex.state();
                    vertex = Stepper::new(&program, &case.config, &state);
                    assert_eq!(vertex.state(), state, "{case}");
                    taken_up += 1;
                }
                if end.is_some() {
                    break;
                }
            }
            let end = end.unwrap_or_else(|| vertex.run(&mut constants, &inputs.textures));
            let last = vertex.state();
            assert_eq!(last.ended, Some(end));
            assert_eq!(vertex.step(&mut constants, &inputs.textures), Some(end));
            assert_eq!(vertex.state(), last, "nothing is executed behind the end\n{case}");
            match end {
                End::Done => {}
                End::Timeout => faults.timeouts += 1,
                End::Stack => faults.stack += 1,
            }
            for register in registers(case.config.live_outputs) {
                outputs.store(register, position, vertex.outputs()[register]);
            }
        }
        assert_eq!(faults, want.outcome.faults, "{case}");
        ends += faults;
        assert!(output == want.output, "seed {seed}\n{case}");
        assert!(context == *want.context, "seed {seed}\n{case}");
    }
    assert!(steps > 5000 && taken_up > 1000, "{steps} steps, {taken_up} times taken up");
    assert!(ends.timeouts > 0 && ends.stack > 0, "{ends:?}");
}

/// Whatever an embedder puts into a state: defined behaviour.
#[test]
fn hostile_states_end() {
    let texts = [
        (Generation::Kelvin, "MUL oPos, v0, c[a0 + 3]"),
        (Generation::Rankine, "MUL o1, v0, c[a0.x + 3]\nRET"),
        (Generation::Curie, "MUL o1, v0, c[a0.x + 3]\nPUSHA a0\nPOPA a1\nPOPA a0\nRET"),
    ];
    for (generation, text) in texts {
        let program = asm::parse(generation, text).expect("it assembles");
        let config = Config::new(generation).live_outputs(1);
        let rows = vec![[0; 4]; generation.constants()];
        for number in [0, 1, 7, 543, 544, 1 << 20, usize::MAX - 1, usize::MAX] {
            let mut state = VertexState::new(&program, &config, [[number as u32; 4]; 16]);
            state.address = [[number as i32, i32::MIN, i32::MAX, -1]; 2];
            state.stack = vec![StackEntry::Return(number); 2 * STACK];
            state.stack[1] = StackEntry::Address([i32::MAX; 4]);
            for slot in [program.start, number] {
                state.slot = slot;
                let mut vertex = Stepper::new(&program, &config, &state);
                assert_eq!(vertex.state().stack.len(), STACK);
                vertex.run(&mut Constants::read_only(&rows), &Textures::NONE);
            }
        }
    }
}
