//! Machine code in which one instruction is another one.

use super::x86::decode;
use iced_x86::{Encoder, Instruction};

/// The instructions that control reaches, in their order.
pub(super) fn instructions(bytes: &[u8]) -> Vec<Instruction> {
    let decoded = decode(bytes, false).expect("it is code");
    decoded.steps.iter().map(|step| step.insn).collect()
}

/// The code with another instruction in the place of one, or none where it has no encoding. If its length is another, what comes
/// behind it moves, and what refers to that with it.
pub(super) fn with(
    bytes: &[u8],
    all: &[Instruction],
    number: usize,
    changed: &Instruction,
) -> Option<Vec<u8>> {
    let (at, old) = (all[number].ip() as usize, all[number].len());
    let encode = |insn: &Instruction, at: u64| {
        let mut encoder = Encoder::new(64);
        encoder.encode(insn, at).ok().map(|_| encoder.take_buffer())
    };
    let new = encode(changed, at as u64)?;
    let mut code = bytes.to_vec();
    if new.len() == old {
        code[at..at + old].copy_from_slice(&new);
        return Some(code);
    }
    let by = new.len() as i64 - old as i64;
    let moved = |place: u64| if place > at as u64 { place.wrapping_add_signed(by) } else { place };
    code.splice(at..at + old, new);
    for (index, insn) in all.iter().enumerate() {
        let mut insn = if index == number { *changed } else { *insn };
        let is_jump = insn.is_jcc_short_or_near() || insn.is_jmp_short_or_near();
        if is_jump {
            insn.set_near_branch64(moved(insn.near_branch64()));
        } else if insn.is_ip_rel_memory_operand() {
            insn.set_memory_displacement64(moved(insn.memory_displacement64()));
        } else {
            continue;
        }
        let at = moved(insn.ip());
        let bytes = encode(&insn, at)?;
        if index != number && bytes.len() != insn.len() {
            return None;
        }
        code[at as usize..at as usize + bytes.len()].copy_from_slice(&bytes);
    }
    Some(code)
}

/// Puts nothing in the place of an instruction.
pub(super) fn leave_out(code: &mut [u8], insn: &Instruction) {
    code[insn.ip() as usize..insn.next_ip() as usize].fill(0x90);
}

/// The code with nothing in the place of an instruction.
#[cfg(feature = "wide")]
pub(super) fn without(bytes: &[u8], insn: &Instruction) -> Vec<u8> {
    let mut code = bytes.to_vec();
    leave_out(&mut code, insn);
    code
}
