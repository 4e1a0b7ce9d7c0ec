//! Cold code, which is still to be made behind the function: for what seldom happens in it.

use super::adjacent::Apart;
use super::tails::Tail;

/// What is done there, in the order in which the function goes there.
#[derive(Default)]
pub(super) struct Cold {
    pub(super) tails: Vec<Tail>,
    pub(super) apart: Vec<Apart>,
}
