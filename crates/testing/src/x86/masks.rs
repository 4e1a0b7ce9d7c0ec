//! Instructions on registers of masks, of which those here have sixteen bits.

use super::fault::Fault;
use super::flags::{CARRY, ZERO, flag};
use super::operands::length;
use super::state::State;
use super::vector::Vector;
use iced_x86::{Instruction, Mnemonic};

/// The bits of a mask that instructions work on; those above them are cleared.
const WORD: u64 = 0xffff;

/// Executes an instruction of this kind; tells whether it is one.
pub(super) fn execute(state: &mut State<'_>, insn: &Instruction) -> Result<bool, Fault> {
    match insn.mnemonic() {
        Mnemonic::Kandw => of_two(state, insn, |a, b| a & b)?,
        Mnemonic::Kandnw => of_two(state, insn, |a, b| !a & b)?,
        Mnemonic::Korw => of_two(state, insn, |a, b| a | b)?,
        Mnemonic::Kxorw => of_two(state, insn, |a, b| a ^ b)?,
        Mnemonic::Knotw => {
            let value = state.mask(insn, 1)?;
            state.set_mask(insn, 0, !value & WORD)?;
        }
        Mnemonic::Kmovw => {
            let value = state.number(insn, 1)?;
            state.set_mask(insn, 0, value & WORD)?;
        }
        Mnemonic::Kortestw => {
            let either = (state.mask(insn, 0)? | state.mask(insn, 1)?) & WORD;
            state.cpu.flags = flag(either == 0, ZERO) | flag(either == WORD, CARRY);
        }
        Mnemonic::Vpmovd2m => {
            let signs = state.vector(insn, 1)?;
            state.set_condition(insn, |lane| signs.0[lane] >> 31 != 0)?;
        }
        Mnemonic::Vpmovm2d => {
            let mask = state.mask(insn, 1)?;
            let word = |lane| if mask >> lane & 1 != 0 { u32::MAX } else { 0 };
            state.set_words(insn, Vector(std::array::from_fn(word)), length(insn))?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn of_two(state: &mut State<'_>, insn: &Instruction, f: fn(u64, u64) -> u64) -> Result<(), Fault> {
    let (a, b) = (state.mask(insn, 1)?, state.mask(insn, 2)?);
    state.set_mask(insn, 0, f(a, b) & WORD)
}
