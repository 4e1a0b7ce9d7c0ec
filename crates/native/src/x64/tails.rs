//! Groups of fewer vertices than lanes, in place.
//!
//! What accesses rows of vertices asks first whether there is one for each lane, which the processor learns to foresee. If not, it
//! goes on behind the function, where the same is done with the vertices that are there: lanes without one get the rows of
//! the first, so that they raise no guard that it does not raise, and nothing is stored of them. So vertices of a batch are
//! neither copied nor computed twice, and no byte of others is touched.

use super::asm::{Arg, Label, Source};
use super::emit::{Emitter, REMAINING};
use super::open_streams::{ONCE, Open};
use super::rows::Rows;
use super::table::Insn;
use super::temporaries::Held;
use crate::ir::func::Value as Ir;
use iced_x86::MemoryOperand;

/// What is done with the rows of a group.
#[derive(Clone, Copy)]
pub(super) enum Access {
    /// Loads them to registers, of which each gets every fourth.
    Load(Rows, [u8; 4]),
    /// Stores them.
    StoreRows(Open, [u8; 4]),
    /// Stores components.
    StorePlanes([Source; 4]),
    /// Copies those of one stream to another, and looks for NaNs or not.
    /// By way of two registers, and with one for what has been found.
    Copy([Open; 2], bool, [u8; 3]),
}

/// Code that is still to be made for a group of fewer vertices.
pub(super) struct Tail {
    access: Access,
    /// Where it begins, and where it leads.
    start: Label,
    end: Label,
    /// The operation that it is for, and the temporary registers that it holds.
    value: Ir,
    held: Held,
}

/// How often the vertices that are there are compared with a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compares {
    /// Once for two lanes, between which the flags stay.
    Pairs,
    Each,
}

impl Emitter<'_> {
    /// Goes elsewhere if there is not a vertex for each lane. What is returned has to be given to [`Emitter::full_or_not`].
    pub(super) fn unless_full(&mut self, access: Access) -> Option<Tail> {
        if !self.width.has_tails() {
            return None;
        }
        let (start, end) = (self.asm.label(), self.asm.label());
        self.compare_remaining(self.width.lanes());
        self.asm.jump(Insn::Jb, start);
        Some(Tail { access, start, end, value: self.running, held: self.temporaries.held() })
    }

    /// Where groups of all sizes go on. No stream is open any more.
    pub(super) fn full_or_not(&mut self, tail: Option<Tail>) {
        if let Some(tail) = tail {
            self.asm.bind(tail.end);
            self.cold.tails.push(tail);
        }
    }

    /// Emits what is done with groups of fewer vertices.
    pub(super) fn tails(&mut self) {
        for tail in std::mem::take(&mut self.cold.tails) {
            self.asm.bind(tail.start);
            self.locate(Some(tail.value));
            let held = self.temporaries.take_again(tail.held);
            match tail.access {
                Access::Load(rows, registers) => self.load_fewer(rows, registers),
                Access::StoreRows(open, registers) => self.store_some_rows(open, registers),
                Access::StorePlanes(sources) => self.store_some_planes(sources),
                Access::Copy(copied, looks, registers) => self.copy_some(copied, looks, registers),
            }
            drop(held);
            self.asm.jump(Insn::Jmp, tail.end);
        }
    }

    /// Does something for each lane behind the first one that has a vertex, of a group that has not one for each. It moves streams
    /// on by four rows before lane 4; those that stay open are moved on by the others of the group.
    pub(super) fn while_there(
        &mut self,
        compares: Compares,
        streams: &[Open],
        mut each: impl FnMut(&mut Self, usize),
    ) {
        let (behind, few) = (self.asm.label(), self.asm.label());
        let stays_open = streams.iter().any(|open| open.stays_open);
        for lane in 1..self.width.lanes() - 1 {
            let done = if stays_open && lane <= 4 { few } else { behind };
            // The vertices have just been compared with the number of this lane, and are not fewer.
            if compares == Compares::Pairs && lane % 2 == 0 {
                self.asm.jump(Insn::Je, done);
            } else {
                self.compare_remaining(lane + 1);
                self.asm.jump(Insn::Jb, done);
            }
            each(self, lane);
        }
        self.asm.bind(behind);
        if stays_open {
            let end = self.asm.label();
            self.move_streams(streams, 4);
            self.asm.jump(Insn::Jmp, end);
            self.asm.bind(few);
            self.move_streams(streams, 8);
            self.asm.bind(end);
        }
    }

    fn compare_remaining(&mut self, count: usize) {
        let args = [Arg::Register(REMAINING), Arg::Immediate(count as u32)];
        self.asm.op(Insn::CmpByte, &args);
    }

    /// Stores rows of a group of fewer vertices.
    fn store_some_rows(&mut self, open: Open, registers: [u8; 4]) {
        self.store_low(Arg::Memory(Self::row_at(open, 0)), registers[0]);
        self.while_there(Compares::Pairs, &[open], |emitter, lane| {
            if lane == 4 {
                emitter.advance(open.row, open.stride, 4);
            }
            let (at, register) = (Arg::Memory(Self::row_at(open, lane % 4)), registers[lane % 4]);
            if lane < 4 {
                emitter.store_low(at, register);
            } else {
                let args = [at, emitter.vector(register), Arg::Immediate(1)];
                emitter.op(Insn::Vextractf128, &args);
            }
        });
    }

    /// Stores components of a group of fewer vertices, a word at a time.
    fn store_some_planes(&mut self, sources: [Source; 4]) {
        for (number, source) in sources.into_iter().enumerate() {
            let [by, held] = [(); 2].map(|()| self.temporary());
            let (plane, upper) = (self.in_register(source, by.register()), held.register());
            let at = |lane: usize| {
                let displacement = (size_of::<u32>() * lane) as i64;
                Arg::Memory(MemoryOperand { displacement, displ_size: 1, ..Self::row_at(ONCE, number) })
            };
            self.op_of_four(Insn::VmovssStore, &[at(0), Self::low(plane)]);
            self.while_there(Compares::Pairs, &[], |emitter, lane| {
                if lane == 4 {
                    let args = [Self::low(upper), emitter.vector(plane), Arg::Immediate(1)];
                    emitter.op(Insn::Vextractf128, &args);
                }
                let four = Self::low(if lane < 4 { plane } else { upper });
                let args = [at(lane), four, Arg::Immediate(lane as u32 % 4)];
                emitter.op_of_four(Insn::Vextractps, &args);
            });
        }
    }

    /// Copies the rows of a group of fewer vertices in their order.
    fn copy_some(&mut self, copied: [Open; 2], looks: bool, [even, odd, found]: [u8; 3]) {
        let copy = |emitter: &mut Self, lane: usize| {
            let [from, to] = emitter.copied_at(copied, lane);
            let by = [even, odd][lane % 2];
            emitter.load_low(by, from);
            emitter.store_low(to, by);
            if looks {
                emitter.lanes.find_unordered(emitter, lane == 0, found, [by, by]);
            }
        };
        copy(self, 0);
        self.while_there(Compares::Pairs, &copied, copy);
    }
}
