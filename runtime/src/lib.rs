//! What must exist while code compiled by xfjit runs: the memory layout that generated code sees ([`state`]), the
//! vertex streams of the caller ([`batch`], [`bound`]) and its textures ([`texture`]), the floating-point environment
//! ([`fpenv`]) and the golden arithmetic ([`num`]). Nothing here knows how code is made.
#![deny(unsafe_code)]

pub mod abi;
pub mod batch;
pub mod bound;
pub mod constants;
mod error;
pub mod format;
pub mod fpenv;
pub mod lookup;
pub mod num;
mod outputs;
mod staging;
pub mod state;
pub mod texture;
