//! JIT recompiler for the vertex programs of NVIDIA's XF unit: the chip's own arithmetic, bit for bit, at SIMD speed.
//!
//! Start with [`engine`]. `docs/DESIGN.md` walks through the rest.
//!
//! How the library works is in packages of their own, which may change in any version: `xfjit-isa` (microcode and chips), `xfjit-ir`
//! (representation, passes, recipes), `xfjit-core` (front ends, interpreter, the trait of back ends) and `xfjit-native` (machine code).
//! What is exported here stays.
#![deny(unsafe_code)]

pub mod capture;
pub mod engine;
pub mod flipper;
pub mod import;
#[cfg(feature = "jit")]
pub mod perf;
#[doc(hidden)]
pub mod repro;
pub mod xf;

pub use xfjit_core::{backend, front, interp, shader};
#[doc(hidden)]
pub use xfjit_ir::{ir, legalize, machine, opt};
#[doc(hidden)]
pub use xfjit_isa::timing;
pub use xfjit_isa::{asm, chip, config, emulators, isa, text};
#[cfg(feature = "jit")]
#[doc(hidden)]
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
