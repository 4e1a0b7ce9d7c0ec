//! What instructions that are being made work on.

use iced_x86::{MemoryOperand, Register};

/// A place in the code, or behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Label(pub(super) usize);

/// Where an instruction takes a vector from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A vector register.
    Register(u8),
    /// Memory: a base register and an offset.
    Memory(Register, i32),
    /// A constant of the code, at an offset.
    Constant(Label, i32),
    /// A word in memory, for all lanes. Instructions of sixteen lanes on words, and no others, read it so.
    Scalar(Register, i32),
    /// A word behind the code, for all lanes.
    ScalarConstant(Label),
}

impl Source {
    /// Whether it is a word in memory, for all lanes.
    #[inline]
    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Source::Scalar(..) | Source::ScalarConstant(_))
    }
}

/// An operand of an instruction that is being made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    Register(Register),
    Memory(MemoryOperand),
    Constant(Label, i32),
    /// A word behind the code, and whether it is read for all lanes.
    Word(Label, bool),
    Immediate(u32),
}
