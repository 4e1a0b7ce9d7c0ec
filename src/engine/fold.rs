//! Constants that do not change: rows that stay the same become literals of a further routine.
//!
//! Native code reads constants where its caller has them, so that it serves any. Between draws most of them stay, and many hold 0 or 1. A
//! program is watched: rows that stayed for so many runs ([`Options::fold_after`](super::Options::fold_after)) are handed to whoever
//! compiles. The routine that comes back is entered only by runs whose rows hold the very words that it was made for; each run compares
//! them, up to the first that differs, so that it rests on no caller's word. Numbers of versions would not serve better: whoever counts
//! them counts for all rows of a draw, of which some change each time.
//!
//! **What it costs** where rows change all the time is to find in each run that there is no such routine. Rows are looked at in runs that
//! are drawn as those to be timed are, which leave the quick way anyway; in fewer of them the more often it was in vain. A program gets [`MOST_ROUTINES`] such routines at most, all programs of an
//! engine a quarter of the cache, and what has no use is not entered any more.

use super::counters::{Done, TierTime, Times};
use super::program::Totals;
use super::verify::Verified;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use xfjit_core::backend::{Outcome, Routine};
use xfjit_core::shader::Rows;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::Row;

/// Routines of a program with rows as literals, in all its life.
pub(super) const MOST_ROUTINES: usize = 4;

/// Compilations that a program is worth, those of no use included.
const MOST_ATTEMPTS: u32 = 8;

/// How often rows are looked at until they count as those that stay.
const LOOKS: u64 = 4;

/// The next rows are looked for over so many times the runs, where none stayed.
const PATIENCE: u64 = 4;

/// So many runs in a row without the rows of a routine, and it is not entered any more.
const STALE: u32 = 1 << 14;

/// A routine is of use if it has one in so many operations less.
const USEFUL: usize = 16;

/// So many runs of a routine with a guard in one vertex of [`GUARDED_SHARE`], and the program has no more of them.
const MOST_GUARDED: u32 = 16;
const GUARDED_SHARE: u64 = 8;

/// A routine with rows of constants as literals.
#[derive(Debug)]
pub(super) struct Folded {
    pub(super) routine: Arc<dyn Routine>,
    pub(super) verified: Option<Box<Verified>>,
    /// Rows that follow each other, and the words of all of them.
    spans: Box<[Range<usize>]>,
    words: Box<[Row]>,
    bytes: usize,
    /// Runs since it was entered.
    missed: AtomicU32,
}

impl Folded {
    /// A routine that was made for these rows, which ascend.
    pub(super) fn new(
        routine: Arc<dyn Routine>,
        verified: Option<Box<Verified>>,
        literals: &[(usize, Row)],
    ) -> Self {
        let adjacent = literals.chunk_by(|(row, _), (next, _)| row + 1 == *next);
        let spans = adjacent.map(|rows| rows[0].0..rows[0].0 + rows.len()).collect();
        let words: Box<[Row]> = literals.iter().map(|&(_, words)| words).collect();
        let bytes = routine.cost().memory_bytes + size_of_val(&words[..]);
        Folded { routine, verified, spans, words, bytes, missed: AtomicU32::new(0) }
    }

    /// Whether a routine has so many operations less than one without literals that it is of use.
    pub(super) fn is_useful(routine: &dyn Routine, unfolded: &dyn Routine) -> bool {
        let (operations, before) = (routine.operations(), unfolded.operations());
        operations + (before / USEFUL).max(1) <= before
    }

    /// Whether it serves constants.
    fn is_for(&self, rows: &[Row]) -> bool {
        let mut words = &self.words[..];
        self.spans.iter().all(|span| {
            let (these, rest) = words.split_at(span.len());
            words = rest;
            // Row by row: they are few, and a call takes longer.
            rows.get(span.clone()).is_some_and(|rows| rows.iter().zip(these).all(|(row, words)| row == words))
        })
    }
}

/// The routines of a program with rows as literals, and the watch for such rows, if there is one.
#[derive(Debug)]
pub(super) struct Folding {
    /// Which routines may be entered, as a mask. Every run asks for it, so it is here.
    live: AtomicU32,
    rest: Option<Box<Rest>>,
}

/// What few runs ask for.
#[derive(Debug)]
struct Rest {
    /// Rows are not looked at before the program has run so many batches.
    next_look: AtomicU64,
    routines: [OnceLock<Folded>; MOST_ROUTINES],
    /// Runs with guards in many vertices.
    guarded: AtomicU32,
    watch: Mutex<Watch>,
    /// Whether rows wait to be compiled.
    wanted: AtomicBool,
    done: Done,
    times: Times,
    totals: Arc<Totals>,
}

/// Rows that are watched.
#[derive(Debug)]
struct Watch {
    /// Those that code reads, ascending, their words at the first look, and whether they are the same since.
    rows: Box<[u16]>,
    words: Box<[Row]>,
    stay: Box<[bool]>,
    looks: u64,
    /// Batches that the program had run at the first look.
    first: u64,
    /// Runs that rows have to stay for.
    runs: u64,
    attempts: u32,
}

impl Watch {
    /// Looks at the rows of a run, before which the program has run so many batches. Whether those that stay have done so for long enough;
    /// else the runs until it is worth to look again.
    fn look(&mut self, rows: &[Row], batches: u64) -> Result<(), u64> {
        let looks = LOOKS.min(self.runs);
        let current = |row: u16| rows.get(usize::from(row)).copied().unwrap_or_default();
        self.looks += 1;
        if self.looks == 1 {
            self.first = batches;
            self.words.iter_mut().zip(&self.rows).for_each(|(words, &row)| *words = current(row));
            self.stay.fill(true);
            return Err(self.runs / looks);
        }
        let mut stays_any = false;
        for ((stays, words), &row) in self.stay.iter_mut().zip(&self.words).zip(&self.rows) {
            *stays &= *words == current(row);
            stays_any |= *stays;
        }
        if !stays_any {
            self.begin(PATIENCE);
            return Err(self.runs);
        }
        let is_long = batches.saturating_sub(self.first) >= self.runs;
        if self.looks > looks && is_long { Ok(()) } else { Err(self.runs / looks) }
    }

    /// Begins anew, with rows that have to stay for so many times the runs.
    fn begin(&mut self, times: u64) {
        self.looks = 0;
        self.runs = self.runs.saturating_mul(times);
    }

    /// The rows that stay.
    fn literals(&self) -> Vec<(usize, Row)> {
        let rows = self.rows.iter().zip(&self.words).zip(&self.stay);
        rows.filter(|&(_, &stays)| stays).map(|((&row, &words), _)| (usize::from(row), words)).collect()
    }
}

impl Folding {
    /// The watch over the rows that native code reads, which have to stay for so many runs; over none of code that reads none.
    pub(super) fn new(rows: &Rows, runs: u64, totals: &Arc<Totals>) -> Self {
        let is_watched = !rows.is_empty() && runs != u64::MAX;
        let rest = is_watched.then(|| {
            let rows: Box<[u16]> = rows.iter().map(|row| row as u16).collect();
            let count = rows.len();
            let watch = Watch {
                rows,
                words: vec![[0; 4]; count].into(),
                stay: vec![false; count].into(),
                looks: 0,
                first: 0,
                runs: runs.max(1),
                attempts: 0,
            };
            Box::new(Rest {
                next_look: AtomicU64::new(0),
                routines: Default::default(),
                guarded: AtomicU32::new(0),
                watch: Mutex::new(watch),
                wanted: AtomicBool::new(false),
                done: Done::default(),
                times: Times::default(),
                totals: Arc::clone(totals),
            })
        });
        Folding { live: AtomicU32::new(0), rest }
    }

    /// Whether there are routines to be entered. All that most runs ask.
    #[inline]
    pub(super) fn is_live(&self) -> bool {
        self.live.load(Ordering::Relaxed) != 0
    }

    /// The routine for these constants, if there is one.
    pub(super) fn of(&self, constants: &Constants<'_>) -> Option<&Folded> {
        let (live, rows) = (self.live.load(Ordering::Relaxed), constants.rows());
        for (place, folded) in self.rest.as_ref()?.routines.iter().enumerate() {
            let Some(folded) = folded.get() else { break };
            if live >> place & 1 == 0 {
                continue;
            }
            if folded.is_for(rows) {
                folded.missed.store(0, Ordering::Relaxed);
                return Some(folded);
            }
            // Threads may lose some of each other's counts: then it takes longer.
            let missed = folded.missed.load(Ordering::Relaxed) + 1;
            folded.missed.store(missed, Ordering::Relaxed);
            if missed >= STALE {
                self.live.fetch_and(!(1 << place), Ordering::Relaxed);
            }
        }
        None
    }

    /// Looks at the rows of a run without a routine, before which the program has run so many batches. Whether there are some to be compiled
    /// from now on.
    #[cold]
    pub(super) fn look(&self, constants: &Constants<'_>, batches: u64) -> bool {
        let Some(rest) = &self.rest else { return false };
        if batches < rest.next_look.load(Ordering::Relaxed) {
            return false;
        }
        // Another thread looks: its rows will do.
        let Ok(mut watch) = rest.watch.try_lock() else { return false };
        if rest.wanted.load(Ordering::Relaxed) {
            return false;
        }
        let looked = watch.look(constants.rows(), batches);
        let next = looked.map_or_else(|runs| batches.saturating_add(runs), |()| u64::MAX);
        rest.next_look.store(next, Ordering::Relaxed);
        rest.wanted.store(looked.is_ok(), Ordering::Relaxed);
        looked.is_ok()
    }

    /// Whether rows wait to be compiled.
    pub(super) fn is_wanted(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.wanted.load(Ordering::Relaxed))
    }

    /// The rows that wait, for whoever comes first.
    pub(super) fn claim(&self) -> Option<Vec<(usize, Row)>> {
        let rest = self.rest.as_ref()?;
        let watch = rest.watch();
        rest.wanted.swap(false, Ordering::Relaxed).then(|| watch.literals())
    }

    /// Settles what has been claimed, after so many batches in all: with a routine, if there is one of use.
    pub(super) fn settle(&self, folded: Option<Folded>, batches: u64) {
        let Some(rest) = &self.rest else { return };
        let mut watch = rest.watch();
        watch.attempts += 1;
        watch.begin(PATIENCE);
        let is_made = folded.is_some();
        let free = rest.routines.iter().position(|routine| routine.get().is_none());
        if let (Some(folded), Some(place)) = (folded, free) {
            rest.totals.folded_bytes.fetch_add(folded.bytes as u64, Ordering::Relaxed);
            rest.totals.folded.fetch_add(1, Ordering::Relaxed);
            let _ = rest.routines[place].set(folded);
            self.live.fetch_or(1 << place, Ordering::Relaxed);
        }
        let is_full = rest.routines.iter().all(|routine| routine.get().is_some());
        if is_full || watch.attempts >= MOST_ATTEMPTS || rest.speculates_in_vain() {
            return;
        }
        // The next run that finds no routine has other rows, if this one is of use.
        let runs = if is_made { 0 } else { watch.runs };
        rest.next_look.store(batches.saturating_add(runs), Ordering::Relaxed);
    }

    /// Whether a routine of so many bytes more fits what all programs may have.
    pub(super) fn has_room(&self, bytes: usize, most: usize) -> bool {
        let held = |rest: &Rest| rest.totals.folded_bytes.load(Ordering::Relaxed);
        self.rest.as_ref().is_some_and(|rest| held(rest) + bytes as u64 <= most as u64)
    }

    /// The routines that there are, entered or not.
    pub(super) fn routines(&self) -> impl Iterator<Item = &Folded> {
        self.rest.iter().flat_map(|rest| rest.routines())
    }

    /// Memory held beside the value itself.
    pub(super) fn bytes(&self) -> usize {
        let Some(rest) = &self.rest else { return 0 };
        let watched = rest.watch().rows.len() * (size_of::<u16>() + size_of::<Row>() + size_of::<bool>());
        size_of::<Rest>() + watched + rest.routines().map(|folded| folded.bytes).sum::<usize>()
    }

    /// What has run in these routines.
    pub(super) fn done(&self) -> TierTime {
        let of = |rest: &Rest| rest.times.of(rest.done.batches(), rest.done.vertices());
        self.rest.as_deref().map(of).unwrap_or(Times::default().of(0, 0))
    }

    /// Notes the time of such a run.
    pub(super) fn time(&self, vertices: u64, time: Duration, fallback: Duration) {
        if let Some(rest) = &self.rest {
            rest.times.add(vertices, time, fallback);
        }
    }

    /// Counts a run of a routine.
    pub(super) fn count(&self, worker: u64, vertices: u64, outcome: &Outcome) {
        let Some(rest) = &self.rest else { return };
        rest.done.count(worker, vertices);
        // What is speculated for the sake of literals does not hold for these vertices, and may cost more than it wins.
        if outcome.deopt_vertices > vertices / GUARDED_SHARE {
            rest.guarded.fetch_add(1, Ordering::Relaxed);
            if rest.speculates_in_vain() {
                rest.next_look.store(u64::MAX, Ordering::Relaxed);
                self.live.store(0, Ordering::Relaxed);
            }
        }
    }
}

impl Rest {
    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn routines(&self) -> impl Iterator<Item = &Folded> {
        self.routines.iter().filter_map(OnceLock::get)
    }

    /// Whether guards of such routines have been raised too often.
    fn speculates_in_vain(&self) -> bool {
        self.guarded.load(Ordering::Relaxed) >= MOST_GUARDED
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        let bytes: usize = self.routines().map(|folded| folded.bytes).sum();
        self.totals.folded_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}
