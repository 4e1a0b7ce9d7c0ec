//! What code reads: attributes, constants and tables.

use super::super::super::fetch::Fetch;
use super::super::clif::{LANES, Vector, caller_memory, own_memory, transpose};
use super::{Cursor, Emitter};
use crate::ir::backend::HostLoads;
use crate::ir::func::Value as Ir;
use crate::ir::imm::{Column, Element};
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use cranelift_frontend::FunctionBuilder;
use xfjit_runtime::indices::IndexWidth;
use xfjit_runtime::state::row_offset;

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
        let bytes = self.func.inputs.format(register).bytes();
        // Numbers of index lists one after the other, so that they and addresses need few registers.
        let vertices = self.vertices(register, cursor);
        let rows = vertices.map(|at| {
            let at = self.found(register, cursor, at);
            self.row(at, bytes)
        });
        self.attributes.insert(register, rows);
        rows
    }

    /// Where an attribute is in the vertices of a group, or what its index list has for them.
    pub(super) fn vertices(&mut self, register: usize, cursor: Cursor) -> [Value; LANES] {
        match self.func.inputs.indices().of(register).list(register) {
            None => self.rows(cursor),
            Some((list, _)) => {
                let (list, sharing) = self.lists[list].expect("the list of a live input is open");
                self.lanes(list, sharing)
            }
        }
    }

    /// The address of an attribute, which an index list may name.
    pub(super) fn found(&mut self, register: usize, cursor: Cursor, at: Value) -> Value {
        let Some((_, width)) = self.func.inputs.indices().of(register).list(register) else { return at };
        let number = match width {
            IndexWidth::Half => self.b.ins().uload16(I64, caller_memory(), at, 0),
            IndexWidth::Word => self.b.ins().uload32(caller_memory(), at, 0),
        };
        let distance = self.b.ins().imul(number, cursor.stride);
        self.b.ins().iadd(cursor.pointer, distance)
    }

    /// Loads a row of this many bytes, and no memory behind them: in their stead are zeros.
    fn row(&mut self, at: Value, bytes: usize) -> Vector {
        let load =
            |b: &mut FunctionBuilder<'_>, kind, offset| b.ins().load(kind, caller_memory(), at, offset);
        let b = &mut self.b;
        let words = match bytes / 4 {
            0 => None,
            1 => {
                let x = load(b, F32, 0);
                Some(b.ins().scalar_to_vector(F32X4, x))
            }
            words @ (2 | 3) => {
                let xy = load(b, F64, 0);
                let row = b.ins().scalar_to_vector(F64X2, xy);
                let row = Vector::double_pair(row).cast(b, F32X4);
                Some(if words == 2 {
                    row
                } else {
                    let z = load(b, F32, 8);
                    b.ins().insertlane(row, z, 2)
                })
            }
            _ => Some(load(b, F32X4, 0)),
        };
        let rest = self.rest(at, bytes);
        let b = &mut self.b;
        match (words, rest) {
            (Some(row), None) => Vector::float(row),
            (None, Some(rest)) => Vector::integer(b.ins().scalar_to_vector(I32X4, rest)),
            (Some(row), Some(rest)) => {
                let row = Vector::float(row).as_integer(b);
                Vector::integer(b.ins().insertlane(row, rest, (bytes / 4) as u8))
            }
            (None, None) => unreachable!("an attribute has bytes"),
        }
    }

    /// What of a row of this many bytes is no whole word, with zeros above.
    fn rest(&mut self, at: Value, bytes: usize) -> Option<Value> {
        let (flags, offset) = (caller_memory(), (bytes / 4 * 4) as i32);
        let b = &mut self.b;
        match bytes % 4 {
            0 => None,
            1 => Some(b.ins().uload8(I32, flags, at, offset)),
            2 => Some(b.ins().uload16(I32, flags, at, offset)),
            _ => {
                let low = b.ins().uload16(I32, flags, at, offset);
                let high = b.ins().uload8(I32, flags, at, offset + 2);
                let high = b.ins().ishl_imm_u(high, 16);
                Some(b.ins().bor(low, high))
            }
        }
    }

    /// The wanted components of rows that are read at lane-dependent addresses.
    fn fetch(&mut self, fetch: Fetch, wanted: [bool; 4]) -> [Option<Vector>; 4] {
        let rows = match fetch {
            Fetch::Attribute(register) if self.is_in_columns(register, wanted) => {
                return self.columns(register, wanted);
            }
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
