//! Cases of the fixed function, each a configuration of its own, on every backend.

use super::{Check, Difference};
use crate::fail::Failure;
use xfjit::Model;
use xfjit::shader::Shader;
use xfjit_testing::golden::cases::FixedCase;

pub(super) fn check(file: &str, cases: &[FixedCase], check: &mut Check<'_>) -> Result<(), Failure> {
    check.each(Model::Hw, cases, |case, executor, check| one(file, case, executor, check))
}

/// Runs a case on one backend, and tells whether it fails.
fn one(file: &str, case: &FixedCase, executor: usize, check: &mut Check<'_>) -> Result<bool, Failure> {
    let name = check.backends[executor].name();
    let setup = case.golden.vertices(1).setup;
    let Some(routine) = check.prepare(file, executor, &Shader::from(setup)) else { return Ok(false) };
    let group = case.golden.vertices(routine.lanes());
    let ran = group
        .run_on(&*routine, &mut check.hands.worker)
        .map_err(|error| Failure::Internal(error.to_string()))?;
    let placement = group.placement();
    let wrong = (0..routine.lanes()).find_map(|vertex| {
        case.golden.wrong(|register| placement.row(&ran.output, usize::from(register), vertex))
    });
    let tally = check.tally(file, name);
    tally.cases += 1;
    tally.deopt_groups += ran.outcome.deopt_groups;
    tally.failed += u64::from(wrong.is_some());
    if let Some(wrong) = &wrong {
        check.show(&Difference {
            file,
            line: case.line,
            executor: name,
            place: format!("case {}, {}", case.golden.number, wrong.place),
            expected: wrong.expected,
            got: wrong.got,
            code: &group.setup.mode,
        });
    }
    Ok(wrong.is_some())
}
