//! Vertices of Flipper, by the reference.

use super::Check;
use super::celsius::GOLDEN;
use xfjit_testing::golden::flipper_fetch::{FetchCase, FetchDifference, reference};

pub(super) fn check(file: &str, cases: &[FetchCase], check: &mut Check<'_>) {
    for case in cases {
        // Each case leaves it as it was.
        let memory = check.hands.memory.get_or_insert_default();
        let difference = case.check(memory, &mut reference(case.dialect()));
        let tally = check.tally(file, GOLDEN);
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
}
