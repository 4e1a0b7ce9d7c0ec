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
    /// Of these, what the interpreter took for vertices that native code had left to it.
    fallback: AtomicU64,
}

/// What a counter of times has come to.
struct Sum {
    batches: u64,
    vertices: u64,
    nanoseconds: u64,
    fallback: u64,
}

impl Timed {
    fn add(&self, vertices: u64, time: Duration, fallback: Duration) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.vertices.fetch_add(vertices, Ordering::Relaxed);
        self.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        if !fallback.is_zero() {
            self.fallback.fetch_add(fallback.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    fn read(&self) -> Sum {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let Timed { batches, vertices, nanoseconds, fallback } = self;
        Sum {
            batches: of(batches),
            vertices: of(vertices),
            nanoseconds: of(nanoseconds),
            fallback: of(fallback),
        }
    }
}

/// A part of an amount; of nothing it is nothing.
fn part(amount: u64, part: u64, whole: u64) -> u64 {
    // 128 bits: hours of nanoseconds times billions of vertices.
    let scaled = u128::from(amount) * u128::from(part) / u128::from(whole).max(1);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

impl Times {
    /// Notes a batch, and what of its time the interpreter took for vertices that native code had left to it.
    pub(super) fn add(&self, vertices: u64, time: Duration, fallback: Duration) {
        let timed = if vertices >= LONG as u64 { &self.long } else { &self.sampled };
        timed.add(vertices, time, fallback);
    }

    /// Of all batches of a tier: how many were timed, the time these took, and what follows for all.
    pub(super) fn of(&self, batches: u64, vertices: u64) -> TierTime {
        let (long, sampled) = (self.long.read(), self.sampled.read());
        let others = vertices.saturating_sub(long.vertices);
        let all = |of: fn(&Sum) -> u64| match (others, sampled.vertices) {
            (0, _) => Some(of(&long)),
            (_, 0) => None,
            (_, seen) => Some(of(&long).saturating_add(part(of(&sampled), others, seen))),
        };
        TierTime {
            batches,
            vertices,
            timed_batches: long.batches + sampled.batches,
            timed_vertices: long.vertices + sampled.vertices,
            timed: Duration::from_nanos(long.nanoseconds + sampled.nanoseconds),
            timed_fallback: Duration::from_nanos(long.fallback + sampled.fallback),
            estimated: all(|sum| sum.nanoseconds).map(Duration::from_nanos),
            fallback: all(|sum| sum.fallback).map(Duration::from_nanos),
        }
    }
}

impl TierTime {
    /// With what another tier has run. Of what none was timed, vertices are taken to take as long as the others.
    pub(super) fn and(self, other: TierTime) -> TierTime {
        let vertices = self.vertices + other.vertices;
        let all = |time: Duration, of: u64| {
            Duration::from_nanos(part(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), vertices, of))
        };
        let sum = |a: Option<Duration>, b: Option<Duration>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (Some(a), None) if self.vertices > 0 => Some(all(a, self.vertices)),
            (None, Some(b)) if other.vertices > 0 => Some(all(b, other.vertices)),
            _ => None,
        };
        TierTime {
            batches: self.batches + other.batches,
            vertices,
            timed_batches: self.timed_batches + other.timed_batches,
            timed_vertices: self.timed_vertices + other.timed_vertices,
            timed: self.timed + other.timed,
            timed_fallback: self.timed_fallback + other.timed_fallback,
            estimated: sum(self.estimated, other.estimated),
            fallback: sum(self.fallback, other.fallback),
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
    /// The part of `timed` that the interpreter took for vertices that native code had left to it. It is 0 for batches that run in the
    /// interpreter from the start.
    pub timed_fallback: Duration,
    /// An estimate of the time that all batches took. Batches of 8192 vertices and more are all timed; the others are assumed to take as
    /// long for each vertex as those of them that were timed. None if none was timed.
    pub estimated: Option<Duration>,
    /// The part of `estimated` that the interpreter took for vertices that native code had left to it.
    pub fallback: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_add_up() {
        let (times, none) = (Times::default(), Times::default());
        times.add(10, Duration::from_nanos(50), Duration::ZERO);
        let (some, untimed) = (times.of(4, 40), none.of(2, 20));
        assert_eq!((some.estimated, untimed.estimated), (Some(Duration::from_nanos(200)), None));
        for sum in [some.and(untimed), untimed.and(some)] {
            assert_eq!((sum.batches, sum.vertices, sum.timed_vertices), (6, 60, 10));
            assert_eq!(sum.estimated, Some(Duration::from_nanos(300)));
        }
        assert_eq!(some.and(none.of(0, 0)), some);
    }

    #[test]
    fn short_batches_are_estimated_and_long_ones_known() {
        let times = Times::default();
        assert_eq!(times.of(0, 0).estimated, Some(Duration::ZERO));
        assert_eq!(times.of(3, 30).estimated, None);
        times.add(10, Duration::from_nanos(50), Duration::from_nanos(8));
        times.add(30, Duration::from_nanos(70), Duration::ZERO);
        let time = times.of(9, 100);
        assert_eq!(time.estimated, Some(Duration::from_nanos(300)));
        assert_eq!(time.fallback, Some(Duration::from_nanos(20)));
        times.add(LONG as u64, Duration::from_nanos(1000), Duration::from_nanos(900));
        let time = times.of(10, 100 + LONG as u64);
        assert_eq!(time.estimated, Some(Duration::from_nanos(1300)));
        assert_eq!((time.fallback, time.timed_fallback.as_nanos()), (Some(Duration::from_nanos(920)), 908));
        assert_eq!((time.timed_batches, time.timed_vertices), (3, 40 + LONG as u64));
        assert_eq!(time.timed, Duration::from_nanos(1120));
    }
}
