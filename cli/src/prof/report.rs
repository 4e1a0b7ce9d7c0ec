//! What a report holds.

use super::cost::Cost;
use super::plays::{Part, Plays};
use crate::fail::Failure;
use crate::names::Names;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the JSON form.
pub(super) const SCHEMA: &str = "xfjit.prof.2";
/// Columns of plots, at most.
const BINS: u32 = 200;

/// Plays of which the times are kept, spread over all: so many say how sure a difference is.
const KEPT: usize = 100;

/// Times of plays, in their order, as many as are kept.
pub(super) fn kept(times: impl ExactSizeIterator<Item = f64>) -> Vec<f64> {
    let all = times.len();
    let is_kept =
        |&(number, _): &(usize, f64)| (number + 1) * KEPT.min(all) / all != number * KEPT.min(all) / all;
    times.enumerate().filter(is_kept).map(|(_, ns)| ns.round()).collect()
}

/// Everything that is told.
#[derive(Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) schema: String,
    pub(super) capture: String,
    pub(super) target: String,
    /// The model of arithmetic, or whose Flipper it is.
    #[serde(default)]
    pub(super) arithmetic: String,
    /// How often the capture was played and timed.
    pub(super) times: u32,
    /// What all programs took in one play, in nanoseconds.
    pub(super) ns: f64,
    /// What all programs took in some of the plays.
    pub(super) plays: Vec<f64>,
    /// Those that cost most first.
    pub(super) programs: Vec<Cost>,
    pub(super) over: Over,
    /// Whose programs these are, if no capture was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) attached: Option<Attached>,
    /// What happened there, in order, as far as it was kept.
    #[serde(skip)]
    pub(super) moments: Vec<Moment>,
    /// What each draw has run; a report that is read has none.
    #[serde(skip)]
    pub(super) draws: Vec<Draw>,
}

impl Report {
    /// What times are of: `a play`, or nothing to say.
    pub(super) fn a_play(&self) -> &'static str {
        if self.attached.is_some() { "" } else { " a play" }
    }
}

/// A process that was attached to.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Attached {
    pub(super) process: u32,
    pub(super) executable: String,
    pub(super) library: String,
    /// How long it was watched.
    pub(super) seconds: f64,
    /// Whether what was done before counts, too.
    pub(super) is_whole: bool,
    /// Whether the process has ended.
    pub(super) has_ended: bool,
    /// Records that were read, that were overwritten before, and that make no sense.
    pub(super) records: u64,
    pub(super) lost: u64,
    pub(super) damaged: u64,
    /// Programs for which its file has no room, and their vertices.
    pub(super) left_programs: u64,
    pub(super) left_vertices: u64,
    /// Batches that are in no trace, since there were so many.
    pub(super) unkept: u64,
}

/// Something that happened in a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// Its place in the report.
    pub(super) program: usize,
    /// When it began, in nanoseconds since the process has its file, and how long it took.
    pub(super) at: u64,
    pub(super) ns: u64,
    pub(super) what: What,
}

/// What it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    Batch { vertices: u64, guarded: u64, worker: u64, is_first: bool },
    Compiled { routine: &'static str },
    Refused,
    Retired,
}

/// Names programs as a file does; what it does not name keeps the label of its host.
pub(super) fn name(reports: &mut [&mut Report], names: &Names) -> Result<(), Failure> {
    let programs = reports.iter().flat_map(|report| &report.programs);
    let named = names.of(programs.map(|program| &*program.name))?;
    for program in reports.iter_mut().flat_map(|report| &mut report.programs) {
        if let Some(name) = named.get(&program.name) {
            program.label = Some(name.clone());
        }
    }
    Ok(())
}

/// What a program has run in one draw.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub(super) draw: u32,
    /// Its place in the report.
    pub(super) program: usize,
    pub(super) batches: u64,
    pub(super) vertices: u64,
    pub(super) ns: f64,
}

/// The draws of some plays. `places` says where the programs of the plays stand in the report.
pub(super) fn draws(plays: &Plays, medians: &[f64], places: &BTreeMap<usize, usize>) -> Vec<Draw> {
    let parts = plays.parts.iter().zip(medians);
    let draw = |(part, &ns): (&Part, &f64)| {
        let Part { draw, batches, vertices, .. } = *part;
        Some(Draw { draw, program: *places.get(&part.program)?, batches, vertices, ns })
    };
    parts.filter_map(draw).collect()
}

/// What happens over the capture. Draws that follow each other are taken together, so that there are not more columns than a screen
/// shows.
#[derive(Serialize, Deserialize)]
pub(super) struct Over {
    pub(super) draws: u32,
    /// Draws of a column.
    pub(super) each: u32,
    /// Column, program (its place in the report), calls, vertices, nanoseconds.
    pub(super) parts: Vec<(u32, usize, u64, u64, f64)>,
}

impl Over {
    /// `places` says where the programs of the plays stand in the report.
    pub(super) fn new(plays: &Plays, medians: &[f64], places: &BTreeMap<usize, usize>) -> Over {
        let each = plays.draws.div_ceil(BINS).max(1);
        let mut sums: BTreeMap<(u32, usize), (u64, u64, f64)> = BTreeMap::new();
        for (part, ns) in plays.parts.iter().zip(medians) {
            let Some(&place) = places.get(&part.program) else { continue };
            let sum = sums.entry((part.draw / each, place)).or_default();
            sum.0 += part.batches;
            sum.1 += part.vertices;
            sum.2 += ns;
        }
        // Tenths of a nanosecond are noise.
        let tenths = |ns: f64| (ns * 10.0).round() / 10.0;
        let parts = sums
            .into_iter()
            .map(|((column, place), (calls, vertices, ns))| (column, place, calls, vertices, tenths(ns)));
        Over { draws: plays.draws, each, parts: parts.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plays_that_are_kept_are_spread_over_all() {
        let of = |count: u32| kept((0..count as usize).map(|play| play as f64));
        assert!(of(0).is_empty());
        assert_eq!(of(3), [0.0, 1.0, 2.0]);
        let some = of(450);
        assert_eq!(some.len(), KEPT);
        assert!(some.is_sorted() && some.windows(2).all(|pair| pair[1] - pair[0] <= 5.0), "{some:?}");
    }
}
