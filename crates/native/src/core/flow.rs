//! Where an emitter is in the blocks of a function.

use crate::ir::func::Func;
use std::ops::Range;

/// The greatest number of back edges of a block that are tested one by one. Most loops have one or two.
const FEW: usize = 3;

/// Control flow of a function whose code is being made.
pub(crate) struct Flow {
    /// Words of scratch memory for it, at its end.
    pub(crate) frame: usize,
    pub(crate) current: Current,
}

impl Flow {
    pub(crate) fn of(func: &Func) -> Self {
        Flow { frame: func.frame(), current: Current::default() }
    }
}

/// The block whose code is being made.
#[derive(Default)]
pub(crate) struct Current {
    pub(crate) number: usize,
    pub(crate) is_last: bool,
    /// Whether the next places of its lanes are in the frame; else all go on to the next block.
    pub(crate) has_parted: bool,
}

/// How a block goes back to blocks before it, or to itself.
pub(crate) enum Back {
    /// By a test of each target.
    Each(Vec<usize>),
    /// By one test, to the first target; from there the heads find the lanes.
    First(usize),
}

impl Back {
    /// Of the block with this number, whose instructions are in this range of the body.
    pub(crate) fn of(func: &Func, number: usize, range: Range<usize>) -> Self {
        let targets = func.gotos(range).map(|(target, _)| target);
        let mut back: Vec<usize> = targets.filter(|&target| target <= number).collect();
        back.sort_unstable();
        back.dedup();
        match back.first() {
            Some(&first) if back.len() > FEW => Back::First(first),
            _ => Back::Each(back),
        }
    }
}
