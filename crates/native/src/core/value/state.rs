//! Lattice, meet and transfer function: what places hold, where ways join, and behind an instruction.

use super::super::note::Place;
use super::decode::{Action, Memory, STACK, Step, Where};
use super::operations::{Operations, Owner};
use std::collections::BTreeMap;
use xfjit_runtime::state::Io;

/// Registers of vectors, of masks and general ones.
const VECTORS: usize = 32;
const MASKS: usize = 8;
const GENERALS: usize = 16;

/// An address that memory operands start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// The rows of constants.
    Rows,
    /// The [`Io`].
    Io,
    /// The scratch memory.
    Scratch,
}

/// A place whose vectors may be others on each way to a join.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Spot {
    Register(Place),
    Stack(i32),
}

/// A vector, by what made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Made {
    /// The instruction at this place of the code, in this register or elsewhere.
    At(u32, Option<Place>),
    /// The join at this place of the code, of what was there.
    Joined(u32, Spot),
}

/// What a place holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// A vector, for whom it was made, and what made it.
    Made(Owner, Made),
    /// The same two words in all lanes.
    Literal(u64),
    Base(Base),
    /// Nothing that is known.
    Unknown,
}

impl Holds {
    /// What a place holds where two ways join.
    fn meet(self, other: Holds, join: u32, spot: Spot, operations: &Operations<'_>) -> Holds {
        if self == other {
            return self;
        }
        match (self, other) {
            (Holds::Made(a, _), Holds::Made(b, _)) => operations
                .common(a, b)
                .map_or(Holds::Unknown, |owner| Holds::Made(owner, Made::Joined(join, spot))),
            // No guard has been raised on one of the ways.
            (Holds::Literal(_), Holds::Made(owner, _)) | (Holds::Made(owner, _), Holds::Literal(_))
                if operations.gathers(owner) =>
            {
                Holds::Made(Owner::Guards, Made::Joined(join, spot))
            }
            _ => Holds::Unknown,
        }
    }
}

/// Vectors and words of a memory by their offset: how many bytes they have, and what is there.
pub(super) type Bytes = BTreeMap<i32, (i32, Holds)>;

/// What all places hold at one place of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    vectors: [Holds; VECTORS],
    masks: [Holds; MASKS],
    generals: [Holds; GENERALS],
    scratch: Bytes,
    stack: Bytes,
}

impl State {
    /// At the entry of a function, which gets the addresses of constants and of the [`Io`] in these registers.
    pub(super) fn new([rows, io]: [u8; 2]) -> Self {
        let mut state = State {
            vectors: [Holds::Unknown; VECTORS],
            masks: [Holds::Unknown; MASKS],
            generals: [Holds::Unknown; GENERALS],
            scratch: Bytes::new(),
            stack: Bytes::new(),
        };
        state.generals[usize::from(rows)] = Holds::Base(Base::Rows);
        state.generals[usize::from(io)] = Holds::Base(Base::Io);
        state
    }

    pub(super) fn at(&self, place: Place) -> Holds {
        match place {
            Place::Vector(number) => self.vectors[usize::from(number)],
            Place::Mask(number) => self.masks[usize::from(number)],
        }
    }

    fn put(&mut self, place: Place, holds: Holds) {
        match place {
            Place::Vector(number) => self.vectors[usize::from(number)] = holds,
            Place::Mask(number) => self.masks[usize::from(number)] = holds,
        }
    }

    /// The address that a memory operand starts from, if it is known and nothing else is part of it.
    pub(super) fn base(&self, memory: Memory) -> Option<Base> {
        match self.generals[usize::from(memory.base?)] {
            Holds::Base(base) if !memory.is_indexed => Some(base),
            _ => None,
        }
    }

    /// Whether a memory operand is in one of the memories that are followed.
    pub(super) fn is_followed(&self, memory: Memory) -> bool {
        memory.base == Some(STACK) || self.base(memory) == Some(Base::Scratch)
    }

    /// What memory of those holds where an operand reads it.
    pub(super) fn in_memory(&self, memory: Memory) -> Holds {
        let bytes = if memory.base == Some(STACK) { &self.stack } else { &self.scratch };
        match bytes.get(&memory.at) {
            Some(&(size, holds)) if size == memory.bytes => holds,
            _ => Holds::Unknown,
        }
    }

    /// Joins what comes on another way to the same place; whether anything became less known.
    pub(super) fn join(&mut self, other: &State, at: u32, operations: &Operations<'_>) -> bool {
        let before = self.clone();
        for number in 0..VECTORS as u8 {
            let place = Place::Vector(number);
            self.put(place, self.at(place).meet(other.at(place), at, Spot::Register(place), operations));
        }
        for number in 0..MASKS as u8 {
            let place = Place::Mask(number);
            self.put(place, self.at(place).meet(other.at(place), at, Spot::Register(place), operations));
        }
        for (own, other) in self.generals.iter_mut().zip(other.generals) {
            if *own != other {
                *own = Holds::Unknown;
            }
        }
        // Registers that the code generator spills may be other vectors on each way, which what emitters store never is.
        self.scratch.retain(|offset, found| other.scratch.get(offset) == Some(found));
        self.stack.retain(|&offset, (bytes, holds)| {
            let Some(&(others, other)) = other.stack.get(&offset) else { return false };
            *holds = holds.meet(other, at, Spot::Stack(offset), operations);
            *bytes == others && *holds != Holds::Unknown
        });
        *self != before
    }

    /// An operation begins: what was made for it before is unknown.
    pub(super) fn begin(&mut self, owner: Owner) {
        let forget = |holds: &mut Holds| {
            if matches!(holds, Holds::Made(of, _) if *of == owner) {
                *holds = Holds::Unknown;
            }
        };
        self.vectors.iter_mut().for_each(forget);
        self.masks.iter_mut().for_each(forget);
        let was_made = |(_, holds): &(i32, Holds)| matches!(holds, Holds::Made(of, _) if *of == owner);
        self.scratch.retain(|_, found| !was_made(found));
        self.stack.retain(|_, found| !was_made(found));
    }

    /// What an instruction does.
    pub(super) fn step(&mut self, step: &Step, operations: &Operations<'_>) {
        let owner = operations.owner(step.at);
        let made = |place: Option<Place>| Holds::Made(owner, Made::At(step.at, place));
        let copied = match step.action {
            Action::Copy(from, _) => self.copied(step.at, from, operations),
            Action::Literal(words) => Some(Holds::Literal(words)),
            Action::Compute => None,
        };
        let (stored, memory) = match step.action {
            Action::Copy(Where::Place(_), Where::Memory(memory)) if memory.bytes == 4 => {
                // The first lane is the value if all lanes are alike.
                let is_alike =
                    |holds: &Holds| matches!(holds, Holds::Made(of, _) if operations.is_uniform(*of));
                (copied.filter(is_alike), Some(memory))
            }
            Action::Copy(_, Where::Memory(memory)) => (copied, Some(memory)),
            _ => (None, step.memory),
        };
        if let Some(memory) = memory.filter(|memory| memory.is_written) {
            self.store(memory, stored.unwrap_or(made(None)), made(None), operations);
        }
        for &place in &step.writes {
            self.put(place, copied.unwrap_or(made(Some(place))));
        }
        for number in (0..GENERALS).filter(|number| step.generals >> number & 1 != 0) {
            let is_copy = matches!(step.action, Action::Copy(_, Where::General(_)));
            self.generals[number] = copied.filter(|_| is_copy).unwrap_or(Holds::Unknown);
            if number == usize::from(STACK) {
                self.stack.clear();
            }
        }
    }

    /// What is copied from a place; nothing if that is not followed, so that the copy is as good as made.
    fn copied(&self, at: u32, from: Where, operations: &Operations<'_>) -> Option<Holds> {
        let memory = match from {
            Where::Place(place) => return Some(self.at(place)),
            Where::General(number) => return Some(self.generals[usize::from(number)]),
            Where::Memory(memory) => memory,
        };
        if self.base(memory) == Some(Base::Io) && memory.at as usize == Io::SCRATCH {
            return Some(Holds::Base(Base::Scratch));
        }
        let is_scratch = self.base(memory) == Some(Base::Scratch);
        if !self.is_followed(memory) || is_scratch && operations.cell(memory.at).is_some() {
            return None;
        }
        let found = self.in_memory(memory);
        let is_frame = is_scratch && found == Holds::Unknown && operations.runs_blocks(operations.owner(at));
        (!is_frame).then_some(found)
    }

    /// Stores something, or what has just been made if that is a cell: what a cell holds is the cell.
    fn store(&mut self, memory: Memory, holds: Holds, made: Holds, operations: &Operations<'_>) {
        let base = self.base(memory);
        let is_cell = base == Some(Base::Scratch) && operations.cell(memory.at).is_some();
        let bytes = match (memory.base, base) {
            (Some(STACK), _) => &mut self.stack,
            (_, Some(Base::Scratch)) => &mut self.scratch,
            _ => return,
        };
        let (at, size) = (memory.at, memory.bytes);
        bytes.retain(|&other, &mut (bytes, _)| other + bytes <= at || at + size <= other);
        if !memory.is_indexed {
            bytes.insert(at, (size, if is_cell { made } else { holds }));
        }
    }
}
