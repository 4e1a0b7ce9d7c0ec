//! Orders instructions so that few values are alive at a time: one effect's cone after the other.
//!
//! The code generator keeps this order (it runs without an optimiser of its own, which would reschedule and spill;
//! measured in docs/DESIGN.md). Within a cone the operand that needs more values is computed first (Sethi and Ullman).

use crate::ir::func::{Func, Value};

/// Rewrites the order of the body.
pub fn run(mut func: Func) -> Func {
    let need = needs(&func);
    let mut placed = vec![false; func.insts.len()];
    for value in &func.prologue {
        placed[value.index()] = true;
    }
    let mut order = Vec::with_capacity(func.body.len());
    for &value in &func.body {
        if func.inst(value).op.has_effect() {
            place(&func, &need, value, &mut placed, &mut order);
        }
    }
    func.body = order;
    func
}

/// Estimate of how many values must be alive to compute each value.
fn needs(func: &Func) -> Vec<u16> {
    let mut need = vec![0u16; func.insts.len()];
    for value in func.order() {
        let mut operands: Vec<u16> = func.inst(value).operands().iter().map(|arg| need[arg.index()]).collect();
        operands.sort_unstable_by(|a, b| b.cmp(a));
        let widest = operands.iter().enumerate().map(|(i, n)| n.saturating_add(i as u16)).max();
        need[value.index()] = widest.unwrap_or(1).max(1);
    }
    need
}

/// Appends `root` and, before it, what it depends on. An explicit stack: chains are as long as programs.
fn place(func: &Func, need: &[u16], root: Value, placed: &mut [bool], order: &mut Vec<Value>) {
    let mut stack = vec![(root, false)];
    while let Some((value, ready)) = stack.pop() {
        if placed[value.index()] {
            continue;
        }
        if ready {
            placed[value.index()] = true;
            order.push(value);
            continue;
        }
        stack.push((value, true));
        let mut operands: Vec<Value> = func.inst(value).operands().to_vec();
        // The stack reverses: what needs most is pushed last and so computed first.
        operands.sort_by_key(|arg| need[arg.index()]);
        stack.extend(operands.into_iter().map(|arg| (arg, false)));
    }
}
