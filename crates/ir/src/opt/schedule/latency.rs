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
    /// For each value of the function whether it is uniform: the prologue will compute it, and it takes no register of the body.
    uniform: Vec<bool>,
    nodes: Vec<Node>,
    /// The predecessors of each instruction, one instruction after the other.
    before: Vec<Edge>,
    /// The successors of each instruction, likewise.
    after: Vec<Edge>,
    /// Instructions without unscheduled predecessors: those within reach, and those behind.
    ready: Ready,
    later: BinaryHeap<Reverse<u32>>,
    /// The place from which on is behind.
    end: u32,
    cycle: u32,
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
    /// Whether it is among those to choose from.
    is_listed: bool,
}

/// How many different numbers of values an instruction may free: from -1, if it makes one, to that of its operands.
const FREED: usize = 6;

/// The instructions to choose from, by how many live values scheduling them frees. Where that has changed since, what it was
/// before is found out when it comes to the top.
#[derive(Default)]
struct Ready {
    /// Those whose operands are available: the greatest height first, then the least place.
    now: [BinaryHeap<Reverse<Rank>>; FREED],
    /// Those whose operands are not, with the cycle from which they are, the least first.
    soon: [BinaryHeap<Reverse<(u32, Rank)>>; FREED],
}

/// The order of instructions that nothing else decides between: the greatest height first, then the least place. One number, since
/// comparisons dominate the run time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u64);

impl Rank {
    fn new(node: &Node, place: u32) -> Self {
        Rank(u64::from(!node.height) << 32 | u64::from(place))
    }

    fn place(self) -> u32 {
        self.0 as u32
    }
}

impl Ready {
    fn clear(&mut self) {
        self.now.iter_mut().for_each(BinaryHeap::clear);
        self.soon.iter_mut().for_each(BinaryHeap::clear);
    }

    fn add(&mut self, node: &Node, place: u32, cycle: u32) {
        let (freed, rank) = (node.freed_index(), Rank::new(node, place));
        if node.available <= cycle {
            self.now[freed].push(Reverse(rank));
        } else {
            self.soon[freed].push(Reverse((node.available, rank)));
        }
    }

    /// Removes what is there no more, or frees another number of values now, from the tops; moves what has become available.
    fn settle(&mut self, cycle: u32, nodes: &[Node]) {
        for freed in 0..FREED {
            let is_here = |place: u32| {
                let node = &nodes[place as usize];
                !node.scheduled && node.freed_index() == freed
            };
            let (now, soon) = (&mut self.now[freed], &mut self.soon[freed]);
            if now.is_empty() && soon.is_empty() {
                continue;
            }
            while let Some(&Reverse((available, rank))) = soon.peek()
                && (available <= cycle || !is_here(rank.place()))
            {
                soon.pop();
                if is_here(rank.place()) {
                    now.push(Reverse(rank));
                }
            }
            while now.peek().is_some_and(|top| !is_here(top.0.place())) {
                now.pop();
            }
        }
    }

    /// The instruction that comes first, after [`Ready::settle`]. In order of significance: cycles until its operands
    /// are available, beyond the processor's look-ahead; live values freed, if registers are short; cycles until its operands
    /// are available; height, the greatest first; place.
    fn first(&self, cycle: u32, slack: u32, tight: bool) -> Option<u32> {
        let now = |freed: usize| self.now[freed].peek().map(|top| top.0);
        let soon = |freed: usize| self.soon[freed].peek().map(|top| top.0);
        let first = if !tight {
            let soon = || Some((0..FREED).filter_map(soon).min()?.1);
            (0..FREED).filter_map(now).min().or_else(soon)
        } else {
            let in_sight = |freed: usize| {
                let seen = soon(freed).filter(|(available, _)| available - cycle <= slack);
                now(freed).or(seen.map(|(_, rank)| rank))
            };
            let beyond = || {
                let tops = (0..FREED).filter_map(|freed| Some((soon(freed)?, freed)));
                let least = tops.min_by_key(|&((available, rank), freed)| (available, Reverse(freed), rank));
                Some(least?.0.1)
            };
            (0..FREED).rev().find_map(in_sight).or_else(beyond)
        };
        first.map(Rank::place)
    }
}

impl Node {
    /// The number of values that it frees, counted from the least.
    fn freed_index(&self) -> usize {
        (self.freed + 1) as usize
    }
}

impl Latency {
    pub(super) fn new(func: &Func, timing: Timing) -> Self {
        Latency {
            timing,
            places: vec![NOWHERE; func.insts.len()],
            uniform: func.uniform(),
            nodes: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            ready: Ready::default(),
            later: BinaryHeap::new(),
            end: 0,
            cycle: 0,
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
        self.nodes.reserve(order.len());
        // About as many as instructions have operands.
        self.before.reserve(2 * order.len());
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
                freed: -i32::from(!inst.op.has_effect() && !self.uniform[value.index()]),
                scheduled: false,
                is_listed: false,
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
        if self.uniform[self.nodes[place].value.index()] {
            return;
        }
        let after = &self.after[self.after(place)];
        let last = after.iter().find(|edge| !self.nodes[edge.place as usize].scheduled);
        if let Some(&Edge { place, is_operand: true }) = last {
            let node = &mut self.nodes[place as usize];
            node.freed += 1;
            if node.is_listed {
                self.ready.add(node, place, self.cycle);
            }
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
        (self.cycle, self.end) = (0, 0);
        let (mut first, mut issued, mut alive) = (0, 0, 0i32);
        let pressure = i32::try_from(pressure).unwrap_or(i32::MAX);
        while result.len() < order.len() {
            while self.nodes[first].scheduled {
                first += 1;
            }
            let next = self.pick(first, alive >= pressure) as usize;
            let node = &mut self.nodes[next];
            node.scheduled = true;
            result.push(node.value);
            alive -= node.freed;

            let start = self.cycle.max(node.available);
            let there = start + node.latency;
            self.cycle = self.cycle.max(start.saturating_sub(slack));
            issued += 1;
            if issued == width {
                (self.cycle, issued) = (self.cycle + 1, 0);
            }
            self.finish(next, there);
        }
        for value in order {
            self.places[value.index()] = NOWHERE;
        }
        result
    }

    /// The ready instruction that comes first. `first` is the first unscheduled one, from which it reaches on.
    fn pick(&mut self, first: usize, tight: bool) -> u32 {
        let Timing { slack, reach, .. } = self.timing;
        self.end = first.saturating_add(reach) as u32;
        while let Some(&Reverse(place)) = self.later.peek().filter(|place| place.0 < self.end) {
            self.later.pop();
            self.list(place);
        }
        self.ready.settle(self.cycle, &self.nodes);
        let first = self.ready.first(self.cycle, slack, tight);
        first.expect("the first instruction that has not been scheduled is ready")
    }

    /// Adds an instruction to those to choose from.
    fn list(&mut self, place: u32) {
        let node = &mut self.nodes[place as usize];
        node.is_listed = true;
        self.ready.add(node, place, self.cycle);
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
            if node.missing > 0 {
                continue;
            }
            if reader < self.end {
                self.list(reader);
            } else {
                self.later.push(Reverse(reader));
            }
        }
    }
}
