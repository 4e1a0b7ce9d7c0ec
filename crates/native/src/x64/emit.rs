//! The layout of a function around its operations.
//!
//! ```text
//! entry(rows, io, first, end):
//!     prologue of the IR; values that the loop reads are stored in scratch memory, the same in all lanes
//!     a guard raised here     -> return ALL_GUARDED
//!     streams that stay open are opened, registers of the caller saved for them
//! group:
//!     body of the IR, for one vector of vertices; outputs are stored as they become ready
//!     a guard raised here     -> say in which lanes, return the number of the group
//!     constants are written
//!     more vertices           -> group
//!     return the number of groups
//! tails:
//!     for each place that accesses rows of vertices: the same for a group of fewer  -> behind that place
//! apart:
//!     for attributes that do not lie beside each other: they are loaded one by one  -> behind where they would be together
//! other distances:
//!     for each stream that stays open: its distance is loaded  -> where it was compared
//! ```
//! The order of the IR is kept. Registers for addresses are those that belong to the callee, and, for streams that stay open, some of the
//! caller, which are saved in scratch memory; the stack is not touched.

use super::super::core::alloc::{Allocation, Part, Physical};
use super::super::fetch::Fetch;
use super::super::lines::Lines;
use super::asm::{Arg, Assembler};
use super::beside::Apart;
use super::blocks::Current;
use super::kept::Kept;
use super::literals;
use super::masks::{Masks, by_lanes};
use super::operands::for_values;
use super::table::Insn;
use super::tails::Tail;
use super::trace::{Note, Trace};
use super::width::{Facts, Lanes, Width};
use crate::backend::CompileError;
use crate::ir::func::{Func, Inst, Value as Ir};
use crate::ir::imm::Passed;
use crate::ir::ops::{Kind, Op};
use iced_x86::{Instruction, MemoryOperand, Register};
use rustc_hash::FxHashMap;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{Io, SCRATCH, Scratch};

/// The rows of constants.
pub(super) const ROWS: Register = Register::RDI;
/// The [`Io`].
pub(super) const IO: Register = Register::RSI;
/// The first vertex of the group.
pub(super) const VERTEX: Register = Register::RDX;
/// How many vertices there are from the first one of the group on: some.
pub(super) const REMAINING: Register = Register::RCX;
/// The [`xfjit_runtime::state::Scratch`].
pub(super) const SCRATCH_MEMORY: Register = Register::RAX;
/// The distance between rows or planes of a stream, or between a row and the first one of a table.
pub(super) const STRIDE: Register = Register::R9;
/// The row (or plane) that a stream is at, at first that of the first vertex of the group; or distances of two rows of a table.
pub(super) const ROW: Register = Register::R10;
/// Three times the distance, or the [`xfjit_runtime::lookup::Lookup`], or the distance between rows that are copied.
pub(super) const THREE: Register = Register::R8;
/// The row that a copied one goes to, or the number of a row in an index list, or distances of two rows of a table.
pub(super) const COPY: Register = Register::R11;

/// Slots of scratch memory.
pub(super) const SLOTS: u16 = SCRATCH as u16;

/// A function in machine code, with its instructions in order and its constants behind them.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) trace: Trace,
}

/// The code of a function that is not refused.
///
/// # Errors
/// [`CompileError::TooLarge`] if scratch memory does not hold its values, [`CompileError::Codegen`].
pub(super) fn emit(func: &Func, layout: Layout, width: Width) -> Result<Emitted, CompileError> {
    emit_with(func, layout, width, Trace::new(false))
}

/// The code of a function with notes about its instructions.
pub(super) fn emit_traced(func: &Func, layout: Layout, width: Width) -> Result<Emitted, CompileError> {
    emit_with(func, layout, width, Trace::new(true))
}

fn emit_with(func: &Func, layout: Layout, width: Width, trace: Trace) -> Result<Emitted, CompileError> {
    let mut emitter = Emitter { trace, ..Emitter::new(func, layout, width) };
    emitter.function();
    if emitter.is_full {
        return Err(CompileError::TooLarge("its values do not fit the scratch memory".to_owned()));
    }
    let (bytes, instructions) = emitter.asm.finish()?;
    Ok(Emitted { bytes, instructions, trace: emitter.trace })
}

impl Emitted {
    /// The values that pieces of the code compute, of code that was traced.
    pub(super) fn lines(&self) -> Lines {
        let mut lines = Lines::default();
        lines.push(0, None);
        for &(at, note) in &self.trace.notes {
            let value = match note {
                Note::Run(value) | Note::Tail(_, value) => Some(value),
                Note::Ran | Note::TailEnd(_) => None,
                Note::Fork(_) | Note::Join(_) => continue,
                Note::Begin | Note::Bind(..) | Note::BindMask(..) => continue,
                Note::Literal(..) | Note::Read(..) => continue,
            };
            let offset = self.instructions.get(at).map_or(self.bytes.len() as u64, Instruction::ip);
            lines.push(offset as u32, value);
        }
        lines
    }
}

pub(super) struct Emitter<'a> {
    pub(super) func: &'a Func,
    pub(super) layout: Layout,
    /// What is known of the width, and what is left to it.
    pub(super) facts: &'static Facts,
    pub(super) lanes: &'static dyn Lanes,
    pub(super) width: Width,
    pub(super) asm: Assembler,
    pub(super) file: Allocation<Physical>,
    /// Words that have a register of their own.
    pub(super) literals: Vec<u32>,
    pub(super) trace: Trace,
    /// The current instruction.
    pub(super) running: Ir,
    /// The place in scratch memory of each value that the body reads from the prologue: the number of a slot, or of a word if
    /// instructions read a word for all lanes.
    pub(super) uniform: Vec<Option<u16>>,
    /// How many there are.
    pub(super) left: u16,
    /// Slots of scratch memory for values.
    pub(super) slots: u16,
    /// For each row that this part reads, the values and their components, in order.
    pub(super) together: FxHashMap<Fetch, Vec<(Ir, usize)>>,
    pub(super) masks: Masks,
    /// See [`by_lanes`].
    pub(super) by_lanes: Vec<bool>,
    /// Words of scratch memory for control flow, at its end.
    pub(super) frame: usize,
    /// Rows of constants that wait to be written.
    pub(super) stores: Vec<usize>,
    pub(super) current: Current,
    pub(super) tails: Vec<Tail>,
    pub(super) kept: Kept,
    pub(super) apart: Vec<Apart>,
    /// How many ways behind the function there have been.
    pub(super) forks: usize,
    /// The attributes whose rows this part looks at for guards, and those that it copies, which it looks at on the way.
    pub(super) looked_at: u16,
    pub(super) copied: u16,
    /// Whether anything here raises guards.
    pub(super) has_guards: bool,
    /// Whether masks of guards are accumulated in a register of their own.
    pub(super) keeps_flags: bool,
    /// Whether the accumulators of guards hold something in this part.
    pub(super) has_flags: bool,
    pub(super) has_most: bool,
    pub(super) has_least: bool,
    pub(super) is_full: bool,
}

/// Temporary registers of an instruction.
pub(super) const TEMPORARIES: u8 = 3;

impl<'a> Emitter<'a> {
    fn new(func: &'a Func, layout: Layout, width: Width) -> Self {
        let (mut guards, mut exponents) = (false, false);
        for op in func.order().map(|value| func.inst(value).op) {
            exponents |= matches!(op, Op::BigGuard | Op::SmallGuard);
            guards |= matches!(op, Op::Guard | Op::RowGuard);
        }
        let keeps_flags = guards || exponents && func.has_blocks();
        guards |= exponents;
        let accumulators = u8::from(keeps_flags) + 2 * u8::from(exponents);
        let literals = literals::of(func, width, keeps_flags);
        let others = TEMPORARIES + accumulators + literals.len() as u8;
        Emitter {
            func,
            layout,
            facts: width.facts(),
            lanes: width.implementation(),
            width,
            asm: Assembler::new(2 * func.order().count()),
            file: Allocation::new(Physical::new(width.facts().registers - others)),
            literals,
            trace: Trace::default(),
            running: Ir::NONE,
            uniform: vec![None; func.insts.len()],
            left: 0,
            slots: for_values(func, width),
            together: FxHashMap::default(),
            masks: Masks::new(func, width),
            by_lanes: by_lanes(func, width),
            frame: func.frame(),
            stores: Vec::new(),
            current: Current::default(),
            tails: Vec::new(),
            kept: Kept::of(func, layout, width),
            apart: Vec::new(),
            forks: 0,
            looked_at: 0,
            copied: 0,
            has_guards: guards,
            keeps_flags,
            has_flags: false,
            has_most: false,
            has_least: false,
            is_full: false,
        }
    }

    fn function(&mut self) {
        let (group, raised, guarded) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.load_word(SCRATCH_MEMORY, IO, Io::SCRATCH);
        self.lanes.begin(self);
        self.load_literals();
        self.reserve();
        self.part(&self.func.prologue);
        if self.has_flags {
            self.test_flags();
            self.asm.jump(Insn::Jne, guarded);
        }
        let shift = Arg::Immediate(self.width.lanes().ilog2());
        self.asm.op(Insn::Shl, &[Arg::Register(VERTEX), shift]);
        if !self.width.has_tails() {
            self.asm.op(Insn::Shl, &[Arg::Register(REMAINING), shift]);
        }
        self.asm.op(Insn::Sub, &[REMAINING, VERTEX].map(Arg::Register));
        self.open_kept();
        self.asm.bind(group);
        self.has_flags = false;
        if self.func.has_blocks() {
            self.blocks();
        } else {
            self.part(&self.func.body);
        }
        if self.has_flags {
            self.test_flags();
            self.asm.jump(Insn::Jne, raised);
        }
        self.write_constants();
        let lanes = Arg::Immediate(self.width.lanes() as u32);
        self.asm.op(Insn::AddByte, &[Arg::Register(VERTEX), lanes]);
        self.asm.op(Insn::SubByte, &[Arg::Register(REMAINING), lanes]);
        self.asm.jump(Insn::Ja, group);
        self.leave_at_group(shift);
        if self.has_flags {
            self.asm.bind(raised);
            self.tell_lanes();
            self.leave_at_group(shift);
        }
        self.asm.bind(guarded);
        const { assert!(ALL_GUARDED == !0) };
        self.asm.op(Insn::Xor, &[Arg::Register(Register::EAX), Arg::Register(Register::EAX)]);
        self.asm.op(Insn::Not, &[Arg::Register(Register::RAX)]);
        self.leave();
        self.tails();
        self.apart();
        self.other_distances();
    }

    /// Stores the lanes in which guards have been raised at the beginning of scratch memory, which nothing reads any more.
    fn tell_lanes(&mut self) {
        let at =
            MemoryOperand::with_base_displ(SCRATCH_MEMORY, Scratch::offset(0, self.width.lanes()).into());
        self.store(at, self.flags());
    }

    /// Returns the number of the group.
    fn leave_at_group(&mut self, shift: Arg) {
        self.restore();
        self.asm.op(Insn::Mov, &[Arg::Register(Register::RAX), Arg::Register(VERTEX)]);
        self.asm.op(Insn::Shr, &[Arg::Register(Register::RAX), shift]);
        self.leave();
    }

    fn leave(&mut self) {
        self.asm.op(Insn::Vzeroupper, &[]);
        self.asm.op(Insn::Ret, &[]);
    }

    fn test_flags(&mut self) {
        let flags = self.flags();
        self.lanes.test(self, flags);
    }

    /// Emits straight-line code.
    pub(super) fn part(&mut self, values: &'a [Ir]) {
        let func = self.func;
        // What the prologue leaves for the body lies below what it spills itself.
        let first = self.kept().min(self.slots());
        self.file.begin(func, values, |_| false);
        self.file.give(first..self.slots());
        self.note(Note::Begin);
        (self.has_most, self.has_least) = (false, false);
        self.masks.clear();
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
                self.note(Note::Run(value));
                self.load_again(inst);
                self.running = value;
                self.instruction(inst);
                self.keep(value);
                self.note(Note::Ran);
            }
            self.file.done(value, inst);
            self.release_masks();
            if self.is_full {
                return;
            }
        }
        self.raise_exponents();
    }

    /// Remarks something about the instructions from here on.
    pub(super) fn note(&mut self, note: Note) {
        self.trace.note(self.asm.count(), note);
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
}
