//! What must exist while code compiled by xfjit runs: the memory layout that generated code sees ([`state`]), the
//! vertex streams of the caller ([`batch`], [`bound`]) and its textures ([`texture`]), the floating-point environment
//! ([`fpenv`]) and the golden arithmetic ([`num`]). Nothing here knows how code is made.
//!
//! Pages do not show what is public for the library and for generated code alone (`abi`, `lookup`, `fpenv`, tables, memory of
//! batches that are staged or bound). It may change in any version.
#![deny(unsafe_code)]

#[doc(hidden)]
pub mod abi;
pub mod batch;
pub mod bound;
mod call;
pub mod constants;
pub mod distinct;
pub mod encoding;
mod error;
pub mod format;
#[doc(hidden)]
pub mod fpenv;
pub mod indices;
pub mod list;
#[doc(hidden)]
pub mod lookup;
pub mod num;
mod outputs;
mod staging;
pub mod state;
pub mod texture;
