//! Shaders: front ends, the interpreter, and the trait of everything that can run one.
//!
//! This is a part of the package `xfjit`, which has what users name. It may change in any version.
#![deny(unsafe_code)]

pub mod backend;
pub mod front;
pub mod interp;
pub mod shader;

use xfjit_ir::{for_each_ir_op, ir, legalize, machine, opt};
use xfjit_isa::{chip, config, isa};
