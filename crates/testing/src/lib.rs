//! What all tests share: random cases, and the check that every backend agrees on them.
//!
//! ```text
//! Choices (a seed, or a fuzzer's bytes) -> Case (program, configuration, constants, vertex streams)
//! check(Case): Interp::Single is the reference; Interp::Batched, Eval and native code must equal it on every bit
//! ```
//! Unit tests, proptest, the fuzz targets and `xfjit diff` all go through [`check()`], configurations of the fixed
//! function through [`FixedCase::check`], those of Flipper through [`FlipperCase::check_flipper`]. What it finds is printed as a filetest, ready for `tests/filetests`.

#![deny(unsafe_code)]

pub mod branching;
pub mod captures;
pub mod case;
pub mod check;
pub mod choices;
pub mod commands;
pub mod coverage;
#[cfg(test)]
mod dictionaries;
pub mod filetest;
pub mod fixed;
pub mod flipper;
pub mod flipper_streams;
pub mod flipper_unit;
pub mod folded;
pub mod fuzz;
pub mod fuzz_import;
pub mod fuzz_ir;
pub mod fuzz_stream;
pub mod golden;
pub mod layouts;
pub mod mistaken;
pub mod operand;
pub mod planned;
pub mod program;
pub mod programs;
pub mod proofs;
pub mod recipe;
pub mod scenes;
pub mod setups;
mod share;
pub mod shrink;
pub mod text;
mod threads;
#[cfg(all(target_arch = "x86_64", feature = "jit"))]
pub mod x86;

use std::time::Duration;
use xfjit::{Config, Engine, Model, Options, capture, engine, import, repro, xf};
use xfjit_core::{backend, front, interp, shader};
use xfjit_ir::{ir, machine, opt};
use xfjit_isa::{asm, chip, config, emulators, isa};
#[cfg(feature = "jit")]
use xfjit_native as native;

/// How long a test waits for what another thread does before it fails instead of waiting for ever. No machine takes so long, however
/// much else it does.
pub const PATIENCE: Duration = Duration::from_secs(900);

pub use crate::repro::{FixedCase, FlipperCase};
pub use captures::fuzz_capture;
pub use case::{Case, Limits, RandomCase};
pub use check::{
    Mismatch, Stats, backends, backends_and_evaluated, check, check_with, native, native_models, native_wide,
};
pub use choices::Choices;
pub use commands::{CommandMismatch, CommandStats, check_commands, commands, fuzz_commands};
pub use filetest::CheckFileTest;
pub use fixed::{FAMILIES, FixedMismatch, RandomFixed};
pub use flipper::{FlipperMismatch, RandomFlipper, RandomSetup};
pub use folded::Folded;
pub use fuzz::{fuzz_asm, fuzz_decode, fuzz_fixed, fuzz_program, fuzz_transform};
pub use fuzz_import::fuzz_import;
pub use fuzz_ir::fuzz_ir;
pub use fuzz_stream::{StreamCase, fuzz_stream};
pub use golden::GoldenCase;
pub use layouts::{check_layouts, check_layouts_on};
pub use mistaken::Mistaken;
pub use planned::Planned;
pub use share::{is_in_share, one_in, share};
pub use shrink::Shrinks;
pub use threads::{in_parallel, in_parallel_with};
