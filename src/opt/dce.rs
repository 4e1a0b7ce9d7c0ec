//! Removes instructions whose results nobody reads, and writes of cells that nobody reads.

use crate::ir::func::{Func, Value};
use crate::ir::ops::Op;

/// Keeps what an effect depends on.
pub fn run(mut func: Func) -> Func {
    let live = Marker::new(&func).mark();
    func.prologue.retain(|v| live[v.index()]);
    func.body.retain(|v| live[v.index()]);
    number_cells(&mut func);
    func
}

/// Marks backwards from the effects, from block to block by way of the cells.
struct Marker<'a> {
    func: &'a Func,
    live: Vec<bool>,
    waiting: Vec<Value>,
    /// The block that each instruction stands in, and from where each block is reached.
    home: Vec<usize>,
    predecessors: Vec<Vec<usize>>,
    /// For each block the cells that are read behind it, and the instructions that write them.
    wanted: Vec<Vec<bool>>,
    writes: Vec<Vec<Option<Value>>>,
}

impl<'a> Marker<'a> {
    fn new(func: &'a Func) -> Self {
        let blocks = func.blocks();
        let cells = func.cells();
        let mut marker = Marker {
            func,
            live: vec![false; func.insts.len()],
            waiting: Vec::new(),
            home: vec![0; func.insts.len()],
            predecessors: vec![Vec::new(); blocks.len()],
            wanted: vec![vec![false; cells]; blocks.len()],
            writes: vec![vec![None; cells]; blocks.len()],
        };
        for (number, block) in blocks.into_iter().enumerate() {
            for &value in &func.body[block.range] {
                marker.home[value.index()] = number;
                let inst = func.inst(value);
                if inst.op == Op::Set {
                    marker.writes[number][inst.imm as usize] = Some(value);
                }
            }
            for successor in block.successors {
                marker.predecessors[successor].push(number);
            }
        }
        marker
    }

    fn mark(mut self) -> Vec<bool> {
        let kept =
            |value: &Value| self.func.inst(*value).op.is_kept() && self.func.inst(*value).op != Op::Set;
        self.waiting = self.func.order().filter(kept).collect();
        while let Some(value) = self.waiting.pop() {
            if std::mem::replace(&mut self.live[value.index()], true) {
                continue;
            }
            let inst = self.func.inst(value);
            self.waiting.extend(inst.operands());
            if inst.op == Op::Get {
                self.want(self.home[value.index()], inst.imm as usize);
            }
        }
        self.live
    }

    /// A cell is read in a block, or behind one that leaves it alone.
    fn want(&mut self, block: usize, cell: usize) {
        let mut blocks = vec![block];
        while let Some(block) = blocks.pop() {
            for &before in &self.predecessors[block] {
                if std::mem::replace(&mut self.wanted[before][cell], true) {
                    continue;
                }
                match self.writes[before][cell] {
                    // If it keeps what other lanes hold, it reads the cell itself.
                    Some(write) => self.waiting.push(write),
                    None => blocks.push(before),
                }
            }
        }
    }
}

/// Gives the cells in use consecutive numbers.
fn number_cells(func: &mut Func) {
    let mut numbers: Vec<Option<u32>> = vec![None; func.cells()];
    let mut next = 0;
    for value in func.body.clone() {
        let inst = &mut func.insts[value.index()];
        if matches!(inst.op, Op::Get | Op::Set) {
            inst.imm = *numbers[inst.imm as usize].get_or_insert_with(|| {
                next += 1;
                next - 1
            });
        }
    }
}
