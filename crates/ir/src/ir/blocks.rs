//! Control flow of a function: its blocks and their successors.
//!
//! Block 0 consists of the instructions before the first `block` marker; every lane begins there. Blocks are numbered in
//! their order in the body. A lane continues at the target of the last `goto` of its block whose mask contains it, or else
//! at the next block. In the last block all lanes meet: it has no `goto`, and only there outputs and constants are written.
//! A body without markers is one block.
//!
//! Code visits the blocks in order and skips those at which no lane waits; after a `goto` to an earlier block it returns to
//! the first block at which a lane waits. Values do not live across blocks, except uniform ones, which are in the prologue.
//! The state of a lane is in *cells*, which are read at the beginning of a block and written at its end.

use super::func::{Func, Value};
use super::ops::{Imm, Op};
use std::ops::Range;

/// One block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its instructions, as positions in [`Func::body`]. The first is its marker, except in block 0.
    pub range: Range<usize>,
    /// The blocks at which its lanes may continue, in increasing order, without duplicates.
    pub successors: Vec<usize>,
}

impl Func {
    /// The blocks of the body, in order; there is at least one.
    pub fn blocks(&self) -> Vec<Block> {
        let markers = self.body.iter().enumerate().filter(|(_, value)| self.inst(**value).op == Op::Block);
        let mut starts = vec![0];
        starts.extend(markers.map(|(position, _)| position));
        let ends = starts[1..].iter().copied().chain([self.body.len()]).collect::<Vec<_>>();
        let last = starts.len() - 1;
        let block = |(number, (&start, end)): (usize, (&usize, usize))| {
            let range = start..end;
            let mut successors = self.gotos(range.clone()).map(|(target, _)| target).collect::<Vec<_>>();
            if number < last {
                successors.push(number + 1);
            }
            successors.sort_unstable();
            successors.dedup();
            Block { range, successors }
        };
        starts.iter().zip(ends).enumerate().map(block).collect()
    }

    /// The `goto`s among the instructions at these positions: target and mask.
    pub fn gotos(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Value)> + '_ {
        let insts = self.body[range].iter().map(|&value| self.inst(value));
        insts.filter(|inst| inst.op == Op::Goto).map(|inst| (inst.imm as usize, inst.args[0]))
    }

    /// Whether the body has more than one block.
    pub fn has_blocks(&self) -> bool {
        self.body.iter().any(|&value| self.inst(value).op == Op::Block)
    }

    /// Whether every operand in the body is a literal or is defined in the same block or in the prologue.
    pub fn is_split(&self) -> bool {
        if !self.has_blocks() {
            return true;
        }
        let mut home = vec![None; self.insts.len()];
        self.blocks().into_iter().enumerate().all(|(number, block)| {
            self.body[block.range].iter().all(|&value| {
                home[value.index()] = Some(number);
                let at_hand =
                    |arg: &Value| self.is_literal(*arg) || home[arg.index()].is_none_or(|at| at == number);
                self.inst(value).operands().iter().all(at_hand)
            })
        })
    }

    /// Words of scratch memory for each lane that control flow needs: the cells, the number of the block at which the lane
    /// waits, and the raised guards.
    pub fn frame(&self) -> usize {
        if self.has_blocks() { self.cells() + 2 } else { 0 }
    }

    /// The number of cells: one more than the highest number in use.
    pub fn cells(&self) -> usize {
        let insts = self.body.iter().map(|&value| self.inst(value));
        let cells = insts.filter(|inst| inst.op.imm() == Imm::Cell).map(|inst| inst.imm as usize + 1);
        cells.max().unwrap_or(0)
    }
}
