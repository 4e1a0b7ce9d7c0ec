//! Follows what places hold along all ways through a function, until nothing changes.

use super::decode::{Flow, Step};
use super::operations::Operations;
use super::state::State;
use std::collections::{BTreeMap, BTreeSet};

/// When an instruction is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    Before,
    Behind,
}

/// What is known where ways join or part: the state at each such place of the code.
pub(super) struct Followed<'a> {
    pub(super) steps: &'a BTreeMap<u32, Step>,
    heads: BTreeSet<u32>,
    states: BTreeMap<u32, State>,
}

/// Follows code from its entry, where a state is given.
pub(super) fn follow<'a>(
    steps: &'a BTreeMap<u32, Step>,
    entry: State,
    operations: &Operations<'_>,
) -> Followed<'a> {
    let mut heads = BTreeSet::from([0]);
    for step in steps.values() {
        match step.flow {
            Flow::Jump(target) => heads.extend([target]),
            Flow::Branch(target) => heads.extend([target, step.next]),
            Flow::Next | Flow::End => {}
        }
    }
    let mut followed = Followed { steps, heads, states: BTreeMap::from([(0, entry)]) };
    let mut open = BTreeSet::from([0]);
    while let Some(head) = open.pop_first() {
        let mut state = followed.states[&head].clone();
        let mut ways = Vec::new();
        for step in followed.block(head) {
            operations.begin(step.at).for_each(|owner| state.begin(owner));
            state.step(step, operations);
            ways = followed.ways(step);
        }
        for way in ways {
            let is_new = match followed.states.get_mut(&way) {
                Some(known) => known.join(&state, way, operations),
                None => {
                    followed.states.insert(way, state.clone());
                    true
                }
            };
            if is_new {
                open.insert(way);
            }
        }
    }
    followed
}

impl<'a> Followed<'a> {
    /// The instructions from a place on, up to the next at which ways join or part.
    fn block(&self, head: u32) -> impl Iterator<Item = &'a Step> + use<'a> {
        let steps = self.steps;
        let end = self.heads.range(head + 1..).next().copied().unwrap_or(u32::MAX);
        let mut next = Some(head);
        std::iter::from_fn(move || {
            let step = steps.get(&next?)?;
            next = (step.flow == Flow::Next && step.next < end).then_some(step.next);
            Some(step)
        })
    }

    /// Where ways lead on behind an instruction that is the last of its block.
    fn ways(&self, step: &Step) -> Vec<u32> {
        match step.flow {
            Flow::Next => vec![step.next],
            Flow::Jump(target) => vec![target],
            Flow::Branch(target) => vec![target, step.next],
            Flow::End => Vec::new(),
        }
    }

    /// Visits every instruction with what places hold before it, once operations that begin there have begun, and again with what
    /// they hold behind it.
    pub(super) fn visit<E>(
        &self,
        operations: &Operations<'_>,
        mut visit: impl FnMut(Moment, &Step, &State) -> Result<(), E>,
    ) -> Result<(), E> {
        for (&head, state) in &self.states {
            let mut state = state.clone();
            for step in self.block(head) {
                operations.begin(step.at).for_each(|owner| state.begin(owner));
                visit(Moment::Before, step, &state)?;
                state.step(step, operations);
                visit(Moment::Behind, step, &state)?;
            }
        }
        Ok(())
    }

    /// The state at a place at which ways join or part.
    pub(super) fn state(&self, at: u32) -> Option<&State> {
        self.states.get(&at)
    }
}
