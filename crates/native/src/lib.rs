//! Native code: host-level IR to machine code, and batches to calls of it.
//!
//! Nothing here depends on XF arithmetic. [`cranelift`], `x64` and `a64` generate code, on what all have in `core`: a register
//! allocator, the contract of code, and the checker of its addresses. `code` makes it callable, the [`Budget`] limits what is
//! compiled, and `driver` runs batches, with the interpreter as fallback.

#![deny(unsafe_code)]

#[cfg(any(
    all(target_arch = "x86_64", feature = "cross"),
    all(target_arch = "aarch64", any(feature = "cross", feature = "wide"))
))]
pub mod a64;
mod budget;
mod code;
mod core;
pub mod cranelift;
mod driver;
mod fetch;
#[cfg(test)]
mod fused_tests;
mod instructions;
mod lines;
#[cfg(feature = "testing")]
mod listing;
mod mapping;
#[cfg(target_arch = "x86_64")]
mod named;
#[cfg(feature = "testing")]
mod processor;
mod room;
#[cfg(test)]
mod samples;
mod stack;
#[cfg(all(target_arch = "x86_64", feature = "wide"))]
pub mod x64;

/// The emitter for this machine's processor.
#[cfg(all(target_arch = "aarch64", feature = "wide"))]
pub use a64 as emitter;
#[cfg(all(target_arch = "x86_64", feature = "wide"))]
pub use x64 as emitter;

#[cfg(test)]
use xfjit_core::front;
use xfjit_core::{backend, shader};
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
pub use listing::{Listing, listing};
#[cfg(feature = "testing")]
pub use processor::{CodeCall, Processor};
pub use stack::{MOST_FRAME, RUNNING};
