//! `xfjit kit build`: files for a console.

use super::experiment::{Body, Console, Experiment};
use super::push::{self, Call};
use super::reading::Reading;
use super::{fifo, fixed, methods, nxdk, predict, results, shelf};
use crate::args::{Format, Global, KitBuild};
use crate::fail::{Failure, note, warning};
use crate::files;
use crate::table;
use std::fmt::Write;
use std::path::Path;

/// The form for results.
const FORM: &str = "results.txt";

/// Where results are sent: the page says how.
const PAGE: &str = "docs/tutorials/kit.md";

/// Writes the files of a console's experiments.
pub fn run(args: &KitBuild, global: &Global) -> Result<(), Failure> {
    if global.format != Format::Text {
        return Err(Failure::Usage("--format has no effect with kit build, which prints nothing".to_owned()));
    }
    let experiments = chosen(args)?;
    files::writable(&args.out)?;
    // Before anything is written.
    let text = match args.console {
        Console::Nv2a => form(&experiments, |_, reading| match reading {
            Reading::Constant(_) => format!("rdi 0x17, {reading}: x y z w"),
            Reading::Pixel(at) | Reading::Depth(at) => pixel(at),
        }),
        Console::Flipper => of_flipper(&experiments)?,
        Console::Rsx => form(&experiments, |_, reading| pixel(reading.number())),
    };
    check_form(&args.out, &text)?;
    let written = match args.console {
        Console::Nv2a => xbox(&experiments, &args.out)?,
        Console::Flipper => gamecube(&experiments, &args.out)?,
        Console::Rsx => playstation(&experiments, &args.out)?,
    };
    files::write(&args.out.join(FORM), text.as_bytes())?;
    for experiment in &experiments {
        if let Some(text) = &experiment.warning {
            warning(format_args!("{}: {text}", experiment.name));
        }
    }
    let [experiments, written] = [(experiments.len(), "experiment"), (written + 1, "file")]
        .map(|(number, one)| table::count(number, one));
    note(format_args!(
        "{experiments}, {written} in {}; {PAGE} says what to do with them",
        args.out.display()
    ));
    Ok(())
}

/// The experiments that are asked for, each once, in the order of the list.
fn chosen(args: &KitBuild) -> Result<Vec<Experiment>, Failure> {
    for name in &args.names {
        let experiment = shelf::named(name)?;
        if experiment.console != args.console {
            let (of, asked) = (experiment.console.name(), args.console.name());
            return Err(Failure::Usage(format!("--console {asked}: {name} is an experiment for {of}")));
        }
    }
    let is_chosen = |experiment: &Experiment| {
        experiment.console == args.console
            && (args.names.is_empty() || args.names.iter().any(|name| name == experiment.name))
    };
    Ok(shelf::all()?.into_iter().filter(is_chosen).collect())
}

fn bytes(words: &[u32], order: fn(u32) -> [u8; 4]) -> Vec<u8> {
    words.iter().flat_map(|&word| order(word)).collect()
}

fn internal(experiment: &Experiment) -> Failure {
    Failure::Internal(format!("{} has no program", experiment.name))
}

fn write(directory: &Path, name: &str, extension: &str, bytes: &[u8]) -> Result<(), Failure> {
    files::write(&directory.join(format!("{name}.{extension}")), bytes)
}

/// A push buffer of each experiment, in the order of the machine's bytes, and all of them as a C file.
fn xbox(experiments: &[Experiment], directory: &Path) -> Result<usize, Failure> {
    let mut tables = Vec::new();
    for experiment in experiments {
        let calls = match &experiment.body {
            Body::Program(program) => methods::nv2a(program),
            Body::Commands(trace) => fixed::methods(experiment, trace)?,
            Body::Stream(_) => return Err(internal(experiment)),
        };
        write(directory, experiment.name, "push", &bytes(&push::words(&calls), u32::to_le_bytes))?;
        let draws = matches!(experiment.body, Body::Commands(_));
        let read = experiment.readings.iter().map(|reading| reading.number()).collect();
        tables.push(nxdk::Table { name: experiment.name, calls, read, draws });
    }
    write(directory, "xfjit_kit", "c", nxdk::file(&tables).as_bytes())?;
    let drawn: Vec<&str> = tables.iter().filter(|table| table.draws).map(|table| table.name).collect();
    if !drawn.is_empty() {
        note(format_args!(
            "{} draw: the C file runs them if it is compiled with XFJIT_KIT_DRAW ({PAGE})",
            drawn.join(" and ")
        ));
    }
    Ok(experiments.len() + 1)
}

/// The bytes of each experiment, and a recording of it.
fn gamecube(experiments: &[Experiment], directory: &Path) -> Result<usize, Failure> {
    for experiment in experiments {
        let stream = fifo::stream(experiment)?;
        write(directory, experiment.name, "fifo", &stream)?;
        write(directory, experiment.name, "dff", &fifo::recording(&stream))?;
    }
    Ok(2 * experiments.len())
}

/// The form for results of Flipper's experiments, whose points are where their commands draw them.
fn of_flipper(experiments: &[Experiment]) -> Result<String, Failure> {
    let places = |experiment: &Experiment| predict::flipper_points(experiment, &experiment.hypotheses[0]);
    let all = experiments.iter().map(places).collect::<Result<Vec<_>, _>>()?;
    Ok(form(experiments, |number, reading| {
        let point = all[number].get(usize::from(reading.number())).map_or([0.0; 2], |point| point.at);
        format!("the pixel at {}, {}", point[0], point[1])
    }))
}

/// The methods of each experiment as text, and as words in the order of the machine's bytes.
fn playstation(experiments: &[Experiment], directory: &Path) -> Result<usize, Failure> {
    for experiment in experiments {
        let Body::Program(program) = &experiment.body else { return Err(internal(experiment)) };
        let calls = methods::rsx(program);
        let line = |call: &Call| format!("{:04x} {:08x}\n", call.method, call.value);
        let text: String = calls.iter().map(line).collect();
        write(directory, experiment.name, "methods", text.as_bytes())?;
        write(directory, experiment.name, "push", &bytes(&push::words(&calls), u32::to_be_bytes))?;
    }
    Ok(2 * experiments.len())
}

/// Where a point of NVIDIA's chips is.
fn pixel(point: u16) -> String {
    let [x, y] = predict::place(point);
    format!("the pixel at {x}, {y}")
}

/// The form for results: what to write, and where it is found.
fn form(experiments: &[Experiment], place: impl Fn(usize, Reading) -> String) -> String {
    let console = experiments.first().map_or("", |experiment| experiment.console.name());
    let mut text = format!(
        "{}\nconsole {console}     # after this mark: its model and version, and how the file was run\n# Write hexadecimal digits in place of each ?.\n",
        results::HEAD
    );
    for (number, experiment) in experiments.iter().enumerate() {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "\nexperiment {}     # {}", experiment.name, experiment.question);
        for &reading in &experiment.readings {
            let blanks = vec!["?"; reading.words()].join(" ");
            let _ = writeln!(text, "{reading} {blanks}     # {}", place(number, reading));
        }
    }
    text
}

/// Refuses to write a form over another one: what somebody has filled in cannot be made again.
fn check_form(directory: &Path, text: &str) -> Result<(), Failure> {
    let path = directory.join(FORM);
    if std::fs::read(&path).is_ok_and(|there| there != text.as_bytes()) {
        return Err(Failure::Unwritable(format!(
            "{} is another form, or has results: move it away, or build in another directory",
            path.display()
        )));
    }
    Ok(())
}
