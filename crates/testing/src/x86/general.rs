//! Instructions on registers of addresses, and jumps.

use super::fault::Fault;
use super::flags::{ADJUST, CARRY, OVERFLOW, ZERO, flag, of_result};
use super::state::State;
use iced_x86::{Instruction, Mnemonic};

/// Executes an instruction of this kind; tells whether it is one.
pub(super) fn execute(state: &mut State<'_>, insn: &Instruction) -> Result<bool, Fault> {
    match insn.mnemonic() {
        Mnemonic::Add => {
            let (a, b) = both(state, insn)?;
            let sum = a.wrapping_add(b);
            let overflows = (a ^ sum) & (b ^ sum) & 1 << 63 != 0;
            state.cpu.flags = flag(sum < a, CARRY) | flag(overflows, OVERFLOW) | adjusts(a, b, sum);
            state.cpu.flags |= of_result(sum, 64);
            state.set_number(insn, 0, sum)?;
        }
        Mnemonic::Sub => {
            let difference = compare(state, insn)?;
            state.set_number(insn, 0, difference)?;
        }
        Mnemonic::Cmp => {
            compare(state, insn)?;
        }
        Mnemonic::Imul => {
            let (a, b) = both(state, insn)?;
            let product = i128::from(a as i64) * i128::from(b as i64);
            let is_cut = i128::from(product as i64) != product;
            state.cpu.flags = flag(is_cut, CARRY | OVERFLOW);
            state.set_number(insn, 0, product as u64)?;
        }
        Mnemonic::Xor => {
            let (a, b) = both(state, insn)?;
            state.cpu.flags = of_result(a ^ b, bits(insn)?);
            state.set_number(insn, 0, a ^ b)?;
        }
        Mnemonic::Not => {
            let value = state.number(insn, 0)?;
            state.set_number(insn, 0, !value)?;
        }
        Mnemonic::Shl => {
            let (value, count) = both(state, insn)?;
            shift(state, insn, count & 63, value << (count & 63), |by| value >> (64 - by))?;
        }
        Mnemonic::Shr => {
            let (value, count) = both(state, insn)?;
            shift(state, insn, count & 63, value >> (count & 63), |by| value >> (by - 1))?;
        }
        Mnemonic::Lea => {
            let address = state.address(insn);
            state.set_number(insn, 0, address)?;
        }
        Mnemonic::Mov | Mnemonic::Movzx => {
            let value = state.number(insn, 1)?;
            state.set_number(insn, 0, value)?;
        }
        Mnemonic::Jmp => state.cpu.next = insn.near_branch_target(),
        Mnemonic::Ja => state.jump_if(insn, CARRY | ZERO, false),
        Mnemonic::Jb => state.jump_if(insn, CARRY, true),
        Mnemonic::Je => state.jump_if(insn, ZERO, true),
        Mnemonic::Jne => state.jump_if(insn, ZERO, false),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The first two operands.
fn both(state: &State<'_>, insn: &Instruction) -> Result<(u64, u64), Fault> {
    Ok((state.number(insn, 0)?, state.number(insn, 1)?))
}

/// Bits of the first operand, a register.
fn bits(insn: &Instruction) -> Result<u32, Fault> {
    match insn.op0_register().size() {
        size @ 4 | size @ 8 => Ok(8 * size as u32),
        _ => Err(Fault::Operand),
    }
}

/// Sets the flags by the difference of two operands, which it returns.
fn compare(state: &mut State<'_>, insn: &Instruction) -> Result<u64, Fault> {
    let (a, b) = both(state, insn)?;
    let difference = a.wrapping_sub(b);
    let overflows = (a ^ b) & (a ^ difference) & 1 << 63 != 0;
    state.cpu.flags = flag(a < b, CARRY) | flag(overflows, OVERFLOW) | adjusts(a, b, difference);
    state.cpu.flags |= of_result(difference, 64);
    Ok(difference)
}

/// The carry out of the lowest four bits of a sum or a difference.
fn adjusts(a: u64, b: u64, result: u64) -> u64 {
    (a ^ b ^ result) & ADJUST
}

/// Stores what a shift by `count` makes, and its flags; `last` has the last bit that is shifted out, lowest.
fn shift(
    state: &mut State<'_>,
    insn: &Instruction,
    count: u64,
    shifted: u64,
    last: impl Fn(u64) -> u64,
) -> Result<(), Fault> {
    if count == 0 {
        return Ok(());
    }
    let before = state.number(insn, 0)?;
    // Of a shift by one place: whether the sign is another one.
    let turns = flag((before ^ shifted) >> 63 != 0, OVERFLOW);
    state.cpu.flags = (last(count) & CARRY) | turns | of_result(shifted, 64);
    state.set_number(insn, 0, shifted)
}

impl State<'_> {
    /// Jumps if one of these flags is set, or if none is.
    fn jump_if(&mut self, insn: &Instruction, flags: u64, is_set: bool) {
        if (self.cpu.flags & flags != 0) == is_set {
            self.cpu.next = insn.near_branch_target();
        }
    }
}
