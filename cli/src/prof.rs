//! `xfjit prof`: what the programs of a capture cost here, and the chip.

mod attach;
mod bootstrap;
mod cost;
mod diff;
mod export;
mod finding;
mod look;
mod measure;
mod page;
mod picture;
mod plays;
mod report;
mod sampling;
mod words;

pub use sampling::Sampling;

use crate::args::{Global, Prof};
use crate::fail::Failure;
use crate::files;
use crate::names::Names;
use crate::sort::{self, Wanted};
use crate::text::{self, Flaw};
use measure::Playing;
use report::{Report, SCHEMA};
use std::path::Path;

/// What is looked at: a capture, which is played, or a report that was written earlier.
enum Side<'a> {
    Played(Box<Playing<'a>>),
    Read(Box<Report>),
}

/// Plays a capture, and tells; or compares two.
pub fn run(args: &Prof, global: &Global) -> Result<(), Failure> {
    if args.sampled.is_some() && args.sampling == Sampling::None {
        return Err(Failure::Usage("--sampled has no effect with --sampling none".to_owned()));
    }
    args.outputs()?;
    if let Some(wanted) = &args.attach {
        return attach::run(wanted, args, global);
    }
    let Some(capture) = &args.capture else {
        return Err(Failure::Usage("a capture is missing".to_owned()));
    };
    let read =
        |path: &Path| -> Result<_, Failure> { Ok((files::name(path), sort::read(path, Wanted::Played)?)) };
    let names = Names::read(args.names.as_deref())?;
    let (name, bytes) = read(capture)?;
    let Some(before) = &args.diff else {
        let Side::Played(capture) = side(&name, &bytes, args, global)? else {
            let message = format!("{name} is a report; use --diff to compare two reports");
            return Err(Failure::Usage(message));
        };
        let mut captures = [*capture];
        measure::play(&mut captures, args, global)?;
        let [capture] = captures;
        let mut report = capture.report(args, global, &names, args.out.as_deref())?;
        let written = export::write(&report, args);
        if global.given.has("top") {
            report.programs.iter_mut().skip(args.top).for_each(|program| program.slots.clear());
        }
        words::write(&report, args, global)?;
        return written;
    };
    let (before_name, before_bytes) = read(before)?;
    let sides = [side(&before_name, &before_bytes, args, global)?, side(&name, &bytes, args, global)?];
    let (mut playing, mut reports) = (Vec::new(), [None, None]);
    for (report, side) in reports.iter_mut().zip(sides) {
        match side {
            Side::Played(capture) => playing.push(*capture),
            Side::Read(read) => *report = Some(*read),
        }
    }
    if playing.is_empty() {
        for option in [
            "model",
            "target",
            "times",
            "dialect",
            "quirk",
            "sampling",
            "sampled",
            "slot-limit",
            "overtime",
            "literals",
        ] {
            if global.given.has(option) {
                let message = format!("--{option} has no effect with two reports, because nothing is played");
                return Err(Failure::Usage(message));
            }
        }
    }
    measure::play(&mut playing, args, global)?;
    let mut played = playing.into_iter();
    let mut report = |read: Option<Report>| match read {
        Some(report) => Ok(report),
        None => played.next().expect("what is not read is played").report(args, global, &names, None),
    };
    let [before, after] = reports;
    let (mut before, mut after) = (report(before)?, report(after)?);
    report::name(&mut [&mut before, &mut after], &names)?;
    diff::run(&before, &after, args, global)
}

/// What a file is.
fn side<'a>(name: &'a str, bytes: &'a [u8], args: &Prof, global: &Global) -> Result<Side<'a>, Failure> {
    if bytes.first() != Some(&b'{') {
        return Ok(Side::Played(Box::new(Playing::new(name, bytes, args, global)?)));
    }
    let wrong = |message: String| Failure::input(name, Flaw::new(message));
    let mut report: Report = serde_json::from_slice(bytes)
        .map_err(|error| wrong(format!("is not a report that `xfjit prof --format json` writes: {error}")))?;
    if report.schema != SCHEMA {
        return Err(wrong(format!("has the schema {}, not {SCHEMA}", text::clip(&report.schema))));
    }
    if report.attached.is_some() {
        return Err(wrong(
            "is a report of a running process; only reports of captures can be compared".to_owned(),
        ));
    }
    report.capture = name.to_owned();
    Ok(Side::Read(Box::new(report)))
}
