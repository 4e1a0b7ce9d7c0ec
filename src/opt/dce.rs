//! Removes instructions whose results nobody reads.

use crate::ir::func::{Func, Value};

/// Keeps what an effect depends on.
pub fn run(mut func: Func) -> Func {
    let live = live(&func);
    func.prologue.retain(|v| live[v.index()]);
    func.body.retain(|v| live[v.index()]);
    func
}

/// For each value whether an effect depends on it.
fn live(func: &Func) -> Vec<bool> {
    let mut live = vec![false; func.insts.len()];
    let order: Vec<Value> = func.order().collect();
    for &value in order.iter().rev() {
        let inst = func.inst(value);
        if inst.op.has_effect() {
            live[value.index()] = true;
        }
        if live[value.index()] {
            for arg in inst.operands() {
                live[arg.index()] = true;
            }
        }
    }
    live
}
