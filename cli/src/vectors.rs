//! `xfjit vectors`

mod bank;
mod celsius;
mod console;
mod emulated;
mod fixed;
mod flipper;
mod flipper_fetch;
mod ops;
mod pieces;
mod programs;
mod report;

use crate::args::{Choice, Global, Vectors};
use crate::campaign::{self, Counts, Note, Question, Words};
use crate::fail::Failure;
use crate::{backends, table};
use pieces::{Opened, Pieces};
use std::collections::BTreeMap;
use std::sync::Arc;
use xfjit::backend::{Backend, Outcome, Routine};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::Context;
use xfjit::shader::Shader;
use xfjit::{Model, Worker};
use xfjit_testing::golden::flipper_fetch::GuestMemory;

/// Checks golden vectors. A case passes if every chosen backend computes it.
pub fn run(args: &Vectors, global: &Global) -> Result<(), Failure> {
    let backends = backends::chosen(args.backend, args.target)?;
    let Opened { files, mut stopped } = pieces::open(&args.files, &backends, &args.campaign)?;
    let question = Question::new(
        "vectors",
        [
            ("files", files.iter().map(|file| [file.name(), file.digest()]).collect::<Vec<_>>().into()),
            ("backend", args.backend.name().into()),
            ("target", args.target.map(|target| target.name()).into()),
        ],
    );
    let vectors = Pieces::new(files, backends);
    let words = Words { doing: "checking", units: "pieces", differing: "differences", shown: 20 };
    let record =
        campaign::conduct(&vectors, question, Some(vectors.len()), &words, (&args.campaign, None), global)?;
    report::write(&record, global)?;
    if args.backend == Choice::All && args.target.is_none() {
        backends::note_missing();
    }
    let last = stopped.pop();
    stopped.iter().for_each(|failure| _ = failure.report(global.color.choice()));
    match (record.failed, last) {
        (0, None) => Ok(()),
        (0, Some(failure)) => Err(failure),
        (_, last) => {
            last.iter().for_each(|failure| _ = failure.report(global.color.choice()));
            Err(Failure::Mismatch)
        }
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

/// What a thread works with.
#[derive(Default)]
struct Hands {
    worker: Worker,
    /// A guest's memory, which is made when it is wanted: it is large.
    memory: Option<GuestMemory>,
}

/// A check of a piece in progress.
struct Check<'a> {
    backends: &'a [Arc<dyn Backend>],
    hands: &'a mut Hands,
    tallies: BTreeMap<(String, &'static str), Tally>,
    passed: u64,
    failed: u64,
    differences: Vec<String>,
    notes: Vec<Note>,
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

/// The backends that know a model, by their places.
///
/// # Errors
/// None does.
fn those_for(backends: &[Arc<dyn Backend>], model: Model) -> Result<Vec<usize>, Failure> {
    let knows = |&index: &usize| backends::knows(&*backends[index], model);
    let places: Vec<usize> = (0..backends.len()).filter(knows).collect();
    if places.is_empty() {
        let name = model.name();
        let message = format!("the selected back end does not support the model {name} yet");
        return Err(Failure::Unsupported(message));
    }
    Ok(places)
}

impl<'a> Check<'a> {
    fn new(backends: &'a [Arc<dyn Backend>], hands: &'a mut Hands) -> Self {
        Check {
            backends,
            hands,
            tallies: BTreeMap::new(),
            passed: 0,
            failed: 0,
            differences: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// What the piece has come to.
    fn outcome(self) -> campaign::Outcome<String> {
        let mut counts = Counts::default();
        counts.add("passed", self.passed);
        counts.add("failed", self.failed);
        for ((file, executor), tally) in self.tallies {
            let Tally { cases, failed, deopt_groups, refused } = tally;
            let numbers = [
                ("cases", cases),
                ("failed", failed),
                ("guarded_groups", deopt_groups),
                ("refused", refused),
            ];
            numbers.iter().for_each(|(name, count)| counts.add_of(&file, executor, name, *count));
        }
        campaign::Outcome { counts, differences: self.differences, failed: self.failed, notes: self.notes }
    }

    /// Counts a case.
    fn case(&mut self, failed: bool) {
        *if failed { &mut self.failed } else { &mut self.passed } += 1;
    }

    /// The backends that know a model, by their places.
    fn those_for(&self, model: Model) -> Result<Vec<usize>, Failure> {
        those_for(self.backends, model)
    }

    /// Runs each case on every backend that knows the model, by its place, and counts those that fail on one of them.
    fn each<C>(
        &mut self,
        model: Model,
        cases: &[C],
        mut fails: impl FnMut(&C, usize, &mut Check<'_>) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let executors = self.those_for(model)?;
        for case in cases {
            let mut failed = false;
            for &executor in &executors {
                failed |= fails(case, executor, self)?;
            }
            self.case(failed);
        }
        Ok(())
    }

    /// What `executor` does with `file`.
    fn tally(&mut self, file: &str, executor: &'static str) -> &mut Tally {
        self.tallies.entry((file.to_owned(), executor)).or_default()
    }

    /// Tells a difference.
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

    /// Tells what is wrong in words.
    fn show_text(&mut self, text: impl std::fmt::Display) {
        self.differences.push(text.to_string());
    }

    /// Prepares code on a backend; what it refuses is not checked there.
    fn prepare(&mut self, file: &str, index: usize, code: &Shader) -> Option<Arc<dyn Routine>> {
        let backend = &self.backends[index];
        match backend.prepare(code) {
            Ok(routine) => Some(routine),
            Err(error) => {
                let name = backend.name();
                self.tally(file, name).refused += 1;
                let text = format!("{file}: {name} rejects a program: {error}");
                let (group, backend) = (file.to_owned(), name.to_owned());
                self.notes.push(Note { group, backend, counted: "refused", text });
                None
            }
        }
    }
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
