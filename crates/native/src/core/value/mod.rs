//! The checker of values: it follows machine code of either back end, and finds operations that read something else than their
//! operands, for any data and without running the code.
//!
//! It decodes the bytes of a function and knows of it the [`Func`], the registers that arguments come in, and the emitter's
//! [notes](super::note): which operation instructions belong to, and where its result is.
//!
//! # Lattice
//!
//! A place is a vector register, a mask register, a general register, a word or vector of scratch memory, or one of the stack
//! frame. What a place holds is a [`Holds`], and these are ordered by how much is known:
//!
//! ```text
//! made by this instruction | this literal | this base address
//!            made for this operation, before a join
//!                  made for guards, before a join
//!                             unknown
//! ```
//!
//! # Meet
//!
//! Where ways through the code join, a place holds what [`Holds::meet`] says: what both ways agree on, and of two vectors that were
//! made for one operation that they were. So at the head of the loop over groups remains what the prologue has left and nothing in
//! the loop overwrites.
//!
//! # Transfer
//!
//! An instruction changes a [`State`] as [`State::step`] says. Copies between places, to memory and back included, keep what is
//! copied; anything else makes a new vector, which belongs to the operation that the instruction belongs to. When the instructions
//! of an operation begin, whatever was made for it before is unknown from then on, so that no value of another group, vector or
//! turn of a loop is taken for that of this one.
//!
//! # What is compared
//!
//! When nothing changes any more, `names` gives the vectors that are results their names, and `judge` compares what each
//! instruction reads with the operands of its operation.
//!
//! What is not seen: whether instructions compute what their operation means, apart from the [order](order) of operands; what general
//! registers hold, but for the addresses of the memories that are followed; and which attribute a stream has.

mod decode;
mod follow;
mod judge;
mod names;
mod operations;
mod order;
mod state;

pub(crate) use judge::{Code, SYSTEM_V, WINDOWS, check};

#[cfg(test)]
mod tests;
