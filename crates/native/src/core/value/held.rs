//! What a register holds: the names of its words. Nearly always all lanes of a register hold one value, so that is one name.

use super::tags::Tag;

/// Words of the longest vector.
pub(super) const ELEMENTS: usize = 16;

/// The names of the words of a vector, the lowest first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// So many words of one name, at least one; behind them is nothing.
    One { tag: Tag, words: u8 },
    /// A name for each word.
    Each([Tag; ELEMENTS]),
}

impl Held {
    /// Nothing in any word.
    pub(super) const NOTHING: Held = Held::One { tag: Tag::NOTHING, words: ELEMENTS as u8 };

    /// So many words of one name.
    pub(super) const fn one(tag: Tag, words: usize) -> Held {
        match tag {
            Tag::NOTHING => Held::NOTHING,
            tag => Held::One { tag, words: words as u8 },
        }
    }

    /// These words, of which there are at most [`ELEMENTS`].
    pub(super) fn of(words: &[Tag]) -> Held {
        let tag = words.first().copied().unwrap_or_default();
        let same = words.iter().take_while(|&&word| word == tag).count();
        if words[same..].iter().all(|&word| word == Tag::NOTHING) {
            return Held::one(tag, same);
        }
        let mut each = [Tag::NOTHING; ELEMENTS];
        each[..words.len()].copy_from_slice(words);
        Held::Each(each)
    }

    /// The name of a word.
    #[inline]
    pub(super) fn word(&self, number: usize) -> Tag {
        match self {
            Held::One { tag, words } if number < usize::from(*words) => *tag,
            Held::One { .. } => Tag::NOTHING,
            Held::Each(each) => each[number],
        }
    }

    /// The names of the first words, at least one, those of words that follow each other once if they are the same. `room` has them where there are not as
    /// many as words.
    #[inline]
    pub(super) fn names<'a>(&'a self, count: usize, room: &'a mut [Tag; 2]) -> &'a [Tag] {
        match self {
            Held::One { tag, words } => {
                *room = [*tag, Tag::NOTHING];
                &room[..if usize::from(*words) < count { 2 } else { 1 }]
            }
            Held::Each(each) => &each[..count],
        }
    }

    /// The name that all of the first words have; nothing if they have more than one.
    #[inline]
    pub(super) fn common(&self, count: usize) -> Tag {
        let mut room = [Tag::NOTHING; 2];
        let names = self.names(count, &mut room);
        if names.iter().all(|name| *name == names[0]) { names[0] } else { Tag::NOTHING }
    }

    /// The first words again and again.
    pub(super) fn repeated(&self, count: usize) -> Held {
        match self {
            Held::One { tag, words } if usize::from(*words) >= count => Held::one(*tag, ELEMENTS),
            _ => Held::of(&std::array::from_fn::<_, ELEMENTS, _>(|number| self.word(number % count))),
        }
    }

    /// The meet of the first words, which are all that code has, with what arrives from another place; whether that is less than was known.
    pub(super) fn meet(&mut self, other: &Held, count: usize) -> bool {
        match (&*self, other) {
            (Held::One { tag: Tag::NOTHING, .. }, _) => return false,
            (Held::One { tag, words }, Held::One { tag: theirs, words: others })
                if usize::from(*words.min(others)) >= count =>
            {
                let both = tag.meet(*theirs);
                let is_less = both != *tag;
                if is_less {
                    *self = Held::one(both, count);
                }
                return is_less;
            }
            _ => {}
        }
        let (mut each, mut is_less) = ([Tag::NOTHING; ELEMENTS], false);
        for (number, word) in each[..count].iter_mut().enumerate() {
            let mine = self.word(number);
            *word = mine.meet(other.word(number));
            is_less |= *word != mine;
        }
        if is_less {
            *self = Held::of(&each);
        }
        is_less
    }
}

#[cfg(test)]
mod tests {
    use super::{ELEMENTS, Held, Tag};

    /// Words of every kind: of one name, of two, with nothing behind them or between them.
    fn kinds() -> Vec<[Tag; ELEMENTS]> {
        let [a, b] = [Tag::constant(1), Tag::attribute(2, 3)];
        let mut kinds = Vec::new();
        for count in 0..=ELEMENTS {
            for (first, second) in [(a, Tag::NOTHING), (a, b), (b, Tag::attribute(2, 1)), (Tag::NOTHING, a)] {
                kinds.push(std::array::from_fn(|number| if number < count { first } else { second }));
            }
        }
        kinds.push(std::array::from_fn(|number| if number % 3 == 0 { a } else { Tag::NOTHING }));
        kinds
    }

    fn words(held: &Held) -> [Tag; ELEMENTS] {
        std::array::from_fn(|number| held.word(number))
    }

    #[test]
    fn what_is_held_is_what_its_words_are() {
        for all in kinds() {
            let held = Held::of(&all);
            assert_eq!(words(&held), all);
            for count in 1..=ELEMENTS {
                let first = &all[..count];
                assert_eq!(words(&held.repeated(count)), std::array::from_fn(|number| all[number % count]));
                let is_one = first.iter().all(|word| *word == all[0]);
                assert_eq!(held.common(count), if is_one { all[0] } else { Tag::NOTHING });
                let mut room = [Tag::NOTHING; 2];
                let names = held.names(count, &mut room);
                assert!(names.iter().all(|name| first.contains(name)), "{held:?}");
                assert!(first.iter().all(|word| names.contains(word)), "{held:?}");
            }
        }
    }

    #[test]
    fn a_meet_is_one_of_words() {
        for mine in kinds() {
            for theirs in kinds() {
                for count in [4, 8, ELEMENTS] {
                    let want: Vec<Tag> = (0..count).map(|number| mine[number].meet(theirs[number])).collect();
                    let mut held = Held::of(&mine);
                    assert_eq!(held.meet(&Held::of(&theirs), count), want != mine[..count]);
                    assert_eq!(words(&held)[..count], want);
                }
            }
        }
    }
}
