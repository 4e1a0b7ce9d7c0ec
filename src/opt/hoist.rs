//! Moves what depends on constants alone into the prologue, where it is computed once per batch.
//!
//! Each value that the body reads from the prologue takes a slot of the scratch memory, literals included: an operand
//! in memory costs less than an instruction. A function that would need more slots than there are, its cells counted,
//! stays as it is.

use crate::ir::func::{Func, Value};
use xfjit_runtime::state::SCRATCH;

/// Splits the body.
pub fn run(mut func: Func) -> Func {
    let mut uniform = func.uniform();
    keep_doubles(&func, &mut uniform);
    let (prologue, body): (Vec<Value>, Vec<Value>) = func.body.iter().partition(|v| uniform[v.index()]);
    if slots(&func, &uniform, &body) + func.frame() <= SCRATCH {
        func.prologue.extend(prologue);
        func.body = body;
    }
    func
}

/// Doubles that the body reads stay in the body.
fn keep_doubles(func: &Func, uniform: &mut [bool]) {
    let order: Vec<Value> = func.order().collect();
    for &value in order.iter().rev() {
        let inst = func.inst(value);
        if inst.op.takes_wide() && !uniform[value.index()] {
            for &arg in inst.operands() {
                uniform[arg.index()] &= func.is_literal(arg);
            }
        }
    }
}

/// How many values a body would read from the prologue.
fn slots(func: &Func, uniform: &[bool], body: &[Value]) -> usize {
    let mut read = vec![false; func.insts.len()];
    for arg in body.iter().flat_map(|&value| func.inst(value).operands()) {
        read[arg.index()] |= uniform[arg.index()];
    }
    read.iter().filter(|&&read| read).count()
}
