//! What every routine needs of its shader.

use crate::shader::{Fallback, Faults, Shader, Slots, Worker};
use std::ops::Range;
use std::sync::Arc;
use xfjit_runtime::batch::{Inputs, Layout, Outputs, StreamError};
use xfjit_runtime::state::Context;

/// A shader with what every routine needs of it, and the way in which it runs without native code.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) layout: Layout,
    /// Of the context.
    rows: usize,
    pub(crate) live_inputs: u16,
    live_outputs: u32,
    /// Vertices run one after the other.
    pub(crate) serial: bool,
    /// What a vertex takes.
    pub(super) slots: Slots,
    pub(super) fallback: Arc<dyn Fallback>,
}

impl Source {
    pub(crate) fn new(shader: &Shader, fallback: Arc<dyn Fallback>) -> Self {
        Source {
            layout: shader.layout(),
            rows: shader.rows(),
            live_inputs: fallback.live_inputs(),
            live_outputs: shader.live_outputs(),
            serial: shader.is_serial(),
            slots: shader.slots(),
            fallback,
        }
    }

    /// Memory held beside the value itself and the shader.
    pub(crate) fn bytes(&self) -> usize {
        self.fallback.bytes()
    }

    /// Whether vertices may run out of time in a way that native code finds out only by running them.
    #[cfg(feature = "jit")]
    pub(crate) fn may_run_out_of_time(&self) -> bool {
        matches!(self.slots, Slots::AtMost(_))
    }

    /// Proves that the streams hold the batch, and that the constants are of the kind that the code was made for.
    pub(crate) fn check(
        &self,
        context: &Context,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
    ) -> Result<(), StreamError> {
        let got = context.rows().len();
        if got != self.rows {
            return Err(StreamError::WrongContext { needed: self.rows, got });
        }
        if outputs.layout != self.layout {
            return Err(StreamError::WrongLayout);
        }
        inputs.check(self.live_inputs)?;
        outputs.check(self.live_outputs, inputs.count)
    }

    /// Runs some vertices of a checked batch without native code.
    pub(crate) fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        positions: Range<usize>,
    ) -> Faults {
        self.fallback.run(worker, context, inputs, outputs, positions)
    }
}
