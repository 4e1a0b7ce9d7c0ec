//! Programs of Kelvin and what a Rankine chip makes of them compute the same, where the two agree on arithmetic.

use std::sync::Arc;
use xfjit::backend::{Backend, Interp};
use xfjit::config::{Arithmetic, FogWrite};
use xfjit::front::Microcode;
use xfjit::isa::{OutTarget, Program, ProgramMode, Reading, convert, decode_as};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::Row;
use xfjit::{Config, Generation, Worker};
use xfjit_isa::isa::kelvin::{Fields, slot_bits};
use xfjit_testing::RandomCase;
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{Case, Choices, Limits};

/// Whether the words name only what both chips have: outputs 1 and 2 become the back colours, those from 16 on clip
/// distances, and rows from 192 on exist.
fn common(words: &[u32]) -> bool {
    words.as_chunks::<4>().0.iter().all(|&slot| {
        let f = Fields::unpack(slot_bits(slot));
        match f.out_buffer {
            0 => f.out_addr < Generation::Kelvin.constants() as u16,
            _ => matches!(f.out_addr, 0 | 3..16 | 0xff),
        }
    })
}

/// The case of Kelvin as one of Rankine: numbers changed, data moved along.
fn converted(case: &Case) -> (Arc<Program>, Case) {
    let reading = Reading { mode: ProgramMode::V1, ..Reading::default() };
    let words = convert::kelvin_to_rankine(&case.words);
    let program = decode_as(Generation::Rankine, reading, &words, case.start).expect("a program stays one");
    let mut constants = vec![[0; 4]; Generation::Rankine.constants()];
    let first = usize::from(convert::row(0));
    constants[first..first + case.constants.len()].copy_from_slice(&case.constants);
    let (mut attributes, mut places) = (case.attributes.clone(), case.places);
    places.fill(None);
    let mut live_outputs = 0;
    for n in 0..16u8 {
        attributes[usize::from(convert::input(n))] = case.attributes[usize::from(n)].clone();
        if let (0 | 3.., Some(place)) = (n, case.places[usize::from(n)]) {
            places[usize::from(convert::output(n))] = Some(place);
            live_outputs |= (case.config.live_outputs >> n & 1) << convert::output(n);
        }
    }
    let config = Config::new(Generation::Rankine)
        .read_as(reading)
        .with(|config| {
            config.live_outputs = live_outputs;
            config.layout = case.config.layout;
            config.constant_writes = case.config.constant_writes;
            config.model = case.config.model;
            config.arithmetic = Arithmetic::Legacy;
        })
        .quirk(|quirks| quirks.write_order = case.config.quirks.write_order);
    (Arc::new(program), Case { words, config, constants, attributes, places, ..case.clone() })
}

/// Output memory and the user's constants after a run.
fn run(program: &Arc<Program>, case: &Case, first: u16) -> (Vec<u8>, Vec<Row>) {
    let (mut output, mut context) = (case.fresh_output(), case.context());
    let routine = Interp::Single
        .prepare(&Microcode::shader(program, &case.config))
        .expect("the interpreter takes every program");
    routine
        .run(&mut Worker::new(), &mut context, &case.inputs(), &mut case.outputs(&mut output))
        .expect("the streams hold the batch");
    let first = usize::from(first);
    (output, context.rows()[first..first + Generation::Kelvin.constants()].to_vec())
}

#[test]
fn converted_programs_compute_the_same() {
    let (mut compared, mut wrote) = (0, 0);
    for seed in 0..2_000 {
        let mut c = Choices::seed(seed);
        let shape = Shape { raw: 0, ..Shape::choose(&mut c, Generation::Kelvin.slots()) };
        let limits = Limits {
            generation: Generation::Kelvin,
            shape,
            temper: Temper::Ordinary,
            vertices: 5,
            model: Some(Model::Ieee),
        };
        let mut case = Case::within(&mut c, limits);
        if !common(&case.words) || case.count == 0 {
            continue;
        }
        // What the later chip does to fog and to constants is not the subject.
        case.config = Config::new(Generation::Kelvin)
            .model(Model::Ieee)
            .with(|config| {
                config.live_outputs = case.config.live_outputs & !6;
                config.layout = case.config.layout;
                config.constant_writes = case.config.constant_writes;
            })
            .quirk(|quirks| {
                quirks.write_order = case.config.quirks.write_order;
                quirks.fog_write = FogWrite::Masked;
            });
        // The case may have come with the rows of an emulator.
        case.constants.truncate(Generation::Kelvin.constants());
        let program = case.program().expect("the generator makes programs");
        let (other, other_case) = converted(&case);
        let kelvin = run(&program, &case, 0);
        assert_eq!(run(&other, &other_case, convert::row(0)), kelvin, "seed {seed}");
        compared += 1;
        wrote += program
            .insns
            .iter()
            .filter(|insn| matches!(insn.out, Some(out) if matches!(out.target, OutTarget::Output(_))))
            .count();
    }
    assert!(compared > 1_000 && wrote > 4_000, "{compared} programs with {wrote} outputs");
}
