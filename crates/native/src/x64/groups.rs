//! From group to group, and how calls end.
//!
//! Code with tails counts the vertices that remain, and its last group has as many as these. Other code goes back, once, for a group that
//! ends with the last vertex, so that each group is whole and its accesses ask for nothing. Of vertices that are in two groups the same
//! is computed and stored twice, since outputs lie nowhere in inputs; so no call has fewer vertices than a group.

use super::asm::{Arg, Label};
use super::emit::{Emitter, REMAINING, THREE, VERTEX};
use super::table::Insn;
use iced_x86::{MemoryOperand, Register};

/// In code without tails: a group is whole if it begins before this vertex.
const LIMIT: Register = REMAINING;

/// Where groups begin.
pub(super) struct Groups {
    /// Before the streams are opened that stay open, and behind that.
    opening: Label,
    group: Label,
    /// What is done for a last group that would not be whole, in code without tails.
    last: Label,
}

impl Emitter<'_> {
    /// What is done once in a call, before its first group.
    pub(super) fn begin_groups(&mut self) -> Groups {
        let groups = Groups { opening: self.asm.label(), group: self.asm.label(), last: self.asm.label() };
        if self.width.has_tails() {
            self.asm.op(Insn::Sub, &[REMAINING, VERTEX].map(Arg::Register));
        } else {
            let behind = Arg::Immediate(self.width.lanes() as u32 - 1);
            self.asm.op(Insn::SubByte, &[Arg::Register(LIMIT), behind]);
        }
        self.save();
        self.asm.bind(groups.opening);
        self.open_streams();
        self.asm.bind(groups.group);
        groups
    }

    /// Goes over to the next group, if there is one. Else it is at the vertex behind the last one.
    pub(super) fn next_group(&mut self, groups: &Groups) {
        let lanes = Arg::Immediate(self.width.lanes() as u32);
        self.asm.op(Insn::AddByte, &[Arg::Register(VERTEX), lanes]);
        if self.width.has_tails() {
            self.asm.op(Insn::SubByte, &[Arg::Register(REMAINING), lanes]);
            return self.asm.jump(Insn::Ja, groups.group);
        }
        self.asm.op(Insn::Cmp, &[VERTEX, LIMIT].map(Arg::Register));
        self.asm.jump(Insn::Jb, groups.group);
        let end = MemoryOperand::with_base_displ(LIMIT, self.width.lanes() as i64 - 1);
        self.asm.op(Insn::Lea, &[Arg::Register(THREE), Arg::Memory(end)]);
        self.asm.op(Insn::Cmp, &[VERTEX, THREE].map(Arg::Register));
        self.asm.jump(Insn::Jb, groups.last);
    }

    /// Emits what goes back for a last group that is whole.
    pub(super) fn go_back(&mut self, groups: &Groups) {
        if !self.width.has_tails() {
            self.asm.bind(groups.last);
            let last = MemoryOperand::with_base_displ(LIMIT, -1);
            self.asm.op(Insn::Lea, &[Arg::Register(VERTEX), Arg::Memory(last)]);
            self.asm.jump(Insn::Jmp, groups.opening);
        }
    }
}
