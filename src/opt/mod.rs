//! The passes, each one function in one file.
//!
//! Between the passes the verifier holds (invariant I2). Most of the work is done while a function is built: value
//! numbering and folding are the sharing [`Builder`](crate::ir::Builder); what is left here looks at whole functions.

pub mod dce;
pub mod gvn;
pub mod hoist;
pub mod schedule;

use crate::ir::func::Func;
use crate::machine::Machine;
use xfjit_runtime::fpenv::FpEnv;

/// Simplifies a function of either level: what computes the same becomes one, what nobody reads goes. At the XF level
/// that is all there is to do, and makes legalisation's work less.
pub fn simplify(func: Func) -> Func {
    FpEnv::Default.within(|| {
        let func = checked("gvn", gvn::run(func));
        checked("dce", dce::run(func))
    })
}

/// Simplifies a function of the host level, and settles its order and its prologue as a machine wants them.
pub fn run(func: Func, machine: &Machine) -> Func {
    settle(simplify(func), machine)
}

/// The same, unless `fits` says no of what is left of the function before its order is settled, which takes longest.
pub fn run_within(func: Func, machine: &Machine, fits: impl Fn(&Func) -> bool) -> Option<Func> {
    let func = simplify(func);
    fits(&func).then(|| settle(func, machine))
}

fn settle(func: Func, machine: &Machine) -> Func {
    FpEnv::Default.within(|| {
        let func = checked("schedule", schedule::run(func, &machine.pipeline));
        checked("hoist", hoist::run(func))
    })
}

/// What a pass has made. The verifier holds after each of them.
fn checked(pass: &str, func: Func) -> Func {
    debug_assert_eq!(crate::ir::verify::verify(&func), Ok(()), "after {pass}:\n{func}");
    func
}
