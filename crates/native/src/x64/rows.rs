//! Rows of all lanes: where they are, and how they come to registers.

use super::asm::{Arg, Source};
use super::emit::{COPY, Emitter, IO, ROW, STRIDE, THREE, VERTEX};
use super::open_streams::{ONCE, Open};
use super::table::Insn;
use super::tails::{Access, Compares};
use super::temporaries::Temporary;
use iced_x86::{MemoryOperand, Register};
use xfjit_runtime::indices::IndexWidth;
use xfjit_runtime::state::{Io, Row, Stream};

/// Rows of all lanes.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    /// Of this many bytes, of a stream that is open: it is at one of them, and the next one is a stride behind.
    Stream(usize, Open),
    /// Of this many bytes, of a stream whose row 0 is at hand with their stride, and the list with their numbers.
    Listed(IndexWidth, usize),
    /// Those of a table: a base register, the offset of the first row, and the vector register with their offsets from it.
    Table(Register, i32, u8),
}

impl Rows {
    /// Bytes of a row.
    pub(super) fn bytes(self) -> usize {
        match self {
            Rows::Stream(bytes, _) | Rows::Listed(_, bytes) => bytes,
            Rows::Table(..) => size_of::<Row>(),
        }
    }

    /// The stream, if it stays open.
    pub(super) fn kept(self) -> Option<Open> {
        match self {
            Rows::Stream(_, open) => Some(open).filter(|open| open.stays_open),
            Rows::Listed(..) | Rows::Table(..) => None,
        }
    }
}

impl Emitter<'_> {
    /// Loads where the rows of the group are, of a stream at this offset of the [`Io`]: the first one, and their stride.
    pub(super) fn open_stream(&mut self, stream: usize, row: Register, stride: Register) {
        self.load_word(stride, IO, stream + Stream::STRIDE);
        let [row, stride] = [row, stride].map(Arg::Register);
        self.asm.op(Insn::Mov, &[row, stride]);
        self.asm.op(Insn::Imul, &[row, Arg::Register(VERTEX)]);
        let base = MemoryOperand::with_base_displ(IO, (stream + Stream::BASE) as i64);
        self.asm.op(Insn::Add, &[row, Arg::Memory(base)]);
    }

    /// Opens a stream whose rows are accessed by the four.
    pub(super) fn open_rows(&mut self, stream: usize) -> Open {
        self.open_if_it_stays(stream).unwrap_or_else(|| {
            self.open_stream(stream, ROW, STRIDE);
            self.triple(ONCE);
            ONCE
        })
    }

    /// Opens the stream of an attribute.
    pub(super) fn open_attribute(&mut self, register: usize) -> Rows {
        let (stream, bytes) = (Io::input(register), self.func.inputs.format(register).bytes());
        match self.func.inputs.indices().of(register).list(register) {
            None => {
                let open = self.open_rows(stream);
                Rows::Stream(bytes, open)
            }
            Some((list, width)) => {
                self.load_word(STRIDE, IO, stream + Stream::STRIDE);
                self.load_word(ROW, IO, stream + Stream::BASE);
                self.load_word(THREE, IO, Io::index(list));
                Rows::Listed(width, bytes)
            }
        }
    }

    /// Three times the stride of a stream.
    pub(super) fn triple(&mut self, Open { stride, three, .. }: Open) {
        let times_three = MemoryOperand::with_base_index_scale(stride, stride, 2);
        self.asm.op(Insn::Lea, &[Arg::Register(three), Arg::Memory(times_three)]);
    }

    /// The address of one of the four rows or planes that a stream is at.
    pub(super) fn row_at(Open { row, stride, three, .. }: Open, number: usize) -> MemoryOperand {
        match number {
            0 => MemoryOperand::with_base(row),
            1 => MemoryOperand::with_base_index(row, stride),
            2 => MemoryOperand::with_base_index_scale(row, stride, 2),
            _ => MemoryOperand::with_base_index(row, three),
        }
    }

    /// Moves the address of a row on by several rows.
    pub(super) fn advance(&mut self, row: Register, stride: Register, rows: u32) {
        let beyond = MemoryOperand::with_base_index_scale(row, stride, rows);
        self.asm.op(Insn::Lea, &[Arg::Register(row), Arg::Memory(beyond)]);
    }

    /// Loads rows: a register gets every fourth, the first those of lanes 0, 4, 8 and 12.
    pub(super) fn load_rows(&mut self, rows: Rows, registers: [u8; 4]) {
        let fewer = match rows {
            Rows::Stream(..) | Rows::Listed(..) => self.unless_full(Access::Load(rows, registers)),
            Rows::Table(..) => None,
        };
        self.lanes.load_rows(self, rows, registers);
        self.move_streams(rows.kept().as_slice(), 4);
        self.full_or_not(fewer);
    }

    /// Loads rows of eight lanes in their order.
    pub(super) fn load_by_four(&mut self, rows: Rows, registers: [u8; 4]) {
        let short = self.short(rows);
        let form = (rows.bytes(), short.as_ref().map_or(0, Temporary::register));
        for lane in 0..self.width.lanes() {
            let at = self.by_four(rows, lane);
            self.load_row(registers[lane % 4], lane / 4 == 1, at, form);
        }
    }

    /// A register for rows of less than 16 bytes.
    fn short(&self, rows: Rows) -> Option<Temporary> {
        (rows.bytes() != size_of::<Row>()).then(|| self.temporaries.take_last())
    }

    /// The address of the row of a lane. Lanes are asked for in their order: streams move on by four rows at a time.
    pub(super) fn by_four(&mut self, rows: Rows, lane: usize) -> MemoryOperand {
        match rows {
            Rows::Stream(_, open) => {
                if lane > 0 && lane.is_multiple_of(4) {
                    self.advance(open.row, open.stride, 4);
                }
                Self::row_at(open, lane % 4)
            }
            Rows::Listed(width, _) => self.listed(width, lane),
            Rows::Table(base, offset, offsets) => self.looked_up((base, offset, offsets), lane),
        }
    }

    /// Loads rows of eight lanes of which some are there. The others are the first one once more, since zeros would raise guards.
    pub(super) fn load_fewer(&mut self, rows: Rows, registers: [u8; 4]) {
        let short = self.short(rows);
        let form = (rows.bytes(), short.as_ref().map_or(0, Temporary::register));
        let first = self.by_four(rows, 0);
        let [one, ..] = registers;
        if rows.bytes() == size_of::<Row>() {
            let args = [self.vector(one), Arg::Memory(first)];
            self.op(Insn::Vbroadcastf128, &args);
        } else {
            let (bytes, _) = form;
            self.load_bytes(one, first, bytes);
            let args = [self.vector(one), self.vector(one), Self::low(one), Arg::Immediate(1)];
            self.op(Insn::Vinsertf128, &args);
        }
        for other in &registers[1..] {
            self.load(*other, Source::Register(one));
        }
        // The number of a row is multiplied, which leaves other flags.
        let compares = if matches!(rows, Rows::Listed(..)) { Compares::Each } else { Compares::Pairs };
        self.while_there(compares, rows.kept().as_slice(), |emitter, lane| {
            let at = emitter.by_four(rows, lane);
            emitter.insert_row(registers[lane % 4], lane / 4, at, form);
        });
    }

    /// Loads rows of sixteen lanes in their order, the upper halves of registers to others at first, and what is less than a row by
    /// way of one more. (Insertions into the whole, or
    /// loads to four lanes under a mask, take half as long again. In another order, one register after the other, memory that is
    /// in no cache comes more slowly.)
    pub(super) fn load_in_order(&mut self, rows: Rows, registers: [u8; 4], uppers: [u8; 4], short: u8) {
        for lane in 0..self.width.lanes() {
            let half = if lane < 8 { registers } else { uppers }[lane % 4];
            let at = self.by_four(rows, lane);
            self.load_row(half, lane / 4 % 2 == 1, at, (rows.bytes(), short));
        }
        for (lower, upper) in registers.into_iter().zip(uppers) {
            self.join(lower, upper);
        }
    }

    /// Loads rows of a table for sixteen lanes, one register after the other, as their offsets stand in a vector.
    pub(super) fn look_up_rows(&mut self, table: (Register, i32, u8), registers: [u8; 4]) {
        let upper = self.take();
        for (number, lower) in registers.into_iter().enumerate() {
            for (four, half) in [lower, lower, upper, upper].into_iter().enumerate() {
                let at = self.looked_up(table, 4 * number + four);
                self.load_row(half, four % 2 == 1, at, (size_of::<Row>(), upper));
            }
            self.join(lower, upper);
        }
    }

    /// Puts the first eight lanes of a register behind those of another.
    pub(super) fn join(&mut self, lower: u8, upper: u8) {
        let [whole, half] = [self.vector(lower), self.half(upper)];
        let args = [whole, whole, half, Arg::Immediate(1)];
        self.op(Insn::Vinsertf64x4, &args);
    }

    /// The address of the row of a lane that is found through a list.
    fn listed(&mut self, width: IndexWidth, lane: usize) -> MemoryOperand {
        let (scale, offset) = (width.bytes() as u32, (lane * width.bytes()) as i64);
        let number = MemoryOperand::with_base_index_scale_displ_size(THREE, VERTEX, scale, offset, 1);
        let insn = match width {
            IndexWidth::Half => Insn::Movzx,
            IndexWidth::Word => Insn::Mov32,
        };
        self.asm.op(insn, &[Arg::Register(COPY.full_register32()), Arg::Memory(number)]);
        self.asm.op(Insn::Imul, &[COPY, STRIDE].map(Arg::Register));
        MemoryOperand::with_base_index(ROW, COPY)
    }

    /// The address of a row of a table whose offset is next in the vector, being asked for in their order there.
    fn looked_up(&mut self, (base, offset, offsets): (Register, i32, u8), number: usize) -> MemoryOperand {
        let index = self.offset(offsets, number);
        MemoryOperand::with_base_index_scale_displ_size(base, index, 1, offset.into(), 1)
    }

    /// The register with the next offset. Two at a time leave the vector: by way of memory it takes nearly twice as long.
    fn offset(&mut self, all: u8, number: usize) -> Register {
        let upper = Arg::Immediate(32);
        if number > 0 && number.is_multiple_of(4) {
            self.lanes.next_four(self, all);
        }
        match number % 4 {
            0 => {
                self.op_of_four(Insn::Vmovq, &[Arg::Register(ROW), Self::low(all)]);
                self.op_of_four(Insn::Vpextrq, &[Arg::Register(COPY), Self::low(all), Arg::Immediate(1)]);
                self.lower(ROW)
            }
            2 => self.lower(COPY),
            odd => {
                let pair = if odd == 1 { ROW } else { COPY };
                self.asm.op(Insn::Shr, &[Arg::Register(pair), upper]);
                pair
            }
        }
    }

    /// The lower of two offsets.
    fn lower(&mut self, pair: Register) -> Register {
        let args = [STRIDE, pair].map(|register| Arg::Register(register.full_register32()));
        self.asm.op(Insn::Mov32, &args);
        STRIDE
    }

    /// Loads a row of this many bytes to the lowest four lanes of a register, and clears the others; or to the four behind them.
    fn load_row(&mut self, register: u8, is_second: bool, at: MemoryOperand, (bytes, short): (usize, u8)) {
        let is_whole = bytes == size_of::<Row>();
        if !is_second {
            match is_whole {
                true => self.load_low(register, Arg::Memory(at)),
                false => self.load_bytes(register, at, bytes),
            }
            return;
        }
        self.insert_row(register, 1, at, (bytes, short));
    }

    /// Loads a row to the lower or the upper half of a register's first eight lanes, and leaves the other as it is.
    fn insert_row(&mut self, register: u8, half: usize, at: MemoryOperand, (bytes, short): (usize, u8)) {
        let row = if bytes == size_of::<Row>() {
            Arg::Memory(at)
        } else {
            self.load_bytes(short, at, bytes);
            Self::low(short)
        };
        let to = Arg::Register(Register::YMM0 + u32::from(register));
        let args = [to, to, row, Arg::Immediate(half as u32)];
        self.asm.at(Insn::Vinsertf128, self.facts.eight, &args);
    }

    /// The lowest four lanes of a register.
    pub(super) fn low(register: u8) -> Arg {
        Arg::Register(Register::XMM0 + u32::from(register))
    }

    /// Loads a row to the lowest four lanes of a register, and clears the others.
    pub(super) fn load_low(&mut self, register: u8, at: Arg) {
        self.op_of_four(Insn::Vmovups, &[Self::low(register), at]);
    }

    /// Loads a row of less than 16 bytes, and no memory behind them: in their stead are zeros.
    fn load_bytes(&mut self, register: u8, at: MemoryOperand, bytes: usize) {
        let low = Self::low(register);
        let behind =
            |offset: usize| Arg::Memory(MemoryOperand { displacement: offset as i64, displ_size: 1, ..at });
        let words = bytes / 4;
        match words {
            0 => {
                self.op_of_four(Insn::Vpxor, &[low; 3]);
            }
            1 => {
                self.op_of_four(Insn::Vmovss, &[low, Arg::Memory(at)]);
            }
            _ => {
                self.op_of_four(Insn::Vmovsd, &[low, Arg::Memory(at)]);
            }
        }
        if words == 3 {
            self.op_of_four(Insn::Vpinsrd, &[low, low, behind(8), Arg::Immediate(2)]);
        }
        if bytes % 4 >= 2 {
            self.op_of_four(Insn::Vpinsrw, &[low, low, behind(4 * words), Arg::Immediate(2 * words as u32)]);
        }
        if bytes % 2 == 1 {
            self.op_of_four(Insn::Vpinsrb, &[low, low, behind(bytes - 1), Arg::Immediate(bytes as u32 - 1)]);
        }
    }
}
