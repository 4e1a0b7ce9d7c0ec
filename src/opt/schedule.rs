//! Orders the instructions of the body. The code generator keeps this order: it runs without an optimiser of its own,
//! which would reschedule and spill (measured in docs/DESIGN.md).
//!
//! First one effect's cone comes after the other, so that few values are alive at a time; within a cone the operand that
//! needs more values is computed first (Sethi and Ullman). A guard can stand anywhere: it is placed as soon as what it
//! looks at has been computed for another reason. Then instructions move forward within a window to where their
//! operands are there, those first that others wait longest for, as long as registers last: a processor looks some
//! hundred instructions ahead, but a square root, a division and a table look-up in a row last longer than that.

use crate::ir::func::{Func, Inst, Value};
use crate::ir::ops::Op;
use rustc_hash::FxHashMap;

/// Rewrites the order of the body, block by block.
pub fn run(mut func: Func) -> Func {
    let mut body = Vec::with_capacity(func.body.len());
    let mut cones = Scheduler::new(&func);
    let mut latency = Latency::new(&func);
    for block in func.blocks() {
        let block = &func.body[block.range];
        let marker = usize::from(block.first().is_some_and(|&first| func.inst(first).op == Op::Block));
        let (marker, block) = block.split_at(marker);
        let gets = gets(&func, block);
        body.extend_from_slice(marker);
        body.extend(latency.order(cones.order(marker, block, &gets), &gets));
        // Of two the later one holds: they keep their order.
        body.extend(block.iter().filter(|value| func.inst(**value).op == Op::Goto));
    }
    func.body = body;
    func
}

/// For each cell of which a block reads and writes, the reads: they come before the write.
type Gets = FxHashMap<u32, Vec<Value>>;

fn gets(func: &Func, block: &[Value]) -> Gets {
    let mut gets = Gets::default();
    for &value in block {
        let inst = func.inst(value);
        if inst.op == Op::Get {
            gets.entry(inst.imm).or_default().push(value);
        }
    }
    gets
}

/// What an instruction comes after: its operands, and of a write of a cell the reads.
fn earlier<'a>(inst: &'a Inst, gets: &'a Gets) -> impl Iterator<Item = Value> + 'a {
    let reads = if inst.op == Op::Set { gets.get(&inst.imm) } else { None };
    inst.operands().iter().chain(reads.into_iter().flatten()).copied()
}

/// Vector instructions that start in a cycle.
const WIDTH: u32 = 3;
/// Values that may be alive before saving registers becomes more important than time.
const PRESSURE: i32 = 12;
/// How far in the given order an instruction may be moved forward.
const WINDOW: usize = 160;

/// Starts what others wait longest for as early as its operands allow, as long as registers last.
struct Latency<'a> {
    func: &'a Func,
    in_block: Vec<bool>,
    /// What waits for each value, and for how many values each one waits.
    readers: Vec<Vec<Value>>,
    missing: Vec<u32>,
    /// Readers that have not been placed.
    unread: Vec<u32>,
    /// Cycles of the longest path behind each value.
    height: Vec<u32>,
    /// Cycle in which the last operand is there.
    available: Vec<u32>,
    scheduled: Vec<bool>,
}

impl<'a> Latency<'a> {
    fn new(func: &'a Func) -> Self {
        let count = func.insts.len();
        Latency {
            func,
            in_block: vec![false; count],
            readers: vec![Vec::new(); count],
            missing: vec![0; count],
            unread: vec![0; count],
            height: vec![0; count],
            available: vec![0; count],
            scheduled: vec![false; count],
        }
    }

    /// The instructions that `value` comes after, each once.
    fn before(&self, value: Value, gets: &Gets) -> Vec<Value> {
        let mut before: Vec<Value> = Vec::with_capacity(4);
        for arg in earlier(self.func.inst(value), gets) {
            if self.in_block[arg.index()] && !before.contains(&arg) {
                before.push(arg);
            }
        }
        before
    }

    /// Registers that issuing `value` frees.
    fn freed(&self, value: Value) -> i32 {
        let inst = self.func.inst(value);
        let last = |arg: &&Value| self.in_block[arg.index()] && self.unread[arg.index()] == 1;
        inst.operands().iter().filter(last).count() as i32 - i32::from(!inst.op.has_effect())
    }

    fn prepare(&mut self, order: &[Value], gets: &Gets) {
        for &value in order {
            self.in_block[value.index()] = true;
        }
        for &value in order.iter().rev() {
            self.height[value.index()] += latency(self.func.inst(value).op);
            for arg in self.before(value, gets) {
                self.readers[arg.index()].push(value);
                self.unread[arg.index()] += 1;
                self.missing[value.index()] += 1;
                self.height[arg.index()] = self.height[arg.index()].max(self.height[value.index()]);
            }
        }
    }

    fn order(&mut self, order: Vec<Value>, gets: &Gets) -> Vec<Value> {
        self.prepare(&order, gets);
        let mut result = Vec::with_capacity(order.len());
        let (mut first, mut cycle, mut issued, mut alive) = (0, 0, 0, 0i32);
        while first < order.len() {
            if self.scheduled[order[first].index()] {
                first += 1;
                continue;
            }
            let ready = order[first..]
                .iter()
                .take(WINDOW)
                .filter(|value| !self.scheduled[value.index()] && self.missing[value.index()] == 0);
            let tight = alive >= PRESSURE;
            let next = ready.copied().min_by_key(|&value| {
                let wait = self.available[value.index()].saturating_sub(cycle);
                let saves = if tight { -self.freed(value) } else { 0 };
                (saves, wait, std::cmp::Reverse(self.height[value.index()]))
            });
            let Some(next) = next else { break };
            alive -= self.freed(next);
            cycle = cycle.max(self.available[next.index()]);
            issued += 1;
            if issued == WIDTH {
                (cycle, issued) = (cycle + 1, 0);
            }
            self.scheduled[next.index()] = true;
            result.push(next);
            let there = cycle + latency(self.func.inst(next).op);
            for reader in std::mem::take(&mut self.readers[next.index()]) {
                self.missing[reader.index()] -= 1;
                self.available[reader.index()] = self.available[reader.index()].max(there);
            }
            for arg in self.before(next, gets) {
                self.unread[arg.index()] -= 1;
            }
        }
        for &value in &order {
            self.in_block[value.index()] = false;
        }
        result
    }
}

/// Estimate of the cycles until a result is there, for recent processors.
fn latency(op: Op) -> u32 {
    match op {
        Op::Fdiv => 11,
        Op::Fsqrt => 15,
        Op::Table | Op::Gather => 14,
        Op::MulShr => 8,
        Op::Input => 5,
        Op::Imul | Op::Fmul | Op::Fadd | Op::Fsub | Op::CvtF | Op::CvtI | Op::Ffloor => 4,
        Op::Dadd | Op::Dsub | Op::Dmul | Op::Promote | Op::Dlow => 4,
        _ => 1,
    }
}

struct Scheduler<'a> {
    func: &'a Func,
    /// Estimate of how many values must be alive to compute each value.
    need: Vec<u16>,
    placed: Vec<bool>,
    order: Vec<Value>,
    /// For each guard, how many of the values that it looks at have not been placed.
    missing: Vec<u32>,
    /// For each value, the guards that look at it.
    watchers: Vec<Vec<Value>>,
    for_guards: Vec<bool>,
}

impl<'a> Scheduler<'a> {
    fn new(func: &'a Func) -> Self {
        let count = func.insts.len();
        let mut placed = vec![true; count];
        for value in &func.body {
            placed[value.index()] = false;
        }
        Scheduler {
            func,
            need: needs(func),
            placed,
            order: Vec::with_capacity(func.body.len()),
            missing: vec![0; count],
            watchers: vec![Vec::new(); count],
            for_guards: vec![true; count],
        }
    }

    /// One effect's cone after the other: keeps few values alive. Writes of cells come last.
    fn order(&mut self, marker: &[Value], block: &[Value], gets: &Gets) -> Vec<Value> {
        for value in marker {
            self.placed[value.index()] = true;
        }
        self.watch(block);
        let rank = |value: &Value| match self.func.inst(*value).op {
            Op::Guard | Op::SumGuard => 1,
            Op::Set => 2,
            _ => 0,
        };
        let effects = block.iter().copied().filter(|value| self.func.inst(*value).op.has_effect());
        let mut effects: Vec<Value> = effects.collect();
        effects.sort_by_key(rank);
        for root in effects {
            let inst = self.func.inst(root);
            self.place(if inst.op == Op::Goto { inst.args[0] } else { root }, gets);
        }
        std::mem::take(&mut self.order)
    }

    /// Finds what each guard looks at: the nearest values that something else needs, too.
    fn watch(&mut self, block: &[Value]) {
        let func = self.func;
        for &value in block.iter().rev() {
            let inst = func.inst(value);
            let is_guard = matches!(inst.op, Op::Guard | Op::SumGuard);
            let needed =
                inst.op.has_effect() && !is_guard || !inst.op.has_effect() && !self.for_guards[value.index()];
            for arg in inst.operands() {
                self.for_guards[arg.index()] &= !needed;
            }
        }
        for &guard in block {
            if !matches!(func.inst(guard).op, Op::Guard | Op::SumGuard) {
                continue;
            }
            let mut seen = Vec::new();
            let mut stack = func.inst(guard).operands().to_vec();
            while let Some(value) = stack.pop() {
                if seen.contains(&value) || self.placed[value.index()] {
                    continue;
                }
                seen.push(value);
                if self.for_guards[value.index()] && !func.inst(value).operands().is_empty() {
                    stack.extend(func.inst(value).operands());
                } else if !self.for_guards[value.index()] {
                    self.watchers[value.index()].push(guard);
                    self.missing[guard.index()] += 1;
                }
            }
        }
    }

    /// Appends `root` and, before it, what it depends on. An explicit stack: chains are as long as programs.
    fn place(&mut self, root: Value, gets: &Gets) {
        let mut stack = vec![(root, false)];
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
            let mut operands: Vec<Value> = earlier(self.func.inst(value), gets).collect();
            // The stack reverses: what needs most is pushed last and so computed first.
            operands.sort_by_key(|arg| self.need[arg.index()]);
            stack.extend(operands.into_iter().map(|arg| (arg, false)));
        }
    }
}

fn needs(func: &Func) -> Vec<u16> {
    let mut need = vec![0u16; func.insts.len()];
    for value in func.order() {
        let mut operands: Vec<u16> =
            func.inst(value).operands().iter().map(|arg| need[arg.index()]).collect();
        operands.sort_unstable_by(|a, b| b.cmp(a));
        let widest = operands.iter().enumerate().map(|(i, n)| n.saturating_add(i as u16)).max();
        need[value.index()] = widest.unwrap_or(1).max(1);
    }
    need
}
