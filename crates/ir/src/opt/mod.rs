//! The passes, each one function in one file.
//!
//! The verifier accepts the function after every pass (invariant I2). Value numbering and folding happen in the sharing
//! [`Builder`](crate::ir::Builder) while a function is built; the passes here need the whole function.

// A new variant must not fall into an arm that was written without it.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod dce;
pub mod gvn;
pub mod hoist;
pub mod literals;
pub mod schedule;

use crate::ir::func::Func;
use crate::machine::Machine;
use xfjit_runtime::fpenv::FpEnv;

/// Value numbering and dead code elimination, for a function of either level. At the XF level nothing else is needed;
/// it reduces the work of legalisation.
pub fn simplify(func: Func) -> Func {
    FpEnv::Default.within(|| {
        let func = checked("gvn", gvn::run(func));
        checked("dce", dce::run(func))
    })
}

/// Dead code elimination for a function that legalisation has made. This numbers values as it makes them, so that doing it again would
/// find nothing.
pub fn sweep(func: Func) -> Func {
    FpEnv::Default.within(|| {
        debug_assert_eq!(gvn::run(func.clone()), func, "legalisation shares values");
        checked("dce", dce::run(func))
    })
}

/// Of a [swept](sweep) function all the rest that is the same for every machine: the first step of scheduling. Its time grows faster than
/// the function.
pub fn arrange(func: Func) -> Func {
    FpEnv::Default.within(|| ordered(func))
}

fn ordered(func: Func) -> Func {
    checked("cones", schedule::by_cones(func))
}

/// Simplifies a function of the host level, schedules it for a machine and fills its prologue.
pub fn run(func: Func, machine: &Machine) -> Func {
    settle(FpEnv::Default.within(|| ordered(simplify(func))), machine)
}

/// Schedules an [arranged](arrange) function for a machine and fills its prologue.
pub fn settle(func: Func, machine: &Machine) -> Func {
    FpEnv::Default.within(|| {
        let timing = machine.timing_for(&func);
        let func = checked("schedule", schedule::by_latency(func, &timing));
        checked("hoist", hoist::run(func))
    })
}

/// Checks the result of a pass with the verifier in debug builds.
fn checked(pass: &str, func: Func) -> Func {
    debug_assert_eq!(crate::ir::verify::verify(&func), Ok(()), "after {pass}:\n{func}");
    func
}
