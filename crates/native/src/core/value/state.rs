//! The product lattice: what registers and memory hold at a place of the code.

use super::super::contract::INTEGERS;
use super::held::{ELEMENTS, Held};
use super::tags::Tag;
use std::ops::Range;
use std::rc::Rc;

/// Registers by their numbers, as sets of bits.
#[derive(Clone, Copy, Default)]
pub(super) struct Registers {
    pub(super) vectors: u32,
    pub(super) masks: u8,
    pub(super) integers: u32,
}

/// An element of the product lattice.
#[derive(Clone)]
pub(super) struct State {
    /// Words of vectors that code has.
    words: usize,
    pub(super) vectors: [Held; 32],
    pub(super) masks: [Tag; 8],
    pub(super) integers: [[Tag; 2]; INTEGERS],
    pub(super) scratch: Slots,
    pub(super) stack: Slots,
}

impl State {
    /// Nothing is anywhere.
    pub(super) fn empty(words: usize) -> Self {
        State {
            words: words.max(4),
            vectors: [Held::NOTHING; 32],
            masks: [Tag::NOTHING; 8],
            integers: [[Tag::NOTHING; 2]; INTEGERS],
            scratch: Slots::default(),
            stack: Slots::default(),
        }
    }

    /// Takes registers to hold nothing.
    pub(super) fn forget(&mut self, Registers { vectors, masks, integers }: Registers) {
        let bits = |set: u32| (0..u32::BITS as usize).filter(move |number| set >> number & 1 != 0);
        bits(vectors).for_each(|number| self.vectors[number] = Held::NOTHING);
        bits(masks.into()).for_each(|number| self.masks[number] = Tag::NOTHING);
        bits(integers).for_each(|number| self.integers[number].fill(Tag::NOTHING));
    }

    /// The meet with what arrives from another place; whether that is less than was known.
    pub(super) fn meet(&mut self, other: &State) -> bool {
        let mut is_less = false;
        for (mine, theirs) in self.vectors.iter_mut().zip(&other.vectors) {
            is_less |= mine.meet(theirs, self.words);
        }
        let mut meet = |mine: &mut Tag, theirs: Tag| {
            if *mine != theirs {
                let both = mine.meet(theirs);
                is_less |= both != *mine;
                *mine = both;
            }
        };
        let rest = self.masks.iter_mut().chain(self.integers.as_flattened_mut());
        for (mine, &theirs) in rest.zip(other.masks.iter().chain(other.integers.as_flattened())) {
            meet(mine, theirs);
        }
        is_less |= self.scratch.meet(&other.scratch);
        is_less | self.stack.meet(&other.stack)
    }
}

/// Bytes of memory that hold words of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    at: i32,
    end: i32,
    tag: Tag,
}

/// What is known of a block of memory, in the order of addresses. States share it until they differ.
#[derive(Clone, Default, Debug)]
pub(super) struct Slots(Rc<Vec<Slot>>);

/// Bytes of a word.
const WORD: i32 = size_of::<u32>() as i32;

impl Slots {
    /// So many words from an address on.
    pub(super) fn read(&self, at: i32, count: usize) -> Held {
        let mut number = self.0.partition_point(|slot| slot.end <= at);
        match self.0.get(number) {
            Some(slot) if slot.at <= at && at.saturating_add(WORD * count as i32) <= slot.end => {
                return Held::one(slot.tag, count);
            }
            None => return Held::NOTHING,
            Some(_) => {}
        }
        let (mut words, mut from) = ([Tag::NOTHING; ELEMENTS], at);
        for word in &mut words[..count] {
            let end = from.saturating_add(WORD);
            while self.0.get(number).is_some_and(|slot| slot.end <= from) {
                number += 1;
            }
            let holds = self.0.get(number).filter(|slot| slot.at <= from && end <= slot.end);
            *word = holds.map_or(Tag::NOTHING, |slot| slot.tag);
            from = end;
        }
        Held::of(&words)
    }

    /// Stores so many words; bytes behind the last whole word hold nothing.
    pub(super) fn write(&mut self, at: i32, bytes: i32, words: &Held, count: usize) {
        let behind = at.saturating_add(bytes);
        let start = self.0.partition_point(|slot| slot.end <= at);
        let end = start + self.0[start..].partition_point(|slot| slot.at < behind);
        let mut room = [Slot { at, end: at, tag: Tag::NOTHING }; ELEMENTS];
        let new = slots(at, words, count, &mut room);
        if new.is_empty() && start == end || self.0[start..end] == *new {
            return;
        }
        // What a function keeps at a place takes as many bytes there as what was there before.
        if let ([new], [old]) = (new, &self.0[start..end])
            && (new.at, new.end) == (old.at, old.end)
        {
            Rc::make_mut(&mut self.0)[start] = *new;
            return;
        }
        // What of a slot lies outside of what is stored stays.
        let parts = |slot: &Slot| {
            let before = Slot { end: slot.end.min(at), ..*slot };
            let after = Slot { at: slot.at.max(behind), ..*slot };
            [before, after].map(|part| (part.at < part.end).then_some(part))
        };
        let before = self.0[start..end].first().and_then(|slot| parts(slot)[0]);
        let after = self.0[start..end].last().and_then(|slot| parts(slot)[1]);
        let all = before.into_iter().chain(new.iter().copied()).chain(after);
        Rc::make_mut(&mut self.0).splice(start..end, all);
    }

    /// Keeps the slots whose bytes satisfy a condition.
    pub(super) fn retain(&mut self, keeps: impl Fn(Range<i32>) -> bool) {
        if !self.0.iter().all(|slot| keeps(slot.at..slot.end)) {
            Rc::make_mut(&mut self.0).retain(|slot| keeps(slot.at..slot.end));
        }
    }

    /// The meet with what arrives from another place; whether that is less than was known.
    fn meet(&mut self, other: &Slots) -> bool {
        if Rc::ptr_eq(&self.0, &other.0) || self.0.is_empty() {
            return false;
        }
        let mut both: Vec<Slot> = Vec::with_capacity(self.0.len());
        let mut theirs = &other.0[..];
        for mine in self.0.iter() {
            while theirs.first().is_some_and(|their| their.end <= mine.at) {
                theirs = &theirs[1..];
            }
            for their in theirs.iter().take_while(|their| their.at < mine.end) {
                if their.tag == mine.tag {
                    both.push(Slot {
                        at: mine.at.max(their.at),
                        end: mine.end.min(their.end),
                        tag: mine.tag,
                    });
                }
            }
        }
        let is_less = both != *self.0;
        if is_less {
            self.0 = Rc::new(both);
        }
        is_less
    }
}

/// The slots of so many words from an address on.
fn slots<'a>(at: i32, words: &Held, count: usize, room: &'a mut [Slot; ELEMENTS]) -> &'a [Slot] {
    let place = |number: usize| at.saturating_add(WORD * number as i32);
    let mut slots = 0;
    match words {
        Held::One { tag: Tag::NOTHING, .. } => {}
        &Held::One { tag, words } => {
            room[0] = Slot { at, end: place(count.min(words.into())), tag };
            slots = 1;
        }
        Held::Each(each) => {
            for (number, &tag) in each[..count].iter().enumerate().filter(|(_, tag)| **tag != Tag::NOTHING) {
                let (from, to) = (place(number), place(number + 1));
                match room[..slots].last_mut() {
                    Some(last) if last.end == from && last.tag == tag => last.end = to,
                    _ => {
                        room[slots] = Slot { at: from, end: to, tag };
                        slots += 1;
                    }
                }
            }
        }
    }
    &room[..slots]
}
