//! The second order, a list schedule: of the instructions whose operands are ready, the one on the longest latency path
//! comes first, as long as there are registers.

use super::{CellReads, predecessors};
use crate::ir::func::{Func, Value};
use crate::machine::Timing;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The dependency graph of a block. Instructions are named by their place in the given order.
pub(super) struct Latency {
    timing: Timing,
    /// The place of each value of the function; [`NOWHERE`] for values of the prologue and of other blocks.
    places: Vec<u32>,
    nodes: Vec<Node>,
    /// The predecessors of each instruction, one instruction after the other.
    before: Vec<Edge>,
    /// The successors of each instruction, likewise.
    after: Vec<Edge>,
    /// Instructions without unscheduled predecessors: those within reach, and those behind.
    ready: Vec<Ready>,
    later: BinaryHeap<Reverse<u32>>,
}

const NOWHERE: u32 = u32::MAX;

/// One end of a dependency.
#[derive(Clone, Copy)]
struct Edge {
    place: u32,
    /// Whether the earlier instruction is an operand of the later one; otherwise it only has to come first.
    is_operand: bool,
}

#[derive(Clone, Copy)]
struct Node {
    value: Value,
    /// Cycles until the result is available.
    latency: u32,
    /// Cycles on the longest latency path from the start of this instruction.
    height: u32,
    /// Cycle in which the last operand is available.
    available: u32,
    /// Where its edges begin in `before` and in `after`.
    before: u32,
    after: u32,
    /// Predecessors that have not been scheduled.
    missing: u32,
    /// Successors that have not been scheduled.
    unread: u32,
    /// By how much scheduling it reduces the number of live values; negative if it adds one.
    freed: i32,
    scheduled: bool,
}

/// What the choice of an instruction depends on that is ready, but for the values that it frees: that is looked up while
/// registers are short.
#[derive(Clone, Copy)]
struct Ready {
    place: u32,
    /// Cycle in which the last operand is available.
    available: u32,
    /// Complement of the height.
    depth: u32,
}

impl Ready {
    /// The sort key; the instruction with the least key comes first. In order of significance: cycles until its operands
    /// are available, beyond the processor's look-ahead; live values freed, if registers are short; cycles until its operands
    /// are available; height, the greatest first; place. Two numbers, since comparisons dominate the run time.
    fn rank(&self, cycle: u32, slack: u32, freed: i32) -> (u64, u64) {
        let wait = self.available.saturating_sub(cycle);
        // Of two that wait longer than the look-ahead the first number tells already which waits longer.
        let first = u64::from(wait.saturating_sub(slack)) << 32 | ((0x80 - freed) as u64) << 24;
        (first | u64::from(wait.min(slack)), u64::from(self.depth) << 32 | u64::from(self.place))
    }
}

impl Latency {
    pub(super) fn new(func: &Func, timing: Timing) -> Self {
        Latency {
            timing,
            places: vec![NOWHERE; func.insts.len()],
            nodes: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            ready: Vec::new(),
            later: BinaryHeap::new(),
        }
    }

    fn before(&self, place: usize) -> Range<usize> {
        let end = self.nodes.get(place + 1).map_or(self.before.len(), |next| next.before as usize);
        self.nodes[place].before as usize..end
    }

    fn after(&self, place: usize) -> Range<usize> {
        let end = self.nodes.get(place + 1).map_or(self.after.len(), |next| next.after as usize);
        self.nodes[place].after as usize..end
    }

    fn prepare(&mut self, func: &Func, order: &[Value], cell_reads: &CellReads) {
        for (place, value) in order.iter().enumerate() {
            self.places[value.index()] = place as u32;
        }
        self.nodes.clear();
        self.before.clear();
        for &value in order {
            let inst = func.inst(value);
            let before = self.before.len();
            for (number, other) in predecessors(inst, cell_reads).enumerate() {
                let place = self.places[other.index()];
                let is_known = self.before[before..].iter().any(|edge| edge.place == place);
                if place != NOWHERE && !is_known {
                    self.before.push(Edge { place, is_operand: number < inst.operands().len() });
                }
            }
            let latency = self.timing.cycles(inst.op);
            self.nodes.push(Node {
                value,
                latency,
                height: latency,
                available: 0,
                before: before as u32,
                after: 0,
                missing: (self.before.len() - before) as u32,
                unread: 0,
                freed: -i32::from(!inst.op.has_effect()),
                scheduled: false,
            });
        }
        self.connect();
    }

    /// Computes successor edges from predecessor edges, then heights and freed values.
    fn connect(&mut self) {
        for edge in &self.before {
            self.nodes[edge.place as usize].unread += 1;
        }
        let mut start = 0;
        for node in &mut self.nodes {
            node.after = start;
            start += node.unread;
            node.unread = 0;
        }
        self.after.clear();
        self.after.resize(self.before.len(), Edge { place: 0, is_operand: false });
        for place in (0..self.nodes.len()).rev() {
            let height = self.nodes[place].height;
            for edge in self.before(place) {
                let Edge { place: other, is_operand } = self.before[edge];
                let other = &mut self.nodes[other as usize];
                self.after[(other.after + other.unread) as usize] = Edge { place: place as u32, is_operand };
                other.unread += 1;
                other.height = other.height.max(height + other.latency);
            }
        }
        for place in 0..self.nodes.len() {
            if self.nodes[place].unread == 1 {
                self.frees(place);
            }
        }
    }

    /// Called when one successor of an instruction is left: if it reads the result, the result dies there.
    fn frees(&mut self, place: usize) {
        let after = &self.after[self.after(place)];
        let last = after.iter().find(|edge| !self.nodes[edge.place as usize].scheduled);
        if let Some(&Edge { place, is_operand: true }) = last {
            self.nodes[place as usize].freed += 1;
        }
    }

    /// Schedules a block, given in the order of the cones.
    pub(super) fn order(&mut self, func: &Func, order: &[Value], cell_reads: &CellReads) -> Vec<Value> {
        let Timing { width, slack, pressure, .. } = self.timing;
        self.prepare(func, order, cell_reads);
        self.ready.clear();
        self.later.clear();
        let is_ready = |place: &u32| self.nodes[*place as usize].missing == 0;
        self.later.extend((0..order.len() as u32).filter(is_ready).map(Reverse));
        let mut result = Vec::with_capacity(order.len());
        let (mut first, mut cycle, mut issued, mut alive) = (0, 0, 0, 0i32);
        let pressure = i32::try_from(pressure).unwrap_or(i32::MAX);
        while result.len() < order.len() {
            while self.nodes[first].scheduled {
                first += 1;
            }
            let next = self.pick(first, cycle, alive >= pressure) as usize;
            let node = &mut self.nodes[next];
            node.scheduled = true;
            result.push(node.value);
            alive -= node.freed;

            let start = cycle.max(node.available);
            let there = start + node.latency;
            cycle = cycle.max(start.saturating_sub(slack));
            issued += 1;
            if issued == width {
                (cycle, issued) = (cycle + 1, 0);
            }
            self.finish(next, there);
        }
        for value in order {
            self.places[value.index()] = NOWHERE;
        }
        result
    }

    /// Removes the ready instruction with the least rank. `first` is the first unscheduled one, from which it reaches on.
    fn pick(&mut self, first: usize, cycle: u32, tight: bool) -> u32 {
        let Timing { slack, reach, .. } = self.timing;
        debug_assert!(slack < 1 << 24, "ranks have room for no longer look-ahead");
        let end = first.saturating_add(reach) as u32;
        while let Some(&Reverse(place)) = self.later.peek().filter(|place| place.0 < end) {
            self.later.pop();
            let Node { available, height, .. } = self.nodes[place as usize];
            self.ready.push(Ready { place, available, depth: !height });
        }
        let (mut best, mut at) = ((u64::MAX, u64::MAX), None);
        for (number, ready) in self.ready.iter().enumerate() {
            let freed = if tight { self.nodes[ready.place as usize].freed } else { 0 };
            let rank = ready.rank(cycle, slack, freed);
            if rank < best {
                (best, at) = (rank, Some(number));
            }
        }
        self.ready.swap_remove(at.expect("the first instruction that has not been scheduled is ready")).place
    }

    /// Updates the operands and the successors of an instruction whose result is available in cycle `there`.
    fn finish(&mut self, place: usize, there: u32) {
        for edge in self.before(place) {
            let other = self.before[edge].place as usize;
            self.nodes[other].unread -= 1;
            if self.nodes[other].unread == 1 {
                self.frees(other);
            }
        }
        for edge in self.after(place) {
            let reader = self.after[edge].place;
            let node = &mut self.nodes[reader as usize];
            node.available = node.available.max(there);
            node.missing -= 1;
            if node.missing == 0 {
                self.later.push(Reverse(reader));
            }
        }
    }
}
