//! The second order: what others wait longest for starts as early as its operands allow, as long as registers last.

use super::{Gets, earlier};
use crate::ir::func::{Func, Value};
use crate::ir::ops::Op;
use std::cmp::Reverse;

/// Vector instructions that start in a cycle.
const WIDTH: u32 = 3;
/// Values that may be alive before saving registers becomes more important than starting early.
const PRESSURE: i32 = 12;
/// Cycles that an instruction may stand before its operands are there: the processor looks ahead so far itself.
/// Beyond that, time is more important than registers.
const SLACK: u32 = 30;
/// How far in the given order an instruction may be moved forward.
const WINDOW: usize = 320;

/// Who waits for whom in a block.
pub(super) struct Latency<'a> {
    func: &'a Func,
    /// The place of each value in the given order of the block; none for a value of the prologue or of another block.
    place: Vec<Option<usize>>,
    readers: Vec<Vec<Value>>,
    /// How many values each one waits for.
    missing: Vec<u32>,
    /// How many readers of each value have not been started.
    unread: Vec<u32>,
    /// Cycles from the start of an instruction to the end of all that depends on it.
    height: Vec<u32>,
    /// Cycle in which the last operand is there.
    available: Vec<u32>,
}

impl<'a> Latency<'a> {
    pub(super) fn new(func: &'a Func) -> Self {
        let count = func.insts.len();
        Latency {
            func,
            place: vec![None; count],
            readers: vec![Vec::new(); count],
            missing: vec![0; count],
            unread: vec![0; count],
            height: vec![0; count],
            available: vec![0; count],
        }
    }

    /// The instructions of the block that `value` comes after, each once.
    fn before(&self, value: Value, gets: &Gets) -> Vec<Value> {
        let mut before: Vec<Value> = Vec::with_capacity(4);
        for arg in earlier(self.func.inst(value), gets) {
            if self.place[arg.index()].is_some() && !before.contains(&arg) {
                before.push(arg);
            }
        }
        before
    }

    /// How many values fewer are alive after an instruction.
    fn freed(&self, value: Value) -> i32 {
        let inst = self.func.inst(value);
        let args = inst.operands();
        let last = |(i, arg): &(usize, &Value)| {
            self.place[arg.index()].is_some() && self.unread[arg.index()] == 1 && !args[..*i].contains(arg)
        };
        args.iter().enumerate().filter(last).count() as i32 - i32::from(!inst.op.has_effect())
    }

    fn prepare(&mut self, order: &[Value], gets: &Gets) {
        for (place, value) in order.iter().enumerate() {
            self.place[value.index()] = Some(place);
        }
        for &value in order.iter().rev() {
            let height = self.height[value.index()] + latency(self.func.inst(value).op);
            self.height[value.index()] = height;
            for arg in self.before(value, gets) {
                self.readers[arg.index()].push(value);
                self.unread[arg.index()] += 1;
                self.missing[value.index()] += 1;
                self.height[arg.index()] = self.height[arg.index()].max(height);
            }
        }
    }

    /// A better order of a block than the one given.
    pub(super) fn order(&mut self, order: Vec<Value>, gets: &Gets) -> Vec<Value> {
        self.prepare(&order, gets);
        let placed = order.iter().copied().enumerate();
        let mut ready: Vec<(usize, Value)> =
            placed.filter(|(_, value)| self.missing[value.index()] == 0).collect();
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
                let wait = self.available[value.index()].saturating_sub(cycle);
                let saves = if tight { -self.freed(value) } else { 0 };
                (wait.saturating_sub(SLACK), saves, wait, Reverse(self.height[value.index()]), place)
            });
            let (at, &(place, next)) =
                next.expect("the first instruction that has not been started is ready");
            ready.swap_remove(at);
            started[place] = true;
            result.push(next);
            alive -= self.freed(next);

            let start = cycle.max(self.available[next.index()]);
            cycle = cycle.max(start.saturating_sub(SLACK));
            issued += 1;
            if issued == WIDTH {
                (cycle, issued) = (cycle + 1, 0);
            }
            for arg in self.before(next, gets) {
                self.unread[arg.index()] -= 1;
            }
            let there = start + latency(self.func.inst(next).op);
            for reader in std::mem::take(&mut self.readers[next.index()]) {
                self.available[reader.index()] = self.available[reader.index()].max(there);
                self.missing[reader.index()] -= 1;
                if self.missing[reader.index()] == 0 {
                    let place = self.place[reader.index()].expect("readers are in the block");
                    ready.push((place, reader));
                }
            }
        }
        for value in &order {
            self.place[value.index()] = None;
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
