//! The working memory of a thread.

use super::limits::{Call, Cancel, Limits, OVERTIME, Taken};
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The working memory of one thread.
///
/// It is independent of back ends: each has its own type of memory in it, created at the first use. After that, runs
/// allocate nothing.
#[derive(Default)]
pub struct Worker {
    number: Number,
    limits: Limits,
    /// Whether there is more to look at than overtime.
    is_limited: bool,
    taken: Taken,
    until_timed: u32,
    random: u32,
    left: Option<usize>,
    /// What the interpreter takes for vertices that native code leaves to it, while that is timed.
    fallback: Option<Duration>,
    memories: Vec<(TypeId, Box<dyn Any + Send + Sync>)>,
}

/// A number that no other worker has, above 0.
struct Number(u64);

impl Default for Number {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Number(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Worker { limits, memories, .. } = self;
        f.debug_struct("Worker")
            .field("limits", limits)
            .field("memories", &memories.len())
            .finish_non_exhaustive()
    }
}

impl Worker {
    /// Creates working memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits a call of `Program::run`: once its vertices have executed this many slots in all, no further vertex begins, and the call
    /// returns with [`Outcome::out_of_time`](crate::backend::Outcome::out_of_time). A vertex that has begun runs to its end, so the call
    /// may exceed the limit by what one vertex may execute. By default there is no limit. The fixed function has no slots.
    ///
    /// Which vertices are done does not depend on the back end. A program with loops whose vertices could exceed the budget is interpreted,
    /// which is slower. So choose the budget and `Options::slot_limit` such that the batches that are to run in native code fit.
    pub fn set_slot_budget(&mut self, slots: Option<u64>) {
        self.limits.slots = slots;
        self.limit();
    }

    /// The number of slots that one call may execute in all, if it is limited.
    pub fn slot_budget(&self) -> Option<u64> {
        self.limits.slots
    }

    /// The default overtime of a call (see [`Worker::set_overtime`]): 2^24 slots. A PlayStation 3, whose chip has the most vertex engines,
    /// takes 4 ms for them, and the interpreter about a second.
    pub const OVERTIME: u64 = OVERTIME;

    /// Limits the overtime of a call: the slots that a vertex executes after its first 2,048, which only programs with loops do. Once the
    /// vertices of a call have executed this many of them, no further vertex begins, and the call returns with
    /// [`Outcome::out_of_time`](crate::backend::Outcome::out_of_time). The default is [`Worker::OVERTIME`], so no guest's draw holds a
    /// thread for minutes; `None` is no limit.
    ///
    /// Which vertices are done does not depend on the back end. Unlike [`Worker::set_slot_budget`], this limit does not keep programs
    /// without overtime from native code.
    pub fn set_overtime(&mut self, slots: Option<u64>) {
        self.limits.overtime = slots;
    }

    /// The number of slots of overtime that a call may execute, if it is limited.
    pub fn overtime(&self) -> Option<u64> {
        self.limits.overtime
    }

    /// Lets another thread end calls. A call checks the flag before it begins, and between its parts, so it returns after at most some 2^16
    /// slots of each of sixteen vertices, with [`Outcome::cancelled`](crate::backend::Outcome::cancelled). Which vertices are done depends
    /// on when the flag was raised; those after them have done nothing. A call that is not cancelled gives the same results as without a
    /// flag.
    pub fn set_cancel(&mut self, cancel: Option<Cancel>) {
        self.limits.cancel = cancel;
        self.limit();
    }

    /// Makes everything that `run` runs with this worker count as one call, of this many vertices: its parts share one slot budget and one
    /// overtime. Inside another such call, it belongs to that call.
    pub fn as_one_call<R>(&mut self, vertices: usize, run: impl FnOnce(&mut Self) -> R) -> R {
        /// Ends the call, whether or not what it runs panics.
        struct Call<'a>(&'a mut Worker, bool);
        impl Drop for Call<'_> {
            fn drop(&mut self) {
                self.0.end_call(self.1);
            }
        }
        let begun = self.begin_call(vertices);
        run(Call(self, begun).0)
    }

    /// Begins what counts as one call; whether it is no part of another.
    pub fn begin_call(&mut self, vertices: usize) -> bool {
        let is_whole = self.limits.call.is_none();
        self.limits.call = Some(self.call(vertices));
        self.limit();
        is_whole
    }

    /// Ends what [`Worker::begin_call`] has begun.
    pub fn end_call(&mut self, is_whole: bool) {
        if is_whole {
            self.limits.call = None;
        }
        self.limit();
    }

    fn limit(&mut self) {
        let Limits { slots, cancel, call, .. } = &self.limits;
        self.is_limited = slots.is_some() || cancel.is_some() || call.is_some();
    }

    /// Whether calls have a limit other than that of overtime, or are parts of one call.
    #[inline(always)]
    pub fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// Whether calls are to end, if another thread may say so.
    pub(crate) fn is_cancelled(&self) -> Option<bool> {
        self.limits.cancel.as_ref().map(Cancel::is_cancelled)
    }

    /// What is left of the call in progress; of one of so many vertices, if there is none.
    pub(crate) fn call(&self, vertices: usize) -> Call {
        let whole = || Call { vertices: vertices as u64, allowance: self.limits.allowance() };
        self.limits.call.unwrap_or_else(whole)
    }

    /// Notes what is left of the call in progress, if there is one.
    pub(crate) fn set_call(&mut self, left: Call) {
        if let Some(call) = &mut self.limits.call {
            *call = left;
        }
    }

    /// What vertices have executed in the interpreter, since the worker was made.
    pub fn taken(&self) -> Taken {
        self.taken
    }

    /// Adds what vertices have executed in the interpreter.
    pub(crate) fn take(&mut self, taken: Taken) {
        self.taken += taken;
    }

    /// Sets what vertices have executed back to what it was, since they have run twice.
    pub fn untake(&mut self, before: Taken) {
        self.taken = before;
    }

    /// A number that no other worker has, above 0.
    #[inline]
    pub fn number(&self) -> u64 {
        self.number.0
    }

    /// Whether the next batch may be one to be timed.
    #[inline(always)]
    pub fn is_due(&self) -> bool {
        self.until_timed == 0
    }

    /// Counts a batch. Whether it may be one to be timed: then [`Worker::is_timed`] says so, and begins to count anew.
    #[inline(always)]
    pub fn counts_down(&mut self) -> bool {
        let (left, is_over) = self.until_timed.overflowing_sub(1);
        self.until_timed = left;
        is_over
    }

    /// Whether the batch is to be timed at which the count is over: one of so many is, none if 0. Batches are timed at random distances,
    /// so that none of those that come again and again is timed always or never.
    pub fn is_timed(&mut self, one_in: u32) -> bool {
        if one_in == 0 {
            self.until_timed = 1 << 16;
            return false;
        }
        let is_first = self.random == 0;
        let mut x = if is_first { 0x9e37_79b9 ^ self.number.0 as u32 | 1 } else { self.random };
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.random = x;
        // Of 0 to 2 n - 2, n - 1 on average.
        let most = u128::from(one_in) * 2 - 1;
        self.until_timed = u32::try_from((u128::from(x) * most) >> 32).unwrap_or(u32::MAX);
        // The first one of a thread finds nothing where it should be.
        !is_first || one_in == 1
    }

    /// Notes the position of a group of vertices that native code leaves to run again.
    pub fn leave(&mut self, position: usize) {
        self.left = Some(position);
    }

    /// The position of the last group that was left.
    pub fn left(&self) -> Option<usize> {
        self.left
    }

    /// From now on times what vertices take that native code leaves, in the interpreter or on the slow path.
    pub fn time_fallback(&mut self) {
        self.fallback = Some(Duration::ZERO);
    }

    /// Times it no longer; what it took since [`Worker::time_fallback`].
    pub fn end_fallback(&mut self) -> Duration {
        self.fallback.take().unwrap_or_default()
    }

    /// Runs what native code has left, timed if that is wanted. What is left in turn meanwhile is part of it.
    pub fn in_fallback<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let timed = self.fallback.take().map(|before| (before, Instant::now()));
        let result = run(self);
        self.fallback = timed.map(|(before, start)| before + start.elapsed());
        result
    }

    /// The memory of this type; made if there is none.
    #[inline]
    #[doc(hidden)]
    pub fn memory<T: Any + Default + Send + Sync>(&mut self) -> &mut T {
        let wanted = TypeId::of::<T>();
        let at = match self.memories.iter().position(|(of, _)| *of == wanted) {
            Some(at) => at,
            None => self.make::<T>(),
        };
        self.memories[at].1.downcast_mut().expect("it is filed under its type")
    }

    #[cold]
    fn make<T: Any + Default + Send + Sync>(&mut self) -> usize {
        self.memories.push((TypeId::of::<T>(), Box::<T>::default()));
        self.memories.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_batch_of_so_many_is_timed() {
        for one_in in [1, 2, 64] {
            let mut worker = Worker::new();
            let timed = (0..64_000).filter(|_| worker.counts_down() && worker.is_timed(one_in)).count();
            let expected = 64_000 / one_in as usize;
            assert!(timed.abs_diff(expected) <= expected / 8, "one in {one_in}: {timed}");
        }
        let mut worker = Worker::new();
        assert!((0..200_000).all(|_| !(worker.counts_down() && worker.is_timed(0))));
    }

    #[test]
    fn each_type_has_one_memory_which_keeps_what_was_put_there() {
        let mut worker = Worker::new();
        *worker.memory::<u32>() = 5;
        *worker.memory::<u64>() = 7;
        assert_eq!((*worker.memory::<u32>(), *worker.memory::<u64>()), (5, 7));
        assert_eq!(*worker.memory::<i8>(), 0);
        assert_eq!(*worker.memory::<u32>(), 5);
    }
}
