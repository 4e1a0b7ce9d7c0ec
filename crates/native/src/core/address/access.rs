//! Memory operands: where they are, whether that is memory of the contract, and what is known to be there.

use super::super::contract::{Contract, Stream};
use super::super::places::{self, Place};
use super::memory::Slot;
use super::state::State;
use super::vectors::Vector;
use super::word::{Base, Lane, Word};
use super::{Check, Why};
use std::mem::size_of;
use std::ops::Range;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{ATTRIBUTES, Io, OUTPUTS, Row, Stream as Strided};

/// A memory operand that lies where it may.
#[derive(Clone, Debug)]
pub(in super::super) enum Accessed {
    /// Constants of the code, in its bytes.
    Constant(Range<usize>),
    /// An address, and bytes from there on.
    Memory(Word, i64),
}

impl Check<'_> {
    /// Bytes among the literals of the code, which are read there.
    pub(super) fn literal(&self, at: u64, bytes: u64) -> Result<Accessed, Why> {
        let is_within = |literals: &&Range<u64>| literals.start <= at && at <= literals.end;
        let within = self.literals.iter().find(is_within).filter(|literals| literals.end - at >= bytes);
        within
            .map(|_| Accessed::Constant(at as usize..(at + bytes) as usize))
            .ok_or("constants outside of the code")
    }

    /// Whether bytes lie in the memory that their address is counted from.
    pub(super) fn check(&self, word: Word, bytes: i64, writes: bool, state: &State) -> Result<(), Why> {
        let contract = self.contract;
        let row = size_of::<Row>() as i64;
        let (range, may_write) = match word.base {
            Base::Rows => (0..if writes { contract.writes } else { contract.rows }, contract.writes > 0),
            Base::Io => (0..contract.io(), false),
            Base::Scratch if writes && word.low >= contract.told.0 => {
                (contract.told.0..contract.told.1, true)
            }
            Base::Scratch => (0..contract.scratch(), true),
            Base::Lookup => (0..contract.lookup(), false),
            Base::ConstantRow => (0..row, false),
            Base::TableRow if bytes == row => (0..contract.lookup(), false),
            Base::Stack => match state.words[usize::from(self.convention.stack)] {
                Word { base: Base::Stack, low, high } if low == high => (low..0, true),
                _ => return Err("the stack pointer is unknown"),
            },
            Base::Cursor(stream, count) => self.stream(stream, i64::from(count), writes, state),
            // All lanes of a group have vertices, shared or not.
            Base::Lane(stream, count, _) => match stream.of_output() {
                Some(_) if !contract.is_rows(stream) => {
                    let is_live = contract.stores(stream) && count < 4;
                    (0..if is_live { size_of::<u32>() as i64 } else { 0 }, true)
                }
                _ => self.stream(stream, 0, writes, state),
            },
            // Whole numbers of the list, and no parts of two.
            Base::Listed(list) | Base::ListedLane(list, _) => {
                let width = contract.width(list);
                let is_one = bytes == width && word.low == word.high && word.low % width == 0;
                let there = if matches!(word.base, Base::Listed(_)) { state.there } else { 1 };
                (0..if is_one { there * width } else { 0 }, false)
            }
            Base::Element(stream) if contract.reads(stream) => {
                (0..stream.attribute().map_or(0, |attribute| contract.element(attribute)), false)
            }
            _ => return Err("an address of unknown base"),
        };
        let is_inside =
            word.low >= range.start && word.high.checked_add(bytes).is_some_and(|end| end <= range.end);
        match (is_inside, writes && !may_write) {
            (true, false) => Ok(()),
            (true, true) => Err("a store into memory that is only read"),
            (false, _) if writes && !may_write => Err("a store into memory that is only read"),
            (false, _) => Err("an address that is not inside its memory"),
        }
    }

    /// The bytes from the address of a vertex on that belong to it, or to what of its plane is there, and whether they may be
    /// written; none if the vertex is not there for certain, or if the stream is not used so.
    fn stream(&self, stream: Stream, count: i64, writes: bool, state: &State) -> (Range<i64>, bool) {
        let contract = self.contract;
        let is_live = match writes {
            false => contract.reads(stream) && contract.list(stream).is_none(),
            true => contract.stores(stream),
        };
        let (most, bytes) = match stream.attribute() {
            Some(attribute) => (state.there, self.row_bytes(attribute, state)),
            None if contract.layout == Layout::Rows => (state.there, size_of::<Row>() as i64),
            None => (4, size_of::<u32>() as i64 * state.there.min(contract.lanes())),
        };
        (0..if is_live && count < most { bytes } else { 0 }, true)
    }

    /// Bytes of an attribute's element, and of what lies behind it in the same row of an array, up to the end of another one that
    /// is read. Between them is no page of its own.
    fn row_bytes(&self, attribute: usize, state: &State) -> i64 {
        let own = self.contract.element(attribute);
        let within = state.arrays.within(self.contract.inputs, attribute);
        let ends = within
            .filter(|&(other, _)| self.contract.list(Stream::input(other)).is_none())
            .map(|(other, at)| i64::from(at) + self.contract.element(other));
        ends.fold(own, i64::max)
    }

    /// The stack pointer stays within the frame: whoever interrupts the code writes below it.
    pub(super) fn is_stack_whole(&self, state: &State) -> Result<(), Why> {
        let stack = state.words[usize::from(self.convention.stack)];
        let at = stack.distance().filter(|_| stack.base == Base::Stack);
        match at.is_some_and(|at| (-self.contract.depth(self.convention)..=0).contains(&at)) {
            true => Ok(()),
            false => Err("the stack pointer leaves the frame"),
        }
    }

    /// What a load to an integer register finds.
    pub(super) fn load(&self, place: &Accessed, state: &State) -> Word {
        let &Accessed::Memory(word, bytes) = place else { return Word::ANY };
        let Some(at) = word.distance() else { return Word::ANY };
        let slots = match word.base {
            Base::Io if bytes == 8 => return of_io(at, self.contract),
            // Of the width of the list, or it would have been refused.
            Base::Listed(list) | Base::ListedLane(list, _) => return Word::at(Base::Index(list)),
            Base::Stack => &state.stack,
            Base::Scratch => &state.scratch,
            _ => return Word::ANY,
        };
        match slots.at(at) {
            Some(Slot::Word(word)) if bytes == 8 => word,
            _ => Word::ANY,
        }
    }

    /// What a load of sixteen bytes to a vector register finds.
    pub(super) fn load_vector(&self, place: &Accessed, state: &State) -> Vector {
        let slot = match place {
            Accessed::Constant(bytes) => {
                let words = self.bytes.get(bytes.clone()).unwrap_or_default().as_chunks::<4>().0;
                let most = words.iter().map(|word| u32::from_le_bytes(*word)).max();
                return if bytes.len() == 16 {
                    most.map_or(Vector::ANY, Vector::AtMost)
                } else {
                    Vector::ANY
                };
            }
            Accessed::Memory(word, 16) => word.distance().and_then(|at| match word.base {
                Base::Stack => state.stack.at(at),
                Base::Scratch => state.scratch.at(at),
                _ => None,
            }),
            Accessed::Memory(..) => None,
        };
        match slot {
            Some(Slot::Vector(vector)) => vector,
            _ => Vector::ANY,
        }
    }

    /// Notes a store, and what it leaves where it is all that is stored.
    pub(super) fn store(place: &Accessed, what: Option<Slot>, state: &mut State) {
        let &Accessed::Memory(word, bytes) = place else { return };
        let slots = match word.base {
            Base::Stack => &mut state.stack,
            Base::Scratch => &mut state.scratch,
            _ => return,
        };
        // It has been checked to lie inside, so that nothing here overflows.
        slots.store(word.low, word.high - word.low + bytes, what.filter(|_| word.low == word.high));
    }

    /// Where accessed memory is, for whoever asks what it holds.
    pub(super) fn place(&self, accessed: &Accessed, state: &State) -> Place {
        let &Accessed::Memory(word, bytes) = accessed else {
            let Accessed::Constant(bytes) = accessed else { return Place::None };
            return Place::Literals(bytes.start as u32);
        };
        let at = word.low;
        let exactly = word.distance().and_then(|at| i32::try_from(at).ok());
        match word.base {
            Base::Scratch => exactly.map_or(Place::None, Place::Scratch),
            Base::Stack => exactly.map_or(Place::None, Place::Stack),
            Base::Rows | Base::ConstantRow => {
                let is_computed = word.base == Base::ConstantRow || exactly.is_none();
                u32::try_from(at).map_or(Place::None, |at| Place::Constants { at, is_computed })
            }
            Base::Lookup | Base::TableRow => u32::try_from(at).map_or(Place::None, Place::Table),
            Base::Cursor(stream, plane) | Base::Lane(stream, plane, _)
                if stream.some() == Stream::SOME_OUTPUT =>
            {
                let rows = || at.checked_div(size_of::<u32>() as i64).and_then(|at| u8::try_from(at).ok());
                let component = if self.contract.is_rows(stream) { rows() } else { Some(plane) };
                let output = stream.of_output().map(|output| output as u8);
                component.map_or(Place::None, |component| Place::Output { output, component })
            }
            Base::Cursor(stream, _) | Base::Lane(stream, ..) | Base::Element(stream) => {
                let word = |number: i64| {
                    let first = at + size_of::<u32>() as i64 * number;
                    let last = (first + size_of::<u32>() as i64).min(at + bytes) - 1;
                    self.word_of(stream, first, last.max(first), state)
                };
                Place::Attributes([0, 1, 2, 3].map(word))
            }
            _ => Place::None,
        }
    }

    /// The word with these bytes of a stream's row: of that attribute, or of another one in the same row of an array.
    fn word_of(&self, stream: Stream, first: i64, last: i64, state: &State) -> places::Word {
        let Some(attribute) = stream.attribute() else { return places::Word::of(None, first..=last) };
        if first < self.contract.element(attribute) {
            return places::Word::of(Some(attribute), first..=last);
        }
        let within = state.arrays.within(self.contract.inputs, attribute);
        let mut others = within.map(|(other, at)| (other, i64::from(at)));
        let other = others.find(|&(other, at)| (at..at + self.contract.element(other)).contains(&first));
        other.map_or(places::Word::None, |(other, at)| places::Word::of(Some(other), first - at..=last - at))
    }
}

/// What eight bytes of the [`Io`] hold.
fn of_io(at: i64, contract: &Contract) -> Word {
    let Ok(at) = usize::try_from(at) else { return Word::ANY };
    let stream = |first: usize, count: usize, of: fn(usize) -> Stream| {
        let within = at.checked_sub(first)?;
        let (number, member) = (within / size_of::<Strided>(), within % size_of::<Strided>());
        let stream = (number < count).then(|| of(number))?;
        match member {
            Strided::BASE => Some(Base::Start(stream)),
            Strided::STRIDE => Some(Base::Strides(stream, 1)),
            _ => None,
        }
    };
    let list = || {
        let within = at.checked_sub(Io::index(0))?;
        let number = within / size_of::<usize>();
        let is_one = number <= ATTRIBUTES && within.is_multiple_of(size_of::<usize>());
        is_one.then_some(Base::List(number as u8))
    };
    let base = match at {
        Io::SCRATCH => Some(Base::Scratch),
        Io::LOOKUP => Some(Base::Lookup),
        // Other code has no shared vertices.
        Io::NEAR if contract.shares() => Some(Base::Shared(Lane::NEAR, 1)),
        Io::FAR if contract.shares() => Some(Base::Shared(Lane::FAR, 1)),
        _ => stream(Io::input(0), ATTRIBUTES, Stream::input)
            .or_else(|| stream(Io::output(0), OUTPUTS, Stream::output))
            .or_else(list),
    };
    base.map_or(Word::ANY, Word::at)
}
