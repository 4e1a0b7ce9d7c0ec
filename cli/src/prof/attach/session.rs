//! What has been read of a process, and what follows.

use super::super::cost::{Divided, Guard, Slot};
use super::super::report::{Moment, What};
use crate::fail::Failure;
use crate::names;
use crate::text::{Flaw, plain};
use std::time::{Duration, Instant};
use xfjit::attach::{Counts, Happening, LeftOut, Reader, RoutineKind, SeenProgram, SeenTier};
use xfjit::front::Microcode;
use xfjit::shader::Shader;

/// Batches that are kept for plots and traces.
const MOST_MOMENTS: usize = 400_000;

/// What the rows of the view are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Share,
    Vertices,
    NsPerVertex,
    Guarded,
    Name,
}

impl Sort {
    const ALL: [Sort; 5] = [Sort::Share, Sort::Vertices, Sort::NsPerVertex, Sort::Guarded, Sort::Name];

    /// The next one.
    pub(super) fn next(self) -> Sort {
        let at = Sort::ALL.iter().position(|&sort| sort == self).unwrap_or(0);
        Sort::ALL[(at + 1) % Sort::ALL.len()]
    }

    /// Its column.
    pub(super) fn name(self) -> &'static str {
        match self {
            Sort::Share => "share",
            Sort::Vertices => "vertices/s",
            Sort::NsPerVertex => "ns/vertex",
            Sort::Guarded => "guarded",
            Sort::Name => "program",
        }
    }
}

/// A program in the view.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// Its place among the programs of the process.
    pub(super) place: usize,
    pub(super) name: String,
    pub(super) share: f64,
    pub(super) vertices_per_second: f64,
    pub(super) ns_per_vertex: Option<f64>,
    /// The part of its vertices that has run again.
    pub(super) guarded: f64,
    /// Why, as far as it is known.
    pub(super) cause: String,
    pub(super) tier: String,
}

/// The vertices of all programs in a second.
pub(super) fn vertices_per_second(rows: &[Row]) -> f64 {
    // The sum of no numbers is -0.
    0.0 + rows.iter().map(|row| row.vertices_per_second).sum::<f64>()
}

/// A process that is attached to.
pub(super) struct Session {
    reader: Reader,
    pub(super) is_whole: bool,
    start: Instant,
    /// What programs had done before.
    before: Vec<Counts>,
    left_before: LeftOut,
    /// At the last measurement of speed, and the speeds.
    last: Vec<Counts>,
    speeds: Vec<f64>,
    pub(super) moments: Vec<Moment>,
    pub(super) records: u64,
    pub(super) unkept: u64,
    failure: Option<String>,
    ended: bool,
}

impl Session {
    /// Begins to watch a process: from now on, or with all that it has done before. Of one that has ended it is all.
    pub(super) fn new(mut reader: Reader, is_whole: bool) -> Result<Session, Failure> {
        let is_whole = is_whole || reader.is_over();
        let wrong = |reader: &Reader, error: xfjit::attach::AttachError| {
            Failure::input(crate::files::name(reader.path()), Flaw::new(error.to_string()))
        };
        if !is_whole {
            reader.skip().map_err(|error| wrong(&reader, error))?;
            // Counters of the same moment.
            reader.poll(|_| ()).map_err(|error| wrong(&reader, error))?;
        }
        let counts = counts(&reader);
        let before = if is_whole { Vec::new() } else { counts.clone() };
        let left_before = if is_whole { LeftOut::default() } else { reader.left_out() };
        Ok(Session {
            reader,
            is_whole,
            start: Instant::now(),
            before,
            left_before,
            last: counts,
            speeds: Vec::new(),
            moments: Vec::new(),
            records: 0,
            unkept: 0,
            failure: None,
            ended: false,
        })
    }

    /// The process, for people.
    pub(super) fn title(&self) -> String {
        let header = self.reader.header();
        let name = if header.executable.is_empty() { "a process" } else { &header.executable };
        plain(&format!("{name} ({})", header.process))
    }

    pub(super) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// How long it has been watched.
    pub(super) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    pub(super) fn lost(&self) -> u64 {
        self.reader.lost()
    }

    /// Programs for which the file has no room, and their vertices.
    pub(super) fn left_out(&self) -> (u64, u64) {
        let left = self.reader.left_out();
        (left.programs, left.vertices.saturating_sub(self.left_before.vertices))
    }

    /// Why the file could not be read to the end.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether the process has ended, or its file cannot be read any more.
    pub(super) fn is_over(&self) -> bool {
        self.ended
    }

    /// Reads what is new.
    pub(super) fn update(&mut self) {
        if self.ended {
            return;
        }
        // What is written before the end is read after it.
        let is_last = self.reader.is_over();
        let Session { reader, moments, records, unkept, .. } = self;
        // A record that is never written delays the last ones.
        for _ in 0..if is_last { 4 } else { 1 } {
            let read = reader.poll(|record| {
                *records += 1;
                let mut at = record.at;
                let (what, time) = match record.what {
                    Happening::Run(run) => {
                        let what = What::Batch {
                            vertices: run.vertices,
                            guarded: run.guarded_vertices.into(),
                            worker: run.worker,
                            is_first: run.is_first,
                        };
                        (what, run.time.unwrap_or_default())
                    }
                    Happening::Compiled { routine, time, .. } => {
                        let routine = match routine {
                            RoutineKind::Slow => "slow path",
                            RoutineKind::Literals => "constants as literals",
                            _ => "native code",
                        };
                        // Its end is known.
                        at = at.saturating_sub(time);
                        (What::Compiled { routine }, time)
                    }
                    Happening::Refused => (What::Refused, Duration::ZERO),
                    Happening::Retired => (What::Retired, Duration::ZERO),
                    _ => return,
                };
                let Some(program) = record.program else { return };
                if moments.len() == MOST_MOMENTS {
                    *unkept += 1;
                    return;
                }
                moments.push(Moment { program, at: whole_ns(at), ns: whole_ns(time), what });
            });
            if let Err(error) = read {
                self.failure = Some(error.to_string());
                self.ended = true;
                return;
            }
        }
        self.ended = is_last;
    }

    /// Measures speeds over the time since the last measurement.
    pub(super) fn measure(&mut self, time: Duration) {
        let now = counts(&self.reader);
        let seconds = time.as_secs_f64().max(1e-3);
        let speed = |(place, now): (usize, &Counts)| {
            let last = self.last.get(place).copied().unwrap_or_default();
            now.since(&last).vertices as f64 / seconds
        };
        self.speeds = now.iter().enumerate().map(speed).collect();
        self.last = now;
    }

    /// What a program has done since it counts.
    pub(super) fn counts(&self, place: usize) -> Counts {
        let before = self.before.get(place).copied().unwrap_or_default();
        self.reader.programs().get(place).map(|program| program.counts.since(&before)).unwrap_or_default()
    }

    /// Counts from now on.
    pub(super) fn begin_anew(&mut self) {
        self.before = counts(&self.reader);
        self.left_before = self.reader.left_out();
        self.start = Instant::now();
        self.moments.clear();
        (self.records, self.unkept, self.is_whole) = (0, 0, false);
    }

    /// The programs that have run, sorted.
    pub(super) fn rows(&self, sort: Sort) -> Vec<Row> {
        let all: Vec<(usize, &SeenProgram, Counts)> = self
            .reader
            .programs()
            .iter()
            .enumerate()
            .map(|(place, program)| (place, program, self.counts(place)))
            .filter(|(.., counts)| counts.batches > 0)
            .collect();
        let ns: f64 = all.iter().map(|(.., counts)| time_of(counts)).sum();
        let mut rows: Vec<Row> = all
            .iter()
            .map(|&(place, program, counts)| Row {
                place,
                name: shown(program),
                share: if ns > 0.0 { time_of(&counts) / ns } else { 0.0 },
                vertices_per_second: self.speeds.get(place).copied().unwrap_or(0.0),
                ns_per_vertex: (counts.vertices > 0).then(|| time_of(&counts) / counts.vertices as f64),
                guarded: counts.guarded_vertices as f64 / counts.vertices.max(1) as f64,
                cause: if counts.guarded_vertices > 0 { cause(program) } else { String::new() },
                tier: tier(program),
            })
            .collect();
        match sort {
            Sort::Share => rows.sort_by(|a, b| b.share.total_cmp(&a.share)),
            Sort::Vertices => rows.sort_by(|a, b| b.vertices_per_second.total_cmp(&a.vertices_per_second)),
            Sort::NsPerVertex => {
                rows.sort_by(|a, b| b.ns_per_vertex.unwrap_or(0.0).total_cmp(&a.ns_per_vertex.unwrap_or(0.0)))
            }
            Sort::Guarded => rows.sort_by(|a, b| b.guarded.total_cmp(&a.guarded)),
            Sort::Name => rows.sort_by(|a, b| a.name.cmp(&b.name)),
        }
        rows
    }

    /// What a program is made of, if the file says so.
    pub(super) fn shader(&mut self, place: usize) -> Option<Shader> {
        self.reader.shader(place)
    }

    /// The slots of a program, those that take most first, and what its guards are about.
    pub(super) fn slots(&mut self, place: usize) -> Option<(Vec<Slot>, Vec<Guard>)> {
        let shader = self.shader(place)?;
        let counts = self.counts(place);
        let program = self.reader.programs().get(place)?;
        let times = (time_of(&counts), fallback_of(&counts));
        let divided = Divided::new(&shader, program.lanes, times, None);
        Some((divided.slots, guards(program, Some(&shader))))
    }
}

/// What each program has done by now.
fn counts(reader: &Reader) -> Vec<Counts> {
    reader.programs().iter().map(|program| program.counts).collect()
}

/// Whole nanoseconds; what does not fit is more than five hundred years.
fn whole_ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What is said of those that were timed, for all.
fn of_all(ns: u64, counts: &Counts) -> f64 {
    let Counts { vertices, timed_vertices, .. } = *counts;
    if timed_vertices > 0 && timed_vertices < vertices {
        ns as f64 * vertices as f64 / timed_vertices as f64
    } else {
        ns as f64
    }
}

/// The nanoseconds of a program.
pub(super) fn time_of(counts: &Counts) -> f64 {
    of_all(counts.ns, counts)
}

/// Of these, what running vertices again took.
pub(super) fn fallback_of(counts: &Counts) -> f64 {
    of_all(counts.fallback_ns, counts).min(time_of(counts))
}

/// A program as it is told of.
pub(super) fn shown(program: &SeenProgram) -> String {
    plain(&names::shown(&program.name, program.label.as_deref()))
}

/// What runs a program.
pub(super) fn tier(program: &SeenProgram) -> String {
    match program.tier {
        SeenTier::Native => format!("native, {}", program.lanes),
        SeenTier::Refused => "refused".to_owned(),
        SeenTier::Retired => "retired".to_owned(),
        _ => "waiting".to_owned(),
    }
}

/// The guards of a program, those that most vertices raise first.
pub(super) fn guards(program: &SeenProgram, shader: Option<&Shader>) -> Vec<Guard> {
    let generation =
        shader.and_then(|shader| shader.made_of::<Microcode>()).map(|made| made.config.generation);
    let guard = |cause: &xfjit::attach::Cause| {
        let vertex = usize::try_from(cause.example).unwrap_or(usize::MAX);
        // A register that no program has is somebody's invention.
        let operand = cause.operand.filter(|operand| operand.is_constant || operand.row < 16);
        Guard::of(
            (&plain(&cause.place), &plain(&cause.operation), cause.why),
            (cause.vertices, program.looked.1),
            (vertex, operand),
            generation,
        )
    };
    program.causes.iter().map(guard).collect()
}

/// The first cause of guards, in short.
fn cause(program: &SeenProgram) -> String {
    let Some(cause) = program.causes.first() else { return String::new() };
    let place = plain(&cause.place);
    match cause.operand {
        Some(operand) => format!("{} in {operand} ({place})", operand.kind()),
        None => format!("{} ({place})", cause.why.name()),
    }
}
