//! The control flow graph of a program.
//!
//! A node is a slot together with the contents of the call stack, so calls and returns are plain edges and the stack is
//! known at compile time. So are boolean constants: BRB and CLB are not branches here. If this makes too many nodes, a
//! node is a slot only, and every lane keeps its own stack at run time.

use crate::config::{Config, EndOnBranch, Indirect};
use crate::isa::op::{Decider, Jump, Kind, To};
use crate::isa::{Branch, Condition, Insn, Program, Test};
use rustc_hash::FxHashMap;

use super::micro::Stack;
use super::registers::STACK;

/// Limits of a graph whose nodes contain the stack: nodes and edges.
const MAX_NODES: usize = 2048;
const MAX_EDGES: usize = 1 << 14;

/// Where control goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// A node.
    Node(usize),
    /// The program ends.
    End,
    /// The program ends with a fault (rankine_curie.md 2.5): a full or empty stack, or an entry of the wrong kind.
    Fault,
}

/// Where control goes after an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// All lanes.
    To(Target),
    /// The target of lanes in which the condition passes, and that of the others.
    Fork(Condition, Target, Target),
    /// The targets by index of lanes in which the condition passes, and the target of the others.
    Indirect(Condition, Vec<(i32, Target)>, Target),
    /// A call with a stack for each lane: `target`, and lanes in which the condition passes push the return slot `back`.
    Call { condition: Condition, back: u16, target: Box<Step> },
    /// A return with a stack for each lane: lanes in which the condition passes go to one of these return slots.
    Return { condition: Condition, sites: Vec<(u16, Target)>, otherwise: Target },
}

/// A node: an instruction, its effect on the stack, and its successors.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) slot: usize,
    pub(super) stack: Stack,
    pub(super) step: Step,
}

/// The graph. The program starts at the first node.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
}

/// An entry of the stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Entry {
    Return(u16),
    Address,
}

/// The construction of a graph.
struct Walk<'a> {
    program: &'a Program,
    config: &'a Config,
    numbers: FxHashMap<(usize, Vec<Entry>), usize>,
    /// The slot and stack of each node.
    places: Vec<(usize, Vec<Entry>)>,
    /// Whether each lane has its own stack at run time; then the stacks of nodes are empty.
    by_lane: bool,
    /// Edges found so far.
    edges: usize,
}

impl Graph {
    /// The graph of a program; `None` if it has more than `most` edges. An indirect branch may have one to every slot, a
    /// return one to every call.
    pub(super) fn new(program: &Program, config: &Config, most: usize) -> Option<Graph> {
        let walk = |by_lane| Walk {
            program,
            config,
            numbers: FxHashMap::default(),
            places: Vec::new(),
            by_lane,
            edges: 0,
        };
        let with_stacks = walk(false).run(MAX_NODES, most.min(MAX_EDGES));
        with_stacks.or_else(|| walk(true).run(usize::MAX, most))
    }

    /// The successors of a node.
    pub(super) fn successors(&self, node: usize) -> Vec<usize> {
        let mut targets = Vec::new();
        self.nodes[node].step.targets(&mut targets);
        let nodes = targets.into_iter().filter_map(|target| match target {
            Target::Node(node) => Some(node),
            Target::End | Target::Fault => None,
        });
        nodes.collect()
    }
}

impl Step {
    fn targets(&self, all: &mut Vec<Target>) {
        match self {
            Step::To(target) => all.push(*target),
            Step::Fork(_, taken, otherwise) => all.extend([*taken, *otherwise]),
            Step::Indirect(_, cases, otherwise) => {
                all.extend(cases.iter().map(|(_, target)| *target));
                all.push(*otherwise);
            }
            Step::Call { target, .. } => target.targets(all),
            Step::Return { sites, otherwise, .. } => {
                all.extend(sites.iter().map(|(_, target)| *target));
                all.push(*otherwise);
            }
        }
    }
}

impl Walk<'_> {
    /// The graph; `None` if it has more nodes or edges than the limits.
    fn run(mut self, most_nodes: usize, most_edges: usize) -> Option<Graph> {
        let mut nodes = Vec::new();
        self.target(self.program.start, Vec::new());
        while nodes.len() < self.places.len() {
            if self.places.len() > most_nodes || self.edges > most_edges {
                return None;
            }
            let (slot, stack) = self.places[nodes.len()].clone();
            let insn = self.program.slot(slot).copied().unwrap_or(Insn::NOP);
            nodes.push(self.node(slot, &insn, stack));
        }
        Some(Graph { nodes })
    }

    /// The node of a slot with a stack. An empty slot ends the program.
    fn target(&mut self, slot: usize, stack: Vec<Entry>) -> Target {
        self.edges += 1;
        if self.program.slot(slot).is_none() {
            return Target::End;
        }
        let next = self.places.len();
        let number = *self.numbers.entry((slot, stack.clone())).or_insert(next);
        if number == next {
            self.places.push((slot, stack));
        }
        Target::Node(number)
    }

    fn node(&mut self, slot: usize, insn: &Insn, stack: Vec<Entry>) -> Node {
        let otherwise = if insn.end { Target::End } else { self.target(slot + 1, stack.clone()) };
        let depth = stack.len() as u32;
        let (effect, step) = match insn.sca.kind() {
            Kind::Push if self.by_lane => (Stack::PushAtDepth, Step::To(otherwise)),
            Kind::Pop if self.by_lane => (Stack::PopAtDepth, Step::To(otherwise)),
            Kind::Push if depth == STACK => (Stack::Kept, Step::To(Target::Fault)),
            Kind::Push => {
                let pushed = [stack, vec![Entry::Address]].concat();
                let next = if insn.end { Target::End } else { self.target(slot + 1, pushed) };
                (Stack::Push(depth), Step::To(next))
            }
            Kind::Pop => match stack.split_last() {
                Some((Entry::Address, rest)) => {
                    let next = if insn.end { Target::End } else { self.target(slot + 1, rest.to_vec()) };
                    (Stack::Pop(depth - 1), Step::To(next))
                }
                Some((Entry::Return(_), _)) | None => (Stack::Kept, Step::To(Target::Fault)),
            },
            Kind::Jump(jump, decider) => {
                (Stack::Kept, self.branch((slot, insn), (jump, decider), stack, otherwise))
            }
            Kind::Nothing | Kind::Value | Kind::Texel | Kind::Address(_) => {
                (Stack::Kept, Step::To(otherwise))
            }
        };
        Node { slot, stack: effect, step }
    }

    fn branch(
        &mut self,
        (slot, insn): (usize, &Insn),
        (jump, decider): (Jump, Decider),
        stack: Vec<Entry>,
        otherwise: Target,
    ) -> Step {
        let ends = insn.end && self.config.quirks.end_on_branch == EndOnBranch::Ends;
        let condition = self.taken(decider, &insn.branch);
        if ends || condition.test == Test::Fl {
            return Step::To(otherwise);
        }
        let target = usize::from(insn.branch.target);
        match jump {
            Jump::Branch(To::Slot) => fork(condition, self.target(target, stack), otherwise),
            Jump::Branch(To::Register) => {
                let cases = self.cases(&stack);
                Step::Indirect(condition, cases, otherwise)
            }
            Jump::Return => self.ret(condition, stack, otherwise),
            Jump::Call(to) => self.call(slot, (insn, to), condition, stack, otherwise),
        }
    }

    /// The condition of a branch; that of a branch on a boolean constant is always or never.
    fn taken(&self, decider: Decider, branch: &Branch) -> Condition {
        if decider == Decider::Test {
            return branch.condition;
        }
        let bit = self.config.branch_bits >> branch.bit & 1 != 0;
        let test = if bit == branch.polarity { Test::Tr } else { Test::Fl };
        Condition { test, ..Condition::ALWAYS }
    }

    fn call(
        &mut self,
        slot: usize,
        (insn, to): (&Insn, To),
        condition: Condition,
        stack: Vec<Entry>,
        otherwise: Target,
    ) -> Step {
        if !self.by_lane && stack.len() as u32 == STACK {
            return fork(condition, Target::Fault, otherwise);
        }
        let back = slot as u16 + 1;
        let inside = if self.by_lane { stack } else { [stack, vec![Entry::Return(back)]].concat() };
        let step = match to {
            To::Register => Step::Indirect(condition, self.cases(&inside), otherwise),
            To::Slot => fork(condition, self.target(insn.branch.target.into(), inside.clone()), otherwise),
        };
        if !self.by_lane {
            return step;
        }
        // The return slot is reached by returns only, but needs a node.
        self.target(back.into(), inside);
        Step::Call { condition, back, target: Box::new(step) }
    }

    fn ret(&mut self, condition: Condition, stack: Vec<Entry>, otherwise: Target) -> Step {
        if self.by_lane {
            let calls = self.program.insns.iter().enumerate();
            let calls = calls.filter(|(_, insn)| matches!(insn.sca.jump(), Some(Jump::Call(_))));
            let backs: Vec<usize> = calls.map(|(i, _)| self.program.first + i + 1).collect();
            let sites = backs.into_iter().map(|back| (back as u16, self.target(back, Vec::new()))).collect();
            return Step::Return { condition, sites, otherwise };
        }
        let target = match stack.split_last() {
            None => Target::End,
            Some((Entry::Return(back), rest)) => self.target((*back).into(), rest.to_vec()),
            Some((Entry::Address, _)) => Target::Fault,
        };
        fork(condition, target, otherwise)
    }

    /// The targets of an indirect branch by index. Any other index ends the program.
    fn cases(&mut self, stack: &[Entry]) -> Vec<(i32, Target)> {
        match self.config.quirks.indirect {
            Indirect::Table => {
                let table = self.config.branch_table;
                let case =
                    |(index, slot): (usize, u16)| (index as i32, self.target(slot.into(), stack.to_vec()));
                table.into_iter().enumerate().map(case).collect()
            }
            Indirect::Slot => {
                let slots = self.program.first..self.program.first + self.program.insns.len();
                slots.map(|slot| (slot as i32, self.target(slot, stack.to_vec()))).collect()
            }
        }
    }
}

fn fork(condition: Condition, taken: Target, otherwise: Target) -> Step {
    if condition.test == Test::Tr { Step::To(taken) } else { Step::Fork(condition, taken, otherwise) }
}
