//! JIT recompiler for the vertex programs of NVIDIA's XF unit.

pub mod backend;
pub mod cache;
pub mod config;
pub mod front;
pub mod interp;
pub mod ir;
pub mod isa;
#[cfg(feature = "jit")]
pub mod jit;
pub mod key;
pub mod legalize;
pub mod opt;

pub use xfjit_runtime as runtime;
