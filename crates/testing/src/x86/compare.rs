//! Comparisons of lanes, and tests of whole vectors.

use super::fault::Fault;
use super::flags::{CARRY, ZERO, flag};
use super::operands::length;
use super::state::State;
use iced_x86::{Instruction, Mnemonic};
use xfjit_runtime::fpenv::FpEnv;

/// Executes an instruction of this kind; tells whether it is one.
pub(super) fn execute(state: &mut State<'_>, insn: &Instruction) -> Result<bool, Fault> {
    match insn.mnemonic() {
        Mnemonic::Vcmpps => {
            let (a, b, env) = (state.vector(insn, 1)?, state.vector(insn, 2)?, state.cpu.env);
            let predicate = state.number(insn, 3)?;
            state.set_condition(insn, |lane| passes(predicate, env, a.0[lane], b.0[lane]))?;
        }
        Mnemonic::Vpcmpeqd => {
            let (a, b) = (state.vector(insn, 1)?, state.vector(insn, 2)?);
            state.set_condition(insn, |lane| a.0[lane] == b.0[lane])?;
        }
        Mnemonic::Vpcmpgtd => {
            let (a, b) = (state.vector(insn, 1)?, state.vector(insn, 2)?);
            state.set_condition(insn, |lane| a.0[lane] as i32 > b.0[lane] as i32)?;
        }
        Mnemonic::Vptestmd => {
            let (a, b) = (state.vector(insn, 1)?, state.vector(insn, 2)?);
            state.set_condition(insn, |lane| a.0[lane] & b.0[lane] != 0)?;
        }
        Mnemonic::Vptest => {
            let (a, b) = (state.vector(insn, 0)?, state.vector(insn, 1)?);
            let words = || a.0.iter().zip(&b.0).take(length(insn) / 4);
            let (none, all) = (words().all(|(a, b)| a & b == 0), words().all(|(a, b)| !a & b == 0));
            state.cpu.flags = flag(none, ZERO) | flag(all, CARRY);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether two floats are so to each other. Of the 32 predicates those above 15 differ from the others only in what raises exceptions.
fn passes(predicate: u64, env: FpEnv, a: u32, b: u32) -> bool {
    let [a, b] = [a, b].map(|bits| {
        let is_flushed = env == FpEnv::Truncate && bits & 0x7f80_0000 == 0;
        f32::from_bits(if is_flushed { 0 } else { bits })
    });
    let (is_less, is_equal, is_unordered) = (a < b, a == b, a.is_nan() || b.is_nan());
    match predicate & 15 {
        0 => is_equal,
        1 => is_less,
        2 => is_less || is_equal,
        3 => is_unordered,
        4 => !is_equal,
        5 => !is_less,
        6 => !(is_less || is_equal),
        7 => !is_unordered,
        8 => is_equal || is_unordered,
        9 => is_less || is_unordered,
        10 => is_less || is_equal || is_unordered,
        11 => false,
        12 => !(is_equal || is_unordered),
        13 => !(is_less || is_unordered),
        14 => !(is_less || is_equal || is_unordered),
        _ => true,
    }
}
