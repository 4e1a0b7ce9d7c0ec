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

/// Rewrites the order of the body, block by block.
pub fn run(mut func: Func, timing: &Timing) -> Func {
    let mut body = Vec::with_capacity(func.body.len());
    let mut cones = Cones::new(&func);
    let mut latency = Latency::new(&func, *timing);
    for block in func.blocks() {
        let block = &func.body[block.range];
        let marker = usize::from(block.first().is_some_and(|&first| func.inst(first).op == Op::Block));
        let (marker, block) = block.split_at(marker);
        let cell_reads = cell_reads(&func, block);
        body.extend_from_slice(marker);
        let order = cones.order(marker, block, &cell_reads);
        body.extend(latency.order(&func, &order, &cell_reads));
        // The last `goto` whose mask has a lane decides, so they keep their order.
        body.extend(block.iter().filter(|value| func.inst(**value).op == Op::Goto));
    }
    func.body = body;
    func
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
