//! Machine code through Cranelift, whose API appears in this directory and, for executable memory, in `code.rs`.
//!
//! [`clif`] maps each host operation to equivalent CLIF operations, [`emit`] lays out the function (prologue, loop over
//! groups, streams, guards), [`compiler`] turns CLIF into machine code, for a [`target`].

pub mod clif;
pub mod compiler;
pub mod emit;
pub mod target;
