//! What emitters say of their code: the one vocabulary of notes that the checker of values reads.
//!
//! A note says which operation instructions belong to, and where a result is. That copies, spills and reloads leave a value
//! what it is, and that an operation reads its operands, no note says: the checker finds it in the bytes.

use crate::ir::func::Value;

/// A vector of a value: the value, and which half of a double; a word has the half 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Part {
    pub(crate) value: Value,
    pub(crate) half: u8,
}

/// A register of vectors or of masks, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// A vector register, of whatever width.
    Vector(u8),
    /// A mask register.
    Mask(u8),
}

/// A note about the instructions from some place of the code on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Note {
    /// The instructions of an operation begin. What it has made before is no longer its result.
    Run(Value),
    /// Instructions of an operation that has begun go on.
    Again(Value),
    /// The instructions up to the next note belong to the operation of this part, and the last vector that they make is the part.
    Makes(Part),
    /// The instructions of the operation end; those that follow belong to none.
    Ran,
    /// Where the instructions of the current operation end, this register holds this part.
    Result(Part, Place),
    /// A vector of this cell lies at this offset of scratch memory.
    Cell(usize, i32),
}

/// The notes about a function, each with the place in the code that it stands before. It stays empty unless somebody reads it.
#[derive(Default, Debug)]
pub(crate) struct Trace {
    notes: Vec<(usize, Note)>,
    is_wanted: bool,
}

impl Trace {
    /// An empty trace, of code that somebody will read about or not.
    pub(crate) fn new(is_wanted: bool) -> Self {
        Trace { notes: Vec::new(), is_wanted }
    }

    /// Appends a note.
    #[inline]
    pub(crate) fn note(&mut self, at: usize, note: Note) {
        if self.is_wanted {
            self.notes.push((at, note));
        }
    }

    /// The notes, in order.
    pub(crate) fn notes(&self) -> &[(usize, Note)] {
        &self.notes
    }

    /// The trace whose places are what a function makes of those of this one, which are numbers of instructions.
    pub(crate) fn placed(&self, offset: impl Fn(usize) -> usize) -> Trace {
        let notes = self.notes.iter().map(|&(at, note)| (offset(at), note)).collect();
        Trace { notes, is_wanted: true }
    }
}
