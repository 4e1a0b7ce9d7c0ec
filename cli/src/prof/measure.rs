//! Captures that are played and timed.

use super::cost::{Cost, Done};
use super::look::{self, Seen};
use super::page::{self, Source};
use super::plays::{Plays, Time};
use super::report::{self, Over, Report, SCHEMA, draws, kept};
use super::{Sampling, finding, sampling};
use crate::args::{Global, Prof};
use crate::capture::{Capture, Event, How};
use crate::fail::{Failure, note};
use crate::flipper_choices::FlipperChoices;
use crate::names::Names;
use crate::{backends, files, perf, progress};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xfjit::engine::{ProgramProfile, ProgramStats, Tier, default_backend};
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

/// Constants are literals after so many runs, if that is measured: those of the first plays.
const FOLD_AFTER: u64 = 16;

/// A capture whose programs have been compiled.
pub(super) struct Playing<'a> {
    name: &'a str,
    capture: Capture<'a>,
    engine: Arc<Engine>,
    how: How,
    target: String,
    plays: Plays,
    /// What the programs had left before the first play that counts.
    left: Vec<[u64; 3]>,
}

/// What native code of a program has left so far: groups, vertices, and what the slow path has run of them.
fn left(stats: &ProgramStats) -> [u64; 3] {
    [stats.deopt_groups, stats.deopt_vertices, stats.slow_vertices]
}

impl<'a> Playing<'a> {
    /// Plays a capture for the first time, which compiles its programs.
    pub(super) fn new(name: &'a str, bytes: &'a [u8], args: &Prof, global: &Global) -> Result<Self, Failure> {
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
            // What counts is how it runs in the long run, so it is there after the first play.
            options.slow_path_after = 1;
            options.fold_after = if args.literals { FOLD_AFTER } else { u64::MAX };
            options.cache_bytes = CACHE_BYTES;
        });
        let target = options.backend.target();
        let engine = Arc::new(Engine::new(args.limits.options(options)));
        let how = How {
            model: args.model.unwrap_or(Model::Hw),
            flipper: FlipperChoices::new(args.dialect, &args.quirks)?,
            limits: args.limits,
        };
        capture.play(&engine, how, &mut |_| {})?;
        let plays = Plays::new(engine.programs());
        let left = plays.programs.iter().map(|program| left(&program.stats())).collect();
        Ok(Playing { name, capture, engine, how, target, plays, left })
    }

    fn play(&mut self) -> Result<(), Failure> {
        let plays = &mut self.plays;
        self.capture.play(&self.engine, self.how, &mut |event| {
            if let Event::End = event {
                plays.end_draw();
            }
        })?;
        plays.end_play();
        Ok(())
    }

    /// What the plays come to; the page is written if it is wanted.
    pub(super) fn report(
        self,
        args: &Prof,
        global: &Global,
        names: &Names,
        out: Option<&Path>,
    ) -> Result<Report, Failure> {
        let Playing { name, capture, engine, how, target, mut plays, left: before } = self;
        let times = plays.count() as u32;
        let profiles: Vec<ProgramProfile> = plays.programs.iter().map(|program| program.profile()).collect();
        let lanes: Vec<Option<usize>> =
            profiles.iter().map(|profile| (profile.tier == Tier::Native).then_some(profile.lanes)).collect();
        let sum = |times: &[Time]| times.iter().map(|time| time.ns).sum::<f64>();
        let sums: Vec<f64> = plays.times.iter().map(|times| sum(times)).collect();
        let mut ranks: Vec<usize> = (0..profiles.len()).collect();
        ranks.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
        let medians = plays.medians();
        let all_plays =
            kept((0..times as usize).map(|play| plays.times.iter().map(|times| times[play].ns).sum()));
        let bar = progress::counter("sampling", global.quiet);
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
                let (batches, vertices) = parts.fold((0, 0), |(batches, vertices), part| {
                    (batches + part.batches, vertices + part.vertices)
                });
                let code = plays.programs[number].routine();
                let of_play = |which: usize| {
                    (left(&profile.stats)[which] - before[number][which]) as f64 / f64::from(times.max(1))
                };
                Some(Done {
                    in_code: samples.as_ref().zip(code).map(|(samples, code)| samples.of(code)),
                    batches: batches as f64,
                    vertices: vertices as f64,
                    guarded: of_play(0),
                    guarded_vertices: of_play(1),
                    slow_vertices: of_play(2),
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
        let places: BTreeMap<usize, usize> =
            programs.iter().enumerate().map(|(place, &(number, _))| (number, place)).collect();
        let numbers: Vec<usize> = programs.iter().map(|&(number, _)| number).collect();
        let mut report = Report {
            schema: SCHEMA.to_owned(),
            capture: name.to_owned(),
            target,
            arithmetic: match &capture {
                Capture::Unit(_) => format!("model {}", how.model.name()),
                Capture::Flipper(_) | Capture::Recording(_) => {
                    format!("dialect {}", how.flipper.dialect.name())
                }
                Capture::Calls(_) => "models of its programs".to_owned(),
            },
            times,
            ns,
            attached: None,
            moments: Vec::new(),
            draws: draws(&plays, &medians, &places),
            over: Over::new(&plays, &medians, &places),
            plays: all_plays,
            programs: programs.into_iter().map(|(_, program)| program).collect(),
        };
        report::name(&mut [&mut report], names)?;
        if let Some(file) = out {
            let sources = numbers.iter().map(|&number| Source {
                shader: Some(plays.programs[number].shader()),
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
}

/// Plays captures, one after the other and again and again: what a machine does meanwhile befalls all of them.
pub(super) fn play(captures: &mut [Playing<'_>], args: &Prof, global: &Global) -> Result<(), Failure> {
    let most = args.times.unwrap_or(*TIMES.end());
    let bar = progress::bar(most.into(), "playing", global.quiet);
    let begin = Instant::now();
    let (a_while, enough) = (A_WHILE * captures.len() as u32, ENOUGH * captures.len() as u32);
    for times in 1..=most {
        for capture in &mut *captures {
            capture.play()?;
        }
        bar.inc(1);
        let (is_long, is_over) = (begin.elapsed() > a_while, begin.elapsed() > enough);
        if args.times.is_none() && (times >= *TIMES.start() && is_long || times >= FEW && is_over) {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// The instruction set of a program's code, by the vertices that it takes at a time.
pub(super) fn set(target: Option<InstructionSet>, lanes: Option<usize>) -> Option<InstructionSet> {
    let lanes = lanes?;
    let all = InstructionSet::here().filter(|set| set.machine().lanes == lanes);
    target.filter(|set| set.machine().lanes == lanes).or(all.last())
}
