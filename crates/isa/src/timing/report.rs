//! What vertices cost in clocks.

use super::path::Path;
use super::pipeline::Pipeline;
use std::collections::BTreeMap;

/// Rounds of all threads and paths before counting begins, and for which it goes on.
const ROUNDS: usize = 8;

/// Instructions that are enough to count: of long paths fewer rounds are run.
const ENOUGH: usize = 1 << 18;

/// What a slot costs, summed over the vertices that were counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SlotCost {
    /// Instructions that were executed in it.
    pub runs: u64,
    /// Clocks that they have waited for results.
    pub waits: u64,
    /// Clocks in which nothing could be executed, since what comes behind an earlier branch was not known.
    pub unknown: u64,
}

/// What vertices cost once the pipeline is full.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Vertices that were counted: as many as the instructions that were make, of which the first and last ones are parts.
    pub vertices: f64,
    /// Clocks that they took.
    pub clocks: u64,
    /// Instructions that were executed.
    pub instructions: u64,
    /// Those in which the vector unit works, and the scalar unit.
    pub units: [u64; 2],
    /// Clocks of one vertex of the first path alone, from its first to behind its last stage.
    pub latency: u64,
    /// The least number of threads with which nothing waits.
    pub threads_needed: usize,
    /// By slot.
    pub slots: BTreeMap<usize, SlotCost>,
}

impl Report {
    /// Of vertices on their paths, in turns.
    pub fn new(pipeline: &Pipeline, paths: &[Path]) -> Report {
        let mut report = count(pipeline, paths);
        let alone = Pipeline { threads: 1, ..pipeline.clone() };
        let behind = pipeline.stages.len() as u64 - 1;
        report.latency = match alone.run(paths, 1, |_| {}) {
            0 => 0,
            clocks => clocks + behind,
        };
        let waits = |&threads: &usize| {
            let counted = count(&Pipeline { threads, ..pipeline.clone() }, paths);
            counted.clocks > counted.instructions
        };
        let most = pipeline.most_useful_threads();
        report.threads_needed = (1..most).find(|threads| !waits(threads)).unwrap_or(most);
        report
    }

    /// Clocks of a vertex.
    pub fn clocks_per_vertex(&self) -> f64 {
        self.clocks as f64 / self.vertices.max(1.0)
    }

    /// Clocks of a vertex in which nothing is executed.
    pub fn waits_per_vertex(&self) -> f64 {
        (self.clocks - self.instructions) as f64 / self.vertices.max(1.0)
    }
}

/// The steady state, without what [`Report::new`] finds out beside.
fn count(pipeline: &Pipeline, paths: &[Path]) -> Report {
    // With so many threads nothing waits, and what comes in addition changes nothing.
    let threads = pipeline.threads.clamp(1, pipeline.most_useful_threads());
    let pipeline = &Pipeline { threads, ..pipeline.clone() };
    let steps: usize = paths.iter().map(|path| path.steps.len()).sum();
    let fewest = threads.next_multiple_of(paths.len().max(1));
    let first = fewest.max((threads * ROUNDS).min(ENOUGH / steps.max(1)) * paths.len());
    let mut report = Report {
        vertices: first as f64,
        clocks: 0,
        instructions: 0,
        units: [0; 2],
        latency: 0,
        threads_needed: 0,
        slots: BTreeMap::new(),
    };
    // From the first instruction of a vertex of the second third to the first one of the last third: before, threads begin
    // together, and behind, they run out of vertices.
    let (mut begin, mut end, mut free) = (None, None, 0);
    pipeline.run(paths, 3 * first, |issue| {
        if issue.vertex >= first && begin.is_none() {
            begin = Some(free);
        }
        if issue.vertex >= 2 * first && end.is_none() {
            end = Some(free);
        }
        if begin.is_some() && end.is_none() {
            let step = paths[issue.vertex % paths.len()].steps[issue.step];
            let slot = report.slots.entry(step.slot).or_default();
            slot.runs += 1;
            slot.waits += issue.waits();
            slot.unknown += issue.enters - free;
            report.instructions += 1;
            for (count, works) in report.units.iter_mut().zip(step.units) {
                *count += u64::from(works);
            }
        }
        free = issue.leaves;
    });
    if let (Some(begin), Some(end)) = (begin, end) {
        report.clocks = end - begin;
    }
    // Vertices of the first third may still be on their way at first; as many instructions as are counted make so many vertices.
    if steps > 0 {
        report.vertices = report.instructions as f64 * paths.len() as f64 / steps as f64;
    }
    report
}
