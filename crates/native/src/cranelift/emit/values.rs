//! The location of values: in registers, or in scratch memory.

use super::super::super::budget::Allocator;
use super::super::super::core::alloc::{Allocation, Pressure, SOON, Spill};
use super::super::super::fetch::Fetch;
use super::super::clif::{Vector, double_literal, literal, own_memory};
use super::{Emitter, slot_offset};
use crate::ir::func::{Func, Inst, Value as Ir};
use crate::ir::ops::{Effect, Op};
use crate::ir::properties::MemoryOperand;
use cranelift_codegen::ir::types::F32X4;
use cranelift_codegen::ir::{InstBuilder, SourceLoc};
use xfjit_runtime::state::SCRATCH;

impl<'a> Emitter<'a> {
    /// Emits straight-line code.
    pub(super) fn part(&mut self, values: &'a [Ir]) {
        self.registers.begin(self.func, values, reads_behind);
        self.together.clear();
        for &value in values {
            if let Some((fetch, component)) = Fetch::of(self.func.inst(value)) {
                self.together.entry(fetch).or_default().push((value, component));
            }
        }
        // The quick allocator does not profit from shields.
        let shields = self.making.allocator == Allocator::Thorough;
        for &value in values {
            let inst = self.func.inst(value);
            if inst.operands().iter().any(|arg| self.exposed.contains(arg)) {
                self.shield();
            }
            // The first component of a row that is read defines the others, too.
            if self.vectors[value.index()].is_none() {
                self.load_again(inst);
                self.locate(Some(value));
                self.running = value;
                let result = self.instruction(inst);
                self.define(value, result);
                for (other, result) in std::mem::take(&mut self.beside) {
                    self.define(other, result);
                }
            }
            for &arg in inst.operands() {
                self.registers.read(arg);
            }
            self.locate(None);
            self.spill();
            if shields && self.uses[value.index()] > 1 && inst.op.properties().memory == MemoryOperand::Folds
            {
                self.exposed.push(value);
            }
        }
        self.exposed.clear();
        // Other parts may run without this one.
        for value in self.lent.drain(..) {
            self.vectors[value.index()] = None;
        }
        self.raise_exponents();
    }

    /// What comes next computes a value, or belongs to none.
    pub(super) fn locate(&mut self, value: Option<Ir>) {
        self.b.set_srcloc(value.map_or_else(SourceLoc::default, |value| SourceLoc::new(value.0)));
    }

    /// Continues in a new block with the exposed values as parameters.
    ///
    /// Cranelift folds a load into the only instruction that uses it, provided that the values computed from that are used
    /// once, too; its analysis ends at block parameters. The new block falls through, and its parameters cost no move.
    fn shield(&mut self) {
        let next = self.b.create_block();
        let mut arguments = Vec::with_capacity(self.exposed.len());
        for value in std::mem::take(&mut self.exposed) {
            let Some(vector @ Vector::Register(..)) = self.vectors[value.index()] else { continue };
            let float = vector.as_float(&mut self.b);
            arguments.push(float);
            let parameter = Vector::float(self.b.append_block_param(next, F32X4));
            self.vectors[value.index()] = Some(parameter);
        }
        self.jump(next, &arguments);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }

    /// Notes the result of an instruction, and stores it if the body reads it from the prologue.
    fn define(&mut self, value: Ir, vector: Option<Vector>) {
        self.vectors[value.index()] = vector;
        let Some(vector) = vector else { return };
        if let Some(&slot) = self.slots.get(&value) {
            self.keep(slot, vector);
            self.registers.stored(value, slot as u16);
        }
        // Doubles, of which there are few, always stay in registers.
        if !matches!(vector, Vector::Doubles(_)) {
            self.registers.hold(value);
        }
    }

    /// Loads operands that will be read again: soon, if instructions read operands in memory at no cost, else as long as there is room.
    fn load_again(&mut self, inst: &Inst) {
        for &arg in inst.operands() {
            let (base, offset) = match (self.vectors[arg.index()], self.slots.get(&arg)) {
                (Some(Vector::Memory(base, offset)), _) => (base, offset),
                (None, Some(&slot)) if self.making.loads_once() => {
                    self.registers.stored(arg, slot as u16);
                    self.lent.push(arg);
                    (self.scratch, slot_offset(slot))
                }
                _ => continue,
            };
            let within = if self.making.loads_once() { u32::MAX } else { SOON };
            if self.registers.should_reload(arg, within) {
                let value = self.b.ins().load(F32X4, own_memory(), base, offset);
                let register = Vector::float(value);
                self.vectors[arg.index()] = Some(register);
                self.registers.hold(arg);
            }
        }
    }

    /// Spills values while too many are in registers.
    fn spill(&mut self) {
        while let Some(Spill { part, slot, is_new }) = self.registers.next_spill() {
            let (value, slot) = (part.value, usize::from(slot));
            if is_new {
                let vector = self.vectors[value.index()].expect("a value in a register is there");
                self.keep(slot, vector);
            }
            self.vectors[value.index()] = Some(Vector::Memory(self.scratch, slot_offset(slot)));
        }
    }

    /// Assigns a slot of scratch memory to each value that the body reads from the prologue, and stores literals there.
    pub(super) fn reserve(&mut self) {
        let func = self.func;
        let room = SCRATCH.saturating_sub(func.frame());
        let mut is_made = vec![false; func.insts.len()];
        for value in &func.prologue {
            is_made[value.index()] = true;
        }
        let read = || func.body.iter().flat_map(|&value| func.inst(value).operands()).copied();
        // Literals of the body come last: without a slot they are read from the code's constants.
        let prologue = read().filter(|value| is_made[value.index()]);
        let literals = read().filter(|&value| func.is_literal(value));
        for value in prologue.chain(literals) {
            if self.slots.contains_key(&value) || self.slots.len() == room {
                continue;
            }
            let slot = self.slots.len();
            self.slots.insert(value, slot);
            if func.is_literal(value) {
                let vector = self.literal(value);
                self.keep(slot, vector);
            }
        }
        self.registers = Allocation::new(Pressure::new(self.making.vectors()));
        self.registers.give(self.slots.len() as u16..room as u16);
    }

    fn keep(&mut self, slot: usize, vector: Vector) {
        let (value, at) = (vector.as_float(&mut self.b), slot_offset(slot));
        self.b.ins().store(own_memory(), value, self.scratch, at);
    }

    /// A literal, from the code's own constants.
    fn literal(&mut self, value: Ir) -> Vector {
        let inst = self.func.inst(value);
        if inst.op == Op::Const {
            literal(&mut self.b, inst.imm)
        } else {
            double_literal(&mut self.b, self.func.inst(inst.args[0]).imm)
        }
    }

    /// The current location of a value.
    pub(super) fn vector(&mut self, value: Ir) -> Vector {
        if let Some(vector) = self.vectors[value.index()] {
            return vector;
        }
        match self.slots.get(&value) {
            Some(&slot) => Vector::Memory(self.scratch, slot_offset(slot)),
            None => self.literal(value),
        }
    }
}

/// Whether an instruction reads its operands after the rest of the part has run.
fn reads_behind(op: Op) -> bool {
    let Some(effect) = op.effect() else { return false };
    match effect {
        Effect::Goto | Effect::Store => true,
        Effect::Output | Effect::Written | Effect::Set => false,
        Effect::Guard | Effect::BigGuard | Effect::SmallGuard => false,
        // No operands.
        Effect::RowGuard | Effect::RowCopy => false,
    }
}

/// The number of uses of each value. Outputs count twice, since a transposition reads each operand twice.
pub(super) fn uses(func: &Func) -> Vec<u32> {
    let mut uses = vec![0; func.insts.len()];
    for value in func.order() {
        let inst = func.inst(value);
        for arg in inst.operands() {
            uses[arg.index()] += if inst.op == Op::Output { 2 } else { 1 };
        }
    }
    uses
}
