//! What code writes: outputs, constants, cells and guards.

use super::super::clif::{Vector, caller_memory, literal, own_memory, transpose, transpose_beside};
use super::{Cursor, Emitter, WORD};
use crate::ir::backend::{HostEffects, HostOps};
use crate::ir::func::Value as Ir;
use crate::ir::host;
use crate::ir::imm::Passed;
use crate::ir::ops::Op;
use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::Offset32;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{Scratch, row_offset};

impl Emitter<'_> {
    pub(super) fn raise(&mut self, mask: Vector) {
        let mask = mask.as_integer(&mut self.b);
        let flags = self.flags.map_or(mask, |flags| self.b.ins().bor(flags, mask));
        self.flags = Some(flags);
    }

    /// Raises the guards of exponent fields in this part.
    pub(super) fn raise_exponents(&mut self) {
        if let Some(most) = self.most.take() {
            let limit = literal(&mut self.b, host::greatest_exponent(self.func.numerics));
            let limit = limit.as_integer(&mut self.b);
            let above = self.b.ins().icmp(IntCC::SignedGreaterThan, most, limit);
            self.raise(Vector::integer(above));
        }
        if let Some(least) = self.least.take() {
            let limit = literal(&mut self.b, host::LEAST_SUMMED - 1).as_integer(&mut self.b);
            let below = self.b.ins().icmp(IntCC::UnsignedLessThan, least, limit);
            self.raise(Vector::integer(below));
        }
    }

    /// Stores an output register of the group.
    fn write(&mut self, cursor: Cursor, components: [Vector; 4]) {
        match self.layout {
            Layout::Planes => self.store_planes(cursor, components),
            Layout::Rows => {
                let rows = transpose(&mut self.b, components, [true; 4]);
                self.store_at_strides(cursor, rows.map(|row| row.expect("all rows are wanted")));
            }
        }
    }

    /// Stores rows of an attribute as an output register.
    fn copy(&mut self, cursor: Cursor, rows: [Vector; 4]) {
        match self.layout {
            Layout::Rows => self.store_at_strides(cursor, rows),
            Layout::Planes => {
                let planes = transpose(&mut self.b, rows, [true; 4]);
                self.store_planes(cursor, planes.map(|plane| plane.expect("all planes are wanted")));
            }
        }
    }

    /// Stores components of a group; where lanes share vertices, a word at a time.
    fn store_planes(&mut self, cursor: Cursor, components: [Vector; 4]) {
        let components = components.map(|component| Vector::float(component.as_float(&mut self.b)));
        let [whole, shared, next] = std::array::from_fn(|_| self.b.create_block());
        let is_shared = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, self.sharing.far, 2);
        self.b.ins().brif(is_shared, shared, &[], whole, &[]);
        self.b.switch_to_block(whole);
        self.b.seal_block(whole);
        self.store_at_strides(cursor, components);
        self.jump(next, &[]);
        self.b.set_cold_block(shared);
        self.b.switch_to_block(shared);
        self.b.seal_block(shared);
        let distances = self.shared(WORD);
        for (plane, component) in self.rows(cursor).into_iter().zip(components) {
            let component = component.as_float(&mut self.b);
            // The third lane has the vertex of another one.
            let [first, second, _, fourth] = self.lanes(plane, distances);
            for (lane, at) in [(0, first), (1, second), (3, fourth)] {
                let word = self.b.ins().extractlane(component, lane);
                self.b.ins().store(caller_memory(), word, at, Offset32::new(0));
            }
        }
        self.jump(next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }

    fn store_at_strides(&mut self, cursor: Cursor, vectors: [Vector; 4]) {
        let addresses = self.rows(cursor);
        for (at, vector) in addresses.into_iter().zip(vectors) {
            let value = vector.as_float(&mut self.b);
            self.b.ins().store(caller_memory(), value, at, Offset32::new(0));
        }
    }

    /// Writes constants at the end of the vertex. Programs that write constants run vertex after vertex, all lanes of a
    /// group being the same one, so lane 0 is as good as any.
    pub(super) fn write_constants(&mut self) {
        for (store, row, components) in std::mem::take(&mut self.stores) {
            self.locate(Some(store));
            let rows = transpose(&mut self.b, components, [true, false, false, false]);
            let value = rows[0].expect("row 0 is wanted").as_float(&mut self.b);
            self.b.ins().store(caller_memory(), value, self.context, row_offset(row));
        }
        self.locate(None);
    }
}

impl HostEffects for Emitter<'_> {
    type Operand = Ir;

    fn output(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, register: usize) {
        let components = [x, y, z, w].map(|component| self.vector(component));
        let cursor = self.outputs[register].expect("a live output has a stream");
        let [.., z, w] = [x, y, z, w].map(|component| self.func.inst(component));
        if (z.op, w.op, self.layout) == (Op::Const, Op::Const, Layout::Rows) {
            let rows = transpose_beside(&mut self.b, [components[0], components[1]], [z.imm, w.imm]);
            self.store_at_strides(cursor, rows);
        } else {
            self.write(cursor, components);
        }
    }

    fn store(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, row: usize) {
        let components = [x, y, z, w].map(|component| self.vector(component));
        self.stores.push((self.running, row, components));
    }

    /// All lanes are the same vertex, and memory that is the code's own may be written before guards are tested.
    fn written(&mut self, mask: Ir, row: usize) {
        let mask = self.vector(mask).as_float(&mut self.b);
        let word = self.b.ins().extractlane(mask, 0);
        self.b.ins().store(own_memory(), word, self.scratch, Scratch::written(row));
    }

    /// Emitted at the end of the block.
    fn goto(&mut self, _: Ir, _: usize) {}

    fn set(&mut self, a: Ir, cell: usize) {
        let value = self.vector(a);
        self.write_frame(cell, value);
    }

    fn guard(&mut self, mask: Ir) {
        let mask = self.vector(mask);
        self.raise(mask);
    }

    fn big_guard(&mut self, exponent: Ir) {
        let exponent = self.vector(exponent).as_integer(&mut self.b);
        let most = self.most.map_or(exponent, |most| self.b.ins().smax(most, exponent));
        self.most = Some(most);
    }

    fn small_guard(&mut self, less: Ir) {
        let less = self.vector(less).as_integer(&mut self.b);
        let least = self.least.map_or(less, |least| self.b.ins().umin(least, less));
        self.least = Some(least);
    }

    fn row_guard(&mut self, attribute: usize) {
        let [r0, r1, r2, r3] = self.attribute(attribute);
        for (a, b) in [(r0, r1), (r2, r3)] {
            let unordered = self.arithmetic().funord(a, b);
            self.raise(unordered);
        }
    }

    fn row_copy(&mut self, passed: Passed) {
        let rows = self.attribute(passed.attribute);
        let cursor = self.outputs[passed.output].expect("a live output has a stream");
        self.copy(cursor, rows);
    }
}
