//! Orders the instructions of the body. The code generator keeps this order: it runs without an optimiser of its own,
//! which would reschedule and spill (measured in docs/DESIGN.md).
//!
//! First one effect's cone comes after the other, so that few values are alive at a time; within a cone the operand that
//! needs more values is computed first (Sethi and Ullman). A guard can stand anywhere: it is placed as soon as what it
//! looks at has been computed for another reason. Then instructions move forward within a window to where their
//! operands are there, those first that others wait longest for, as long as registers last: a processor looks some
//! hundred instructions ahead, but a square root, a division and a table look-up in a row last longer than that. Where
//! nothing is left that could start within what the processor looks ahead, a register is spilled rather than time lost.

use crate::ir::func::{Func, Value};
use crate::ir::ops::Op;
use std::cmp::Reverse;

/// Rewrites the order of the body.
pub fn run(mut func: Func) -> Func {
    func.body = by_latency(&func, by_cone(&func));
    func
}

/// One effect's cone after the other: keeps few values alive.
fn by_cone(func: &Func) -> Vec<Value> {
    let mut scheduler = Scheduler::new(func);
    let is_guard = |value: &&Value| matches!(func.inst(**value).op, Op::Guard | Op::SumGuard);
    let effects = || func.body.iter().filter(|value| func.inst(**value).op.has_effect());
    for &root in effects().filter(|value| !is_guard(value)).chain(effects().filter(is_guard)) {
        scheduler.place(root);
    }
    scheduler.order
}

/// Vector instructions that start in a cycle.
const WIDTH: u32 = 3;
/// Values that may be alive before saving registers becomes more important than starting early.
const PRESSURE: i32 = 12;
/// Cycles that an instruction may stand before its operands are there: the processor looks ahead so far itself.
/// Beyond that, time is more important than registers.
const SLACK: u32 = 30;
/// How far in the given order an instruction may be moved forward.
const WINDOW: usize = 320;

/// Who waits for whom in the body.
struct Graph {
    /// The place of each value in the given order; none for a value of the prologue.
    place: Vec<Option<usize>>,
    readers: Vec<Vec<Value>>,
    /// Cycles from the start of an instruction to the end of all that depends on it.
    height: Vec<u32>,
    /// How many operands of each instruction have not been started.
    missing: Vec<u32>,
    /// How many readers of each value have not been started.
    unread: Vec<u32>,
}

impl Graph {
    fn new(func: &Func, order: &[Value]) -> Self {
        let count = func.insts.len();
        let mut graph = Graph {
            place: vec![None; count],
            readers: vec![Vec::new(); count],
            height: vec![0; count],
            missing: vec![0; count],
            unread: vec![0; count],
        };
        for (place, value) in order.iter().enumerate() {
            graph.place[value.index()] = Some(place);
        }
        for &value in order.iter().rev() {
            let height = graph.height[value.index()] + latency(func.inst(value).op);
            graph.height[value.index()] = height;
            for arg in graph.operands(func, value) {
                graph.readers[arg.index()].push(value);
                graph.missing[value.index()] += 1;
                graph.unread[arg.index()] += 1;
                graph.height[arg.index()] = graph.height[arg.index()].max(height);
            }
        }
        graph
    }

    /// The different operands of an instruction that the body computes.
    fn operands(&self, func: &Func, value: Value) -> impl Iterator<Item = Value> + use<> {
        let inst = func.inst(value);
        let mut args = inst.args;
        for i in 0..args.len() {
            let is_new = i < inst.operands().len() && !args[..i].contains(&args[i]);
            if !is_new || self.place[args[i].index()].is_none() {
                args[i] = Value::NONE;
            }
        }
        args.into_iter().filter(|&arg| arg != Value::NONE)
    }

    /// How many values fewer are alive after an instruction.
    fn freed(&self, func: &Func, value: Value) -> i32 {
        let last = self.operands(func, value).filter(|arg| self.unread[arg.index()] == 1).count();
        last as i32 - i32::from(!func.inst(value).op.has_effect())
    }
}

/// Starts what others wait longest for as early as its operands allow, as long as registers last.
fn by_latency(func: &Func, order: Vec<Value>) -> Vec<Value> {
    let mut graph = Graph::new(func, &order);
    let mut ready: Vec<(usize, Value)> =
        order.iter().copied().enumerate().filter(|(_, value)| graph.missing[value.index()] == 0).collect();
    let mut available = vec![0u32; func.insts.len()];
    let mut started = vec![false; order.len()];
    let mut result = Vec::with_capacity(order.len());
    let (mut first, mut cycle, mut issued, mut alive) = (0, 0, 0, 0i32);
    while result.len() < order.len() {
        while started[first] {
            first += 1;
        }
        let tight = alive >= PRESSURE;
        let in_window = ready.iter().enumerate().filter(|(_, (place, _))| *place < first + WINDOW);
        let next = in_window.min_by_key(|&(_, &(place, value))| {
            let wait = available[value.index()].saturating_sub(cycle);
            let saves = if tight { -graph.freed(func, value) } else { 0 };
            (wait.saturating_sub(SLACK), saves, wait, Reverse(graph.height[value.index()]), place)
        });
        let (at, &(place, next)) = next.expect("the first instruction that has not been started is ready");
        ready.swap_remove(at);
        started[place] = true;
        result.push(next);
        alive -= graph.freed(func, next);

        let start = cycle.max(available[next.index()]);
        cycle = cycle.max(start.saturating_sub(SLACK));
        issued += 1;
        if issued == WIDTH {
            (cycle, issued) = (cycle + 1, 0);
        }
        for arg in graph.operands(func, next) {
            graph.unread[arg.index()] -= 1;
        }
        for reader in std::mem::take(&mut graph.readers[next.index()]) {
            available[reader.index()] = available[reader.index()].max(start + latency(func.inst(next).op));
            graph.missing[reader.index()] -= 1;
            if graph.missing[reader.index()] == 0 {
                let place = graph.place[reader.index()].expect("readers are in the body");
                ready.push((place, reader));
            }
        }
    }
    result
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
}

impl<'a> Scheduler<'a> {
    fn new(func: &'a Func) -> Self {
        let count = func.insts.len();
        let mut placed = vec![false; count];
        for value in &func.prologue {
            placed[value.index()] = true;
        }
        let mut scheduler = Scheduler {
            func,
            need: needs(func),
            placed,
            order: Vec::with_capacity(func.body.len()),
            missing: vec![0; count],
            watchers: vec![Vec::new(); count],
        };
        scheduler.watch();
        scheduler
    }

    /// Finds what each guard looks at: the nearest values that something else needs, too.
    fn watch(&mut self) {
        let func = self.func;
        let mut for_guards = vec![true; func.insts.len()];
        for &value in func.body.iter().rev() {
            let inst = func.inst(value);
            let is_guard = matches!(inst.op, Op::Guard | Op::SumGuard);
            let needed =
                inst.op.has_effect() && !is_guard || !inst.op.has_effect() && !for_guards[value.index()];
            for arg in inst.operands() {
                for_guards[arg.index()] &= !needed;
            }
        }
        for &guard in &func.body {
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
                if for_guards[value.index()] && !func.inst(value).operands().is_empty() {
                    stack.extend(func.inst(value).operands());
                } else if !for_guards[value.index()] {
                    self.watchers[value.index()].push(guard);
                    self.missing[guard.index()] += 1;
                }
            }
        }
    }

    /// Appends `root` and, before it, what it depends on. An explicit stack: chains are as long as programs.
    fn place(&mut self, root: Value) {
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
            let mut operands: Vec<Value> = self.func.inst(value).operands().to_vec();
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
