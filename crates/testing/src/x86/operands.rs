//! Operands of instructions: registers, memory, immediates, and masks of elements.

use super::fault::Fault;
use super::state::State;
use super::vector::Vector;
use iced_x86::{Instruction, OpKind, Register, RoundingControl};

/// Bytes of the vectors that an instruction works on: those of its longest register.
pub(super) fn length(insn: &Instruction) -> usize {
    let registers = (0..insn.op_count()).filter(|&op| insn.op_kind(op) == OpKind::Register);
    registers
        .map(|op| insn.op_register(op))
        .filter(|r| r.is_vector_register())
        .map(|r| r.size())
        .max()
        .unwrap_or(0)
}

impl State<'_> {
    /// The address of an operand in memory.
    pub(super) fn address(&self, insn: &Instruction) -> u64 {
        if insn.is_ip_rel_memory_operand() {
            return insn.ip_rel_memory_address();
        }
        let register = |register: Register| self.cpu.general(register).unwrap_or(0);
        let index = register(insn.memory_index()).wrapping_mul(insn.memory_index_scale().into());
        register(insn.memory_base()).wrapping_add(index).wrapping_add(insn.memory_displacement64())
    }

    /// What is at the address of an operand, as many bytes as the instruction reads there.
    fn loaded<'b>(&self, insn: &Instruction, bytes: &'b mut [u8; 64]) -> Result<&'b [u8], Fault> {
        let into = bytes.get_mut(..insn.memory_size().size()).ok_or(Fault::Operand)?;
        self.memory.read(self.address(insn), into)?;
        Ok(into)
    }

    /// A number: a register of addresses or of masks, an immediate, or as many bytes as the instruction reads in memory.
    pub(super) fn number(&self, insn: &Instruction, op: u32) -> Result<u64, Fault> {
        match insn.op_kind(op) {
            OpKind::Register => self.cpu.general(insn.op_register(op)).ok_or(Fault::Operand),
            OpKind::Memory => {
                let mut bytes = [0; 64];
                let size = self.loaded(insn, &mut bytes)?.len();
                let (number, _) = bytes.split_first_chunk().ok_or(Fault::Operand)?;
                if size > 8 { Err(Fault::Operand) } else { Ok(u64::from_le_bytes(*number)) }
            }
            _ => insn.try_immediate(op).map_err(|_| Fault::Operand),
        }
    }

    /// Writes a number, as [`State::number`] reads it.
    pub(super) fn set_number(&mut self, insn: &Instruction, op: u32, value: u64) -> Result<(), Fault> {
        match insn.op_kind(op) {
            OpKind::Register => self.cpu.set_general(insn.op_register(op), value).ok_or(Fault::Operand),
            OpKind::Memory => {
                let bytes = value.to_le_bytes();
                let bytes = bytes.get(..insn.memory_size().size()).ok_or(Fault::Operand)?;
                self.memory.write(self.address(insn), bytes)
            }
            _ => Err(Fault::Operand),
        }
    }

    /// The register of masks that an operand is.
    pub(super) fn mask(&self, insn: &Instruction, op: u32) -> Result<u64, Fault> {
        let register = insn.op_register(op);
        if register.is_k() { Ok(self.cpu.masks[register.number()]) } else { Err(Fault::Operand) }
    }

    /// Writes the register of masks that an operand is.
    pub(super) fn set_mask(&mut self, insn: &Instruction, op: u32, value: u64) -> Result<(), Fault> {
        let register = insn.op_register(op);
        if !register.is_k() {
            return Err(Fault::Operand);
        }
        self.cpu.masks[register.number()] = value;
        Ok(())
    }

    /// The elements that are written: a bit for each.
    pub(super) fn written(&self, insn: &Instruction) -> u64 {
        match insn.op_mask() {
            Register::None => u64::MAX,
            register => self.cpu.masks[register.number()],
        }
    }

    /// A vector: a register, all of it, or what is in memory with zeros behind it; an element that is read for all lanes is in all of
    /// them.
    pub(super) fn vector(&self, insn: &Instruction, op: u32) -> Result<Vector, Fault> {
        let has_rounding = insn.rounding_control() != RoundingControl::None;
        match insn.op_kind(op) {
            _ if has_rounding || insn.suppress_all_exceptions() => Err(Fault::Operand),
            OpKind::Register if insn.op_register(op).is_vector_register() => {
                Ok(self.cpu.vectors[insn.op_register(op).number()])
            }
            OpKind::Memory => {
                let mut bytes = [0; 64];
                let loaded = self.loaded(insn, &mut bytes)?;
                Ok(if insn.is_broadcast() { Vector::repeat(loaded) } else { Vector::of_bytes(loaded) })
            }
            _ => Err(Fault::Operand),
        }
    }

    /// Writes a vector of words to the first operand: elements that the mask leaves out stay as they are, or are cleared; what is
    /// behind `length` bytes of a register is cleared.
    pub(super) fn set_words(
        &mut self,
        insn: &Instruction,
        value: Vector,
        length: usize,
    ) -> Result<(), Fault> {
        self.set_elements(insn, value, length, 4)
    }

    /// Writes a vector of pairs of words, as [`State::set_words`] does words.
    pub(super) fn set_quads(
        &mut self,
        insn: &Instruction,
        value: Vector,
        length: usize,
    ) -> Result<(), Fault> {
        self.set_elements(insn, value, length, 8)
    }

    /// Writes a vector of elements of so many bytes, as [`State::set_words`] does words.
    pub(super) fn set_elements(
        &mut self,
        insn: &Instruction,
        value: Vector,
        length: usize,
        element: usize,
    ) -> Result<(), Fault> {
        let written = self.written(insn);
        let is_written = |at: usize| written >> (at / element) & 1 != 0;
        let bytes = value.bytes();
        if insn.op0_kind() == OpKind::Memory {
            let address = self.address(insn);
            if insn.op_mask() == Register::None {
                return self.memory.write(address, &bytes[..length]);
            }
            for at in (0..length).step_by(element).filter(|&at| is_written(at)) {
                self.memory.write(address.wrapping_add(at as u64), &bytes[at..at + element])?;
            }
            return Ok(());
        }
        if insn.op0_kind() != OpKind::Register || !insn.op0_register().is_vector_register() {
            return Err(Fault::Operand);
        }
        let register = &mut self.cpu.vectors[insn.op0_register().number()];
        let mut all = register.bytes();
        for (at, byte) in all.iter_mut().enumerate() {
            if at >= length {
                *byte = 0;
            } else if is_written(at) {
                *byte = bytes[at];
            } else if insn.zeroing_masking() {
                *byte = 0;
            }
        }
        *register = Vector::of_bytes(&all);
        Ok(())
    }

    /// Writes a word for each lane that a condition holds of: a mask of the lanes to a register of masks, those that the instruction's
    /// own mask leaves out 0, or words of ones and zeros to a vector register.
    pub(super) fn set_condition(
        &mut self,
        insn: &Instruction,
        holds: impl Fn(usize) -> bool,
    ) -> Result<(), Fault> {
        let length = length(insn);
        if insn.op0_register().is_k() {
            let lanes = (0..length / 4).filter(|&lane| holds(lane)).fold(0, |mask, lane| mask | 1 << lane);
            return self.set_mask(insn, 0, lanes & self.written(insn));
        }
        let words = Vector(std::array::from_fn(|lane| if holds(lane) { u32::MAX } else { 0 }));
        self.set_words(insn, words, length)
    }
}
