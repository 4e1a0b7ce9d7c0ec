//! What code writes: outputs and guards.

use super::asm::{Arg, Source};
use super::emit::{COPY, Emitter, IO, ROW, STRIDE, THREE, VERTEX};
use super::loads::Rows;
use super::ops::{EQUAL_INTEGERS, GREATER_INTEGERS, UNORDERED};
use super::target::Width;
use crate::ir::backend::HostEffects;
use crate::ir::func::Value as Ir;
use crate::ir::host;
use crate::ir::imm::Passed;
use iced_x86::{Code, MemoryOperand, Register};
use std::mem::offset_of;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{Io, Stream};

impl Emitter<'_> {
    fn raise(&mut self, mask: Source) {
        let flags = self.flags();
        if std::mem::replace(&mut self.has_flags, true) {
            let code = self.code(Code::VEX_Vpor_ymm_ymm_ymmm256, Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32);
            self.instruction2(code, flags, Source::Register(flags), mask);
        } else {
            self.load(flags, mask);
        }
    }

    /// Raises the guards of exponent fields in this part.
    pub(super) fn raise_exponents(&mut self) {
        let mask = self.temporary(1);
        if self.has_most {
            let limit = self.asm.words(host::greatest_exponent(self.func.numerics), self.width);
            self.compare_integers(GREATER_INTEGERS, mask, Source::Register(self.most()), limit);
            self.raise(Source::Register(mask));
        }
        if self.has_least {
            // It is below a limit if it is the lesser of itself and what is just below.
            let below = self.asm.words(host::LEAST_SUMMED - 2, self.width);
            let least = Source::Register(self.least());
            self.instruction2(self.umin_code(), mask, least, below);
            self.compare_integers(EQUAL_INTEGERS, mask, Source::Register(mask), least);
            self.raise(Source::Register(mask));
        }
    }

    fn umin_code(&self) -> Code {
        self.code(Code::VEX_Vpminud_ymm_ymm_ymmm256, Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32)
    }

    /// Loads where the first plane of the group is.
    fn open_planes(&mut self, stream: usize) {
        self.load_word(STRIDE, IO, stream + offset_of!(Stream, stride));
        self.load_word(ROW, IO, stream + offset_of!(Stream, base));
        let vertex = MemoryOperand::with_base_index_scale(ROW, VERTEX, 4);
        self.asm.op(Code::Lea_r64_m, &[Arg::Register(ROW), Arg::Memory(vertex)]);
        self.triple();
    }

    fn store_plane(&mut self, number: usize, register: u8) {
        self.store(Self::row_at(number), register);
    }

    /// Stores rows in their order, of which a register has every fourth.
    fn store_rows(&mut self, registers: [u8; 4]) {
        for four in 0..self.width.lanes() / 4 {
            if four > 0 {
                self.advance(ROW, STRIDE, 4);
            }
            for (number, register) in registers.into_iter().enumerate() {
                let at = Arg::Memory(Self::row_at(number));
                if four == 0 {
                    self.store_low(at, register);
                } else {
                    let code = self.code(
                        Code::VEX_Vextractf128_xmmm128_ymm_imm8,
                        Code::EVEX_Vextractf32x4_xmmm128_k1z_zmm_imm8,
                    );
                    let args = [at, self.vector(register), Arg::Immediate(four as u32)];
                    self.asm.op(code, &args);
                }
            }
        }
    }

    /// Stores the row in the lowest four lanes of a register.
    fn store_low(&mut self, at: Arg, register: u8) {
        let low = Arg::Register(Register::XMM0 + u32::from(register));
        let code = self.code(Code::VEX_Vmovups_xmmm128_xmm, Code::EVEX_Vmovups_xmmm128_k1z_xmm);
        self.asm.op(code, &[at, low]);
    }

    /// Interleaves the lower or the upper words of two components.
    fn components(&mut self, upper: bool, to: u8, a: Ir, b: Ir) {
        let (x, y) = (self.find(a, 0), self.find(b, 0));
        let code =
            match upper {
                false => self
                    .code(Code::VEX_Vunpcklps_ymm_ymm_ymmm256, Code::EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32),
                true => self
                    .code(Code::VEX_Vunpckhps_ymm_ymm_ymmm256, Code::EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32),
            };
        let x = self.in_register(x, to);
        let args = [self.vector(to), self.vector(x), self.operand(y)];
        self.asm.op(code, &args);
    }
}

impl HostEffects for Emitter<'_> {
    type Operand = Ir;

    fn output(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, register: usize) {
        let stream = Io::output(register);
        let [a, b, c] = [0, 1, 2].map(|number| self.temporary(number));
        match self.layout {
            Layout::Planes => {
                self.open_planes(stream);
                for (number, component) in [x, y, z, w].into_iter().enumerate() {
                    let source = self.find(component, 0);
                    let plane = self.in_register(source, a);
                    self.store_plane(number, plane);
                }
            }
            Layout::Rows => {
                let [upper, first] = [self.take(), self.take()];
                self.open_rows(stream);
                self.components(false, a, x, y);
                self.components(false, b, z, w);
                self.components(true, c, x, y);
                self.components(true, upper, z, w);
                self.interleave(true, false, [first, a, b]);
                self.interleave(true, true, [a, a, b]);
                self.interleave(true, false, [b, c, upper]);
                self.interleave(true, true, [c, c, upper]);
                self.store_rows([first, a, b, c]);
            }
        }
    }

    fn store(&mut self, _: Ir, _: Ir, _: Ir, _: Ir, _: usize) {
        unreachable!("stores to constants are refused");
    }

    fn goto(&mut self, mask: Ir, target: usize) {
        self.continue_at(mask, target);
    }

    fn set(&mut self, a: Ir, cell: usize) {
        self.write_cell(a, cell);
    }

    fn guard(&mut self, mask: Ir) {
        let mask = self.find(mask, 0);
        self.raise(mask);
    }

    fn big_guard(&mut self, exponent: Ir) {
        let (most, exponent) = (self.most(), self.find(exponent, 0));
        if std::mem::replace(&mut self.has_most, true) {
            let code =
                self.code(Code::VEX_Vpmaxsd_ymm_ymm_ymmm256, Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32);
            self.instruction2(code, most, Source::Register(most), exponent);
        } else {
            self.load(most, exponent);
        }
    }

    fn small_guard(&mut self, less: Ir) {
        let (least, less) = (self.least(), self.find(less, 0));
        if std::mem::replace(&mut self.has_least, true) {
            self.instruction2(self.umin_code(), least, Source::Register(least), less);
        } else {
            self.load(least, less);
        }
    }

    fn row_guard(&mut self, attribute: usize) {
        if self.copied >> attribute & 1 != 0 {
            return;
        }
        self.open_rows(Io::input(attribute));
        let [a, b, c] = [0, 1, 2].map(|number| self.temporary(number));
        let d = self.take();
        self.load_rows(Rows::Stream, [a, b, c, d]);
        for (x, y) in [(a, b), (c, d)] {
            self.raise_unordered(x, x, y);
        }
    }

    fn row_copy(&mut self, passed: Passed) {
        let looks = self.looked_at >> passed.attribute & 1 != 0;
        self.looked_at &= !(1 << passed.attribute);
        match self.layout {
            Layout::Rows => self.copy_rows(passed, looks),
            Layout::Planes => self.copy_planes(passed, looks),
        }
    }
}

impl Emitter<'_> {
    /// Raises a guard where one of two registers has a NaN, by way of a third.
    fn raise_unordered(&mut self, by: u8, a: u8, b: u8) {
        self.compare(UNORDERED, by, Source::Register(a), Source::Register(b));
        self.raise(Source::Register(by));
    }

    /// Copies rows of an attribute to an output, two at a time; where it looks, NaNs among them raise guards.
    fn copy_rows(&mut self, passed: Passed, looks: bool) {
        let [a, b, found] = [0, 1, 2].map(|number| self.temporary(number));
        self.open_stream(Io::input(passed.attribute), ROW, STRIDE);
        self.open_stream(Io::output(passed.output), COPY, THREE);
        if looks {
            self.clear(found);
        }
        for pair in 0..self.width.lanes() / 2 {
            if pair > 0 {
                self.advance(ROW, STRIDE, 2);
                self.advance(COPY, THREE, 2);
            }
            let [[from, next_from], [to, next_to]] = [(ROW, STRIDE), (COPY, THREE)].map(|(row, stride)| {
                let next = MemoryOperand::with_base_index(row, stride);
                [MemoryOperand::with_base(row), next].map(Arg::Memory)
            });
            self.load_low(a, from);
            self.load_low(b, next_from);
            self.store_low(to, a);
            self.store_low(next_to, b);
            if looks {
                self.look(found, a, b);
            }
        }
        if looks {
            self.raise(Source::Register(found));
        }
    }

    /// Adds the NaNs of two rows to those that have been found in the lowest four lanes.
    fn look(&mut self, found: u8, a: u8, b: u8) {
        let low = |register: u8| Arg::Register(Register::XMM0 + u32::from(register));
        let (found, a, b, unordered) = (low(found), low(a), low(b), Arg::Immediate(UNORDERED));
        match self.width {
            Width::Eight => {
                self.asm.op(Code::VEX_Vcmpps_xmm_xmm_xmmm128_imm8, &[a, a, b, unordered]);
                self.asm.op(Code::VEX_Vpor_xmm_xmm_xmmm128, &[found, found, a]);
            }
            Width::Sixteen => {
                let mask = Register::K1;
                let args = [Arg::Register(mask), a, b, unordered];
                self.asm.op(Code::EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8, &args);
                // All ones, whatever is there.
                let args = [found, found, found, Arg::Immediate(0xff)];
                self.asm.masked(Code::EVEX_Vpternlogd_xmm_k1z_xmm_xmmm128b32_imm8, &args, mask);
            }
        }
    }

    /// Copies rows of an attribute to the planes of an output.
    fn copy_planes(&mut self, passed: Passed, looks: bool) {
        self.open_rows(Io::input(passed.attribute));
        let columns = self.columns(Rows::Stream, [true; 4]);
        self.open_planes(Io::output(passed.output));
        for (number, column) in columns.into_iter().flatten().enumerate() {
            self.store_plane(number, column);
        }
        if looks && let [Some(x), Some(y), Some(z), Some(w)] = columns {
            let by = self.temporary(0);
            for (a, b) in [(x, y), (z, w)] {
                self.raise_unordered(by, a, b);
            }
        }
    }
}
