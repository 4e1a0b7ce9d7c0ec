//! Handles that a device keeps beside the cache of its engine, so that a draw takes no lock and no hash.

use std::ops::{Index, IndexMut};

/// What has been made for keys, by number. Once there are too many all are forgotten: whoever made them has a cache.
#[derive(Debug)]
pub(crate) struct Handles<K, V> {
    kept: Vec<(K, V)>,
    most: usize,
}

impl<K: PartialEq, V> Handles<K, V> {
    /// None; at most so many are kept.
    pub(crate) fn new(most: usize) -> Self {
        Handles { kept: Vec::with_capacity(most), most }
    }

    /// The number of what a key has.
    pub(crate) fn find(&self, key: &K) -> Option<usize> {
        self.kept.iter().position(|(kept, _)| kept == key)
    }

    /// Keeps what a key has, and tells its number. Those told before may be no more.
    pub(crate) fn keep(&mut self, key: K, value: V) -> usize {
        if self.kept.len() == self.most {
            self.kept.clear();
        }
        self.kept.push((key, value));
        self.kept.len() - 1
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }

    /// One of them, if it is still there.
    pub(crate) fn get(&self, number: usize) -> Option<&(K, V)> {
        self.kept.get(number)
    }
}

impl<K, V> Index<usize> for Handles<K, V> {
    type Output = (K, V);

    fn index(&self, number: usize) -> &(K, V) {
        &self.kept[number]
    }
}

impl<K, V> IndexMut<usize> for Handles<K, V> {
    fn index_mut(&mut self, number: usize) -> &mut (K, V) {
        &mut self.kept[number]
    }
}
