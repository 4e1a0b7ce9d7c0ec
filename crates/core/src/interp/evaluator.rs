//! The reference of shaders without instructions: evaluates their IR, one vertex at a time.

use crate::ir::eval;
use crate::ir::func::Func;
use crate::shader::{Fallback, Faults, Worker};
use std::ops::Range;
use xfjit_runtime::batch::registers;
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;

/// Evaluates a function of the XF level that writes no constants.
#[derive(Debug)]
pub(crate) struct Evaluator {
    func: Func,
    live_inputs: u16,
}

impl Evaluator {
    pub(crate) fn new(func: Func) -> Self {
        Evaluator { live_inputs: func.live_inputs(), func }
    }
}

impl Fallback for Evaluator {
    fn live_inputs(&self) -> u16 {
        self.live_inputs
    }

    fn run(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
    ) -> Faults {
        let memory = worker.memory::<eval::Workspace>();
        let live = self.func.live_outputs();
        for position in positions {
            let attribute = |register| bound.inputs().fetch(register, position);
            let result = eval::run_in(memory, &self.func, constants.rows(), attribute);
            for register in registers(live) {
                bound.store(register, position, result.outputs[register]);
            }
        }
        Faults::default()
    }

    fn bytes(&self) -> usize {
        self.func.bytes()
    }
}
