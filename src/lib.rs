//! JIT recompiler for the vertex programs of NVIDIA's XF unit: the chip's own arithmetic, bit for bit, at SIMD speed.
//!
//! Start with [`engine`]. `docs/DESIGN.md` walks through the rest.
#![deny(unsafe_code)]

pub mod backend;
pub mod cache;
pub mod config;
pub mod emulators;
pub mod engine;
pub mod front;
pub mod interp;
pub mod ir;
pub mod isa;
#[cfg(feature = "jit")]
pub mod jit;
pub mod key;
pub mod legalize;
pub mod lockstep;
pub mod opt;
pub mod programs;
pub mod setups;
pub mod testing;
pub mod xf;

pub use backend::Worker;
pub use config::Config;
pub use emulators::Emulator;
pub use engine::{Compile, Engine, Options, Program};
pub use isa::Generation;
pub use lockstep::Lockstep;
pub use xf::XfUnit;
pub use xfjit_runtime as runtime;
pub use xfjit_runtime::num::Model;
