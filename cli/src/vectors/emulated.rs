//! What emulators make of programs: each on every backend, under the emulator's preset with its library.

use super::{Check, Difference, bank};
use crate::fail::Failure;
use crate::registers;
use std::sync::Arc;
use xfjit::emulators::Emulator;
use xfjit::front::Microcode;
use xfjit::isa::{Bank, Insn, Program};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::{Context, Row};
use xfjit::{Generation, Model, asm, isa};
use xfjit_isa::chip::programs::POSITION_READ_BACK;
use xfjit_testing::golden::emulators::{EmulatedCase, EmulatedVertex, is_same, outputs_of, preset};

pub(super) fn check(
    file: &str,
    emulator: Emulator,
    cases: &[EmulatedCase],
    check: &mut Check<'_>,
) -> Result<(), Failure> {
    check.each(Model::Ieee, cases, |case, executor, check| fails(file, emulator, case, executor, check))
}

/// Whether a backend computes something else for one of the vertices; the first difference is shown.
fn fails(
    file: &str,
    emulator: Emulator,
    case: &EmulatedCase,
    executor: usize,
    check: &mut Check<'_>,
) -> Result<bool, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::input(file, bank::flaw(case.line, format!("case {}: {error}", case.name)))
    };
    let outputs = outputs_of(emulator);
    let config = preset(emulator, case.generation).map_err(|error| wrong(&error))?;
    let config = config.live_outputs((1 << outputs) - 1);
    let words = case.words.as_flattened();
    let program = isa::decode_as(case.generation, config.reading(), words, case.start);
    let mut program = program.map_err(|error| wrong(&error))?;
    let caller =
        if emulator == Emulator::Nv2aVshCpu { begins_as_the_caller_has_it(&mut program) } else { None };
    let program = Arc::new(program);
    let name = check.backends[executor].name();
    let Some(routine) = check.prepare(file, executor, &Microcode::keeping(&program, &config)) else {
        return Ok(false);
    };
    let mut before = Context::new(config.rows());
    for (number, row) in case.rows(&config).into_iter().enumerate() {
        before.set_row(number, row);
    }
    let registers: Vec<u8> = (0..outputs as u8).collect();
    let mut difference = None;
    for vertex in &case.vertices {
        let mut context = before.clone();
        let mut inputs = Inputs::new(1);
        let mut rows = vertex.inputs;
        if let Some(attribute) = caller {
            rows[attribute] = vertex.before[0];
        }
        for (register, row) in rows.iter().enumerate() {
            inputs = inputs.with(register, Attribute::rows(std::slice::from_ref(row)));
        }
        let mut got = vertex.before.as_flattened()[..4 * outputs].to_vec();
        let mut places = Outputs::interleaved(&mut got, &registers).keeping();
        let outcome = routine
            .run(&mut check.hands.worker, &mut context, &inputs, &mut places)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        check.tally(file, name).deopt_groups += outcome.deopt_groups;
        let of_emulator = (vertex.outputs, case.rows_behind(&config, vertex));
        difference = difference.or(first_difference(case, vertex, &of_emulator, &got, context.rows()));
    }
    let tally = check.tally(file, name);
    tally.cases += 1;
    tally.failed += u64::from(difference.is_some());
    let Some((line, place, expected, got)) = difference else { return Ok(false) };
    let code = asm::print(case.generation, &program);
    check.show(&Difference { file, line, executor: name, place, expected, got, code: &code });
    Ok(true)
}

/// Lets a program that reads oPos back begin with what the caller has there: it comes in an attribute that the program does not
/// read, if there is one.
fn begins_as_the_caller_has_it(program: &mut Program) -> Option<usize> {
    let reads_back = |insn: &Insn| insn.reads_bank(Bank::Temp(POSITION_READ_BACK));
    if !program.insns.iter().any(reads_back) || program.insns.len() >= Generation::Kelvin.slots() {
        return None;
    }
    let read = program
        .insns
        .iter()
        .filter(|insn| insn.reads_bank(Bank::Input))
        .fold(0u32, |mask, insn| mask | 1 << insn.input);
    let attribute = (0..16).find(|register| read >> register & 1 == 0)?;
    let copy = asm::parse(Generation::Kelvin, &format!("MOV oPos, v{attribute}")).ok()?;
    let copy = Insn { end: false, ..*copy.insns.first()? };
    program.insns.insert(0, copy);
    Some(attribute)
}

/// Line, place, expected and computed bits.
fn first_difference(
    case: &EmulatedCase,
    vertex: &EmulatedVertex,
    (wanted_outputs, wanted): &([Row; 16], Vec<Row>),
    got: &[u32],
    rows: &[Row],
) -> Option<(usize, String, u32, u32)> {
    let outputs = got.iter().zip(wanted_outputs.as_flattened()).enumerate();
    let constants = rows.as_flattened().iter().zip(wanted.as_flattened()).enumerate();
    let differs = |&(_, (got, wanted)): &(usize, (&u32, &u32))| !is_same(*got, *wanted);
    let place = |register: String, word: usize| format!("{register}.{}", ["x", "y", "z", "w"][word % 4]);
    let output = outputs.filter(differs).map(|(word, (&got, &wanted))| {
        (vertex.line, place(registers::output_name(case.generation, word / 4), word), wanted, got)
    });
    let constant = constants
        .filter(differs)
        .map(|(word, (&got, &wanted))| (vertex.line, place(format!("c[{}]", word / 4), word), wanted, got));
    output.chain(constant).next()
}
