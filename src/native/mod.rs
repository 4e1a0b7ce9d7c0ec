//! Native code: host-level IR to machine code, and batches to calls of it.
//!
//! Nothing here knows XF arithmetic. [`cranelift`] generates code, `code` makes it callable, `spill` says which values
//! leave the registers, the [`Budget`] what may be compiled at all; `check` looks at what was emitted, and `driver` runs
//! batches, with the interpreter behind it.

mod budget;
#[cfg(target_arch = "x86_64")]
mod check;
mod code;
pub mod cranelift;
mod driver;
mod spill;
mod stack;

pub use budget::Budget;
pub use code::Compiled;
pub use cranelift::compiler::Compiler;
pub use cranelift::target::Target;
pub use driver::{Jit, Memory};
pub use stack::{MOST_FRAME, RUNNING};
