//! The first order: for one effect after the other, the instructions that it depends on (its cone).

use super::{CellReads, predecessors};
use crate::ir::func::{Func, Value};
use crate::ir::ops::{Effect, Op};

pub(super) struct Cones<'a> {
    func: &'a Func,
    /// For each value an estimate of how many values are live while it is computed (Sethi-Ullman number).
    need: Vec<u16>,
    placed: Vec<bool>,
    order: Vec<Value>,
    /// For each guard, how many of the values that it waits for have not been placed.
    missing: Vec<u32>,
    /// For each value, the guards that wait for it.
    watchers: Vec<Vec<Value>>,
    /// For each value, whether only guards depend on it.
    only_for_guards: Vec<bool>,
    /// Memory for [`Cones::place`].
    stack: Vec<(Value, bool)>,
    /// For each value, the last guard from which the search in [`Cones::watch`] reached it.
    reached: Vec<Value>,
}

impl<'a> Cones<'a> {
    pub(super) fn new(func: &'a Func) -> Self {
        let count = func.insts.len();
        let mut placed = vec![true; count];
        for value in &func.body {
            placed[value.index()] = false;
        }
        Cones {
            func,
            need: needs(func),
            placed,
            order: Vec::with_capacity(func.body.len()),
            missing: vec![0; count],
            watchers: vec![Vec::new(); count],
            only_for_guards: vec![true; count],
            stack: Vec::new(),
            reached: vec![Value::NONE; count],
        }
    }

    /// Orders a block cone by cone, which keeps few values live. Writes of cells come last.
    pub(super) fn order(&mut self, marker: &[Value], block: &[Value], cell_reads: &CellReads) -> Vec<Value> {
        for value in marker {
            self.placed[value.index()] = true;
        }
        self.watch(block);
        let effect = |&value: &Value| Some((rank(self.func.inst(value).op.effect()?), value));
        let mut effects: Vec<(u8, Value)> = block.iter().filter_map(effect).collect();
        effects.sort_by_key(|&(rank, _)| rank);
        for (_, root) in effects {
            let inst = self.func.inst(root);
            self.place(if inst.op == Op::Goto { inst.args[0] } else { root }, cell_reads);
        }
        std::mem::take(&mut self.order)
    }

    /// Finds the values that each guard waits for: the nearest among those it depends on that are not only for guards.
    fn watch(&mut self, block: &[Value]) {
        let func = self.func;
        for &value in block.iter().rev() {
            let inst = func.inst(value);
            let is_guard = inst.op.is_guard();
            let needed = inst.op.has_effect() && !is_guard
                || !inst.op.has_effect() && !self.only_for_guards[value.index()];
            for arg in inst.operands() {
                self.only_for_guards[arg.index()] &= !needed;
            }
        }
        for &guard in block {
            if !func.inst(guard).op.is_guard() {
                continue;
            }
            let mut stack = func.inst(guard).operands().to_vec();
            while let Some(value) = stack.pop() {
                let before = std::mem::replace(&mut self.reached[value.index()], guard);
                if before == guard || self.placed[value.index()] {
                    continue;
                }
                if self.only_for_guards[value.index()] && !func.inst(value).operands().is_empty() {
                    stack.extend(func.inst(value).operands());
                } else if !self.only_for_guards[value.index()] {
                    self.watchers[value.index()].push(guard);
                    self.missing[guard.index()] += 1;
                }
            }
        }
    }

    /// Appends `root` and, before it, what it depends on. The stack is explicit, since chains are as long as programs.
    fn place(&mut self, root: Value, cell_reads: &CellReads) {
        let mut stack = std::mem::take(&mut self.stack);
        stack.push((root, false));
        while let Some((value, ready)) = stack.pop() {
            if self.placed[value.index()] {
                continue;
            }
            if ready {
                self.placed[value.index()] = true;
                self.order.push(value);
                for guard in std::mem::take(&mut self.watchers[value.index()]) {
                    self.missing[guard.index()] -= 1;
                    if self.missing[guard.index()] == 0 {
                        stack.push((guard, false));
                    }
                }
                continue;
            }
            stack.push((value, true));
            let operands = stack.len();
            stack.extend(predecessors(self.func.inst(value), cell_reads).map(|arg| (arg, false)));
            // The operand with the greatest need is pushed last, and so computed first.
            stack[operands..].sort_by_key(|(arg, _)| self.need[arg.index()]);
        }
        self.stack = stack;
    }
}

/// The order in which effects are placed: outputs and control flow, guards, then writes of cells, since a cell is read
/// before it is written.
fn rank(effect: Effect) -> u8 {
    match effect {
        Effect::Output | Effect::Store | Effect::Written | Effect::Goto => 0,
        Effect::RowGuard | Effect::RowCopy => 0,
        Effect::Guard | Effect::BigGuard | Effect::SmallGuard => 1,
        Effect::Set => 2,
    }
}

/// For each value an estimate of how many values are live while it is computed.
fn needs(func: &Func) -> Vec<u16> {
    let mut need = vec![0u16; func.insts.len()];
    for value in func.order() {
        let inst = func.inst(value);
        let mut operands = [0; 4];
        let operands = &mut operands[..inst.operands().len()];
        for (operand, arg) in operands.iter_mut().zip(inst.operands()) {
            *operand = need[arg.index()];
        }
        operands.sort_unstable_by(|a, b| b.cmp(a));
        let widest = operands.iter().enumerate().map(|(i, n)| n.saturating_add(i as u16)).max();
        need[value.index()] = widest.unwrap_or(1).max(1);
    }
    need
}
