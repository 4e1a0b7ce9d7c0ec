//! Machine code for wide vectors of x86-64, straight from functions of the host level: one vector of eight or sixteen vertices.
//!
//! Three things are written once each: an instruction is a row of the `table`, a width is an implementation of `width::Lanes`, and a
//! register that is needed for a while is a value that `temporaries` hands out and takes back.
//!
//! `emit` lays out the function, `groups` goes from one group to the next; `ops`, `loads`, `effects` and `blocks` have a method for each
//! operation. The allocation of registers knows where values are and `operands` how instructions read them; `uniforms`, `literals`, `masks`
//! and `guards` own what is kept elsewhere, `open_streams` and `rows` how rows come to registers, `tails` how few of them do, `cold` what
//! is made behind the function. `asm` and `encode` write bytes. What is not built is [refused](refusal), before anything is done: then
//! Cranelift's routine runs.

// A new variant must not fall into an arm that was written without it.
#![warn(clippy::wildcard_enum_match_arm)]

mod adjacent;
mod args;
mod asm;
mod blocks;
mod cold;
mod effects;
mod emit;
#[allow(clippy::wildcard_enum_match_arm, reason = "registers that are not listed have numbers, or no place")]
mod encode;
mod groups;
mod guards;
mod literals;
mod loads;
mod lookups;
mod masks;
#[cfg(feature = "testing")]
pub mod mutants;
#[allow(clippy::wildcard_enum_match_arm, reason = "what is not listed accesses the rows that it reads")]
mod open_streams;
mod operands;
mod ops;
mod packed;
mod rows;
mod table;
mod tails;
mod temporaries;
mod uniforms;
mod width;

pub use width::Width;

use super::code::{Compiled, Finished};
use super::core::check;
use super::core::shape::{Ends, Processor, RowNumbers, Shape};
#[cfg(feature = "testing")]
use super::listing::{self, Listing};
use crate::backend::CompileError;
use crate::ir::func::Func;
use crate::ir::ops::Op;
use crate::ir::verify::verify;
use emit::Emitted;
use std::time::Instant;
use xfjit_runtime::batch::Layout;

/// Bytes of the stack that a call takes: its return address.
const STACK_BYTES: usize = 8;

/// What there is to know of code of a width beside the function.
pub(super) const fn shape(width: Width) -> Shape {
    Shape {
        processor: Processor::X86_64,
        lanes: width.lanes(),
        ends: if width.has_tails() { Ends::Short } else { Ends::Whole },
        stack_bytes: STACK_BYTES,
        row_numbers: RowNumbers::Verified,
        clears_upper_halves: true,
    }
}

/// Why there is no wide code for a function, of either level; nothing if there is, unless scratch memory does not hold its
/// values.
pub fn refusal(func: &Func) -> Option<&'static str> {
    // What hoisting had no room for stays in the body, and blocks may read it from others.
    (!func.is_split()).then_some("its blocks share values")
}

/// Machine code of a host-level function, constants behind it.
///
/// # Errors
/// [`CompileError::TooLarge`] with the [`refusal`], or if scratch memory does not hold its values; [`CompileError::Codegen`].
pub fn code(func: &Func, layout: Layout, width: Width) -> Result<Vec<u8>, CompileError> {
    Ok(checked(func, layout, width)?.bytes)
}

/// Machine code with its instructions.
fn emitted(func: &Func, layout: Layout, width: Width) -> Result<Emitted, CompileError> {
    check_emittable(func, width)?;
    let emitted = emit::emit(func, layout, width)?;
    // A condition that the compiler knows, so that programs without it are smaller.
    if cfg!(debug_assertions) {
        asm::compare(&emitted.bytes, &emitted.instructions)?;
    }
    Ok(emitted)
}

/// Machine code that has passed the checks.
fn checked(func: &Func, layout: Layout, width: Width) -> Result<Emitted, CompileError> {
    let emitted = emitted(func, layout, width)?;
    check(&emitted.bytes, &emitted.lines, func, layout, shape(width))?;
    Ok(emitted)
}

/// The machine code of a host-level function as text. What stands before an operation's instructions for want of registers belongs to it.
///
/// # Errors
/// As of [`code`].
#[cfg(feature = "testing")]
pub(super) fn listing(func: &Func, layout: Layout, width: Width) -> Result<Listing, CompileError> {
    let Emitted { bytes, lines, .. } = emitted(func, layout, width)?;
    Ok(listing::x86_64(func, &bytes, &lines))
}

/// Makes code and looks at it in every way that there is: as debug builds do whenever code is made. Code comes to nothing where it is
/// refused.
///
/// # Errors
/// [`CompileError::Codegen`]: a bug of this library.
#[cfg(feature = "testing")]
pub fn examine(func: &Func, layout: Layout, width: Width) -> Result<(), CompileError> {
    let examined =
        checked(func, layout, width).and_then(|emitted| asm::compare(&emitted.bytes, &emitted.instructions));
    match examined {
        Err(CompileError::TooLarge(_)) => Ok(()),
        examined => examined,
    }
}

/// Refuses what there is no wide code for.
fn check_emittable(func: &Func, width: Width) -> Result<(), CompileError> {
    // Memory safety of generated code rests on this contract.
    verify(func).map_err(|error| CompileError::Codegen(error.to_string()))?;
    if let Some(why) = refusal(func) {
        return Err(CompileError::TooLarge(why.to_owned()));
    }
    let picks = |value| matches!(func.inst(value).op, Op::Fmaxmag | Op::Fminmag);
    if !width.machine().has_magnitudes && func.order().any(picks) {
        return Err(CompileError::TooLarge("it picks floats by their magnitudes".to_owned()));
    }
    if operands::slots_for_others(func, width) > usize::from(emit::SLOTS) {
        return Err(CompileError::TooLarge("its state does not fit the scratch memory".to_owned()));
    }
    Ok(())
}

/// Each form of an instruction that code may have.
#[cfg(feature = "testing")]
pub fn codes() -> impl Iterator<Item = iced_x86::Code> {
    table::codes()
}

/// Compiles a host-level function for this machine.
///
/// # Errors
/// As of [`code`]; [`CompileError::Host`] if this machine has no such vectors, [`CompileError::Memory`].
pub fn compile(func: &Func, layout: Layout, width: Width) -> Result<Compiled, CompileError> {
    width.instructions().check_host()?;
    compile_with(func, layout, width, false)
}

/// Compiles a host-level function for a machine that is known to have such vectors. With lines it knows which instruction each piece of
/// it was made for.
pub(super) fn compile_with(
    func: &Func,
    layout: Layout,
    width: Width,
    has_lines: bool,
) -> Result<Compiled, CompileError> {
    let start = Instant::now();
    let emitted = emitted(func, layout, width)?;
    let finished = Finished {
        bytes: &emitted.bytes,
        alignment: asm::ALIGNMENT as u64,
        shape: shape(width),
        lines: &emitted.lines,
        keeps_lines: has_lines,
    };
    Compiled::new(finished, func, layout, start)
}

#[cfg(test)]
pub(super) mod tests;
