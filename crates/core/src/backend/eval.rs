//! The evaluator of the IR as a backend.

use super::{Backend, CompileError, Outcome, Routine, Runs, Source, to_host};
use crate::ir::eval;
use crate::ir::func::{Func, Level};
use crate::machine::Machine;
use crate::shader::{Shader, Worker};
use std::ops::Range;
use std::sync::Arc;
use xfjit_runtime::batch::{StreamError, registers};
use xfjit_runtime::bound::{Bound, Needs};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::DEFAULT_ROW;

/// The evaluator of the IR: to bisect a mismatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eval {
    /// Primitives of the chip, as lowered.
    Xf,
    /// Machine operations, optimised: what the code generator is given.
    Host,
}

impl Backend for Eval {
    fn name(&self) -> &'static str {
        match self {
            Eval::Xf => "eval",
            Eval::Host => "eval_host",
        }
    }

    fn runs(&self) -> Runs {
        match self {
            Eval::Xf => Runs::Primitives,
            Eval::Host => Runs::Operations,
        }
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        FpEnv::Default.within(|| {
            let lowered = shader.lower();
            let func = match self {
                Eval::Xf => lowered,
                Eval::Host => to_host(lowered, &Machine::HOST),
            };
            Ok(Arc::new(Evaluated { source: Source::new(shader, shader.reference()), func })
                as Arc<dyn Routine>)
        })
    }
}

/// Vertices that the evaluator treats as a group, as native code does; so that both tell the same of guards.
const EVALUATED_GROUP: usize = 4;

#[derive(Debug)]
struct Evaluated {
    source: Source,
    func: Func,
}

impl Routine for Evaluated {
    fn lanes(&self) -> usize {
        if self.source.needs.writes_constants { 1 } else { EVALUATED_GROUP }
    }

    fn runs_beside_itself(&self) -> bool {
        true
    }

    fn needs(&self) -> &Needs {
        &self.source.needs
    }

    fn run_bound(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        self.source.check(constants, bound, &part)?;
        let live_outputs = self.func.live_outputs();
        let live_inputs = self.source.needs.inputs;
        let inputs = bound.inputs();
        // What only dead operations read, which nothing but this evaluates, need not have a stream.
        let layout = self.source.needs.input_layout;
        let fetch = |register: usize, position| match (live_inputs >> register & 1, self.func.level) {
            (0, _) => DEFAULT_ROW,
            (_, Level::Xf) => inputs.fetch(register, position),
            (_, Level::Host) => inputs.fetch_stored(register, position, &layout),
        };
        let group = self.lanes();
        let mut outcome = Outcome::default();
        let mut first = part.start;
        while first < part.end {
            let positions = first..part.end.min(first + group);
            let results: Vec<eval::Outcome> = positions
                .clone()
                .map(|position| eval::run(&self.func, constants.rows(), |register| fetch(register, position)))
                .collect();
            if results.iter().any(|result| result.guarded) {
                outcome.deopt_groups += 1;
                outcome.deopt_vertices += positions.len() as u64;
                let faults =
                    worker.in_fallback(|worker| self.source.run(worker, constants, bound, positions));
                outcome.faults += faults;
            } else {
                for (position, result) in positions.zip(results) {
                    for register in registers(live_outputs) {
                        bound.store(register, position, result.outputs[register]);
                    }
                    for (row, value) in result.stores {
                        constants.set_row(row, value);
                    }
                }
            }
            first += group;
        }
        Ok(outcome)
    }
}
