//! Machine code through Cranelift, whose API appears in this directory and, for executable memory, in `code.rs`.
//!
//! [`clif`] maps each host operation to equivalent CLIF operations, [`emit`] lays out the function (prologue, loop over
//! groups, streams, guards), [`compiler`] turns CLIF into machine code, for a [`target`].

// A new variant must not fall into an arm that was written without it.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod clif;
pub mod compiler;
pub mod emit;
pub mod target;
