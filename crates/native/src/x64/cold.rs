//! Cold code, which is still to be made behind the function: for what seldom happens in it.

use super::adjacent::Apart;
use super::tails::Tail;

/// What is done there, in the order in which the function goes there.
#[derive(Default)]
pub(super) struct Cold {
    pub(super) tails: Vec<Tail>,
    pub(super) apart: Vec<Apart>,
    forks: usize,
}

impl Cold {
    /// The number of another way there, and back.
    pub(super) fn fork(&mut self) -> usize {
        self.forks += 1;
        self.forks - 1
    }
}
