//! Whole numbers and bits, lane by lane.

use super::fault::Fault;
use super::operands::length;
use super::state::State;
use super::vector::Vector;
use iced_x86::{Instruction, Mnemonic};

/// Executes an instruction of this kind; tells whether it is one.
pub(super) fn execute(state: &mut State<'_>, insn: &Instruction) -> Result<bool, Fault> {
    match insn.mnemonic() {
        Mnemonic::Vpaddd => of_two(state, insn, u32::wrapping_add)?,
        Mnemonic::Vpsubd => of_two(state, insn, u32::wrapping_sub)?,
        Mnemonic::Vpmulld => of_two(state, insn, u32::wrapping_mul)?,
        Mnemonic::Vpmaxsd => of_two(state, insn, |a, b| (a as i32).max(b as i32) as u32)?,
        Mnemonic::Vpminsd => of_two(state, insn, |a, b| (a as i32).min(b as i32) as u32)?,
        Mnemonic::Vpminud => of_two(state, insn, u32::min)?,
        Mnemonic::Vpand | Mnemonic::Vpandd => of_two(state, insn, |a, b| a & b)?,
        Mnemonic::Vpandn | Mnemonic::Vpandnd => of_two(state, insn, |a, b| !a & b)?,
        Mnemonic::Vpor | Mnemonic::Vpord => of_two(state, insn, |a, b| a | b)?,
        Mnemonic::Vpxor | Mnemonic::Vpxord => of_two(state, insn, |a, b| a ^ b)?,
        Mnemonic::Vpmuldq => {
            let (a, b) = (state.vector(insn, 1)?, state.vector(insn, 2)?);
            let product = |a: u64, b: u64| (i64::from(a as i32) * i64::from(b as i32)) as u64;
            state.set_quads(insn, Vector::zip_quads(a, b, product), length(insn))?;
        }
        Mnemonic::Vpternlogd => {
            let [a, b, c] = [state.vector(insn, 0)?, state.vector(insn, 1)?, state.vector(insn, 2)?];
            let table = state.number(insn, 3)?;
            let word = |lane: usize| ternary(table, a.0[lane], b.0[lane], c.0[lane]);
            state.set_words(insn, Vector(std::array::from_fn(word)), length(insn))?;
        }
        Mnemonic::Vpslld => shift(state, insn, |a, count| a.checked_shl(count).unwrap_or(0))?,
        Mnemonic::Vpsrld => shift(state, insn, |a, count| a.checked_shr(count).unwrap_or(0))?,
        Mnemonic::Vpsrad => shift(state, insn, |a, count| (a as i32 >> count.min(31)) as u32)?,
        Mnemonic::Vpsllq => shift_quads(state, insn, |a, count| a.checked_shl(count).unwrap_or(0))?,
        Mnemonic::Vpsrlq => shift_quads(state, insn, |a, count| a.checked_shr(count).unwrap_or(0))?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn of_two(state: &mut State<'_>, insn: &Instruction, f: fn(u32, u32) -> u32) -> Result<(), Fault> {
    let (a, b) = (state.vector(insn, 1)?, state.vector(insn, 2)?);
    state.set_words(insn, Vector::zip(a, b, f), length(insn))
}

/// For each bit what a table has for the bits of three operands.
fn ternary(table: u64, a: u32, b: u32, c: u32) -> u32 {
    let rows = (0..8u32).filter(|row| table >> row & 1 != 0);
    let is = |word: u32, set: u32| if set != 0 { word } else { !word };
    rows.fold(0, |bits, row| bits | is(a, row & 4) & is(b, row & 2) & is(c, row & 1))
}

fn shift(state: &mut State<'_>, insn: &Instruction, f: fn(u32, u32) -> u32) -> Result<(), Fault> {
    let (value, count) = (state.vector(insn, 1)?, state.number(insn, 2)? as u32);
    state.set_words(insn, value.map(|a| f(a, count)), length(insn))
}

fn shift_quads(state: &mut State<'_>, insn: &Instruction, f: fn(u64, u32) -> u64) -> Result<(), Fault> {
    let (value, count) = (state.vector(insn, 1)?, state.number(insn, 2)? as u32);
    state.set_quads(insn, Vector::of_quads(value.quads().map(|a| f(a, count))), length(insn))
}
