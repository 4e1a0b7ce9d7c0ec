//! The fallback of programs: the interpreter.

use super::Interpreter;
use super::batch::Positions;
use crate::config::Config;
use crate::isa::Program;
use crate::shader::{Allowance, Fallback, Faults, Worker};
use std::ops::Range;
use std::sync::Arc;
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;

/// The interpreter, in blocks of vertices; or one vertex at a time, which is the reference. Of the fixed function, which
/// has no instructions, both evaluate the IR: in blocks (`interp::fixed`), or by its evaluator (`ir::eval`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interp {
    /// One vertex at a time: the reference.
    Single,
    /// In blocks of vertices, unless the program branches or writes constants: the fast fallback.
    Batched,
}

/// A program in the interpreter.
#[derive(Debug)]
pub(crate) struct Interpreted {
    form: Interp,
    program: Arc<Program>,
    config: Config,
    live_inputs: u16,
}

impl Interpreted {
    pub(crate) fn new(form: Interp, program: &Arc<Program>, config: &Config) -> Self {
        let live_inputs = program.live_inputs();
        Interpreted { form, program: Arc::clone(program), config: config.clone(), live_inputs }
    }

    /// Runs the vertices at some positions of a batch.
    fn run_at(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: impl Positions,
    ) -> Faults {
        let Interpreted { form, program, config, .. } = self;
        let interpreter = worker.memory::<Interpreter>();
        let faults = match form {
            Interp::Single => interpreter.run_singly(program, config, constants, bound, positions),
            Interp::Batched => interpreter.run(program, config, constants, bound, positions),
        };
        let taken = interpreter.taken();
        worker.take(taken);
        faults
    }
}

impl Fallback for Interpreted {
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
        self.run_at(worker, constants, bound, positions)
    }

    fn run_some(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: &[usize],
    ) -> Faults {
        self.run_at(worker, constants, bound, positions)
    }

    fn run_within(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
        allowance: Allowance,
    ) -> (Faults, usize) {
        let Interpreted { program, config, .. } = self;
        let interpreter = worker.memory::<Interpreter>();
        let start = positions.start;
        let (faults, ran) = interpreter.run_within(program, config, constants, bound, positions, allowance);
        let taken = interpreter.taken();
        worker.take(taken);
        (faults, start + ran)
    }

    fn bytes(&self) -> usize {
        0
    }
}
