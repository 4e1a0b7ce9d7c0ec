//! Orders the instructions of the body. The code generator keeps this order: it runs without an optimiser of its own,
//! which would reschedule and spill (measured in docs/DESIGN.md).
//!
//! First one effect's cone comes after the other, so that few values are alive at a time; within a cone the operand that
//! needs more values is computed first (Sethi and Ullman). A guard can stand anywhere: it is placed as soon as what it
//! looks at has been computed for another reason. Then instructions move forward within a window to where their
//! operands are there, those first that others wait longest for, as long as registers last: a processor looks some
//! hundred instructions ahead, but a square root, a division and a table look-up in a row last longer than that. Where
//! nothing is left that could start within what the processor looks ahead, a register is spilled rather than time lost.

mod cones;
mod latency;

use crate::ir::func::{Func, Inst, Value};
use crate::ir::ops::Op;
use crate::machine::Pipeline;
use cones::Cones;
use latency::Latency;
use rustc_hash::FxHashMap;

/// Rewrites the order of the body, block by block.
pub fn run(mut func: Func, pipeline: &Pipeline) -> Func {
    let mut body = Vec::with_capacity(func.body.len());
    let mut cones = Cones::new(&func);
    let mut latency = Latency::new(&func, *pipeline);
    for block in func.blocks() {
        let block = &func.body[block.range];
        let marker = usize::from(block.first().is_some_and(|&first| func.inst(first).op == Op::Block));
        let (marker, block) = block.split_at(marker);
        let gets = gets(&func, block);
        body.extend_from_slice(marker);
        let order = cones.order(marker, block, &gets);
        body.extend(latency.order(&func, &order, &gets));
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
