//! What code reads: attributes, constants and tables.

use super::super::fetch::Fetch;
use super::asm::{Arg, Source};
use super::emit::{Emitter, IO, ROW, ROWS, SCRATCH_MEMORY, STRIDE, THREE, VERTEX};
use super::registers::Part;
use super::tables::Permutes;
use super::target::Width;
use crate::ir::backend::HostLoads;
use crate::ir::func::Value as Ir;
use crate::ir::imm::{Column, Element};
use iced_x86::{Code, MemoryOperand, Register};
use std::mem::offset_of;
use xfjit_runtime::state::{Io, Stream, row_offset};

/// Rows of all lanes.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    /// Those of a stream, which is opened.
    Stream,
    /// Those of a table, whose distances from its first one are in scratch memory: a base register, and the offset of the
    /// first row.
    Table(Register, i32),
}

impl Emitter<'_> {
    /// Loads where the rows of the group are, of a stream at this offset of the [`Io`]: the first one, and their distance.
    pub(super) fn open_stream(&mut self, stream: usize, row: Register, stride: Register) {
        self.load_word(stride, IO, stream + offset_of!(Stream, stride));
        let [row, stride] = [row, stride].map(Arg::Register);
        self.asm.op(Code::Mov_r64_rm64, &[row, stride]);
        self.asm.op(Code::Imul_r64_rm64, &[row, Arg::Register(VERTEX)]);
        let base = MemoryOperand::with_base_displ(IO, (stream + offset_of!(Stream, base)) as i64);
        self.asm.op(Code::Add_r64_rm64, &[row, Arg::Memory(base)]);
    }

    /// Opens a stream whose rows are accessed by the four.
    pub(super) fn open_rows(&mut self, stream: usize) {
        self.open_stream(stream, ROW, STRIDE);
        self.triple();
    }

    /// Three times the distance between the rows or planes of the stream that is open.
    pub(super) fn triple(&mut self) {
        let times_three = MemoryOperand::with_base_index_scale(STRIDE, STRIDE, 2);
        self.asm.op(Code::Lea_r64_m, &[Arg::Register(THREE), Arg::Memory(times_three)]);
    }

    /// The address of one of the four rows that the stream is at.
    pub(super) fn row_at(number: usize) -> MemoryOperand {
        match number {
            0 => MemoryOperand::with_base(ROW),
            1 => MemoryOperand::with_base_index(ROW, STRIDE),
            2 => MemoryOperand::with_base_index_scale(ROW, STRIDE, 2),
            _ => MemoryOperand::with_base_index(ROW, THREE),
        }
    }

    /// Moves the address of a row on by several rows.
    pub(super) fn advance(&mut self, row: Register, stride: Register, rows: u32) {
        let beyond = MemoryOperand::with_base_index_scale(row, stride, rows);
        self.asm.op(Code::Lea_r64_m, &[Arg::Register(row), Arg::Memory(beyond)]);
    }

    /// Loads rows in their order: a register gets every fourth, the first those of lanes 0, 4, 8 and 12.
    pub(super) fn load_rows(&mut self, rows: Rows, registers: [u8; 4]) {
        for four in 0..self.width.lanes() / 4 {
            if matches!(rows, Rows::Stream) && four > 0 {
                self.advance(ROW, STRIDE, 4);
            }
            for (number, register) in registers.into_iter().enumerate() {
                let at = match rows {
                    Rows::Stream => Self::row_at(number),
                    Rows::Table(base, offset) => {
                        let lane = (4 * four + number) as i64;
                        let distance = i64::from(self.numbers()) + 4 * lane;
                        let distance = MemoryOperand::with_base_displ(SCRATCH_MEMORY, distance);
                        let args = [Arg::Register(Register::R9D), Arg::Memory(distance)];
                        self.asm.op(Code::Mov_r32_rm32, &args);
                        MemoryOperand::with_base_index_scale_displ_size(base, STRIDE, 1, offset.into(), 8)
                    }
                };
                self.load_row(register, four, at);
            }
        }
    }

    /// Loads a row to four lanes of a register; the first one clears the others.
    fn load_row(&mut self, register: u8, four: usize, at: MemoryOperand) {
        let (vector, at) = (self.vector(register), Arg::Memory(at));
        match (self.width, four) {
            (_, 0) => self.load_low(register, at),
            (Width::Eight, _) => {
                let args = [vector, vector, at, Arg::Immediate(1)];
                self.asm.op(Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8, &args);
            }
            // By the load ports alone: insertions compete for the one that shuffles.
            (Width::Sixteen, _) => {
                let mask = Register::K1 + four as u32;
                self.asm.masked(Code::EVEX_Vbroadcastf32x4_zmm_k1z_m128, &[vector, at], mask);
            }
        }
    }

    /// Loads a row to the lowest four lanes of a register, and clears the others.
    pub(super) fn load_low(&mut self, register: u8, at: Arg) {
        let low = Arg::Register(Register::XMM0 + u32::from(register));
        let code = self.code(Code::VEX_Vmovups_xmm_xmmm128, Code::EVEX_Vmovups_xmm_k1z_xmmm128);
        self.asm.op(code, &[low, at]);
    }

    /// Interleaves words (of two registers with rows) or pairs of words, the lower or the upper ones of each four lanes.
    pub(super) fn interleave(&mut self, pairs: bool, upper: bool, [to, a, b]: [u8; 3]) {
        let code =
            match (pairs, upper) {
                (false, false) => self
                    .code(Code::VEX_Vunpcklps_ymm_ymm_ymmm256, Code::EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32),
                (false, true) => self
                    .code(Code::VEX_Vunpckhps_ymm_ymm_ymmm256, Code::EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32),
                (true, false) => self
                    .code(Code::VEX_Vunpcklpd_ymm_ymm_ymmm256, Code::EVEX_Vunpcklpd_zmm_k1z_zmm_zmmm512b64),
                (true, true) => self
                    .code(Code::VEX_Vunpckhpd_ymm_ymm_ymmm256, Code::EVEX_Vunpckhpd_zmm_k1z_zmm_zmmm512b64),
            };
        let args = [to, a, b].map(|register| self.vector(register));
        self.asm.op(code, &args);
    }

    /// Loads rows and transposes them; returns the registers of the wanted columns, which the instruction has taken.
    pub(super) fn columns(&mut self, rows: Rows, wanted: [bool; 4]) -> [Option<u8>; 4] {
        let free = [0, 1, 2].map(|number| self.temporary(number));
        let halves = [0, 2].map(|first| wanted[first] || wanted[first + 1]);
        let mut columns = [None; 4];
        if halves == [true, true] {
            let (d, e) = (self.take(), self.take());
            let [a, b, c] = free;
            self.load_rows(rows, [d, e, a, b]);
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
            let d = self.take();
            let [a, b, c] = free;
            self.load_rows(rows, [a, b, c, d]);
            self.interleave(false, half == 1, [a, a, b]);
            self.interleave(false, half == 1, [b, c, d]);
            let first = 2 * half;
            if wanted[first] && wanted[first + 1] {
                let other = self.take();
                self.interleave(true, false, [other, a, b]);
                columns[first] = Some(other);
            }
            let upper = wanted[first + 1];
            self.interleave(true, upper, [d, a, b]);
            columns[first + usize::from(upper)] = Some(d);
        }
        columns
    }

    /// Fetches all components of a row that the part reads.
    fn fetched(&mut self, fetch: Fetch) {
        let Some(values) = self.together.remove(&fetch) else { return };
        let wanted = std::array::from_fn(|number| values.iter().any(|&(_, component)| component == number));
        let columns = match fetch {
            Fetch::Attribute(register) => {
                self.open_rows(Io::input(register));
                self.columns(Rows::Stream, wanted)
            }
            Fetch::Constant(row) => {
                self.number(row);
                self.columns(Rows::Table(ROWS, row_offset(0)), wanted)
            }
            Fetch::Table(table, row) => match Permutes::of(table, wanted, self.width) {
                Some(permutes) => self.permuted(permutes, table, row, wanted),
                None => {
                    self.number(row);
                    self.load_word(THREE, IO, offset_of!(Io, lookup));
                    self.columns(Rows::Table(THREE, table.offset()), wanted)
                }
            },
        };
        let mut is_bound = [false; 4];
        for (value, component) in values {
            let Some(mut register) = columns[component] else { continue };
            if std::mem::replace(&mut is_bound[component], true) {
                let copy = self.take();
                self.load(copy, Source::Register(register));
                register = copy;
            }
            self.file.bind(Part { value, half: 0 }, register);
            self.keep(value);
        }
    }

    /// Stores the distances of rows, which have been verified to be rows of the table.
    fn number(&mut self, row: Ir) {
        let (row, distance) = (self.find(row, 0), self.temporary(0));
        let row = self.in_register(row, distance);
        let code = self.code(Code::VEX_Vpslld_ymm_ymm_imm8, Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8);
        let args = [self.vector(distance), self.vector(row), Arg::Immediate(4)];
        self.asm.op(code, &args);
        self.store(MemoryOperand::with_base_displ(SCRATCH_MEMORY, self.numbers().into()), distance);
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
        let code = self.code(Code::VEX_Vbroadcastss_ymm_m32, Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32);
        let args = [self.vector(to), Arg::Memory(MemoryOperand::with_base_displ(ROWS, offset.into()))];
        self.asm.op(code, &args);
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
