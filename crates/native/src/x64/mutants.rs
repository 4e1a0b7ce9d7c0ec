//! Faults of this emitter that are made on purpose, so that tests can see whether anything finds them.
//!
//! A [`Mutant`] is one change of all instructions of one row of the table: another register, no mask, four bytes further, and so
//! on. [`with`] runs something on a thread whose emitter has that fault. The bytes are what the faulty emitter means, so comparing
//! them with what they were meant to be finds nothing.

use super::args::Arg;
use super::table::{ALL, Column, Encoding, Insn, ROWS};
use iced_x86::{MemoryOperand, Register};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;

/// What is wrong with the instructions of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    /// The register next to that of an operand is taken.
    Register(u8),
    /// The register next to that of an address is taken.
    Base,
    /// The last two registers change places.
    Swap,
    /// Memory is accessed four bytes further.
    Offset,
    /// A number is another one by its lowest bit.
    Number,
    /// A mask is forgotten.
    NoMask,
    /// What a mask leaves alone is cleared, or what it clears is left alone.
    Clears,
    /// A vector is read where a word was for all lanes, or the other way round.
    Broadcast,
    /// The instruction is left out.
    LeftOut,
    /// The next row of the table that takes such operands is taken.
    Row,
}

/// Everything that can be wrong.
const CHANGES: [Change; 13] = [
    Change::Register(0),
    Change::Register(1),
    Change::Register(2),
    Change::Register(3),
    Change::Base,
    Change::Swap,
    Change::Offset,
    Change::Number,
    Change::NoMask,
    Change::Clears,
    Change::Broadcast,
    Change::LeftOut,
    Change::Row,
];

/// An emitter with one fault. Its text names row and change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mutant {
    insn: Insn,
    change: Change,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mutant { insn, change } = self;
        match change {
            Change::Register(operand) => write!(f, "{insn:?}: operand {operand} is the next register"),
            Change::Base => write!(f, "{insn:?}: the address has the next register"),
            Change::Swap => write!(f, "{insn:?}: the last two registers change places"),
            Change::Offset => write!(f, "{insn:?}: memory is four bytes further"),
            Change::Number => write!(f, "{insn:?}: the number has another lowest bit"),
            Change::NoMask => write!(f, "{insn:?}: the mask is forgotten"),
            Change::Clears => write!(f, "{insn:?}: the mask clears the other way round"),
            Change::Broadcast => write!(f, "{insn:?}: a word for all lanes is a vector, or a vector a word"),
            Change::LeftOut => write!(f, "{insn:?}: it is left out"),
            Change::Row => match next_row(*insn) {
                Some(other) => write!(f, "{insn:?}: it is {other:?}"),
                None => write!(f, "{insn:?}: it is itself"),
            },
        }
    }
}

impl Mutant {
    /// Each change of each row. Some change nothing in any code.
    pub fn all() -> impl Iterator<Item = Mutant> {
        ALL.iter().flat_map(|&insn| CHANGES.map(|change| Mutant { insn, change }))
    }

    /// Whether the fault is in code that has been made of these rows.
    pub fn is_among(self, rows: &Rows) -> bool {
        rows.0.contains(&(self.insn as usize))
    }
}

/// Rows of the table that code has been made of.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rows(BTreeSet<usize>);

impl Rows {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

thread_local! {
    static MUTANT: Cell<Option<Mutant>> = const { Cell::new(None) };
    static CHANGED: Cell<usize> = const { Cell::new(0) };
    static SEEN: RefCell<Option<Rows>> = const { RefCell::new(None) };
}

/// Runs something on this thread, where the emitter has the fault meanwhile. A panic leaves the emitter as it was.
pub fn with<R>(mutant: Mutant, body: impl FnOnce() -> R) -> R {
    struct Mended;
    impl Drop for Mended {
        fn drop(&mut self) {
            MUTANT.set(None);
        }
    }
    CHANGED.set(0);
    MUTANT.set(Some(mutant));
    let _mended = Mended;
    body()
}

/// Runs something on this thread; returns its result, and the rows that the emitter has used meanwhile.
pub fn rows_of<R>(body: impl FnOnce() -> R) -> (R, Rows) {
    SEEN.set(Some(Rows::default()));
    let result = body();
    (result, SEEN.take().unwrap_or_default())
}

/// How many instructions the fault of this thread's emitter has changed in the last run of [`with`], even if that has panicked.
pub fn changed() -> usize {
    CHANGED.get()
}

/// An instruction that is about to be encoded.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) insn: Insn,
    pub(super) encoding: Option<&'static Encoding>,
    pub(super) args: Vec<Arg>,
    pub(super) mask: Register,
    pub(super) clears: bool,
}

/// What the emitter of this thread makes of an instruction by its fault, or by none: nothing, if it is as it should be.
pub(super) enum Faulty {
    /// It has no fault in it.
    None,
    /// It is another one.
    Other(Made),
    /// It is left out.
    LeftOut,
}

/// Looks whether the fault of this thread's emitter is in an instruction.
pub(super) fn faulty(made: impl FnOnce() -> Made, insn: Insn) -> Faulty {
    SEEN.with_borrow_mut(|seen| {
        if let Some(Rows(seen)) = seen {
            seen.insert(insn as usize);
        }
    });
    let Some(mutant) = MUTANT.get().filter(|mutant| mutant.insn == insn) else { return Faulty::None };
    let mut made = made();
    if mutant.change == Change::LeftOut {
        CHANGED.set(CHANGED.get() + 1);
        return Faulty::LeftOut;
    }
    if apply(mutant.change, &mut made).is_none() {
        return Faulty::None;
    }
    CHANGED.set(CHANGED.get() + 1);
    Faulty::Other(made)
}

/// The row of a jump by the fault of this thread's emitter, or none if it is left out.
pub(super) fn faulty_jump(insn: Insn) -> Option<Insn> {
    let made = || Made { insn, encoding: insn.sole(), args: Vec::new(), mask: Register::None, clears: false };
    match faulty(made, insn) {
        Faulty::None => Some(insn),
        Faulty::Other(other) => Some(other.insn),
        Faulty::LeftOut => None,
    }
}

/// The register next to another one of its kind.
fn next(register: Register) -> Register {
    let by = if register.number() % 8 == 7 { -1 } else { 1 };
    Register::try_from((register as i32 + by) as usize).unwrap_or(register)
}

/// Changes an instruction, if there is anything to change.
fn apply(change: Change, made: &mut Made) -> Option<()> {
    match change {
        Change::Register(operand) => match made.args.get_mut(usize::from(operand))? {
            Arg::Register(register) => *register = next(*register),
            Arg::Memory(_) | Arg::Constant(..) | Arg::Word(..) | Arg::Immediate(_) => return None,
        },
        Change::Base => {
            let memory = memory(made)?;
            if matches!(memory.base, Register::None | Register::RIP) {
                return None;
            }
            memory.base = next(memory.base);
        }
        Change::Swap => {
            let number = |arg: &Arg| match arg {
                Arg::Register(register) => Some(register.number()),
                Arg::Memory(_) | Arg::Constant(..) | Arg::Word(..) | Arg::Immediate(_) => None,
            };
            let last = made.args.iter().rposition(|arg| number(arg).is_some()).filter(|&last| last > 0)?;
            let [other, own] = [last - 1, last].map(|at| number(&made.args[at]));
            if other.is_none() || other == own {
                return None;
            }
            made.args.swap(last - 1, last);
        }
        Change::Offset => {
            match made.args.iter_mut().find(|arg| matches!(arg, Arg::Memory(_) | Arg::Constant(..)))? {
                Arg::Memory(memory) => {
                    memory.displacement += 4;
                    // As long as it takes.
                    memory.displ_size = 1;
                }
                Arg::Constant(_, offset) => *offset += 4,
                Arg::Register(_) | Arg::Word(..) | Arg::Immediate(_) => return None,
            }
        }
        Change::Number => match made.args.last_mut()? {
            Arg::Immediate(number) => *number ^= 1,
            Arg::Register(_) | Arg::Memory(_) | Arg::Constant(..) | Arg::Word(..) => return None,
        },
        Change::NoMask => {
            if made.mask == Register::None {
                return None;
            }
            (made.mask, made.clears) = (Register::None, false);
        }
        Change::Clears => {
            if made.mask == Register::None {
                return None;
            }
            made.clears = !made.clears;
        }
        Change::Broadcast => {
            made.encoding.filter(|encoding| encoding.form.element != 0)?;
            let arg = made.args.iter_mut().find(|arg| matches!(arg, Arg::Memory(_) | Arg::Word(..)))?;
            match arg {
                Arg::Memory(memory) => memory.is_broadcast = !memory.is_broadcast,
                Arg::Word(_, is_broadcast) => *is_broadcast = !*is_broadcast,
                Arg::Register(_) | Arg::Constant(..) | Arg::Immediate(_) => return None,
            }
        }
        Change::LeftOut => return None,
        Change::Row => {
            let other = next_row(made.insn)?;
            let column = column(made.insn, made.encoding?)?;
            made.encoding = Some(other.at(column)?);
            made.insn = other;
        }
    }
    Some(())
}

fn memory(made: &mut Made) -> Option<&mut MemoryOperand> {
    made.args.iter_mut().find_map(|arg| match arg {
        Arg::Memory(memory) => Some(memory),
        Arg::Register(_) | Arg::Constant(..) | Arg::Word(..) | Arg::Immediate(_) => None,
    })
}

/// The column of an encoding.
fn column(insn: Insn, encoding: &'static Encoding) -> Option<Column> {
    Column::ALL.into_iter().find(|&column| insn.at(column).is_some_and(|other| std::ptr::eq(other, encoding)))
}

/// The next row, in a circle, that takes the operands of a row in one of its columns.
fn next_row(insn: Insn) -> Option<Insn> {
    let start = insn as usize;
    let count = ROWS.len();
    (1..count).map(|by| ALL[(start + by) % count]).find(|&other| takes_the_same(insn, other))
}

/// Whether two rows take operands of the same kinds, in a column that both have.
fn takes_the_same(a: Insn, b: Insn) -> bool {
    let kind = |insn: Insn| format!("{insn:?}").as_bytes().first().copied();
    let [x, y] = [a, b].map(|insn| &ROWS[insn as usize]);
    let of_masks = |insn: Insn| {
        let text = format!("{insn:?}");
        text.starts_with("Vcmp")
            || text.starts_with("Vpcmp")
            || text.starts_with("Vptest")
            || text.ends_with("2m")
    };
    kind(a) == kind(b)
        && of_masks(a) == of_masks(b)
        && x.operands() == y.operands()
        && Column::ALL.into_iter().any(|column| a.at(column).is_some() && b.at(column).is_some())
}
