//! What must exist while code compiled by xfjit runs: the memory layout that generated code sees ([`state`]), the
//! vertex streams of the caller ([`batch`], [`bound`]) and its textures ([`texture`]), the floating-point environment
//! ([`fpenv`]) and the golden arithmetic ([`num`]). Nothing here knows how code is made.
//!
//! Files stand in layers, and each imports what stands above it here, nothing else:
//!
//! ```text
//! num  fpenv                               arithmetic, and the environment that it runs in
//! registers                                how many there are, what one holds
//! encoding  indexing                       what codes of attributes mean; how the vertex of a position is found
//! format                                   an element of an attribute, and the layout of all attributes
//! error                                    what is wrong with a call
//! indices  outputs  constants  texture     memory of the caller
//! list  lookup                             index lists of a guest; tables
//! state                                    memory that generated code sees
//! abi  batch  call                         how it is entered; what vertices read; what a single call works on
//! bound                                    the proof that a batch holds what is needed
//! staging  distinct                        vertices that are copied; each vertex once
//! ```
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
mod indexing;
pub mod indices;
pub mod list;
#[doc(hidden)]
pub mod lookup;
pub mod num;
mod outputs;
mod registers;
#[doc(hidden)]
pub mod staging;
pub mod state;
pub mod texture;
