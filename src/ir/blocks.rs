//! Control flow of a function: which part of the body is which block, and where the lanes go on.
//!
//! The first block is what stands before the first `block` marker; every lane begins there. Blocks are numbered in the
//! order in which they stand. The last `goto` of a block whose mask has a lane says where it goes on, and if none does, at
//! the next block; the last block is the
//! end, where all lanes meet: it has no `goto`, and outputs and constants are written there alone. A body without
//! markers is one block.
//!
//! Code runs the blocks in order, those that some lane waits at, and goes back to the first such block after a `goto`
//! to an earlier one. So values do not live from block to block, but for uniform ones, which the prologue holds: what a
//! lane keeps is in *cells*, which are read at a block's beginning and written at its end.

use super::func::{Func, Value};
use super::ops::Op;
use std::ops::Range;

/// One block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its instructions, as positions in [`Func::body`]; the first is its marker, but for block 0.
    pub range: Range<usize>,
    /// Where its lanes may go on, in increasing order, without duplicates.
    pub successors: Vec<usize>,
}

impl Func {
    /// The blocks of the body, in order; never none.
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

    /// Whether no varying part of the body needs what another block has computed: what does not vary is in the prologue.
    pub fn is_split(&self) -> bool {
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

    /// Words of scratch memory for each lane that control flow needs: the cells, where the lane is, and whether a guard
    /// has been raised.
    pub fn frame(&self) -> usize {
        if self.has_blocks() { self.cells() + 2 } else { 0 }
    }

    /// How many cells there are: one more than the highest number in use.
    pub fn cells(&self) -> usize {
        let insts = self.body.iter().map(|&value| self.inst(value));
        let cells =
            insts.filter(|inst| matches!(inst.op, Op::Get | Op::Set)).map(|inst| inst.imm as usize + 1);
        cells.max().unwrap_or(0)
    }
}
