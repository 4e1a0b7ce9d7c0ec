//! The layout of a function around its operations.
//!
//! ```text
//! entry(rows, io, first, end):
//!     prologue of the IR; values that the loop reads are stored in scratch memory, the same in all lanes
//!     a guard raised here     -> return ALL_GUARDED
//!     callee-saved registers are saved for streams that stay open
//! opening:
//!     these are opened
//! group:
//!     body of the IR, for one vector of vertices; outputs are stored as they become ready
//!     a guard raised here     -> say in which lanes, return the first vertex of the group
//!     constants are written
//!     more vertices           -> group; without tails, for fewer than lanes -> last
//!     return the vertex behind the last group
//! tails:
//!     for each place that accesses rows of vertices: the same for a group of fewer  -> behind that place
//! apart:
//!     for attributes that are not adjacent: they are loaded one by one  -> behind where they would be loaded together
//! other strides:
//!     for each stream that stays open: its stride is loaded  -> where it was compared
//! last:
//!     the group that ends with the last vertex  -> opening
//! ```
//! The order of the IR is kept. Registers for addresses are caller-saved, and, for streams that stay open, some callee-saved ones, whose contents
//! are kept in scratch memory; the stack is not touched.

use super::super::core::alloc::{Allocation, Part, Physical};
use super::super::core::flow::Flow;
use super::super::core::reads::Reads;
use super::super::lines::Lines;
use super::asm::{Arg, Assembler};
use super::cold::Cold;
use super::guards::Guards;
use super::literals::Literals;
use super::masks::Masks;
use super::open_streams::OpenStreams;
use super::operands::for_values;
use super::table::Insn;
use super::temporaries::{TEMPORARIES, Temporaries};
use super::uniforms::Uniforms;
use super::width::{Facts, Lanes, Width};
use crate::backend::CompileError;
use crate::ir::backend;
use crate::ir::func::{Func, Value as Ir};
use iced_x86::{Instruction, MemoryOperand, Register};
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{Io, SCRATCH, Scratch};

/// The rows of constants.
pub(super) const ROWS: Register = Register::RDI;
/// The [`Io`].
pub(super) const IO: Register = Register::RSI;
/// The first vertex of the group.
pub(super) const VERTEX: Register = Register::RDX;
/// How many vertices there are from the first one of the group on: some. Code without tails has another number there, see
/// [`groups`](super::groups).
pub(super) const REMAINING: Register = Register::RCX;
/// The [`xfjit_runtime::state::Scratch`].
pub(super) const SCRATCH_MEMORY: Register = Register::RAX;
/// The stride of a stream: bytes from one row or plane to the next; or the offset of a row of a table.
pub(super) const STRIDE: Register = Register::R9;
/// The row (or plane) that a stream is at, at first that of the first vertex of the group; or offsets of two rows of a table.
pub(super) const ROW: Register = Register::R10;
/// Three times the stride, or the [`xfjit_runtime::lookup::Lookup`], or the stride of rows that are written by a copy.
pub(super) const THREE: Register = Register::R8;
/// The row that a copied one goes to, or the number of a row in an index list, or offsets of two rows of a table.
pub(super) const COPY: Register = Register::R11;

/// Slots of scratch memory.
pub(super) const SLOTS: u16 = SCRATCH as u16;

/// A function in machine code, with its instructions in order and its constants behind them.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) instructions: Vec<Instruction>,
    /// The operation that each piece is for.
    pub(super) lines: Lines,
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
    Ok(Emitted { bytes, instructions, lines: emitter.lines })
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
    pub(super) temporaries: Temporaries,
    pub(super) guards: Guards,
    pub(super) literals: Literals,
    pub(super) masks: Masks,
    pub(super) uniforms: Uniforms,
    pub(super) reads: Reads,
    pub(super) streams: OpenStreams,
    pub(super) flow: Flow,
    pub(super) cold: Cold,
    /// What pieces are for.
    lines: Lines,
    /// The current instruction.
    pub(super) running: Ir,
    /// Slots of scratch memory for values.
    slots: u16,
    /// Rows of constants that wait to be written.
    pub(super) stores: Vec<usize>,
    pub(super) is_full: bool,
}

impl<'a> Emitter<'a> {
    fn new(func: &'a Func, layout: Layout, width: Width) -> Self {
        let facts = width.facts();
        let guards = Guards::of(func, facts);
        let registers = facts.registers - TEMPORARIES - guards.registers();
        let literals = Literals::of(func, width, guards.keeps_flags(), registers);
        Emitter {
            func,
            layout,
            facts,
            lanes: width.implementation(),
            width,
            asm: Assembler::new(2 * func.order().count()),
            file: Allocation::new(Physical::new(literals.first())),
            temporaries: Temporaries::new(facts.registers),
            guards,
            literals,
            masks: Masks::new(func, width),
            uniforms: Uniforms::new(func),
            reads: Reads::default(),
            streams: OpenStreams::of(func, layout, width),
            flow: Flow::of(func),
            cold: Cold::default(),
            lines: Lines::default(),
            running: Ir::NONE,
            slots: for_values(func, width),
            stores: Vec::new(),
            is_full: false,
        }
    }

    fn function(&mut self) {
        let (raised, guarded) = (self.asm.label(), self.asm.label());
        self.locate(None);
        self.load_word(SCRATCH_MEMORY, IO, Io::SCRATCH);
        self.lanes.begin(self);
        self.load_literals();
        self.reserve_uniforms();
        self.part(&self.func.prologue);
        let may_be_guarded = self.guards.has_flags;
        if may_be_guarded {
            self.test_flags();
            self.asm.jump(Insn::Jne, guarded);
            self.guards.release();
        }
        let groups = self.begin_groups();
        self.guards.has_flags = false;
        if self.func.has_blocks() {
            self.blocks();
        } else {
            self.part(&self.func.body);
        }
        if self.guards.has_flags {
            self.test_flags();
            self.asm.jump(Insn::Jne, raised);
        }
        self.write_constants();
        self.next_group(&groups);
        self.leave_at_vertex();
        if self.guards.has_flags {
            self.asm.bind(raised);
            self.tell_lanes();
            self.guards.release();
            self.leave_at_vertex();
        }
        if may_be_guarded {
            self.asm.bind(guarded);
            const { assert!(ALL_GUARDED == !0) };
            self.asm.op(Insn::Xor, &[Arg::Register(Register::EAX), Arg::Register(Register::EAX)]);
            self.asm.op(Insn::Not, &[Arg::Register(Register::RAX)]);
            self.leave();
        }
        self.tails();
        self.apart();
        self.other_strides();
        self.go_back(&groups);
    }

    /// Stores the lanes in which guards have been raised at the beginning of scratch memory, which nothing reads any more.
    fn tell_lanes(&mut self) {
        let at =
            MemoryOperand::with_base_displ(SCRATCH_MEMORY, Scratch::offset(0, self.width.lanes()).into());
        let flags = self.flags();
        self.store(at, flags);
    }

    /// Returns the vertex that it is at.
    fn leave_at_vertex(&mut self) {
        self.restore();
        self.asm.op(Insn::Mov, &[Arg::Register(Register::RAX), Arg::Register(VERTEX)]);
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
        let first = self.uniform_slots().min(self.slots());
        self.file.begin(func, values, |_| false);
        self.file.give(first..self.slots());
        (self.guards.has_most, self.guards.has_least) = (false, false);
        self.masks.clear();
        self.reads.begin(func, values);
        for &value in values {
            let inst = func.inst(value);
            let is_there = self.file.place(Part { value, half: 0 }).is_some();
            if !is_there && !func.is_literal(value) && self.in_place(value).is_none() {
                self.load_again(inst);
                self.locate(Some(value));
                self.running = value;
                backend::emit(self, inst);
                self.store_if_uniform(value);
                self.locate(None);
            }
            self.file.done(value, inst);
            self.release_masks();
            if self.is_full {
                return;
            }
        }
        self.raise_exponents();
    }

    /// Slots of scratch memory for values.
    pub(super) fn slots(&self) -> u16 {
        self.slots
    }

    /// What comes next is for an operation, or for none.
    #[inline]
    pub(super) fn locate(&mut self, value: Option<Ir>) {
        self.lines.push(self.asm.offset(), value);
    }
}
