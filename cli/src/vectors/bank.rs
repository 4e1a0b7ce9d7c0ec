//! What whole programs run on, and where a file of them is wrong.

use crate::text::{Flaw, Place};
use xfjit::Generation;
use xfjit::runtime::state::Context;
use xfjit_testing::golden::programs::Programs;

/// The constants of a bank, which are no more than the chip has.
pub(super) fn context(cases: &Programs, bank: usize, generation: Generation) -> Context {
    let mut context = Context::new(generation.constants());
    for (row, words) in cases.bank(bank).iter().enumerate() {
        context.set_row(row, *words);
    }
    context
}

/// Something wrong with a line.
pub(super) fn flaw(line: usize, message: String) -> Flaw {
    let place = Place { line, column: 1, length: 0, text: String::new() };
    Flaw { place: Some(place), ..Flaw::new(message) }
}
