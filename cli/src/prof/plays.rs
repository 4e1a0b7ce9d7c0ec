//! Plays of a capture, each draw timed: what its programs have run, and how long that took.

use std::sync::Arc;
use xfjit::engine::Program;

/// What a program has run in a draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) draw: u32,
    /// Its place among the programs.
    pub(super) program: usize,
    pub(super) batches: u64,
    pub(super) vertices: u64,
}

/// Plays of which the time of each draw is kept, each play as likely as any other: a machine may be busy for some of them.
const KEPT: usize = 32;

/// What a program has counted.
#[derive(Clone, Copy, Default, PartialEq)]
struct Count {
    batches: u64,
    vertices: u64,
    ns: u64,
    /// Of `ns`, what the interpreter took for vertices that native code had left to it.
    fallback: u64,
}

/// Nanoseconds of a program in one play.
#[derive(Clone, Copy, Default)]
pub(super) struct Time {
    pub(super) ns: f64,
    /// Of these, what the interpreter took for vertices that native code had left to it.
    pub(super) fallback: f64,
}

impl Count {
    fn of(program: &Program) -> Count {
        let mut count = Count::default();
        for tier in program.times() {
            count.batches += tier.batches;
            count.vertices += tier.vertices;
            count.ns += tier.timed.as_nanos() as u64;
            count.fallback += tier.timed_fallback.as_nanos() as u64;
        }
        count
    }
}

/// What has been seen of all plays. Each is the same: what the first one says of who ran what holds for the others.
pub(super) struct Plays {
    pub(super) programs: Vec<Arc<Program>>,
    last: Vec<Count>,
    pub(super) parts: Vec<Part>,
    /// Nanoseconds of each part in some plays, play by play.
    kept: Vec<Vec<f32>>,
    /// Those of the play that goes on.
    now: Vec<f32>,
    /// Where the next number comes from that decides whether a play is kept.
    random: u64,
    /// Draws of a play.
    pub(super) draws: u32,
    /// Of each program in each play.
    pub(super) times: Vec<Vec<Time>>,
    /// Of the play that goes on: draws, parts, and nanoseconds by program.
    draw: u32,
    at: usize,
    sums: Vec<Time>,
}

impl Plays {
    /// Of programs that have been compiled.
    pub(super) fn new(programs: Vec<Arc<Program>>) -> Plays {
        Plays {
            last: programs.iter().map(|program| Count::of(program)).collect(),
            parts: Vec::new(),
            kept: Vec::new(),
            now: Vec::new(),
            random: 0x9e37_79b9_7f4a_7c15,
            draws: 0,
            times: vec![Vec::new(); programs.len()],
            draw: 0,
            at: 0,
            sums: vec![Time::default(); programs.len()],
            programs,
        }
    }

    /// Plays so far.
    pub(super) fn count(&self) -> usize {
        self.times.first().map_or(0, Vec::len)
    }

    /// A draw has ended.
    pub(super) fn end_draw(&mut self) {
        if self.count() == 0 {
            for number in 0..self.programs.len() {
                let Some(Count { batches, vertices, ns, .. }) = self.since(number) else { continue };
                self.parts.push(Part { draw: self.draw, program: number, batches, vertices });
                self.now.push(ns as f32);
            }
        } else {
            while let Some(&Part { program, .. }) = self.part() {
                let ns = self.since(program).map_or(0, |since| since.ns);
                self.now.push(ns as f32);
                self.at += 1;
            }
        }
        self.draw += 1;
    }

    /// The next part, if it belongs to this draw.
    fn part(&self) -> Option<&Part> {
        self.parts.get(self.at).filter(|part| part.draw == self.draw)
    }

    /// What a program has run since the last time.
    fn since(&mut self, number: usize) -> Option<Count> {
        let now = Count::of(&self.programs[number]);
        let before = std::mem::replace(&mut self.last[number], now);
        let since = Count {
            batches: now.batches - before.batches,
            vertices: now.vertices - before.vertices,
            ns: now.ns - before.ns,
            fallback: now.fallback - before.fallback,
        };
        self.sums[number].ns += since.ns as f64;
        self.sums[number].fallback += since.fallback as f64;
        (now != before).then_some(since)
    }

    /// A play has ended. What has been run behind its last draw is one, too.
    pub(super) fn end_play(&mut self) {
        let parts = self.parts.len();
        let (is_first, has_more) = (self.count() == 0, self.part().is_some());
        if is_first || has_more {
            self.end_draw();
            self.draw -= u32::from(is_first && self.parts.len() == parts);
        }
        self.draws = self.draw;
        self.keep();
        for (times, sum) in self.times.iter_mut().zip(&mut self.sums) {
            times.push(std::mem::take(sum));
        }
        (self.draw, self.at) = (0, 0);
    }

    /// Keeps the times of the play, unless others have the room.
    fn keep(&mut self) {
        if self.kept.len() < KEPT {
            return self.kept.push(std::mem::take(&mut self.now));
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let at = (self.random % (self.count() as u64 + 1)) as usize;
        if let Some(old) = self.kept.get_mut(at) {
            std::mem::swap(old, &mut self.now);
        }
        self.now.clear();
    }

    /// What each part took: the median of the plays, since the first time that something happens may take long.
    pub(super) fn medians(&self) -> Vec<f64> {
        let of = |at: usize| {
            let mut all: Vec<f32> = self.kept.iter().filter_map(|play| play.get(at).copied()).collect();
            all.sort_by(f32::total_cmp);
            all.get(all.len().saturating_sub(1) / 2).map_or(0.0, |&ns| f64::from(ns))
        };
        (0..self.parts.len()).map(of).collect()
    }

    /// For each program the draw that took longest.
    pub(super) fn dearest(&self, medians: &[f64]) -> Vec<Option<u32>> {
        let mut dearest: Vec<Option<(u32, f64)>> = vec![None; self.programs.len()];
        for (part, &ns) in self.parts.iter().zip(medians) {
            let slot = &mut dearest[part.program];
            if slot.is_none_or(|(_, most)| most < ns) {
                *slot = Some((part.draw, ns));
            }
        }
        dearest.into_iter().map(|part| part.map(|(draw, _)| draw)).collect()
    }

    /// The program that had most of the vertices of a draw.
    pub(super) fn most_in(&self, draw: u32) -> Option<usize> {
        let first = self.parts.partition_point(|part| part.draw < draw);
        let parts = self.parts[first..].iter().take_while(|part| part.draw == draw);
        parts.max_by_key(|part| part.vertices).map(|part| part.program)
    }
}
