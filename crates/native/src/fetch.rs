//! What loads fetch: rows, of which code reads one or more components.

use crate::ir::func::{Inst, Value};
use crate::ir::imm::{Column, Element};
use crate::ir::ops::{Kind, Load};
use xfjit_runtime::lookup::Table;

/// Rows that are fetched and transposed together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Fetch {
    Attribute(usize),
    Constant(Value),
    Table(Table, Value),
}

impl Fetch {
    /// The row of which an instruction reads a component, and the component.
    #[inline]
    pub(super) fn of(inst: &Inst) -> Option<(Self, usize)> {
        let Kind::Load(load) = inst.op.kind() else { return None };
        match load {
            Load::Input => {
                let at: Element = inst.immediate();
                Some((Fetch::Attribute(at.row), at.component))
            }
            Load::Gather => Some((Fetch::Constant(inst.args[0]), inst.immediate())),
            Load::Table => {
                let at: Column = inst.immediate();
                Some((Fetch::Table(at.table, inst.args[0]), at.column))
            }
            Load::Const | Load::Ctx | Load::Block | Load::Get => None,
        }
    }
}
