//! Puts the nodes of a draft into slots, one or two each, and gives names their registers on the way.
//!
//! A list scheduler: of the nodes that nothing holds up it takes the two that are worth most and fit into one word, else the one
//! that is worth most. A name gets its register with its first write, and the register is free again when all its nodes
//! stand. Nothing is spilled: an order that runs out of registers is given up, and `search` tries another.

use std::cell::RefCell;

use super::draft::{Draft, Name, Value};
use super::flow::{Live, fits, of_units};
use super::merge::{in_unit, merge, scalar_temporary};
use super::order::Order;
use super::registers::Registers;
use crate::isa::kelvin::PAIRED_TEMP;
use crate::isa::uses::is_position;
use crate::isa::{Bank, Generation, Insn, Reading, Unit};

/// What a node is worth beside others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Taste {
    /// Take nodes in the order of the text.
    pub(super) in_order: bool,
    /// Put two nodes into a slot.
    pub(super) pairs: bool,
    /// Seed of a random part of the worth; 0 for none.
    pub(super) seed: u32,
    /// Prefer nodes that free registers.
    pub(super) spares: bool,
    /// Keep the register that paired scalar results go to for scalar results, as long as others are free.
    pub(super) reserves: bool,
}

/// A slot: its instruction, and the node of each unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) insn: Insn,
    pub(super) nodes: [Option<usize>; 2],
}

/// Slots for a draft.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pub(super) lines: Vec<Line>,
    /// Clocks that they take if nobody else is on the way.
    pub(super) clocks: u32,
    /// The highest register that is used, and one; 0 if there is none.
    pub(super) registers: u8,
}

/// What never changes while one draft is put into slots.
pub(super) struct Problem<'a> {
    pub(super) generation: Generation,
    pub(super) reading: Reading,
    pub(super) draft: &'a Draft,
    pub(super) order: &'a Order,
    pub(super) live: &'a Live,
    /// Registers that there are.
    pub(super) limit: usize,
    /// For each two nodes, whether they fit into a word as vector and scalar operation, once it has been asked.
    fitting: RefCell<Vec<Option<bool>>>,
}

/// Slots in the making.
struct Scheduler<'a> {
    problem: &'a Problem<'a>,
    taste: Taste,
    registers: Registers,
    /// What still comes before each node.
    waiting: Vec<usize>,
    /// The slot of each node, and the clock of each slot.
    slots: Vec<Option<usize>>,
    clocks: Vec<u32>,
    ready: Vec<usize>,
    worth: Vec<i64>,
    lines: Vec<Line>,
}

/// A choice for a slot.
#[derive(Clone, Debug)]
struct Choice {
    insn: Insn,
    nodes: [Option<usize>; 2],
    registers: Registers,
    worth: i64,
}

/// What a pair is worth beside its nodes: scalar operations that nothing but a pair hides first.
const SCALAR: i64 = 1 << 20;
const MOVED: i64 = 1 << 18;
const BOTH_MOVES: i64 = 1 << 16;
/// What a register that becomes free is worth.
const FREED: i64 = 1 << 12;

/// Nodes that are compared for a slot: the most of them that are worth most.
const WIDEST: usize = 48;

/// The next number of a sequence that looks random (xorshift).
fn next(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        (generation, reading): (Generation, Reading),
        draft: &'a Draft,
        order: &'a Order,
        live: &'a Live,
        limit: usize,
    ) -> Problem<'a> {
        let fitting = RefCell::new(vec![None; draft.nodes.len() * draft.nodes.len()]);
        Problem { generation, reading, draft, order, live, limit, fitting }
    }

    /// Slots for the draft; none if there are too few registers for this order.
    pub(super) fn solve(&self, taste: Taste) -> Option<Schedule> {
        let count = self.draft.nodes.len();
        let mut state = taste.seed;
        let worth = (0..count).map(|node| {
            if taste.in_order {
                return -(node as i64);
            }
            let noise = if taste.seed == 0 { 0 } else { i64::from(next(&mut state) % 160) };
            i64::from(self.order.path[node]) * 32 + noise - node as i64 / 8
        });
        let waiting: Vec<usize> = self.order.before.iter().map(Vec::len).collect();
        let mut scheduler = Scheduler {
            problem: self,
            taste,
            registers: Registers::new(&self.draft.values, self.limit),
            slots: vec![None; count],
            clocks: Vec::new(),
            ready: (0..count).filter(|&node| waiting[node] == 0).collect(),
            worth: worth.collect(),
            waiting,
            lines: Vec::new(),
        };
        while !scheduler.ready.is_empty() {
            let choice = scheduler.choose()?;
            scheduler.take(choice);
        }
        Some(Schedule {
            registers: scheduler.registers.count(),
            clocks: scheduler.clocks.last().map_or(0, |clock| clock + 1),
            lines: scheduler.lines,
        })
    }

    /// Whether two nodes may fit into a word, whatever registers they get.
    fn fit(&self, nodes: [usize; 2], insns: [&Insn; 2]) -> bool {
        let number = nodes[0] * self.draft.nodes.len() + nodes[1];
        if let Some(known) = self.fitting.borrow()[number] {
            return known;
        }
        let at = |i: usize| {
            let node = &self.draft.nodes[nodes[i]];
            node.reads[source_of(&node.insn, insns[i], 2)]
        };
        let two_names = matches!((at(0), at(1)), (Some(a), Some(b)) if a != b);
        let fit = !two_names && may_merge(self, *insns[0], *insns[1]);
        self.fitting.borrow_mut()[number] = Some(fit);
        fit
    }

    pub(super) fn value(&self, name: Name) -> &Value {
        &self.draft.values[name]
    }
}

impl Scheduler<'_> {
    /// What comes into the next slot.
    fn choose(&self) -> Option<Choice> {
        let mut nodes = self.ready.clone();
        nodes.sort_by_key(|&node| (-self.worth[node], node));
        nodes.truncate(WIDEST);
        if self.taste.in_order {
            let first = nodes[0];
            let pair = if self.taste.pairs { self.best_partner(first, &nodes) } else { None };
            return pair.or_else(|| self.alone(first));
        }
        let mut best: Option<Choice> = None;
        if self.taste.pairs {
            for &node in &nodes {
                best = better(best, self.best_partner(node, &nodes));
            }
        }
        if best.is_some() {
            return best;
        }
        nodes.iter().fold(None, |best, &node| better(best, self.alone(node)))
    }

    /// A node without another.
    fn alone(&self, node: usize) -> Option<Choice> {
        let alone = self.problem.draft.nodes[node].insn;
        let (registers, insn) = self.placed(&[(node, alone)])?;
        // What can be paired later waits, if it can.
        let waits = self.taste.pairs && in_unit(&alone, Unit::Sca).is_some();
        let worth = self.worth[node] - if waits { SCALAR } else { 0 } + self.freed(&registers);
        Some(Choice { insn, nodes: of_units(&insn, node), registers, worth })
    }

    /// What the registers are worth that a choice makes free, less those that it takes.
    fn freed(&self, after: &Registers) -> i64 {
        if !self.taste.spares {
            return 0;
        }
        (i64::from(self.registers.held()) - i64::from(after.held())) * FREED
    }

    /// The best slot for a node and another that is not held up by more than it.
    fn best_partner(&self, node: usize, ready: &[usize]) -> Option<Choice> {
        let order = self.problem.order;
        let beside = order.after[node].iter().copied().filter(|&later| {
            self.waiting[later] == 1
                && order.before[later].iter().any(|edge| edge.node == node && edge.beside)
        });
        let mut best: Option<Choice> = None;
        for partner in ready.iter().copied().filter(|&other| other > node).chain(beside) {
            for [vec, sca] in [[node, partner], [partner, node]] {
                let Some(choice) = self.together(vec, sca) else { continue };
                let first = best.as_ref().is_none_or(|best| {
                    let (ours, theirs) = (best.nodes, choice.nodes);
                    let later = |nodes: [Option<usize>; 2]| nodes.into_iter().flatten().max();
                    if self.taste.in_order { later(theirs) < later(ours) } else { best.worth < choice.worth }
                });
                if first {
                    best = Some(choice);
                }
            }
        }
        best
    }

    /// Two nodes in a slot.
    fn together(&self, vec: usize, sca: usize) -> Option<Choice> {
        let nodes = &self.problem.draft.nodes;
        let ours = in_unit(&nodes[vec].insn, Unit::Vec)?;
        let theirs = in_unit(&nodes[sca].insn, Unit::Sca)?;
        if !self.problem.fit([vec, sca], [&ours, &theirs]) {
            return None;
        }
        let (registers, insn) = self.placed(&[(vec, ours), (sca, theirs)])?;
        let moves =
            [in_unit(&nodes[vec].insn, Unit::Sca).is_some(), in_unit(&nodes[sca].insn, Unit::Vec).is_some()];
        let kind = match moves {
            [false, false] => SCALAR,
            [true, true] => BOTH_MOVES,
            [true, false] | [false, true] => MOVED,
        };
        let worth = self.worth[vec] + self.worth[sca] + kind + self.freed(&registers);
        Some(Choice { insn, nodes: [Some(vec), Some(sca)], registers, worth })
    }

    /// The instruction of one node, or of a vector operation's and a scalar operation's, with its registers, and who is in them then.
    fn placed(&self, parts: &[(usize, Insn)]) -> Option<(Registers, Insn)> {
        let problem = self.problem;
        let nodes = &problem.draft.nodes;
        let mut registers = self.registers.clone();
        let mut parts = parts.to_vec();
        for (node, insn) in &mut parts {
            for slot in 0..3 {
                if let Some(name) = nodes[*node].reads[source_of(&nodes[*node].insn, insn, slot)] {
                    insn.src[slot].bank = Bank::Temp(registers.of[name]?);
                }
            }
        }
        // Reads come before writes: what is read for the last time makes room.
        for (node, _) in &parts {
            nodes[*node].reads.iter().flatten().for_each(|&name| registers.used(problem, name));
        }
        let pair = parts.len() == 2;
        let special = scalar_temporary(problem.generation, problem.reading).filter(|_| pair);
        let mut taken = None;
        for (node, insn) in parts.iter_mut().rev() {
            for unit in [Unit::Sca, Unit::Vec] {
                let node = &nodes[*node];
                let Some(name) = name_of(&node.insn, insn, &node.writes, unit) else { continue };
                let wanted = special.filter(|_| unit == Unit::Sca);
                let other = taken.filter(|_| !node.insn.writes_one_temp());
                let register = registers.place(problem, name, (wanted, other), self.taste.reserves)?;
                taken = Some(register);
                match unit {
                    Unit::Vec => insn.vec_dst.reg = register,
                    Unit::Sca => insn.sca_dst.reg = register,
                }
            }
        }
        for (node, _) in &parts {
            nodes[*node].writes.iter().flatten().for_each(|&name| registers.used(problem, name));
        }
        let insn = match parts.as_slice() {
            [(_, vec), (_, sca)] => merge(problem.generation, problem.reading, vec, sca).ok()?,
            _ => parts[0].1,
        };
        fits(problem.generation, problem.reading, &insn).then_some((registers, insn))
    }

    /// Puts a choice into the next slot.
    fn take(&mut self, choice: Choice) {
        let Choice { insn, nodes, registers, .. } = choice;
        let slot = self.lines.len();
        self.registers = registers;
        let order = self.problem.order;
        let mut parts: Vec<usize> = nodes.into_iter().flatten().collect();
        parts.dedup();
        let mut clock = self.clocks.last().map_or(0, |clock| clock + 1);
        for &part in &parts {
            self.slots[part] = Some(slot);
            for edge in &order.before[part] {
                if let Some(earlier) = self.slots[edge.node].filter(|&earlier| earlier < slot) {
                    clock = clock.max(self.clocks[earlier] + edge.clocks);
                }
            }
        }
        self.clocks.push(clock);
        self.ready.retain(|node| !parts.contains(node));
        for &part in &parts {
            for &later in &order.after[part] {
                self.waiting[later] -= 1;
                if self.waiting[later] == 0 && self.slots[later].is_none() {
                    self.ready.push(later);
                }
            }
        }
        self.lines.push(Line { insn, nodes });
    }
}

/// Where a source of a node stood before its MOV changed units: A and C have changed places then.
fn source_of(before: &Insn, now: &Insn, source: usize) -> usize {
    if before.vec == now.vec { source } else { 2 - source }
}

/// What a unit writes, which was the other's if the node's MOV has changed units.
fn name_of(before: &Insn, now: &Insn, writes: &[Option<Name>; 2], unit: Unit) -> Option<Name> {
    let at = unit as usize;
    writes[if before.vec == now.vec { at } else { 1 - at }]
}

/// Whether two instructions may fit into a word, whatever their registers are.
fn may_merge(problem: &Problem<'_>, mut vec: Insn, mut sca: Insn) -> bool {
    let back = problem.reading.reads_position_back(problem.generation);
    // Registers are given later; here they must only not meet.
    (vec.vec_dst.reg, sca.sca_dst.reg) = (PAIRED_TEMP + 1, PAIRED_TEMP);
    for source in vec.src.iter_mut().chain(&mut sca.src) {
        if let Bank::Temp(register) = &mut source.bank
            && !is_position(*register, back)
        {
            *register = 0;
        }
    }
    merge(problem.generation, problem.reading, &vec, &sca).is_ok()
}

/// The one that is worth more; of two alike the first.
fn better(a: Option<Choice>, b: Option<Choice>) -> Option<Choice> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.worth > a.worth { b } else { a }),
        (a, b) => a.or(b),
    }
}
