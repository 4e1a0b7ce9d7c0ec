//! The intermediate representation: functions, the machines that they run on, passes, and recipes.
//!
//! This is a part of the package `xfjit`, which has what users name. It may change in any version.
#![deny(unsafe_code)]

pub mod ir;
pub mod legalize;
pub mod machine;
pub mod opt;

use xfjit_isa::text;
