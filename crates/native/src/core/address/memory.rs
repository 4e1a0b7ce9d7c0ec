//! What words and vectors have been spilled to a block of memory that is the code's own.

use super::groups::Renaming;
use super::vectors::Vector;
use super::word::Word;
use std::ops::Range;
use std::rc::Rc;

/// What a place holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// Eight bytes.
    Word(Word),
    /// The lowest sixteen bytes of a vector.
    Vector(Vector),
}

/// Bytes of the longest slot.
const LONGEST: i64 = 16;

impl Slot {
    const fn bytes(self) -> i64 {
        match self {
            Slot::Word(_) => 8,
            Slot::Vector(_) => LONGEST,
        }
    }

    /// Whether it is more than nothing.
    fn tells(self) -> bool {
        match self {
            Slot::Word(word) => word != Word::ANY,
            Slot::Vector(vector) => vector != Vector::ANY && vector != Vector::Verified,
        }
    }

    fn meet(self, other: Slot, renaming: &mut Renaming) -> Option<Slot> {
        let both = match (self, other) {
            (Slot::Word(mine), Slot::Word(theirs)) => Slot::Word(mine.meet(theirs, renaming)),
            (Slot::Vector(mine), Slot::Vector(theirs)) => Slot::Vector(mine.meet(theirs)),
            _ => return None,
        };
        Some(both).filter(|both| both.tells())
    }
}

/// The places of which something is known, in their order; they do not overlap. States share them until they differ.
#[derive(Clone, Default, Debug)]
pub(super) struct Slots(Rc<Vec<(i64, Slot)>>);

impl Slots {
    /// What the place that begins there holds, if that is known.
    pub(super) fn at(&self, at: i64) -> Option<Slot> {
        let number = self.0.binary_search_by_key(&at, |&(at, _)| at).ok()?;
        Some(self.0[number].1)
    }

    /// Notes a store of so many bytes, and what it leaves there.
    pub(super) fn store(&mut self, at: i64, bytes: i64, what: Option<Slot>) {
        let what = what.filter(|what| what.tells());
        let Range { start, end } = self.reached(at, bytes);
        if start == end && what.is_none()
            || self.0.get(start).copied() == what.map(|what| (at, what)) && end == start + 1
        {
            return;
        }
        Rc::make_mut(&mut self.0).splice(start..end, what.map(|what| (at, what)));
    }

    /// The slots that these bytes touch.
    fn reached(&self, at: i64, bytes: i64) -> Range<usize> {
        let end = self.0.partition_point(|&(start, _)| start < at.saturating_add(bytes));
        let before = self.0[..end].iter().rev().take_while(|&&(start, _)| start > at - LONGEST);
        let from = end - before.count();
        let is_behind = |&(start, slot): &(i64, Slot)| start + slot.bytes() <= at;
        from + self.0[from..end].iter().take_while(|slot| is_behind(slot)).count()..end
    }

    /// The meet with what arrives from another place; whether that is less than was known.
    pub(super) fn meet(&mut self, other: &Slots, renaming: &mut Renaming) -> bool {
        let is_renamed = |(_, slot): &(i64, Slot)| matches!(slot, Slot::Word(word) if word.is_renamed());
        if self.0.is_empty() || Rc::ptr_eq(&self.0, &other.0) && !self.0.iter().any(is_renamed) {
            return false;
        }
        let mut theirs = other.0.iter().peekable();
        let mut meet = |&(at, mine): &(i64, Slot)| {
            while theirs.next_if(|&&(their, _)| their < at).is_some() {}
            let &(_, their) = theirs.next_if(|&&(their, _)| their == at)?;
            mine.meet(their, renaming).map(|both| (at, both))
        };
        let both: Vec<(i64, Slot)> = self.0.iter().filter_map(&mut meet).collect();
        let is_less = both != *self.0;
        if is_less {
            self.0 = Rc::new(both);
        }
        is_less
    }

    /// Replaces all words.
    pub(super) fn each_word(&mut self, of: impl Fn(Word) -> Word) {
        let is_word = |slot: &Slot| matches!(slot, Slot::Word(_));
        if !self.0.iter().any(|(_, slot)| is_word(slot)) {
            return;
        }
        let slots = Rc::make_mut(&mut self.0);
        for (_, slot) in slots.iter_mut() {
            if let Slot::Word(word) = slot {
                *word = of(*word);
            }
        }
        slots.retain(|(_, slot)| slot.tells());
    }
}
