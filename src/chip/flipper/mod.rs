//! Flipper, the GameCube's chip: registers of its transform unit, which also is called XF, their fields, and where they lie for
//! code.
//!
//! ```text
//! registers.rs   addresses, registers and their fields: the one table
//! memory.rs      the words of the unit, as commands write them
//! transform.rs   what of them selects code
//! rows.rs        the rest as rows of constants
//! input.rs       registers of attributes
//! output.rs      registers of outputs
//! ```
//!
//! Section numbers are those of docs/spec/flipper.md; the evidence for each rule is in docs/isa/flipper.md.

pub mod input;
pub mod memory;
pub mod output;
pub mod registers;
pub mod rows;
pub mod transform;
