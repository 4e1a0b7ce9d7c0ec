//! Configurations without native code. The first draw waits for whatever is made before it, so that the first vertices run in a form that
//! is made quickly. Once so many have run that it pays, a [`Plan`] of the simplified function takes over.

use super::fixed::Plan;
use crate::shader::{Fallback, Faults, Worker};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;

/// A form that is made quickly.
pub(crate) trait Quick: Send + Sync + Debug {
    /// So many vertices run in it. Making a plan takes about as long as these do.
    const VERTICES: usize;

    /// The form itself.
    fn form(&self) -> &dyn Fallback;

    /// The plan with the same results.
    fn plan(&self) -> Plan;
}

/// Bytes of the plans of most configurations.
const USUAL_BYTES: usize = 8 << 10;

/// The forms of one configuration.
#[derive(Debug)]
pub(crate) struct Gradual<Q> {
    quick: Q,
    /// Vertices that have run without a plan.
    ran: AtomicUsize,
    plan: OnceLock<Plan>,
}

impl<Q: Quick> Gradual<Q> {
    pub(crate) fn new(quick: Q) -> Self {
        Gradual { quick, ran: AtomicUsize::new(0), plan: OnceLock::new() }
    }

    /// The form for so many more vertices.
    fn form(&self, vertices: usize) -> &dyn Fallback {
        if let Some(plan) = self.plan.get() {
            return plan;
        }
        let before = self.ran.fetch_add(vertices.min(Q::VERTICES), Ordering::Relaxed);
        if before.saturating_add(vertices) <= Q::VERTICES {
            return self.quick.form();
        }
        self.plan.get_or_init(|| self.quick.plan())
    }
}

impl<Q: Quick> Fallback for Gradual<Q> {
    fn live_inputs(&self) -> u16 {
        self.quick.form().live_inputs()
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
        self.quick.form().bytes() + self.plan.get().map_or(USUAL_BYTES, Fallback::bytes)
    }
}
