//! Faults of what lowers: of many functions, the same instruction is changed in all that have it, and figures tell what comes of it.

use crate::funcs::{CHANGES, Change, changed_in_all};
use crate::tally;
use std::collections::BTreeMap;
use std::fmt::Debug;
use xfjit_ir::ir::eval::Workspace;
use xfjit_ir::ir::verify::verify;
use xfjit_ir::ir::{Func, Value};

/// A function that has been lowered, with figures of what it computes.
pub(crate) trait Lowered {
    /// Whose figures.
    type Whose: Ord + Copy + Debug + Send;

    /// The function.
    fn func(&self) -> &Func;

    /// Who has computed its figures.
    fn whose(&self) -> Self::Whose;

    /// Whether the evaluator makes of a function what the figures say.
    fn is_right(&self, workspace: &mut Workspace, func: &Func) -> bool;

    /// Whether a change of an instruction would change nothing.
    fn is_idle(&self, _: Value, _: Change) -> bool {
        false
    }
}

/// What has found a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Finder<W> {
    /// It is no function, for the verifier.
    Verifier,
    /// Figures.
    Figures(W),
    /// Nothing.
    Nothing,
}

/// The functions that have instructions of a key, by their numbers, and which instructions those are.
pub(crate) type Places<K> = BTreeMap<K, Vec<(usize, Vec<Value>)>>;

/// Notes an instruction of a function, of which all are noted before those of the next.
pub(crate) fn note<K: Ord>(places: &mut Places<K>, key: K, function: usize, at: Value) {
    let of_key = places.entry(key).or_default();
    match of_key.last_mut() {
        Some((last, values)) if *last == function => values.push(at),
        _ => of_key.push((function, vec![at])),
    }
}

/// Makes every change of the instructions of each key, and judges what has found it, by the reasons of a file ([`tally::check`]).
///
/// # Panics
/// As [`tally::check`] does.
pub(crate) fn check<K: Sync, L: Lowered + Sync>(
    lowered: &[L],
    places: &Places<K>,
    usual: usize,
    reasons: &str,
    text: impl Fn(&K) -> String + Sync,
) {
    let mut all = Vec::new();
    for (key, of_key) in places {
        all.extend(CHANGES.map(|change| (key, of_key, change)));
    }
    println!("{} functions, {} mutants at most", lowered.len(), all.len());
    let text = |&(key, _, change): &(&K, _, Change)| format!("{}: {change}", text(key));
    let find = |&(_, of_key, change): &(&K, &Vec<(usize, Vec<Value>)>, Change)| {
        let (mut workspace, mut is_changed) = (Workspace::default(), false);
        for (number, values) in of_key {
            let lowered = &lowered[*number];
            let values = values.iter().copied().filter(|&at| !lowered.is_idle(at, change));
            let Some(func) = changed_in_all(lowered.func(), values, change) else { continue };
            is_changed = true;
            if verify(&func).is_err() {
                return Some(Finder::Verifier);
            }
            if !lowered.is_right(&mut workspace, &func) {
                return Some(Finder::Figures(lowered.whose()));
            }
        }
        is_changed.then_some(Finder::Nothing)
    };
    tally::check(&all, usual, Finder::Nothing, &tally::reasons(reasons), text, find);
}
