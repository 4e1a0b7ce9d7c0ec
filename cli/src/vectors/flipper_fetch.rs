//! Vertices of Flipper, by the reference.

use super::Check;
use super::celsius::GOLDEN;
use crate::fail::Failure;
use xfjit_testing::golden::flipper_fetch::{FetchCases, FetchDifference, GuestMemory, reference};

pub(super) fn check(cases: FetchCases, check: &mut Check) -> Result<(), Failure> {
    let file = cases.name().to_owned();
    let mut memory = GuestMemory::default();
    for case in cases {
        let case = case?;
        let difference = case.check(&mut memory, &mut reference(case.dialect()));
        let tally = check.tally(&file, GOLDEN);
        tally.cases += 1;
        tally.failed += u64::from(difference.is_some());
        check.case(difference.is_some());
        if let Some(FetchDifference { line, expected, got }) = difference {
            let number = case.number;
            check.show_text(format_args!(
                "{file}:{line}: {GOLDEN}: case {number}: expected `{expected}`, got `{got}`"
            ));
        }
    }
    Ok(())
}
