//! The passes, each one function in one file.
//!
//! Between the passes the verifier holds (invariant I2). Most of the work is done while a function is built: value
//! numbering and folding are the sharing [`Builder`](crate::ir::Builder); what is left here looks at whole functions.

pub mod dce;
pub mod gvn;
pub mod hoist;
pub mod schedule;

use crate::ir::func::{Func, Level};
use xfjit_runtime::fpenv::FpEnv;

/// A pass rewrites a function.
pub type Pass = fn(Func) -> Func;

/// Every pass by name, in the order in which [`run`] applies them.
pub const PASSES: &[(&str, Pass)] =
    &[("gvn", gvn::run), ("dce", dce::run), ("schedule", schedule::run), ("hoist", hoist::run)];

/// Optimises a function. At the XF level only what makes legalisation's work less; the order of instructions and the
/// prologue are settled at the host level.
pub fn run(func: Func) -> Func {
    run_within(func, |_| true).expect("without a limit nothing is over it")
}

/// Optimises a function, unless `fits` says no of what is left of it before its order is settled, which takes longest.
pub fn run_within(func: Func, fits: impl Fn(&Func) -> bool) -> Option<Func> {
    FpEnv::Default.within(|| apply(func, fits))
}

fn apply(func: Func, fits: impl Fn(&Func) -> bool) -> Option<Func> {
    let last = match func.level {
        Level::Xf => "dce",
        Level::Host => "hoist",
    };
    let mut func = func;
    for (name, pass) in PASSES {
        func = pass(func);
        debug_assert_eq!(crate::ir::verify::verify(&func), Ok(()), "after {name}:\n{func}");
        if *name == last {
            break;
        }
        if *name == "dce" && !fits(&func) {
            return None;
        }
    }
    Some(func)
}
