//! The layout of a function around its operations.
//!
//! ```text
//! entry(rows, io, first, end):
//!     registers of the caller are saved in scratch memory; literals that stay in registers are loaded
//!     prologue of the IR; values that the loop reads stay in registers, or are stored in scratch memory, the same in all lanes
//!     a guard raised here     -> return ALL_GUARDED
//!     for streams that stay open: how far lanes are apart
//! opening:
//!     where the group is in these streams
//! group:
//!     body of the IR, for four vertices; outputs are stored as they become ready
//!     a guard raised here     -> say in which lanes, return the first vertex of the group
//!     constants are written
//!     four more vertices      -> group
//!     fewer                   -> last
//!     return the vertex behind the last group
//! shared:
//!     for each output that is stored as planes: the same, word by word, for lanes that share vertices  -> behind that place
//! last:
//!     the group that ends with the last vertex  -> opening
//! ```
//! So the last group may have vertices of the one before it. The lanes of a call of fewer than four share its vertices
//! ([`Io::share`]). The order of the IR is kept; the stack is not touched.

use super::super::core::alloc::{Allocation, Part, Physical};
use super::super::core::flow::Flow;
use super::super::core::reads::Reads;
use super::super::lines::Lines;
use super::asm::{Assembler, Label};
use super::effects::Shared;
use super::guards::{FLAGS, Guards};
use super::operands::{FIRST, Uniforms, for_values};
use super::registers::{Registers, TEMPORARIES};
use super::streams::Streams;
use super::table::{Cond, Insn};
use crate::backend::CompileError;
use crate::ir::backend;
use crate::ir::func::{Func, Value as Ir};
use crate::ir::imm::Element;
use crate::ir::ops::Op;
use rustc_hash::FxHashMap;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{Io, SCRATCH, Scratch};

/// Vertices of a group.
pub(super) const LANES: usize = 4;

/// The rows of constants.
pub(super) const ROWS: u32 = 0;
/// The [`Io`].
pub(super) const IO: u32 = 1;
/// The first vertex of the group, and the one behind the last of the call.
pub(super) const VERTEX: u32 = 2;
pub(super) const END: u32 = 3;
/// The [`xfjit_runtime::state::Scratch`].
pub(super) const SCRATCH_MEMORY: u32 = 4;
/// Integer registers of one operation.
pub(super) const INTEGERS: [u32; 5] = [5, 6, 7, 8, 9];

/// Slots of scratch memory.
pub(super) const SLOTS: u16 = SCRATCH as u16;

/// A function in machine code, with its constants behind it.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    /// The operation that each piece is for.
    pub(super) lines: Lines,
}

/// The code of a function that is not refused.
///
/// # Errors
/// [`CompileError::TooLarge`] if scratch memory does not hold its values, [`CompileError::Codegen`].
pub(super) fn emit(func: &Func, layout: Layout) -> Result<Emitted, CompileError> {
    let mut emitter = Emitter::new(func, layout);
    emitter.function();
    if emitter.is_full {
        return Err(CompileError::TooLarge("its values do not fit the scratch memory".to_owned()));
    }
    let bytes = emitter.asm.finish()?;
    Ok(Emitted { bytes, lines: emitter.lines })
}

pub(super) struct Emitter<'a> {
    pub(super) func: &'a Func,
    pub(super) layout: Layout,
    pub(super) asm: Assembler,
    pub(super) file: Allocation<Physical>,
    pub(super) registers: Registers,
    /// How many temporary registers the current operation has.
    pub(super) temporaries: usize,
    pub(super) guards: Guards,
    pub(super) uniforms: Uniforms,
    pub(super) reads: Reads,
    /// The components of each row of constants that the part reads, until they are loaded.
    pub(super) constants: FxHashMap<usize, Vec<(Ir, usize)>>,
    /// For each value, whether what holds it has its complement.
    pub(super) complements: Vec<bool>,
    pub(super) streams: Streams,
    pub(super) flow: Flow,
    /// What is still to be made behind the function.
    pub(super) shared: Vec<Shared>,
    /// What pieces are for.
    lines: Lines,
    /// The current instruction.
    pub(super) running: Ir,
    /// Slots of scratch memory for values end here.
    slots: u16,
    /// Rows of constants that wait to be written.
    pub(super) stores: Vec<usize>,
    pub(super) is_full: bool,
}

impl<'a> Emitter<'a> {
    fn new(func: &'a Func, layout: Layout) -> Self {
        let guards = Guards::of(func);
        let registers = Registers::of(func, &guards);
        Emitter {
            func,
            layout,
            asm: Assembler::new(2 * func.order().count()),
            file: Allocation::new(Physical::new(registers.values)),
            registers,
            temporaries: 0,
            guards,
            uniforms: Uniforms::new(func),
            reads: Reads::default(),
            constants: FxHashMap::default(),
            complements: vec![false; func.insts.len()],
            streams: Streams::of(func, layout),
            flow: Flow::of(func),
            shared: Vec::new(),
            lines: Lines::default(),
            running: Ir::NONE,
            slots: for_values(func),
            stores: Vec::new(),
            is_full: false,
        }
    }

    fn function(&mut self) {
        let [raised, guarded, opening, group, last] = std::array::from_fn(|_| self.asm.label());
        self.locate(None);
        self.load_pointer(SCRATCH_MEMORY, Io::SCRATCH);
        self.save();
        for number in 0..self.registers.words().len() {
            let (word, register) = self.registers.words()[number];
            self.load_word(register, word);
        }
        self.reserve_uniforms();
        self.part(&self.func.prologue);
        let may_be_guarded = self.guards.has_flags;
        if may_be_guarded {
            self.branch_if_any(FLAGS, TEMPORARIES[0], Cond::Unequal, guarded);
        }
        self.guards.has_flags = false;
        self.measure_streams();
        self.asm.bind(opening);
        self.open_streams();
        self.asm.bind(group);
        if self.func.has_blocks() {
            self.blocks();
        } else {
            self.part(&self.func.body);
        }
        if self.guards.has_flags {
            self.branch_if_any(FLAGS, TEMPORARIES[0], Cond::Unequal, raised);
        }
        self.write_constants();
        self.next_group(group, last);
        self.leave_at_vertex();
        if self.guards.has_flags {
            self.asm.bind(raised);
            // At the beginning of scratch memory, which nothing reads any more.
            let at = Scratch::offset(0, LANES) as u32;
            self.asm.op(Insn::StrQ, [FLAGS.into(), SCRATCH_MEMORY, at]);
            self.leave_at_vertex();
        }
        if may_be_guarded {
            self.asm.bind(guarded);
            const { assert!(ALL_GUARDED == !0) };
            self.restore();
            self.asm.op(Insn::Not, [0, 0]);
            self.asm.op(Insn::Ret, []);
        }
        self.store_shared();
        self.asm.bind(last);
        self.asm.op(Insn::SubI, [VERTEX, END, LANES as u32]);
        self.asm.jump(opening);
    }

    /// Goes over to the next group, if there is one. Else it is at the vertex behind the last one.
    fn next_group(&mut self, group: Label, last: Label) {
        let [behind, ..] = INTEGERS;
        self.asm.op(Insn::AddI, [VERTEX, VERTEX, LANES as u32]);
        self.move_streams();
        self.asm.op(Insn::AddI, [behind, VERTEX, LANES as u32]);
        self.asm.op(Insn::CmpX, [behind, END]);
        self.asm.branch(Cond::AtMost, group);
        self.asm.op(Insn::CmpX, [VERTEX, END]);
        self.asm.branch(Cond::Below, last);
    }

    /// Returns the vertex that it is at.
    fn leave_at_vertex(&mut self) {
        self.restore();
        self.asm.op(Insn::MovX, [0, VERTEX]);
        self.asm.op(Insn::Ret, []);
    }

    /// Branches if any bit of a register is set, or by the other condition if none is; by way of another register, or of the same.
    pub(super) fn branch_if_any(&mut self, register: u8, found: u8, condition: Cond, label: Label) {
        let [any, ..] = INTEGERS;
        self.asm.vectors(Insn::Umaxp, [found, register, register]);
        self.asm.op(Insn::ToX, [any, found.into(), 0]);
        self.asm.op(Insn::CmpI, [any, 0]);
        self.asm.branch(condition, label);
    }

    /// Emits straight-line code.
    pub(super) fn part(&mut self, values: &'a [Ir]) {
        let func = self.func;
        // What the prologue leaves for the body lies below what it spills itself.
        let first = (FIRST + self.uniforms.count()).min(self.slots);
        self.file.begin(func, values, |_| false);
        self.file.give(first..self.slots);
        (self.guards.has_most, self.guards.has_least) = (false, false);
        self.reads.begin(func, values);
        self.constants.clear();
        for &value in values.iter().filter(|&&value| func.inst(value).op == Op::Ctx) {
            let at: Element = func.inst(value).immediate();
            self.constants.entry(at.row).or_default().push((value, at.component));
        }
        for &value in values {
            let inst = func.inst(value);
            let is_there = self.file.place(Part { value, half: 0 }).is_some();
            if !is_there && !func.is_literal(value) {
                self.locate(Some(value));
                self.running = value;
                backend::emit(self, inst);
                self.store_if_uniform(value);
                self.locate(None);
            }
            self.file.done(value, inst);
            self.give_back();
            if self.is_full {
                return;
            }
        }
        self.raise_exponents();
    }

    /// Slots of scratch memory for values end here.
    pub(super) fn slots(&self) -> u16 {
        self.slots
    }

    /// What comes next is for an operation, or for none.
    #[inline]
    pub(super) fn locate(&mut self, value: Option<Ir>) {
        self.lines.push(self.asm.offset(), value);
    }
}
