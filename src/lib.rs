//! JIT recompiler for the vertex programs of NVIDIA's XF unit: the chip's own arithmetic, bit for bit, at SIMD speed.
//!
//! Start with [`engine`]. `docs/DESIGN.md` walks through the rest.
//!
//! With the feature `unstable` there is more: how the library works (the modules `ir`, `legalize`, `machine`, `native`, `opt`,
//! `repro` and `timing`, and what front ends and backends of one's own build upon). It may change in any version, as may everything
//! behind the feature `testing`.
#![deny(unsafe_code)]

pub mod capture;
pub mod engine;
pub mod flipper;
pub mod import;
#[cfg(feature = "jit")]
pub mod perf;
pub mod repro;
pub mod xf;

pub use xfjit_core::{backend, front, interp, shader};
pub use xfjit_ir::{ir, legalize, machine, opt};
pub use xfjit_isa::{asm, chip, config, emulators, isa, text, timing};
#[cfg(feature = "jit")]
pub use xfjit_native as native;

pub use chip::Generation;
pub use config::Config;
pub use emulators::Emulator;
pub use engine::{Compile, Engine, Lockstep, Options, Program};
#[cfg(feature = "jit")]
pub use native::{Budget, InstructionSet, Jit};
pub use shader::{Shader, Worker};
pub use xf::XfUnit;
pub use xfjit_runtime as runtime;
pub use xfjit_runtime::num::Model;
