//! The lattice of integers: what a register, or a place of eight bytes in memory, may hold as far as addresses depend on it.

use super::super::contract::{Contract, Stream};
use super::arrays::Arrays;
use xfjit_runtime::abi::ALL_GUARDED;
#[cfg(doc)]
use xfjit_runtime::state::Io;

/// Bytes of a vertex in a plane.
const WORD: u16 = size_of::<u32>() as u16;

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
    /// So many times the first vertex of the group.
    Vertex(u16),
    /// So many times the vertex behind the last one.
    End(u16),
    /// So many times the number of vertices from the first one of the group on: the last vertex may be in it.
    Remaining(u16),
    /// So many times the number of vertices by which lanes are apart that may share vertices.
    Shared(Lane, u16),
    /// Vertex 0 of a stream.
    Start(Stream),
    /// So many times the stride of a stream: the distance between its vertices, or its planes.
    Strides(Stream, u8),
    /// The distance from vertex 0 of a stream to the first one of the group.
    Ahead(Stream),
    /// The first vertex of the group in a stream, and so many strides behind it.
    Cursor(Stream, u8),
    /// So many times the distance in a stream between the first lane and another, which may be the same vertex.
    Step(Stream, Lane, u8),
    /// The vertex of a lane in a stream, so many strides behind it: of its plane.
    Lane(Stream, u8, Lane),
    /// The first vertex of the next group in a stream, if no vertices are shared.
    Next(Stream),
    /// If no vertices are shared, the distance in a stream from the first vertex of the next group to that of the one that ends with
    /// the last vertex, and the latter.
    ToLast(Stream),
    Last(Stream),
    /// How far the first of two attributes is from the other, both so many strides behind the first vertex of the group.
    Apart(Stream, Stream, u8),
    /// The beginning of an index list.
    List(u8),
    /// The first vertex of the group in an index list.
    Listed(u8),
    /// The vertex of a lane in an index list, and the first one of the group that ends with the last vertex.
    ListedLane(u8, Lane),
    ListedLast(u8),
    /// A number of an index list.
    Index(u8),
    /// Such a number times the stride of an attribute that is found through the list.
    IndexAhead(Stream),
    /// An attribute of a vertex that its index list names. All of them are there.
    Element(Stream),
}

/// A lane of code whose groups may share vertices: the first, moved on by [`Io::NEAR`], by [`Io::FAR`], or by both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lane(u8);

impl Lane {
    pub(super) const NEAR: Lane = Lane(1);
    pub(super) const FAR: Lane = Lane(2);

    /// The lane that is one lane's distance behind another: by each at most once.
    fn behind(self, other: Lane) -> Option<Lane> {
        (self.0 & other.0 == 0).then_some(Lane(self.0 | other.0))
    }
}

/// A base, and the range of the distance from it. Ranges are inclusive, and do not wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Word {
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
        let (ahead, from) =
            if matches!(self.base, Base::Remaining(_)) { (self, other) } else { (other, self) };
        if let Base::Remaining(times) = ahead.base {
            return ahead.distance().zip(from.distance()).map_or(Word::ANY, |(ahead, behind)| {
                let contract = known.contract;
                // From the first vertex of the group that ends with the last one.
                let by = contract.lanes() * i64::from(times);
                let by = ahead.checked_add(behind).and_then(|sum| sum.checked_add(by));
                let base = match from.base {
                    Base::Cursor(stream, 0) if times == WORD && !contract.is_rows(stream) => {
                        Base::Last(stream)
                    }
                    Base::Listed(list) if i64::from(times) == contract.width(list) => Base::ListedLast(list),
                    _ => return Word::ANY,
                };
                by.map_or(Word::ANY, |by| Word::at(base).offset(by))
            });
        }
        // A row of a table is as far from its first one as the tables' first rows are from theirs.
        let (tables, row) = if self.base == Base::Lookup { (self, other) } else { (other, self) };
        if tables.base == Base::Lookup && row.is_exactly(Base::Verified) {
            return Word { base: Base::TableRow, ..tables };
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
    pub(super) fn minus(self, other: Self) -> Self {
        if let Some(by) = other.exact().and_then(i64::checked_neg) {
            return self.offset(by);
        }
        match (self.base, other.base) {
            (Base::End(times), Base::Vertex(of)) if times == of => {
                let distances = self.distance().zip(other.distance());
                let distance = distances.and_then(|(end, vertex)| end.checked_sub(vertex));
                distance.map_or(Word::ANY, |by| Word::at(Base::Remaining(times)).offset(by))
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
        let (ahead, step) = if matches!(a.base, Base::Remaining(_)) { (a, b) } else { (b, a) };
        if ahead.to_last(known.contract) == Some(1)
            && let Some(Base::Step(stream, Lane::NEAR, 1)) = step.whole()
        {
            return Word::at(Base::ToLast(stream));
        }
        let (Some(a), Some(b)) = (a.whole(), b.whole()) else { return Word::ANY };
        let product = product(a, b, known.contract).or_else(|| product(b, a, known.contract));
        product.map_or(Word::ANY, Word::at)
    }

    fn times_number(self, factor: i64) -> Self {
        if factor == 1 {
            return self;
        }
        if let (Base::Remaining(count), Some(distance)) = (self.base, self.distance()) {
            let product = scaled(count, factor).zip(distance.checked_mul(factor));
            return product.map_or(Word::ANY, |(count, by)| Word::at(Base::Remaining(count)).offset(by));
        }
        let base = match self.whole() {
            Some(Base::Vertex(count)) => scaled(count, factor).map(Base::Vertex),
            Some(Base::End(count)) => scaled(count, factor).map(Base::End),
            Some(Base::Shared(lane, count)) => scaled(count, factor).map(|count| Base::Shared(lane, count)),
            Some(Base::Step(stream, lane, count)) => {
                scaled(count, factor).map(|count| Base::Step(stream, lane, count))
            }
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
            Base::Number if self.low >= 0 => Word::number(self.low >> count, self.high >> count),
            _ => Word::ANY,
        }
    }

    /// So many times the number of vertices, less than none, from the first one of the next group to that of the group that ends with
    /// the last one.
    fn to_last(self, contract: &Contract) -> Option<u16> {
        let Base::Remaining(times) = self.base else { return None };
        (self.distance() == Some(-2 * contract.lanes() * i64::from(times))).then_some(times)
    }

    /// The complement.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only code for x86-64 has it"))]
    pub(super) fn complement(self) -> Self {
        self.exact().map_or(Word::ANY, |number| Word::exactly(!number))
    }

    /// Whether it is what an entry returns: the first vertex of the group or of the next one, or that a guard has been raised by the
    /// constants alone.
    pub(super) fn is_result(self, contract: &Contract) -> bool {
        match self.base {
            Base::Vertex(1) => self.low >= 0 && self.high <= contract.lanes(),
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
}

fn scaled<T: Into<i64> + TryFrom<i64>>(count: T, factor: i64) -> Option<T> {
    T::try_from(count.into().checked_mul(factor)?).ok()
}

/// The sum of two bases.
fn sum(a: Base, b: Base, known: Known<'_>) -> Option<Base> {
    let contract = known.contract;
    Some(match (a, b) {
        (Base::Rows, Base::Verified) => Base::ConstantRow,
        (Base::Start(stream), Base::Ahead(of)) if stream == of => Base::Cursor(stream, 0),
        (Base::Start(stream), Base::IndexAhead(of)) if stream == of => Base::Element(stream),
        (Base::List(list), Base::Vertex(times)) if i64::from(times) == contract.width(list) => {
            Base::Listed(list)
        }
        // A plane has four bytes of each vertex.
        (Base::Start(stream), Base::Vertex(WORD)) if !contract.is_rows(stream) => Base::Cursor(stream, 0),
        (Base::Cursor(stream, 0), Base::Step(of, lane, 1)) if stream == of => Base::Lane(stream, 0, lane),
        (Base::Cursor(stream, 0), Base::Step(of, Lane::FAR, 2)) if stream == of => Base::Next(stream),
        (Base::Next(stream), Base::ToLast(of)) if stream == of => Base::Last(stream),
        (Base::Lane(stream, 0, lane), Base::Step(of, other, 1)) if stream == of => {
            Base::Lane(stream, 0, lane.behind(other)?)
        }
        (Base::Cursor(stream, plane), Base::Shared(lane, WORD)) if !contract.is_rows(stream) => {
            Base::Lane(stream, plane, lane)
        }
        (Base::Lane(stream, plane, lane), Base::Shared(other, WORD)) if !contract.is_rows(stream) => {
            Base::Lane(stream, plane, lane.behind(other)?)
        }
        (Base::Listed(list), Base::Shared(lane, times)) if i64::from(times) == contract.width(list) => {
            Base::ListedLane(list, lane)
        }
        (Base::ListedLane(list, lane), Base::Shared(other, times))
            if i64::from(times) == contract.width(list) =>
        {
            Base::ListedLane(list, lane.behind(other)?)
        }
        (Base::Apart(stream, first, count), Base::Cursor(of, strides)) if (first, count) == (of, strides) => {
            Base::Cursor(stream, count)
        }
        _ => return None,
    })
}

/// The product of two bases.
fn product(a: Base, b: Base, contract: &Contract) -> Option<Base> {
    let is_at_strides =
        |stream: Stream| contract.list(stream).is_none() && contract.is_rows(stream) && stream.is_certain();
    match (a, b) {
        (Base::Vertex(1), Base::Strides(stream, 1)) if is_at_strides(stream) => Some(Base::Ahead(stream)),
        (Base::Shared(lane, 1), Base::Strides(stream, 1)) if is_at_strides(stream) => {
            Some(Base::Step(stream, lane, 1))
        }
        (Base::Index(list), Base::Strides(stream, 1)) if contract.list(stream) == Some(list) => {
            Some(Base::IndexAhead(stream))
        }
        _ => None,
    }
}
