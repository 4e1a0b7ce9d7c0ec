//! Programs to IR: control flow. [`super::micro`] lowers the instructions.
//!
//! A program without divergence is one straight line, whatever calls and jumps it has. Others become blocks
//! ([`crate::ir::blocks`]), with a cell for each register component that lives across blocks. Lanes that exceed the
//! instruction limit, or so many that they are overtime, or end with a fault, raise a guard: the interpreter runs them
//! again and reports it.

use super::graph::{Graph, Step, Target};
use super::micro::{Lowering, Stack};
use super::registers::{Register, STACK};
use crate::config::{Config, Indirect};
use crate::ir::func::{Func, Value};
use crate::ir::origin::Origin;
use crate::isa::{Generation, Insn, Program};
use crate::shader::FREE_SLOTS;
use xfjit_runtime::fpenv::FpEnv;

/// Entries of a lane's stack that are not return slots: an address register, and no entry at all.
const ADDRESS: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX - 1;

/// Lowers a program. Outputs that `config` does not name live are not written.
///
/// The length is not limited. A program of 512 slots can become long, since indirect branches and returns may have as
/// many targets as there are slots.
pub fn lower(program: &Program, config: &Config) -> Func {
    lower_within(program, config, usize::MAX).expect("without a limit nothing is over it")
}

/// Lowers a program; `None` if its graph has more than `most` edges or the result more than `most` instructions.
pub fn lower_within(program: &Program, config: &Config, most: usize) -> Option<Func> {
    FpEnv::Default.within(|| lower_here(program, config, most))
}

fn lower_here(program: &Program, config: &Config, most: usize) -> Option<Func> {
    let graph = Graph::new(program, config, most)?;
    let blocks = Blocks::new(&graph);
    let longest = blocks.longest(&graph);
    let counted = config.generation != Generation::Kelvin
        && longest.is_none_or(|longest| longest > usize::from(config.timeout));
    let lowering = Lowering::new(program, config);
    let mut flow = Flow { lowering, program, config, graph: &graph, blocks: &blocks, most };
    match &blocks.chains[..] {
        [chain] if blocks.is_line(&graph) => flow.line(chain, counted)?,
        _ => flow.blocks(counted)?,
    }
    Some(flow.lowering.finish())
}

/// The basic blocks of the graph, as chains of nodes, in layout order.
struct Blocks {
    chains: Vec<Vec<usize>>,
    /// For each node the chain that begins with it.
    of_first: Vec<Option<usize>>,
}

impl Blocks {
    fn new(graph: &Graph) -> Self {
        let count = graph.nodes.len();
        let mut entries = vec![0; count];
        let mut heads = vec![false; count];
        if let Some(first) = heads.first_mut() {
            *first = true;
        }
        for node in 0..count {
            let successors = graph.successors(node);
            let straight = matches!(graph.nodes[node].step, Step::To(_));
            for successor in successors {
                entries[successor] += 1;
                heads[successor] |= !straight || entries[successor] > 1;
            }
        }
        let mut of_first = vec![None; count];
        let mut chains = Vec::new();
        for first in order(graph).into_iter().filter(|&node| heads[node]) {
            let mut chain = vec![first];
            let mut last = first;
            while let Step::To(Target::Node(next)) = graph.nodes[last].step
                && !heads[next]
            {
                chain.push(next);
                last = next;
            }
            of_first[first] = Some(chains.len());
            chains.push(chain);
        }
        Blocks { chains, of_first }
    }

    /// The greatest number of instructions that a run executes; `None` if there is a loop.
    fn longest(&self, graph: &Graph) -> Option<usize> {
        let mut longest = vec![0; self.chains.len()];
        for (number, chain) in self.chains.iter().enumerate() {
            longest[number] += chain.len();
            for successor in self.successors(graph, number) {
                if successor <= number {
                    return None;
                }
                longest[successor] = longest[successor].max(longest[number]);
            }
        }
        Some(longest.into_iter().max().unwrap_or(0))
    }

    fn successors(&self, graph: &Graph, number: usize) -> Vec<usize> {
        let last = self.chains[number].last().map_or(vec![], |&last| graph.successors(last));
        last.into_iter().filter_map(|node| self.of_first[node]).collect()
    }

    /// Whether there is one chain without divergence, and its stacks are known at compile time.
    fn is_line(&self, graph: &Graph) -> bool {
        let known = |node: &usize| {
            let node = &graph.nodes[*node];
            let by_lane = matches!(node.stack, Stack::PushAtDepth | Stack::PopAtDepth);
            !by_lane && matches!(node.step, Step::To(_))
        };
        matches!(&self.chains[..], [chain] if chain.iter().all(known))
    }
}

/// The nodes in reverse postorder. Of two successors the one with the higher slot comes later, as the exit of a loop
/// should.
fn order(graph: &Graph) -> Vec<usize> {
    let mut seen = vec![false; graph.nodes.len()];
    let mut order = Vec::new();
    let mut stack: Vec<(usize, bool)> = if graph.nodes.is_empty() { vec![] } else { vec![(0, false)] };
    while let Some((node, done)) = stack.pop() {
        if done {
            order.push(node);
        } else if !std::mem::replace(&mut seen[node], true) {
            stack.push((node, true));
            let mut successors = graph.successors(node);
            // The highest slot is pushed last, so it is visited first and comes last in the reversed order.
            successors.sort_by_key(|&next| graph.nodes[next].slot);
            stack.extend(successors.into_iter().map(|next| (next, false)));
        }
    }
    order.reverse();
    order
}

/// A program being lowered.
struct Flow<'a> {
    lowering: Lowering<'a>,
    program: &'a Program,
    config: &'a Config,
    graph: &'a Graph,
    blocks: &'a Blocks,
    /// The greatest number of instructions of the result.
    most: usize,
}

impl Flow<'_> {
    /// `None` if the result has more than `most` instructions.
    fn within(&self) -> Option<()> {
        (self.lowering.f.func().insts.len() <= self.most).then_some(())
    }

    fn insn(&self, node: usize) -> Insn {
        self.program.slot(self.graph.nodes[node].slot).copied().unwrap_or(Insn::NOP)
    }

    /// Lowers a chain without divergence to a straight line.
    fn line(&mut self, chain: &[usize], counted: bool) -> Option<()> {
        for &node in chain {
            let insn = self.insn(node);
            self.at(node);
            self.lowering.insn(&insn, self.graph.nodes[node].stack);
            self.within()?;
        }
        let faults = chain.last().is_some_and(|&last| self.graph.nodes[last].step == Step::To(Target::Fault));
        if faults || counted {
            let all = self.lowering.f.bits(u32::MAX);
            self.lowering.f.guard(all);
        }
        Some(())
    }

    /// The number of the last block, in which all lanes meet. Block 0 initialises the registers, block n + 1 is chain n.
    fn meeting(&self) -> u32 {
        self.blocks.chains.len() as u32 + 1
    }

    fn blocks(&mut self, counted: bool) -> Option<()> {
        self.lowering.any_order();
        self.lowering.registers.store_to_cells(&mut self.lowering.f);
        for number in 0..self.blocks.chains.len() {
            self.lowering.f.block(number as u32 + 1);
            self.chain(number, counted)?;
        }
        self.lowering.f.set_origin(Origin::NONE);
        self.lowering.f.block(self.meeting());
        self.lowering.f.meet();
        if counted {
            let over = self.over(0);
            self.lowering.f.guard(over);
        }
        Some(())
    }

    fn chain(&mut self, number: usize, counted: bool) -> Option<()> {
        let chain = &self.blocks.chains[number];
        let Some((&last, before)) = chain.split_last() else { return Some(()) };
        for &node in before {
            self.node(node);
            self.within()?;
        }
        self.at(last);
        // A branch reads its operands before its instruction writes (UNKNOWN, rankine_curie.md 8.2).
        let goes = self.step(&self.graph.nodes[last].step, last);
        self.node(last);
        let over = counted.then(|| self.over(chain.len()));
        self.lowering.registers.store_to_cells(&mut self.lowering.f);
        for (target, mask) in goes {
            self.go(number, target, mask);
        }
        let circles = self.blocks.successors(self.graph, number).iter().any(|&next| next <= number);
        if let Some(over) = over.filter(|_| circles) {
            self.lowering.f.guard(over);
            let meeting = self.meeting();
            self.lowering.f.goto(meeting, over);
        }
        self.within()
    }

    /// What comes next belongs to the slot of a node.
    fn at(&mut self, node: usize) {
        self.lowering.f.set_origin(Origin::slot(self.graph.nodes[node].slot));
    }

    fn node(&mut self, node: usize) {
        self.at(node);
        let insn = self.insn(node);
        let stack = self.graph.nodes[node].stack;
        self.lowering.insn(&insn, stack);
        match stack {
            Stack::PushAtDepth => {
                let all = self.lowering.f.bits(u32::MAX);
                self.enter(ADDRESS, all);
            }
            Stack::PopAtDepth => {
                let top = self.top();
                let f = &mut self.lowering.f;
                let (address, all) = (f.bits(ADDRESS), f.bits(u32::MAX));
                let is_address = f.ieq(top, address);
                let other = f.xor(is_address, all);
                f.guard(other);
                self.move_depth(-1, all);
            }
            Stack::Kept | Stack::Push(_) | Stack::Pop(_) => {}
        }
    }

    /// Adds `count` to the executed instructions; the mask of lanes over the limit.
    fn over(&mut self, count: usize) -> Value {
        let (counters, component) = Register::EXECUTED;
        let Lowering { f, registers, .. } = &mut self.lowering;
        let (before, count) = (registers.component(f, counters, component), f.bits(count as u32));
        let executed = f.iadd(before, count);
        registers.write(counters, component, executed);
        let limit = f.bits(self.config.timeout.min(FREE_SLOTS).into());
        f.igt(executed, limit)
    }

    /// The targets of a block's lanes and their masks. Of several the last one with the lane in its mask applies.
    fn step(&mut self, step: &Step, node: usize) -> Vec<(Target, Value)> {
        let all = self.lowering.f.bits(u32::MAX);
        match step {
            Step::To(target) => vec![(*target, all)],
            Step::Fork(condition, taken, otherwise) => {
                let passes = self.lowering.any_passes(*condition);
                vec![(*otherwise, all), (*taken, passes)]
            }
            Step::Indirect(condition, cases, otherwise) => {
                let passes = self.lowering.any_passes(*condition);
                let index = self.lowering.index(&self.insn(node));
                let index = self.clamped(index);
                let mut goes = vec![(*otherwise, all), (Target::End, passes)];
                for &(case, target) in cases {
                    let f = &mut self.lowering.f;
                    let case = f.bits(case as u32);
                    let here = f.ieq(index, case);
                    goes.push((target, f.and(here, passes)));
                }
                goes
            }
            Step::Call { condition, back, target } => {
                let goes = self.step(target, node);
                let passes = self.lowering.any_passes(*condition);
                self.enter((*back).into(), passes);
                goes
            }
            Step::Return { condition, sites, otherwise } => {
                let passes = self.lowering.any_passes(*condition);
                let back = self.top();
                let empty = self.lowering.test_depth(0);
                let mut goes = vec![(*otherwise, all), (Target::End, self.lowering.f.and(empty, passes))];
                let mut known = empty;
                for &(site, target) in sites {
                    let f = &mut self.lowering.f;
                    let site = f.bits(site.into());
                    let here = f.ieq(back, site);
                    known = f.or(known, here);
                    goes.push((target, f.and(here, passes)));
                }
                goes.push((Target::Fault, self.lowering.f.andnot(passes, known)));
                self.move_depth(-1, passes);
                goes
            }
        }
    }

    /// The index of an indirect branch, clamped to the branch table if there is one, see [`Indirect`].
    fn clamped(&mut self, index: Value) -> Value {
        match self.config.quirks.indirect {
            Indirect::Slot => index,
            Indirect::Table => {
                let f = &mut self.lowering.f;
                let (low, high) = (f.bits(0), f.bits(15));
                let index = f.imax(index, low);
                f.imin(index, high)
            }
        }
    }

    fn go(&mut self, number: usize, target: Target, mask: Value) {
        let next = number as u32 + 2;
        let block = match target {
            Target::Node(node) => self.blocks.of_first[node].map_or(self.meeting(), |chain| chain as u32 + 1),
            Target::End => self.meeting(),
            Target::Fault => {
                self.lowering.f.guard(mask);
                self.meeting()
            }
        };
        // A target of all lanes is named first. If it is the next block, it needs no `goto`.
        let everyone = self.lowering.f.literal(mask) == Some(u32::MAX);
        if block != next || !everyone {
            self.lowering.f.goto(block, mask);
        }
    }

    /// Pushes an entry on the stacks of the lanes in the mask; a full stack raises the guard.
    fn enter(&mut self, entry: u32, mask: Value) {
        let full = self.lowering.test_depth(STACK);
        let full = self.lowering.f.and(full, mask);
        self.lowering.f.guard(full);
        let entry = self.lowering.f.bits(entry);
        for depth in 0..STACK {
            let here = self.lowering.test_depth(depth);
            let Lowering { f, registers, .. } = &mut self.lowering;
            let (register, component) = Register::returns(depth);
            let here = f.and(here, mask);
            let old = registers.component(f, register, component);
            let new = f.select(here, entry, old);
            registers.write(register, component, new);
        }
        self.move_depth(1, mask);
    }

    /// The entry on top of each lane's stack; [`NOTHING`] if it is empty.
    fn top(&mut self) -> Value {
        let mut top = self.lowering.f.bits(NOTHING);
        for depth in 0..STACK {
            let here = self.lowering.test_depth(depth + 1);
            let Lowering { f, registers, .. } = &mut self.lowering;
            let (register, component) = Register::returns(depth);
            let entry = registers.component(f, register, component);
            top = f.select(here, entry, top);
        }
        top
    }

    fn move_depth(&mut self, by: i32, mask: Value) {
        let (counters, component) = Register::DEPTH;
        let Lowering { f, registers, .. } = &mut self.lowering;
        let (depth, by) = (registers.component(f, counters, component), f.bits(by as u32));
        let step = f.and(by, mask);
        let moved = f.iadd(depth, step);
        registers.write(counters, component, moved);
    }
}
