//! Where the operands of instructions are: in registers of their own, in those of the allocator, in scratch memory, behind the code.

use super::super::core::alloc::{Eviction, Part, Place};
use super::super::core::facts::crossing;
use super::emit::{Emitter, IO, LANES, SCRATCH_MEMORY, SLOTS};
use super::registers::{SAVED, TEMPORARIES};
use super::table::{Insn, made_at_once};
use crate::ir::func::{Func, Value as Ir};
use crate::ir::ops::Op;
use xfjit_runtime::state::Scratch;

/// The first slot tells guards at the end. Behind it are registers of the caller, by two, and then values.
const OF_CALLER: u16 = 1;
/// The first slot of values.
pub(super) const FIRST: u16 = OF_CALLER + 9;
/// The slot of what lies elsewhere: no value is stored there.
const ELSEWHERE: u16 = 0;

/// Slots of scratch memory that values leave to others: rows that wait to be stored to constants, and behind them the frame.
pub(super) fn slots_for_others(func: &Func) -> usize {
    usize::from(FIRST) + func.frame() + func.stored_rows().count()
}

/// Where slots of scratch memory for values end.
pub(super) fn for_values(func: &Func) -> u16 {
    usize::from(SLOTS).saturating_sub(func.frame() + func.stored_rows().count()) as u16
}

/// The values that the body reads from the prologue, and that are not kept in registers.
pub(super) struct Uniforms {
    slots: Vec<Option<u16>>,
    count: u16,
}

impl Uniforms {
    pub(super) fn new(func: &Func) -> Self {
        Uniforms { slots: vec![None; func.insts.len()], count: 0 }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u16 {
        self.count
    }

    fn add(&mut self, value: Ir) {
        self.slots[value.index()].get_or_insert_with(|| {
            self.count += 1;
            FIRST + self.count - 1
        });
    }
}

/// What an operand is loaded from.
#[derive(Clone, Copy)]
enum Source {
    Slot(u16),
    Word(u32),
    /// A double in both lanes of a register: the float that it is.
    Double(u32),
}

impl Emitter<'_> {
    /// A register of the current operation.
    pub(super) fn temporary(&mut self) -> u8 {
        match TEMPORARIES.get(self.temporaries) {
            Some(&register) => {
                self.temporaries += 1;
                register
            }
            None => self.take(),
        }
    }

    /// The operation has no temporary registers any more.
    pub(super) fn give_back(&mut self) {
        self.temporaries = 0;
    }

    /// A register of the allocator's for the current instruction.
    pub(super) fn take(&mut self) -> u8 {
        let (number, eviction) = self.file.take();
        let register = self.registers.number(number);
        match eviction {
            Eviction::None => {}
            Eviction::Store(slot) => self.store_slot(slot, register),
            Eviction::Full => self.is_full = true,
        }
        register
    }

    /// A register for the result of the current instruction, or for half of it.
    pub(super) fn result(&mut self, half: u8) -> u8 {
        if let Some(register) = self.registers.kept(self.running) {
            return register;
        }
        let register = self.take();
        self.bind(Part { value: self.running, half }, register);
        register
    }

    /// A register for the result of an instruction that is the only one of its operation, and may write what it reads.
    pub(super) fn result_of(&mut self, operands: &[Ir], half: u8) -> u8 {
        if self.registers.kept(self.running).is_none() {
            for &operand in operands {
                if let Some(register) = self.pass(operand, half) {
                    return register;
                }
            }
        }
        self.result(half)
    }

    /// Gives the register of an operand, which is read for the last time, to the result.
    fn pass(&mut self, operand: Ir, half: u8) -> Option<u8> {
        let number = self.file.pass(Part { value: operand, half }, Part { value: self.running, half })?;
        Some(self.registers.number(number))
    }

    /// Notes that a register that has been taken holds a vector from now on.
    pub(super) fn bind(&mut self, part: Part, register: u8) {
        self.file.bind(part, self.registers.of_register(register));
    }

    /// A register for the result that holds an operand, for an instruction that reads and writes it.
    pub(super) fn accumulate(&mut self, operand: Ir, half: u8) -> u8 {
        if self.registers.kept(self.running).is_none()
            && let Some(register) = self.pass(operand, half)
        {
            return register;
        }
        match self.there(operand, half) {
            Ok(from) => {
                let to = self.result(half);
                self.copy(to, from);
                to
            }
            Err(source) => {
                let to = self.result(half);
                self.load_source(to, source);
                to
            }
        }
    }

    /// Whether the result may have the register of an operand, or that is loaded anyway.
    pub(super) fn is_lost(&mut self, operand: Ir) -> bool {
        self.registers.kept(operand).is_none()
            && (self.file.remaining(operand) == 1
                || !matches!(self.file.place(Part { value: operand, half: 0 }), Some(Place::Register(_))))
    }

    /// The register of an operand, which nothing leaves until the instruction is done, or what it has to be loaded from.
    fn there(&mut self, value: Ir, half: u8) -> Result<u8, Source> {
        if let Some(register) = self.registers.kept(value) {
            return Ok(register);
        }
        let place = self.file.place(self.part_of(value, half));
        if let Some(Place::Register(number)) = place {
            self.file.pin(number);
            return Ok(self.registers.number(number));
        }
        if self.func.is_literal(value) {
            let inst = self.func.inst(value);
            if inst.op == Op::Const {
                return self.registers.word(inst.imm).ok_or(Source::Word(inst.imm));
            }
            return Err(Source::Double(self.func.inst(inst.args[0]).imm));
        }
        match (place, self.uniforms.slots[value.index()]) {
            (Some(Place::Slot(slot)), _) | (_, Some(slot)) => Err(Source::Slot(slot)),
            _ => {
                assert!(self.is_full, "an operand is in its part, or uniform");
                // It has been lost, and so is this code.
                Ok(0)
            }
        }
    }

    /// Both halves of a literal are one.
    fn part_of(&self, value: Ir, half: u8) -> Part {
        Part { value, half: if self.func.is_literal(value) { 0 } else { half } }
    }

    /// The register of an operand, or of half of it, which nothing leaves until the instruction is done. What lies in memory is loaded, and stays
    /// in its register if it will be read again.
    pub(super) fn find(&mut self, value: Ir, half: u8) -> u8 {
        let source = match self.there(value, half) {
            Ok(register) => return register,
            Err(source) => source,
        };
        let own = self.func.inst(self.running).operands();
        let now = own.iter().filter(|&&operand| operand == value).count();
        let register = if self.file.remaining(value) > now {
            let register = self.take();
            let home = if let Source::Slot(slot) = source { slot } else { ELSEWHERE };
            self.file.lend(self.part_of(value, half), self.registers.of_register(register), home);
            register
        } else {
            self.temporary()
        };
        self.load_source(register, source);
        register
    }

    /// Operands of an instruction.
    pub(super) fn find_all<const N: usize>(&mut self, values: [Ir; N]) -> [u8; N] {
        let mut registers = [0; N];
        for (number, &value) in values.iter().enumerate() {
            let before = values[..number].iter().position(|&other| other == value);
            registers[number] = before.map_or_else(|| self.find(value, 0), |before| registers[before]);
        }
        registers
    }

    fn load_source(&mut self, to: u8, source: Source) {
        match source {
            Source::Slot(slot) => {
                let at = self.slot(slot);
                self.asm.op(Insn::LdrQ, [to.into(), SCRATCH_MEMORY, at]);
            }
            Source::Word(word) => self.load_word(to, word),
            Source::Double(float) => {
                let double = f64::from(f32::from_bits(float)).to_bits();
                let [low, high] = [double as u32, (double >> u32::BITS) as u32];
                let label = self.asm.constant([low, high, low, high]);
                self.asm.load(to, label);
            }
        }
    }

    /// Puts a word into all lanes.
    pub(super) fn load_word(&mut self, to: u8, word: u32) {
        match made_at_once(word) {
            Some((insn, form, bits)) => self.asm.op(insn, [to.into(), form, bits]),
            None => {
                let label = self.asm.constant([word; LANES]);
                self.asm.load(to, label);
            }
        }
    }

    /// The register of a word in all lanes.
    pub(super) fn word(&mut self, word: u32) -> u8 {
        self.registers.word(word).unwrap_or_else(|| {
            let register = self.temporary();
            self.load_word(register, word);
            register
        })
    }

    /// Copies a register.
    pub(super) fn copy(&mut self, to: u8, from: u8) {
        if to != from {
            self.asm.vectors(Insn::Orr, [to, from, from]);
        }
    }

    /// The offset of a slot in scratch memory.
    pub(super) fn slot(&self, slot: u16) -> u32 {
        Scratch::offset(slot.into(), LANES) as u32
    }

    pub(super) fn store_slot(&mut self, slot: u16, register: u8) {
        let at = self.slot(slot);
        self.asm.op(Insn::StrQ, [register.into(), SCRATCH_MEMORY, at]);
    }

    /// Loads a word of 64 bits of the [`xfjit_runtime::state::Io`].
    pub(super) fn load_pointer(&mut self, to: u32, offset: usize) {
        self.asm.op(Insn::LdrX, [to, IO, offset as u32]);
    }

    /// Assigns a place in scratch memory to each value that the body reads from the prologue, unless a register keeps it.
    pub(super) fn reserve_uniforms(&mut self) {
        for arg in crossing(self.func) {
            if self.registers.kept(arg).is_none() {
                self.uniforms.add(arg);
            }
        }
        self.is_full |= FIRST + self.uniforms.count > self.slots();
    }

    /// Stores a result of the prologue, if the body reads it from there.
    #[inline]
    pub(super) fn store_if_uniform(&mut self, value: Ir) {
        if let Some(Place::Register(number)) = self.file.place(Part { value, half: 0 }) {
            self.store_uniform(value, self.registers.number(number));
        }
    }

    /// As [`Emitter::store_if_uniform`], from a register.
    pub(super) fn store_uniform(&mut self, value: Ir, register: u8) {
        if let Some(slot) = self.uniforms.slots[value.index()] {
            self.store_slot(slot, register);
        }
    }

    /// Whether nothing but this part reads a value.
    pub(super) fn is_of_part(&self, value: Ir) -> bool {
        self.registers.kept(value).is_none() && self.uniforms.slots[value.index()].is_none()
    }

    /// Saves the registers of the caller that are in use.
    pub(super) fn save(&mut self) {
        self.each_saved(Insn::StpD, Insn::StpX);
    }

    /// Gives them back.
    pub(super) fn restore(&mut self) {
        self.each_saved(Insn::LdpD, Insn::LdpX);
    }

    fn each_saved(&mut self, vectors: Insn, integers: Insn) {
        let of_vectors = (0..self.registers.saved).step_by(2).map(|number| (vectors, SAVED + number));
        let of_integers = self.streams.saved().step_by(2).map(|register| (integers, register as u8));
        for (slot, (insn, first)) in (OF_CALLER..).zip(of_vectors.chain(of_integers)) {
            let first = u32::from(first);
            let at = self.slot(slot);
            self.asm.op(insn, [first, first + 1, SCRATCH_MEMORY, at]);
        }
    }
}
