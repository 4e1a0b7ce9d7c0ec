//! The arithmetic flags.

use iced_x86::{Instruction, Mnemonic};

/// Carry.
pub(super) const CARRY: u64 = 1;
/// Whether the lowest byte has an even number of ones.
pub(super) const PARITY: u64 = 1 << 2;
/// Carry out of the lowest four bits.
pub(super) const ADJUST: u64 = 1 << 4;
/// Zero.
pub(super) const ZERO: u64 = 1 << 6;
/// Sign.
pub(super) const SIGN: u64 = 1 << 7;
/// Overflow of numbers with a sign.
pub(super) const OVERFLOW: u64 = 1 << 11;

/// All of them.
pub(super) const DEFINED: u64 = CARRY | PARITY | ADJUST | ZERO | SIGN | OVERFLOW;

/// The flags that are known after an instruction: of the others the architecture says nothing.
pub(super) fn defined_flags(insn: &Instruction) -> u64 {
    match insn.mnemonic() {
        Mnemonic::Imul => CARRY | OVERFLOW,
        Mnemonic::Xor => DEFINED & !ADJUST,
        // Shifts by 0 leave them alone; those by more than 1 say nothing of overflow.
        Mnemonic::Shl | Mnemonic::Shr => match insn.immediate8() & 63 {
            0 => DEFINED,
            1 => DEFINED & !ADJUST,
            _ => DEFINED & !(ADJUST | OVERFLOW),
        },
        _ => DEFINED,
    }
}

/// A flag if a condition holds.
pub(super) fn flag(condition: bool, flag: u64) -> u64 {
    if condition { flag } else { 0 }
}

/// What a result of so many bits says by itself.
pub(super) fn of_result(value: u64, bits: u32) -> u64 {
    let kept = value << (64 - bits);
    flag(kept == 0, ZERO)
        | flag(kept >> 63 != 0, SIGN)
        | flag((value as u8).count_ones().is_multiple_of(2), PARITY)
}
