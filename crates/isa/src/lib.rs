//! Chips with NVIDIA's XF unit: what is known of them, their microcode, its text, and what decides its meaning beside it.
//!
//! This is a part of the package `xfjit`, which has what users name. It may change in any version.
#![deny(unsafe_code)]

pub mod asm;
pub mod chip;
pub mod config;
pub mod emulators;
pub mod isa;
pub mod text;
pub mod timing;
