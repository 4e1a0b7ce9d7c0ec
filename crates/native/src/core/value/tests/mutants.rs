//! Changes of bytes and of notes, as mistakes of an emitter or a register allocator would make them.

use super::super::super::note::{Note, Part, Place, Trace};
use super::super::SYSTEM_V;
use super::super::decode::{Action, Flow, Memory, STACK, Step, Where, decode};
use super::super::follow::{Moment, follow};
use super::super::operations::{Operations, raises};
use super::super::order;
use super::super::state::State;
use super::{Emitted, narrow, wide};
use crate::ir::func::Value;
use crate::ir::ops::Op;
use crate::x64::Width;
use iced_x86::{Encoder, Instruction, Register};
use rustc_hash::{FxHashMap, FxHashSet};

/// Code that is to be changed.
struct Subject<'a> {
    emitted: &'a Emitted,
    operations: Operations<'a>,
    /// The instructions in the order of the bytes.
    steps: Vec<Step>,
    /// Copies to where the same has been before.
    idle: FxHashSet<u32>,
    /// How many instructions of each operation compute.
    computing: FxHashMap<Value, usize>,
    /// Where vectors are stored that are copied there: base and displacement.
    stored: FxHashSet<(Option<u8>, i32)>,
    body: FxHashSet<Value>,
}

impl<'a> Subject<'a> {
    fn new(emitted: &'a Emitted) -> Self {
        let steps = decode(&emitted.bytes, emitted.vector).expect("it is decoded");
        let operations = Operations::new(&emitted.func, emitted.trace.notes()).expect("they agree");
        let entry = State::new(SYSTEM_V.map(|register| register.number() as u8));
        let followed = follow(&steps, entry, &operations);
        let (mut idle, mut before) = (FxHashSet::default(), None);
        let visited: Result<(), ()> = followed.visit(&operations, |moment, step, state| {
            let Action::Copy(_, Where::Place(to)) = step.action else { return Ok(()) };
            match moment {
                Moment::Before => before = Some(state.at(to)),
                Moment::Behind if before == Some(state.at(to)) => {
                    idle.insert(step.at);
                }
                Moment::Behind => {}
            }
            Ok(())
        });
        visited.expect("nothing is judged");
        let steps: Vec<Step> = steps.into_values().collect();
        let (mut computing, mut stored) = (FxHashMap::default(), FxHashSet::default());
        for step in &steps {
            if let Action::Copy(Where::Place(_), Where::Memory(memory)) = step.action {
                stored.insert((memory.base, memory.at));
            }
            let value = operations.pieces[operations.piece(step.at)].value;
            if let Some(value) = value.filter(|_| step.action == Action::Compute && step.flow == Flow::Next) {
                *computing.entry(value).or_insert(0) += 1;
            }
        }
        let body = emitted.func.body.iter().copied().collect();
        Subject { emitted, operations, steps, idle, computing, stored, body }
    }

    /// The operation of an instruction.
    fn value(&self, step: &Step) -> Option<Value> {
        self.operations.pieces[self.operations.piece(step.at)].value
    }

    fn op(&self, step: &Step) -> Option<Op> {
        self.value(step).map(|value| self.emitted.func.inst(value).op)
    }

    /// Whether an instruction is the only one of its operation that is no copy, and computes.
    fn is_lone(&self, number: usize) -> bool {
        self.is_lone_step(&self.steps[number])
    }

    fn is_lone_step(&self, step: &Step) -> bool {
        let Some(value) = self.value(step) else { return false };
        let is_lone = self.computing.get(&value) == Some(&1);
        step.action == Action::Compute && is_lone && self.operations.rows(value).is_none()
    }

    /// Whether an instruction behind one reads a place before it is written, for an operation of which it is no intermediate result.
    fn is_read_behind(&self, number: usize, place: Place) -> bool {
        let step = &self.steps[number];
        let own = self.value(step).filter(|_| step.action == Action::Compute);
        for step in &self.steps[number + 1..] {
            if step.reads.contains(&place) {
                let Some(reader) = self.value(step) else { return false };
                let inst = self.emitted.func.inst(reader);
                // Of the lanes that run a block not each way has the same vector.
                let reads_lanes =
                    inst.operands().iter().any(|&arg| self.emitted.func.inst(arg).op == Op::Block);
                let is_judged = !raises(inst.op) && own != Some(reader) && !reads_lanes;
                return is_judged && self.is_lone_step(step);
            }
            if step.writes.contains(&place) || matches!(step.flow, Flow::Jump(_) | Flow::End) {
                return false;
            }
        }
        false
    }

    /// Bytes in which an instruction is another one; nothing if it takes more of them.
    fn with(&self, number: usize, insn: &Instruction) -> Option<Vec<u8>> {
        let step = &self.steps[number];
        let mut encoder = Encoder::new(64);
        encoder.encode(insn, step.at.into()).ok()?;
        self.replaced(number, encoder.take_buffer())
    }

    fn replaced(&self, number: usize, mut new: Vec<u8>) -> Option<Vec<u8>> {
        const NOP: u8 = 0x90;
        let (start, end) = (self.steps[number].at as usize, self.steps[number].next as usize);
        if new.len() > end - start {
            return None;
        }
        new.resize(end - start, NOP);
        let mut bytes = self.emitted.bytes.clone();
        bytes[start..end].copy_from_slice(&new);
        (bytes != self.emitted.bytes).then_some(bytes)
    }

    /// Bytes in which a memory operand is at another place.
    fn moved(&self, number: usize, by: i32) -> Option<Vec<u8>> {
        let mut insn = self.steps[number].insn;
        insn.set_memory_displacement64(insn.memory_displacement64().wrapping_add_signed(by.into()));
        self.with(number, &insn)
    }

    /// The slot that a spill stores a vector to.
    fn spill(&self, step: &Step) -> Option<Memory> {
        match step.action {
            Action::Copy(Where::Place(_), Where::Memory(memory)) if self.is_slot(memory) => Some(memory),
            _ => None,
        }
    }

    /// The slot that an instruction reads.
    fn reload(&self, step: &Step) -> Option<Memory> {
        step.memory.filter(|memory| memory.is_read && self.is_slot(*memory))
    }

    /// Whether it is a whole vector in scratch memory or in the stack frame, and no cell.
    fn is_slot(&self, memory: Memory) -> bool {
        memory.bytes as usize == self.emitted.vector
            && !memory.is_constant
            && !memory.is_indexed
            && memory.base.is_some()
            && self.operations.cell(memory.at).is_none()
            && (memory.base == Some(STACK)
                || self.emitted.vector != 16
                || self.stored.contains(&(memory.base, memory.at)))
    }
}

/// What a mutant changes: bytes, or notes.
enum Mutant {
    Bytes(Vec<u8>),
    Notes(Trace),
}

type Change = fn(&Subject<'_>, usize) -> Option<Mutant>;

/// Mistakes, and what makes them at an instruction.
const MISTAKES: &[(&str, Change)] = &[
    ("a result in another register", |subject, number| {
        // Into a register whose value is still read.
        let step = &subject.steps[number];
        let &[Place::Vector(own)] = &step.writes[..] else { return None };
        let other =
            (0..16).find(|&other| other != own && subject.is_read_behind(number, Place::Vector(other)))?;
        if !subject.is_lone(number) || !subject.is_read_behind(number, Place::Vector(own)) {
            return None;
        }
        let mut insn = step.insn;
        insn.set_op0_register(exchanged(insn.op0_register(), other));
        subject.with(number, &insn).map(Mutant::Bytes)
    }),
    ("a dropped copy", |subject, number| {
        let step = &subject.steps[number];
        let Action::Copy(_, Where::Place(to)) = step.action else { return None };
        if !subject.is_read_behind(number, to)
            || subject.idle.contains(&step.at)
            || step.memory.is_some_and(|memory| !subject.is_slot(memory))
        {
            return None;
        }
        subject.replaced(number, Vec::new()).map(Mutant::Bytes)
    }),
    ("a reload from another slot", |subject, number| {
        let step = &subject.steps[number];
        subject.reload(step)?;
        let judged = match step.action {
            Action::Copy(_, Where::Place(to)) => subject.is_read_behind(number, to),
            Action::Copy(..) | Action::Literal(_) => false,
            Action::Compute => {
                subject.is_lone(number)
                    && subject.op(step).is_some_and(|op| !raises(op) && !matches!(op, Op::Goto | Op::Block))
            }
        };
        judged.then(|| subject.moved(number, -(subject.emitted.vector as i32))).flatten().map(Mutant::Bytes)
    }),
    ("a spill to another slot", |subject, number| {
        let slot = subject.spill(&subject.steps[number])?;
        let behind = &subject.steps[number + 1..];
        let is_slot = |memory: Memory| (memory.base, memory.at) == (slot.base, slot.at);
        let reader = behind.iter().position(|step| step.memory.is_some_and(is_slot))? + number + 1;
        let step = &subject.steps[reader];
        let is_judged = match step.action {
            Action::Copy(Where::Memory(_), Where::Place(to)) => subject.is_read_behind(reader, to),
            Action::Copy(..) | Action::Literal(_) => false,
            Action::Compute => {
                step.memory.is_some_and(|memory| memory.is_read)
                    && subject.is_lone(reader)
                    && subject.op(step).is_some_and(|op| !raises(op))
            }
        };
        let is_straight =
            subject.steps[number..reader].iter().all(|step| !matches!(step.flow, Flow::Jump(_) | Flow::End));
        (is_judged && is_straight)
            .then(|| subject.moved(number, subject.emitted.vector as i32))
            .flatten()
            .map(Mutant::Bytes)
    }),
    ("a constant of another row", |subject, number| {
        let step = &subject.steps[number];
        if subject.op(step) != Some(Op::Ctx) || step.memory.is_none_or(|memory| memory.is_constant) {
            return None;
        }
        subject.moved(number, 16).map(Mutant::Bytes)
    }),
    ("a swapped operand", |subject, number| {
        let step = &subject.steps[number];
        let inst = subject.emitted.func.inst(subject.value(step)?);
        let is_ordered = order::is_listed(inst.op, step.insn.mnemonic()) && inst.args[0] != inst.args[1];
        let mut insn = step.insn;
        let last = insn.op_count().checked_sub(1)?;
        let registers =
            last == 2 && insn.op_register(2) != Register::None && insn.op_register(1) != insn.op_register(2);
        if !is_ordered || !registers {
            return None;
        }
        insn.set_op_register(1, step.insn.op_register(2));
        insn.set_op_register(2, step.insn.op_register(1));
        subject.with(number, &insn).map(Mutant::Bytes)
    }),
    ("another operand", |subject, number| {
        // A register that holds what another operation reads.
        let step = &subject.steps[number];
        let value = subject.value(step)?;
        let last = step.insn.op_count().checked_sub(1)?;
        let register = step.insn.op_register(last);
        let is_one = step.action == Action::Compute && last == 2 && register.is_vector_register();
        let other = (0..16).find(|&other| {
            let place = Place::Vector(other);
            !step.reads.contains(&place)
                && !step.writes.contains(&place)
                && subject.is_read_behind(number, place)
        })?;
        let is_judged =
            !raises(subject.emitted.func.inst(value).op) && subject.operations.rows(value).is_none();
        if !is_one || !is_judged || !subject.is_lone(number) {
            return None;
        }
        let mut insn = step.insn;
        insn.set_op_register(last, exchanged(register, other));
        subject.with(number, &insn).map(Mutant::Bytes)
    }),
    ("an operation that does not run", |subject, number| {
        let step = &subject.steps[number];
        let value = subject.value(step)?;
        let op = subject.emitted.func.inst(value).op;
        let is_first = subject
            .operations
            .pieces
            .iter()
            .any(|piece| piece.at == step.at && piece.begins && piece.value == Some(value));
        if !is_first || !op.has_effect() || raises(op) {
            return None;
        }
        subject.noted(|note| match note {
            Note::Run(other) | Note::Again(other) if other == value => Some(Note::Ran),
            note => Some(note),
        })
    }),
    ("a cell in another place", |subject, number| {
        let step = &subject.steps[number];
        let is_cell = step
            .memory
            .is_some_and(|memory| memory.base != Some(STACK) && subject.operations.cell(memory.at).is_some());
        let is_of_cell = matches!(subject.op(step), Some(Op::Get | Op::Set));
        (is_cell && is_of_cell)
            .then(|| subject.moved(number, -(subject.emitted.vector as i32)))
            .flatten()
            .map(Mutant::Bytes)
    }),
    ("a value stored in a cell", |subject, number| {
        let slot = subject.spill(&subject.steps[number]).filter(|slot| slot.base != Some(STACK))?;
        let cell = subject.emitted.trace.notes().iter().find_map(|&(_, note)| match note {
            Note::Cell(_, at) => Some(at),
            _ => None,
        })?;
        let is_value = subject.op(&subject.steps[number]).is_some_and(|op| op != Op::Set);
        is_value.then(|| subject.moved(number, cell - slot.at)).flatten().map(Mutant::Bytes)
    }),
    ("a slot of the prologue that the body overwrites", |subject, number| {
        let slot = subject.spill(&subject.steps[number]).filter(|slot| slot.base != Some(STACK))?;
        let is_body = |step: &Step| subject.value(step).is_some_and(|value| subject.body.contains(&value));
        let of_prologue =
            subject.steps.iter().take_while(|step| !is_body(step)).filter_map(|step| subject.spill(step));
        let kept = of_prologue.map(|slot| slot.at).find(|&at| {
            let mut body = subject.steps.iter().filter(|step| is_body(step));
            let reads = body.clone().any(|step| {
                subject.reload(step).is_some_and(|memory| memory.base == slot.base && memory.at == at)
                    && step.action == Action::Compute
                    && subject.op(step).is_some_and(|op| !raises(op))
            });
            reads && !body.any(|step| subject.spill(step).is_some_and(|memory| memory.at == at))
        })?;
        is_body(&subject.steps[number])
            .then(|| subject.moved(number, kept - slot.at))
            .flatten()
            .map(Mutant::Bytes)
    }),
    ("the mask of another comparison", |subject, number| {
        let step = &subject.steps[number];
        let (mut insn, value) = (step.insn, subject.value(step)?);
        let is_held = |register: Register| register != Register::None && register != Register::K1;
        let op = subject.emitted.func.inst(value).op;
        if !is_held(insn.op_mask()) || raises(op) || op == Op::MulShr {
            return None;
        }
        let others = [Register::K2, Register::K3, Register::K4, Register::K6, Register::K7];
        let other = others.into_iter().find(|other| *other != insn.op_mask())?;
        insn.set_op_mask(other);
        subject.with(number, &insn).map(Mutant::Bytes)
    }),
];

impl Subject<'_> {
    /// Other notes.
    fn noted(&self, change: impl Fn(Note) -> Option<Note>) -> Option<Mutant> {
        let mut trace = Trace::new(true);
        for &(at, note) in self.emitted.trace.notes() {
            if let Some(note) = change(note) {
                trace.note(at, note);
            }
        }
        (trace.notes() != self.emitted.trace.notes()).then_some(Mutant::Notes(trace))
    }
}

/// A vector register of the same width with another number.
fn exchanged(register: Register, number: u8) -> Register {
    let first = if register.is_zmm() {
        Register::ZMM0
    } else if register.is_ymm() {
        Register::YMM0
    } else {
        Register::XMM0
    };
    first + u32::from(number)
}

/// Makes mistakes in code of one kind, and wants each to be found. Returns how many there were of each.
fn found(code: impl Iterator<Item = Emitted>) -> Vec<usize> {
    /// Of one mistake in one function.
    const MOST: usize = 2;
    let mut counts = vec![0; MISTAKES.len()];
    for mut emitted in code {
        let subject = Subject::new(&emitted);
        let mut mutants = Vec::new();
        for (kind, (_, change)) in MISTAKES.iter().enumerate() {
            let all: Vec<(usize, Mutant)> = (0..subject.steps.len())
                .filter_map(|number| Some((number, change(&subject, number)?)))
                .collect();
            let each = 1 + all.len() / MOST;
            mutants.extend(all.into_iter().step_by(each).map(|mutant| (kind, mutant)));
        }
        let texts: Vec<String> = mutants
            .iter()
            .map(|(_, (number, _))| {
                format!("{:#x} {:?}", subject.steps[*number].at, subject.steps[*number].insn)
            })
            .collect();
        drop(subject);
        for ((kind, (_, mutant)), text) in mutants.into_iter().zip(texts) {
            let (bytes, trace) = match mutant {
                Mutant::Bytes(bytes) => (Some(bytes), None),
                Mutant::Notes(trace) => (None, Some(trace)),
            };
            let old = (emitted.bytes.clone(), std::mem::take(&mut emitted.trace));
            let (old_bytes, old_trace) = old;
            emitted.bytes = bytes.unwrap_or_else(|| old_bytes.clone());
            emitted.trace = trace.unwrap_or_else(|| old_trace.placed(|at| at));
            let is_found = emitted.check().is_err();
            (emitted.bytes, emitted.trace) = (old_bytes, old_trace);
            assert!(
                is_found,
                "{} is not found: {text}, {}\n{}",
                MISTAKES[kind].0, emitted.name, emitted.func
            );
            counts[kind] += 1;
        }
    }
    counts
}

#[test]
fn mistakes_in_code_of_cranelift_are_found() {
    let counts = found(narrow(16));
    for ((what, _), count) in MISTAKES.iter().zip(counts) {
        // There are no mask registers.
        assert!(count >= 8 || what.contains("mask"), "{what}: {count}");
    }
}

#[test]
fn mistakes_in_wide_code_are_found() {
    for &width in Width::ALL {
        let counts = found(wide(width, 12));
        for ((what, _), count) in MISTAKES.iter().zip(counts) {
            assert!(
                count >= 4 || what.contains("mask") && width != Width::Sixteen,
                "{what}, {}: {count}",
                width.name()
            );
        }
    }
}

/// A result that is said to be in the next register.
#[test]
fn a_result_that_is_said_to_be_elsewhere_is_found() {
    for emitted in Width::ALL.iter().flat_map(|&width| wide(width, 6)) {
        let subject = Subject::new(&emitted);
        let changed = subject.noted(|note| match note {
            Note::Result(Part { value, half }, Place::Vector(number)) => {
                Some(Note::Result(Part { value, half }, Place::Vector(number ^ 1)))
            }
            note => Some(note),
        });
        drop(subject);
        let Some(Mutant::Notes(trace)) = changed else { continue };
        let emitted = Emitted { trace, ..emitted };
        assert!(emitted.check().is_err());
    }
}
