//! `xfjit kit judge`: which hypotheses survive what a console has returned.

use super::experiment::Experiment;
use super::predict::{Outcome, predict};
use super::reading::Reading;
use super::{results, shelf};
use crate::args::{Format, Global, KitJudge};
use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::table::Table;
use serde::Serialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;

/// A hypothesis after a run.
#[derive(Serialize)]
struct Verdict {
    hypothesis: String,
    survives: bool,
    /// Where what was seen differs from what it predicts.
    differences: Vec<Difference>,
}

/// A word that differs.
#[derive(Serialize)]
struct Difference {
    word: String,
    expected: String,
    seen: String,
}

/// A run after its judgement.
#[derive(Serialize)]
struct Judged<'a> {
    experiment: &'a str,
    /// Runs of an experiment are counted from 1.
    run: usize,
    question: &'a str,
    verdicts: Vec<Verdict>,
    /// Whether what was read is what was there before the experiment.
    untouched: bool,
}

impl Judged<'_> {
    fn has_survivor(&self) -> bool {
        self.verdicts.iter().any(|verdict| verdict.survives)
    }
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    console: &'static str,
    runs: &'a [Judged<'a>],
}

/// Judges the results of a file. That no hypothesis survives is a difference: exit code 1.
pub fn run(args: &KitJudge, global: &Global) -> Result<(), Failure> {
    let name = files::name(&args.results);
    let text = sort::read_text(&args.results, Wanted::Results)?;
    let shelf = shelf::all()?;
    let (console, runs) = results::read(&text, &shelf).map_err(|flaw| Failure::input(&name, flaw))?;
    let mut foreseen: BTreeMap<&str, Foreseen> = BTreeMap::new();
    let mut judged: Vec<Judged<'_>> = Vec::new();
    for run in &runs {
        let own = match foreseen.entry(run.experiment.name) {
            Entry::Occupied(own) => own.into_mut(),
            Entry::Vacant(place) => place.insert(Foreseen::of(run.experiment)?),
        };
        own.runs += 1;
        judged.push(judge(run.experiment, own, &run.seen));
    }
    let mut out = files::stdout();
    match global.format {
        Format::Text => write(&mut out, &judged)?,
        Format::Csv => table(&judged).write_csv(&mut out)?,
        Format::Json => {
            let json = Json { schema: "xfjit.kit.judge.1", console: console.name(), runs: &judged };
            serde_json::to_writer(&mut out, &json).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    match judged.iter().all(Judged::has_survivor) {
        true => Ok(()),
        false => Err(Failure::Mismatch),
    }
}

/// What each hypothesis predicts, computed once however often an experiment was run.
struct Foreseen {
    outcomes: Vec<Outcome>,
    /// Runs so far.
    runs: usize,
}

impl Foreseen {
    fn of(experiment: &Experiment) -> Result<Foreseen, Failure> {
        let outcomes = experiment.hypotheses.iter().map(|hypothesis| predict(experiment, hypothesis));
        Ok(Foreseen { outcomes: outcomes.collect::<Result<_, _>>()?, runs: 0 })
    }
}

/// Compares one run with each hypothesis.
fn judge<'a>(experiment: &'a Experiment, foreseen: &Foreseen, seen: &[u32]) -> Judged<'a> {
    let all = experiment.hypotheses.iter().zip(&foreseen.outcomes);
    let verdicts = all.map(|(hypothesis, expected)| {
        let differences = differences(experiment, expected, seen);
        Verdict { hypothesis: hypothesis.to_string(), survives: differences.is_empty(), differences }
    });
    Judged {
        experiment: experiment.name,
        run: foreseen.runs,
        question: &experiment.question,
        verdicts: verdicts.collect(),
        untouched: is_untouched(experiment, seen),
    }
}

/// Whether words are those that were there before an experiment ran.
pub(super) fn is_untouched(experiment: &Experiment, seen: &[u32]) -> bool {
    let places = experiment.readings.iter().flat_map(|reading| (0..reading.words()).map(|_| *reading));
    let before = places.map(Reading::untouched).zip(seen);
    let mut known = before.filter_map(|(before, &seen)| Some((before?, seen))).peekable();
    known.peek().is_some() && known.all(|(before, seen)| before == seen)
}

/// The words that a console cannot have returned if these were expected.
fn differences(experiment: &Experiment, expected: &[u32], seen: &[u32]) -> Vec<Difference> {
    let places = experiment.readings.iter().flat_map(|reading| (0..reading.words()).map(|at| (*reading, at)));
    let words = places.zip(expected).zip(seen);
    let differ = words
        .filter(|(((reading, _), expected), seen)| !reading.agrees(experiment.console, **expected, **seen));
    let difference = differ.map(|(((reading, at), expected), seen)| Difference {
        word: reading.word_name(at),
        expected: reading.text(*expected),
        seen: reading.text(*seen),
    });
    difference.collect()
}

/// A line for each hypothesis of each run.
fn table(judged: &[Judged<'_>]) -> Table {
    let mut table = Table::new(["experiment", ">run", "hypothesis", "verdict", "because"]);
    for judged in judged {
        for Verdict { hypothesis, survives, differences } in &judged.verdicts {
            let because =
                differences.first().map_or_else(String::new, |Difference { word, expected, seen }| {
                    format!("{word} is {seen}, not {expected}")
                });
            let verdict = if *survives { "survives" } else { "refuted" };
            table.row([judged.experiment, &judged.run.to_string(), hypothesis, verdict, &because]);
        }
    }
    table
}

fn write(out: &mut dyn Write, judged: &[Judged<'_>]) -> std::io::Result<()> {
    table(judged).write(out)?;
    for Judged { experiment, run, .. } in judged.iter().filter(|judged| judged.untouched) {
        writeln!(
            out,
            "\n{experiment}, run {run}: what was read is what was there before. See whether it ran: if not, nothing follows from it."
        )?;
    }
    for judged in judged.iter().filter(|judged| !judged.has_survivor()) {
        let Judged { experiment, run, question, verdicts, untouched: _ } = judged;
        writeln!(out, "\n{experiment}, run {run}: no hypothesis survives. {question}\n")?;
        let mut table = Table::new(["hypothesis", "word", "expected", "seen"]);
        for verdict in verdicts {
            for Difference { word, expected, seen } in &verdict.differences {
                table.row([&verdict.hypothesis, word, expected, seen]);
            }
        }
        table.write(out)?;
    }
    Ok(())
}
