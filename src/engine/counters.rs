//! What programs count while they run. Nothing here takes a lock, and only the first worker that comes never waits for another.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Batches and vertices run. An atomic addition takes as long as a vertex of a short program; so the first worker that
/// comes counts by itself, where no other writes, and only the others add to what they share.
#[derive(Default, Debug)]
pub(super) struct Done {
    /// Number of the worker that counts by itself.
    owner: AtomicU64,
    own: Counts,
    shared: Counts,
}

#[derive(Default, Debug)]
struct Counts {
    batches: AtomicU64,
    vertices: AtomicU64,
}

impl Done {
    /// Counts a batch of a worker; the vertices before.
    #[inline]
    pub(super) fn count(&self, worker: u64, vertices: u64) -> u64 {
        let Done { owner, own, shared } = self;
        let is_own = match owner.load(Ordering::Relaxed) {
            0 => owner.compare_exchange(0, worker, Ordering::Relaxed, Ordering::Relaxed).is_ok(),
            number => number == worker,
        };
        if is_own {
            // Whoever runs has the worker to himself, so nothing is written between a load and its store.
            let before = own.vertices.load(Ordering::Relaxed);
            own.vertices.store(before + vertices, Ordering::Relaxed);
            own.batches.store(own.batches.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            before + shared.vertices.load(Ordering::Relaxed)
        } else {
            shared.batches.fetch_add(1, Ordering::Relaxed);
            shared.vertices.fetch_add(vertices, Ordering::Relaxed) + own.vertices.load(Ordering::Relaxed)
        }
    }

    pub(super) fn batches(&self) -> u64 {
        self.own.batches.load(Ordering::Relaxed) + self.shared.batches.load(Ordering::Relaxed)
    }

    pub(super) fn vertices(&self) -> u64 {
        self.own.vertices.load(Ordering::Relaxed) + self.shared.vertices.load(Ordering::Relaxed)
    }
}

/// A batch of so many vertices takes long enough to be timed each time, beside which looking at the clock is nothing.
pub(super) const LONG: usize = 8192;

/// The time of the batches that were timed.
#[derive(Default, Debug)]
pub(super) struct Times {
    long: Timed,
    sampled: Timed,
}

#[derive(Default, Debug)]
struct Timed {
    batches: AtomicU64,
    vertices: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Timed {
    fn add(&self, vertices: u64, time: Duration) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.vertices.fetch_add(vertices, Ordering::Relaxed);
        self.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    fn read(&self) -> [u64; 3] {
        [&self.batches, &self.vertices, &self.nanoseconds].map(|count| count.load(Ordering::Relaxed))
    }
}

impl Times {
    /// Notes a batch.
    pub(super) fn add(&self, vertices: u64, time: Duration) {
        let timed = if vertices >= LONG as u64 { &self.long } else { &self.sampled };
        timed.add(vertices, time);
    }

    /// Of all batches of a tier: how many were timed, the time these took, and what follows for all.
    pub(super) fn of(&self, batches: u64, vertices: u64) -> TierTime {
        let ([many, long, exact], [sampled, seen, sampled_time]) = (self.long.read(), self.sampled.read());
        let others = vertices.saturating_sub(long);
        let estimated = match (others, seen) {
            (0, _) => Some(exact),
            (_, 0) => None,
            // 128 bits: hours of nanoseconds times billions of vertices.
            _ => {
                let all = u128::from(sampled_time) * u128::from(others) / u128::from(seen);
                Some(exact.saturating_add(u64::try_from(all).unwrap_or(u64::MAX)))
            }
        };
        TierTime {
            batches,
            vertices,
            timed_batches: many + sampled,
            timed_vertices: long + seen,
            timed: Duration::from_nanos(exact + sampled_time),
            estimated: estimated.map(Duration::from_nanos),
        }
    }
}

/// What a program has run in one tier, and how long that took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct TierTime {
    /// Batches.
    pub batches: u64,
    /// Vertices.
    pub vertices: u64,
    /// Batches that were timed.
    pub timed_batches: u64,
    /// Their vertices.
    pub timed_vertices: u64,
    /// The time that these took.
    pub timed: Duration,
    /// What all took, as far as that follows: batches of 8192 vertices and more are all timed, the others are taken to take as long
    /// for each vertex as those of them that were. None if none was.
    pub estimated: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_batches_are_estimated_and_long_ones_known() {
        let times = Times::default();
        assert_eq!(times.of(0, 0).estimated, Some(Duration::ZERO));
        assert_eq!(times.of(3, 30).estimated, None);
        times.add(10, Duration::from_nanos(50));
        times.add(30, Duration::from_nanos(70));
        assert_eq!(times.of(9, 100).estimated, Some(Duration::from_nanos(300)));
        times.add(LONG as u64, Duration::from_nanos(1000));
        let time = times.of(10, 100 + LONG as u64);
        assert_eq!(time.estimated, Some(Duration::from_nanos(1300)));
        assert_eq!((time.timed_batches, time.timed_vertices), (3, 40 + LONG as u64));
        assert_eq!(time.timed, Duration::from_nanos(1120));
    }
}
