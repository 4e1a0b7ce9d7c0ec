//! `xfjit vectors`

mod bank;
mod celsius;
mod console;
mod emulated;
mod fixed;
mod flipper;
mod flipper_fetch;
mod ops;
mod programs;

use crate::args::{Choice, Format, Global, Vectors};
use crate::fail::{Failure, note, remark};
use crate::table::{self, Table};
use crate::vectors_file::{self, VectorFile};
use crate::{backends, files, progress};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use xfjit::backend::{Backend, Outcome, Routine};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::Context;
use xfjit::shader::Shader;
use xfjit::{Model, Worker};

/// Differences shown in full.
const SHOWN: usize = 20;

/// Checks golden vectors. A case passes if every chosen backend computes it.
pub fn run(args: &Vectors, global: &Global) -> Result<(), Failure> {
    let mut check = Check::new(backends::chosen(args.backend, args.target)?, global);
    let mut stopped = None;
    for path in &args.files {
        match file(path, &mut check) {
            Ok(()) => {}
            // What this version does not know does not keep it from the files that it does.
            Err(Failure::Unsupported(message)) => {
                let failure = Failure::Unsupported(format!("{}: {message}", files::name(path)));
                if let Some(earlier) = stopped.replace(failure) {
                    earlier.report(global.color.choice());
                }
            }
            Err(failure) => return Err(failure),
        }
    }
    check.summary(global)?;
    if args.backend == Choice::All && args.target.is_none() {
        backends::note_missing();
    }
    match (check.failed, stopped) {
        (0, None) => Ok(()),
        (0, Some(failure)) => Err(failure),
        (_, stopped) => {
            if let Some(failure) = stopped {
                failure.report(global.color.choice());
            }
            Err(Failure::Mismatch)
        }
    }
}

fn file(path: &Path, check: &mut Check) -> Result<(), Failure> {
    match vectors_file::open(path)? {
        VectorFile::Ops(cases) => ops::check(cases, check),
        VectorFile::Programs(cases) => programs::check(cases, check),
        VectorFile::Emulated(cases) => emulated::check(cases, check),
        VectorFile::CelsiusOps(cases) => celsius::check(cases, check),
        VectorFile::Fixed(cases) => fixed::check(cases, check),
        VectorFile::FlipperFetch(cases) => flipper_fetch::check(cases, check),
        VectorFile::Flipper(cases) => flipper::check(cases, check),
    }
}

/// What one executor has done with the cases of one file.
#[derive(Clone, Copy, Default)]
struct Tally {
    cases: u64,
    failed: u64,
    deopt_groups: u64,
    refused: u64,
}

/// A check in progress.
struct Check {
    backends: Vec<Arc<dyn Backend>>,
    worker: Worker,
    tallies: BTreeMap<(String, String), Tally>,
    passed: u64,
    failed: u64,
    shown: usize,
    bar: indicatif::ProgressBar,
}

/// A difference in one component.
struct Difference<'a> {
    file: &'a str,
    line: usize,
    executor: &'a str,
    /// Register and component.
    place: String,
    expected: u32,
    got: u32,
    /// What was executed.
    code: &'a dyn std::fmt::Display,
}

impl Check {
    fn new(backends: Vec<Arc<dyn Backend>>, global: &Global) -> Check {
        Check {
            backends,
            worker: Worker::new(),
            tallies: BTreeMap::new(),
            passed: 0,
            failed: 0,
            shown: 0,
            bar: progress::counter("checking", global.quiet),
        }
    }

    /// Counts a case.
    fn case(&mut self, failed: bool) {
        *if failed { &mut self.failed } else { &mut self.passed } += 1;
        self.bar.inc(1);
    }

    /// The backends that know a model, by their places.
    fn those_for(&self, model: Model) -> Result<Vec<usize>, Failure> {
        let knows = |&index: &usize| backends::knows(&*self.backends[index], model);
        let places: Vec<usize> = (0..self.backends.len()).filter(knows).collect();
        if places.is_empty() {
            let name = model.name();
            let message = format!("the selected back end does not support the model {name} yet");
            return Err(Failure::Unsupported(message));
        }
        Ok(places)
    }

    /// Runs each case on every backend that knows the model, by its place, and counts those that fail on one of them.
    fn each<C, E>(
        &mut self,
        model: Model,
        cases: impl Iterator<Item = Result<C, E>>,
        mut fails: impl FnMut(&C, usize, &mut Check) -> Result<bool, Failure>,
    ) -> Result<(), Failure>
    where
        Failure: From<E>,
    {
        let executors = self.those_for(model)?;
        for case in cases {
            let case = case?;
            let mut failed = false;
            for &executor in &executors {
                failed |= fails(&case, executor, self)?;
            }
            self.case(failed);
        }
        Ok(())
    }

    /// What `executor` does with `file`.
    fn tally(&mut self, file: &str, executor: &str) -> &mut Tally {
        self.tallies.entry((file.to_owned(), executor.to_owned())).or_default()
    }

    /// Shows a difference, if not too many have been shown.
    fn show(&mut self, difference: &Difference<'_>) {
        let Difference { file, line, executor, place, expected, got, code } = difference;
        let value = |bits: &u32| format!("{bits:08x} ({})", table::number(f32::from_bits(*bits)));
        let code = code.to_string().trim_end().replace('\n', "\n    ");
        let text = format!(
            "{file}:{line}: {executor}: {place}: expected {}, got {}\n    {code}",
            value(expected),
            value(got)
        );
        self.show_text(text);
    }

    /// Shows what is wrong in words, if not too much has been shown.
    fn show_text(&mut self, text: impl std::fmt::Display) {
        self.shown += 1;
        if self.shown <= SHOWN {
            self.bar.suspend(|| remark(text));
        }
    }

    /// Prepares code on a backend; what it refuses is not checked there.
    fn prepare(&mut self, file: &str, index: usize, code: &Shader) -> Option<Arc<dyn Routine>> {
        let backend = Arc::clone(&self.backends[index]);
        match backend.prepare(code) {
            Ok(routine) => Some(routine),
            Err(error) => {
                let tally = self.tally(file, backend.name());
                tally.refused += 1;
                if tally.refused == 1 {
                    note(format_args!("{file}: {} rejects a program: {error}", backend.name()));
                }
                None
            }
        }
    }

    fn summary(&self, global: &Global) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        if self.shown > SHOWN {
            remark(format_args!("... and {} more differences", self.shown - SHOWN));
        }
        let mut out = files::stdout();
        let mut table = Table::new(["file", "backend", ">cases", ">failed", ">guarded groups", ">refused"]);
        for ((file, executor), tally) in &self.tallies {
            let numbers = [tally.cases, tally.failed, tally.deopt_groups, tally.refused];
            table.row([file.clone(), executor.clone()].into_iter().chain(numbers.map(|n| n.to_string())));
        }
        match global.format {
            Format::Json => {
                let rows: Vec<serde_json::Value> = self.tallies.iter().map(json).collect();
                let (passed, failed) = (self.passed, self.failed);
                let value = serde_json::json!({
                    "schema": "xfjit.vectors.1", "passed": passed, "failed": failed, "runs": rows,
                });
                writeln!(out, "{value}")?;
            }
            Format::Csv => table.write_csv(&mut out)?,
            Format::Text => {
                if !global.quiet && !self.tallies.is_empty() {
                    table.write(&mut out)?;
                }
                writeln!(out, "{} passed, {} failed", self.passed, self.failed)?;
            }
        }
        Ok(out.flush()?)
    }
}

fn json(((file, executor), tally): (&(String, String), &Tally)) -> serde_json::Value {
    serde_json::json!({
        "file": file, "backend": executor, "cases": tally.cases, "failed": tally.failed,
        "guarded_groups": tally.deopt_groups, "refused": tally.refused,
    })
}

/// The places of `count` vertices in a batch for code of so many lanes: first all in a row, filled up to a whole group from
/// the start, so that native code runs full groups; then a group of each alone, so that no vertex hides behind a neighbour's guard.
fn places(count: usize, lanes: usize) -> impl Iterator<Item = usize> + Clone {
    let together = (0..count.next_multiple_of(lanes)).map(move |place| place % count);
    together.chain((0..count).flat_map(move |vertex| std::iter::repeat_n(vertex, lanes)))
}

/// Runs vertices of `width` attributes each (v0 on) and gives all outputs in `registers`, interleaved.
fn batch(
    routine: &dyn Routine,
    worker: &mut Worker,
    context: &mut Context,
    words: &[u32],
    width: usize,
    registers: &[u8],
) -> Result<(Vec<u32>, Outcome), Failure> {
    let stride = 4 * width;
    let count = words.len() / stride;
    let mut inputs = Inputs::new(count);
    for register in 0..width {
        inputs = inputs.with(register, Attribute::interleaved(words, 4 * register, 4, stride));
    }
    let mut results = vec![0; count * 4 * registers.len()];
    let outcome = routine
        .run(worker, context, &inputs, &mut Outputs::interleaved(&mut results, registers))
        .map_err(|error| Failure::Internal(error.to_string()))?;
    Ok((results, outcome))
}
