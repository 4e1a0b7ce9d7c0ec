//! Front ends: decoded instructions (and later XFMODE configurations) to IR.

mod flow;
mod graph;
mod micro;
mod registers;

pub use flow::lower;
