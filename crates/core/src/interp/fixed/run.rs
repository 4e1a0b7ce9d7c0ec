//! Running a plan over the vertices of a batch.

use super::super::alu::{Arithmetic, with_arithmetic};
use super::super::batch::Positions;
use super::lanes::{CHUNK, Lanes, compute};
use super::plan::{Plan, Step};
use crate::ir::imm::{Element, Immediate};
use crate::ir::ops::Op;
use crate::shader::{Fallback, Faults, Worker};
use std::ops::Range;
use xfjit_runtime::batch::{Inputs, registers};
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{Model, Rules};

/// Rows that the largest plan needs.
pub(crate) const ROWS: usize = 1024;
/// Uniform values of the largest plan.
pub(crate) const UNIFORM: usize = 1024;

/// Working memory for the vertices that a plan runs at a time. Reused from run to run, it allocates only to grow.
#[derive(Debug)]
pub(crate) struct Chunk {
    rows: Vec<Lanes>,
    uniform: Vec<u32>,
    result: Lanes,
}

impl Default for Chunk {
    fn default() -> Self {
        Self::new()
    }
}

impl Chunk {
    /// Working memory with capacity for every plan of the fixed function.
    pub(crate) fn new() -> Self {
        Chunk { rows: Vec::with_capacity(ROWS), uniform: Vec::with_capacity(UNIFORM), result: [0; CHUNK] }
    }
}

impl Fallback for Plan {
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
        self.run_in(worker.memory::<Chunk>(), constants, bound, positions);
        Faults::default()
    }

    fn run_some(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: &[usize],
    ) -> Faults {
        let chunk = worker.memory::<Chunk>();
        FpEnv::Default.within(|| self.chunks(chunk, constants, bound, positions.chunks(CHUNK)));
        Faults::default()
    }

    /// Memory that it holds beside the value itself.
    fn bytes(&self) -> usize {
        let steps = self.uniform.capacity() + self.body.capacity();
        steps * size_of::<Step>() + self.spread.capacity() * size_of::<u16>()
    }
}

impl Plan {
    /// Runs the vertices at `positions` of a bound batch, in the default floating-point environment, which it sets.
    ///
    /// # Panics
    /// If the batch was bound for another program, or does not hold the vertices.
    pub(crate) fn run_in(
        &self,
        chunk: &mut Chunk,
        constants: &Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
    ) {
        let chunks = positions.clone().step_by(CHUNK).map(|first| first..positions.end.min(first + CHUNK));
        FpEnv::Default.within(|| self.chunks(chunk, constants, bound, chunks));
    }

    /// Runs vertices, at most [`CHUNK`] at a time.
    fn chunks<P: Positions>(
        &self,
        chunk: &mut Chunk,
        constants: &Constants<'_>,
        bound: &Bound<'_>,
        positions: impl Iterator<Item = P>,
    ) {
        self.uniform(chunk, constants);
        with_arithmetic!(self.numerics, A => {
            for positions in positions {
                self.load(chunk, bound.inputs(), &positions);
                self.step::<A>(chunk, constants, bound, &positions);
            }
        });
    }

    /// A component of the row that an index names; 0 outside the window.
    fn relative(&self, constants: &Constants<'_>, imm: u32, index: u32) -> u32 {
        let at = Element::unpack(imm);
        let row = (at.row as u32).wrapping_add(index);
        match u16::try_from(row) {
            Ok(row) if self.window.contains(&row) => constants.row(row.into())[at.component],
            _ => 0,
        }
    }

    /// Computes the uniform values, and copies those that the body reads to all lanes of their rows.
    fn uniform(&self, chunk: &mut Chunk, constants: &Constants<'_>) {
        let Chunk { rows, uniform, .. } = chunk;
        // Old contents need no clearing: places are written before they are read.
        rows.resize(self.rows, [0; CHUNK]);
        uniform.resize(self.uniform.len(), 0);
        for Step { op, imm, target, operands } in &self.uniform {
            uniform[usize::from(*target)] = match op {
                Op::Const => *imm,
                Op::Ctx => {
                    let at = Element::unpack(*imm);
                    constants.row(at.row)[at.component]
                }
                Op::CtxRel => self.relative(constants, *imm, uniform[usize::from(operands[0])]),
                op => {
                    let x = operands.map(|operand| uniform[usize::from(operand)]);
                    match op.evaluate(self.numerics, self.env, *imm, x) {
                        Some(bits) => bits,
                        None => unreachable!("{} is nothing that the fixed function computes", op.text()),
                    }
                }
            };
        }
        for (row, &number) in rows.iter_mut().zip(&self.spread) {
            row.fill(uniform[usize::from(number)]);
        }
    }

    /// Loads the attributes of `count` vertices into their rows.
    fn load(&self, chunk: &mut Chunk, inputs: &Inputs<'_>, positions: &impl Positions) {
        let rows = chunk.rows[self.spread.len()..].chunks_exact_mut(4);
        for (register, rows) in registers(self.live_inputs).zip(rows) {
            for lane in 0..positions.count() {
                let attribute = inputs.fetch(register, positions.position(lane));
                for (row, word) in rows.iter_mut().zip(attribute) {
                    row[lane] = word;
                }
            }
        }
    }

    /// Runs the body for vertices whose attributes have been loaded.
    fn step<A: Arithmetic>(
        &self,
        Chunk { rows, result, .. }: &mut Chunk,
        constants: &Constants<'_>,
        bound: &Bound<'_>,
        positions: &impl Positions,
    ) {
        let count = positions.count();
        for step in &self.body {
            let x = step.operands.map(|operand| &rows[usize::from(operand)]);
            if step.op == Op::Output {
                for lane in 0..count {
                    bound.store(step.imm as usize, positions.position(lane), x.map(|row| row[lane]));
                }
            } else if step.op == Op::CtxRel {
                for (result, &index) in result[..count].iter_mut().zip(x[0]) {
                    *result = self.relative(constants, step.imm, index);
                }
                rows[usize::from(step.target)] = *result;
            } else {
                compute::<A>((step.op, step.imm), self.env, x, &mut result[..count]);
                rows[usize::from(step.target)] = *result;
            }
        }
    }
}
