//! What is checked of spilled values in Cranelift's code.

pub(super) mod checker;
