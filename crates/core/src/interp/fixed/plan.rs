//! Planning: separates the uniform values of a function and assigns rows to the others.

use crate::ir::func::{Func, Level, Value};
use crate::ir::imm::Element;
use crate::ir::ops::Op;
use std::ops::Range;
use xfjit_runtime::batch::registers;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::Numerics;

/// A function prepared for the batched fallback.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) numerics: Numerics,
    pub(super) env: FpEnv,
    /// The rows that relative reads reach.
    pub(super) window: Range<u16>,
    /// The attributes that are read, as a mask of IBUF registers.
    pub(super) live_inputs: u16,
    /// Steps that depend on constants only, executed once per run. Targets and operands are numbers of these steps.
    pub(super) uniform: Vec<Step>,
    /// The uniform values that the body reads, as numbers of steps in `uniform`. Value `i` fills row `i`.
    pub(super) spread: Vec<u16>,
    /// Steps executed for every chunk. Targets and operands are rows.
    pub(super) body: Vec<Step>,
    /// Rows that a chunk needs.
    pub(super) rows: usize,
}

/// An instruction with the places of its operands and its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) op: Op,
    pub(super) imm: u32,
    /// The place of the result, if there is one.
    pub(super) target: u16,
    /// The places of the operands; unused ones are 0.
    pub(super) operands: [u16; 4],
}

impl Plan {
    /// The plan of a function that a front end without instructions has made, optimised or not.
    ///
    /// # Panics
    /// In debug builds, if the function is not one of these.
    pub(crate) fn new(func: &Func) -> Self {
        debug_assert!(func.level == Level::Xf && !func.has_blocks() && !func.is_serial());
        let is_uniform = func.uniform();
        let mut places = Places::new(func, &is_uniform);
        let (mut uniform, mut body) = (Vec::new(), Vec::new());
        let mut number = vec![0; func.insts.len()];
        for (at, value) in func.order().enumerate() {
            let inst = func.inst(value);
            let step = |target, places: &[u16]| {
                let operands = inst.args.map(|arg| if arg == Value::NONE { 0 } else { places[arg.index()] });
                Step { op: inst.op, imm: inst.imm, target, operands }
            };
            if is_uniform[value.index()] {
                number[value.index()] = narrow(uniform.len());
                uniform.push(step(narrow(uniform.len()), &number));
            } else if inst.op != Op::Input {
                let operands = step(0, &places.rows);
                places.free(func, value, at);
                let target = if inst.op.has_effect() { 0 } else { places.take(value) };
                body.push(Step { target, ..operands });
            }
        }
        let spread = places.spread.iter().map(|value| number[value.index()]).collect();
        // Plans are cached, so spare capacity is given back.
        uniform.shrink_to_fit();
        body.shrink_to_fit();
        Plan {
            numerics: func.numerics,
            env: func.env(),
            window: func.window.clone(),
            live_inputs: func.live_inputs(),
            uniform,
            spread,
            body,
            rows: places.count,
        }
    }

    /// The numbers of rows and of uniform values, for which [`super::run::Chunk`] has capacity without growing.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.rows, self.uniform.len())
    }
}

/// The number of a step or row. Functions have a few thousand instructions.
fn narrow(number: usize) -> u16 {
    u16::try_from(number).expect("functions of the fixed function are small")
}

/// The assignment of rows to values.
struct Places {
    rows: Vec<u16>,
    /// The position of the last use of each varying value that is not an attribute.
    last: Vec<Option<usize>>,
    /// The uniform values that the body reads. They have the first rows.
    spread: Vec<Value>,
    free: Vec<u16>,
    count: usize,
}

impl Places {
    /// Assigns the fixed rows, those of attributes and of uniform values that the body reads.
    fn new(func: &Func, is_uniform: &[bool]) -> Self {
        let mut places = Places {
            rows: vec![0; func.insts.len()],
            last: vec![None; func.insts.len()],
            spread: Vec::new(),
            free: Vec::new(),
            count: 0,
        };
        let mut is_spread = vec![false; func.insts.len()];
        for (at, value) in func.order().enumerate().filter(|(_, value)| !is_uniform[value.index()]) {
            for &arg in func.inst(value).operands() {
                let arg_inst = func.inst(arg);
                if !is_uniform[arg.index()] && arg_inst.op != Op::Input {
                    places.last[arg.index()] = Some(at);
                } else if is_uniform[arg.index()] && !std::mem::replace(&mut is_spread[arg.index()], true) {
                    places.rows[arg.index()] = narrow(places.spread.len());
                    places.spread.push(arg);
                }
            }
        }
        places.count = places.spread.len();
        let first: Vec<usize> = registers(func.live_inputs()).collect();
        for value in func.order().filter(|value| func.inst(*value).op == Op::Input) {
            let at: Element = func.inst(value).immediate();
            let position = first.iter().position(|&register| register == at.row).unwrap_or(0);
            places.rows[value.index()] = narrow(places.count + 4 * position + at.component);
        }
        places.count += 4 * first.len();
        places
    }

    /// Frees the rows of operands whose last use is at `at`.
    fn free(&mut self, func: &Func, value: Value, at: usize) {
        for &arg in func.inst(value).operands() {
            // `take_if`, so that an operand used twice by the instruction is freed once.
            if self.last[arg.index()].take_if(|last| *last == at).is_some() {
                self.free.push(self.rows[arg.index()]);
            }
        }
    }

    /// A free row for a result. The row of a result without a use stays free.
    fn take(&mut self, value: Value) -> u16 {
        let row = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            narrow(self.count - 1)
        });
        if self.last[value.index()].is_none() {
            self.free.push(row);
        }
        self.rows[value.index()] = row;
        row
    }
}
