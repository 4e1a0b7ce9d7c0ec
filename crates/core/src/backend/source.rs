//! What every routine needs of its shader.

use crate::shader::{Fallback, Faults, Shader, Slots, Worker};
use std::ops::Range;
use std::sync::Arc;
use xfjit_runtime::batch::StreamError;
use xfjit_runtime::bound::{Bound, Needs};
use xfjit_runtime::constants::Constants;

/// A shader with what every routine needs of it, and the way in which it runs without native code.
#[derive(Clone, Debug)]
pub struct Source {
    /// If it writes constants, vertices run one after the other.
    pub needs: Needs,
    /// What a vertex takes.
    pub(super) slots: Slots,
    pub(super) fallback: Arc<dyn Fallback>,
}

impl Source {
    /// What a shader needs, with the way in which it runs without native code.
    pub fn new(shader: &Shader, fallback: Arc<dyn Fallback>) -> Self {
        // Four bits for each register, x lowest; a mask has x highest.
        let bits = |mask: u8| u128::from(mask.reverse_bits() >> 4);
        let written = shader.written().iter().rfold(0, |written, mask| written << 4 | bits(mask.0));
        let needs = Needs {
            inputs: fallback.live_inputs(),
            input_layout: shader.inputs(),
            outputs: shader.live_outputs(),
            written,
            layout: shader.layout(),
            rows: shader.rows(),
            writes_constants: shader.is_serial(),
        };
        Source { needs, slots: shader.slots(), fallback }
    }

    /// The memory held in addition to the value itself and the shader.
    pub fn bytes(&self) -> usize {
        self.fallback.bytes()
    }

    /// Whether vertices may run out of time in a way that native code finds out only by running them.
    pub fn may_run_out_of_time(&self) -> bool {
        matches!(self.slots, Slots::AtMost(_))
    }

    /// Whether the constants and the batch serve the code.
    #[inline]
    pub fn check(
        &self,
        constants: &Constants<'_>,
        bound: &Bound<'_>,
        part: &Range<usize>,
    ) -> Result<(), StreamError> {
        constants.check(self.needs.rows, self.needs.writes_constants)?;
        bound.check(&self.needs, part)
    }

    /// Runs some vertices of a bound batch without native code.
    pub fn run(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
    ) -> Faults {
        self.fallback.run(worker, constants, bound, positions)
    }

    /// Runs vertices that need not follow each other.
    pub fn run_some(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: &[usize],
    ) -> Faults {
        self.fallback.run_some(worker, constants, bound, positions)
    }
}
