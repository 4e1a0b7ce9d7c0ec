//! Batches in the interpreter: streams in, streams out.

use super::alu::{Arithmetic, with_arithmetic_of_programs};
use super::flow::has_flow;
use super::{Environment, State};
use crate::config::Config;
use crate::isa::{OutTarget, Program};
use crate::shader::{Allowance, Faults, Taken};
use std::ops::Range;
use xfjit_runtime::batch::registers;
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{self, Model, Rules};

/// Vertices that the batched form runs in step.
const BLOCK: usize = 32;
/// Vertices of a smaller block, for a few.
const GROUP: usize = 4;
/// From so many vertices on a block takes no longer than the groups that they fill, whatever vectors the machine has.
const MANY: usize = 2 * GROUP + 1;

/// Working memory of the interpreter, one for each thread. A run allocates nothing.
#[derive(Clone, Debug)]
pub struct Interpreter {
    one: Box<State<1>>,
    group: Box<State<GROUP>>,
    block: Box<State<BLOCK>>,
    taken: Taken,
}

impl Default for Interpreter {
    fn default() -> Self {
        Self::new()
    }
}

impl Interpreter {
    /// Fresh working memory.
    pub fn new() -> Self {
        Interpreter { one: State::new(), group: State::new(), block: State::new(), taken: Taken::default() }
    }

    /// What the vertices of the last run have executed.
    pub fn taken(&self) -> Taken {
        self.taken
    }

    /// Runs the vertices at `positions` of a batch bound for the program, in blocks; one after the other if the program writes
    /// constants or branches. The caller's floating-point environment has no influence and is restored.
    ///
    /// # Panics
    /// If the batch was bound for another program, or does not hold the vertices, or if the instructions name registers
    /// that the generation lacks, which no words do.
    pub fn run(
        &mut self,
        program: &Program,
        config: &Config,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: impl Positions,
    ) -> Faults {
        if writes_constants(program, config) || has_flow(program) {
            return self.run_singly(program, config, constants, bound, positions);
        }
        let mut batch = BatchRun::new(program, config, constants, bound, positions, Allowance::UNLIMITED);
        FpEnv::Default.within(|| {
            with_arithmetic_of_programs!(config, A => {
                batch.blocks::<A, BLOCK>(&mut self.block, MANY, State::run_straight::<A>);
                batch.blocks::<A, GROUP>(&mut self.group, 2, State::run_straight::<A>);
                batch.blocks::<A, 1>(&mut self.one, 1, State::run_straight::<A>);
            });
        });
        self.taken = batch.taken;
        batch.faults
    }

    /// Runs the vertices at `positions` one at a time: the reference in its simplest form.
    ///
    /// # Panics
    /// As [`Interpreter::run`].
    pub fn run_singly(
        &mut self,
        program: &Program,
        config: &Config,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: impl Positions,
    ) -> Faults {
        self.run_within(program, config, constants, bound, positions, Allowance::UNLIMITED).0
    }

    /// Runs vertices one at a time and starts no further one after so many slots have been executed in all. Also returns
    /// how many have run.
    pub fn run_within(
        &mut self,
        program: &Program,
        config: &Config,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: impl Positions,
        allowance: Allowance,
    ) -> (Faults, usize) {
        let branches = has_flow(program);
        let mut batch = BatchRun::new(program, config, constants, bound, positions, allowance);
        FpEnv::Default.within(|| {
            with_arithmetic_of_programs!(config, A => {
                batch.blocks::<A, 1>(&mut self.one, 1, |state, program, environment, count| match branches {
                    true => state.run_flow::<A>(program, environment),
                    false => state.run_straight::<A>(program, environment, count),
                });
            });
        });
        self.taken = batch.taken;
        (batch.faults, batch.left.start)
    }
}

/// Whether the instructions write constants.
pub fn writes_constants(program: &Program, config: &Config) -> bool {
    config.constant_writes
        && program
            .insns
            .iter()
            .any(|insn| config.all_targets(insn).any(|(target, _)| matches!(target, OutTarget::Constant(_))))
}

/// Where in a batch the vertices of a run are.
pub trait Positions {
    /// How many there are.
    fn count(&self) -> usize;

    /// The position of the vertex of this number.
    fn position(&self, number: usize) -> usize;
}

impl Positions for Range<usize> {
    #[inline]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn position(&self, number: usize) -> usize {
        self.start + number
    }
}

impl Positions for &[usize] {
    #[inline]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn position(&self, number: usize) -> usize {
        self[number]
    }
}

/// The run of a batch.
struct BatchRun<'a, 'b, 'c, P> {
    program: &'a Program,
    config: &'a Config,
    constants: &'a mut Constants<'b>,
    bound: &'a Bound<'c>,
    positions: P,
    /// The numbers of the vertices that have not run yet.
    left: Range<usize>,
    faults: Faults,
    /// What its vertices have executed.
    taken: Taken,
    /// No further block starts once this is used up.
    allowance: Allowance,
}

impl<'a, 'b, 'c, P: Positions> BatchRun<'a, 'b, 'c, P> {
    fn new(
        program: &'a Program,
        config: &'a Config,
        constants: &'a mut Constants<'b>,
        bound: &'a Bound<'c>,
        positions: P,
        allowance: Allowance,
    ) -> Self {
        let left = 0..positions.count();
        BatchRun {
            program,
            config,
            constants,
            bound,
            positions,
            left,
            faults: Faults::default(),
            taken: Taken::default(),
            allowance,
        }
    }

    /// Runs blocks of `N` vertices, as long as there are `least`. In the lanes of the last block that have no vertex of their own the last one runs
    /// once more, and leaves nothing.
    fn blocks<A: Arithmetic, const N: usize>(
        &mut self,
        state: &mut State<N>,
        least: usize,
        run: impl Fn(&mut State<N>, &Program, &mut Environment<'_>, usize) -> Faults,
    ) {
        if self.left.len() < least {
            return;
        }
        let live_inputs = self.program.live_inputs();
        let live_outputs = self.config.live_outputs & self.bound.stored();
        let inputs = self.bound.inputs();
        let mut environment = Environment {
            config: self.config,
            constants: self.constants.reborrow(),
            textures: &inputs.textures,
            taken: self.taken,
        };
        while self.left.len() >= least && self.allowance.admits(&environment.taken) {
            let (first, count) = (self.left.start, self.left.len().min(N));
            let positions: [usize; N] =
                std::array::from_fn(|lane| self.positions.position(first + lane.min(count - 1)));
            for register in registers(live_inputs) {
                for (lane, &position) in positions.iter().enumerate() {
                    let row = inputs.fetch(register, position);
                    for (component, word) in state.inputs[register].iter_mut().zip(row) {
                        component[lane] = word;
                    }
                }
            }
            self.faults += run(state, self.program, &mut environment, count);
            for register in registers(live_outputs) {
                for (lane, &position) in positions[..count].iter().enumerate() {
                    let row = std::array::from_fn(|c| output_word::<A>(state.outputs[register][c][lane]));
                    self.bound.store(register, position, row);
                }
            }
            self.left.start += count;
        }
        self.taken = environment.taken;
    }
}

/// An output word: in the model `ieee` a NaN becomes the canonical one (docs/NUMERICS.md, "Two models").
#[inline]
fn output_word<A: Arithmetic>(bits: u32) -> u32 {
    num::canonical(A::NUMERICS, bits)
}
