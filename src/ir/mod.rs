//! The intermediate representation: component-wise SSA at two levels.
//!
//! A [`Value`] is **one 32-bit component across all lanes** (a lane is a vertex): swizzles, masks and negation of
//! registers are gone once a program is in this form. At the *XF level* an operation is one arithmetic primitive of
//! the chip ([`xfjit_runtime::num`]); at the *host level* it is one machine operation with exact scalar semantics
//! ([`host`]). [`crate::legalize`] expands the first into the second. The rules:
//!
//! 1. A function has two parts. The *prologue* runs once per batch and holds values that depend on constants alone; the
//!    *body* runs for every group of lanes. The body is a straight line, or several *blocks* of it ([`blocks`]).
//! 2. An instruction is pure unless its table row ([`ops`]) says otherwise, and has one result or none.
//! 3. Every operand is defined before its use, in the same block if it is not uniform; nothing in the prologue uses the
//!    body ([`verify`]).
//! 4. An operation computes each lane from the same lane of its operands; none knows how many lanes there are. Only
//!    guards look at a group as a whole: a raised guard deoptimises the group: the interpreter runs it again.

pub mod backend;
pub mod blocks;
pub mod build;
pub mod eval;
mod facts;
pub mod fold;
pub mod func;
pub mod host;
pub mod imm;
pub mod ops;
pub mod parse;
pub mod print;
pub mod properties;
pub mod verify;

pub use build::Builder;
pub use func::{Func, Inst, Level, Value};
pub use ops::Op;
