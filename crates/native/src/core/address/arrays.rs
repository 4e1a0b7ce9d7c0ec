//! What is known of how attributes lie to each other in memory: what the checker has seen code compare.

use xfjit_runtime::batch::registers;
use xfjit_runtime::state::ATTRIBUTES;

/// Facts about the streams of attributes, which hold in all groups of a call once they do in one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Arrays {
    /// Streams that have the same stride.
    equal: u16,
    /// The stream in whose rows another one's elements lie, of the same stride, and how many bytes behind the row's first one.
    within: [Option<(u8, u8)>; ATTRIBUTES],
}

impl Arrays {
    /// Notes that two streams have the same stride.
    pub(super) fn set_equal(&mut self, a: usize, b: usize) {
        let both = 1 << a | 1 << b;
        self.equal = if self.equal & both == 0 { both } else { self.equal | both };
    }

    /// Whether they have.
    pub(super) fn are_equal(&self, a: usize, b: usize) -> bool {
        a == b || self.equal >> a & self.equal >> b & 1 != 0
    }

    /// Notes that rows of a stream, those of the same vertex, are so many bytes behind rows of another one.
    pub(super) fn set_distance(&mut self, stream: usize, first: usize, bytes: u8) {
        if self.are_equal(stream, first) {
            self.within[stream] = Some((first as u8, bytes));
        }
    }

    /// Streams among these whose elements lie in rows of another one, and at which byte.
    pub(super) fn within(&self, streams: u16, first: usize) -> impl Iterator<Item = (usize, u8)> {
        registers(streams).filter_map(move |stream| {
            self.within[stream].filter(|&(of, _)| usize::from(of) == first).map(|(_, at)| (stream, at))
        })
    }

    /// The meet: leaves what is known here and elsewhere.
    pub(super) fn meet(&mut self, other: &Arrays) {
        self.equal &= other.equal;
        for (own, other) in self.within.iter_mut().zip(&other.within) {
            *own = own.filter(|_| own == other);
        }
    }
}
