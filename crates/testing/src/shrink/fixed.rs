//! Configurations made smaller, of the fixed function and of pipelines like it.

use super::{Reduced, Search, Shrinks, reduce};
use crate::backend::{Backend, Worker};
use crate::config::FixedQuirks;
use crate::front::fixed::Setup;
use crate::repro::{FixedCase, Placement, Ran, Refusal};
use crate::shader::Shader;
use std::ops::Range;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::Row;

/// A configuration, and what it need not say.
pub(super) trait Plainer: Copy + PartialEq + Into<Shader> {
    /// The configuration with one thing less in it, each way.
    fn plainer(&self) -> Vec<Self>;

    /// The registers that are put out.
    fn live_outputs(&mut self) -> &mut u32;
}

impl Plainer for Setup {
    fn plainer(&self) -> Vec<Setup> {
        let fields = self.mode.pipeline().fields();
        let without = fields.into_iter().map(|(name, _)| Setup { mode: self.mode.with(name, 0), ..*self });
        let all = [
            Setup { layout: Layout::Rows, ..*self },
            Setup { clamps_depth: false, ..*self },
            Setup { quirks: FixedQuirks::SPEC, ..*self },
        ];
        all.into_iter().chain(without).collect()
    }

    fn live_outputs(&mut self) -> &mut u32 {
        &mut self.live_outputs
    }
}

impl<S: Plainer> Reduced for FixedCase<S> {
    fn count(&self) -> usize {
        self.count()
    }

    fn without(&mut self, vertices: Range<usize>) {
        self.attributes.iter_mut().for_each(|rows| drop(rows.drain(vertices.clone())));
    }

    fn live_outputs(&mut self) -> &mut u32 {
        self.setup.live_outputs()
    }

    fn constants(&mut self) -> &mut [Row] {
        self.context.rows_mut()
    }

    fn attribute(&mut self, register: usize) -> &mut [Row] {
        &mut self.attributes[register]
    }
}

impl<S: Plainer> Shrinks for FixedCase<S> {
    fn run_on(&self, backend: &dyn Backend, worker: &mut Worker) -> Result<(Ran, usize), Refusal> {
        let routine = backend.prepare(&self.shader()).map_err(Refusal::Compile)?;
        let ran = self.run_on(&*routine, worker).map_err(Refusal::Streams)?;
        Ok((ran, self.count().div_ceil(routine.lanes())))
    }

    fn placement(&self) -> Placement {
        self.placement()
    }

    fn vertices(&self) -> usize {
        self.count()
    }

    fn shrink(&self, shows: &mut dyn FnMut(&Self) -> bool) -> Self {
        let search = Search::new(self.clone(), shows);
        search.rounds(|search| setups(search) | reduce(search))
    }
}

/// A plainer configuration, as far as that goes.
fn setups<S: Plainer>(search: &mut Search<'_, FixedCase<S>>) -> bool {
    let mut changed = false;
    let ways = search.best.setup.plainer().len();
    for way in 0..ways {
        // What has been made plainer is the beginning of the next one.
        let Some(&setup) = search.best.setup.plainer().get(way) else { break };
        changed |= search.change(|case| case.setup = setup);
    }
    changed
}
