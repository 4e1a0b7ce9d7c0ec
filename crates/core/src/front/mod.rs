//! Front ends: lower decoded instructions, XFMODE configurations and those of Flipper to IR.

// A new variant must not fall into an arm that was written without it.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod fixed;
pub mod flipper;
mod flow;
mod forms;
mod graph;
mod micro;
mod microcode;
mod registers;

pub use flow::{lower, lower_within};
pub use microcode::Microcode;
