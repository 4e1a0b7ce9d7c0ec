//! Dead code elimination: removes instructions whose results are not used, and writes of cells that are not read.

use crate::ir::func::{Func, Value};
use crate::ir::ops::{Imm, Op};

/// Keeps effects and the instructions that they depend on; renumbers the cells that remain.
pub fn run(mut func: Func) -> Func {
    let live = Marker::new(&func).mark();
    func.prologue.retain(|v| live[v.index()]);
    func.body.retain(|v| live[v.index()]);
    if func.has_blocks() {
        number_cells(&mut func);
    }
    func
}

/// Marks live instructions backwards from the effects, across blocks through the cells.
struct Marker<'a> {
    func: &'a Func,
    live: Vec<bool>,
    worklist: Vec<Value>,
    /// For each instruction, the number of its block.
    home: Vec<usize>,
    /// For each block, the blocks from which it is reached.
    predecessors: Vec<Vec<usize>>,
    /// For each block, which cells are live at its end.
    live_out: Vec<Vec<bool>>,
    /// For each block, the instruction that writes each cell.
    writes: Vec<Vec<Option<Value>>>,
}

impl<'a> Marker<'a> {
    fn new(func: &'a Func) -> Self {
        let blocks = func.blocks();
        let cells = func.cells();
        let mut marker = Marker {
            func,
            live: vec![false; func.insts.len()],
            worklist: Vec::new(),
            home: vec![0; func.insts.len()],
            predecessors: vec![Vec::new(); blocks.len()],
            live_out: vec![vec![false; cells]; blocks.len()],
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
        self.worklist = self.func.order().filter(kept).collect();
        while let Some(value) = self.worklist.pop() {
            if std::mem::replace(&mut self.live[value.index()], true) {
                continue;
            }
            let inst = self.func.inst(value);
            self.worklist.extend(inst.operands());
            if inst.op == Op::Get {
                self.mark_writes(self.home[value.index()], inst.imm as usize);
            }
        }
        self.live
    }

    /// Marks the writes of a cell that reach the beginning of a block.
    fn mark_writes(&mut self, block: usize, cell: usize) {
        let mut blocks = vec![block];
        while let Some(block) = blocks.pop() {
            for &before in &self.predecessors[block] {
                if std::mem::replace(&mut self.live_out[before][cell], true) {
                    continue;
                }
                match self.writes[before][cell] {
                    // A write that keeps the cell in inactive lanes reads the cell itself.
                    Some(write) => self.worklist.push(write),
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
        if inst.op.imm() == Imm::Cell {
            inst.imm = *numbers[inst.imm as usize].get_or_insert_with(|| {
                next += 1;
                next - 1
            });
        }
    }
}
