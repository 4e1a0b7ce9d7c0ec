//! From a function to steps: what is uniform, and where values lie.

use crate::ir::func::{Func, Level, Value};
use crate::ir::imm::Element;
use crate::ir::ops::Op;
use xfjit_runtime::batch::registers;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::Numerics;

/// A function in the form in which it is run.
#[derive(Debug)]
pub struct Plan {
    pub(super) numerics: Numerics,
    pub(super) env: FpEnv,
    /// The attributes that are read, as a mask of IBUF registers.
    pub(super) live_inputs: u16,
    /// What depends on constants alone, once per run; places are numbers of these steps.
    pub(super) uniform: Vec<Step>,
    /// The uniform values that the body reads: each row's number in `uniform`.
    pub(super) spread: Vec<u16>,
    /// What is done for every chunk; places are rows.
    pub(super) body: Vec<Step>,
    /// Rows that a chunk needs.
    pub(super) rows: usize,
}

/// An instruction with its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) op: Op,
    pub(super) imm: u32,
    /// Where the result goes, if there is one.
    pub(super) target: u16,
    /// Where the operands are; 0 behind the last.
    pub(super) operands: [u16; 4],
}

impl Plan {
    /// The plan of a function that [`crate::front::fixed::lower`] has made, optimised or not.
    ///
    /// # Panics
    /// If the function is of another kind, in debug builds; it is one that this crate has made.
    pub fn new(func: &Func) -> Self {
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
        // Plans are kept: what was set aside while they grew is not.
        uniform.shrink_to_fit();
        body.shrink_to_fit();
        Plan {
            numerics: func.numerics,
            env: func.env(),
            live_inputs: func.live_inputs(),
            uniform,
            spread,
            body,
            rows: places.count,
        }
    }

    /// Memory that it holds beside the value itself.
    pub fn bytes(&self) -> usize {
        let steps = self.uniform.capacity() + self.body.capacity();
        steps * size_of::<Step>() + self.spread.capacity() * size_of::<u16>()
    }

    /// Rows that a chunk needs, and uniform values: what [`super::Chunk`] has room for without growing.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.uniform.len())
    }
}

/// A number of steps or rows; functions have some thousand instructions.
fn narrow(number: usize) -> u16 {
    u16::try_from(number).expect("functions of the fixed function are small")
}

/// Which row each value lies in.
struct Places {
    rows: Vec<u16>,
    /// Where each value that has a row of its own time is read last, in the order of the function.
    last: Vec<Option<usize>>,
    /// The uniform values that have the first rows.
    spread: Vec<Value>,
    free: Vec<u16>,
    count: usize,
}

impl Places {
    /// Rows for the uniform values that the body reads, and for attributes.
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

    /// Gives back the rows of operands that are not read again.
    fn free(&mut self, func: &Func, value: Value, at: usize) {
        for &arg in func.inst(value).operands() {
            // Taken, so that an operand that stands twice is given back once.
            if self.last[arg.index()].take_if(|last| *last == at).is_some() {
                self.free.push(self.rows[arg.index()]);
            }
        }
    }

    /// A row for a result; for one that nobody reads until the next asks.
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
