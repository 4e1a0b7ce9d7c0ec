//! Vectors, words and bytes from registers to memory and back.

use super::fault::Fault;
use super::operands::length;
use super::state::State;
use super::vector::Vector;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// Executes an instruction of this kind; tells whether it is one.
pub(super) fn execute(state: &mut State<'_>, insn: &Instruction) -> Result<bool, Fault> {
    let length = length(insn);
    match insn.mnemonic() {
        Mnemonic::Vmovups => {
            let value = elements(state, insn, length)?;
            state.set_words(insn, value, length)?;
        }
        Mnemonic::Vmovdqa32 => {
            let address = state.address(insn);
            let is_memory = [insn.op0_kind(), insn.op1_kind()].contains(&OpKind::Memory);
            if is_memory && !address.is_multiple_of(length as u64) {
                return Err(Fault::Unaligned { address });
            }
            let value = elements(state, insn, length)?;
            state.set_words(insn, value, length)?;
        }
        Mnemonic::Vmovss => {
            let value = elements(state, insn, 4)?;
            store_low(state, insn, value, 4)?;
        }
        Mnemonic::Vmovsd => {
            let value = state.vector(insn, 1)?;
            store_low(state, insn, value, 8)?;
        }
        Mnemonic::Vmovq => {
            let value = state.vector(insn, 1)?;
            state.set_number(insn, 0, value.quads()[0])?;
        }
        Mnemonic::Vpextrq => {
            let (value, which) = (state.vector(insn, 1)?, state.number(insn, 2)?);
            state.set_number(insn, 0, value.quads()[which as usize & 1])?;
        }
        Mnemonic::Vextractps => {
            let (value, which) = (state.vector(insn, 1)?, state.number(insn, 2)?);
            state.set_number(insn, 0, value.0[which as usize & 3].into())?;
        }
        Mnemonic::Vpinsrb => insert(state, insn, 1)?,
        Mnemonic::Vpinsrw => insert(state, insn, 2)?,
        Mnemonic::Vpinsrd => insert(state, insn, 4)?,
        Mnemonic::Vbroadcastss | Mnemonic::Vpbroadcastd => {
            let value = state.vector(insn, 1)?;
            state.set_words(insn, Vector([value.0[0]; 16]), length)?;
        }
        Mnemonic::Vbroadcastf128 => {
            let value = state.vector(insn, 1)?;
            state.set_words(insn, Vector::of_parts([value.parts()[0]; 4]), length)?;
        }
        Mnemonic::Vzeroupper => {
            for register in &mut state.cpu.vectors[..16] {
                register.0[4..].fill(0);
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The vector that is moved, of so many bytes. Words in memory that the mask leaves out are not read.
fn elements(state: &State<'_>, insn: &Instruction, length: usize) -> Result<Vector, Fault> {
    if insn.op1_kind() != OpKind::Memory || insn.op_mask() == Register::None {
        return state.vector(insn, 1);
    }
    let (address, written, mut words) = (state.address(insn), state.written(insn), [0; 16]);
    for (lane, word) in words.iter_mut().enumerate().take(length / 4) {
        if written >> lane & 1 != 0 {
            let mut bytes = [0; 4];
            state.memory.read(address.wrapping_add(4 * lane as u64), &mut bytes)?;
            *word = u32::from_le_bytes(bytes);
        }
    }
    Ok(Vector(words))
}

/// The lowest element, of so many bytes, to memory, or to a register of which all else is cleared.
fn store_low(state: &mut State<'_>, insn: &Instruction, value: Vector, bytes: usize) -> Result<(), Fault> {
    // Register to register they keep what is above, of a third operand.
    if [insn.op0_kind(), insn.op1_kind()].contains(&OpKind::Memory) {
        state.set_elements(insn, value, bytes, bytes)
    } else {
        Err(Fault::Operand)
    }
}

/// A vector of 128 bits with an element of so many bytes from elsewhere.
fn insert(state: &mut State<'_>, insn: &Instruction, size: usize) -> Result<(), Fault> {
    let mut bytes = state.vector(insn, 1)?.bytes();
    let (value, which) = (state.number(insn, 2)?, state.number(insn, 3)? as usize);
    let at = which % (16 / size) * size;
    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    state.set_elements(insn, Vector::of_bytes(&bytes), 16, 16)
}
