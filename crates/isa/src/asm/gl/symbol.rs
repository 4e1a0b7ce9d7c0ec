//! Names that a program of ARB_vertex_program has declared.

use super::ir::Register;
use super::outputs::Output;
use crate::isa::AddressComponent;

/// What a declared name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Attribute(Register),
    Variable { variable: usize, array: bool },
    Temp(u16),
    Address(u8),
    Output(Output, Option<AddressComponent>),
}
