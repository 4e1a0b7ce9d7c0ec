//! What a report holds.

use super::cost::Cost;
use super::plays::Plays;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the JSON form.
pub(super) const SCHEMA: &str = "xfjit.prof.1";
/// Columns of plots, at most.
const BINS: u32 = 200;

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
    /// Those that cost most first.
    pub(super) programs: Vec<Cost>,
    pub(super) over: Over,
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
