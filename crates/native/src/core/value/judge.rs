//! Compares what instructions read with the operands of the operations that they belong to.

use super::super::note::{Part, Place, Trace};
use super::decode::{Action, Memory, Step, Where, decode};
use super::follow::{Followed, Moment, follow};
use super::names::{Names, names};
use super::operations::{Operations, Owner, raises};
use super::order;
use super::state::{Base, Holds, Made, State};
use crate::fetch::Fetch;
use crate::ir::func::{Func, Value};
use crate::ir::imm::Element;
use crate::ir::ops::{Effect, Kind, Load, Op};
use iced_x86::Register;
use rustc_hash::FxHashSet;
use std::fmt;
use xfjit_runtime::state::row_offset;

/// Machine code of a function, constants behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'a> {
    pub(crate) bytes: &'a [u8],
    /// Bytes of a vector of all lanes.
    pub(crate) vector: usize,
    /// The registers of the first two arguments, the rows of constants and the [`xfjit_runtime::state::Io`].
    pub(crate) arguments: [Register; 2],
}

/// The registers of the first two arguments by the convention of System V.
pub(crate) const SYSTEM_V: [Register; 2] = [Register::RDI, Register::RSI];
/// Those by the convention of Windows.
pub(crate) const WINDOWS: [Register; 2] = [Register::RCX, Register::RDX];

/// Code that reads a wrong value: a bug of this library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    /// Where in the code.
    at: u32,
    why: Why,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// An instruction is not decoded.
    Unknown,
    /// Two notes contradict each other.
    Notes,
    /// A result is not where it is said to be.
    Result { part: Part, holds: Holds },
    /// An operation reads what is none of its operands.
    Other { value: Option<Value>, place: String, holds: Holds, found: Vec<Part> },
    /// It reads a constant that is none of its operands.
    Constant { value: Option<Value>, at: i32 },
    /// It does not read an operand.
    Missing { value: Value, operand: Value },
    /// It reads its operands in another order.
    Order { value: Value },
    /// It does not run.
    Skipped { value: Value },
    /// A cell is accessed by what is none of its operations, or has been set before it is read.
    Cell { value: Option<Value>, cell: usize },
    /// A value lies in a cell.
    InCell { cell: usize },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "code at {:#x}: ", self.at)?;
        match &self.why {
            Why::Unknown => write!(f, "an unknown instruction"),
            Why::Notes => write!(f, "notes contradict each other"),
            Why::Result { part, holds } => write!(f, "{part:?} is not there, but {holds:?}"),
            Why::Other { value, place, holds, found } => {
                write!(f, "{value:?} reads {place}, which holds {holds:?}, {found:?}")
            }
            Why::Constant { value, at } => write!(f, "{value:?} reads the constant at {at}"),
            Why::Missing { value, operand } => write!(f, "v{} does not read v{}", value.0, operand.0),
            Why::Order { value } => write!(f, "v{} reads its operands in another order", value.0),
            Why::Skipped { value } => write!(f, "v{} does not run", value.0),
            Why::Cell { value, cell } => write!(f, "{value:?} accesses cell {cell}"),
            Why::InCell { cell } => write!(f, "something else lies in cell {cell}"),
        }
    }
}

/// Checks the code of a function with the notes of its emitter.
///
/// # Errors
/// The first [`Fault`].
pub(crate) fn check(func: &Func, code: Code<'_>, trace: &Trace) -> Result<(), Fault> {
    let fault = |why: Why| move |at: u32| Fault { at, why };
    let operations = Operations::new(func, trace.notes()).map_err(fault(Why::Notes))?;
    let steps = decode(code.bytes, code.vector).map_err(fault(Why::Unknown))?;
    let entry = State::new(code.arguments.map(|register| register.number() as u8));
    let followed = follow(&steps, entry, &operations);
    let names = names(&followed, &operations).map_err(|(at, why)| Fault { at, why })?;
    let mut judge = Judge {
        operations: &operations,
        names: &names,
        read: vec![FxHashSet::default(); operations.pieces.len()],
        constants: vec![FxHashSet::default(); operations.pieces.len()],
        cells: vec![FxHashSet::default(); operations.pieces.len()],
    };
    followed.visit(&operations, |moment, step, state| match moment {
        Moment::Before => judge.step(step, state).map_err(|why| Fault { at: step.at, why }),
        Moment::Behind => Ok(()),
    })?;
    judge.all(&followed).map_err(|(at, why)| Fault { at, why })
}

struct Judge<'a> {
    operations: &'a Operations<'a>,
    names: &'a Names,
    /// What the instructions of each operation have read so far, by the piece in which it begins: values, constants and cells.
    read: Vec<FxHashSet<Value>>,
    constants: Vec<FxHashSet<i32>>,
    cells: Vec<FxHashSet<usize>>,
}

impl Judge<'_> {
    fn step(&mut self, step: &Step, state: &State) -> Result<(), Why> {
        let number = self.operations.piece(step.at);
        let piece = self.operations.pieces[number];
        let (value, first) = (piece.value, piece.first.unwrap_or(number));
        let sources = step.reads.iter().map(|&place| (format!("{place:?}"), state.at(place), None));
        let memory = step.memory.filter(|memory| memory.is_read && state.is_followed(*memory));
        let loaded = memory.map(|memory| (format!("{memory:?}"), state.in_memory(memory), Some(memory)));
        let mut found: Vec<Part> = Vec::new();
        // What an instruction does not look at may be anything.
        let is_free = self.is_move(step, state) || matches!(step.action, Action::Literal(_));
        for (place, holds, memory) in sources.chain(loaded) {
            if let Some(cell) = memory.and_then(|memory| self.cell(memory, state)) {
                self.read_cell(value, cell, holds)?;
                self.cells[first].insert(cell);
                continue;
            }
            found.extend(self.names.of(holds));
            let is_there = is_free || self.may_read(value, holds, memory.is_some());
            if !is_there {
                let found = self.names.of(holds).to_vec();
                return Err(Why::Other { value, place, holds, found });
            }
        }
        // A copy that goes to memory is a spill, whatever operation asks for the register; what goes to a cell is meant.
        let is_stored = matches!(step.action, Action::Copy(_, Where::Memory(memory)) if state.is_followed(memory)
            && self.cell(memory, state).is_none());
        if !is_stored {
            self.read[first].extend(found.iter().map(|part| part.value));
        }
        if let Some(value) = value
            && !order::is_kept(self.operations.func, value, step, |place| self.names.of(state.at(place)))
        {
            return Err(Why::Order { value });
        }
        self.memory(step, state, value, first)
    }

    /// Whether an instruction only brings something from one place that is followed to another.
    fn is_move(&self, step: &Step, state: &State) -> bool {
        let is_followed = |side: Where| match side {
            Where::Memory(memory) => state.is_followed(memory) && self.cell(memory, state).is_none(),
            Where::Place(_) | Where::General(_) => true,
        };
        matches!(step.action, Action::Copy(from, to) if is_followed(from) && is_followed(to))
    }

    fn cell(&self, memory: Memory, state: &State) -> Option<usize> {
        let is_scratch = state.base(memory) == Some(Base::Scratch);
        if is_scratch { self.operations.cell(memory.at) } else { None }
    }

    /// A cell is read by operations that get it, before one of their block sets it.
    fn read_cell(&self, value: Option<Value>, cell: usize, holds: Holds) -> Result<(), Why> {
        let fault = Err(Why::Cell { value, cell });
        let Some(reader) = value else { return fault };
        let gets = |value: Value| {
            let inst = self.operations.func.inst(value);
            inst.op == Op::Get && inst.imm as usize == cell
        };
        if !self.reaches(reader, &gets) {
            return fault;
        }
        let block = |value: Value| self.operations.block[value.index()];
        match holds {
            Holds::Made(Owner::Value(setter), _) if block(setter) == block(reader) => fault,
            _ => Ok(()),
        }
    }

    /// Constants that an instruction reads, and cells that it writes.
    fn memory(&mut self, step: &Step, state: &State, value: Option<Value>, first: usize) -> Result<(), Why> {
        let Some(memory) = step.memory else { return Ok(()) };
        if memory.is_read && state.base(memory) == Some(Base::Rows) {
            let is_operand = value.is_some_and(|value| {
                self.reaches(value, &|operand| self.constant(operand) == Some(memory.at))
            });
            if !is_operand {
                return Err(Why::Constant { value, at: memory.at });
            }
            self.constants[first].insert(memory.at);
        }
        if memory.is_written
            && let Some(cell) = self.cell(memory, state)
        {
            let sets = |value: Value| {
                let inst = self.operations.func.inst(value);
                inst.op == Op::Set && inst.imm as usize == cell
            };
            if !value.is_some_and(sets) {
                return Err(Why::InCell { cell });
            }
            self.cells[first].insert(cell);
        }
        Ok(())
    }

    /// Where a value is among the constants, if it is one.
    fn constant(&self, value: Value) -> Option<i32> {
        let inst = self.operations.func.inst(value);
        let at: Element = (inst.op == Op::Ctx).then(|| inst.immediate())?;
        Some(row_offset(at.row) + 4 * at.component as i32)
    }

    /// Whether something is true of an operation, or of one of its operands, or of the operands of those that have no place of their
    /// own: they are computed where they are read.
    fn reaches(&self, value: Value, is: &dyn Fn(Value) -> bool) -> bool {
        let operands = self.operations.func.inst(value).operands();
        is(value)
            || operands.iter().any(|&operand| match self.names.has(operand) {
                true => is(operand),
                false => self.reaches(operand, is),
            })
    }

    /// Whether instructions of an operation may read this.
    fn may_read(&self, reader: Option<Value>, holds: Holds, is_loaded: bool) -> bool {
        let (owner, made) = match holds {
            Holds::Made(owner, made) => (owner, made),
            // What is in memory is an operand; registers may have literals that recipes of several instructions read.
            Holds::Literal(words) => {
                return !is_loaded || reader.is_none_or(|reader| self.has_literal(reader, words));
            }
            Holds::Base(_) => return false,
            // The frame of blocks: where lanes wait.
            Holds::Unknown => return reader.is_none_or(|reader| self.runs_blocks(reader)) && is_loaded,
        };
        let raises_guards = reader.is_none_or(|reader| raises(self.operations.func.inst(reader).op));
        let parts = self.names.parts(made);
        if parts.iter().any(|part| reader.is_some_and(|reader| self.is_operand(reader, part.value))) {
            return true;
        }
        if parts.iter().any(|part| raises_guards && self.operations.is_guarded(part.value)) {
            return true;
        }
        let is_own = |owner: Value| reader == Some(owner);
        match owner {
            Owner::Value(owner) if is_own(owner) => true,
            // The rows that one operation has loaded, for another that reads components of them.
            Owner::Value(owner)
                if parts.is_empty() && reader.is_some_and(|reader| self.shares_rows(reader, owner)) =>
            {
                true
            }
            Owner::Value(owner)
                if !self.names.has(owner) && !self.operations.func.inst(owner).op.has_effect() =>
            {
                reader.is_some_and(|reader| self.reaches(reader, &|operand| operand == owner))
            }
            Owner::Value(owner) if self.operations.func.inst(owner).op.has_effect() => {
                let op = self.operations.func.inst(owner).op;
                raises_guards && raises(op)
                    || reader.is_none() && !raises(op)
                    || op == Op::Goto && reader.is_some_and(|reader| self.runs_blocks(reader))
            }
            Owner::Value(_) => false,
            Owner::Guards => raises_guards,
            Owner::Nobody => reader.is_none_or(|reader| {
                raises_guards
                    || self.runs_blocks(reader)
                    || self.reads_lanes(reader)
                    || matches!(made, Made::At(_, Some(Place::Mask(_))))
            }),
        }
    }

    /// Whether a value is an operand, or one that this operation computes where it reads it.
    fn is_operand(&self, reader: Value, value: Value) -> bool {
        self.reaches(reader, &|operand| operand != reader && operand == value) || reader == value
    }

    /// Whether two operations access the same rows.
    fn shares_rows(&self, a: Value, b: Value) -> bool {
        let rows = self.operations.rows(a);
        rows.is_some() && rows == self.operations.rows(b)
    }

    /// Whether an operation reads or writes where lanes wait.
    fn runs_blocks(&self, value: Value) -> bool {
        self.operations.runs_blocks(Owner::Value(value))
    }

    /// Whether an operation reads the lanes that run its block, which are no single vector: each way to the block has its own.
    fn reads_lanes(&self, reader: Value) -> bool {
        self.reaches(reader, &|operand| {
            self.operations.func.inst(operand).op == Op::Block && !self.names.has(operand)
        })
    }

    /// Whether words are those of a literal operand.
    fn has_literal(&self, reader: Value, words: u64) -> bool {
        self.reaches(reader, &|operand| self.literal(operand) == Some(words))
    }

    /// The words of a literal.
    fn literal(&self, value: Value) -> Option<u64> {
        let inst = self.operations.func.inst(value);
        match inst.op {
            Op::Const => Some(u64::from(inst.imm) | u64::from(inst.imm) << 32),
            Op::Promote if self.operations.func.is_literal(value) => {
                let word = self.operations.func.inst(inst.args[0]).imm;
                Some(f64::from(f32::from_bits(word)).to_bits())
            }
            _ => self.names.words(value),
        }
    }

    /// Checks that every operation runs, and that each has read all of its operands.
    fn all(&self, followed: &Followed<'_>) -> Result<(), (u32, Why)> {
        let mut runs = vec![false; self.operations.func.insts.len()];
        for (number, piece) in self.operations.pieces.iter().enumerate() {
            let Some(value) = piece.value.filter(|_| piece.first == Some(number)) else { continue };
            runs[value.index()] = true;
            let is_empty = self.operations.pieces.get(number + 1).is_some_and(|next| next.at == piece.at);
            let is_nowhere =
                is_empty && !self.names.has(value) && !self.operations.func.inst(value).op.has_effect();
            if !is_nowhere && followed.steps.contains_key(&piece.at) {
                self.complete(value, number).map_err(|why| (piece.at, why))?;
            }
        }
        let func = self.operations.func;
        for value in func.order().filter(|value| func.inst(*value).op.has_effect()) {
            // Guards may be gathered without an instruction.
            if !runs[value.index()] && !func.inst(value).op.is_guard() {
                return Err((0, Why::Skipped { value }));
            }
        }
        for value in func.order().filter(|&value| self.operations.is_guarded(value) && self.names.has(value))
        {
            let is_read = self.operations.pieces.iter().zip(&self.read).any(|(piece, read)| {
                let raises_guards = piece.value.is_none_or(|value| raises(func.inst(value).op));
                raises_guards && read.contains(&value)
            });
            if !is_read {
                return Err((0, Why::Skipped { value }));
            }
        }
        Ok(())
    }

    /// Checks that an operation has read all of its operands.
    fn complete(&self, value: Value, first: usize) -> Result<(), Why> {
        let inst = self.operations.func.inst(value);
        match inst.op.kind() {
            // Rows are loaded for all of their components together.
            Kind::Load(Load::Input | Load::Gather | Load::Table) => return self.has_row(value),
            Kind::Load(Load::Ctx) => return self.needs(value, value, first),
            Kind::Load(Load::Get) => return self.needs(value, value, first),
            Kind::Effect(Effect::Set) if !self.cells[first].contains(&(inst.imm as usize)) => {
                return Err(Why::Cell { value: Some(value), cell: inst.imm as usize });
            }
            _ if inst.op.is_guard() => return Ok(()),
            _ => {}
        }
        inst.operands().iter().try_for_each(|&operand| self.needs(value, operand, first))
    }

    /// Checks that the number of a row has been read for one of its components.
    fn has_row(&self, value: Value) -> Result<(), Why> {
        let (Some(Fetch::Constant(row)) | Some(Fetch::Table(_, row))) = self.operations.rows(value) else {
            return Ok(());
        };
        let mut pieces = self.operations.pieces.iter().enumerate();
        let is_read = pieces.any(|(number, piece)| {
            piece.value.is_some_and(|other| self.shares_rows(other, value))
                && self.needs(value, row, number).is_ok()
        });
        if is_read { Ok(()) } else { Err(Why::Missing { value, operand: row }) }
    }

    /// Checks that an operation has read an operand, or what that is computed of where it is read.
    fn needs(&self, value: Value, operand: Value, first: usize) -> Result<(), Why> {
        let func = self.operations.func;
        let inst = func.inst(operand);
        let missing = Err(Why::Missing { value, operand });
        if self.literal(operand).is_some() || inst.op == Op::Block {
            return Ok(());
        }
        if self.names.has(operand) && operand != value {
            let is_read = |other: &Value| self.names.is_same(*other, operand);
            return if self.read[first].iter().any(is_read) { Ok(()) } else { missing };
        }
        if let Some(at) = self.constant(operand) {
            return if self.constants[first].contains(&at) { Ok(()) } else { missing };
        }
        if inst.op == Op::Get {
            return if self.cells[first].contains(&(inst.imm as usize)) { Ok(()) } else { missing };
        }
        inst.operands().iter().try_for_each(|&operand| self.needs(value, operand, first))
    }
}
