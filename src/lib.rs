//! JIT recompiler for the vertex programs of NVIDIA's XF unit.

pub mod isa;
pub mod programs;

pub use xfjit_runtime as runtime;
