//! The passthrough slot: where commands other than VAB gather the words of a vector (fixed_function.md 7).
//!
//! Every write of such a command stores its payload here; per type one word, or any, then sends the whole slot on. A
//! vector that is written only in part therefore takes its other words from whatever the slot held: **stale words**.

use super::command::{Command, Payload, Type};
use xfjit_runtime::state::Row;

/// Which write of a type sends the slot on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Commit {
    /// None.
    Never,
    /// Every one.
    Always,
    /// One that writes this word, alone or in a pair.
    Word(u8),
}

impl Type {
    /// Which write sends the slot on (fixed_function.md 7).
    pub(super) const fn commit(self) -> Commit {
        match self {
            Type::Nop | Type::Unused | Type::Param | Type::Sync => Commit::Never,
            // Attributes are written directly; RUN reads the slot and leaves it alone.
            Type::Vab | Type::Run => Commit::Never,
            Type::Xfpr | Type::Xtra | Type::Ltc0 | Type::Ltc1 | Type::Ltc2 | Type::Ltc3 => Commit::Always,
            // UNKNOWN: FE sends both words of a bundle at once; here the second one sends it on.
            Type::Passthru => Commit::Word(1),
            Type::Ltctx => Commit::Word(2),
            Type::Mode | Type::Xfctx => Commit::Word(3),
        }
    }
}

/// Stores the payload in the slot, and tells whether the write sends it on.
#[inline]
pub(super) fn gather(pass: &mut Row, command: &Command) -> bool {
    store(pass, command);
    match command.kind.commit() {
        Commit::Never => false,
        Commit::Always => true,
        Commit::Word(word) => match command.payload {
            Payload::Word(_) => command.word & 3 == word,
            Payload::Pair(_) => command.word & 2 == word & 2,
        },
    }
}

/// Writes the words of a payload into a vector.
#[inline(always)]
pub(super) fn store(row: &mut Row, command: &Command) {
    match command.payload {
        Payload::Word(value) => row[usize::from(command.word & 3)] = value,
        Payload::Pair([first, second]) => {
            let at = usize::from(command.word & 2);
            row[at] = first;
            row[at + 1] = second;
        }
    }
}
