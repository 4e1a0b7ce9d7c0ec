//! A configuration without native code: vertex by vertex at first, since the first draw waits for whatever is made before it; by a plan
//! of its function once so many vertices have run that this pays.

use super::{Setup, lower::lower};
use crate::interp::fixed::Plan;
use crate::interp::flipper::Unit;
use crate::opt;
use crate::shader::{Fallback, Faults, Worker};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;

/// So many vertices run without a plan. Making one takes about as long as these do.
const WITHOUT_PLAN: usize = 256;
/// Bytes of the plans of most configurations.
const USUAL_BYTES: usize = 8 << 10;

/// The forms of one configuration.
#[derive(Debug)]
pub(super) struct Gradual {
    setup: Setup,
    unit: Unit,
    /// Vertices that have run without a plan.
    ran: AtomicUsize,
    plan: OnceLock<Plan>,
}

impl Gradual {
    pub(super) fn new(setup: &Setup) -> Self {
        Gradual { setup: *setup, unit: setup.unit(), ran: AtomicUsize::new(0), plan: OnceLock::new() }
    }

    /// The form for so many more vertices.
    fn form(&self, vertices: usize) -> &dyn Fallback {
        if let Some(plan) = self.plan.get() {
            return plan;
        }
        let before = self.ran.fetch_add(vertices.min(WITHOUT_PLAN), Ordering::Relaxed);
        if before.saturating_add(vertices) <= WITHOUT_PLAN {
            return &self.unit;
        }
        self.plan.get_or_init(|| Plan::new(&opt::simplify(lower(&self.setup))))
    }
}

impl Fallback for Gradual {
    fn live_inputs(&self) -> u16 {
        self.unit.live_inputs
    }

    fn run(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: Range<usize>,
    ) -> Faults {
        self.form(positions.len()).run(worker, constants, bound, positions)
    }

    fn run_some(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &Bound<'_>,
        positions: &[usize],
    ) -> Faults {
        self.form(positions.len()).run_some(worker, constants, bound, positions)
    }

    /// A plan that has not been made counts already: who caches programs weighs them early.
    fn bytes(&self) -> usize {
        self.plan.get().map_or(USUAL_BYTES, Fallback::bytes)
    }
}
