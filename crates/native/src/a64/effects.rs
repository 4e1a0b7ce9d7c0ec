//! What code writes: outputs, constants, cells and guards.

use super::asm::Label;
use super::emit::{Emitter, INTEGERS, LANES, ROWS, SCRATCH_MEMORY};
use super::guards::{LEAST, MOST};
use super::streams::{Planes, Rows};
use super::table::{Cond, Insn};
use crate::ir::backend::HostEffects;
use crate::ir::func::Value as Ir;
use crate::ir::imm::Passed;
use crate::ir::ops::Op;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{Scratch, row_offset};

/// Components that are stored word by word, in cold code: where lanes share vertices there is no vector to store.
pub(super) struct Shared {
    /// Where it begins, and where it goes back to.
    begin: Label,
    end: Label,
    /// What it is for, where the planes are, and the registers of the components.
    value: Ir,
    planes: Planes,
    registers: [u8; 4],
    /// A register for one word.
    word: u8,
}

impl Emitter<'_> {
    /// Stores rows in the order of lanes.
    fn store_row(&mut self, rows: Rows, lane: usize, register: u8) {
        match self.lane(rows, lane, false) {
            (base, None) => self.asm.op(Insn::StrQ, [register.into(), base, 0]),
            (base, Some(index)) => self.asm.op(Insn::StrQAt, [register.into(), base, index]),
        }
    }

    /// Stores components as planes.
    fn store_planes(&mut self, register: usize, registers: [u8; 4]) {
        let planes = self.output_planes(register);
        let ([place, ..], [_, far]) = (INTEGERS, self.sharing());
        let (begin, end) = (self.asm.label(), self.asm.label());
        // What leaves it is stored before, since the cold code writes it.
        let word = self.temporary();
        // Lanes share vertices, unless the third is two behind the first.
        self.asm.op(Insn::CmpI, [far, 2]);
        self.asm.branch(Cond::Below, begin);
        let mut at = planes.at;
        for (number, register) in registers.into_iter().enumerate() {
            if number > 0 {
                self.asm.op(Insn::AddX, [place, at, planes.stride]);
                at = place;
            }
            self.asm.op(Insn::StrQ, [register.into(), at, 0]);
        }
        self.asm.bind(end);
        self.shared.push(Shared { begin, end, value: self.running, planes, registers, word });
    }

    /// Emits what stores components word by word.
    pub(super) fn store_shared(&mut self) {
        let ([place, third, .., other], [near, far]) = (INTEGERS, self.sharing());
        for Shared { begin, end, value, planes, registers, word } in std::mem::take(&mut self.shared) {
            self.asm.bind(begin);
            self.locate(Some(value));
            let mut at = planes.at;
            for (number, register) in registers.into_iter().enumerate() {
                if number > 0 {
                    self.asm.op(Insn::AddX, [place, at, planes.stride]);
                    at = place;
                }
                self.asm.op(Insn::StrS, [register.into(), at, 0]);
                for (lane, to, from, by) in
                    [(1, other, at, near), (2, third, at, far), (3, other, third, near)]
                {
                    self.asm.op(Insn::MovS, [word.into(), register.into(), lane]);
                    self.asm.op(Insn::AddBy, [to, from, by, size_of::<u32>().ilog2()]);
                    self.asm.op(Insn::StrS, [word.into(), to, 0]);
                }
            }
            self.locate(None);
            self.asm.jump(end);
        }
    }

    /// The offset of a row that waits to be stored.
    fn waiting(&self, number: usize) -> u32 {
        self.slot(self.slots() + number as u16)
    }

    /// Writes constants at the end of the vertex.
    pub(super) fn write_constants(&mut self) {
        for (number, row) in std::mem::take(&mut self.stores).into_iter().enumerate() {
            let by = u32::from(super::registers::TEMPORARIES[0]);
            let at = self.waiting(number);
            self.asm.op(Insn::LdrQ, [by, SCRATCH_MEMORY, at]);
            self.asm.op(Insn::StrQ, [by, ROWS, row_offset(row) as u32]);
        }
    }

    /// Raises a guard where one of four registers, which are lost, has a NaN.
    fn raise_nans(&mut self, [a, b, c, d]: [u8; 4]) {
        self.asm.vectors(Insn::Fmax, [a, a, b]);
        self.asm.vectors(Insn::Fmax, [c, c, d]);
        self.asm.vectors(Insn::Fmax, [a, a, c]);
        self.asm.vectors(Insn::Fcmeq, [a, a, a]);
        self.raise_unless(a);
    }

    /// Two components that are literals, as pairs of words.
    fn literals(&mut self, a: Ir, b: Ir) -> Option<[u32; 2]> {
        let [a, b] =
            [a, b].map(|value| self.func.inst(value)).map(|inst| (inst.op == Op::Const).then_some(inst.imm));
        Some([a?, b?])
    }
}

impl HostEffects for Emitter<'_> {
    type Operand = Ir;

    fn output(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, register: usize) {
        if self.layout == Layout::Planes {
            let registers = self.find_all([x, y, z, w]);
            return self.store_planes(register, registers);
        }
        let rows = self.output_rows(register);
        if let Some([z, w]) = self.literals(z, w) {
            let [x, y] = self.find_all([x, y]);
            let [a, b] = [(); 2].map(|()| self.temporary());
            let rest = self.asm.constant([z, w, z, w]);
            self.asm.load(b, rest);
            for (half, insn) in [Insn::Zip1, Insn::Zip2].into_iter().enumerate() {
                let pair = self.temporary();
                self.asm.vectors(insn, [a, x, y]);
                self.asm.vectors(Insn::Low, [pair, a, b]);
                self.store_row(rows, 2 * half, pair);
                self.asm.vectors(Insn::High, [a, a, b]);
                self.store_row(rows, 2 * half + 1, a);
            }
            return;
        }
        let [x, y, z, w] = self.find_all([x, y, z, w]);
        let [a, b, c] = [(); 3].map(|()| self.temporary());
        for (half, insn) in [Insn::Zip1, Insn::Zip2].into_iter().enumerate() {
            self.asm.vectors(insn, [a, x, y]);
            self.asm.vectors(insn, [b, z, w]);
            self.asm.vectors(Insn::Low, [c, a, b]);
            self.store_row(rows, 2 * half, c);
            self.asm.vectors(Insn::High, [a, a, b]);
            self.store_row(rows, 2 * half + 1, a);
        }
    }

    /// The row waits in scratch memory until no guard can be raised any more. All lanes are the same vertex, so the first is
    /// as good as any.
    fn store(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, row: usize) {
        let [x, y, z, w] = self.find_all([x, y, z, w]);
        let [a, b] = [(); 2].map(|()| self.temporary());
        self.asm.vectors(Insn::Zip1, [a, x, y]);
        self.asm.vectors(Insn::Zip1, [b, z, w]);
        self.asm.vectors(Insn::Low, [a, a, b]);
        let at = self.waiting(self.stores.len());
        self.asm.op(Insn::StrQ, [a.into(), SCRATCH_MEMORY, at]);
        self.stores.push(row);
    }

    /// All lanes are the same vertex, and memory that is the code's own may be written before guards are tested.
    fn written(&mut self, mask: Ir, row: usize) {
        const TWELVE: u32 = 12;
        let mask = self.find(mask, 0);
        let [place, ..] = INTEGERS;
        let at = Scratch::written(row) as u32;
        self.asm.op(Insn::AddPage, [place, SCRATCH_MEMORY, at >> TWELVE]);
        self.asm.op(Insn::StrS, [mask.into(), place, at & ((1 << TWELVE) - 1)]);
    }

    fn goto(&mut self, mask: Ir, target: usize) {
        self.continue_at(mask, target);
    }

    fn set(&mut self, a: Ir, cell: usize) {
        self.write_cell(a, cell);
    }

    fn guard(&mut self, mask: Ir) {
        let register = self.find(mask, 0);
        if self.has_complement(mask) {
            self.raise_unless(register);
        } else {
            self.raise(register);
        }
    }

    fn big_guard(&mut self, exponent: Ir) {
        let exponent = self.find(exponent, 0);
        if std::mem::replace(&mut self.guards.has_most, true) {
            self.asm.vectors(Insn::Smax, [MOST, MOST, exponent]);
        } else {
            self.copy(MOST, exponent);
        }
    }

    fn small_guard(&mut self, less: Ir) {
        let less = self.find(less, 0);
        if std::mem::replace(&mut self.guards.has_least, true) {
            self.asm.vectors(Insn::Umin, [LEAST, LEAST, less]);
        } else {
            self.copy(LEAST, less);
        }
    }

    fn row_guard(&mut self, attribute: usize) {
        if self.reads.copies(attribute) {
            return;
        }
        let rows = self.attribute(attribute);
        let registers = [(); 4].map(|()| self.temporary());
        self.load_rows(rows, registers);
        self.raise_nans(registers);
    }

    fn row_copy(&mut self, passed: Passed) {
        let looks = self.reads.take_look(passed.attribute);
        let rows = self.attribute(passed.attribute);
        let registers: [u8; LANES] = [(); LANES].map(|()| self.temporary());
        self.load_rows(rows, registers);
        match self.layout {
            Layout::Rows => {
                let rows = self.output_rows(passed.output);
                for (lane, register) in registers.into_iter().enumerate() {
                    self.store_row(rows, lane, register);
                }
                if looks {
                    self.raise_nans(registers);
                }
            }
            Layout::Planes => {
                let columns = self.columns_of(registers, [true; 4]);
                let [Some(x), Some(y), Some(z), Some(w)] = columns else { return };
                self.store_planes(passed.output, [x, y, z, w]);
                if looks {
                    self.raise_nans([x, y, z, w]);
                }
            }
        }
    }
}
