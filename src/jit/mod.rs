//! Host-level IR to machine code, through Cranelift.
//!
//! Nothing here knows XF arithmetic: [`clif`] maps each host operation to the CLIF operation of the same meaning,
//! [`emit`] lays out the function (prologue, loop over groups, streams, guards), [`module`] turns CLIF into code that
//! can be called, if the [`Budget`] allows. Cranelift's API appears in these three files only.

#[cfg(target_arch = "x86_64")]
mod audit;
mod budget;
pub mod clif;
pub mod emit;
pub mod module;
mod registers;
mod run;
mod stack;

pub use budget::Budget;
pub use module::{CompileError, Compiled, Compiler, Target};
pub use run::{Jit, Memory};
pub use stack::{MOST_FRAME, RUNNING};
