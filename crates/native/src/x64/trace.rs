//! What the emitter says of its instructions, for listings and for the symbolic check of where values are.

use super::super::core::alloc::Part;
use super::asm::Source;
use crate::ir::func::Value;
use iced_x86::Register;

/// A note about the instructions from some place on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Note {
    /// A part of the function begins; it may be reached without running all code before it.
    Begin,
    /// The instructions of a value begin, and of what has to be moved for it.
    Run(Value),
    /// They end.
    Ran,
    /// A register holds a vector of a value, or will at the end of these instructions.
    Bind(Part, u8),
    /// A mask register will hold a value at the end of these instructions.
    BindMask(Value, Register),
    /// Groups of fewer vertices than lanes go elsewhere, to the tail of this number.
    Fork(usize),
    /// They come back.
    Join(usize),
    /// The instructions of a tail begin, for a value.
    Tail(usize, Value),
    /// They end.
    TailEnd(usize),
    /// A register holds a word in all lanes from here on.
    Literal(u32, u8),
    /// What comes next reads a vector of a value there.
    Read(Part, Source),
}

/// The notes, each with the number of the instruction that it stands before. It stays empty unless somebody reads it.
#[derive(Default)]
pub(super) struct Trace {
    pub(super) notes: Vec<(usize, Note)>,
    is_wanted: bool,
}

impl Trace {
    /// An empty trace, of code that somebody will read about or not.
    pub(super) fn new(is_wanted: bool) -> Self {
        Trace { notes: Vec::new(), is_wanted }
    }

    #[inline]
    pub(super) fn note(&mut self, at: usize, note: Note) {
        if self.is_wanted {
            self.notes.push((at, note));
        }
    }
}
