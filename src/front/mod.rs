//! Front ends: lower decoded instructions and XFMODE configurations to IR.

pub mod fixed;
mod flow;
mod graph;
mod micro;
mod microcode;
mod registers;

pub use flow::{lower, lower_within};
pub use microcode::Microcode;
