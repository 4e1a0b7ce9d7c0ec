//! Blocks of code: the order in which they are visited, and what is known where they begin.

use super::super::places::Place;
use super::super::steps::{Decoded, Fault, Flow, Insn};
use super::actions::{Action, Deed, Operand};
use super::state::{Registers, State};
use super::step::Check;
use std::collections::BTreeSet;
use std::ops::Range;

/// The blocks of a function: from a place that jumps lead to up to the next one.
pub(super) struct Paths<'a, I> {
    code: &'a Decoded<I>,
    deeds: &'a [Deed],
    /// The blocks that each block leads to.
    successors: Vec<Vec<usize>>,
    /// Blocks in an order in which each comes behind those that lead to it, but for jumps back.
    order: Vec<usize>,
    /// The place of each block in that order; none of a block that nothing leads to.
    ranks: Vec<Option<usize>>,
    /// Blocks that some block leads back to.
    loops: Vec<bool>,
    /// Blocks from which a way leads to one that leads back.
    goes_back: Vec<bool>,
}

/// What is known where blocks begin, while they are visited.
struct Visit {
    states: Vec<Option<State>>,
    /// Blocks that have to be visited, or again, by their ranks.
    waiting: BTreeSet<usize>,
    /// The block that is visited.
    current: usize,
    /// Whether it is known already what holds where blocks begin.
    is_last: bool,
    /// Whether less holds at the beginning of a block than was known when it was visited.
    is_void: bool,
}

/// Bytes of scratch memory or of the stack, and the last rank at which something is stored there.
type Stores = Vec<(Range<i32>, usize)>;

impl<'a, I: Insn> Paths<'a, I> {
    pub(super) fn new(code: &'a Decoded<I>, deeds: &'a [Deed]) -> Self {
        let blocks = code.heads.len();
        let mut paths = Paths {
            code,
            deeds,
            successors: Vec::new(),
            order: Vec::new(),
            ranks: vec![None; blocks],
            loops: vec![false; blocks],
            goes_back: vec![false; blocks],
        };
        paths.successors = (0..blocks).map(|block| paths.successors(block)).collect();
        paths.put_in_order();
        paths
    }

    /// The instructions of a block.
    fn steps(&self, block: usize) -> Range<usize> {
        let heads = &self.code.heads;
        heads[block].step..heads.get(block + 1).map_or(self.code.steps.len(), |next| next.step)
    }

    /// The blocks that a block leads to.
    fn successors(&self, block: usize) -> Vec<usize> {
        let mut successors = Vec::new();
        for step in &self.code.steps[self.steps(block)] {
            match step.flow {
                Flow::Next => {}
                Flow::Branch | Flow::Jump => {
                    successors.extend(self.block_at(step.insn.target()));
                    if step.flow == Flow::Jump {
                        return successors;
                    }
                }
                _ => return successors,
            }
        }
        successors.extend((block + 1 < self.code.heads.len()).then_some(block + 1));
        successors
    }

    fn block_at(&self, address: u64) -> Option<usize> {
        self.code.heads.binary_search_by_key(&address, |head| head.at).ok()
    }

    /// Reverse postorder.
    fn put_in_order(&mut self) {
        let mut is_known = vec![false; self.code.heads.len()];
        // Blocks on the way, and how many of those that they lead to are still to be looked at.
        let mut open = vec![(0, self.successors[0].len())];
        is_known[0] = true;
        while let Some((block, left)) = open.last_mut() {
            let Some(number) = left.checked_sub(1) else {
                self.order.push(*block);
                open.pop();
                continue;
            };
            *left = number;
            let next = self.successors[*block][number];
            if !std::mem::replace(&mut is_known[next], true) {
                open.push((next, self.successors[next].len()));
            }
        }
        self.order.reverse();
        for (rank, &block) in self.order.iter().enumerate() {
            self.ranks[block] = Some(rank);
        }
        for (rank, &block) in self.order.iter().enumerate().rev() {
            for &next in &self.successors[block] {
                let is_back = self.ranks[next].is_some_and(|next| next <= rank);
                self.loops[next] |= is_back;
                self.goes_back[block] |= is_back || self.goes_back[next];
            }
        }
    }

    /// Visits each block once, on a guess of what holds where loops begin; whether that was right and nothing was refused.
    pub(super) fn visit_once(&self, check: &mut Check<'_>) -> bool {
        let (written, stores) = self.written(check);
        let mut visit = self.begin(check);
        for (rank, &block) in self.order.iter().enumerate() {
            if self.loops[block]
                && let Some(state) = &mut visit.states[block]
            {
                state.forget(written[rank]);
                let [scratch, stack] = &stores;
                state.scratch.retain(|bytes| !is_stored(scratch, &bytes, rank));
                state.stack.retain(|bytes| !is_stored(stack, &bytes, rank));
            }
            // Only where a loop begins it is asked later whether less holds there.
            let state =
                if self.loops[block] { visit.states[block].clone() } else { visit.states[block].take() };
            if self.block(block, state, &mut visit, check).is_err() || visit.is_void {
                return false;
            }
        }
        true
    }

    /// Follows blocks until nothing changes, and then checks each of them.
    pub(super) fn follow(&self, check: &mut Check<'_>) -> Result<(), Fault> {
        check.restart(false);
        let mut visit = self.begin(check);
        while let Some(rank) = visit.waiting.pop_first() {
            let block = self.order[rank];
            self.block(block, visit.states[block].clone(), &mut visit, check)?;
        }
        check.restart(true);
        visit.is_last = true;
        for &block in &self.order {
            let state = visit.states[block].take();
            self.block(block, state, &mut visit, check)?;
        }
        Ok(())
    }

    fn begin(&self, check: &Check<'_>) -> Visit {
        let mut states: Vec<Option<State>> = self.code.heads.iter().map(|_| None).collect();
        states[0] = Some(check.entry());
        Visit { states, waiting: BTreeSet::from([0]), current: 0, is_last: false, is_void: false }
    }

    /// Follows the instructions of a block, which begins with a state unless nothing leads there.
    fn block(
        &self,
        block: usize,
        state: Option<State>,
        visit: &mut Visit,
        check: &mut Check<'_>,
    ) -> Result<(), Fault> {
        let Some(mut state) = state else { return Ok(()) };
        visit.current = block;
        for number in self.steps(block) {
            let step = &self.code.steps[number];
            match step.flow {
                Flow::Next => {
                    check.step(&self.deeds[number], &mut state).map_err(|why| Fault::of(&step.insn, &why))?
                }
                Flow::Branch | Flow::Jump => {
                    if let Some(target) = self.block_at(step.insn.target()) {
                        self.arrive(target, &state, visit);
                    }
                    if step.flow == Flow::Jump {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
        if block + 1 < self.code.heads.len() {
            self.arrive(block + 1, &state, visit);
        }
        Ok(())
    }

    /// Control comes to a block with what is known there.
    fn arrive(&self, block: usize, state: &State, visit: &mut Visit) {
        if visit.is_last {
            return;
        }
        let is_less = match &mut visit.states[block] {
            Some(known) => known.meet(state),
            none => {
                *none = Some(state.clone());
                true
            }
        };
        if is_less && let (Some(rank), Some(current)) = (self.ranks[block], self.ranks[visit.current]) {
            visit.is_void |= rank <= current;
            visit.waiting.insert(rank);
        }
    }

    /// The registers that blocks from each rank on write, and where something is stored.
    fn written(&self, check: &Check<'_>) -> (Vec<Registers>, [Stores; 2]) {
        let mut written = vec![Registers::default(); self.order.len() + 1];
        let mut stores: [Stores; 2] = [Vec::new(), Vec::new()];
        for (rank, &block) in self.order.iter().enumerate().rev() {
            let mut own = written[rank + 1];
            // What leaves the code is in no loop.
            if !self.goes_back[block] {
                written[rank] = own;
                continue;
            }
            for deed in &self.deeds[self.steps(block)] {
                let all = match &deed.action {
                    Action::None => continue,
                    Action::Move { to, .. } | Action::Literal { to, .. } => std::slice::from_ref(to),
                    Action::Compute { written, .. } => &written[..],
                };
                for operand in all {
                    match *operand {
                        Operand::None => {}
                        Operand::Vector { number, .. } => own.vectors |= 1 << number,
                        Operand::Mask(number) => own.masks |= 1 << number,
                        Operand::Integer(number) => own.integers |= 1 << number,
                        Operand::Memory => {
                            let stored = |at: i32| (at..at.saturating_add(deed.memory.bytes.into()), rank);
                            match deed.memory.place {
                                Place::Scratch(at) if !check.is_cell(at) => stores[0].push(stored(at)),
                                Place::Stack(at) => stores[1].push(stored(at)),
                                _ => {}
                            }
                        }
                    }
                }
            }
            written[rank] = own;
        }
        for stores in &mut stores {
            // Of each place the last rank, which stands first.
            stores.sort_by_key(|(bytes, rank)| (bytes.start, bytes.end, usize::MAX - rank));
            stores.dedup_by(|next, first| next.0 == first.0);
        }
        (written, stores)
    }
}

/// Whether something is stored to any of these bytes at a rank, or behind it.
fn is_stored(stores: &Stores, bytes: &Range<i32>, rank: usize) -> bool {
    /// Bytes of the longest store.
    const LONGEST: i32 = 64;
    let from = stores.partition_point(|(stored, _)| stored.start <= bytes.start - LONGEST);
    let near = stores[from..].iter().take_while(|(stored, _)| stored.start < bytes.end);
    let mut overlapping = near.filter(|(stored, _)| stored.end > bytes.start);
    overlapping.any(|&(_, last)| last >= rank)
}
