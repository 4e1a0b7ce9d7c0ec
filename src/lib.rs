//! JIT recompiler for the vertex programs of NVIDIA's XF unit: the chip's own arithmetic, bit for bit, at SIMD speed.
//!
//! Start with [`engine`]. `docs/DESIGN.md` walks through the rest.
#![deny(unsafe_code)]

pub mod asm;
pub mod backend;
pub mod chip;
pub mod config;
pub mod emulators;
pub mod engine;
pub mod front;
pub mod interp;
pub mod ir;
pub mod isa;
pub mod legalize;
pub mod machine;
#[cfg(feature = "jit")]
pub mod native;
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
