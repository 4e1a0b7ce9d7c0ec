//! One instruction after the other.

use super::fault::Fault;
use super::state::State;
use super::{compare, float, general, integer, masks, moves, shuffle};
use iced_x86::{Code, Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter, Mnemonic};
use std::sync::atomic::{AtomicBool, Ordering};

/// An instruction in Intel's syntax.
pub(super) fn text(insn: &Instruction) -> String {
    let mut text = String::new();
    IntelFormatter::new().format(insn, &mut text);
    text
}

/// More than there are forms of instructions.
const CODES: usize = 1 << 13;

/// The forms that code has executed in this process.
static EXECUTED: [AtomicBool; CODES] = [const { AtomicBool::new(false) }; CODES];

/// Whether code that has run in this process has executed an instruction of this form.
pub fn was_executed(code: Code) -> bool {
    EXECUTED[code as usize % CODES].load(Ordering::Relaxed)
}

/// Executes an instruction that is no return.
///
/// # Errors
/// What it does is not to be done; registers may have been written.
pub fn step(state: &mut State<'_>, insn: &Instruction) -> Result<(), Fault> {
    state.cpu.next = insn.next_ip();
    for execute in [
        float::execute,
        integer::execute,
        moves::execute,
        shuffle::execute,
        general::execute,
        compare::execute,
        masks::execute,
    ] {
        if execute(state, insn)? {
            return Ok(());
        }
    }
    Err(Fault::Unknown)
}

/// More instructions than any call executes.
pub(super) const MOST: u64 = 1 << 33;

/// Runs code from its beginning until it returns; tells what it returns. Code may lie behind what is executed: constants.
///
/// # Errors
/// What an instruction does that is not to be done; the text names the instruction and its distance from the beginning.
pub fn run(state: &mut State<'_>, code: &[u8]) -> Result<u64, String> {
    run_within(state, code, MOST)
}

/// Runs code likewise, so many instructions of it at most.
///
/// # Errors
/// As of [`run`]; code that has not returned by then.
pub(super) fn run_within(state: &mut State<'_>, code: &[u8], most: u64) -> Result<u64, String> {
    let start = code.as_ptr().addr() as u64;
    let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    let mut insn = Instruction::default();
    let stopped = |at: u64, insn: &Instruction, fault: Fault| {
        format!("{}, {:#x} bytes from the beginning: {fault}", text(insn), at.wrapping_sub(start))
    };
    state.cpu.next = start;
    for _ in 0..most {
        let at = state.cpu.next;
        let offset = at.wrapping_sub(start) as usize;
        if offset >= code.len() || decoder.set_position(offset).is_err() {
            return Err(stopped(at, &insn, Fault::Outside));
        }
        decoder.set_ip(at);
        decoder.decode_out(&mut insn);
        if insn.mnemonic() == Mnemonic::Ret {
            return Ok(state.cpu.general[0]);
        }
        step(state, &insn).map_err(|fault| stopped(at, &insn, fault))?;
        EXECUTED[insn.code() as usize % CODES].store(true, Ordering::Relaxed);
    }
    Err(stopped(state.cpu.next, &insn, Fault::Endless))
}
