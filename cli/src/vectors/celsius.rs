//! Single operations of the Celsius pipeline, on the golden functions.

use super::{Check, Difference};
use crate::fail::Failure;
use crate::text::{Flaw, Place};
use xfjit_testing::golden::celsius::CelsiusOp;

/// Who executes: no backend is involved.
pub(super) const GOLDEN: &str = "golden";

pub(super) fn check(file: &str, cases: &[CelsiusOp], check: &mut Check<'_>) -> Result<(), Failure> {
    for case in cases {
        let Some(got) = case.golden() else {
            let text = case.op.clone();
            let place =
                Place { line: case.line, column: 1, length: text.chars().count(), text: text.clone() };
            let flaw = Flaw { place: Some(place), ..Flaw::new(format!("`{text}` is not a known operation")) };
            return Err(Failure::input(file, flaw));
        };
        let failed = got != case.result;
        if failed {
            check.show(&Difference {
                file,
                line: case.line,
                executor: GOLDEN,
                place: "result".to_owned(),
                expected: case.result,
                got,
                code: &format_args!(
                    "{} {:08x?}",
                    case.op,
                    case.operands.iter().flatten().collect::<Vec<_>>()
                ),
            });
        }
        let tally = check.tally(file, GOLDEN);
        tally.cases += 1;
        tally.failed += u64::from(failed);
        check.case(failed);
    }
    Ok(())
}
