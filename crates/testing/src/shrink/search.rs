//! The search for a smaller case.

use super::TRIES;
use std::ops::Range;

/// The smallest case so far, and what it must show.
pub struct Search<'a, C> {
    /// The case.
    pub best: C,
    left: u32,
    shows: &'a mut dyn FnMut(&C) -> bool,
}

impl<'a, C: Clone + PartialEq> Search<'a, C> {
    /// A search that begins with a case.
    pub fn new(case: C, shows: &'a mut dyn FnMut(&C) -> bool) -> Self {
        Search { best: case, left: TRIES, shows }
    }

    /// Makes a change if the case still shows what it must; whether it has.
    pub fn change(&mut self, change: impl FnOnce(&mut C)) -> bool {
        let mut case = self.best.clone();
        change(&mut case);
        if self.left == 0 || case == self.best {
            return false;
        }
        self.left -= 1;
        let shows = (self.shows)(&case);
        if shows {
            self.best = case;
        }
        shows
    }

    /// Takes away what is not needed of `count` things, many at a time first. `count` counts what is left.
    pub fn thin(
        &mut self,
        all: usize,
        without: impl Fn(&mut C, Range<usize>),
        count: impl Fn(&C) -> usize,
    ) -> bool {
        let (mut size, mut changed) = (all, false);
        while size > 0 {
            let mut at = 0;
            while at < count(&self.best) {
                let part = at..(at + size).min(count(&self.best));
                match self.change(|case| without(case, part)) {
                    true => changed = true,
                    false => at += size,
                }
            }
            size /= 2;
        }
        changed
    }

    /// Clears what is not needed of the things in a range: all of them, else each half by itself.
    pub fn clear(&mut self, part: Range<usize>, cleared: &dyn Fn(&mut C, Range<usize>)) -> bool {
        if part.is_empty() {
            return false;
        }
        if self.change(|case| cleared(case, part.clone())) {
            return true;
        }
        if part.len() == 1 {
            return false;
        }
        let middle = part.start + part.len() / 2;
        let first = self.clear(part.start..middle, cleared);
        self.clear(middle..part.end, cleared) | first
    }

    /// Repeats a round of passes until it changes nothing, and gives the case.
    pub fn rounds(mut self, mut round: impl FnMut(&mut Self) -> bool) -> C {
        while self.left > 0 && round(&mut self) {}
        self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shrunk(all: &[u32], shows: &mut dyn FnMut(&Vec<u32>) -> bool) -> Vec<u32> {
        Search::new(all.to_vec(), shows).rounds(|search| {
            let count = search.best.len();
            let thinned = search.thin(count, |case, part| drop(case.drain(part)), Vec::len);
            let count = search.best.len();
            search.clear(0..count, &|case, part| case[part].fill(0)) | thinned
        })
    }

    #[test]
    fn what_is_needed_is_left() {
        let all: Vec<u32> = (1..=100).collect();
        assert_eq!(shrunk(&all, &mut |case| case.contains(&37) && case.contains(&90)), [37, 90]);
        assert_eq!(shrunk(&all, &mut |case| case.len() >= 3), [0; 3]);
        assert_eq!(shrunk(&all, &mut |_| true), []);
        assert_eq!(shrunk(&all, &mut |_| false), all);
    }

    #[test]
    fn a_search_ends() {
        let (mut tries, mut sum) = (0, 0u64);
        // Never the same twice, so that each change is tried.
        let mut shows = |_: &u64| {
            tries += 1;
            true
        };
        Search::new(0, &mut shows).rounds(|search| {
            sum += 1;
            search.change(|case| *case = sum)
        });
        assert_eq!(tries, TRIES);
    }
}
