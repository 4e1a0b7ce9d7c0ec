//! JIT recompiler for the vertex programs of NVIDIA's XF unit: the chip's own arithmetic, bit for bit, at SIMD speed.
//!
//! Start with [`engine`]. `docs/DESIGN.md` walks through the rest.
//!
//! With the feature `unstable` there is more: how the library works (the modules `ir`, `legalize`, `machine`, `native`, `opt`,
//! `repro` and `timing`, and what front ends and backends of one's own build upon). It may change in any version, as may everything
//! behind the feature `testing`.
#![deny(unsafe_code)]
// What is public with that feature is nobody's without it; builds with it tell what is out of reach.
#![cfg_attr(
    not(feature = "unstable"),
    allow(dead_code, unreachable_pub, unused_imports, reason = "public with the feature `unstable`")
)]

pub mod asm;
pub mod backend;
pub mod capture;
pub mod chip;
pub mod config;
pub mod emulators;
pub mod engine;
pub mod flipper;
pub mod front;
pub mod import;
pub mod interp;
#[cfg(feature = "unstable")]
pub mod ir;
#[cfg(not(feature = "unstable"))]
mod ir;
pub mod isa;
#[cfg(feature = "unstable")]
pub mod legalize;
#[cfg(not(feature = "unstable"))]
mod legalize;
#[cfg(feature = "unstable")]
pub mod machine;
#[cfg(not(feature = "unstable"))]
mod machine;
#[cfg(all(feature = "jit", feature = "unstable"))]
pub mod native;
#[cfg(all(feature = "jit", not(feature = "unstable")))]
mod native;
#[cfg(feature = "unstable")]
pub mod opt;
#[cfg(not(feature = "unstable"))]
mod opt;
#[cfg(feature = "jit")]
pub mod perf;
#[cfg(feature = "unstable")]
pub mod repro;
#[cfg(not(feature = "unstable"))]
mod repro;
pub mod shader;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
#[cfg(feature = "unstable")]
pub mod timing;
#[cfg(not(feature = "unstable"))]
mod timing;
pub mod xf;

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
