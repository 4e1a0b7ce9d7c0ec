//! The best of several orders of a block.

use super::Passes;
use super::draft::Draft;
use super::flow::{Block, is_allocated, of_units};
use super::order::Order;
use super::schedule::{Problem, Schedule, Taste};
use crate::chip::programs::POSITION_READ_BACK;
use crate::isa::{Generation, Insn, Reading};

/// Nodes that are put into slots in all, so that long programs take no longer than short ones.
const NODES: usize = 6_000;
/// Orders that are tried at most.
const MOST: usize = 40;

/// The slots of a block.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    pub(super) insns: Vec<Insn>,
    /// For each unit, where its operation came from.
    pub(super) from: Vec<[Option<usize>; 2]>,
}

/// Slots for a block; none if it needs more registers than there are.
pub(super) fn block(
    generation: Generation,
    reading: Reading,
    (block, insns): (&Block, &[Insn]),
    passes: Passes,
) -> Option<Slots> {
    let keep = |insn: &Insn| !passes.dead || (Insn { end: false, ..*insn }) != Insn::NOP;
    let draft = Draft::new(generation, reading, (block, insns), passes.rename, keep);
    let back = reading.reads_position_back(generation);
    let order = Order::new(&draft, generation, back);
    // What reads oPos back is no temporary, and none is behind it.
    let limit = if back { POSITION_READ_BACK.into() } else { generation.temps() };
    let problem = Problem::new((generation, reading), &draft, &order, &block.live, limit);
    let mut best: Option<Schedule> = None;
    for taste in tastes(passes, draft.nodes.len()) {
        let Some(schedule) = problem.solve(taste) else { continue };
        let cost = |schedule: &Schedule| (schedule.lines.len(), schedule.clocks, schedule.registers);
        if best.as_ref().is_none_or(|best| cost(&schedule) < cost(best)) {
            best = Some(schedule);
        }
    }
    let from = |nodes: [Option<usize>; 2]| nodes.map(|node| node.map(|node| draft.nodes[node].from));
    match best {
        Some(schedule) => Some(Slots {
            insns: schedule.lines.iter().map(|line| line.insn).collect(),
            from: schedule.lines.iter().map(|line| from(line.nodes)).collect(),
        }),
        None => {
            let nodes = &draft.nodes;
            nodes.iter().all(|node| is_allocated(generation, &node.insn)).then(|| Slots {
                insns: nodes.iter().map(|node| node.insn).collect(),
                from: nodes.iter().map(|node| of_units(&node.insn, node.from)).collect(),
            })
        }
    }
}

/// The orders that are tried. The first one is that of the text, which needs few registers.
fn tastes(passes: Passes, nodes: usize) -> Vec<Taste> {
    let plain = Taste { in_order: true, pairs: passes.pair, seed: 0, spares: false, reserves: true };
    let mut tastes = vec![plain, Taste { reserves: false, ..plain }];
    if passes.order {
        let tries = (NODES / nodes.max(1)).clamp(4, MOST) as u32;
        tastes.extend((0..tries).map(|number| Taste {
            in_order: false,
            seed: (number / 4).wrapping_mul(0x9e37_79b1),
            spares: number & 1 != 0,
            reserves: number & 2 == 0,
            ..plain
        }));
    }
    tastes
}
