//! The cache of programs by key. Its size in bytes is limited; the least recently used programs are evicted first.

use super::key::Key;
use lru::LruCache;
use rustc_hash::FxBuildHasher;
use std::time::Duration;

/// Counters of the cache and the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct CacheStats {
    /// Look-ups that found a program.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Programs thrown out to make room.
    pub evictions: u64,
    /// Programs held now.
    pub programs: usize,
    /// Bytes held now.
    pub bytes: usize,
    /// Programs compiled to native code.
    pub compiled: u64,
    /// Programs that could not be compiled and run in the interpreter.
    pub refused: u64,
    /// Time spent compiling.
    pub compile_time: Duration,
    /// Vertices that ran out of time ([`Config::timeout`](crate::Config::timeout)).
    pub timeouts: u64,
    /// Slots that vertices executed as overtime ([`Worker::set_overtime`](crate::Worker::set_overtime)).
    pub overtime: u64,
    /// Programs whose vertices often run out of time, and which no longer run in native code.
    pub given_up: u64,
    /// Batches of native code that were compared with the interpreter's ([`Options::verify`](crate::Options::verify)).
    pub verified: u64,
    /// Programs that no longer run in native code, since one of these batches differed.
    pub barred: u64,
    /// Routines with constants as literals that have been made ([`Options::fold_after`](crate::Options::fold_after)).
    pub folded: u64,
}

/// A bounded map from [`Key`]s to values of known weight.
#[derive(Debug)]
pub struct Cache<V> {
    entries: LruCache<Key, (V, usize), FxBuildHasher>,
    capacity: usize,
    stats: CacheStats,
}

impl<V: Clone> Cache<V> {
    /// A cache for values of `capacity` bytes in all.
    pub fn new(capacity: usize) -> Self {
        Cache {
            entries: LruCache::unbounded_with_hasher(FxBuildHasher),
            capacity,
            stats: CacheStats::default(),
        }
    }

    /// The value under a key, which becomes the most recently used.
    pub fn get(&mut self, key: &Key) -> Option<V> {
        let value = self.entries.get(key).map(|(value, _)| value.clone());
        let counter = if value.is_some() { &mut self.stats.hits } else { &mut self.stats.misses };
        *counter += 1;
        value
    }

    /// Puts a value under a key. If another thread has put one there meanwhile, that one stays and is returned.
    pub fn insert(&mut self, key: Key, value: V, bytes: usize) -> V {
        if let Some((present, _)) = self.entries.get(&key) {
            return present.clone();
        }
        let bytes = bytes + key.bytes();
        self.entries.put(key, (value.clone(), bytes));
        self.stats.bytes += bytes;
        self.make_room();
        value
    }

    /// Tells what a value weighs by now, if it is still the one under the key: then others may have to go, or itself.
    pub fn reweigh(&mut self, key: &Key, is_it: impl FnOnce(&V) -> bool, bytes: usize) {
        let Some((value, weight)) = self.entries.peek_mut(key) else { return };
        if is_it(value) {
            let bytes = bytes + key.bytes();
            self.stats.bytes = self.stats.bytes - *weight + bytes;
            *weight = bytes;
            self.make_room();
        }
    }

    /// All values, the most recently used first.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, (value, _))| value)
    }

    fn make_room(&mut self) {
        while self.stats.bytes > self.capacity {
            let Some((_, (_, bytes))) = self.entries.pop_lru() else { break };
            self.stats.bytes -= bytes;
            self.stats.evictions += 1;
        }
    }

    /// Counts a compilation.
    pub fn record_compile(&mut self, succeeded: bool, time: Duration) {
        let counter = if succeeded { &mut self.stats.compiled } else { &mut self.stats.refused };
        *counter += 1;
        self.stats.compile_time += time;
    }

    /// Counts the time of a further routine of a program, which is no program by itself.
    pub fn record_further(&mut self, time: Duration) {
        self.stats.compile_time += time;
    }

    /// The statistics so far.
    pub fn stats(&self) -> CacheStats {
        CacheStats { programs: self.entries.len(), ..self.stats }
    }
}
