//! Floats, lane by lane.
//!
//! Single precision is that of [`host`]: exact results rounded as the environment says. The processor's own are the rules for NaNs.

use super::double;
use super::fault::Fault;
use super::operands::length;
use super::state::State;
use super::vector::Vector;
use crate::ir::host;
use iced_x86::{Instruction, Mnemonic};
use xfjit_runtime::fpenv::FpEnv;

/// What an operation without a result gives.
const NO_NUMBER: u32 = 0xffc0_0000;
/// What numbers become that do not fit an integer.
const NO_INTEGER: u32 = 0x8000_0000;

/// Executes an instruction of this kind; tells whether it is one.
pub(super) fn execute(state: &mut State<'_>, insn: &Instruction) -> Result<bool, Fault> {
    match insn.mnemonic() {
        Mnemonic::Vaddps => of_two(state, insn, host::fadd)?,
        Mnemonic::Vsubps => of_two(state, insn, host::fsub)?,
        Mnemonic::Vmulps => of_two(state, insn, host::fmul)?,
        Mnemonic::Vdivps => of_two(state, insn, host::fdiv)?,
        Mnemonic::Vminps => pick(state, insn, |a, b| a < b)?,
        Mnemonic::Vmaxps => pick(state, insn, |a, b| a > b)?,
        Mnemonic::Vsqrtps => of_one(state, insn, |env, a| numbers([a], || host::fsqrt(env, a)))?,
        Mnemonic::Vcvtdq2ps => of_one(state, insn, host::cvt_f)?,
        Mnemonic::Vcvttps2dq => of_one(state, insn, |_, a| integer(a))?,
        Mnemonic::Vroundps | Mnemonic::Vrndscaleps => {
            let how = state.number(insn, 2)?;
            // Places behind the point are kept by nobody here.
            if how >> 4 != 0 {
                return Err(Fault::Operand);
            }
            of_one(state, insn, |env, a| round(env, how, a))?;
        }
        Mnemonic::Vfmadd231ps => {
            let [c, a, b] = [state.vector(insn, 0)?, state.vector(insn, 1)?, state.vector(insn, 2)?];
            let env = state.cpu.env;
            let sum = |lane: usize| {
                let [a, b, c] = [a.0[lane], b.0[lane], c.0[lane]];
                numbers([a, b, c], || host::fma(env, a, b, c))
            };
            state.set_words(insn, Vector(std::array::from_fn(sum)), length(insn))?;
        }
        Mnemonic::Vrangeps => {
            let (a, b, how) = (state.vector(insn, 1)?, state.vector(insn, 2)?, state.number(insn, 3)?);
            let env = state.cpu.env;
            let words = Vector::zip(a, b, |a, b| range(env, how, a, b));
            state.set_words(insn, words, length(insn))?;
        }
        Mnemonic::Vaddpd => of_two_doubles(state, insn, double::add)?,
        Mnemonic::Vsubpd => of_two_doubles(state, insn, double::sub)?,
        Mnemonic::Vmulpd => of_two_doubles(state, insn, double::mul)?,
        Mnemonic::Vfmadd231pd => {
            let [c, a, b] = [state.vector(insn, 0)?, state.vector(insn, 1)?, state.vector(insn, 2)?];
            let ([a, b, c], env) = ([a, b, c].map(|vector| vector.quads()), state.cpu.env);
            let sum = |lane: usize| double::fma(env, a[lane], b[lane], c[lane]);
            state.set_quads(insn, Vector::of_quads(std::array::from_fn(sum)), length(insn))?;
        }
        Mnemonic::Vcvtps2pd => {
            let (a, env) = (state.vector(insn, 1)?, state.cpu.env);
            let quads = std::array::from_fn(|lane| double::of_float(env, a.0[lane]));
            state.set_quads(insn, Vector::of_quads(quads), length(insn))?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn of_one(state: &mut State<'_>, insn: &Instruction, f: impl Fn(FpEnv, u32) -> u32) -> Result<(), Fault> {
    let (a, env) = (state.vector(insn, 1)?, state.cpu.env);
    state.set_words(insn, a.map(|a| f(env, a)), length(insn))
}

fn of_two(state: &mut State<'_>, insn: &Instruction, f: fn(FpEnv, u32, u32) -> u32) -> Result<(), Fault> {
    let (a, b, env) = (state.vector(insn, 1)?, state.vector(insn, 2)?, state.cpu.env);
    let words = Vector::zip(a, b, |a, b| numbers([a, b], || f(env, a, b)));
    state.set_words(insn, words, length(insn))
}

fn of_two_doubles(
    state: &mut State<'_>,
    insn: &Instruction,
    f: fn(FpEnv, u64, u64) -> u64,
) -> Result<(), Fault> {
    let (a, b, env) = (state.vector(insn, 1)?, state.vector(insn, 2)?, state.cpu.env);
    state.set_quads(insn, Vector::zip_quads(a, b, |a, b| f(env, a, b)), length(insn))
}

fn is_nan(bits: u32) -> bool {
    bits & 0x7fff_ffff > 0x7f80_0000
}

/// A NaN as operations leave it.
fn quiet(bits: u32) -> u32 {
    bits | 1 << 22
}

fn is_quiet(bits: u32) -> bool {
    quiet(bits) == bits
}

/// The first operand that is a NaN; what numbers give if none is.
fn numbers<const N: usize>(operands: [u32; N], result: impl Fn() -> u32) -> u32 {
    if let Some(nan) = operands.into_iter().find(|&bits| is_nan(bits)) {
        return quiet(nan);
    }
    let bits = result();
    if is_nan(bits) { NO_NUMBER } else { bits }
}

/// An operand as the environment has it.
fn operand(env: FpEnv, bits: u32) -> u32 {
    let is_flushed = env == FpEnv::Truncate && bits & 0x7f80_0000 == 0;
    if is_flushed { bits & 0x8000_0000 } else { bits }
}

/// The first operand of which something is true, else the second: of NaNs, and of two zeros, that is the second.
fn pick(state: &mut State<'_>, insn: &Instruction, is_first: fn(f32, f32) -> bool) -> Result<(), Fault> {
    let (a, b, env) = (state.vector(insn, 1)?, state.vector(insn, 2)?, state.cpu.env);
    let words = Vector::zip(a, b, |a, b| {
        let (a, b) = (operand(env, a), operand(env, b));
        if is_first(f32::from_bits(a), f32::from_bits(b)) { a } else { b }
    });
    state.set_words(insn, words, length(insn))
}

/// A float without its fraction, as an integer.
fn integer(bits: u32) -> u32 {
    let a = f32::from_bits(bits);
    let fits = (-2_147_483_648.0..2_147_483_648.0).contains(&a);
    if fits { a as i32 as u32 } else { NO_INTEGER }
}

/// An integral float near another one: the even one of two that are equally near, that below, above, or toward zero, or as the
/// environment says.
fn round(env: FpEnv, how: u64, bits: u32) -> u32 {
    let own = if env == FpEnv::Truncate { 3 } else { 0 };
    let a = f32::from_bits(operand(env, bits));
    numbers([bits], || {
        let rounded = match if how & 4 != 0 { own } else { how & 3 } {
            0 => a.round_ties_even(),
            1 => a.floor(),
            2 => a.ceil(),
            _ => a.trunc(),
        };
        rounded.to_bits()
    })
}

/// The lesser or greater of two floats or of their magnitudes, and which sign it gets. A number is preferred to a quiet NaN.
fn range(env: FpEnv, how: u64, a: u32, b: u32) -> u32 {
    if let Some(nan) = [a, b].into_iter().find(|&bits| is_nan(bits) && !is_quiet(bits)) {
        return quiet(nan);
    }
    let (a, b) = (operand(env, a), operand(env, b));
    let magnitude = |bits: u32| bits & 0x7fff_ffff;
    // In the order of floats, below zero the greater magnitudes first; -0 is before 0.
    let order = |bits: u32| if bits >> 31 != 0 { -i64::from(magnitude(bits)) - 1 } else { bits.into() };
    let (lesser, greater) = if order(a) <= order(b) { (a, b) } else { (b, a) };
    let picked = match how & 3 {
        _ if is_nan(b) => a,
        _ if is_nan(a) => b,
        0 => lesser,
        1 => greater,
        // Of equal magnitudes the lesser or greater number.
        2 if magnitude(lesser) <= magnitude(greater) => lesser,
        2 => greater,
        _ if magnitude(greater) >= magnitude(lesser) => greater,
        _ => lesser,
    };
    match how >> 2 & 3 {
        0 => magnitude(picked) | a & 0x8000_0000,
        1 => picked,
        2 => magnitude(picked),
        _ => picked | 0x8000_0000,
    }
}
