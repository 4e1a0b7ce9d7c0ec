//! Orders the instructions of the body. The code generator keeps this order: it runs without an optimiser of its own,
//! which would reschedule and spill (measured in docs/DESIGN.md).
//!
//! The first order (`cones`) keeps few values live: the instructions are placed effect by effect, each effect after
//! everything it depends on, and of several operands the one that needs most registers is computed first (Sethi and
//! Ullman). A guard has no fixed place: it is placed as soon as the values it tests have been computed for another use.
//!
//! The second order (`latency`) is a list schedule. It moves instructions forward within a reach of the first order,
//! those on the longest latency path first. This pays because a processor looks some hundred instructions ahead, and a
//! chain of a square root, a division and a table look-up takes longer. While registers are short, instructions that free
//! a live value come first; but if no operand would be available within the processor's look-ahead, the schedule accepts
//! a spill rather than a stall.

mod cones;
mod latency;

use crate::ir::func::{Func, Inst, Value};
use crate::ir::ops::Op;
use crate::machine::Timing;
use cones::Cones;
use latency::Latency;
use rustc_hash::FxHashMap;

/// Rewrites the order of the body, block by block, as the first order has it, which is that of no machine.
pub fn by_cones(mut func: Func) -> Func {
    let mut cones = Cones::new(&func);
    let body = each_block(&func, |marker, block, cell_reads| cones.order(marker, block, cell_reads));
    func.body = body;
    func
}

/// Rewrites the order of a body that [`by_cones`] has ordered, as the second order has it.
pub fn by_latency(mut func: Func, timing: &Timing) -> Func {
    let mut latency = Latency::new(&func, *timing);
    func.body = each_block(&func, |_, block, cell_reads| {
        let moved = block.iter().rposition(|&value| func.inst(value).op != Op::Goto);
        latency.order(&func, &block[..moved.map_or(0, |last| last + 1)], cell_reads)
    });
    func
}

/// The body in the orders of its blocks, of which that is asked for what stands between their markers and their `goto`s.
fn each_block(
    func: &Func,
    mut order: impl FnMut(&[Value], &[Value], &CellReads) -> Vec<Value>,
) -> Vec<Value> {
    let mut body = Vec::with_capacity(func.body.len());
    for block in func.blocks() {
        let block = &func.body[block.range];
        let is_goto = |value: &&Value| func.inst(**value).op == Op::Goto;
        let marker = usize::from(block.first().is_some_and(|&first| func.inst(first).op == Op::Block));
        let (marker, block) = block.split_at(marker);
        let cell_reads = cell_reads(func, block);
        body.extend_from_slice(marker);
        body.extend(order(marker, block, &cell_reads));
        // The last `goto` whose mask has a lane decides, so they keep their order.
        body.extend(block.iter().filter(is_goto));
    }
    body
}

/// For each cell, its reads in a block: they come before its write.
type CellReads = FxHashMap<u32, Vec<Value>>;

fn cell_reads(func: &Func, block: &[Value]) -> CellReads {
    let mut cell_reads = CellReads::default();
    for &value in block {
        let inst = func.inst(value);
        if inst.op == Op::Get {
            cell_reads.entry(inst.imm).or_default().push(value);
        }
    }
    cell_reads
}

/// The instructions that must come before another: its operands, and for a write of a cell the reads of that cell.
fn predecessors<'a>(inst: &'a Inst, cell_reads: &'a CellReads) -> impl Iterator<Item = Value> + 'a {
    let reads = if inst.op == Op::Set { cell_reads.get(&inst.imm) } else { None };
    inst.operands().iter().chain(reads.into_iter().flatten()).copied()
}
