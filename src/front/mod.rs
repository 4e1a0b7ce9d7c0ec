//! Front ends: decoded instructions (and later XFMODE configurations) to IR.

pub mod micro;
