//! `xfjit prof`: what the programs of a capture cost here, and the chip.

mod cost;
mod diff;
mod finding;
mod look;
mod page;
mod picture;
mod plays;
mod report;
mod sampling;

pub use sampling::Sampling;

use crate::args::{Format, Global, Prof};
use crate::capture::{Capture, Event, How};
use crate::fail::{Failure, note};
use crate::flipper_choices::FlipperChoices;
use crate::sort::{self, Wanted};
use crate::table::{self, Table};
use crate::text::{self, Flaw};
use crate::{backends, files, perf, progress};
use cost::{Cost, Done, Slot};
use look::Seen;
use page::Source;
use plays::Plays;
use report::{Over, Report, SCHEMA};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xfjit::engine::{ProgramProfile, Tier, default_backend};
use xfjit::{Engine, InstructionSet, Model};

/// How often a capture is played if nobody says so: for a while, short ones more often than long ones.
const TIMES: std::ops::RangeInclusive<u32> = 20..=500;
const FEW: u32 = 5;
const A_WHILE: Duration = Duration::from_millis(150);
/// Where even the least number would take longer than this, fewer will do.
const ENOUGH: Duration = Duration::from_secs(2);
/// Code that the engine keeps: that of every program, however many there are.
const CACHE_BYTES: usize = 1 << 30;

/// How long is sampled.
const SAMPLED: Duration = Duration::from_secs(1);

/// Plays a capture, and tells; or compares two.
pub fn run(args: &Prof, global: &Global) -> Result<(), Failure> {
    if args.sampled.is_some() && args.sampling == Sampling::None {
        return Err(Failure::Usage("--sampled has no effect with --sampling none".to_owned()));
    }
    let Some(before) = &args.diff else {
        let mut report = match measured_or_read(&args.capture, args, global, args.out.as_deref())? {
            (report, true) => report,
            (report, false) => {
                let message = format!("{} is a report; two of them are compared by --diff", report.capture);
                return Err(Failure::Usage(message));
            }
        };
        if let Some(file) = &args.folded {
            files::write(file, folded(&report).as_bytes())?;
        }
        if global.given.has("top") {
            report.programs.iter_mut().skip(args.top).for_each(|program| program.slots.clear());
        }
        return write(&report, args, global);
    };
    let (before, before_played) = measured_or_read(before, args, global, None)?;
    let (after, after_played) = measured_or_read(&args.capture, args, global, None)?;
    if !before_played && !after_played {
        for option in
            ["model", "target", "times", "dialect", "quirk", "sampling", "sampled", "slot-limit", "overtime"]
        {
            if global.given.has(option) {
                let message = format!("--{option} has no effect with two reports: nothing is played");
                return Err(Failure::Usage(message));
            }
        }
    }
    diff::run(&before, &after, args, global)
}

/// The report of a capture, and whether it has been played: reports that were written earlier are read.
fn measured_or_read(
    path: &Path,
    args: &Prof,
    global: &Global,
    out: Option<&Path>,
) -> Result<(Report, bool), Failure> {
    let (name, bytes) = (files::name(path), sort::read(path, Wanted::Played)?);
    if bytes.first() != Some(&b'{') {
        return Ok((measured(&name, &bytes, args, global, out)?, true));
    }
    let wrong = |message: String| Failure::input(&*name, Flaw::new(message));
    let mut report: Report = serde_json::from_slice(&bytes)
        .map_err(|error| wrong(format!("is no report that `xfjit prof --format json` writes: {error}")))?;
    if report.schema != SCHEMA {
        return Err(wrong(format!("has the schema {}, not {SCHEMA}", text::clip(&report.schema))));
    }
    report.capture = name;
    Ok((report, false))
}

/// Plays a capture; the page is written if it is wanted.
fn measured(
    name: &str,
    bytes: &[u8],
    args: &Prof,
    global: &Global,
    out: Option<&Path>,
) -> Result<Report, Failure> {
    let capture = Capture::read(name, bytes, global)?;
    let perf = perf::wanted()?;
    let backend = match args.target {
        Some(_) => backends::native(args.target).map_err(Failure::Unsupported)?,
        None => default_backend(),
    };
    let backend = perf::in_sight(perf.as_ref(), backend);
    let with_lines = if args.sampling == Sampling::None { None } else { backend.with_lines() };
    let options = perf::options(with_lines.unwrap_or(backend), perf.as_ref());
    let options = options.with(|options| {
        options.time_one_in = 1;
        options.cache_bytes = CACHE_BYTES;
    });
    let target = options.backend.target();
    let engine = Arc::new(Engine::new(args.limits.options(options)));
    let how = How {
        model: args.model.unwrap_or(Model::Hw),
        flipper: FlipperChoices::new(args.dialect, &args.quirks)?,
        limits: args.limits,
    };
    let most = args.times.unwrap_or(*TIMES.end());
    // The first play compiles, the last one looks.
    let bar = progress::bar(u64::from(most) + 2, "playing", global.quiet);
    bar.tick();
    capture.play(&engine, how, &mut |_| {})?;
    bar.inc(1);
    let mut plays = Plays::new(engine.programs());
    let guarded: Vec<u64> = plays.programs.iter().map(|program| program.stats().deopt_groups).collect();
    let begin = Instant::now();
    let mut times = 0;
    while times < most {
        capture.play(&engine, how, &mut |event| {
            if let Event::End = event {
                plays.end_draw();
            }
        })?;
        plays.end_play();
        times += 1;
        bar.inc(1);
        let (is_long, is_over) = (begin.elapsed() > A_WHILE, begin.elapsed() > ENOUGH);
        if args.times.is_none() && (times >= *TIMES.start() && is_long || times >= FEW && is_over) {
            break;
        }
    }
    let profiles: Vec<ProgramProfile> = plays.programs.iter().map(|program| program.profile()).collect();
    let lanes: Vec<Option<usize>> =
        profiles.iter().map(|profile| (profile.tier == Tier::Native).then_some(profile.lanes)).collect();
    let mut ranks: Vec<usize> = (0..profiles.len()).collect();
    let sums: Vec<f64> = plays.times.iter().map(|times| times.iter().sum()).collect();
    ranks.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
    let medians = plays.medians();
    let time = args.sampled.map_or(SAMPLED, |time| Duration::from_millis(time.into()));
    let samples = sampling::sample(args.sampling, time, |take| {
        capture.play(&engine, how, &mut |event| {
            if let Event::End = event {
                take();
            }
        })
    })?;
    let mut seen = look::look(&capture, (&engine, how), (&plays, &medians), &ranks, out.is_some())?;
    bar.finish_and_clear();

    let bar = progress::bar(2 * ranks.len() as u64, "programs", global.quiet);
    let mut done: Vec<Option<Done>> = profiles
        .into_iter()
        .enumerate()
        .map(|(number, profile)| {
            let parts = plays.parts.iter().filter(|part| part.program == number);
            let (batches, vertices) = parts
                .fold((0, 0), |(batches, vertices), part| (batches + part.batches, vertices + part.vertices));
            let left = profile.stats.deopt_groups - guarded[number];
            let code = plays.programs[number].routine();
            Some(Done {
                in_code: samples.as_ref().zip(code).map(|(samples, code)| samples.of(code)),
                batches: batches as f64,
                vertices: vertices as f64,
                guarded: left as f64 / f64::from(times.max(1)),
                times: std::mem::take(&mut plays.times[number]),
                profile,
            })
        })
        .collect();
    let mut programs: Vec<(usize, Cost)> = ranks
        .iter()
        .filter_map(|&number| {
            bar.inc(1);
            let mut cost = Cost::new(plays.programs[number].shader(), done[number].take()?);
            let seen = &mut seen[number];
            cost.draw = seen.draw;
            cost.constants = std::mem::take(&mut seen.constants);
            cost.is_indexed = seen.is_indexed;
            Some((number, cost))
        })
        // Of what has not run there is no time to divide: a capture may be cut off behind a program.
        .filter(|(_, cost)| cost.batches > 0.0)
        .collect();
    let ns = programs.iter().map(|(_, program)| program.ns).sum::<f64>();
    programs.sort_by(|(_, a), (_, b)| b.ns.total_cmp(&a.ns));
    for (_, program) in &mut programs {
        program.share = if ns > 0.0 { program.ns / ns } else { 0.0 };
    }
    if programs.is_empty() {
        note(finding::NOTHING);
    }
    let places = programs.iter().enumerate().map(|(place, &(number, _))| (number, place)).collect();
    let numbers: Vec<usize> = programs.iter().map(|&(number, _)| number).collect();
    let report = Report {
        schema: SCHEMA.to_owned(),
        capture: name.to_owned(),
        target,
        arithmetic: match &capture {
            Capture::Unit(_) => format!("model {}", how.model.name()),
            Capture::Flipper(_) | Capture::Recording(_) => format!("dialect {}", how.flipper.dialect.name()),
            Capture::Calls(_) => "models of its programs".to_owned(),
        },
        times,
        ns,
        over: Over::new(&plays, &medians, &places),
        programs: programs.into_iter().map(|(_, program)| program).collect(),
    };
    if let Some(file) = out {
        let sources = numbers.iter().map(|&number| Source {
            shader: plays.programs[number].shader(),
            set: set(args.target, lanes[number]),
        });
        let mut all: Vec<Option<Seen>> = seen.into_iter().map(Some).collect();
        let seen = numbers.iter().map(|&number| all[number].take().unwrap_or_default()).collect();
        let sources: Vec<Source<'_>> = sources.collect();
        let page = page::page(&report, &sources, seen, || bar.inc(1))?;
        files::write(file, page.as_bytes())?;
    }
    bar.finish_and_clear();
    Ok(report)
}

/// The instruction set of a program's code, by the vertices that it takes at a time.
fn set(target: Option<InstructionSet>, lanes: Option<usize>) -> Option<InstructionSet> {
    let lanes = lanes?;
    let all = InstructionSet::here().filter(|set| set.machine().lanes == lanes);
    target.filter(|set| set.machine().lanes == lanes).or(all.last())
}

/// A line for each slot of each program: the stack, and nanoseconds of one play.
fn folded(report: &Report) -> String {
    // A semicolon divides a stack, and a line is one.
    let frame = |text: &str| text.replace([';', '\n'], ",");
    let capture = frame(&report.capture);
    let mut text = String::new();
    for program in &report.programs {
        let slots = program.slots.iter().map(|slot| (format!("{} {}", slot.place, slot.text), slot.ns));
        let known: f64 = program.slots.iter().map(|slot| slot.ns).sum();
        for (slot, ns) in slots.chain([("other".to_owned(), program.ns - known)]) {
            let ns = ns.round();
            if ns >= 1.0 {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{capture};{};{} {ns}", frame(&program.name), frame(slot.trim()));
            }
        }
    }
    text
}

fn write(report: &Report, args: &Prof, global: &Global) -> Result<(), Failure> {
    let mut out = files::stdout();
    let or_dash = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    match global.format {
        Format::Json => {
            serde_json::to_writer(&mut out, report).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text | Format::Csv => {
            let mut table = Table::new([
                "program",
                "tier",
                ">share",
                ">ns",
                ">batches",
                ">vertices",
                ">ns/vertex",
                ">clocks/vertex",
                ">guarded",
                ">bytes",
                ">compile us",
            ]);
            for program in &report.programs {
                table.row([
                    program.name.clone(),
                    program.tier.clone(),
                    format!("{:.1}%", 100.0 * program.share),
                    format!("{:.0}", program.ns),
                    format!("{:.0}", program.batches),
                    format!("{:.0}", program.vertices),
                    or_dash(program.ns_per_vertex()),
                    or_dash(program.chip_clocks),
                    format!("{:.0}", program.guarded),
                    program.code_bytes.to_string(),
                    format!("{:.0}", program.compile_us),
                ]);
            }
            if global.format == Format::Csv {
                table.write_csv(&mut out)?;
            } else {
                let time = table::duration(Duration::from_nanos(report.ns as u64));
                let (count, times) = (report.programs.len(), report.times);
                // The first words of it; what features the processor has is no matter here.
                let target: Vec<&str> =
                    report.target.split(' ').take_while(|word| !word.starts_with("has_")).collect();
                let s = if count == 1 { "" } else { "s" };
                let target = target.join(" ");
                writeln!(
                    out,
                    "{}: {count} program{s}, {time} a play (of {times}), {}, {target}\n",
                    report.capture, report.arithmetic
                )?;
                for sentence in finding::sentences(report) {
                    writeln!(out, "{sentence}")?;
                }
                writeln!(out)?;
                table.write(&mut out)?;
                for program in report.programs.iter().take(args.top) {
                    slots(program, &mut out)?;
                }
            }
        }
    }
    Ok(out.flush()?)
}

/// The slots of a program, or the parts of a configuration, with what they cost, and what its guards are about.
fn slots(program: &Cost, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}, divided by {}:\n", program.name, program.divided_by)?;
    let mut table = Table::new([">share", ">ns/vertex", ">clocks", "place", "instruction"]);
    for Slot { place, text, share, clocks, .. } in &program.slots {
        let of_vertex =
            program.ns_per_vertex().map_or_else(|| "-".to_owned(), |ns| format!("{:.2}", ns * share));
        let clocks = clocks.map_or_else(|| "-".to_owned(), |clocks| format!("{clocks:.2}"));
        table.row([format!("{:.1}%", 100.0 * share), of_vertex, clocks, place.clone(), text.clone()]);
    }
    table.write(out)?;
    for guard in &program.guards {
        writeln!(out, "left to the interpreter: {guard}")?;
    }
    Ok(())
}

/// The name of a tier, with why.
fn tier(tier: &Tier, lanes: usize) -> String {
    match tier {
        Tier::Native => format!("native, {lanes}"),
        tier => tier.name().to_owned(),
    }
}
