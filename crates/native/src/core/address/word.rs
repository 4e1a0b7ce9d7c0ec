//! The lattice of integers: what a register, or a place of eight bytes in memory, may hold as far as addresses depend on it.

use super::super::contract::{Contract, Stream};
use super::arrays::Arrays;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::state::{ATTRIBUTES, Io, OUTPUTS, Stream as Layout};

/// What a [`Word`] is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// Nothing: it is a number.
    Number,
    /// Two numbers of 32 bits, neither above the upper bound.
    Pair,
    /// Two lanes of a vector, and one of them, that name rows which the verifier has bounded.
    VerifiedPair,
    Verified,
    /// The stack pointer at the entry.
    Stack,
    /// What the caller has in the integer register of this number.
    Caller(u8),
    /// The rows of constants.
    Rows,
    Io,
    Scratch,
    Lookup,
    /// A row of constants, and one of the tables, that the verifier has bounded.
    ConstantRow,
    TableRow,
    /// So many times the number of the current group. Its first vertex is the group times the lanes.
    Group(u16),
    /// So many times the number of the group behind the last one. That times the lanes is the vertex behind the last one, even if
    /// the last group is shorter.
    End(u16),
    /// How many vertices there are from the first one of the group on: the last vertex may be in it.
    Remaining,
    /// Vertex 0 of a stream.
    Start(Stream),
    /// So many times the stride of a stream: the distance between its vertices, or its planes.
    Strides(Stream, u8),
    /// The distance from vertex 0 of a stream to the first one of the group.
    Ahead(Stream),
    /// The first vertex of the group in a stream, and so many strides behind it.
    Cursor(Stream, u8),
    /// How far the first of two attributes is from the other, both so many strides behind the first vertex of the group.
    Apart(Stream, Stream, u8),
    /// The beginning of an index list.
    List(u8),
    /// The first vertex of the group in an index list.
    Listed(u8),
    /// A number of an index list.
    Index(u8),
    /// Such a number times the stride of an attribute that is found through the list.
    IndexAhead(Stream),
    /// An attribute of a vertex that its index list names. All of them are there.
    Element(Stream),
}

/// A base, and the range of the distance from it. Ranges are inclusive, and do not wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word {
    pub(super) base: Base,
    pub(super) low: i64,
    pub(super) high: i64,
}

/// What words are joined and added by: the contract, and how arrays lie to each other.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) contract: &'a Contract,
    pub(super) arrays: &'a Arrays,
}

impl Known<'_> {
    /// Whether two streams have one stride.
    fn is_one_stride(self, a: Stream, b: Stream) -> bool {
        let both = a.attribute().zip(b.attribute());
        a == b || both.is_some_and(|(a, b)| self.arrays.are_equal(a, b))
    }
}

impl Word {
    /// The top of the lattice: anything.
    pub(super) const ANY: Word = Word { base: Base::Number, low: i64::MIN, high: i64::MAX };

    pub(super) const fn at(base: Base) -> Self {
        Word { base, low: 0, high: 0 }
    }

    pub(super) const fn number(low: i64, high: i64) -> Self {
        Word { base: Base::Number, low, high }
    }

    pub(super) const fn exactly(number: i64) -> Self {
        Word::number(number, number)
    }

    /// The distance from the base, if it is known.
    pub(super) fn distance(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// The number, if it is a known one.
    pub(super) fn exact(self) -> Option<i64> {
        self.distance().filter(|_| self.base == Base::Number)
    }

    pub(super) fn is_exactly(self, base: Base) -> bool {
        self == Word::at(base)
    }

    /// The base, if there is no distance from it.
    fn whole(self) -> Option<Base> {
        (self.low == 0 && self.high == 0).then_some(self.base)
    }

    /// The sum with a constant.
    pub(super) fn offset(self, by: i64) -> Self {
        match (self.low.checked_add(by), self.high.checked_add(by)) {
            (Some(low), Some(high)) if self != Word::ANY && self.base != Base::Pair => {
                Word { low, high, ..self }
            }
            _ if by == 0 => self,
            _ => Word::ANY,
        }
    }

    /// The sum.
    pub(super) fn plus(self, other: Self, known: Known<'_>) -> Self {
        let (number, based) = if self.base == Base::Number { (self, other) } else { (other, self) };
        if number.base == Base::Number {
            let ends = (number.low.checked_add(based.low), number.high.checked_add(based.high));
            return match ends {
                (Some(low), Some(high)) if number != Word::ANY && based.base != Base::Pair => {
                    Word { low, high, ..based }
                }
                _ => Word::ANY,
            };
        }
        // Strides are added to the beginning of a vertex, whatever bytes are added to that.
        let (cursor, strides) =
            if matches!(self.base, Base::Cursor(..)) { (self, other) } else { (other, self) };
        if let (Base::Cursor(stream, count), Some(Base::Strides(of, more))) = (cursor.base, strides.whole())
            && known.is_one_stride(of, stream)
        {
            let count = count.checked_add(more);
            return count.map_or(Word::ANY, |count| Word { base: Base::Cursor(stream, count), ..cursor });
        }
        let (Some(a), Some(b)) = (self.whole(), other.whole()) else { return Word::ANY };
        if let (Base::Strides(stream, count), Base::Strides(of, more)) = (a, b)
            && stream == of
        {
            let count = count.checked_add(more);
            return count.map_or(Word::ANY, |count| Word::at(Base::Strides(stream, count)));
        }
        let sum = sum(a, b, known).or_else(|| sum(b, a, known));
        sum.map_or(Word::ANY, Word::at)
    }

    /// The difference.
    pub(super) fn minus(self, other: Self, known: Known<'_>) -> Self {
        if let Some(by) = other.exact().and_then(i64::checked_neg) {
            return self.offset(by);
        }
        let lanes = known.contract.shape.lanes as u16;
        match (self.base, other.base) {
            (Base::End(times), Base::Group(of)) if [times, of] == [lanes; 2] => {
                let distance = self.whole().and(other.distance()).and_then(i64::checked_neg);
                distance.map_or(Word::ANY, |by| Word::at(Base::Remaining).offset(by))
            }
            (Base::Cursor(a, count), Base::Cursor(b, of))
                if count == of && a != b && self.whole().and(other.whole()).is_some() =>
            {
                Word::at(Base::Apart(a, b, count))
            }
            _ => Word::ANY,
        }
    }

    /// The product.
    pub(super) fn times(self, other: Self, known: Known<'_>) -> Self {
        let (a, b) = if other.exact().is_some() { (self, other) } else { (other, self) };
        if let Some(factor) = b.exact() {
            return a.times_number(factor);
        }
        let (Some(a), Some(b)) = (a.whole(), b.whole()) else { return Word::ANY };
        let product = product(a, b, known.contract).or_else(|| product(b, a, known.contract));
        product.map_or(Word::ANY, Word::at)
    }

    fn times_number(self, factor: i64) -> Self {
        if factor == 1 {
            return self;
        }
        let base = match self.whole() {
            Some(Base::Group(count)) => scaled(count, factor).map(Base::Group),
            Some(Base::End(count)) => scaled(count, factor).map(Base::End),
            Some(Base::Strides(stream, count)) => {
                scaled(count, factor).map(|count| Base::Strides(stream, count))
            }
            _ => None,
        };
        if let Some(base) = base {
            return Word::at(base);
        }
        match (self.low.checked_mul(factor), self.high.checked_mul(factor)) {
            (Some(low), Some(high)) if self.base == Base::Number && factor >= 0 => Word::number(low, high),
            _ => Word::ANY,
        }
    }

    pub(super) fn shifted_right(self, count: u32) -> Self {
        match self.base {
            Base::Pair if count == 32 => Word::number(0, self.high),
            Base::VerifiedPair if count == 32 => Word::at(Base::Verified),
            Base::Group(times) => self.divided(times, 1 << count.min(15)).unwrap_or(Word::ANY),
            Base::Number if self.low >= 0 => Word::number(self.low >> count, self.high >> count),
            _ => Word::ANY,
        }
    }

    /// A multiple of the number of a group divided by a power of two, if it stays one.
    fn divided(self, times: u16, by: u16) -> Option<Self> {
        let (at, by_wide) = (self.distance()?, i64::from(by));
        let is_whole = times.is_multiple_of(by) && at % by_wide == 0 && at >= 0;
        is_whole.then(|| Word::at(Base::Group(times / by)).offset(at / by_wide))
    }

    /// The complement.
    pub(super) fn complement(self) -> Self {
        self.exact().map_or(Word::ANY, |number| Word::exactly(!number))
    }

    /// Whether it is what an entry returns: a group up to the one behind the last, or that a guard has been raised by the
    /// constants alone.
    pub(super) fn is_result(self) -> bool {
        let within = |times: u16| self.low >= 0 && self.high <= i64::from(times);
        match self.base {
            Base::Group(times) | Base::End(times) => within(times),
            _ => self.exact() == Some(ALL_GUARDED as i64),
        }
    }

    /// The low 32 bits, zero-extended.
    pub(super) fn half(self) -> Self {
        let most = i64::from(u32::MAX);
        match self.base {
            Base::Pair => Word::number(0, self.high),
            Base::VerifiedPair => Word::at(Base::Verified),
            // They have no more.
            Base::Index(_) | Base::Verified if self.whole().is_some() => self,
            Base::Number if self.low >= 0 && self.high <= most => self,
            _ => Word::number(0, most),
        }
    }

    /// What it is of the next group. Nothing is known of vertices that are no more of this one.
    pub(super) fn of_next_group(self, contract: &Contract) -> Self {
        let lanes = contract.lanes();
        let back = |by: i64| if self.low >= by { self.offset(-by) } else { Word::ANY };
        match self.base {
            // The number of the next group is one more.
            Base::Group(times) => self.offset(-i64::from(times)),
            Base::Remaining => self.offset(lanes),
            Base::Cursor(stream, count) if contract.is_rows(stream) => {
                let count = i64::from(count).checked_sub(lanes).and_then(|count| u8::try_from(count).ok());
                count.map_or(Word::ANY, |count| Word { base: Base::Cursor(stream, count), ..self })
            }
            Base::Cursor(..) => back(contract.plane()),
            Base::Listed(list) => back(lanes * contract.width(list)),
            Base::Ahead(_) | Base::Apart(..) => Word::ANY,
            _ => self,
        }
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
            Base::Group(times) if self.base == other.base => {
                let (low, high) = (self.low.min(other.low), self.high.max(other.high));
                let is_either = low >= 0 && high <= i64::from(times);
                if is_either { Word { low, high, ..self } } else { Word::ANY }
            }
            _ => Word::ANY,
        }
    }
}

/// How streams of two states are called where they meet. Which attribute (or output) it is whose stride registers hold may depend on
/// the way; it is one stride in all of them, and has one name, see [`Stream::some`].
#[derive(Default)]
pub(super) struct Renaming {
    inputs: Option<(Stream, Stream)>,
    outputs: Option<(Stream, Stream)>,
}

impl Renaming {
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

fn scaled<T: Into<i64> + TryFrom<i64>>(count: T, factor: i64) -> Option<T> {
    T::try_from(count.into().checked_mul(factor)?).ok()
}

/// The sum of two bases.
fn sum(a: Base, b: Base, known: Known<'_>) -> Option<Base> {
    let contract = known.contract;
    Some(match (a, b) {
        (Base::Rows, Base::Verified) => Base::ConstantRow,
        (Base::Lookup, Base::Verified) => Base::TableRow,
        (Base::Start(stream), Base::Ahead(of)) if stream == of => Base::Cursor(stream, 0),
        (Base::Start(stream), Base::IndexAhead(of)) if stream == of => Base::Element(stream),
        (Base::List(list), Base::Group(times))
            if i64::from(times) == contract.lanes() * contract.width(list) =>
        {
            Base::Listed(list)
        }
        // A plane has four bytes of each vertex.
        (Base::Start(stream), Base::Group(times))
            if i64::from(times) == contract.plane() && !contract.is_rows(stream) =>
        {
            Base::Cursor(stream, 0)
        }
        (Base::Apart(stream, first, count), Base::Cursor(of, strides)) if (first, count) == (of, strides) => {
            Base::Cursor(stream, count)
        }
        _ => return None,
    })
}

/// The product of two bases.
fn product(a: Base, b: Base, contract: &Contract) -> Option<Base> {
    match (a, b) {
        (Base::Group(times), Base::Strides(stream, 1))
            if i64::from(times) == contract.lanes()
                && contract.list(stream).is_none()
                && contract.is_rows(stream)
                && stream.is_certain() =>
        {
            Some(Base::Ahead(stream))
        }
        (Base::Index(list), Base::Strides(stream, 1)) if contract.list(stream) == Some(list) => {
            Some(Base::IndexAhead(stream))
        }
        _ => None,
    }
}

/// What eight bytes of the [`Io`] hold.
pub(super) fn of_io(at: i64) -> Word {
    let Ok(at) = usize::try_from(at) else { return Word::ANY };
    let stream = |first: usize, count: usize, of: fn(usize) -> Stream| {
        let within = at.checked_sub(first)?;
        let (number, member) = (within / size_of::<Layout>(), within % size_of::<Layout>());
        let stream = (number < count).then(|| of(number))?;
        match member {
            Layout::BASE => Some(Base::Start(stream)),
            Layout::STRIDE => Some(Base::Strides(stream, 1)),
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
        _ => stream(Io::input(0), ATTRIBUTES, Stream::input)
            .or_else(|| stream(Io::output(0), OUTPUTS, Stream::output))
            .or_else(list),
    };
    base.map_or(Word::ANY, Word::at)
}
