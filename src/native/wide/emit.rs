//! The layout of a function around its operations.
//!
//! ```text
//! entry(rows, io, first, end):
//!     prologue of the IR; values that the loop reads are stored in scratch memory, the same in all lanes
//!     a guard raised here     -> return ALL_GUARDED
//! group:
//!     body of the IR, for one vector of vertices; outputs are stored as they become ready
//!     a guard raised here     -> return the number of the group
//!     more groups             -> group
//!     return end
//! ```
//! The order of the IR is kept. Registers for addresses are those that belong to the callee; nothing is saved, and the stack is
//! not touched.

use super::super::fetch::Fetch;
use super::asm::{Arg, Assembler, Source};
use super::blocks::Current;
use super::registers::{Eviction, File, Part, Place};
use super::target::Width;
use crate::backend::CompileError;
use crate::ir::func::{Func, Inst, Value as Ir};
use crate::ir::imm::{Element, Passed};
use crate::ir::ops::{Effect, Kind, Op};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use rustc_hash::FxHashMap;
use std::mem::offset_of;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{Io, SCRATCH, Scratch, row_offset};

/// The rows of constants.
pub(super) const ROWS: Register = Register::RDI;
/// The [`Io`].
pub(super) const IO: Register = Register::RSI;
/// The first vertex of the group.
pub(super) const VERTEX: Register = Register::RDX;
/// The vertex behind the last group.
pub(super) const END: Register = Register::RCX;
/// The [`Scratch`].
pub(super) const SCRATCH_MEMORY: Register = Register::RAX;
/// The distance between rows or planes of a stream, or between a row and the first one of a table.
pub(super) const STRIDE: Register = Register::R9;
/// The row (or plane) that a stream is at, at first that of the first vertex of the group.
pub(super) const ROW: Register = Register::R10;
/// Three times the distance, or the [`xfjit_runtime::lookup::Lookup`], or the distance between rows that are copied.
pub(super) const THREE: Register = Register::R8;
/// The row that a copied one goes to.
pub(super) const COPY: Register = Register::R11;

/// Slots of scratch memory for values; the last one is for numbers of rows.
pub(super) const SLOTS: u16 = SCRATCH as u16 - 1;

/// A function in machine code, with its instructions in order and its constants behind them.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) instructions: Vec<Instruction>,
}

/// The code of a function that is not refused.
///
/// # Errors
/// [`CompileError::TooLarge`] if scratch memory does not hold its values, [`CompileError::Codegen`].
pub(super) fn emit(func: &Func, layout: Layout, width: Width) -> Result<Emitted, CompileError> {
    let mut emitter = Emitter::new(func, layout, width);
    emitter.function();
    if emitter.is_full {
        return Err(CompileError::TooLarge("its values do not fit the scratch memory".to_owned()));
    }
    let (bytes, instructions) = emitter.asm.finish()?;
    Ok(Emitted { bytes, instructions })
}

pub(super) struct Emitter<'a> {
    pub(super) func: &'a Func,
    pub(super) layout: Layout,
    pub(super) width: Width,
    pub(super) asm: Assembler,
    pub(super) file: File,
    /// The current instruction.
    pub(super) running: Ir,
    /// The place in scratch memory of each value that the body reads from the prologue: the number of a slot, or of a word if
    /// instructions read a word for all lanes.
    uniform: FxHashMap<Ir, u16>,
    /// For each row that this part reads, the values and their components, in order.
    pub(super) together: FxHashMap<Fetch, Vec<(Ir, usize)>>,
    /// Words of scratch memory for control flow, at its end.
    pub(super) frame: usize,
    pub(super) current: Current,
    /// The attributes whose rows this part looks at for guards, and those that it copies, which it looks at on the way.
    pub(super) looked_at: u16,
    pub(super) copied: u16,
    /// Whether anything here raises guards.
    pub(super) has_guards: bool,
    /// Whether the accumulators of guards hold something in this part.
    pub(super) has_flags: bool,
    pub(super) has_most: bool,
    pub(super) has_least: bool,
    is_full: bool,
}

/// Temporary registers of an instruction.
pub(super) const TEMPORARIES: u8 = 3;

impl<'a> Emitter<'a> {
    fn new(func: &'a Func, layout: Layout, width: Width) -> Self {
        let has = |effects: &[Effect]| {
            func.order()
                .any(|value| func.inst(value).op.effect().is_some_and(|effect| effects.contains(&effect)))
        };
        let exponents = has(&[Effect::BigGuard, Effect::SmallGuard]);
        let guards = exponents || has(&[Effect::Guard, Effect::RowGuard]);
        let accumulators = u8::from(guards) + 2 * u8::from(exponents);
        Emitter {
            func,
            layout,
            width,
            asm: Assembler::new(),
            file: File::new(func, width.registers() - TEMPORARIES - accumulators),
            running: Ir::NONE,
            uniform: FxHashMap::default(),
            together: FxHashMap::default(),
            frame: func.frame(),
            current: Current::default(),
            looked_at: 0,
            copied: 0,
            has_guards: guards,
            has_flags: false,
            has_most: false,
            has_least: false,
            is_full: false,
        }
    }

    /// A temporary register.
    pub(super) fn temporary(&self, number: u8) -> u8 {
        self.width.registers() - 1 - number
    }

    /// The accumulators of guards: masks, the greatest and the least exponent field.
    pub(super) fn flags(&self) -> u8 {
        self.width.registers() - 1 - TEMPORARIES
    }

    pub(super) fn most(&self) -> u8 {
        self.flags() - 1
    }

    pub(super) fn least(&self) -> u8 {
        self.flags() - 2
    }

    /// One of two codes, by the width.
    pub(super) fn code(&self, eight: Code, sixteen: Code) -> Code {
        match self.width {
            Width::Eight => eight,
            Width::Sixteen => sixteen,
        }
    }

    fn function(&mut self) {
        let (group, exit, guarded) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.load_word(SCRATCH_MEMORY, IO, offset_of!(Io, scratch));
        if self.width == Width::Sixteen {
            self.masks();
        }
        self.reserve();
        self.part(&self.func.prologue);
        if self.has_flags {
            self.test_flags();
            self.asm.jump(Code::Jne_rel32_64, guarded);
        }
        let shift = Arg::Immediate(self.width.lanes().ilog2());
        for register in [VERTEX, END] {
            self.asm.op(Code::Shl_rm64_imm8, &[Arg::Register(register), shift]);
        }
        self.asm.bind(group);
        self.has_flags = false;
        if self.func.has_blocks() {
            self.blocks();
        } else {
            self.part(&self.func.body);
        }
        if self.has_flags {
            self.test_flags();
            self.asm.jump(Code::Jne_rel32_64, exit);
        }
        let lanes = Arg::Immediate(self.width.lanes() as u32);
        self.asm.op(Code::Add_rm64_imm8, &[Arg::Register(VERTEX), lanes]);
        self.asm.op(Code::Cmp_r64_rm64, &[Arg::Register(VERTEX), Arg::Register(END)]);
        self.asm.jump(Code::Jb_rel32_64, group);
        self.asm.bind(exit);
        self.asm.op(Code::Mov_r64_rm64, &[Arg::Register(Register::RAX), Arg::Register(VERTEX)]);
        self.asm.op(Code::Shr_rm64_imm8, &[Arg::Register(Register::RAX), shift]);
        self.leave();
        self.asm.bind(guarded);
        const { assert!(ALL_GUARDED == !0) };
        self.asm.op(Code::Xor_r32_rm32, &[Arg::Register(Register::EAX), Arg::Register(Register::EAX)]);
        self.asm.op(Code::Not_rm64, &[Arg::Register(Register::RAX)]);
        self.leave();
    }

    fn leave(&mut self) {
        self.asm.op(Code::VEX_Vzeroupper, &[]);
        self.asm.op(Code::Retnq, &[]);
    }

    /// Sets the mask registers: K2, K3 and K4 the second, third and fourth four lanes, K5 the odd lanes.
    fn masks(&mut self) {
        for (mask, bits) in
            [(Register::K2, 0x00f0), (Register::K3, 0x0f00), (Register::K4, 0xf000), (Register::K5, 0xaaaa)]
        {
            self.asm.op(Code::Mov_r32_imm32, &[Arg::Register(Register::R9D), Arg::Immediate(bits)]);
            self.asm.op(Code::VEX_Kmovw_kr_r32, &[Arg::Register(mask), Arg::Register(Register::R9D)]);
        }
    }

    fn test_flags(&mut self) {
        self.test(self.flags());
    }

    /// Clears a register.
    pub(super) fn clear(&mut self, register: u8) {
        let register = self.vector(register);
        let code = self.code(Code::VEX_Vpxor_ymm_ymm_ymmm256, Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32);
        self.asm.op(code, &[register; 3]);
    }

    /// Compares a register with zero.
    pub(super) fn test(&mut self, register: u8) {
        let flags = self.vector(register);
        match self.width {
            Width::Eight => self.asm.op(Code::VEX_Vptest_ymm_ymmm256, &[flags, flags]),
            Width::Sixteen => {
                let mask = Arg::Register(Register::K1);
                self.asm.op(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, &[mask, flags, flags]);
                self.asm.op(Code::VEX_Kortestw_kr_kr, &[mask, mask]);
            }
        }
    }

    /// Assigns a slot of scratch memory to each value that the body reads from the prologue.
    fn reserve(&mut self) {
        let func = self.func;
        let mut is_made = vec![false; func.insts.len()];
        func.prologue.iter().for_each(|value| is_made[value.index()] = true);
        for &arg in func.body.iter().flat_map(|&value| func.inst(value).operands()) {
            if is_made[arg.index()] && !func.is_literal(arg) && self.in_place(arg).is_none() {
                let next = self.uniform.len() as u16;
                self.uniform.entry(arg).or_insert(next);
            }
        }
        self.is_full |= self.kept() > self.slots();
    }

    /// Slots of scratch memory that the prologue leaves for the body.
    fn kept(&self) -> u16 {
        match self.width {
            Width::Eight => self.uniform.len() as u16,
            Width::Sixteen => self.uniform.len().div_ceil(self.width.lanes()) as u16,
        }
    }

    /// Where what the prologue leaves is in scratch memory.
    fn left(&self, number: u16) -> Source {
        match self.width {
            Width::Eight => Source::Memory(SCRATCH_MEMORY, self.slot(number)),
            Width::Sixteen => Source::Scalar(SCRATCH_MEMORY, self.slot(0) + 4 * i32::from(number)),
        }
    }

    /// A component of a constant, which instructions read for all lanes where it is.
    fn in_place(&self, value: Ir) -> Option<Source> {
        let inst = self.func.inst(value);
        let is_read_so = self.width == Width::Sixteen && inst.op == Op::Ctx;
        let at: Element = is_read_so.then(|| inst.immediate())?;
        Some(Source::Scalar(ROWS, row_offset(at.row) + 4 * at.component as i32))
    }

    /// Slots of scratch memory for values.
    fn slots(&self) -> u16 {
        usize::from(SLOTS).saturating_sub(self.frame) as u16
    }

    /// Emits straight-line code.
    pub(super) fn part(&mut self, values: &'a [Ir]) {
        let func = self.func;
        // What the prologue leaves for the body lies below what it spills itself.
        let first = self.kept().min(self.slots());
        self.file.begin(func, values, first..self.slots());
        (self.has_most, self.has_least) = (false, false);
        self.together.clear();
        (self.looked_at, self.copied) = (0, 0);
        for &value in values {
            let inst = func.inst(value);
            if inst.op == Op::RowGuard {
                self.looked_at |= 1 << inst.immediate::<usize>();
            } else if inst.op == Op::RowCopy {
                self.copied |= 1 << inst.immediate::<Passed>().attribute;
            }
            if let Some((fetch, component)) = Fetch::of(func.inst(value)) {
                self.together.entry(fetch).or_default().push((value, component));
            }
        }
        for &value in values {
            let inst = func.inst(value);
            let is_there = self.file.place(Part { value, half: 0 }).is_some();
            if !is_there && !func.is_literal(value) && self.in_place(value).is_none() {
                self.load_again(inst);
                self.running = value;
                self.instruction(inst);
                self.keep(value);
            }
            self.file.done(value, inst);
            if self.is_full {
                return;
            }
        }
        self.raise_exponents();
    }

    /// Emits an instruction.
    fn instruction(&mut self, inst: &Inst) {
        match inst.op.kind() {
            Kind::Load(load) => load.apply(self, inst.imm, inst.operands()),
            Kind::Effect(effect) => effect.apply(self, inst.imm, inst.operands()),
            Kind::Double(op) => op.apply(self, inst.imm, inst.operands()),
            Kind::Pure(op) => op.apply(self, inst.imm, inst.operands()),
            Kind::Indexed(_)
            | Kind::Arithmetic(_)
            | Kind::Function(_)
            | Kind::Lighting(_)
            | Kind::Leaving(_) => unreachable!("{} is an operation of the chip", inst.op.text()),
        }
    }

    /// Stores a result of the prologue that the body reads.
    pub(super) fn keep(&mut self, value: Ir) {
        if let Some(&slot) = self.uniform.get(&value)
            && let Some(Place::Register(register)) = self.file.place(Part { value, half: 0 })
        {
            match self.width {
                Width::Eight => self.store_slot(slot, register),
                Width::Sixteen => {
                    let at = self.slot(0) + 4 * i32::from(slot);
                    let at = Arg::Memory(MemoryOperand::with_base_displ(SCRATCH_MEMORY, at.into()));
                    let low = Arg::Register(Register::XMM0 + u32::from(register));
                    self.asm.op(Code::EVEX_Vmovss_m32_k1_xmm, &[at, low]);
                }
            }
        }
    }

    /// Loads operands that will be read again soon.
    fn load_again(&mut self, inst: &Inst) {
        for &value in inst.operands() {
            for half in 0..2 {
                let part = Part { value, half };
                if self.file.should_load(part)
                    && let Some(source) = self.placed(part)
                {
                    let register = self.take();
                    self.load(register, source);
                    self.file.bind(part, register);
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
        self.file.bind(Part { value: self.running, half }, register);
        register
    }

    /// The offset of a slot in scratch memory.
    pub(super) fn slot(&self, slot: u16) -> i32 {
        Scratch::offset(slot.into(), self.width.lanes())
    }

    /// The slot for numbers of rows.
    pub(super) fn numbers(&self) -> i32 {
        self.slot(SLOTS)
    }

    fn store_slot(&mut self, slot: u16, register: u8) {
        let at = MemoryOperand::with_base_displ(SCRATCH_MEMORY, self.slot(slot).into());
        self.store(at, register);
    }

    /// Where this part has a vector.
    fn placed(&self, part: Part) -> Option<Source> {
        Some(match self.file.place(part)? {
            Place::Register(register) => Source::Register(register),
            Place::Slot(slot) => Source::Memory(SCRATCH_MEMORY, self.slot(slot)),
        })
    }

    /// Where a value is, or half of a double.
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
                return self.asm.words(inst.imm, self.width);
            }
            let double = f64::from(f32::from_bits(self.func.inst(inst.args[0]).imm)).to_le_bytes();
            return Source::Constant(self.asm.constant(double.repeat(self.width.lanes() / 2)), 0);
        }
        let Some(&slot) = self.uniform.get(&value) else {
            assert!(self.is_full, "an operand is in its part, or uniform");
            // It has been lost, and so is this code.
            return Source::Register(0);
        };
        self.left(slot)
    }

    /// A vector register.
    pub(super) fn vector(&self, number: u8) -> Arg {
        let first = match self.width {
            Width::Eight => Register::YMM0,
            Width::Sixteen => Register::ZMM0,
        };
        Arg::Register(first + u32::from(number))
    }

    /// An operand that may be in memory.
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

    /// The register of an operand, which is loaded to this temporary one if it is in memory.
    pub(super) fn in_register(&mut self, source: Source, temporary: u8) -> u8 {
        match source {
            Source::Register(register) => register,
            Source::Memory(..) | Source::Constant(..) | Source::Scalar(..) | Source::ScalarConstant(_) => {
                self.load(temporary, source);
                temporary
            }
        }
    }

    /// Copies a vector to a register.
    pub(super) fn load(&mut self, register: u8, source: Source) {
        let code = match source {
            Source::Register(same) if same == register => return,
            Source::Register(_) | Source::Memory(..) | Source::Constant(..) => {
                self.code(Code::VEX_Vmovups_ymm_ymmm256, Code::EVEX_Vmovups_zmm_k1z_zmmm512)
            }
            Source::Scalar(..) | Source::ScalarConstant(_) => Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
        };
        let args = [self.vector(register), self.whole(source)];
        self.asm.op(code, &args);
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
        let code = self.code(Code::VEX_Vmovups_ymmm256_ymm, Code::EVEX_Vmovups_zmmm512_k1z_zmm);
        let args = [Arg::Memory(at), self.vector(register)];
        self.asm.op(code, &args);
    }

    /// Loads a word of 64 bits.
    pub(super) fn load_word(&mut self, register: Register, base: Register, offset: usize) {
        let at = Arg::Memory(MemoryOperand::with_base_displ(base, offset as i64));
        self.asm.op(Code::Mov_r64_rm64, &[Arg::Register(register), at]);
    }
}
