//! What each instruction of AArch64 does with values.

use super::super::arm::{Access, Bank, Does, Insn, Moved};
use super::super::places::Place;
use super::actions::{Action, Acts, Operand, Operands};
use super::patterns::{FOUR, Pattern, SECOND, ZERO, pattern};

/// The numbers that integer registers hold, where instructions put literals together.
#[derive(Default)]
pub(in super::super) struct Numbers([Option<u64>; 32]);

impl Acts for Insn {
    type Reader = Numbers;

    fn reader() -> Numbers {
        Numbers::default()
    }

    fn action(&self, numbers: &mut Numbers, _: &[u8], _: Place, is_pure: bool) -> Action {
        let before = numbers.0[self.d()];
        if let Some(number) = self.number(before) {
            numbers.0[self.d()] = Some(number);
            let words = [number as u32, (number >> u32::BITS) as u32, 0, 0];
            return Action::Literal { to: integer(self.d()), words };
        }
        let action = self.what(is_pure);
        let written: &[Operand] = match &action {
            Action::None => &[],
            Action::Move { to, .. } | Action::Literal { to, .. } => std::slice::from_ref(to),
            Action::Compute { written, .. } => written,
        };
        for operand in written {
            if let Operand::Integer(register) = *operand {
                numbers.0[usize::from(register)] = None;
            }
        }
        action
    }

    fn memory(&self) -> (u8, bool) {
        match self.does() {
            Does::Load(_, bytes, Access::PopPair | Access::Pair)
            | Does::Store(_, bytes, Access::PushPair | Access::Pair) => (2 * bytes, false),
            Does::Load(_, bytes, access) | Does::Store(_, bytes, access) => (bytes, access == Access::Spread),
            Does::Probe { .. } => (4, false),
            _ => (0, false),
        }
    }

    fn begin(numbers: &mut Numbers) {
        *numbers = Numbers::default();
    }
}

fn integer(number: usize) -> Operand {
    Operand::Integer(number as u8)
}

fn vector(number: usize) -> Operand {
    Operand::Vector { number: number as u8, words: FOUR as u8 }
}

/// The words of a register of a bank.
const fn words(bank: Bank) -> usize {
    match bank {
        Bank::Integer => 2,
        Bank::Vector => FOUR,
    }
}

fn register(bank: Bank, number: usize) -> Operand {
    match bank {
        Bank::Integer => integer(number),
        Bank::Vector => vector(number),
    }
}

/// So many words of a source; behind them are zeros.
fn first(count: usize, whole: usize) -> Pattern {
    pattern(whole, |number| if number < count { number as u8 } else { ZERO })
}

/// What computes, of at most four operands.
fn computes(sources: &[Operand], result: Operand) -> Action {
    let mut read: Operands = [Operand::None; 6];
    read.iter_mut().zip(sources).for_each(|(read, source)| *read = *source);
    Action::Compute { read, written: [result, Operand::None], forgets: false }
}

impl Insn {
    fn what(&self, is_pure: bool) -> Action {
        let (d, n, m, a) = (self.d(), self.n(), self.m(), self.a());
        let copy =
            |from: Operand, to: Operand, pattern: Pattern| Action::Move { to, from: [from; 2], pattern };
        match self.does() {
            Does::Jump | Does::Branch | Does::Return => Action::None,
            Does::Level { .. } | Does::LevelBy { .. } => Action::None,
            Does::Copy => copy(integer(m), integer(d), first(2, 2)),
            Does::CopyStack | Does::Wide { .. } | Does::Repeated { .. } | Does::Set => {
                computes(&[], integer(d))
            }
            Does::Keep { .. } => computes(&[integer(d)], integer(d)),
            Does::AddImmediate { .. }
            | Does::SubtractImmediate { .. }
            | Does::ShiftLeft(_)
            | Does::ShiftRight => computes(&[integer(n)], integer(d)),
            Does::Add | Does::AddHalf | Does::Subtract | Does::Multiply => {
                computes(&[integer(n), integer(m)], integer(d))
            }
            Does::MultiplyAdd => computes(&[integer(n), integer(m), integer(a)], integer(d)),
            Does::Compare | Does::CompareNegated => computes(&[integer(n), integer(m)], Operand::None),
            Does::CompareImmediate | Does::Test => computes(&[integer(n)], Operand::None),
            // What the caller has in registers is no value.
            Does::Load(bank, _, Access::Pop) => computes(&[], register(bank, d)),
            Does::Load(bank, _, Access::PopPair | Access::Pair) => {
                let written = [register(bank, d), register(bank, a)];
                Action::Compute { read: [Operand::None; 6], written, forgets: false }
            }
            Does::Store(_, _, Access::Push | Access::PushPair | Access::Pair) | Does::Probe { .. } => {
                computes(&[], Operand::Memory)
            }
            Does::Load(bank, _, Access::Spread) => {
                copy(Operand::Memory, register(bank, d), pattern(FOUR, |_| 0))
            }
            Does::Load(bank, bytes, _) => {
                let count = usize::from(bytes).div_ceil(size_of::<u32>());
                copy(Operand::Memory, register(bank, d), first(count, words(bank)))
            }
            Does::Store(bank, bytes, _) => {
                let count = usize::from(bytes).div_ceil(size_of::<u32>());
                copy(register(bank, d), Operand::Memory, first(count, count))
            }
            Does::Move(moved) => self.moved(moved, is_pure),
            Does::Literally(immediate) => {
                let [even, odd] = self.words(immediate);
                Action::Literal { to: vector(d), words: [even, odd, even, odd] }
            }
            Does::Or if n == m => copy(vector(n), vector(d), first(FOUR, FOUR)),
            Does::Or | Does::Two(_) => computes(&[vector(n), vector(m)], vector(d)),
            Does::One(_) => computes(&[vector(n)], vector(d)),
            Does::Three => computes(&[vector(d), vector(n), vector(m)], vector(d)),
        }
    }

    /// What moves words; of an operation that is one itself, what puts words together computes.
    fn moved(&self, moved: Moved, is_pure: bool) -> Action {
        let (d, n, m, lane) = (self.d(), self.n(), self.m(), self.immediate() as u8);
        let four = |words: [u8; FOUR]| pattern(FOUR, |number| words[number]);
        let two = [vector(n), vector(m)];
        let (to, from, pattern, is_plain) = match moved {
            Moved::ZipLow => (vector(d), two, four([0, SECOND, 1, SECOND + 1]), false),
            Moved::ZipHigh => (vector(d), two, four([2, SECOND + 2, 3, SECOND + 3]), false),
            Moved::Even => (vector(d), two, four([0, 2, SECOND, SECOND + 2]), false),
            Moved::Odd => (vector(d), two, four([1, 3, SECOND + 1, SECOND + 3]), false),
            Moved::LowHalves => (vector(d), two, four([0, 1, SECOND, SECOND + 1]), false),
            Moved::HighHalves => (vector(d), two, four([2, 3, SECOND + 2, SECOND + 3]), false),
            Moved::SpreadWord => (vector(d), [vector(n); 2], four([lane; FOUR]), true),
            Moved::SpreadPair => {
                let pair = 2 * lane;
                (vector(d), [vector(n); 2], four([pair, pair + 1, pair, pair + 1]), false)
            }
            Moved::Word => (vector(d), [vector(n); 2], four([lane, ZERO, ZERO, ZERO]), false),
            Moved::ToInteger => {
                (integer(d), [vector(n); 2], pattern(2, |number| 2 * lane + number as u8), false)
            }
            Moved::SpreadInteger => (vector(d), [integer(n); 2], four([0; FOUR]), true),
            Moved::SpreadInteger64 => (vector(d), [integer(n); 2], four([0, 1, 0, 1]), true),
            Moved::OfInteger(count) => (vector(d), [integer(n); 2], first(count.into(), FOUR), true),
            // A byte is of the word that it comes to.
            Moved::Insert(bytes) => {
                let at = usize::from(bytes) * usize::from(lane) / size_of::<u32>();
                let count = usize::from(bytes).div_ceil(size_of::<u32>());
                let word = |number: usize| match number.checked_sub(at) {
                    Some(word) if word < count => SECOND + word as u8,
                    _ => number as u8,
                };
                (vector(d), [vector(d), integer(n)], pattern(FOUR, word), false)
            }
        };
        if is_plain || !is_pure {
            return Action::Move { to, from, pattern };
        }
        computes(&from[..if from[0] == from[1] { 1 } else { 2 }], to)
    }
}
