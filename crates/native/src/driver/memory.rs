//! What a worker keeps for native code.

use xfjit_runtime::staging::Staging;
use xfjit_runtime::state::{MAX_ROWS, Row, Scratch};

/// The working memory of native code, one for each `Worker`.
#[derive(Debug)]
pub struct Memory {
    pub(super) scratch: Box<Scratch>,
    pub(super) staging: Box<Staging>,
    /// Constants that the caller has without a row of zeros behind them, and that row.
    pub(super) rows: Vec<Row>,
    /// Vertices in which a guard was raised, and which the fallback has not run yet.
    pub(super) guarded: Vec<usize>,
}

/// So many guarded vertices are collected at most.
pub(super) const MOST_GUARDED: usize = 256;

impl Default for Memory {
    fn default() -> Self {
        Memory {
            scratch: Scratch::new(),
            staging: Staging::new(),
            rows: Vec::with_capacity(MAX_ROWS + 1),
            guarded: Vec::with_capacity(MOST_GUARDED),
        }
    }
}
