//! What code reads: attributes, constants and tables.

use super::super::core::alloc::Part;
use super::super::fetch::Fetch;
use super::asm::{Arg, Source};
use super::emit::{Emitter, IO, ROWS, THREE};
use super::rows::Rows;
use super::table::Insn;
use super::temporaries::Temporary;
use crate::ir::backend::HostLoads;
use crate::ir::func::Value as Ir;
use crate::ir::imm::{Column, Element};
use iced_x86::MemoryOperand;
use xfjit_runtime::state::{Io, row_offset};

impl Emitter<'_> {
    /// Interleaves words (of two registers with rows) or pairs of words, the lower or the upper ones of each four lanes.
    pub(super) fn interleave(&mut self, pairs: bool, upper: bool, [to, a, b]: [u8; 3]) {
        let insn = match (pairs, upper) {
            (false, false) => Insn::Vunpcklps,
            (false, true) => Insn::Vunpckhps,
            (true, upper) => Self::pairs(upper),
        };
        let args = [to, a, b].map(|register| self.vector(register));
        self.op(insn, &args);
    }

    /// The instruction that interleaves pairs of words.
    pub(super) fn pairs(upper: bool) -> Insn {
        match upper {
            false => Insn::Vunpcklpd,
            true => Insn::Vunpckhpd,
        }
    }

    /// Loads rows and transposes them if need be; returns the registers of the wanted columns, which the instruction has taken.
    /// Offsets of rows of a table are held until these are loaded.
    pub(super) fn columns(
        &mut self,
        rows: Rows,
        offsets: Option<Temporary>,
        wanted: [bool; 4],
    ) -> [Option<u8>; 4] {
        if self.lanes.is_packed(rows) {
            return self.packed_columns(rows, wanted);
        }
        let ([a, b], _held) = self.several();
        let halves = [0, 2].map(|first| wanted[first] || wanted[first + 1]);
        let mut columns = [None; 4];
        if halves == [true, true] {
            let (d, e) = (self.take(), self.take());
            self.load_rows(rows, [d, e, a, b]);
            drop(offsets);
            let held = self.temporary();
            let c = held.register();
            self.interleave(false, false, [c, d, e]);
            self.interleave(false, true, [e, d, e]);
            self.interleave(false, false, [d, a, b]);
            self.interleave(false, true, [a, a, b]);
            // The lower columns are in `c` and `d`, the upper ones in `e` and `a`.
            for (first, [x, y], own) in [(0, [c, d], d), (2, [e, a], e)] {
                if wanted[first] && wanted[first + 1] {
                    let other = self.take();
                    self.interleave(true, false, [other, x, y]);
                    columns[first] = Some(other);
                }
                let upper = wanted[first + 1];
                self.interleave(true, upper, [own, x, y]);
                columns[first + usize::from(upper)] = Some(own);
            }
        } else if let Some(half) = halves.iter().position(|&is_wanted| is_wanted) {
            let (d, e) = (self.take(), self.take());
            self.load_rows(rows, [a, b, d, e]);
            self.interleave(false, half == 1, [a, a, b]);
            self.interleave(false, half == 1, [b, d, e]);
            let first = 2 * half;
            if wanted[first] && wanted[first + 1] {
                self.interleave(true, false, [e, a, b]);
                columns[first] = Some(e);
            }
            let upper = wanted[first + 1];
            self.interleave(true, upper, [d, a, b]);
            columns[first + usize::from(upper)] = Some(d);
        }
        columns
    }

    /// Fetches all components of a row that the part reads.
    fn fetched(&mut self, fetch: Fetch) {
        if let Fetch::Attribute(register) = fetch
            && let Some(words) = self.load_adjacent(register)
        {
            for (register, [first, second]) in words {
                let values = self.reads.take(Fetch::Attribute(register)).unwrap_or_default();
                self.bind_columns(values, [first, second, None, None]);
            }
            return;
        }
        let Some(values) = self.reads.take(fetch) else { return };
        let wanted = std::array::from_fn(|number| values.iter().any(|&(_, component)| component == number));
        let columns = match fetch {
            Fetch::Attribute(register) => {
                let rows = self.open_attribute(register);
                self.columns(rows, None, wanted)
            }
            Fetch::Constant(row) => {
                let offsets = self.offsets(row);
                let rows = Rows::Table(ROWS, row_offset(0), offsets.register());
                self.columns(rows, Some(offsets), wanted)
            }
            Fetch::Table(table, row) => match self.lanes.permutes(table, wanted) {
                Some(permutes) => self.permuted(permutes, table, row, wanted),
                None => {
                    let offsets = self.offsets(row);
                    self.load_word(THREE, IO, Io::LOOKUP);
                    let rows = Rows::Table(THREE, table.offset(), offsets.register());
                    self.columns(rows, Some(offsets), wanted)
                }
            },
        };
        self.bind_columns(values, columns);
    }

    /// Notes that values are in the registers of columns.
    fn bind_columns(&mut self, values: Vec<(Ir, usize)>, columns: [Option<u8>; 4]) {
        let mut is_bound = [false; 4];
        for (value, component) in values {
            let Some(mut register) = columns[component] else { continue };
            if std::mem::replace(&mut is_bound[component], true) {
                let copy = self.take();
                self.load(copy, Source::Register(register));
                register = copy;
            }
            self.bind(Part { value, half: 0 }, register);
            self.store_if_uniform(value);
        }
    }

    /// Computes the offsets of rows, which have been verified to be rows of the table, in the order in which rows are loaded.
    fn offsets(&mut self, row: Ir) -> Temporary {
        let (row, held) = (self.find(row, 0), self.temporaries.take_last());
        let offset = held.register();
        let row = self.in_register(row, offset);
        let args = [self.vector(offset), self.vector(row), Arg::Immediate(4)];
        self.op(Insn::Vpslld, &args);
        self.lanes.order_offsets(self, offset);
        held
    }
}

impl HostLoads for Emitter<'_> {
    type Operand = Ir;
    type Result = ();

    /// Literals are read where they are used.
    fn bits(&mut self, _: u32) {}

    fn input(&mut self, at: Element) {
        self.fetched(Fetch::Attribute(at.row));
    }

    fn ctx(&mut self, at: Element) {
        let to = self.result(0);
        let offset = row_offset(at.row) + 4 * at.component as i32;
        let args = [self.vector(to), Arg::Memory(MemoryOperand::with_base_displ(ROWS, offset.into()))];
        self.op(Insn::Vbroadcastss, &args);
    }

    fn gather(&mut self, row: Ir, _: usize) {
        self.fetched(Fetch::Constant(row));
    }

    fn table(&mut self, row: Ir, at: Column) {
        self.fetched(Fetch::Table(at.table, row));
    }

    fn block(&mut self, _: usize) {
        self.running_lanes();
    }

    fn get(&mut self, cell: usize) {
        self.read_cell(cell);
    }
}
