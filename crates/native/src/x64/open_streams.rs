//! Streams that stay open from one group to the next, where registers suffice: each has its row in a register of its own, which moves
//! on by the way, and all of a side share two registers with the stride.
//!
//! Addresses that are made of what has just been loaded come late: whatever accesses rows waits for them and keeps others from being
//! begun. So where all streams of a side have the same stride nothing is loaded; a comparison with memory tells, on which no
//! address waits. A stream with another stride loads it behind the function, and its side has that until the next one differs.

use super::super::fetch::Fetch;
use super::adjacent::{Adjacent, adjacent_attributes};
use super::asm::{Arg, Label};
use super::emit::{COPY, Emitter, IO, ROW, SCRATCH_MEMORY, SLOTS, STRIDE, THREE, VERTEX};
use super::operands::FOR_CALLEE_SAVED;
use super::table::Insn;
use super::width::Width;
use crate::ir::func::{Func, Inst};
use crate::ir::imm::Passed;
use crate::ir::ops::Op;
use crate::machine::OPEN_STREAMS;
use iced_x86::{MemoryOperand, Register};
use xfjit_runtime::batch::{Layout, registers};
use xfjit_runtime::state::{Io, Stream};

/// Callee-saved registers, which rows are kept in; what the caller has there is saved at the end of scratch memory, in this order.
pub(super) const CALLEE_SAVED: [Register; OPEN_STREAMS] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// A stream that is at a row.
#[derive(Clone, Copy)]
pub(super) struct Open {
    /// The address of the row.
    pub(super) row: Register,
    /// The stride of rows or planes, and three times that, if rows are accessed by the four.
    pub(super) stride: Register,
    pub(super) three: Register,
    /// Whether it stays open, and has to be moved on to the next group.
    pub(super) stays_open: bool,
}

/// One that is opened for one access, whose rows or planes are accessed by the four.
pub(super) const ONCE: Open = Open { row: ROW, stride: STRIDE, three: THREE, stays_open: false };

/// Another stride than the last stream of the side had.
pub(super) struct Other {
    stream: usize,
    open: Open,
    start: Label,
    end: Label,
}

/// Streams that stay open.
#[derive(Default)]
pub(super) struct OpenStreams {
    /// Their offsets in the [`Io`], those of a side after another, and the registers.
    streams: Vec<(usize, Open)>,
    others: Vec<Other>,
    /// Attributes among them that may be adjacent.
    pub(super) adjacent: Vec<Vec<Adjacent>>,
}

impl OpenStreams {
    /// The streams of a function that can stay open: all of them, or none. Each is accessed once in a group, and nothing else
    /// needs the registers.
    pub(super) fn of(func: &Func, layout: Layout, width: Width) -> Self {
        if !width.facts().keeps_streams_open
            || layout != Layout::Rows
            || func.has_blocks()
            || func.is_serial()
        {
            return OpenStreams::default();
        }
        let (mut read, mut looked_at, mut copied, mut written) = (0u16, 0u16, 0u16, 0u32);
        for inst in func.body.iter().map(|&value| func.inst(value)) {
            let Some((attribute, output)) = uses(inst) else { return OpenStreams::default() };
            let twice = match inst.op {
                Op::RowGuard => attribute & looked_at,
                Op::RowCopy => attribute & copied,
                _ => 0,
            };
            if twice != 0 || output & written != 0 {
                return OpenStreams::default();
            }
            written |= output;
            match inst.op {
                Op::RowGuard => looked_at |= attribute,
                Op::RowCopy => copied |= attribute,
                _ => read |= attribute,
            }
        }
        // Rows that are copied are looked at on the way.
        looked_at &= !copied;
        let inputs = read | looked_at | copied;
        let is_once = read & looked_at == 0 && read & copied == 0;
        let is_listed =
            registers(inputs).any(|register| func.inputs.indices().of(register).list(register).is_some());
        if !is_once || is_listed || inputs.count_ones() + written.count_ones() > CALLEE_SAVED.len() as u32 {
            return OpenStreams::default();
        }
        let inputs = registers(inputs).map(|register| (Io::input(register), STRIDE, THREE));
        let outputs = (0..u32::BITS as usize).filter(|register| written >> register & 1 != 0);
        let outputs = outputs.map(|register| (Io::output(register), ROW, COPY));
        let streams = inputs.chain(outputs).zip(CALLEE_SAVED);
        let streams = streams
            .map(|((stream, stride, three), row)| (stream, Open { row, stride, three, stays_open: true }));
        let adjacent = adjacent_attributes(&func.inputs, read, width);
        OpenStreams { streams: streams.collect(), others: Vec::new(), adjacent }
    }

    pub(super) fn find(&self, stream: usize) -> Option<Open> {
        self.streams.iter().find(|(own, _)| *own == stream).map(|&(_, open)| open)
    }
}

/// The attribute and the output whose rows an instruction accesses, as masks; nothing if it needs registers for addresses itself.
fn uses(inst: &Inst) -> Option<(u16, u32)> {
    match inst.op {
        Op::RowGuard => Some((1 << inst.immediate::<usize>(), 0)),
        Op::RowCopy => {
            let Passed { attribute, output } = inst.immediate();
            Some((1 << attribute, 1 << output))
        }
        Op::Output => Some((0, 1 << inst.immediate::<usize>())),
        _ => match Fetch::of(inst) {
            Some((Fetch::Attribute(register), _)) => Some((1 << register, 0)),
            Some((Fetch::Constant(_) | Fetch::Table(..), _)) => None,
            None => Some((0, 0)),
        },
    }
}

impl Emitter<'_> {
    /// Saves the caller's registers that rows are kept in.
    pub(super) fn save(&mut self) {
        for (number, register) in CALLEE_SAVED.into_iter().enumerate().take(self.streams.streams.len()) {
            let args = [self.saved(number), Arg::Register(register)];
            self.asm.op(Insn::MovStore, &args);
        }
    }

    /// Opens the streams that stay open, at the rows of the first vertex of the group.
    pub(super) fn open_streams(&mut self) {
        let streams = std::mem::take(&mut self.streams.streams);
        let mut last = Register::None;
        for &(stream, open) in &streams {
            self.load_word(open.row, IO, stream + Stream::STRIDE);
            if open.stride != last {
                last = open.stride;
                self.asm.op(Insn::Mov, &[open.stride, open.row].map(Arg::Register));
                self.triple(open);
            }
            self.asm.op(Insn::Imul, &[open.row, VERTEX].map(Arg::Register));
            let base = MemoryOperand::with_base_displ(IO, (stream + Stream::BASE) as i64);
            self.asm.op(Insn::Add, &[Arg::Register(open.row), Arg::Memory(base)]);
        }
        self.streams.streams = streams;
    }

    /// Where a callee-saved register is saved.
    fn saved(&self, number: usize) -> Arg {
        let at = self.slot(SLOTS - FOR_CALLEE_SAVED as u16) + (size_of::<u64>() * number) as i32;
        Arg::Memory(MemoryOperand::with_base_displ(SCRATCH_MEMORY, at.into()))
    }

    /// Gives the caller its registers back.
    pub(super) fn restore(&mut self) {
        for (number, register) in CALLEE_SAVED.into_iter().enumerate().take(self.streams.streams.len()) {
            let args = [Arg::Register(register), self.saved(number)];
            self.asm.op(Insn::Mov, &args);
        }
    }

    /// The stream at this offset of the [`Io`], if it stays open; its side has its stride from here on.
    pub(super) fn open_if_it_stays(&mut self, stream: usize) -> Option<Open> {
        let open = self.streams.find(stream)?;
        let (start, end) = (self.asm.label(), self.asm.label());
        let at = MemoryOperand::with_base_displ(IO, (stream + Stream::STRIDE) as i64);
        self.asm.op(Insn::Cmp, &[Arg::Register(open.stride), Arg::Memory(at)]);
        self.asm.jump(Insn::Jne, start);
        self.asm.bind(end);
        self.streams.others.push(Other { stream, open, start, end });
        Some(open)
    }

    /// Emits what streams do whose stride is another.
    pub(super) fn other_strides(&mut self) {
        for Other { stream, open, start, end } in std::mem::take(&mut self.streams.others) {
            self.asm.bind(start);
            self.load_stride(stream, open);
            self.asm.jump(Insn::Jmp, end);
        }
    }

    /// Loads the stride of a stream, for its side.
    fn load_stride(&mut self, stream: usize, open: Open) {
        self.load_word(open.stride, IO, stream + Stream::STRIDE);
        self.triple(open);
    }

    /// Moves streams that stay open on by rows that have been accessed.
    pub(super) fn move_streams(&mut self, streams: &[Open], rows: u32) {
        for open in streams.iter().filter(|open| open.stays_open) {
            self.advance(open.row, open.stride, rows);
        }
    }
}
