//! JIT recompiler for the vertex programs of NVIDIA's XF unit: the chip's own arithmetic, bit for bit, at SIMD speed.
//!
//! Start with [`engine`]. `docs/DESIGN.md` walks through the rest.
//!
//! Modules that the documentation does not show (`ir`, `legalize`, `machine`, `opt`) are how the library works: backends of
//! one's own build upon them, and they may change in any version. So may everything behind the feature `testing`.
#![deny(unsafe_code)]

pub mod asm;
pub mod backend;
pub mod chip;
pub mod config;
pub mod emulators;
pub mod engine;
pub mod front;
pub mod interp;
#[doc(hidden)]
pub mod ir;
pub mod isa;
#[doc(hidden)]
pub mod legalize;
#[doc(hidden)]
pub mod machine;
#[cfg(feature = "jit")]
pub mod native;
#[doc(hidden)]
pub mod opt;
pub mod repro;
pub mod shader;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
pub mod xf;

pub use chip::Generation;
pub use config::Config;
pub use emulators::Emulator;
pub use engine::lockstep::Lockstep;
pub use engine::{Compile, Engine, Options, Program};
pub use shader::{Shader, Worker};
pub use xf::XfUnit;
pub use xfjit_runtime as runtime;
pub use xfjit_runtime::num::Model;
