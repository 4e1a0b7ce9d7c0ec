//! Code of functions with what there is to know of it, for tests of both checkers.

use super::check;
use super::shape::Shape;
use super::value::computes;
use crate::backend::CompileError;
use crate::ir::func::Func;
use crate::lines::Lines;
use crate::samples::OF_ALLOCATORS;
use crate::{Compiler, Target};
use xfjit_runtime::batch::Layout;

/// Code of a function.
pub(super) struct Made {
    pub(super) func: Func,
    pub(super) layout: Layout,
    pub(super) shape: Shape,
    pub(super) bytes: Vec<u8>,
    pub(super) lines: Lines,
}

impl Made {
    /// Code of Cranelift, by both register allocators.
    pub(super) fn of_cranelift(target: &Target, functions: &[(Func, Layout)]) -> Vec<Made> {
        let mut all = Vec::new();
        for budget in OF_ALLOCATORS {
            let mut compiler = Compiler::new(target.clone()).budget(budget);
            for (func, layout) in functions {
                match compiler.shaped(func, *layout) {
                    Ok((bytes, lines, shape)) => {
                        all.push(Made { func: func.clone(), layout: *layout, shape, bytes, lines });
                    }
                    Err(CompileError::TooLarge(_)) => {}
                    Err(error) => panic!("{error}\n{func}"),
                }
            }
        }
        all
    }

    /// Code of our own emitter for AArch64.
    #[cfg(any(target_arch = "aarch64", feature = "cross"))]
    pub(super) fn of_a64(functions: &[(Func, Layout)]) -> Vec<Made> {
        let made = |(func, layout): &(Func, Layout)| {
            let (bytes, lines) = crate::a64::tests::unchecked(func, *layout)?;
            Some(Made { func: func.clone(), layout: *layout, shape: crate::a64::SHAPE, bytes, lines })
        };
        functions.iter().filter_map(made).collect()
    }

    /// What the checkers say of other bytes in the place of the code.
    pub(super) fn check(&self, bytes: &[u8]) -> Result<(), String> {
        check(bytes, &self.lines, &self.func, self.layout, self.shape).map_err(|fault| fault.to_string())
    }

    /// Whether the instruction at an address is for an operation that computes.
    pub(super) fn computes(&self, at: u32) -> bool {
        self.lines.value(at).is_some_and(|value| computes(self.func.inst(value).op))
    }
}
