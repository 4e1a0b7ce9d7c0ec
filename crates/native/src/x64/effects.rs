//! What code writes: outputs and guards.

use super::asm::{Arg, Source};
use super::emit::{COPY, Emitter, IO, ROW, ROWS, SCRATCH_MEMORY, STRIDE, THREE, VERTEX};
use super::open_streams::{ONCE, Open};
use super::table::Insn;
use super::tails::Access;
use super::temporaries::Temporary;
use crate::ir::backend::HostEffects;
use crate::ir::func::Value as Ir;
use crate::ir::host;
use crate::ir::imm::Passed;
use crate::ir::ops::Op;
use iced_x86::{MemoryOperand, Register};
use xfjit_runtime::batch::Layout;
use xfjit_runtime::indices::Indexing;
use xfjit_runtime::state::{Io, Row, Scratch, Stream, row_offset};

impl Emitter<'_> {
    pub(super) fn raise(&mut self, mask: Source) {
        let flags = self.flags();
        if std::mem::replace(&mut self.guards.has_flags, true) {
            self.instruction2(Insn::Vpor, flags, Source::Register(flags), mask);
        } else {
            self.load(flags, mask);
        }
    }

    /// Raises a guard where a mask register has a lane.
    pub(super) fn raise_mask(&mut self, mask: Register) {
        let flags = self.flags();
        if std::mem::replace(&mut self.guards.has_flags, true) {
            // All ones, whatever is there.
            let all = self.vector(flags);
            let args = [all, all, all, Arg::Immediate(0xff)];
            self.op_masked(Insn::Vpternlogd, &args, mask);
        } else {
            self.spread(flags, mask);
        }
    }

    /// Raises the guards of exponent fields in this part.
    pub(super) fn raise_exponents(&mut self) {
        // The first is for operands.
        let [_operand, held] = [(); 2].map(|()| self.temporary());
        let mask = held.register();
        if self.guards.has_most {
            let limit = self.word(host::greatest_exponent(self.func.numerics));
            let most = Source::Register(self.guards.most());
            self.lanes.raise_integers(self, Insn::Vpcmpgtd, mask, [most, limit]);
        }
        if self.guards.has_least {
            // It is below a limit if it is the lesser of itself and what is just below.
            let below = self.word(host::LEAST_SUMMED - 2);
            let least = Source::Register(self.guards.least());
            self.instruction2(Insn::Vpminud, mask, least, below);
            self.lanes.raise_integers(self, Insn::Vpcmpeqd, mask, [Source::Register(mask), least]);
        }
    }

    /// Loads where the first plane of the group is.
    fn open_planes(&mut self, stream: usize) {
        self.load_word(STRIDE, IO, stream + Stream::STRIDE);
        self.load_word(ROW, IO, stream + Stream::BASE);
        let vertex = MemoryOperand::with_base_index_scale(ROW, VERTEX, 4);
        self.asm.op(Insn::Lea, &[Arg::Register(ROW), Arg::Memory(vertex)]);
        self.triple(ONCE);
    }

    /// Stores the planes of the stream that is open.
    fn store_planes(&mut self, sources: [Source; 4]) {
        let fewer = self.unless_full(Access::StorePlanes(sources));
        for (number, source) in sources.into_iter().enumerate() {
            let (plane, _held) = self.loaded(source);
            self.store(Self::row_at(ONCE, number), plane);
        }
        self.full_or_not(fewer);
    }

    /// Stores rows in their order, of which a register has every fourth.
    fn store_rows(&mut self, open: Open, registers: [u8; 4]) {
        let fewer = self.unless_full(Access::StoreRows(open, registers));
        self.store_all_rows(open, registers);
        self.move_streams(&[open], 4);
        self.full_or_not(fewer);
    }

    fn store_all_rows(&mut self, open: Open, registers: [u8; 4]) {
        for four in 0..self.width.lanes() / 4 {
            if four > 0 {
                self.advance(open.row, open.stride, 4);
            }
            for (number, register) in registers.into_iter().enumerate() {
                let at = Arg::Memory(Self::row_at(open, number));
                if four == 0 {
                    self.store_low(at, register);
                } else {
                    let args = [at, self.vector(register), Arg::Immediate(four as u32)];
                    self.op(Insn::Vextractf128, &args);
                }
            }
        }
    }

    /// Stores the row in the lowest four lanes of a register.
    pub(super) fn store_low(&mut self, at: Arg, register: u8) {
        self.op_of_four(Insn::VmovupsStore, &[at, Self::low(register)]);
    }

    /// Where a row waits that is to be stored.
    fn waiting(&self, number: usize) -> Arg {
        let offset = self.slot(self.slots()) + (number * size_of::<Row>()) as i32;
        Arg::Memory(MemoryOperand::with_base_displ(SCRATCH_MEMORY, offset.into()))
    }

    /// Writes constants at the end of the vertex.
    pub(super) fn write_constants(&mut self) {
        let held = self.temporary();
        let by = held.register();
        for (number, row) in std::mem::take(&mut self.stores).into_iter().enumerate() {
            self.load_low(by, self.waiting(number));
            let row = MemoryOperand::with_base_displ(ROWS, row_offset(row).into());
            self.store_low(Arg::Memory(row), by);
        }
    }

    /// Two components that are literals, as pairs of words behind the code.
    fn literals(&mut self, a: Ir, b: Ir) -> Option<Arg> {
        let [a, b] =
            [a, b].map(|value| self.func.inst(value)).map(|inst| (inst.op == Op::Const).then_some(inst.imm));
        Some(self.lanes.pair(&mut self.asm, [a?, b?]))
    }

    /// Interleaves the lower or the upper words of two components.
    fn components(&mut self, upper: bool, to: u8, a: Ir, b: Ir) {
        let (x, y) = (self.find(a, 0), self.find(b, 0));
        let insn = if upper { Insn::Vunpckhps } else { Insn::Vunpcklps };
        let x = self.in_register(x, to);
        let before = [to, x].map(|register| self.vector(register));
        self.op_reading(insn, &before, y, None);
    }
}

impl HostEffects for Emitter<'_> {
    type Operand = Ir;

    fn output(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, register: usize) {
        let stream = Io::output(register);
        match self.layout {
            Layout::Planes => {
                self.open_planes(stream);
                let sources = [x, y, z, w].map(|component| self.find(component, 0));
                self.store_planes(sources);
            }
            Layout::Rows => {
                let ([a, b, c], _held) = self.several();
                let [upper, first] = [self.take(), self.take()];
                let open = self.open_rows(stream);
                self.components(false, a, x, y);
                self.components(true, c, x, y);
                if let Some(pair) = self.literals(z, w) {
                    for (to, upper, by) in [(first, false, a), (a, true, a), (b, false, c), (c, true, c)] {
                        let args = [self.vector(to), self.vector(by), pair];
                        self.op(Self::pairs(upper), &args);
                    }
                } else {
                    self.components(false, b, z, w);
                    self.components(true, upper, z, w);
                    self.interleave(true, false, [first, a, b]);
                    self.interleave(true, true, [a, a, b]);
                    self.interleave(true, false, [b, c, upper]);
                    self.interleave(true, true, [c, c, upper]);
                }
                self.store_rows(open, [first, a, b, c]);
            }
        }
    }

    /// The row waits in scratch memory until no guard can be raised any more. All lanes are the same vertex, so the first is
    /// as good as any.
    fn store(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, row: usize) {
        let ([a, b], _held) = self.several();
        self.components(false, a, x, y);
        self.components(false, b, z, w);
        self.interleave(true, false, [a, a, b]);
        let at = self.waiting(self.stores.len());
        self.store_low(at, a);
        self.stores.push(row);
    }

    /// All lanes are the same vertex, and memory that is the code's own may be written before guards are tested.
    fn written(&mut self, mask: Ir, row: usize) {
        let mask = self.find(mask, 0);
        let (mask, _held) = self.loaded(mask);
        let at = MemoryOperand::with_base_displ(SCRATCH_MEMORY, Scratch::written(row).into());
        self.op_of_four(Insn::VmovssStore, &[Arg::Memory(at), Self::low(mask)]);
    }

    fn goto(&mut self, mask: Ir, target: usize) {
        self.continue_at(mask, target);
    }

    fn set(&mut self, a: Ir, cell: usize) {
        self.write_cell(a, cell);
    }

    fn guard(&mut self, mask: Ir) {
        if let Some(mask) = self.mask(mask) {
            return self.raise_mask(mask);
        }
        let mask = self.find(mask, 0);
        self.raise(mask);
    }

    fn big_guard(&mut self, exponent: Ir) {
        let (most, exponent) = (self.guards.most(), self.find(exponent, 0));
        if std::mem::replace(&mut self.guards.has_most, true) {
            self.instruction2(Insn::Vpmaxsd, most, Source::Register(most), exponent);
        } else {
            self.load(most, exponent);
        }
    }

    fn small_guard(&mut self, less: Ir) {
        let (least, less) = (self.guards.least(), self.find(less, 0));
        if std::mem::replace(&mut self.guards.has_least, true) {
            self.instruction2(Insn::Vpminud, least, Source::Register(least), less);
        } else {
            self.load(least, less);
        }
    }

    fn row_guard(&mut self, attribute: usize) {
        if self.reads.copies(attribute) {
            return;
        }
        let rows = self.open_attribute(attribute);
        let (registers, _held) = self.four();
        self.load_rows(rows, registers);
        self.raise_nans(registers);
    }

    fn row_copy(&mut self, passed: Passed) {
        let looks = self.reads.take_look(passed.attribute);
        match self.layout {
            Layout::Rows => self.copy_rows(passed, looks),
            Layout::Planes => self.copy_planes(passed, looks),
        }
    }
}

impl Emitter<'_> {
    /// Four registers, two of them temporary ones, which are held as long as these.
    fn four(&mut self) -> ([u8; 4], [Temporary; 2]) {
        let ([a, b], held) = self.several();
        ([a, b, self.take(), self.take()], held)
    }

    /// Raises a guard where one of four registers has a NaN. Of each two the first is lost.
    fn raise_nans(&mut self, [a, b, c, d]: [u8; 4]) {
        for pair in [[a, b], [c, d]] {
            self.lanes.raise_unordered(self, pair);
        }
    }

    /// Copies rows of an attribute to an output; where it looks, NaNs among them raise guards.
    fn copy_rows(&mut self, passed: Passed, looks: bool) {
        let layout = &self.func.inputs;
        let is_plain = layout.format(passed.attribute).bytes() == size_of::<Row>();
        if is_plain && layout.indices().of(passed.attribute) == Indexing::Position {
            self.copy_in_order(passed, looks);
            return;
        }
        let rows = self.open_attribute(passed.attribute);
        let (registers, _held) = self.four();
        self.load_rows(rows, registers);
        let open = self.open_rows(Io::output(passed.output));
        self.store_rows(open, registers);
        if looks {
            self.raise_nans(registers);
        }
    }

    /// Copies rows, two at a time, from a stream that has them one after the other.
    fn copy_in_order(&mut self, passed: Passed, looks: bool) {
        let ([a, b, found], _held) = self.several();
        let copied = self.open_both(passed);
        let fewer = self.unless_full(Access::Copy(copied, looks, [a, b, found]));
        for pair in 0..self.width.lanes() / 2 {
            let [[from, to], [next_from, next_to]] =
                [2 * pair, 2 * pair + 1].map(|lane| self.copied_at(copied, lane));
            self.load_low(a, from);
            self.load_low(b, next_from);
            self.store_low(to, a);
            self.store_low(next_to, b);
            if looks {
                self.lanes.find_unordered(self, pair == 0, found, [a, b]);
            }
        }
        self.move_streams(&copied, 4);
        self.full_or_not(fewer);
        if looks {
            self.raise_found(found);
        }
    }

    /// Opens the streams that rows are copied from and to.
    fn open_both(&mut self, passed: Passed) -> [Open; 2] {
        let streams = [Io::input(passed.attribute), Io::output(passed.output)];
        // Not for want of one: they stay open together.
        if let [Some(from), Some(to)] = streams.map(|stream| self.open_if_it_stays(stream)) {
            return [from, to];
        }
        // By the two, three times the stride is not needed.
        let opens = [(ROW, STRIDE), (COPY, THREE)].map(|(row, stride)| Open {
            row,
            stride,
            three: Register::None,
            stays_open: false,
        });
        for (stream, open) in streams.into_iter().zip(opens) {
            self.open_stream(stream, open.row, open.stride);
        }
        opens
    }

    /// Where the row of a lane is, and where it is copied to. Lanes are asked for in their order: streams move on by two rows at a
    /// time, those that stay open by four.
    pub(super) fn copied_at(&mut self, copied: [Open; 2], lane: usize) -> [Arg; 2] {
        copied.map(|open| {
            let rows = if open.stays_open { 4 } else { 2 };
            if lane > 0 && lane.is_multiple_of(rows) {
                self.advance(open.row, open.stride, rows as u32);
            }
            Arg::Memory(Self::row_at(open, lane % rows))
        })
    }

    /// Raises a guard where NaNs have been found.
    fn raise_found(&mut self, found: u8) {
        self.lanes.spread_found(self, found);
        self.raise(Source::Register(found));
    }

    /// Copies rows of an attribute to the planes of an output.
    fn copy_planes(&mut self, passed: Passed, looks: bool) {
        let rows = self.open_attribute(passed.attribute);
        let columns = self.columns(rows, None, [true; 4]);
        self.open_planes(Io::output(passed.output));
        let [Some(x), Some(y), Some(z), Some(w)] = columns else { return };
        self.store_planes([x, y, z, w].map(Source::Register));
        if looks {
            self.raise_nans([x, y, z, w]);
        }
    }
}
