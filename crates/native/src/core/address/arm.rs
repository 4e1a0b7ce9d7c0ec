//! The transfer functions of AArch64: what an instruction that is no jump does to the state.

use super::super::arm::{Access, Bank, Bound, Does, Insn, Moved};
use super::access::Accessed;
use super::memory::Slot;
use super::state::{Flags, State};
use super::vectors::Vector;
use super::word::{Base, Word};
use super::{Check, Condition, Told, Transfer, Why};

/// The stack pointer, among the registers.
const STACK: usize = 31;

/// The number of the first vector register among those of a caller.
const FIRST_VECTOR: u8 = 32;

/// Bytes that are stored where the stack is probed.
const PROBED: i64 = 4;

impl Transfer for Insn {
    fn follow(&self, check: &Check<'_>, state: &mut State) -> Result<Option<Accessed>, Why> {
        match self.does() {
            Does::Load(bank, bytes, access) => self.load(bank, bytes.into(), access, check, state).map(Some),
            Does::Store(bank, bytes, access) => {
                self.store(bank, bytes.into(), access, check, state).map(Some)
            }
            Does::Probe { is_indexed } => {
                let distance = if is_indexed { state.words[self.m()] } else { Word::exactly(0) };
                probe(distance, check, state).map(Some)
            }
            Does::Level { grows, shift } => {
                let by = i64::from(self.immediate()) << shift;
                level(if grows { -by } else { by }, check, state).map(|()| None)
            }
            Does::LevelBy { grows } => {
                let by = state.words[self.m()].exact().filter(|by| (0..=i64::from(u32::MAX)).contains(by));
                let by = by.ok_or("the stack pointer is unknown")?;
                level(if grows { -by } else { by }, check, state).map(|()| None)
            }
            _ => {
                self.compute(check, state);
                Ok(None)
            }
        }
    }

    fn told(&self, left: Word, right: Word) -> Option<Told> {
        let condition = match self.condition() {
            0 => Condition::Equal,
            1 => Condition::Unequal,
            2 => Condition::AtLeast,
            3 => Condition::Below,
            8 => Condition::Above,
            9 => Condition::AtMost,
            _ => return None,
        };
        Some(Told::by(condition, left, right))
    }

    /// It compares how far below the stack pointer has been probed with how far it has to be, as numbers with a sign.
    fn goes_on(&self, left: Word, right: Word) -> Option<bool> {
        Some(left.exact()? > right.exact()?)
    }
}

impl Insn {
    /// The memory of an access of so many bytes for each register, of which the stack pointer is moved by `Push`.
    fn access(
        &self,
        bytes: i64,
        access: Access,
        writes: bool,
        check: &Check<'_>,
        state: &mut State,
    ) -> Result<Accessed, Why> {
        let known = state.known(check.contract);
        let base = state.words[self.n()];
        let (address, bytes) = match access {
            Access::Scaled => (base.offset(i64::from(self.immediate()) * bytes), bytes),
            Access::Unscaled => (base.offset(self.signed()), bytes),
            Access::Index => (base.plus(state.words[self.m()], known), bytes),
            Access::IndexHalf => (base.plus(state.words[self.m()].half(), known), bytes),
            Access::Pair => (base.offset(self.signed() * bytes), 2 * bytes),
            Access::Literal => return check.literal(super::Insn::target(self), bytes as u64),
            Access::Spread | Access::Pop => (base, bytes),
            Access::PopPair => (base, 2 * bytes),
            Access::Push => {
                level(self.signed(), check, state)?;
                (state.words[STACK], bytes)
            }
            Access::PushPair => {
                level(self.signed() * bytes, check, state)?;
                (state.words[STACK], 2 * bytes)
            }
        };
        check.check(address, bytes, writes, state)?;
        Ok(Accessed::Memory(address, bytes))
    }

    fn load(
        &self,
        bank: Bank,
        bytes: i64,
        access: Access,
        check: &Check<'_>,
        state: &mut State,
    ) -> Result<Accessed, Why> {
        let place = self.access(bytes, access, false, check, state)?;
        self.loaded(bank, bytes, &place, self.d(), check, state);
        if let (Access::PopPair | Access::Pair, &Accessed::Memory(address, _)) = (access, &place) {
            if self.a() == self.d() {
                return Err("not on the list");
            }
            let second = Accessed::Memory(address.offset(bytes), bytes);
            self.loaded(bank, bytes, &second, self.a(), check, state);
        }
        match access {
            Access::Pop => level(self.signed(), check, state)?,
            Access::PopPair => level(self.signed() * bytes, check, state)?,
            _ => {}
        }
        Ok(place)
    }

    /// Puts what a place holds into a register; of a place for two, what the first one has.
    fn loaded(
        &self,
        bank: Bank,
        bytes: i64,
        place: &Accessed,
        to: usize,
        check: &Check<'_>,
        state: &mut State,
    ) {
        let first = match *place {
            Accessed::Memory(address, _) => &Accessed::Memory(address, bytes),
            Accessed::Constant(_) => place,
        };
        match (bank, bytes) {
            (Bank::Integer, 8) => state.words[to] = check.load(first, state),
            (Bank::Integer, _) => state.words[to] = check.load(first, state).half(),
            (Bank::Vector, 16) => {
                state.vectors[to] = check.load_vector(first, state).or(check.contract.unknown());
            }
            (Bank::Vector, 8) => {
                state.vectors[to] = match check.load(first, state) {
                    Word { base: Base::Caller(register @ FIRST_VECTOR..), low: 0, high: 0 } => {
                        Vector::Caller(register - FIRST_VECTOR)
                    }
                    _ => check.contract.unknown(),
                };
            }
            (Bank::Vector, _) => state.vectors[to] = check.contract.unknown(),
        }
    }

    fn store(
        &self,
        bank: Bank,
        bytes: i64,
        access: Access,
        check: &Check<'_>,
        state: &mut State,
    ) -> Result<Accessed, Why> {
        let place = self.access(bytes, access, true, check, state)?;
        let slot = |register: usize, state: &State| match (bank, bytes) {
            (Bank::Integer, 8) => Some(Slot::Word(state.words[register])),
            (Bank::Vector, 16) => Some(Slot::Vector(state.vectors[register])),
            (Bank::Vector, 8) => match state.vectors[register] {
                Vector::Caller(register) => Some(Slot::Word(Word::at(Base::Caller(FIRST_VECTOR + register)))),
                Vector::AtMost(_) | Vector::Verified => None,
            },
            _ => None,
        };
        if let (Access::PushPair | Access::Pair, &Accessed::Memory(address, _)) = (access, &place) {
            for (number, register) in [(0, self.d()), (1, self.a())] {
                let own = Accessed::Memory(address.offset(number * bytes), bytes);
                Check::store(&own, slot(register, state), state);
            }
        } else {
            Check::store(&place, slot(self.d(), state), state);
        }
        Ok(place)
    }

    /// Follows what accesses no memory.
    fn compute(&self, check: &Check<'_>, state: &mut State) {
        let known = state.known(check.contract);
        let (n, m) = (state.words[self.n()], state.words[self.m()]);
        let immediate = i64::from(self.immediate());
        let result = match self.does() {
            Does::Wide { .. } | Does::Keep { .. } | Does::Repeated { .. } => {
                let before = state.words[self.d()].exact().map(|number| number as u64);
                self.number(before).map_or(Word::ANY, |number| Word::exactly(number as i64))
            }
            Does::Copy => m,
            Does::CopyStack => state.words[STACK],
            Does::AddImmediate { shift } => n.offset(immediate << shift),
            Does::SubtractImmediate { shift } => n.offset(-(immediate << shift)),
            Does::Add if immediate == 0 => n.plus(m, known),
            Does::Add if immediate < 32 => n.plus(m.times(Word::exactly(1 << immediate), known), known),
            Does::AddHalf => n.plus(m.half(), known),
            Does::Subtract => n.minus(m),
            Does::Multiply => n.times(m, known),
            Does::MultiplyAdd => n.times(m, known).plus(state.words[self.a()], known),
            Does::ShiftLeft(by) => n.times(Word::exactly(1 << by), known),
            Does::ShiftRight => n.shifted_right(self.immediate()),
            Does::Compare => {
                state.flags = Flags::Of(n, m);
                return;
            }
            Does::CompareImmediate => {
                state.flags = Flags::Of(n, Word::exactly(immediate));
                return;
            }
            Does::CompareNegated => {
                let both = n.exact().zip(m.exact().and_then(i64::checked_neg));
                state.flags = both.map_or(Flags::Unknown, |(left, right)| {
                    Flags::Of(Word::exactly(left), Word::exactly(right))
                });
                return;
            }
            Does::Test => {
                state.flags = Flags::Unknown;
                return;
            }
            Does::Move(Moved::ToInteger) => state.vectors[self.n()].pair(),
            Does::Add | Does::Set => Word::ANY,
            _ => {
                state.vectors[self.d()] = self.vector(state).or(check.contract.unknown());
                return;
            }
        };
        state.words[self.d()] = result;
    }

    /// The vector that an instruction leaves.
    fn vector(&self, state: &State) -> Vector {
        let [n, m] = [self.n(), self.m()].map(|register| state.vectors[register]);
        let of = |bound: Bound| {
            // Lanes have 32 bits; the field of the immediate says so, and how far they are shifted.
            let by = self.immediate();
            match bound {
                Bound::None => Vector::ANY,
                Bound::Least => Vector::AtMost(n.most().min(m.most())),
                Bound::Sum => Vector::AtMost(n.most().saturating_add(m.most())),
                Bound::Left => {
                    let shifted = u32::try_from(u64::from(n.most()) << by);
                    shifted.map_or(Vector::ANY, Vector::AtMost)
                }
                Bound::Right => {
                    Vector::AtMost((u64::from(n.most()) >> (u64::from(u32::BITS) - u64::from(by))) as u32)
                }
            }
        };
        match self.does() {
            Does::Literally(immediate) => {
                let [even, odd] = self.words(immediate);
                Vector::AtMost(even.max(odd))
            }
            Does::Or if self.n() == self.m() => n,
            Does::Move(Moved::SpreadInteger) => {
                let word = state.words[self.n()].half();
                let most = u32::try_from(word.high).ok().filter(|_| word.base == Base::Number);
                most.map_or(Vector::ANY, Vector::AtMost)
            }
            Does::One(bound) | Does::Two(bound) => of(bound),
            _ => Vector::ANY,
        }
    }
}

/// Moves the stack pointer.
fn level(by: i64, check: &Check<'_>, state: &mut State) -> Result<(), Why> {
    state.words[STACK] = state.words[STACK].offset(by);
    check.is_stack_whole(state)
}

/// A store of zeros to the stack, which may be below the stack pointer, but not below the frame. Where whole pages are probed before there is
/// room, whoever interrupts the code may write there, too.
fn probe(distance: Word, check: &Check<'_>, state: &mut State) -> Result<Accessed, Why> {
    let stack = state.words[STACK];
    let at = stack.distance().filter(|_| stack.base == Base::Stack).zip(distance.exact());
    let at = at.and_then(|(stack, by)| stack.checked_add(by)).ok_or("the stack pointer is unknown")?;
    if at < -check.contract.depth(check.convention) || at > -PROBED {
        return Err("an address that is not inside its memory");
    }
    let place = Accessed::Memory(Word::at(Base::Stack).offset(at), PROBED);
    Check::store(&place, None, state);
    Ok(place)
}
