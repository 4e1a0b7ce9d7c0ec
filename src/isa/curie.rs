//! Microcode of Curie.

use super::Reading;
use super::insn::Insn;

/// Instruction slots of XFPR.
pub const SLOTS: usize = 544;
/// Rows of XFCTX.
pub const CONSTANTS: u16 = 544;
/// Temporary registers.
pub const TEMPS: u8 = 48;
/// Output registers.
pub const OUTPUTS: u8 = 16;

/// The meaning of one slot.
pub fn decode_insn(_reading: Reading, _words: [u32; 4]) -> Insn {
    Insn::NOP
}

/// The canonical dwords of an instruction.
pub fn encode_insn(_insn: &Insn) -> [u32; 4] {
    [0; 4]
}
