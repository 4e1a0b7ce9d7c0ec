//! Batches in the interpreter: streams in, streams out.

use super::alu::{Arithmetic, with_arithmetic};
use super::{State, leaving, writes_constants};
use crate::config::Config;
use crate::isa::{Bank, Program};
use std::ops::Range;
use xfjit_runtime::abi::LANES;
use xfjit_runtime::batch::{Inputs, Outputs, registers};
use xfjit_runtime::num::{Model, Rules};
use xfjit_runtime::state::Context;

/// Vertices that the batched form keeps in step.
const BLOCK: usize = 32;

/// Working memory of the interpreter. One for each thread; it is made once, a run allocates nothing.
#[derive(Clone, Debug)]
pub struct Interpreter {
    one: Box<State<1>>,
    group: Box<State<LANES>>,
    block: Box<State<BLOCK>>,
}

impl Default for Interpreter {
    fn default() -> Self {
        Self::new()
    }
}

impl Interpreter {
    /// Fresh working memory.
    pub fn new() -> Self {
        Interpreter { one: State::new(), group: State::new(), block: State::new() }
    }

    /// Runs the vertices at `positions` of a checked batch, in blocks; one after the other if the program writes
    /// constants. Expects the default floating-point environment ([`xfjit_runtime::fpenv::FpEnv::Default`]).
    pub fn run(
        &mut self,
        program: &Program,
        config: &Config,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        positions: Range<usize>,
    ) {
        if writes_constants(program, config) {
            return self.run_singly(program, config, context, inputs, outputs, positions);
        }
        with_arithmetic!(config.numerics(), A => {
            let rest = chunks::<A, BLOCK>(&mut self.block, program, config, context, inputs, outputs, positions);
            let rest = chunks::<A, LANES>(&mut self.group, program, config, context, inputs, outputs, rest);
            chunks::<A, 1>(&mut self.one, program, config, context, inputs, outputs, rest);
        });
    }

    /// Runs the vertices at `positions` one at a time: the reference in its plainest form.
    pub fn run_singly(
        &mut self,
        program: &Program,
        config: &Config,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        positions: Range<usize>,
    ) {
        with_arithmetic!(config.numerics(), A => {
            chunks::<A, 1>(&mut self.one, program, config, context, inputs, outputs, positions);
        });
    }
}

/// The attributes that a program reads, as a mask of IBUF registers.
pub(crate) fn live_inputs(program: &Program) -> u16 {
    let reads = |source: &crate::isa::Source| source.bank == Bank::Input;
    program
        .insns
        .iter()
        .filter(|insn| insn.src.iter().any(reads))
        .fold(0, |mask, insn| mask | 1 << insn.input)
}

/// Runs as many whole chunks of `N` vertices as there are; what remains is returned.
fn chunks<A: Arithmetic, const N: usize>(
    state: &mut State<N>,
    program: &Program,
    config: &Config,
    context: &mut Context,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
    mut positions: Range<usize>,
) -> Range<usize> {
    if positions.len() < N {
        return positions;
    }
    let live_inputs = live_inputs(program);
    let live_outputs = config.live_outputs & outputs.live();
    while positions.len() >= N {
        let first = positions.start;
        for register in registers(live_inputs) {
            for lane in 0..N {
                let row = inputs.fetch(register, first + lane);
                for (component, word) in state.inputs[register].iter_mut().zip(row) {
                    component[lane] = word;
                }
            }
        }
        state.run::<A>(program, config, context);
        for register in registers(live_outputs) {
            for lane in 0..N {
                let row = std::array::from_fn(|c| leaving::<A>(state.outputs[register][c][lane]));
                outputs.store(register, first + lane, row);
            }
        }
        positions.start += N;
    }
    positions
}
