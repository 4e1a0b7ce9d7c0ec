//! Cases made smaller while they still show something, such as a difference of two backends.
//!
//! ```text
//! Search     the smallest case so far; a change is kept if the case still shows it
//! Reduced    what cases of all kinds have in common: vertices, outputs, rows of constants and of attributes
//! program    slots and operations of a program, and its configuration
//! fixed      fields of a configuration of the fixed function
//! flipper    registers of Flipper's transform unit
//! ```
//! Each pass goes from large changes to small ones, and all passes begin again until none changes anything. A change is never
//! undone, so what comes out depends on the case and on what it has to show alone.

mod fixed;
mod flipper;
mod program;
mod search;

pub use search::Search;

use crate::backend::{Backend, Worker};
use crate::repro::{Placement, Ran, Refusal};
use std::ops::Range;
use xfjit_runtime::state::{DEFAULT_ROW, Row};

/// How often a case is tried: a try runs it on two backends, which may compile it first.
const TRIES: u32 = 3000;
/// What numbers are replaced by, the plainest first: 0, 1, 2.
const PLAIN: [u32; 3] = [0, 0x3f80_0000, 0x4000_0000];

/// Cases that backends are compared on, and that are made smaller.
pub trait Shrinks: Clone + PartialEq {
    /// Runs the case, and counts the groups of vertices in it.
    ///
    /// # Errors
    /// What the backend refuses.
    fn run_on(&self, backend: &dyn Backend, worker: &mut Worker) -> Result<(Ran, usize), Refusal>;

    /// Where outputs lie.
    fn placement(&self) -> Placement;

    /// Vertices.
    fn vertices(&self) -> usize;

    /// The smallest case that is found and for which `shows` holds, as it does for this one.
    #[must_use]
    fn shrink(&self, shows: &mut dyn FnMut(&Self) -> bool) -> Self;
}

/// What cases of all kinds have in common, once their vertices lie side by side.
trait Reduced: Clone + PartialEq {
    fn count(&self) -> usize;

    /// Without some vertices.
    fn without(&mut self, vertices: Range<usize>);

    fn live_outputs(&mut self) -> &mut u32;

    fn constants(&mut self) -> &mut [Row];

    /// An attribute of all vertices.
    fn attribute(&mut self, register: usize) -> &mut [Row];
}

/// What can be smaller of every case; whether anything is.
fn reduce<C: Reduced>(search: &mut Search<'_, C>) -> bool {
    let all = search.best.count();
    let mut changed = search.thin(all, |case, vertices| case.without(vertices), Reduced::count);
    changed |= outputs(search);
    for register in 0..xfjit_runtime::state::ATTRIBUTES {
        let count = search.best.count();
        changed |= search.clear(0..count, &|case, part| case.attribute(register)[part].fill(DEFAULT_ROW));
        changed |= numbers(search, &|case| case.attribute(register));
    }
    let rows = search.best.constants().len();
    changed |= search.clear(0..rows, &|case, part| case.constants()[part].fill([0; 4]));
    changed | numbers(search, &|case| case.constants())
}

/// One output if that is enough, else those that are needed.
fn outputs<C: Reduced>(search: &mut Search<'_, C>) -> bool {
    let live = *search.best.live_outputs();
    if live.count_ones() <= 1 {
        return false;
    }
    let one = |search: &mut Search<'_, C>, register: u32| {
        search.change(|case| *case.live_outputs() &= 1 << register)
    };
    let registers = || (0..u32::BITS).filter(|register| live >> register & 1 != 0);
    registers().any(|register| one(search, register))
        || registers()
            .fold(false, |any, register| any | search.change(|case| *case.live_outputs() &= !(1 << register)))
}

/// Plain numbers in the rows that are not empty.
fn numbers<C: Reduced>(search: &mut Search<'_, C>, rows: &dyn Fn(&mut C) -> &mut [Row]) -> bool {
    let mut changed = false;
    let values = |search: &mut Search<'_, C>| rows(&mut search.best).to_vec();
    let is_plain = |row: &Row| *row == [0; 4] || *row == DEFAULT_ROW;
    for (at, row) in values(search).iter().enumerate().filter(|(_, row)| !is_plain(row)) {
        for (component, word) in row.iter().enumerate() {
            let plainer = PLAIN.into_iter().take_while(|plain| plain != word);
            for plain in plainer {
                if search.change(|case| rows(case)[at][component] = plain) {
                    changed = true;
                    break;
                }
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests;
