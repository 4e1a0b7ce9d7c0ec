//! `xfjit kit list` and `xfjit kit show`.

use super::experiment::Experiment;
use super::hypothesis::Hypothesis;
use super::predict::{Outcome, predict};
use super::shelf;
use crate::args::{Format, Global, KitList, KitShow};
use crate::fail::Failure;
use crate::files;
use crate::table::Table;
use serde::Serialize;
use std::io::Write;

/// An experiment in JSON.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    console: &'static str,
    question: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'a str>,
    hypotheses: Vec<Answer>,
    /// Values that it does not tell apart.
    alike: &'a [Vec<String>],
}

/// A hypothesis in JSON.
#[derive(Serialize)]
struct Answer {
    option: &'static str,
    value: &'static str,
    model: &'static str,
}

/// A hypothesis with the words that it predicts.
#[derive(Serialize)]
struct Prediction {
    hypothesis: String,
    words: Vec<String>,
}

#[derive(Serialize)]
struct Shown<'a> {
    schema: &'static str,
    #[serde(flatten)]
    listed: Listed<'a>,
    program: &'a str,
    places: Vec<String>,
    predictions: Vec<Prediction>,
}

fn listed(experiment: &Experiment) -> Listed<'_> {
    let answer = |hypothesis: &Hypothesis| {
        let Hypothesis { option, value, model } = *hypothesis;
        Answer { option, value, model: model.name() }
    };
    Listed {
        name: experiment.name,
        console: experiment.console.name(),
        question: &experiment.question,
        warning: experiment.warning.as_deref(),
        hypotheses: experiment.hypotheses.iter().map(answer).collect(),
        alike: &experiment.alike,
    }
}

/// Lists the experiments, or what none asks about.
pub fn list(args: &KitList, global: &Global) -> Result<(), Failure> {
    let all = shelf::all()?;
    let of_console =
        |experiment: &&Experiment| args.console.is_none_or(|console| experiment.console == console);
    let chosen: Vec<&Experiment> = all.iter().filter(of_console).collect();
    let mut out = files::stdout();
    if let (Format::Json, false) = (global.format, args.left) {
        let listed: Vec<Listed<'_>> = chosen.iter().map(|experiment| listed(experiment)).collect();
        let json = serde_json::json!({ "schema": "xfjit.kit.list.1", "experiments": listed });
        serde_json::to_writer(&mut out, &json).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(out.flush()?);
    }
    if let (Format::Json, true) = (global.format, args.left) {
        let left: Vec<_> = shelf::LEFT
            .iter()
            .map(|(option, reason)| serde_json::json!({ "option": option, "reason": reason }))
            .collect();
        let json = serde_json::json!({ "schema": "xfjit.kit.left.1", "left": left });
        serde_json::to_writer(&mut out, &json).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(out.flush()?);
    }
    let table = if args.left { left() } else { table(&chosen) };
    match global.format {
        Format::Csv => table.write_csv(&mut out)?,
        Format::Text | Format::Json => table.write(&mut out)?,
    }
    Ok(out.flush()?)
}

fn table(chosen: &[&Experiment]) -> Table {
    let mut table = Table::new(["experiment", "console", "asks about", "hypotheses", "question"]);
    for experiment in chosen {
        let values: Vec<&str> = experiment.hypotheses.iter().map(|hypothesis| hypothesis.value).collect();
        // The option is that of the last one: of a form the first is the chip's model.
        let option = experiment.hypotheses.last().map_or("", |hypothesis| hypothesis.option);
        let console = experiment.console.name();
        table.row([experiment.name, console, option, &values.join(", "), &experiment.question]);
    }
    table
}

fn left() -> Table {
    let mut table = Table::new(["quirk", "why no experiment asks about it"]);
    shelf::LEFT.iter().for_each(|(option, reason)| table.row([*option, *reason]));
    table
}

/// The names of an experiment's words.
fn places(experiment: &Experiment) -> Vec<String> {
    let names = |reading: &super::reading::Reading| {
        let reading = *reading;
        (0..reading.words()).map(move |at| reading.word_name(at))
    };
    experiment.readings.iter().flat_map(names).collect()
}

/// Words as text, in the order of the places.
fn texts(experiment: &Experiment, outcome: &Outcome) -> Vec<String> {
    let readings = experiment.readings.iter().flat_map(|reading| vec![reading; reading.words()]);
    readings.zip(outcome).map(|(reading, &word)| reading.text(word)).collect()
}

/// Shows an experiment.
pub fn show(args: &KitShow, global: &Global) -> Result<(), Failure> {
    let experiment = shelf::named(&args.name)?;
    let prediction = |hypothesis: &Hypothesis| -> Result<Prediction, Failure> {
        let words = texts(&experiment, &predict(&experiment, hypothesis)?);
        Ok(Prediction { hypothesis: hypothesis.to_string(), words })
    };
    let predictions: Vec<Prediction> =
        experiment.hypotheses.iter().map(prediction).collect::<Result<_, _>>()?;
    let places = places(&experiment);
    let mut out = files::stdout();
    if global.format == Format::Json {
        let (listed, program) = (listed(&experiment), experiment.listing.as_str());
        let shown = Shown { schema: "xfjit.kit.show.1", listed, program, places, predictions };
        serde_json::to_writer(&mut out, &shown).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(out.flush()?);
    }
    let names = predictions.iter().map(|prediction| prediction.hypothesis.as_str());
    let mut table = Table::new(std::iter::once("place").chain(names));
    for (at, place) in places.iter().enumerate() {
        let words = predictions.iter().map(|prediction| prediction.words[at].clone());
        table.row(std::iter::once(place.clone()).chain(words));
    }
    if global.format == Format::Csv {
        table.write_csv(&mut out)?;
    } else {
        writeln!(out, "{} ({}): {}\n", experiment.name, experiment.console.name(), experiment.question)?;
        if let Some(warning) = &experiment.warning {
            writeln!(out, "Warning: {warning}\n")?;
        }
        for class in &experiment.alike {
            writeln!(out, "This experiment does not tell {} apart.\n", class.join(" and "))?;
        }
        writeln!(out, "{}", experiment.listing)?;
        table.write(&mut out)?;
    }
    Ok(out.flush()?)
}
