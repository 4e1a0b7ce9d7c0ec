//! What code compiled by xfjit needs at run time: the memory layout that generated code sees ([`state`]), the caller's vertex streams
//! ([`batch`], [`bound`]) and textures ([`texture`]), the floating-point environment ([`fpenv`]) and the golden arithmetic ([`num`]). This
//! crate knows nothing about compilation.
//!
//! The files form layers. Each file imports only files that are above it here:
//!
//! ```text
//! num  fpenv  lanes                        arithmetic, the environment that it runs in, and the vectors
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
//! The documentation leaves out what is public only for the library and for generated code (`abi`, `lookup`, `fpenv`, tables, memory of
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
#[doc(hidden)]
pub mod lanes;
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
