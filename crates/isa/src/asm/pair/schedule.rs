//! Puts the nodes of a draft into slots, one or two each, and gives names their registers on the way.
//!
//! A list scheduler: of the nodes that nothing holds up it takes the two that are worth most and fit into one word, else the one
//! that is worth most. A name gets its register with its first write, and the register is free again when all its nodes
//! stand. Nothing is spilled: an order that runs out of registers is given up, and `search` tries another.

use std::cell::RefCell;

use super::draft::{Draft, Name, Value};
use super::flow::Live;
use super::merge::{Clash, in_unit, merge, scalar_temporary};
use super::order::Order;
use crate::isa::op::Slot;
use crate::isa::{Bank, Generation, Insn, Mask, Reading, Unit};

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

/// Registers, and who is in them.
#[derive(Clone, Debug)]
struct Registers {
    /// Components that names without a register of their own hold.
    busy: Vec<Mask>,
    /// For each component, uses of it to come by a name that is fixed there.
    awaited: Vec<[usize; 4]>,
    /// Uses to come of each name.
    uses: Vec<usize>,
    of: Vec<Option<u8>>,
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
            registers: self.registers(),
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
        let used = scheduler.registers.of.iter().flatten().map(|register| register + 1);
        Some(Schedule {
            registers: used.max().unwrap_or(0),
            clocks: scheduler.clocks.last().map_or(0, |clock| clock + 1),
            lines: scheduler.lines,
        })
    }

    fn registers(&self) -> Registers {
        let values = &self.draft.values;
        let mut registers = Registers {
            busy: vec![Mask::NONE; self.limit],
            awaited: vec![[0; 4]; self.limit],
            uses: values.iter().map(|value| value.uses).collect(),
            of: values.iter().map(|value| value.fixed).collect(),
        };
        for value in values {
            if let Some(awaited) = value.fixed.and_then(|fixed| registers.awaited.get_mut(usize::from(fixed)))
            {
                value.mask.components().for_each(|c| awaited[c] += value.uses);
            }
        }
        registers
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
        let fit = !two_names && quick(self, insns[0], insns[1]).is_ok();
        self.fitting.borrow_mut()[number] = Some(fit);
        fit
    }

    fn value(&self, name: Name) -> &Value {
        &self.draft.values[name]
    }
}

impl Registers {
    /// Whether a name can have a register from here on.
    fn is_free(&self, problem: &Problem<'_>, register: usize, mask: Mask) -> bool {
        let kept = Mask(self.busy[register].0 | problem.live.temp(register as u8).0);
        mask.0 & kept.0 == 0 && mask.components().all(|c| self.awaited[register][c] == 0)
    }

    /// A use of a name is done.
    fn used(&mut self, problem: &Problem<'_>, name: Name) {
        let value = problem.value(name);
        self.uses[name] -= 1;
        match (value.fixed, self.of[name]) {
            (Some(fixed), _) => {
                let awaited = &mut self.awaited[usize::from(fixed)];
                value.mask.components().for_each(|c| awaited[c] -= 1);
            }
            (None, Some(register)) if self.uses[name] == 0 => {
                self.busy[usize::from(register)].0 &= !value.mask.0;
            }
            (None, _) => {}
        }
    }

    /// A register for a name that is written now: the one that it has, or the lowest free one; only `wanted` if there is no choice, and
    /// not `other`.
    fn place(
        &mut self,
        problem: &Problem<'_>,
        name: Name,
        (wanted, other): (Option<u8>, Option<u8>),
        reserves: bool,
    ) -> Option<u8> {
        let fits = |register: u8| wanted.is_none_or(|wanted| wanted == register) && other != Some(register);
        if let Some(register) = self.of[name] {
            return Some(register)
                .filter(|&register| usize::from(register) < problem.limit && fits(register));
        }
        let value = problem.value(name);
        let special = scalar_temporary(problem.generation, problem.reading).filter(|_| reserves);
        // Scalar results like to be where they can be paired, and others leave that place to them.
        let first = special.filter(|_| value.is_scalar);
        let last = special.filter(|_| !value.is_scalar);
        let others = (0..problem.limit as u8).filter(|&register| Some(register) != special);
        let free = |&register: &u8| fits(register) && self.is_free(problem, register.into(), value.mask);
        let register = first.into_iter().chain(others).chain(last).find(free)?;
        self.of[name] = Some(register);
        self.busy[usize::from(register)].0 |= value.mask.0;
        Some(register)
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

    fn alone(&self, node: usize) -> Option<Choice> {
        let insn = &self.problem.draft.nodes[node].insn;
        let (registers, insn) = self.placed(node, insn, None)?;
        // What can be paired later waits, if it can.
        let flexible = self.taste.pairs && in_unit(insn_of(self, node), Unit::Sca).is_some();
        let mut worth = self.worth[node] - if flexible { SCALAR } else { 0 };
        worth += self.freed(&registers);
        Some(Choice { insn, nodes: units(&insn, node), registers, worth })
    }

    fn freed(&self, after: &Registers) -> i64 {
        if !self.taste.spares {
            return 0;
        }
        let held = |registers: &Registers| -> i64 {
            registers.busy.iter().map(|mask| i64::from(mask.0.count_ones())).sum()
        };
        (held(&self.registers) - held(after)) * FREED
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
        let (registers, insn) = self.placed(vec, &ours, Some((sca, &theirs)))?;
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

    /// The instruction of one or two nodes with its registers, and who is in them then.
    fn placed(&self, node: usize, insn: &Insn, partner: Option<(usize, &Insn)>) -> Option<(Registers, Insn)> {
        let problem = self.problem;
        let nodes = &problem.draft.nodes;
        let mut registers = self.registers.clone();
        let mut insns = [*insn, partner.map_or(Insn::NOP, |(_, insn)| *insn)];
        let parts = [Some(node), partner.map(|(node, _)| node)];
        for (part, insn) in parts.iter().zip(&mut insns) {
            let Some(part) = *part else { continue };
            for slot in Slot::ALL {
                let from = source_of(&nodes[part].insn, insn, slot as usize);
                if let Some(name) = nodes[part].reads[from] {
                    insn.src[slot as usize].bank = Bank::Temp(self.registers.of[name]?);
                }
            }
        }
        // Reads come before writes: what is read for the last time makes room.
        for part in parts.iter().flatten() {
            let names = nodes[*part].reads.iter().flatten();
            names.for_each(|&name| registers.used(problem, name));
        }
        let mut taken = None;
        for (unit, at) in [(Unit::Sca, 1), (Unit::Vec, 0)] {
            let (part, at) = match partner {
                Some((other, _)) if at == 1 => (other, 1),
                Some(_) | None => (node, 0),
            };
            let written = name_of(&nodes[part].insn, &insns[at], &nodes[part].writes, unit);
            let Some(name) = written else { continue };
            let special = scalar_temporary(problem.generation, problem.reading);
            let wanted = if partner.is_some() && unit == Unit::Sca { special } else { None };
            let shared = nodes[part].insn.writes_one_temp();
            let other = taken.filter(|_| !shared);
            let register = registers.place(problem, name, (wanted, other), self.taste.reserves)?;
            taken = Some(register);
            match unit {
                Unit::Vec => insns[at].vec_dst.reg = register,
                Unit::Sca => insns[at].sca_dst.reg = register,
            }
        }
        for part in parts.iter().flatten() {
            nodes[*part].writes.iter().flatten().for_each(|&name| registers.used(problem, name));
        }
        let insn = match partner {
            None => insns[0],
            Some(_) => merge(problem.generation, problem.reading, &insns[0], &insns[1]).ok()?,
        };
        super::flow::fits(problem.generation, problem.reading, &insn).then_some((registers, insn))
    }

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

fn insn_of<'a>(scheduler: &'a Scheduler<'_>, node: usize) -> &'a Insn {
    &scheduler.problem.draft.nodes[node].insn
}

/// The units that a node keeps busy.
fn units(insn: &Insn, node: usize) -> [Option<usize>; 2] {
    let works = [insn.vec != crate::isa::VecOp::Nop, insn.sca != crate::isa::ScaOp::Nop];
    if works == [false; 2] { [Some(node), None] } else { works.map(|works| works.then_some(node)) }
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
fn quick(problem: &Problem<'_>, vec: &Insn, sca: &Insn) -> Result<Insn, Clash> {
    let mut ours = *vec;
    let mut theirs = *sca;
    // Registers are given later; here they must only not meet.
    (ours.vec_dst.reg, theirs.sca_dst.reg) = (2, 1);
    for insn in [&mut ours, &mut theirs] {
        for source in &mut insn.src {
            if matches!(source.bank, Bank::Temp(_)) && !is_special(problem, source.bank) {
                source.bank = Bank::Temp(0);
            }
        }
    }
    merge(problem.generation, problem.reading, &ours, &theirs)
}

fn is_special(problem: &Problem<'_>, bank: Bank) -> bool {
    let back = problem.reading.reads_position_back(problem.generation);
    matches!(bank, Bank::Temp(register) if crate::isa::uses::is_position(register, back))
}

/// The one that is worth more; of two alike the first.
fn better(a: Option<Choice>, b: Option<Choice>) -> Option<Choice> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.worth > a.worth { b } else { a }),
        (a, b) => a.or(b),
    }
}
