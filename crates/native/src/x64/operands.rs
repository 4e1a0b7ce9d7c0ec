//! Where the operands of instructions are: in registers, in scratch memory, among the constants, behind the code.

use super::super::core::alloc::{Eviction, Part, Place, SOON};
use super::asm::{Arg, Source};
use super::emit::{Emitter, ROWS, SCRATCH_MEMORY, SLOTS};
use super::table::{Encoding, Insn};
use super::temporaries::Temporary;
use super::width::Width;
use crate::ir::func::{Func, Inst, Value as Ir};
use crate::ir::imm::Element;
use crate::ir::ops::Op;
use iced_x86::{MemoryOperand, Register};
use xfjit_runtime::state::{Row, Scratch, row_offset};

/// Slots of scratch memory for values.
pub(super) fn for_values(func: &Func, width: Width) -> u16 {
    usize::from(SLOTS).saturating_sub(slots_for_others(func, width)) as u16
}

/// The last slots of scratch memory are for callee-saved registers.
pub(super) const FOR_CALLEE_SAVED: usize = 2;

/// Slots of scratch memory that values leave to others: rows that wait to be stored to constants, and behind them the frame and
/// callee-saved registers.
pub(super) fn slots_for_others(func: &Func, width: Width) -> usize {
    let stored = func.stored_rows().count() * size_of::<Row>();
    FOR_CALLEE_SAVED + func.frame() + stored.div_ceil(width.lanes() * size_of::<u32>())
}

impl Emitter<'_> {
    /// A register for a while.
    #[inline]
    pub(super) fn temporary(&self) -> Temporary {
        self.temporaries.take()
    }

    /// Several registers, which are held as long as what comes with them.
    #[inline]
    pub(super) fn several<const N: usize>(&self) -> ([u8; N], [Temporary; N]) {
        let held = [(); N].map(|()| self.temporary());
        (held.each_ref().map(Temporary::register), held)
    }

    /// Emits an instruction on the width's vectors.
    #[inline]
    pub(super) fn op(&mut self, insn: Insn, args: &[Arg]) {
        let encoding = self.of_width(insn).next();
        self.asm.put(insn, encoding, args);
    }

    /// Emits an instruction on the width's vectors that leaves lanes alone which a mask register lacks.
    pub(super) fn op_masked(&mut self, insn: Insn, args: &[Arg], mask: Register) {
        let encoding = self.of_width(insn).next();
        self.asm.append(insn, encoding, args, mask, false);
    }

    /// Emits one that clears such lanes.
    pub(super) fn op_zeroing(&mut self, insn: Insn, args: &[Arg], mask: Register) {
        let encoding = self.of_width(insn).next();
        self.asm.append(insn, encoding, args, mask, true);
    }

    /// The encodings of an instruction on the width's vectors, those first that are taken if there is a choice.
    #[inline]
    fn of_width(&self, insn: Insn) -> impl Iterator<Item = &'static Encoding> + use<> {
        self.facts.whole.iter().filter_map(move |&column| insn.at(column))
    }

    /// Whether an instruction on the width's vectors reads a source as it is.
    pub(super) fn reads(&self, insn: Insn, source: Source) -> bool {
        self.of_width(insn).any(|encoding| encoding.reads(source))
    }

    /// Emits an instruction on the lowest four lanes.
    #[inline]
    pub(super) fn op_of_four(&mut self, insn: Insn, args: &[Arg]) {
        self.asm.at(insn, self.facts.four, args);
    }

    /// Emits an instruction on the width's vectors that reads a source, as its last operand but for immediates. Where it cannot
    /// read it in memory, the source comes to a temporary register first.
    pub(super) fn op_reading(&mut self, insn: Insn, before: &[Arg], source: Source, immediate: Option<u32>) {
        let mut held = None;
        let (encoding, source) = match self.of_width(insn).find(|encoding| encoding.reads(source)) {
            Some(encoding) => (Some(encoding), source),
            None => {
                let register;
                (register, held) = self.loaded(source);
                (self.of_width(insn).next(), Source::Register(register))
            }
        };
        // Room for a number behind two operands and this one.
        let mut args = [self.operand(source); 4];
        let mut count = before.len();
        args[..count].copy_from_slice(before);
        count += 1;
        if let Some(immediate) = immediate {
            args[count] = Arg::Immediate(immediate);
            count += 1;
        }
        self.asm.put(insn, encoding, &args[..count]);
        drop(held);
    }

    /// Clears a register.
    pub(super) fn clear(&mut self, register: u8) {
        let register = self.vector(register);
        self.op(Insn::Vpxor, &[register; 3]);
    }

    /// A component of a constant, which instructions read for all lanes where it is.
    #[inline]
    pub(super) fn in_place(&self, value: Ir) -> Option<Source> {
        let inst = self.func.inst(value);
        let is_read_so = self.facts.reads_constants && inst.op == Op::Ctx;
        let at: Element = is_read_so.then(|| inst.immediate())?;
        Some(Source::Scalar(ROWS, row_offset(at.row) + 4 * at.component as i32))
    }

    /// Loads operands that will be read again soon.
    #[inline]
    pub(super) fn load_again(&mut self, inst: &Inst) {
        for &value in inst.operands() {
            for half in 0..2 {
                let part = Part { value, half };
                if self.file.should_load(part, SOON)
                    && let Some(source) = self.placed(part)
                {
                    let register = self.take();
                    self.load(register, source);
                    self.bind(part, register);
                }
            }
        }
    }

    /// A register for the current instruction.
    pub(super) fn take(&mut self) -> u8 {
        let (register, eviction) = self.file.take();
        match eviction {
            Eviction::None => {}
            Eviction::Store(slot) => self.store_slot(slot, register),
            Eviction::Full => self.is_full = true,
        }
        register
    }

    /// A register for the result of the current instruction, or for half of it.
    pub(super) fn result(&mut self, half: u8) -> u8 {
        let register = self.take();
        self.bind(Part { value: self.running, half }, register);
        register
    }

    /// Notes that a register that has been taken holds a vector from now on.
    pub(super) fn bind(&mut self, part: Part, register: u8) {
        self.file.bind(part, register);
    }

    /// The offset of a slot in scratch memory.
    pub(super) fn slot(&self, slot: u16) -> i32 {
        Scratch::offset(slot.into(), self.width.lanes())
    }

    pub(super) fn store_slot(&mut self, slot: u16, register: u8) {
        let at = MemoryOperand::with_base_displ(SCRATCH_MEMORY, self.slot(slot).into());
        self.store(at, register);
    }

    /// Where this part has a vector.
    #[inline]
    fn placed(&self, part: Part) -> Option<Source> {
        Some(match self.file.place(part)? {
            Place::Register(register) => Source::Register(register),
            Place::Slot(slot) => Source::Memory(SCRATCH_MEMORY, self.slot(slot)),
        })
    }

    /// Where a value is, or half of a double.
    #[inline]
    pub(super) fn find(&mut self, value: Ir, half: u8) -> Source {
        if let Some(source) = self.placed(Part { value, half }) {
            return source;
        }
        if let Some(source) = self.in_place(value) {
            return source;
        }
        if self.func.is_literal(value) {
            let inst = self.func.inst(value);
            if inst.op == Op::Const {
                return self.word(inst.imm);
            }
            let double = f64::from(f32::from_bits(self.func.inst(inst.args[0]).imm)).to_le_bytes();
            return Source::Constant(self.asm.constant(double.repeat(self.width.lanes() / 2)), 0);
        }
        self.uniform(value).unwrap_or_else(|| {
            assert!(self.is_full, "an operand is in its part, or uniform");
            // It has been lost, and so is this code.
            Source::Register(0)
        })
    }

    /// A vector register.
    #[inline]
    pub(super) fn vector(&self, number: u8) -> Arg {
        Arg::Register(self.facts.first + u32::from(number))
    }

    /// An operand that may be in memory.
    #[inline]
    pub(super) fn operand(&self, source: Source) -> Arg {
        match source {
            Source::Register(register) => self.vector(register),
            Source::Memory(base, offset) => Arg::Memory(MemoryOperand::with_base_displ(base, offset.into())),
            Source::Constant(label, offset) => Arg::Constant(label, offset),
            Source::Scalar(base, offset) => {
                let at = MemoryOperand::with_base_displ(base, offset.into());
                Arg::Memory(MemoryOperand { is_broadcast: true, ..at })
            }
            Source::ScalarConstant(label) => Arg::Word(label, true),
        }
    }

    /// The register of an operand, which is loaded to a temporary one if it is in memory; that is held as long as what is returned.
    pub(super) fn loaded(&mut self, source: Source) -> (u8, Option<Temporary>) {
        if let Source::Register(register) = source {
            return (register, None);
        }
        let by = self.temporary();
        self.load(by.register(), source);
        (by.register(), Some(by))
    }

    /// The register of an operand, which is loaded to this one if it is in memory.
    pub(super) fn in_register(&mut self, source: Source, by: u8) -> u8 {
        match source {
            Source::Register(register) => register,
            Source::Memory(..) | Source::Constant(..) | Source::Scalar(..) | Source::ScalarConstant(_) => {
                self.load(by, source);
                by
            }
        }
    }

    /// Copies a vector to a register.
    pub(super) fn load(&mut self, register: u8, source: Source) {
        if source == Source::Register(register) {
            return;
        }
        let insn = if source.is_scalar() { Insn::Vbroadcastss } else { Insn::Vmovups };
        let args = [self.vector(register), self.whole(source)];
        self.op(insn, &args);
    }

    /// An operand of instructions that read a word for all lanes as nothing else.
    pub(super) fn whole(&self, source: Source) -> Arg {
        match source {
            Source::Scalar(base, offset) => self.operand(Source::Memory(base, offset)),
            Source::ScalarConstant(label) => Arg::Word(label, false),
            Source::Register(_) | Source::Memory(..) | Source::Constant(..) => self.operand(source),
        }
    }

    /// Stores a vector.
    pub(super) fn store(&mut self, at: MemoryOperand, register: u8) {
        let args = [Arg::Memory(at), self.vector(register)];
        self.op(Insn::VmovupsStore, &args);
    }

    /// Loads a word of 64 bits.
    pub(super) fn load_word(&mut self, register: Register, base: Register, offset: usize) {
        let at = Arg::Memory(MemoryOperand::with_base_displ(base, offset as i64));
        self.asm.op(Insn::Mov, &[Arg::Register(register), at]);
    }
}
