//! What faults have in common: which are tried, on all threads, and what is said of those that nothing finds.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::{panic, thread};
use xfjit_testing::in_parallel_with;

/// Those whose text has this in it.
pub(crate) fn chosen() -> String {
    std::env::var("XFJIT_MUTANTS").unwrap_or_default()
}

/// Of how many mutants one is tried: all of them if the environment names some, or wants it.
pub(crate) fn one_in(usual: usize) -> usize {
    let is_whole = std::env::var_os("XFJIT_LONG").is_some() || !chosen().is_empty();
    if is_whole { 1 } else { usual }
}

/// Why nothing finds some faults.
pub(crate) struct Reason {
    /// Their texts, in which `*` stands for anything.
    pattern: String,
}

/// The reasons of a file beside this one. A line `= SENTENCE` is a reason, and the lines behind it are what it is the reason of: a pattern, or `CHANGE |
/// INSTRUCTION | PRIMITIVES`.
///
/// # Panics
/// If there is no such file, or a pattern has no reason.
pub(crate) fn reasons(name: &str) -> Vec<Reason> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutants").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut reasons, mut has_reason) = (Vec::new(), false);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.is_empty() || line.starts_with("= ") {
            has_reason = line.ends_with('.');
            continue;
        }
        assert!(has_reason, "{line} has no reason");
        match line.split(" | ").collect::<Vec<_>>()[..] {
            [change, instruction, primitives] => reasons.extend(
                primitives
                    .split(' ')
                    .map(|primitive| Reason { pattern: format!("{primitive} *: {instruction}: {change}") }),
            ),
            _ => reasons.push(Reason { pattern: line.to_owned() }),
        }
    }
    reasons
}

/// Whether a text is what a pattern says, in which `*` stands for anything.
fn is_like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            (0..=text.len()).filter(|&at| text.is_char_boundary(at)).any(|at| is_like(rest, &text[at..]))
        }),
    }
}

/// What finds each of many mutants, by their texts, on all threads, each of which has something to work with (`bench`). `find` says nothing
/// of what changes nothing.
///
/// # Errors
/// What the first thread that has panicked says.
pub(crate) fn found<M: Sync, B, F: Send>(
    all: &[M],
    usual: usize,
    text: impl Fn(&M) -> String + Sync,
    bench: impl Fn() -> B + Sync,
    find: impl Fn(&mut B, &M) -> Option<F> + Sync,
) -> thread::Result<Vec<(String, F)>> {
    let (chosen, one_in) = (chosen(), one_in(usual));
    let tried = |bench: &mut B, number: usize| {
        // Each place may have as many changes as divide the distance: so not always the same of them.
        let mutant = &all[(one_in * number + number % one_in).min(all.len() - 1)];
        let text = text(mutant);
        let finder = text.contains(&chosen).then(|| find(bench, mutant))?;
        Some((text, finder?))
    };
    let results = in_parallel_with(all.len().div_ceil(one_in), bench, tried)?;
    Ok(results.into_iter().flatten().collect())
}

/// Says what has found mutants. What nothing has found has a reason among `reasons`: a pattern of its text, in which `*` stands for anything, and
/// why it does what it should. Each reason has such a mutant, if all are tried; of those that the environment names, each reason that is a
/// whole text.
///
/// # Panics
/// If that is not so.
pub(crate) fn judge<F: Ord + Copy + Debug>(
    results: &[(String, F)],
    usual: usize,
    nothing: F,
    reasons: &[Reason],
) {
    let mut counts = BTreeMap::new();
    results.iter().for_each(|(_, finder)| *counts.entry(*finder).or_insert(0) += 1);
    println!("{} mutants: {counts:?}", results.len());
    assert!(!results.is_empty(), "no mutant is chosen");
    let found_by_none = results.iter().filter(|(_, finder)| *finder == nothing);
    let mut survivors: Vec<&str> = found_by_none.map(|(text, _)| text.as_str()).collect();
    survivors.sort_unstable();
    let has_reason = |text: &str| reasons.iter().any(|reason| is_like(&reason.pattern, text));
    let unexplained: Vec<&&str> = survivors.iter().filter(|text| !has_reason(text)).collect();
    assert!(unexplained.is_empty(), "nothing finds {} mutants: {unexplained:#?}", unexplained.len());
    if one_in(usual) > 1 {
        return;
    }
    let chosen = chosen();
    let is_tried = |pattern: &&str| chosen.is_empty() || !pattern.contains('*') && pattern.contains(&chosen);
    let patterns = reasons.iter().map(|reason| reason.pattern.as_str()).filter(is_tried);
    let idle: Vec<&str> =
        patterns.filter(|pattern| !survivors.iter().any(|text| is_like(pattern, text))).collect();
    assert!(idle.is_empty(), "something finds {idle:#?}, and there is a reason why nothing should");
}

/// Tries mutants for which threads need nothing to work with, and judges what has found them ([`found`], [`judge`]).
///
/// # Panics
/// As [`judge`] does, or if `find` does.
pub(crate) fn check<M: Sync, F: Ord + Copy + Debug + Send>(
    all: &[M],
    usual: usize,
    nothing: F,
    reasons: &[Reason],
    text: impl Fn(&M) -> String + Sync,
    find: impl Fn(&M) -> Option<F> + Sync,
) {
    let results = found(all, usual, text, || (), |(), mutant| find(mutant));
    let results = results.unwrap_or_else(|panic| panic::resume_unwind(panic));
    judge(&results, usual, nothing, reasons);
}
