//! Moves uniform values, which depend on constants only, into the prologue, where they are computed once per batch.
//!
//! Each value that the body reads from the prologue takes a word of scratch memory. Literals count, too: a memory operand
//! costs less than an instruction. A function whose cells and prologue values do not fit the scratch memory is not
//! changed.

use crate::ir::func::{Func, Value};
use xfjit_runtime::state::SCRATCH;

/// Moves the uniform values of the body to the prologue, if they fit the scratch memory.
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

/// Doubles do not cross from the prologue to the body: those that the body reads count as varying, except literals.
fn keep_doubles(func: &Func, uniform: &mut [bool]) {
    let order: Vec<Value> = func.order().collect();
    for &value in order.iter().rev() {
        let inst = func.inst(value);
        if inst.op.takes_doubles() && !uniform[value.index()] {
            for &arg in inst.operands() {
                uniform[arg.index()] &= func.is_literal(arg);
            }
        }
    }
}

/// How many uniform values the body would read from the prologue.
fn slots(func: &Func, uniform: &[bool], body: &[Value]) -> usize {
    let mut read = vec![false; func.insts.len()];
    for arg in body.iter().flat_map(|&value| func.inst(value).operands()) {
        read[arg.index()] |= uniform[arg.index()];
    }
    read.iter().filter(|&&read| read).count()
}
