//! Functions of every kind become code that passes the checks.

use super::{checked, emitted};
use crate::backend::{CompileError, to_host};
use crate::ir::func::Func;
use crate::lines::Lines;
use crate::machine::Machine;
use crate::samples::{functions, set};
use xfjit_runtime::batch::Layout;

/// Code of a function, unchecked, unless it is refused.
pub(crate) fn unchecked(func: &Func, layout: Layout) -> Option<(Vec<u8>, Lines)> {
    let emitted = emitted(func, layout).ok()?;
    Some((emitted.bytes, emitted.lines))
}

#[test]
fn the_set_is_not_refused() {
    for shader in set() {
        let func = to_host(shader.lower(), &Machine::AARCH64);
        for layout in [Layout::Rows, Layout::Planes] {
            let made = checked(&func, layout).unwrap_or_else(|error| panic!("{error}\n{func}"));
            assert!(made.bytes.len() > 100);
        }
    }
}

#[test]
fn what_is_not_refused_passes() {
    let (mut made, mut refused) = (0, 0);
    for (func, layout) in functions(90, &Machine::AARCH64) {
        match checked(&func, layout) {
            Ok(_) => made += 1,
            Err(CompileError::TooLarge(_)) => refused += 1,
            Err(error) => panic!("{error}\n{func}"),
        }
    }
    println!("{made} made, {refused} refused");
    assert!(made > 10 * refused, "{made} and {refused}");
}
