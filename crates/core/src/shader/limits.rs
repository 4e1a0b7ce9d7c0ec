//! The limits of a call, and how another thread ends it.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Slots that every vertex may execute before they count as overtime: four times the longest program. Native code
/// leaves vertices that execute more to the interpreter, so that all tiers count the same.
pub(crate) const FREE_SLOTS: u16 = 2048;

/// Slots of overtime of a call, unless somebody says otherwise ([`Worker::set_overtime`](super::Worker::set_overtime)).
pub(super) const OVERTIME: u64 = 1 << 24;

/// A vertex that executes more slots than the longest program has is long: it runs in native code in vain if that leaves
/// it to the interpreter in the end.
const LONG: u64 = 512;

/// Ends calls of a [`Worker`](super::Worker) from any thread. Clones are handles to one flag.
///
/// A call checks the flag before it begins and then repeatedly ([`Worker::set_cancel`](super::Worker::set_cancel)). The flag stays raised
/// until somebody lowers it.
///
/// ```
/// use xfjit::{Config, Engine, Generation, Options, Worker, asm};
/// use xfjit::runtime::{batch::{Attribute, Inputs, Outputs}, state::Context};
/// use xfjit::shader::Cancel;
///
/// let engine = Engine::new(Options::default());
/// let program = asm::parse(Generation::Curie, "again:\nADD oPos, v0, v0\nBRA again").unwrap();
/// let program = engine.decoded(program, &Config::new(Generation::Curie).live_outputs(1));
///
/// let (mut worker, cancel) = (Worker::new(), Cancel::new());
/// worker.set_cancel(Some(cancel.clone()));
/// std::thread::spawn(move || cancel.cancel()).join().unwrap();
///
/// let (rows, mut words) = ([[0; 4]; 9], [0; 36]);
/// let inputs = Inputs::new(9).with(0, Attribute::rows(&rows));
/// let mut context = Context::new(program.shader().rows());
/// let outcome = program.run(&mut worker, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[0]))?;
/// assert!(outcome.cancelled);
/// assert_eq!(outcome.out_of_time, Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag: calls end, and further ones do nothing.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Lowers the flag. A call that has not checked it meanwhile continues.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether the flag is raised.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What the vertices of a run may execute: none begins once they have executed so many slots in all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// Slots.
    pub slots: u64,
    /// The slots after the first 2,048 of each vertex.
    pub overtime: u64,
}

impl Allowance {
    /// Whatever they like.
    pub const UNLIMITED: Allowance = Allowance { slots: u64::MAX, overtime: u64::MAX };

    /// Whether a further vertex begins after this.
    #[inline]
    pub(crate) fn admits(&self, taken: &Taken) -> bool {
        taken.slots < self.slots && taken.overtime < self.overtime
    }

    /// What is left of it after this.
    pub(crate) fn spend(&mut self, taken: &Taken) {
        self.slots = self.slots.saturating_sub(taken.slots);
        self.overtime = self.overtime.saturating_sub(taken.overtime);
    }
}

/// What vertices have executed in the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Taken {
    /// Slots.
    pub slots: u64,
    /// How many of these are after the first 2,048 of a vertex.
    pub overtime: u64,
    /// Vertices that executed more slots than the longest program has, and did not run out of time.
    pub long: u64,
}

impl Taken {
    /// Adds a vertex of a program that branches.
    pub(crate) fn vertex(&mut self, slots: u64, timed_out: bool) {
        self.slots += slots;
        self.overtime += slots.saturating_sub(FREE_SLOTS.into());
        self.long += u64::from(slots > LONG && !timed_out);
    }

    /// What has come since.
    pub fn since(&self, before: &Taken) -> Taken {
        Taken {
            slots: self.slots.wrapping_sub(before.slots),
            overtime: self.overtime.wrapping_sub(before.overtime),
            long: self.long.wrapping_sub(before.long),
        }
    }
}

impl AddAssign for Taken {
    fn add_assign(&mut self, other: Taken) {
        self.slots = self.slots.wrapping_add(other.slots);
        self.overtime = self.overtime.wrapping_add(other.overtime);
        self.long = self.long.wrapping_add(other.long);
    }
}

/// The limits of calls, and what is left of the one in progress.
#[derive(Debug)]
pub(super) struct Limits {
    pub(super) slots: Option<u64>,
    pub(super) overtime: Option<u64>,
    pub(super) cancel: Option<Cancel>,
    pub(super) call: Option<Call>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { slots: None, overtime: Some(OVERTIME), cancel: None, call: None }
    }
}

impl Limits {
    pub(super) fn allowance(&self) -> Allowance {
        let Limits { slots, overtime, .. } = *self;
        // One vertex may always have some.
        let overtime = overtime.unwrap_or(u64::MAX).max(1);
        Allowance { slots: slots.unwrap_or(u64::MAX), overtime }
    }
}

/// What is left of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Vertices that have not run, of all its parts.
    pub(crate) vertices: u64,
    pub(crate) allowance: Allowance,
}
