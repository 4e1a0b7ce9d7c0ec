//! What slots do around the arithmetic, in both forms of the interpreter and in native code.

use crate::assert_none;
use crate::figures::{Reading, reading};
use crate::lines::{self, case, constants, left};
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Worker};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::{Context, Row};
use xfjit::shader::Faults;
use xfjit::{Config, Generation, isa};

const READING: Reading = reading!("slots", 1_000);
const KELVIN: Generation = Generation::Kelvin;

/// What a case leaves: outputs and constants.
struct Outcome {
    outputs: Vec<Row>,
    constants: Vec<Row>,
}

fn run(backend: &dyn Backend, slots: &str) -> Outcome {
    let slots = lines::slots(slots);
    let program = isa::decode(KELVIN, slots.as_flattened(), 0).expect("it decodes");
    let config = Config::new(KELVIN).with(|config| config.constant_writes = true);
    let routine = backend.prepare(&Microcode::shader(&Arc::new(program), &config)).expect("it compiles");
    let mut context = Context::new(KELVIN.constants());
    context.rows_mut().copy_from_slice(&constants());
    let rows: Vec<Row> = (0..16).map(lines::input).collect();
    let mut inputs = Inputs::new(1);
    for (register, row) in rows.iter().enumerate() {
        inputs = inputs.with(register, Attribute::rows(std::slice::from_ref(row)));
    }
    let registers: Vec<u8> = (0..KELVIN.outputs() as u8).collect();
    let mut written = vec![0; 4 * registers.len()];
    let mut outputs = Outputs::interleaved(&mut written, &registers);
    let outcome = routine
        .run(&mut Worker::new(), &mut context, &inputs, &mut outputs)
        .expect("the streams are long enough");
    assert_eq!(outcome.faults, Faults::default(), "the program does not end");
    let outputs = written.as_chunks().0.to_vec();
    Outcome { outputs, constants: (0..KELVIN.constants()).map(|number| context.row(number)).collect() }
}

/// What differs from the reading, if something does.
fn difference(outcome: &Outcome, reading: &str) -> Option<String> {
    let left = left(reading);
    let outputs = left.outputs.into_iter().map(|(at, want)| (format!("o{at}"), want, outcome.outputs[at]));
    let constants = left.constants.into_iter().enumerate();
    let constants = constants.map(|(at, want)| (format!("c{at}"), want.map(Some), outcome.constants[at]));
    outputs.chain(constants).find_map(|(name, want, got)| {
        let differs = want.iter().zip(got).any(|(want, got)| want.is_some_and(|want| want != got));
        let want = want.map(|word| word.map(f32::from_bits));
        differs.then(|| format!("{name}: read {want:?}, computed {:?}", got.map(f32::from_bits)))
    })
}

fn check(backend: &dyn Backend) {
    READING.check(|text| {
        let wrong: Vec<String> = text
            .lines()
            .filter_map(|line| {
                let (slots, reading) = case(line);
                let difference = difference(&run(backend, slots), reading)?;
                Some(format!("{slots}\n  {difference}"))
            })
            .collect();
        assert_none("slots", READING.count, &wrong);
    });
}

#[test]
fn the_reference_does_what_the_reading_says() {
    check(&Interp::Single);
}

#[test]
fn the_batched_interpreter_does_what_the_reading_says() {
    check(&Interp::Batched);
}

/// Of each width that this processor has; elsewhere nothing runs.
#[test]
fn native_code_does_what_the_reading_says() {
    for backend in xfjit_testing::native_wide() {
        check(&*backend);
    }
}

/// The figures are no evidence of what does not occur in them.
#[test]
fn fog_constants_and_negative_zero_occur_in_the_figures() {
    let text = READING.committed();
    for part in [" o5=", "o12=", " c20=", " c23=", " c160=", " c172=", " c173=", "-0", "?"] {
        let cases = text.lines().filter(|line| case(line).1.contains(part.trim_start())).count();
        assert!(cases >= 20, "{part} occurs in {cases} cases only");
    }
}
