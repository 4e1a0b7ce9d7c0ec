//! How much a capture may ask for: a few bytes of it, compressed, can be work for days.

use super::error::Problem;
use super::{MOST_ITEMS, MOST_VERTICES_IN_ALL};

/// What there was of a capture so far.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Count {
    /// Items, programs and calls.
    pub(super) items: u64,
    vertices: u64,
}

impl Count {
    /// With one more item, which runs programs so many times.
    pub(super) fn with(self, vertices: u64) -> Result<Count, Problem> {
        let Count { items, vertices } =
            Count { items: self.items + 1, vertices: self.vertices.saturating_add(vertices) };
        match () {
            () if items > MOST_ITEMS => Err(Problem::Items),
            () if vertices > MOST_VERTICES_IN_ALL => Err(Problem::Vertices),
            () => Ok(Count { items, vertices }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_capture_asks_for_more() {
        let count = Count { items: MOST_ITEMS - 1, vertices: 7 };
        let last = count.with(0).expect("there is room for one");
        assert!(matches!(last.with(0), Err(Problem::Items)));
        let count = Count { items: 0, vertices: MOST_VERTICES_IN_ALL - 2 };
        assert!(matches!(count.with(3), Err(Problem::Vertices)));
        assert!(matches!(count.with(u64::MAX), Err(Problem::Vertices)));
        let last = count.with(2).expect("there is room for two");
        assert_eq!(last.with(0).expect("it runs nothing").items, 2);
    }
}
