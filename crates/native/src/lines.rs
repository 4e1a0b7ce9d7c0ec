//! Which instruction of a function each piece of machine code was made for.

use crate::ir::func::{Func, Value};
use crate::ir::origin::Origin;

/// Pieces of machine code in their order: the offset at which each begins, and the value that it computes; none where the code
/// belongs to no instruction, as that of the loop over groups.
#[derive(Clone, Default, Debug)]
pub struct Lines(Vec<(u32, Option<Value>)>);

impl Lines {
    /// The next piece; of those that begin at one place the last counts.
    pub(super) fn push(&mut self, offset: u32, value: Option<Value>) {
        while self.0.last().is_some_and(|&(last, _)| last >= offset) {
            self.0.pop();
        }
        if self.0.last().is_none_or(|&(_, last)| last != value) {
            self.0.push((offset, value));
        }
    }

    /// The pieces.
    pub fn pieces(&self) -> &[(u32, Option<Value>)] {
        &self.0
    }

    /// The value that the code at an offset computes.
    pub fn value(&self, offset: u32) -> Option<Value> {
        let behind = self.0.partition_point(|&(start, _)| start <= offset);
        self.0[..behind].last()?.1
    }

    /// The pieces by what they come from, adjacent ones together.
    pub(super) fn origins(&self, func: &Func) -> Box<[(u32, Origin)]> {
        let mut origins: Vec<(u32, Origin)> = Vec::new();
        for &(offset, value) in &self.0 {
            let origin = value.map_or(Origin::NONE, |value| func.origin(value));
            if origins.last().is_none_or(|&(_, last)| last.place() != origin.place()) {
                origins.push((offset, origin));
            }
        }
        origins.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_piece_at_a_place_counts() {
        let mut lines = Lines::default();
        let [a, b] = [Some(Value(1)), Some(Value(2))];
        for (offset, value) in [(0, None), (4, a), (4, b), (8, b), (12, None), (16, a)] {
            lines.push(offset, value);
        }
        assert_eq!(lines.pieces(), [(0, None), (4, b), (12, None), (16, a)]);
        assert_eq!(
            [0, 3, 4, 11, 12, 15, 16, 99].map(|at| lines.value(at)),
            [None, None, b, b, None, None, a, a]
        );
    }
}
