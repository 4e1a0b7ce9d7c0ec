//! Native code: host-level IR to machine code, and batches to calls of it.
//!
//! Nothing here depends on XF arithmetic. [`cranelift`] generates code, `code` makes it callable, `spill` decides which
//! values are spilled, the [`Budget`] limits what is compiled; `check` verifies the memory accesses of emitted code, and
//! `driver` runs batches, with the interpreter as fallback.

#![deny(unsafe_code)]

mod budget;
#[cfg(all(target_arch = "x86_64", feature = "checks"))]
mod check;
mod code;
mod core;
pub mod cranelift;
mod driver;
mod fetch;
#[cfg(test)]
mod fused_tests;
mod instructions;
mod lines;
mod mapping;
#[cfg(all(target_arch = "x86_64", any(feature = "checks", feature = "wide")))]
mod named;
#[cfg(feature = "testing")]
mod processor;
mod room;
#[cfg(test)]
mod samples;
mod spill;
mod stack;
#[cfg(all(target_arch = "x86_64", feature = "wide"))]
pub mod wide;

use crate as native;
use xfjit_core::{backend, front, shader};
use xfjit_ir::{ir, legalize, machine, opt};

pub use budget::Budget;
pub use code::Compiled;
#[cfg(feature = "testing")]
pub use code::call_piece;
pub use cranelift::compiler::Compiler;
pub use cranelift::target::Target;
pub use driver::{Jit, Memory};
pub use instructions::InstructionSet;
pub use lines::Lines;
#[cfg(feature = "testing")]
pub use processor::{CodeCall, Processor};
pub use stack::{MOST_FRAME, RUNNING};
