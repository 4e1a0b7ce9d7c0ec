//! What code reads: attributes, constants and tables.

use super::super::clif::{Vector, caller_memory, own_memory, transpose};
use super::Emitter;
use crate::ir::backend::HostLoads;
use crate::ir::func::{Inst, Value as Ir};
use crate::ir::imm::{Column, Element};
use crate::ir::ops::{Kind, Load};
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I32, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use cranelift_frontend::FunctionBuilder;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::state::row_offset;

/// Rows that are fetched and transposed together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Fetch {
    Attribute(usize),
    Constant(Ir),
    Table(Table, Ir),
}

impl Fetch {
    /// The row of which an instruction reads a component, and the component.
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

impl Emitter<'_> {
    /// Fetches all components of a row that the part reads; returns the first. [`Emitter::part`] defines the others.
    fn fetched(&mut self, fetch: Fetch) -> Option<Vector> {
        let values = self.together.remove(&fetch)?;
        let wanted = std::array::from_fn(|number| values.iter().any(|&(_, component)| component == number));
        let vectors = self.fetch(fetch, wanted);
        let mut fetched = values.into_iter().map(|(value, component)| (value, vectors[component]));
        let (_, first) = fetched.next()?;
        self.beside.extend(fetched);
        first
    }

    /// The rows of an attribute, loaded once for each group.
    pub(super) fn attribute(&mut self, register: usize) -> [Vector; 4] {
        if let Some(&rows) = self.attributes.get(&register) {
            return rows;
        }
        let cursor = self.inputs[register].expect("a live input has a stream");
        let components = self.func.inputs.format(register).components;
        let rows = self.rows(cursor).map(|at| self.row(at, components));
        self.attributes.insert(register, rows);
        rows
    }

    /// Loads a row with this number of components, and no memory behind them.
    fn row(&mut self, at: Value, components: u8) -> Vector {
        let load =
            |b: &mut FunctionBuilder<'_>, kind, offset| b.ins().load(kind, caller_memory(), at, offset);
        let b = &mut self.b;
        let row = match components {
            1 => {
                let x = load(b, F32, 0);
                b.ins().scalar_to_vector(F32X4, x)
            }
            2 | 3 => {
                let xy = load(b, F64, 0);
                let row = b.ins().scalar_to_vector(F64X2, xy);
                Vector::double_pair(row).cast(b, F32X4)
            }
            _ => load(b, F32X4, 0),
        };
        if components != 3 {
            return Vector::float(row);
        }
        let z = load(b, F32, 8);
        Vector::float(b.ins().insertlane(row, z, 2))
    }

    /// The wanted components of rows that are read at lane-dependent addresses.
    fn fetch(&mut self, fetch: Fetch, wanted: [bool; 4]) -> [Option<Vector>; 4] {
        let rows = match fetch {
            Fetch::Attribute(register) => self.attribute(register),
            Fetch::Constant(row) => self.rows_of((self.context, row_offset(0)), caller_memory(), row),
            Fetch::Table(table, row) => self.rows_of((self.lookup, table.offset()), own_memory(), row),
        };
        transpose(&mut self.b, rows, wanted)
    }

    /// One 16-byte row for each lane, at row numbers that have been verified to lie inside.
    fn rows_of(&mut self, (base, offset): (Value, i32), flags: MemFlagsData, row: Ir) -> [Vector; 4] {
        let row = self.vector(row).as_integer(&mut self.b);
        let size = self.b.ins().iconst(I32, 4);
        let distances = Vector::integer(self.b.ins().ishl(row, size)).cast(&mut self.b, I64X2);
        let pairs = [0, 1].map(|half| self.b.ins().extractlane(distances, half));
        std::array::from_fn(|lane| {
            let pair = pairs[lane / 2];
            let distance = if lane % 2 == 1 {
                self.b.ins().ushr_imm_u(pair, 32)
            } else {
                let low = self.b.ins().ireduce(I32, pair);
                self.b.ins().uextend(I64, low)
            };
            let at = self.b.ins().iadd(base, distance);
            Vector::float(self.b.ins().load(F32X4, flags, at, offset))
        })
    }
}

impl HostLoads for Emitter<'_> {
    type Operand = Ir;
    type Result = Option<Vector>;

    fn bits(&mut self, _: u32) -> Option<Vector> {
        None
    }

    fn input(&mut self, at: Element) -> Option<Vector> {
        self.fetched(Fetch::Attribute(at.row))
    }

    fn ctx(&mut self, at: Element) -> Option<Vector> {
        let offset = row_offset(at.row) + 4 * at.component as i32;
        let scalar = self.b.ins().load(F32, own_memory(), self.context, offset);
        Some(Vector::float(self.b.ins().splat(F32X4, scalar)))
    }

    fn gather(&mut self, row: Ir, _: usize) -> Option<Vector> {
        self.fetched(Fetch::Constant(row))
    }

    fn table(&mut self, row: Ir, at: Column) -> Option<Vector> {
        self.fetched(Fetch::Table(at.table, row))
    }

    /// The value of the marker, the mask of active lanes, is set where the block begins.
    fn block(&mut self, _: usize) -> Option<Vector> {
        None
    }

    fn get(&mut self, cell: usize) -> Option<Vector> {
        Some(self.read_frame(cell))
    }
}
