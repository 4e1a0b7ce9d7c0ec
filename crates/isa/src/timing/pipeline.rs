//! When each instruction is where.

use super::path::Path;

/// A vertex unit as a pipeline. Its threads take turns; each has registers, an input buffer and a vertex of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pipeline {
    /// Names of the stages: registers are read in the first one and written in the last one. At least two.
    pub stages: Vec<String>,
    /// Vertices side by side, at least one.
    pub threads: usize,
    /// Clocks from the one in which a result is written to the first in which an instruction that has read it can be in the
    /// second stage. UNKNOWN; 0 is what the example of one thread has, 1 registers that are written before they are read in
    /// a clock, 2 those that are read before.
    pub delay: u64,
}

impl Default for Pipeline {
    /// Five stages that a description of the GeForce 3 assumes, and its five threads.
    fn default() -> Self {
        let stages = ["RR", "SN", "E1", "E2", "WB"].map(str::to_owned).to_vec();
        Pipeline { stages, threads: 5, delay: 0 }
    }
}

/// An instruction in the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Whose turn it is.
    pub thread: usize,
    /// The vertex, counted from the first one.
    pub vertex: usize,
    /// The step of its path.
    pub step: usize,
    /// The clock in which it is in the first stage at first.
    pub enters: u64,
    /// The clock in which it is in the second stage.
    pub leaves: u64,
}

impl Issue {
    /// Clocks for which it waits in the first stage.
    pub fn waits(&self) -> u64 {
        self.leaves - self.enters - 1
    }
}

/// What a thread is about.
#[derive(Clone, Debug)]
struct Thread {
    vertex: usize,
    step: usize,
    /// When each step so far is in the second stage.
    left: Vec<u64>,
    /// The first clock in which the next step is known.
    knows: u64,
}

impl Pipeline {
    /// Clocks from the second stage to the last one.
    fn depth(&self) -> u64 {
        (self.stages.len() as u64).saturating_sub(2)
    }

    /// Threads with which nothing can wait.
    pub fn most_useful_threads(&self) -> usize {
        (self.depth() + 1).max(self.depth() + self.delay) as usize
    }

    /// Runs vertices, each on its path (the paths in turns, over and over), and tells where each instruction is, in order. The
    /// result is the number of clocks for which the first stage is taken or waited for.
    ///
    /// A vertex is there as soon as a thread is free for it; that a pipeline waits for vertices is no part of this.
    pub fn run(&self, paths: &[Path], vertices: usize, mut each: impl FnMut(Issue)) -> u64 {
        let mut waiting = (0..vertices)
            .filter(|&vertex| !paths.is_empty() && !paths[vertex % paths.len()].steps.is_empty());
        let mut threads: Vec<Option<Thread>> = (0..self.threads.max(1)).map(|_| None).collect();
        for thread in &mut threads {
            *thread = waiting.next().map(Thread::new);
        }
        let count = threads.len();
        let (mut free, mut turn) = (0, 0);
        loop {
            // UNKNOWN: who is next if a thread does not know its instruction yet; here the first one that does.
            let mut next = None;
            for at in (turn..count).chain(0..turn) {
                let Some(thread) = &threads[at] else { continue };
                let clock = thread.knows.max(free);
                if next.is_none_or(|(earliest, _)| clock < earliest) {
                    next = Some((clock, at));
                }
                if clock == free {
                    break;
                }
            }
            let Some((enters, at)) = next else { return free };
            let Some(thread) = &mut threads[at] else { return free };
            let path = &paths[thread.vertex % paths.len()];
            let step = path.steps[thread.step];
            let result = step.needs.map_or(0, |needs| thread.left[needs] + self.depth() + self.delay);
            let leaves = result.max(enters + 1);
            each(Issue { thread: at, vertex: thread.vertex, step: thread.step, enters, leaves });
            thread.left.push(leaves);
            thread.step += 1;
            // UNKNOWN: when a branch is decided; here in its last stage.
            thread.knows = if step.is_branch { leaves + self.depth() } else { 0 };
            if thread.step == path.steps.len() {
                threads[at] = waiting.next().map(Thread::new);
            }
            (free, turn) = (leaves, (at + 1) % count);
        }
    }
}

impl Thread {
    fn new(vertex: usize) -> Thread {
        Thread { vertex, step: 0, left: Vec::new(), knows: 0 }
    }
}
