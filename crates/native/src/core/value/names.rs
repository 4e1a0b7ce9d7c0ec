//! Which vectors are results.

use super::super::note::Part;
use super::decode::{Action, STACK, Where};
use super::follow::{Followed, Moment};
use super::judge::Why;
use super::operations::{Finished, Operations, Owner};
use super::state::{Holds, Made};
use crate::fetch::Fetch;
use crate::ir::func::Value;
use rustc_hash::FxHashMap;

/// The parts that vectors are.
#[derive(Default, Debug)]
pub(super) struct Names {
    parts: FxHashMap<Made, Vec<Part>>,
    has: Vec<bool>,
    /// Values that are the same words whatever their operands are, as what compares a value with itself.
    words: FxHashMap<Value, u64>,
    /// For each value the first one that is the same component of the same row: what one is, the others are.
    same: Vec<Value>,
}

impl Names {
    /// The parts that a vector is: none if it is on the way to a result, several if they are the same component of a row.
    pub(super) fn parts(&self, made: Made) -> &[Part] {
        self.parts.get(&made).map_or(&[], |parts| parts)
    }

    /// The parts that a place holds.
    pub(super) fn of(&self, holds: Holds) -> &[Part] {
        if let Holds::Made(_, made) = holds { self.parts(made) } else { &[] }
    }

    /// Whether a value is somewhere. One that is not is computed where it is read, or is a literal.
    pub(super) fn has(&self, value: Value) -> bool {
        self.has[value.index()]
    }

    /// The words that a value is, whatever its operands are.
    pub(super) fn words(&self, value: Value) -> Option<u64> {
        self.words.get(&value).copied()
    }

    /// Whether two values are one.
    pub(super) fn is_same(&self, a: Value, b: Value) -> bool {
        self.same[a.index()] == self.same[b.index()]
    }

    fn add_words(&mut self, part: Part, words: u64) {
        self.has[part.value.index()] = true;
        self.words.insert(part.value, words);
    }

    fn add(&mut self, made: Made, part: Part) {
        self.has[part.value.index()] = true;
        let parts = self.parts.entry(made).or_default();
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
}

/// Names what is said to be a result.
pub(super) fn names(followed: &Followed<'_>, operations: &Operations<'_>) -> Result<Names, (u32, Why)> {
    let func = operations.func;
    let mut first = FxHashMap::default();
    let mut names = Names { same: (0..func.insts.len() as u32).map(Value).collect(), ..Names::default() };
    names.has = vec![false; func.insts.len()];
    for value in func.order() {
        if let Some(component) = Fetch::of(func.inst(value)) {
            names.same[value.index()] = *first.entry(component).or_insert(value);
        }
    }
    last_made(followed, operations, &mut names);
    let mut ends: FxHashMap<u32, Vec<(Finished, Option<Holds>)>> = FxHashMap::default();
    for &finished in &operations.results {
        let holds = followed.state(finished.at).map(|state| state.at(finished.place));
        ends.entry(finished.at).or_default().push((finished, holds));
    }
    followed.visit(operations, |moment, step, state| {
        if moment == Moment::Before {
            return Ok(());
        }
        for (finished, holds) in ends.get_mut(&step.next).into_iter().flatten() {
            if matches!(holds, None | Some(Holds::Unknown)) {
                *holds = Some(state.at(finished.place));
            }
        }
        Ok(())
    })?;
    let mut finished: Vec<(Finished, Option<Holds>)> = ends.into_values().flatten().collect();
    finished.sort_by_key(|(finished, _)| finished.at);
    for (Finished { at, part, .. }, holds) in finished {
        let Some(holds) = holds else { continue };
        let is_own = |owner: Owner| match owner {
            // What is loaded for one attribute may be that of a neighbour.
            Owner::Value(owner) => {
                owner == part.value
                    || operations.rows(owner).is_some() && operations.rows(part.value).is_some()
            }
            Owner::Nobody | Owner::Guards => false,
        };
        match holds {
            // It has come back from memory.
            Holds::Made(_, made) if names.parts(made).iter().any(|other| same(&names, *other, part)) => {}
            Holds::Made(owner, made) if is_own(owner) => names.add(made, part),
            Holds::Literal(words) => names.add_words(part, words),
            holds => return Err((at, Why::Result { part, holds })),
        }
    }
    Ok(names)
}

fn same(names: &Names, a: Part, b: Part) -> bool {
    a.half == b.half && names.is_same(a.value, b.value)
}

/// Names the last vectors that are made in pieces which say so.
fn last_made(followed: &Followed<'_>, operations: &Operations<'_>, names: &mut Names) {
    for (number, piece) in operations.pieces.iter().enumerate() {
        let Some(part) = piece.makes else { continue };
        let end = operations.pieces.get(number + 1).map_or(u32::MAX, |next| next.at);
        let made = followed.steps.range(piece.at..end).rev().find_map(|(_, step)| {
            let is_new = match step.action {
                // From where nothing is followed, or from a cell; what comes from the stack comes back.
                Action::Copy(Where::Memory(memory), Where::Place(_)) => memory.base != Some(STACK),
                Action::Copy(..) => false,
                Action::Literal(_) | Action::Compute => true,
            };
            let place = step.writes.first().filter(|_| is_new)?;
            Some((step.action, Made::At(step.at, Some(*place))))
        });
        match made {
            Some((Action::Literal(words), _)) => names.add_words(part, words),
            Some((_, made)) => names.add(made, part),
            None => {}
        }
    }
}
