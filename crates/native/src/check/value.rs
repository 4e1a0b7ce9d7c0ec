//! The abstract values of registers and memory, as far as addresses depend on them.

use std::collections::BTreeMap;
use std::rc::Rc;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::indices::SHARED;
use xfjit_runtime::state::{ATTRIBUTES, Io, OUTPUTS, SCRATCH, Stream};

/// The base of an integer register's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// None: the value is a number.
    Zero,
    /// The value is two 32-bit numbers, neither above `high`.
    Pair,
    /// The stack pointer at the entry.
    Stack,
    Context,
    Io,
    Scratch,
    Lookup,
    /// The code itself, which contains constants.
    Code,
    /// A multiple of the number of the first group.
    First(u8),
    /// Vertex 0 of a stream. Streams are numbered, inputs first.
    Start(u8),
    /// A multiple of the distance between the vertices (or planes) of a stream.
    Stride(u8, u8),
    /// The distance from vertex 0 of a stream to the first vertex of group `first`.
    Distance(u8),
    /// The current group of a stream, plus a multiple of the stride.
    Cursor(u8, u8),
    /// The beginning of an index list.
    List(u8),
    /// The current group in an index list.
    Listed(u8),
    /// A number of an index list.
    Index(u8),
    /// The distance from number 0 of an attribute to a number of its index list.
    IndexDistance(u8),
    /// An attribute of a vertex that its index list names. The contract has all of these.
    Vertex(u8),
}

/// The form of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// The number of vertices.
    pub(super) lanes: u8,
    /// The layout of its outputs; its inputs are rows.
    pub(super) layout: Layout,
    /// How attributes are found.
    pub(super) inputs: InputLayout,
}

impl Group {
    fn is_rows(self, register: usize) -> bool {
        register < ATTRIBUTES || self.layout == Layout::Rows
    }

    /// The number of strides of a stream that belong to a group, and the bytes of the group at each.
    pub(super) fn reach(self, register: usize) -> (u8, i64) {
        match self.is_rows(register) {
            true => (self.lanes, 16),
            false => (4, self.plane()),
        }
    }

    /// The index list of an attribute.
    fn list(self, register: u8) -> Option<usize> {
        let register = usize::from(register);
        if register >= ATTRIBUTES {
            return None;
        }
        self.inputs.indices().of(register).list(register).map(|(list, _)| list)
    }

    /// Bytes of a number in an index list; 0 if the code has no such list.
    pub(super) fn width(self, list: u8) -> i64 {
        let lists = (0..ATTRIBUTES).filter_map(|register| self.inputs.indices().of(register).list(register));
        let width = lists.into_iter().find(|(number, _)| *number == usize::from(list));
        width.map_or(0, |(_, width)| width.bytes() as i64)
    }

    /// Bytes of a group in an index list.
    pub(super) fn listed(self, list: u8) -> i64 {
        i64::from(self.lanes) * self.width(list)
    }

    /// Bytes of a group in one plane.
    fn plane(self) -> i64 {
        4 * i64::from(self.lanes)
    }
}

/// An abstract integer: a base, and the range of offsets from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word {
    pub(super) base: Base,
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Word {
    /// An unknown value.
    pub(super) const ANY: Word = Word { base: Base::Zero, low: i64::MIN, high: i64::MAX };

    pub(super) const fn at(base: Base) -> Self {
        Word { base, low: 0, high: 0 }
    }

    pub(super) const fn number(low: i64, high: i64) -> Self {
        Word { base: Base::Zero, low, high }
    }

    /// The number, if the value is a known number.
    pub(super) fn exact(self) -> Option<i64> {
        (self.base == Base::Zero && self.low == self.high).then_some(self.low)
    }

    fn is_exactly(self, base: Base) -> bool {
        self == Word::at(base)
    }

    pub(super) fn offset(self, by: i64) -> Self {
        match (self.low.checked_add(by), self.high.checked_add(by)) {
            (Some(low), Some(high)) if self != Word::ANY => Word { low, high, ..self },
            _ => Word::ANY,
        }
    }

    pub(super) fn plus(self, other: Self, group: Group) -> Self {
        let (number, other) = if self.base == Base::Zero { (self, other) } else { (other, self) };
        if number.base == Base::Zero {
            let ends = (number.low.checked_add(other.low), number.high.checked_add(other.high));
            return match ends {
                (Some(low), Some(high)) if number != Word::ANY && other.base != Base::Pair => {
                    Word { low, high, ..other }
                }
                _ => Word::ANY,
            };
        }
        let (cursor, stride) =
            if matches!(number.base, Base::Cursor(..)) { (number, other) } else { (other, number) };
        if let (Base::Cursor(a, n), Base::Stride(b, m), (0, 0)) =
            (cursor.base, stride.base, (stride.low, stride.high))
            && a == b
        {
            return Word { base: Base::Cursor(a, n.saturating_add(m)), ..cursor };
        }
        if (number.low, number.high, other.low, other.high) != (0, 0, 0, 0) {
            return Word::ANY;
        }
        match (number.base, other.base) {
            (Base::Start(a), Base::Distance(b)) | (Base::Distance(a), Base::Start(b)) if a == b => {
                Word::at(Base::Cursor(a, 0))
            }
            (Base::Start(a), Base::IndexDistance(b)) | (Base::IndexDistance(a), Base::Start(b)) if a == b => {
                Word::at(Base::Vertex(a))
            }
            (Base::List(a), Base::First(n)) | (Base::First(n), Base::List(a))
                if i64::from(n) == group.listed(a) =>
            {
                Word::at(Base::Listed(a))
            }
            // A plane has four bytes of each vertex.
            (Base::Start(a), Base::First(n)) | (Base::First(n), Base::Start(a))
                if i64::from(n) == group.plane() && !group.is_rows(a.into()) =>
            {
                Word::at(Base::Cursor(a, 0))
            }
            _ => Word::ANY,
        }
    }

    pub(super) fn times(self, other: Self, group: Group) -> Self {
        let (a, b) = if other.exact().is_some() { (self, other) } else { (other, self) };
        if let Some(factor) = b.exact() {
            if factor == 1 {
                return a;
            }
            let scaled = |n: u8| u8::try_from(i64::from(n).saturating_mul(factor)).ok();
            return match a.base {
                Base::First(n) if a.is_exactly(a.base) => {
                    scaled(n).map_or(Word::ANY, |n| Word::at(Base::First(n)))
                }
                Base::Stride(k, n) if a.is_exactly(a.base) => {
                    scaled(n).map_or(Word::ANY, |n| Word::at(Base::Stride(k, n)))
                }
                Base::Zero if factor >= 0 => match (a.low.checked_mul(factor), a.high.checked_mul(factor)) {
                    (Some(low), Some(high)) => Word::number(low, high),
                    _ => Word::ANY,
                },
                _ => Word::ANY,
            };
        }
        match (a.base, b.base) {
            (Base::First(n), Base::Stride(k, 1)) | (Base::Stride(k, 1), Base::First(n))
                if n == group.lanes
                    && group.list(k).is_none()
                    && a.is_exactly(a.base)
                    && b.is_exactly(b.base) =>
            {
                Word::at(Base::Distance(k))
            }
            (Base::Index(list), Base::Stride(k, 1)) | (Base::Stride(k, 1), Base::Index(list))
                if group.list(k) == Some(list.into()) && a.is_exactly(a.base) && b.is_exactly(b.base) =>
            {
                Word::at(Base::IndexDistance(k))
            }
            _ => Word::ANY,
        }
    }

    pub(super) fn shifted_right(self, count: u32) -> Self {
        match self.base {
            Base::Pair if count == 32 => Word::number(0, self.high),
            Base::Zero if self.low >= 0 => Word::number(self.low >> count, self.high >> count),
            _ => Word::ANY,
        }
    }

    /// The low 32 bits, zero-extended.
    pub(super) fn half(self) -> Self {
        let most = i64::from(u32::MAX);
        match self.base {
            Base::Pair => Word::number(0, self.high),
            // It has no more.
            Base::Index(_) if self.is_exactly(self.base) => self,
            Base::Zero if self.low >= 0 && self.high <= most => self,
            _ => Word::number(0, most),
        }
    }

    /// The least upper bound of two values. A stream pointer that has advanced by a group points to the current group
    /// again.
    fn join(self, other: Self, group: Group) -> Self {
        if self == other {
            return self;
        }
        let pointer = |word: Word| {
            if let Base::Listed(list) = word.base {
                let is_next = word.low == word.high && [0, group.listed(list)].contains(&word.low);
                return is_next.then_some(word.base);
            }
            let Base::Cursor(k, strides) = word.base else { return None };
            let (next, bytes) = match group.is_rows(k.into()) {
                true => (group.lanes, 0),
                false => (0, group.plane()),
            };
            let place = (strides, word.low, word.high);
            [(0, 0, 0), (next, bytes, bytes)].contains(&place).then_some(Base::Cursor(k, 0))
        };
        match (pointer(self), pointer(other)) {
            (Some(a), Some(b)) if a == b => Word::at(a),
            _ => Word::ANY,
        }
    }
}

/// The value of a stack slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StackSlot {
    Word(Word),
    /// A vector, with an upper bound of its lanes.
    Lanes(u32),
}

/// The abstract state at one point of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub(super) words: [Word; 16],
    /// An upper bound of the lanes of each vector register.
    pub(super) lanes: [u32; 32],
    /// Known stack slots, by offset from the stack pointer at the entry.
    stack: Rc<BTreeMap<i64, StackSlot>>,
    /// An upper bound of the lanes of each vector of the scratch memory.
    scratch: Rc<Vec<u32>>,
}

impl State {
    pub(super) fn new(group: Group) -> Self {
        State {
            words: [Word::ANY; 16],
            lanes: [u32::MAX; 32],
            stack: Rc::default(),
            scratch: Rc::new(vec![u32::MAX; SCRATCH * usize::from(group.lanes) / 4]),
        }
    }

    pub(super) fn kept(&self, at: i64) -> Option<StackSlot> {
        self.stack.get(&at).copied()
    }

    /// A store into the frame.
    pub(super) fn keep(&mut self, at: i64, bytes: i64, what: Option<StackSlot>) {
        let tells =
            what.is_some_and(|what| what != StackSlot::Word(Word::ANY) && what != StackSlot::Lanes(u32::MAX));
        let range = at - 15..at + bytes;
        let size = |kept: &StackSlot| if matches!(kept, StackSlot::Word(_)) { 8 } else { 16 };
        let reached: Vec<i64> = self
            .stack
            .range(range)
            .filter(|(key, kept)| **key + size(kept) > at)
            .map(|(key, _)| *key)
            .collect();
        if !tells && reached.is_empty() {
            return;
        }
        let stack = Rc::make_mut(&mut self.stack);
        for key in reached {
            stack.remove(&key);
        }
        if let Some(what) = what.filter(|_| tells) {
            stack.insert(at, what);
        }
    }

    /// An upper bound of the lanes of a vector of the scratch memory; `u32::MAX` for an unaligned access.
    pub(super) fn scratch(&self, at: i64) -> u32 {
        let slot = usize::try_from(at / 16).ok().filter(|_| at % 16 == 0);
        slot.and_then(|slot| self.scratch.get(slot)).copied().unwrap_or(u32::MAX)
    }

    /// A store into the scratch memory; it has been checked to lie inside.
    pub(super) fn set_scratch(&mut self, at: i64, bytes: i64, most: u32) {
        let is_whole = at % 16 == 0 && bytes == 16;
        for slot in at / 16..=(at + bytes - 1) / 16 {
            let most = if is_whole { most } else { u32::MAX };
            if let Ok(slot) = usize::try_from(slot)
                && self.scratch.get(slot).is_some_and(|&known| known != most)
            {
                Rc::make_mut(&mut self.scratch)[slot] = most;
            }
        }
    }

    /// Joins another state into this one; returns whether this one changed.
    pub(super) fn join(&mut self, other: &State, group: Group) -> bool {
        let mut changed = false;
        let mut note = |is: bool| changed |= is;
        for (mine, theirs) in self.words.iter_mut().zip(other.words) {
            let both = mine.join(theirs, group);
            note(both != *mine);
            *mine = both;
        }
        // Different bounds become unknown, so that the iteration terminates.
        let both = |mine: u32, theirs: u32| if mine == theirs { mine } else { u32::MAX };
        for (mine, &theirs) in self.lanes.iter_mut().zip(&other.lanes) {
            note(both(*mine, theirs) != *mine);
            *mine = both(*mine, theirs);
        }
        if !Rc::ptr_eq(&self.scratch, &other.scratch) {
            let pairs = || self.scratch.iter().zip(other.scratch.iter());
            if pairs().any(|(&mine, &theirs)| both(mine, theirs) != mine) {
                note(true);
                self.scratch = Rc::new(pairs().map(|(&mine, &theirs)| both(mine, theirs)).collect());
            }
        }
        if !Rc::ptr_eq(&self.stack, &other.stack) && self.stack != other.stack {
            let mut stack = BTreeMap::new();
            for (&at, &mine) in self.stack.iter() {
                let both = match (mine, other.stack.get(&at)) {
                    (StackSlot::Word(mine), Some(&StackSlot::Word(theirs))) => {
                        StackSlot::Word(mine.join(theirs, group))
                    }
                    (StackSlot::Lanes(mine), Some(&StackSlot::Lanes(theirs))) => {
                        StackSlot::Lanes(both(mine, theirs))
                    }
                    _ => continue,
                };
                if both != StackSlot::Word(Word::ANY) && both != StackSlot::Lanes(u32::MAX) {
                    stack.insert(at, both);
                }
            }
            note(stack != *self.stack);
            self.stack = Rc::new(stack);
        }
        changed
    }
}

/// The value of a word of the [`Io`].
pub(super) fn of_io(at: i64) -> Word {
    let Ok(at) = usize::try_from(at) else { return Word::ANY };
    let field = |register: usize, first: usize, stream: usize| match stream.checked_sub(first) {
        Some(Stream::BASE) => Some(Base::Start(register as u8)),
        Some(Stream::STRIDE) => Some(Base::Stride(register as u8, 1)),
        _ => None,
    };
    let inputs = (0..ATTRIBUTES).filter_map(|register| field(register, Io::input(register), at));
    let outputs = (0..OUTPUTS).filter_map(|register| field(ATTRIBUTES + register, Io::output(register), at));
    let lists = (0..=SHARED).filter(|&list| Io::index(list) == at).map(|list| Base::List(list as u8));
    let memories = [(Io::SCRATCH, Base::Scratch), (Io::LOOKUP, Base::Lookup)];
    let memories = memories.into_iter().filter(|(offset, _)| *offset == at).map(|(_, base)| base);
    inputs.chain(outputs).chain(lists).chain(memories).next().map_or(Word::ANY, Word::at)
}
