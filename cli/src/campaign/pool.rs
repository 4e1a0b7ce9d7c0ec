//! Threads that take unit after unit.
//!
//! A thread takes the next number and finishes that unit, whatever happens meanwhile. So the units that are done are always
//! the first ones: a record need not tell which, and nothing is half counted.

use super::Keeper;
use super::counts::Counts;
use super::finding::Finding;
use super::record::{KEPT, Record};
use super::shard::Shard;
use crate::fail::{Failure, note};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Stack of a thread: as much as the main thread of a process has.
const STACK: usize = 8 << 20;

/// Work in units. What a unit comes to may depend on its number alone.
pub trait Work: Sync {
    /// What a thread works with; nothing of it may be seen in results.
    type Hands;
    /// A difference, as it is found.
    type Difference: Send;

    /// What a new thread works with.
    fn hands(&self) -> Self::Hands;

    /// Does a unit.
    ///
    /// # Errors
    /// It cannot be done, and so the campaign ends.
    fn unit(&self, unit: u64, hands: &mut Self::Hands) -> Result<Outcome<Self::Difference>, Failure>;

    /// A difference as it is told: this may take longer than the unit.
    fn finding(&self, unit: u64, difference: Self::Difference, hands: &mut Self::Hands) -> Finding;
}

/// What a unit has come to.
pub struct Outcome<D> {
    /// Numbers.
    pub counts: Counts,
    /// Differences, in the order in which they are told.
    pub differences: Vec<D>,
    /// How many of its programs, configurations or cases have one.
    pub failed: u64,
    /// What to tell once.
    pub notes: Vec<Note>,
}

impl<D> Default for Outcome<D> {
    fn default() -> Self {
        Outcome { counts: Counts::default(), differences: Vec::new(), failed: 0, notes: Vec::new() }
    }
}

/// What to tell of a back end when something is counted of it for the first time.
pub struct Note {
    /// The group.
    pub group: String,
    /// The back end.
    pub backend: String,
    /// What is counted.
    pub counted: &'static str,
    /// What to tell.
    pub text: String,
}

/// When work ends before it is done.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// When it began.
    pub began: Instant,
    /// How long it goes on.
    pub length: Duration,
}

impl Until {
    fn is_over(self) -> bool {
        self.began.elapsed() >= self.length
    }
}

/// How the work is done.
pub struct Plan {
    /// Which part of it.
    pub shard: Shard,
    /// Threads.
    pub jobs: usize,
    /// Units of that part; None if there is no end of them.
    pub share: Option<u64>,
    /// When it ends if it is not done.
    pub end: Option<Until>,
}

/// Units that may be done before an earlier one is: each waits in memory.
const AHEAD: u64 = 1 << 14;

/// What threads share.
struct Counter<'a> {
    plan: &'a Plan,
    /// The next unit of the part.
    next: AtomicU64,
    /// Units that have been counted.
    counted: AtomicU64,
    /// The work ends: a unit could not be done.
    stopped: AtomicBool,
}

impl Counter<'_> {
    /// Takes a unit: its place in the part, and its number.
    fn take(&self) -> Option<(u64, u64)> {
        let is_over = || self.stopped.load(Ordering::Relaxed) || self.plan.end.is_some_and(Until::is_over);
        while self.next.load(Ordering::Relaxed) > self.counted.load(Ordering::Relaxed).saturating_add(AHEAD)
            && !is_over()
        {
            thread::sleep(Duration::from_millis(1));
        }
        if is_over() {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let unit = self.plan.shard.unit(index)?;
        self.plan.share.is_none_or(|share| index < share).then_some((index, unit))
    }
}

type Sent<D> = (u64, u64, Result<Outcome<D>, Failure>);

/// Does what is left of the work, and records it.
///
/// # Errors
/// The first unit that could not be done; those before it are recorded.
pub fn run<W: Work>(
    work: &W,
    plan: &Plan,
    record: &mut Record,
    bar: &ProgressBar,
    keeper: &mut Keeper<'_>,
) -> Result<(), Failure> {
    let done = AtomicU64::new(record.units());
    let counted = AtomicU64::new(record.units());
    let counter = Counter { plan, next: done, counted, stopped: AtomicBool::new(false) };
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let spawn = |number: usize| {
            let (sender, counter) = (sender.clone(), &counter);
            let thread = thread::Builder::new().name(format!("campaign {number}")).stack_size(STACK);
            thread.spawn_scoped(scope, move || take_units(work, counter, &sender)).map(drop)
        };
        let spawned = (0..plan.jobs).try_for_each(spawn);
        drop(sender);
        let result = match spawned {
            Ok(()) => count_units(work, &receiver, record, &counter.counted, bar, keeper),
            Err(error) => Err(Failure::Unsupported(format!("cannot start a thread: {error}"))),
        };
        counter.stopped.store(true, Ordering::Relaxed);
        result
    })
}

/// What a thread does.
fn take_units<W: Work>(work: &W, counter: &Counter<'_>, sender: &mpsc::Sender<Sent<W::Difference>>) {
    let mut hands = work.hands();
    while let Some((index, unit)) = counter.take() {
        let done = work.unit(unit, &mut hands);
        if done.is_err() {
            counter.stopped.store(true, Ordering::Relaxed);
        }
        if sender.send((index, unit, done)).is_err() {
            return;
        }
    }
}

/// Counts what threads have done, in the order of the units.
fn count_units<W: Work>(
    work: &W,
    receiver: &mpsc::Receiver<Sent<W::Difference>>,
    record: &mut Record,
    counted: &AtomicU64,
    bar: &ProgressBar,
    keeper: &mut Keeper<'_>,
) -> Result<(), Failure> {
    let mut hands = work.hands();
    let mut waiting = BTreeMap::new();
    for (index, unit, done) in receiver {
        waiting.insert(index, (unit, done));
        while let Some((unit, done)) = waiting.remove(&record.units()) {
            let outcome = done?;
            let known = record.findings.len();
            tell(&outcome.notes, record, bar);
            count_unit(work, unit, outcome, record, &mut hands);
            counted.store(record.units(), Ordering::Relaxed);
            bar.inc(1);
            record.findings[known..].iter().try_for_each(|finding| keeper.finding(finding, bar))?;
        }
        keeper.now_and_then(record)?;
    }
    Ok(())
}

/// Tells what is counted for the first time.
fn tell(notes: &[Note], record: &Record, bar: &ProgressBar) {
    let is_first = |note: &&Note| record.counts.of(&note.group, &note.backend, note.counted) == 0;
    notes.iter().filter(is_first).for_each(|first| bar.suspend(|| note(&first.text)));
}

/// Counts a unit as a whole.
fn count_unit<W: Work>(
    work: &W,
    unit: u64,
    outcome: Outcome<W::Difference>,
    record: &mut Record,
    hands: &mut W::Hands,
) {
    let Outcome { counts, differences, failed, .. } = outcome;
    record.counts.merge(&counts);
    record.failed = record.failed.saturating_add(failed);
    record.differences = record.differences.saturating_add(differences.len() as u64);
    let room = KEPT.saturating_sub(record.findings.len());
    let kept = differences.into_iter().take(room);
    record.findings.extend(kept.map(|difference| work.finding(unit, difference, hands)));
    record.has_done_one();
}
