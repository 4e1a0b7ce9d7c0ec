//! Machine code for AArch64, straight from functions of the host level: one vector of four vertices.
//!
//! An instruction is a row of the `table`. `emit` lays out the function; `ops`, `loads`, `effects` and `blocks` have a method for each
//! operation. `registers` says which vector registers are for what, `operands` where operands are, `streams` where rows and planes are,
//! `guards` what accumulates. `asm` puts the words of instructions one behind the other. What is not built is [refused](refusal), before
//! anything is done: then Cranelift's routine runs.

// A new variant must not fall into an arm that was written without it.
#![warn(clippy::wildcard_enum_match_arm)]

mod asm;
mod blocks;
mod effects;
mod emit;
mod guards;
mod loads;
mod operands;
mod ops;
#[allow(clippy::wildcard_enum_match_arm, reason = "what is not listed takes one register, if any")]
mod registers;
#[allow(clippy::wildcard_enum_match_arm, reason = "what is not listed accesses no stream")]
mod streams;
mod table;

#[cfg(target_arch = "aarch64")]
use super::code::{Compiled, Finished};
use super::core::check;
use super::core::shape::{Ends, Processor, RowNumbers, Shape};
use super::instructions::InstructionSet;
#[cfg(feature = "testing")]
use super::listing::{self, Listing};
use crate::backend::CompileError;
use crate::ir::func::Func;
use crate::ir::imm::Passed;
use crate::ir::ops::Op;
use crate::ir::verify::verify;
use crate::machine::Machine;
use emit::Emitted;
#[cfg(target_arch = "aarch64")]
use std::time::Instant;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::Row;

/// How many lanes a vector has: there is one width. It is asked as those of x86-64 are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    /// Four lanes.
    Four,
}

impl Width {
    /// All widths.
    pub const ALL: &[Width] = &[Width::Four];

    /// Vertices of a group, which is one vector.
    pub const fn lanes(self) -> usize {
        emit::LANES
    }

    /// Whether calls may have any number of vertices.
    pub const fn has_tails(self) -> bool {
        true
    }

    /// The name of the back end.
    pub const fn name(self) -> &'static str {
        "neon"
    }

    /// The instruction set that has it.
    pub const fn instructions(self) -> InstructionSet {
        InstructionSet::Aarch64
    }

    /// The width for batches that are too small for this one: none are.
    pub const fn narrower(self) -> Option<Width> {
        None
    }

    /// What passes have to know.
    pub const fn machine(self) -> Machine {
        Machine::AARCH64
    }

    /// The width of the vectors of an instruction set, if code here is of it.
    pub fn of(instructions: InstructionSet) -> Option<Width> {
        Width::ALL.iter().copied().find(|width| width.instructions() == instructions)
    }

    /// Whether this machine has it.
    pub fn is_here(self) -> bool {
        self.instructions().check_host().is_ok()
    }
}

/// What there is to know of the code beside the function.
pub(super) const SHAPE: Shape = Shape {
    processor: Processor::Aarch64,
    lanes: emit::LANES,
    ends: Ends::Back,
    stack_bytes: 0,
    row_numbers: RowNumbers::Verified,
    clears_upper_halves: false,
};

/// Why there is no code of this kind for a function, of either level; nothing if there is, unless scratch memory does not hold its
/// values.
pub fn refusal(func: &Func) -> Option<&'static str> {
    // What hoisting had no room for stays in the body, and blocks may read it from others.
    (!func.is_split()).then_some("its blocks share values")
}

/// Machine code of a host-level function, constants behind it.
///
/// # Errors
/// [`CompileError::TooLarge`] with the [`refusal`], or if scratch memory does not hold its values; [`CompileError::Codegen`].
pub fn code(func: &Func, layout: Layout, _: Width) -> Result<Vec<u8>, CompileError> {
    Ok(checked(func, layout)?.bytes)
}

/// Machine code that no check has seen.
fn emitted(func: &Func, layout: Layout) -> Result<Emitted, CompileError> {
    check_emittable(func)?;
    emit::emit(func, layout)
}

/// Machine code that has passed the checks.
fn checked(func: &Func, layout: Layout) -> Result<Emitted, CompileError> {
    let emitted = emitted(func, layout)?;
    check(&emitted.bytes, &emitted.lines, func, layout, SHAPE)?;
    Ok(emitted)
}

/// The machine code of a host-level function as text.
///
/// # Errors
/// As of [`code`].
#[cfg(feature = "testing")]
pub(super) fn listing(func: &Func, layout: Layout) -> Result<Listing, CompileError> {
    let emitted = checked(func, layout)?;
    listing::aarch64(func, &emitted.bytes, &emitted.lines)
}

/// Refuses what there is no code for.
fn check_emittable(func: &Func) -> Result<(), CompileError> {
    // Memory safety of generated code rests on this contract.
    verify(func).map_err(|error| CompileError::Codegen(error.to_string()))?;
    let too_large = |why: &str| Err(CompileError::TooLarge(why.to_owned()));
    if let Some(why) = refusal(func) {
        return too_large(why);
    }
    let is_short = |attribute: usize| func.inputs.format(attribute).bytes() < size_of::<Row>();
    for inst in func.order().map(|value| func.inst(value)) {
        if matches!(inst.op, Op::Fmaxmag | Op::Fminmag) {
            return too_large("it picks floats by their magnitudes");
        }
        let copied = (inst.op == Op::RowCopy).then(|| inst.immediate::<Passed>().attribute);
        let row = copied.or_else(|| (inst.op == Op::RowGuard).then(|| inst.immediate()));
        if row.is_some_and(is_short) {
            return too_large("it takes rows of an attribute that has none");
        }
    }
    if operands::slots_for_others(func) > usize::from(emit::SLOTS) {
        return too_large("its state does not fit the scratch memory");
    }
    Ok(())
}

/// Makes code and has it checked, as debug builds do whenever code is made. Code comes to nothing where it is refused.
///
/// # Errors
/// [`CompileError::Codegen`]: a bug of this library.
#[cfg(feature = "testing")]
pub fn examine(func: &Func, layout: Layout, _: Width) -> Result<(), CompileError> {
    match checked(func, layout) {
        Err(CompileError::TooLarge(_)) => Ok(()),
        examined => examined.map(drop),
    }
}

/// Compiles a host-level function for this machine.
///
/// # Errors
/// As of [`code`]; [`CompileError::Memory`].
#[cfg(target_arch = "aarch64")]
pub fn compile(func: &Func, layout: Layout, width: Width) -> Result<Compiled, CompileError> {
    compile_with(func, layout, width, false)
}

/// Compiles a host-level function for this machine. With lines it knows which instruction each piece of it was made for.
#[cfg(target_arch = "aarch64")]
pub(super) fn compile_with(
    func: &Func,
    layout: Layout,
    _: Width,
    has_lines: bool,
) -> Result<Compiled, CompileError> {
    let start = Instant::now();
    let emitted = emitted(func, layout)?;
    let finished = Finished {
        bytes: &emitted.bytes,
        alignment: 64,
        shape: SHAPE,
        lines: &emitted.lines,
        keeps_lines: has_lines,
    };
    Compiled::new(finished, func, layout, start)
}

#[cfg(test)]
pub(super) mod tests;
