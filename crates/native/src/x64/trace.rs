//! What the emitter says of its instructions.

pub(super) use crate::core::note::{Note, Place, Trace};

use super::super::core::alloc::Part;
use crate::core::note;

/// The note that where the instructions of the current operation end, a register holds a vector of a value.
pub(super) fn result(part: Part, register: u8) -> Note {
    Note::Result(note::Part { value: part.value, half: part.half }, Place::Vector(register))
}
