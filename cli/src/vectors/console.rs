//! Programs of which pictures of a console show what came out, each on every backend.

use super::bank::{context, flaw};
use super::{Check, batch};
use crate::fail::Failure;
use crate::registers;
use std::sync::Arc;
use xfjit::backend::Routine;
use xfjit::front::Microcode;
use xfjit::isa::Program;
use xfjit::{Config, Generation, asm};
use xfjit_testing::golden::console::{Claim, Picture};
use xfjit_testing::golden::programs::{ProgramCase, Programs};

pub(super) fn check(
    cases: &Programs,
    case: &ProgramCase,
    program: &Arc<Program>,
    mut config: Config,
    check: &mut Check<'_>,
) -> Result<(), Failure> {
    let file = cases.name();
    let generation = config.generation;
    config.constant_writes = case.pictures.iter().flat_map(|picture| &picture.claims).any(is_of_constants);
    for picture in &case.pictures {
        possible(cases, picture, generation)?;
    }
    let mut failed = vec![false; case.pictures.len()];
    for index in check.those_for(config.model)? {
        let name = check.backends[index].name();
        let Some(routine) = check.prepare(file, index, &Microcode::shader(program, &config)) else {
            continue;
        };
        for (picture, failed) in case.pictures.iter().zip(&mut failed) {
            let wrong = first_wrong(cases, picture, generation, (name, &*routine), check)?;
            let tally = check.tally(file, name);
            tally.cases += 1;
            tally.failed += u64::from(wrong.is_some());
            *failed |= wrong.is_some();
            if let Some(wrong) = wrong {
                let code = asm::print(generation, program).trim_end().replace('\n', "\n    ");
                check.show_text(format!("{file}:{}: {name}: {wrong}\n    {code}", picture.line));
            }
        }
    }
    failed.iter().for_each(|&failed| check.case(failed));
    Ok(())
}

fn is_of_constants(claim: &Claim) -> bool {
    matches!(claim, Claim::Constant { .. })
}

/// Whether the chip has the registers and rows that a picture is about.
fn possible(cases: &Programs, picture: &Picture, generation: Generation) -> Result<(), Failure> {
    let fail = |message| Err(Failure::input(cases.name(), flaw(picture.line, message)));
    let rows = cases.bank(picture.bank).len();
    if rows > generation.constants() {
        return fail(format!("bank {} has {rows} rows, more than the chip", picture.bank));
    }
    for claim in &picture.claims {
        match *claim {
            Claim::Constant { row, .. } if row >= generation.constants() => {
                return fail(format!("row {row:x} does not exist"));
            }
            Claim::Bytes { register, .. } | Claim::Over { register, .. } | Claim::Words { register, .. }
                if register >= generation.outputs() =>
            {
                return fail(format!("output o{register} does not exist"));
            }
            Claim::Constant { .. } | Claim::Bytes { .. } | Claim::Over { .. } | Claim::Words { .. } => {}
        }
    }
    Ok(())
}

/// What does not come out as in the picture, in any vertex of a group of copies.
fn first_wrong(
    cases: &Programs,
    picture: &Picture,
    generation: Generation,
    (name, routine): (&'static str, &dyn Routine),
    check: &mut Check<'_>,
) -> Result<Option<String>, Failure> {
    let registers: Vec<u8> = (0..generation.outputs() as u8).collect();
    let mut context = context(cases, picture.bank, generation);
    let words = cases.vertex(picture.vertex).as_flattened().repeat(routine.lanes());
    let (results, outcome) = batch(routine, &mut check.hands.worker, &mut context, &words, 16, &registers)?;
    check.tally(cases.name(), name).deopt_groups += outcome.deopt_groups;
    for vertex in results.chunks_exact(4 * registers.len()) {
        for claim in &picture.claims {
            let (place, got) = match *claim {
                Claim::Constant { row, .. } => (format!("c[{row}]"), context.row(row)),
                Claim::Bytes { register, .. }
                | Claim::Over { register, .. }
                | Claim::Words { register, .. } => {
                    let name = registers::output_name(generation, register);
                    (name, std::array::from_fn(|c| vertex[4 * register + c]))
                }
            };
            if !claim.holds(got) {
                let got = got.map(|word| format!("{word:08x}")).join(" ");
                return Ok(Some(format!("{place} is {got}, but the picture shows {claim:x?}")));
            }
        }
    }
    Ok(None)
}
