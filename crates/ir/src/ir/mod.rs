//! The intermediate representation: component-wise SSA at two levels.
//!
//! A [`Value`] is **one 32-bit component across all lanes** (a lane is a vertex), so there are no swizzles, write masks or
//! source modifiers in this form. At the *XF level* an operation is one arithmetic primitive of
//! the chip ([`xfjit_runtime::num`]); at the *host level* it is one machine operation with exact scalar semantics
//! ([`host`]). [`crate::legalize`] expands the first into the second. The rules:
//!
//! 1. A function has two parts. The *prologue* runs once per batch and holds *uniform* values, which depend on constants
//!    only; the *body* runs for every group of lanes. The body is one straight line, or several *blocks* ([`blocks`]).
//! 2. An instruction is pure unless its table row ([`ops`]) says otherwise, and has one result or none.
//! 3. Every operand is defined before its use, in the same block if it is not uniform; nothing in the prologue uses the
//!    body ([`verify`]).
//! 4. An operation computes each lane from the same lane of its operands and does not depend on the number of lanes. Only
//!    guards apply to a whole group: a raised guard *deoptimises* it, which means that the interpreter runs it again.

// A new variant must not fall into an arm that was written without it.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod backend;
pub mod blocks;
pub mod build;
pub mod eval;
mod facts;
pub mod fold;
pub mod func;
mod fused;
pub mod host;
pub mod imm;
pub mod layout;
pub(crate) mod numbers;
pub mod ops;
pub mod origin;
pub mod parse;
pub mod print;
pub mod properties;
pub mod value;
pub mod verify;

pub use build::Builder;
pub use func::{Func, Inst, Level, Value};
pub use ops::Op;
pub use origin::Origin;
