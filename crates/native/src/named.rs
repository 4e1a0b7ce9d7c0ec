//! What messages call an instruction of x86-64.

use iced_x86::Instruction;

/// Its text, in builds that have texts of instructions; the number of its code in those that are shipped in other programs: texts of
/// all codes take 0.3 MB, for messages that tell of a mistake of the code generator.
pub(super) fn named(insn: &Instruction) -> String {
    match cfg!(any(debug_assertions, feature = "testing")) {
        true => format!("{insn:?}"),
        false => format!("instruction {} of {} bytes", insn.code() as u16, insn.len()),
    }
}
