//! What vertices cost in clocks.

use super::path::Path;
use super::pipeline::{Pipeline, Waits};
use std::collections::BTreeMap;

/// Rounds of all vertices at a time and paths before counting begins, and for which it goes on.
const ROUNDS: usize = 8;

/// Instructions that are enough to count: of long paths fewer rounds are run.
const ENOUGH: usize = 1 << 18;

/// Vertices at a time of which it is found out whether they save anything.
const MOST_VERTICES: usize = 16;

/// What a slot costs, summed over the vertices that were counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SlotCost {
    /// Instructions that were executed in it.
    pub runs: u64,
    /// Clocks in which nothing went on before them.
    pub waits: Waits,
}

impl SlotCost {
    /// Clocks that belong to it.
    pub fn clocks(&self) -> u64 {
        self.runs + self.waits.all()
    }
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
    /// The clocks of one vertex of the first path alone, from its first stage to the end of its last one.
    pub latency: u64,
    /// The least number of vertices at a time, registers and buffers for all of them, with which a vertex takes the fewest clocks.
    pub vertices_needed: usize,
    /// By slot.
    pub slots: BTreeMap<usize, SlotCost>,
}

impl Report {
    /// Of vertices on their paths, in turns.
    pub fn new(pipeline: &Pipeline, paths: &[Path]) -> Report {
        let mut report = count(pipeline, paths);
        let mut first = None;
        let end = pipeline.run(paths, 1, |issue| first = first.or(Some(issue.enters)));
        let behind = pipeline.stages.len() as u64 - 1;
        report.latency = first.map_or(0, |first| end - first + behind);
        let most = pipeline.most_useful_vertices().min(MOST_VERTICES);
        let clocks = |vertices: usize| {
            // There are few of them.
            let timing = pipeline.timing.clone().with_vertices(vertices as u16);
            (count(&Pipeline { timing, ..pipeline.clone() }, paths).clocks_per_vertex(), vertices)
        };
        let all = (1..=most).map(clocks);
        let best = all.reduce(|best, other| if other.0 < best.0 { other } else { best });
        report.vertices_needed = best.map_or(1, |(_, vertices)| vertices);
        report
    }

    /// Clocks of a vertex, and nothing else: what [`influence`](super::influence) asks for.
    pub fn clocks_of(pipeline: &Pipeline, paths: &[Path]) -> f64 {
        count(pipeline, paths).clocks_per_vertex()
    }

    /// Clocks of a vertex.
    pub fn clocks_per_vertex(&self) -> f64 {
        self.clocks as f64 / self.vertices.max(1.0)
    }

    /// Clocks of a vertex in which nothing is executed.
    pub fn waits_per_vertex(&self) -> f64 {
        self.clocks.saturating_sub(self.instructions) as f64 / self.vertices.max(1.0)
    }
}

/// The steady state, without what [`Report::new`] finds out beside.
fn count(pipeline: &Pipeline, paths: &[Path]) -> Report {
    let threads = pipeline.vertices_at_a_time();
    let steps: usize = paths.iter().map(|path| path.steps.len()).sum();
    let fewest = threads.next_multiple_of(paths.len().max(1));
    let first = fewest.max((threads * ROUNDS).min(ENOUGH / steps.max(1)) * paths.len());
    let mut report = Report {
        vertices: first as f64,
        clocks: 0,
        instructions: 0,
        units: [0; 2],
        latency: 0,
        vertices_needed: 0,
        slots: BTreeMap::new(),
    };
    // From the first instruction of a vertex of the second third to the first one of the last third: before, vertices begin
    // together, and behind, none come any more.
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
            slot.waits.results += issue.waits.results;
            slot.waits.units += issue.waits.units;
            slot.waits.branches += issue.waits.branches;
            slot.waits.vertices += issue.waits.vertices;
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
