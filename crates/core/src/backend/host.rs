//! The way from lowered IR to what a code generator takes.

use crate::ir::func::Func;
use crate::machine::Machine;
use crate::{legalize, opt};

/// The way from lowered IR to what a code generator takes for a machine.
pub fn to_host(lowered: Func, machine: &Machine) -> Func {
    opt::run(legalize::run(&opt::simplify(lowered), machine), machine)
}
