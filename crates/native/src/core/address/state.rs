//! What is known at a place of the code: the product of what registers, spilled words, flags and vertices are known to be.

use super::super::contract::{Contract, Convention, INTEGERS};
use super::super::shape::RowNumbers;
use super::arrays::Arrays;
use super::groups::Renaming;
use super::memory::Slots;
use super::vectors::Vector;
use super::word::{Base, Known, Lane, Word};

/// What the flags of the processor say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flags {
    Unknown,
    /// How two words of 64 bits compare.
    Of(Word, Word),
}

/// How two words compare, as numbers without a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Below,
    AtLeast,
    Equal,
    Unequal,
}

/// An element of the product lattice.
#[derive(Clone, Debug)]
pub(in super::super) struct State {
    pub(super) words: [Word; INTEGERS],
    pub(super) vectors: [Vector; 32],
    /// What has been spilled to the stack, by the distance from the stack pointer at the entry, and to scratch memory.
    pub(super) stack: Slots,
    pub(super) scratch: Slots,
    pub(super) flags: Flags,
    /// So many vertices are there from the first one of the group on, if not more.
    pub(super) there: i64,
    /// Whether the group ends with the last vertex: where code has just gone over to it.
    is_last: bool,
    pub(super) arrays: Arrays,
}

impl Contract {
    /// What is known of a vector that is not followed.
    pub(super) fn unknown(&self) -> Vector {
        match self.shape.row_numbers {
            RowNumbers::Followed => Vector::ANY,
            RowNumbers::Verified => Vector::Verified,
        }
    }
}

impl State {
    /// What the contract says of the entry.
    pub(super) fn at_entry(contract: &Contract, convention: &Convention) -> Self {
        let [rows, io, first, end] = convention.arguments;
        let mut words = [Word::ANY; INTEGERS];
        let arguments = [
            (rows, Base::Rows),
            (io, Base::Io),
            (first, Base::Vertex(1)),
            (end, Base::End(1)),
            (convention.stack, Base::Stack),
        ];
        let saved = convention.saved.iter().map(|&register| (register, Base::Caller(register)));
        for (register, base) in saved.chain(arguments) {
            words[usize::from(register)] = Word::at(base);
        }
        let mut vectors = [contract.unknown(); 32];
        for register in convention.saved_vectors.clone() {
            vectors[usize::from(register)] = Vector::Caller(register);
        }
        State {
            words,
            vectors,
            stack: Slots::default(),
            scratch: Slots::default(),
            flags: Flags::Unknown,
            there: contract.fewest(),
            is_last: false,
            arrays: Arrays::default(),
        }
    }

    /// Whether the caller has back what the convention says.
    pub(super) fn is_restored(&self, convention: &Convention) -> bool {
        let has_word = |&number: &u8| self.words[usize::from(number)].is_exactly(Base::Caller(number));
        let has_vector = |number: u8| self.vectors[usize::from(number)] == Vector::Caller(number);
        convention.saved.iter().all(has_word) && convention.saved_vectors.clone().all(has_vector)
    }

    /// Whether the stack pointer is what it was at the entry.
    pub(super) fn is_level(&self, convention: &Convention) -> bool {
        self.words[usize::from(convention.stack)].is_exactly(Base::Stack)
    }

    pub(super) fn known<'a>(&'a self, contract: &'a Contract) -> Known<'a> {
        Known { contract, arrays: &self.arrays }
    }

    /// What the register of the result holds.
    pub(super) fn result(&self, convention: &Convention) -> Word {
        self.words[usize::from(convention.result)]
    }

    /// The meet with what arrives from another place; whether that is less than was known.
    pub(super) fn meet(&mut self, other: &State, contract: &Contract) -> bool {
        let mut renaming = Renaming::new(contract, other.is_last);
        let mut changed = false;
        for (mine, &theirs) in self.words.iter_mut().zip(&other.words) {
            if *mine == theirs && !mine.is_renamed() {
                continue;
            }
            let both = mine.meet(theirs, &mut renaming);
            changed |= both != *mine;
            *mine = both;
        }
        for (mine, &theirs) in self.vectors.iter_mut().zip(&other.vectors) {
            let both = mine.meet(theirs);
            changed |= both != *mine;
            *mine = both;
        }
        changed |= self.stack.meet(&other.stack, &mut renaming);
        changed |= self.scratch.meet(&other.scratch, &mut renaming);
        let (arrays, there) = (self.arrays, self.there);
        self.arrays.meet(&other.arrays);
        self.there = self.there.min(other.there);
        let was_last = self.is_last;
        self.is_last &= other.is_last;
        self.flags = Flags::Unknown;
        changed || (arrays, there, was_last) != (self.arrays, self.there, self.is_last)
    }

    /// Goes over to the next group, which has a vertex: the one behind this group, or that which ends with the last vertex.
    pub(super) fn go_on(&mut self, contract: &Contract) {
        let lanes = contract.lanes();
        let is_last = contract.shape.goes_back() && self.there < 2 * lanes;
        let next = |word: Word| if is_last { word.of_last_group() } else { word.of_next_group(contract) };
        self.words = self.words.map(next);
        self.stack.each_word(next);
        self.scratch.each_word(next);
        self.flags = Flags::Unknown;
        // It has gone back, and has a vertex for each lane.
        self.there = if is_last { lanes } else { self.there - lanes };
        self.is_last = is_last;
    }

    /// Forgets what code does not keep around a loop, or until paths meet again, if it loads addresses anew for each access: a guess,
    /// which is compared with what arrives later.
    pub(super) fn guess(&mut self, contract: &Contract, is_loop: bool) {
        self.there = self.there.min(contract.fewest());
        self.arrays = Arrays::default();
        let lanes = contract.lanes();
        let mut renaming = Renaming::new(contract, false);
        for word in &mut self.words {
            let stays = match word.base {
                Base::Rows | Base::Io | Base::Scratch | Base::Lookup | Base::Stack => true,
                Base::Vertex(_) | Base::End(_) | Base::Remaining(_) | Base::Caller(_) => true,
                // Code whose lanes share vertices keeps all of this, blocks or not.
                Base::Shared(..) | Base::Step(..) => true,
                Base::Cursor(_, 0) | Base::Strides(..) if contract.shares() => true,
                Base::Cursor(_, count) => [0, lanes].contains(&count.into()) && contract.is_one_block,
                Base::Strides(..) => contract.is_one_block,
                _ => false,
            };
            // Loops begin with the stride of whatever stream came last.
            *word = match word.base {
                Base::Strides(stream, count) if stays && is_loop => {
                    word.meet(Word { base: Base::Strides(stream.some(), count), ..*word }, &mut renaming)
                }
                _ if stays => *word,
                _ => Word::ANY,
            };
        }
    }

    /// Notes how two words compare.
    pub(super) fn learn(&mut self, relation: Relation, [left, right]: [Word; 2], contract: &Contract) {
        match (relation, left.base, right.base) {
            // A group that begins before the end has vertices. What is so far before the end is no less than 0.
            (Relation::Below, Base::Vertex(1), Base::End(1)) => {
                if let (Some(ahead), Some(before @ 0..)) =
                    (left.distance(), right.distance().map(i64::wrapping_neg))
                    && before <= contract.fewest()
                {
                    self.set_there(ahead.saturating_add(before + 1), contract);
                }
            }
            (Relation::AtLeast, Base::End(1), Base::Vertex(1)) if left.distance() == Some(0) => {
                if let Some(ahead) = right.distance() {
                    self.set_there(ahead, contract);
                }
            }
            // Where lanes share no vertices, there is one for each.
            (Relation::AtLeast, Base::Shared(Lane::FAR, 1), Base::Number)
                if left.distance() == Some(0) && right.low > 1 =>
            {
                self.set_there(contract.lanes(), contract);
            }
            (Relation::AtLeast, Base::Remaining(1), Base::Number) if left.distance() == Some(0) => {
                self.set_there(right.low, contract);
            }
            (Relation::Below, Base::Number, Base::Remaining(1)) if right.distance() == Some(0) => {
                self.set_there(left.low.saturating_add(1), contract);
            }
            (Relation::Unequal, Base::Remaining(1), Base::Number)
                if left.distance() == Some(0) && right.exact() == Some(self.there) =>
            {
                self.set_there(self.there + 1, contract);
            }
            (Relation::Equal, Base::Strides(stream, 1), Base::Strides(of, 1))
                if left.distance() == Some(0) && right.distance() == Some(0) && of.is_certain() =>
            {
                if let (Some(a), Some(b)) = (stream.attribute(), of.attribute()) {
                    self.arrays.set_equal(a, b);
                }
                // What has been a stride of the one is a stride of the other.
                let renamed = |word: Word| match word.base {
                    Base::Strides(old, count) if old == stream => {
                        Word { base: Base::Strides(of, count), ..word }
                    }
                    _ => word,
                };
                self.words = self.words.map(renamed);
            }
            (Relation::Equal, Base::Apart(stream, first, _), Base::Number) if left.distance() == Some(0) => {
                if let (Some(a), Some(b)) = (stream.attribute(), first.attribute())
                    && let Some(bytes) = right.exact().and_then(|bytes| u8::try_from(bytes).ok())
                {
                    self.arrays.set_distance(a, b, bytes);
                }
            }
            _ => {}
        }
    }

    /// Notes that so many vertices are there from the first one of the group on.
    fn set_there(&mut self, vertices: i64, contract: &Contract) {
        self.there = self.there.max(vertices.clamp(0, 4 * contract.lanes()));
    }
}
