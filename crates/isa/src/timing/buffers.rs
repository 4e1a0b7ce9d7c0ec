//! Vertices on their way into a unit and out of it.

use super::path::Path;
use super::rules::Rules;

/// The buffers of a unit: when vertices are in them, by the number of the vertex.
///
/// A vertex takes one buffer of each kind, in turns (004: 294), from the copy of its attributes on until its last output has left
/// (000: 164-165, "one for each inflight vertex"). Attributes are copied one vertex after the other, out of the one VAB, which is
/// filled for the next vertex meanwhile or afterwards: how both overlap is UNKNOWN, here the filling begins once the copy has been made.
/// Outputs leave in the order of vertices, as VTX is told what to expect (000: 143-146).
#[derive(Clone, Debug)]
pub(super) struct Buffers {
    sets: usize,
    arrive: u64,
    copy: u64,
    leave: u64,
    /// The clock in which all attributes are there.
    copied: Vec<u64>,
    /// The clock behind the last stage of the last instruction; none while it runs.
    done: Vec<Option<u64>>,
    /// The clock in which all outputs have left, of the vertices of which it is known.
    left: Vec<u64>,
}

impl Buffers {
    pub(super) fn new(rules: &Rules, vertices: usize) -> Buffers {
        Buffers {
            sets: rules.sets,
            arrive: rules.arrive,
            copy: rules.copy,
            leave: rules.leave,
            copied: Vec::new(),
            done: vec![None; vertices],
            left: Vec::new(),
        }
    }

    /// The clock from which on a vertex can be worked on; none if that depends on vertices that have not been placed yet.
    pub(super) fn ready<'a>(&mut self, vertex: usize, path: impl Fn(usize) -> &'a Path) -> Option<u64> {
        while self.copied.len() <= vertex {
            let next = self.copied.len();
            // The buffers of this vertex were those of the one so many before it.
            let free = match next.checked_sub(self.sets) {
                Some(before) => *self.left.get(before)?,
                None => 0,
            };
            let attributes = u64::from(path(next).attributes);
            let arrived = self.copied.last().copied().unwrap_or(0) + self.arrive * attributes;
            self.copied.push(arrived.max(free) + self.copy * attributes);
        }
        Some(self.copied[vertex])
    }

    /// A vertex is done in a clock.
    pub(super) fn done<'a>(&mut self, vertex: usize, clock: u64, path: impl Fn(usize) -> &'a Path) {
        self.done[vertex] = Some(clock);
        while let Some(&Some(done)) = self.done.get(self.left.len()) {
            let before = self.left.last().copied().unwrap_or(0);
            let outputs = u64::from(path(self.left.len()).outputs);
            self.left.push(done.max(before) + self.leave * outputs);
        }
    }
}
