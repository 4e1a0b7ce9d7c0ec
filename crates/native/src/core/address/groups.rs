//! Words from group to group: what they are of the next one, and what holds of them where paths meet.

use super::super::contract::{Contract, Stream};
use super::word::{Base, Word};

impl Word {
    /// What it is of the next group. Nothing is known of vertices that are no more of this one.
    pub(super) fn of_next_group(self, contract: &Contract) -> Self {
        let lanes = contract.lanes();
        let back = |by: i64| if self.low >= by { self.offset(-by) } else { Word::ANY };
        match self.base {
            Base::Vertex(times) => self.offset(-lanes * i64::from(times)),
            Base::Remaining(times) => self.offset(lanes * i64::from(times)),
            Base::Next(stream) => Word { base: Base::Cursor(stream, 0), ..self },
            Base::Cursor(stream, count) if contract.is_rows(stream) => {
                let count = i64::from(count).checked_sub(lanes).and_then(|count| u8::try_from(count).ok());
                count.map_or(Word::ANY, |count| Word { base: Base::Cursor(stream, count), ..self })
            }
            Base::Cursor(..) => back(contract.plane()),
            Base::Listed(list) => back(lanes * contract.width(list)),
            _ if self.is_of_group() => Word::ANY,
            _ => self,
        }
    }

    /// What it is of the group that ends with the last vertex, which is the next one.
    pub(super) fn of_last_group(self) -> Self {
        match self.base {
            Base::Last(stream) => Word { base: Base::Cursor(stream, 0), ..self },
            Base::ListedLast(list) => Word { base: Base::Listed(list), ..self },
            _ if self.is_of_group() => Word::ANY,
            _ => self,
        }
    }

    /// Whether it is something else in another group.
    fn is_of_group(self) -> bool {
        match self.base {
            Base::Vertex(_) | Base::Remaining(_) | Base::Ahead(_) | Base::Apart(..) => true,
            Base::Cursor(..) | Base::Lane(..) | Base::Next(_) | Base::ToLast(_) | Base::Last(_) => true,
            Base::Listed(_) | Base::ListedLane(..) | Base::ListedLast(_) => true,
            Base::Number | Base::Pair | Base::VerifiedPair | Base::Verified | Base::Stack => false,
            Base::Caller(_) | Base::Rows | Base::Io | Base::Scratch | Base::Lookup => false,
            Base::ConstantRow | Base::TableRow | Base::End(_) | Base::Start(_) | Base::Strides(..) => false,
            Base::Shared(..) | Base::Step(..) | Base::List(_) => false,
            Base::Index(_) | Base::IndexAhead(_) | Base::Element(_) => false,
        }
    }

    /// Whether it may be less where it meets its equal: what it is called depends on other words that meet, see [`Renaming`].
    pub(super) fn is_renamed(self) -> bool {
        matches!(self.base, Base::Strides(stream, _) if !stream.is_certain())
    }

    /// The meet with what arrives from elsewhere: what holds of both.
    pub(super) fn meet(self, other: Self, renaming: &mut Renaming) -> Self {
        if let (Base::Strides(a, count), Base::Strides(b, of)) = (self.base, other.base) {
            let stream = if count == of && (self.low, self.high) == (other.low, other.high) {
                renaming.of(a, b)
            } else {
                None
            };
            return stream.map_or(Word::ANY, |stream| Word { base: Base::Strides(stream, count), ..self });
        }
        match self.base {
            _ if self == other => self,
            // This group, or the next one.
            Base::Vertex(1) if self.base == other.base => {
                let (low, high) = (self.low.min(other.low), self.high.max(other.high));
                let is_either = low >= 0 && high <= renaming.lanes;
                if is_either { Word { low, high, ..self } } else { Word::ANY }
            }
            // The group that ends with the last vertex begins so many before the end.
            Base::Vertex(1) if self.distance() == Some(0) && renaming.is_last => {
                let is_first = other == Word::at(Base::End(1)).offset(-renaming.lanes);
                if is_first { self } else { Word::ANY }
            }
            _ => Word::ANY,
        }
    }
}

/// How streams of two states are called where they meet. Which attribute (or output) it is whose stride registers hold may depend on
/// the way; it is one stride in all of them, and has one name, see [`Stream::some`].
pub(super) struct Renaming {
    inputs: Option<(Stream, Stream)>,
    outputs: Option<(Stream, Stream)>,
    /// Vertices of a group, and whether that of the other state ends with the last vertex.
    lanes: i64,
    is_last: bool,
}

impl Renaming {
    pub(super) fn new(contract: &Contract, is_last: bool) -> Self {
        Renaming { inputs: None, outputs: None, lanes: contract.lanes(), is_last }
    }

    fn of(&mut self, mine: Stream, theirs: Stream) -> Option<Stream> {
        let some = mine.some();
        if mine == theirs && mine.is_certain() {
            return Some(mine);
        }
        let known = if some == Stream::SOME_INPUT { &mut self.inputs } else { &mut self.outputs };
        let is_one = some == theirs.some() && *known.get_or_insert((mine, theirs)) == (mine, theirs);
        is_one.then_some(some)
    }
}
