//! Programs that wait for the engine's thread.

use super::Program;
use std::sync::{Arc, Weak};

/// Programs that have not been compiled.
#[derive(Default)]
pub(super) struct Waiting {
    programs: Vec<Weak<Program>>,
    /// Those that lived when the dead ones were last thrown out.
    living: usize,
}

impl Waiting {
    pub(super) fn push(&mut self, program: &Arc<Program>) {
        // A dead entry holds the memory of its program, so there may be only some. Looking for them each time takes long.
        if self.programs.len() >= self.living + self.living / 4 + 64 {
            self.sweep();
        }
        self.programs.push(Arc::downgrade(program));
    }

    fn sweep(&mut self) {
        self.programs.retain(|program| program.strong_count() > 0);
        self.living = self.programs.len();
        self.programs.shrink_to(2 * self.living + 64);
    }

    /// A program that has run often enough to be compiled, or is wanted anyway. It is held from the moment it is looked at: another one is
    /// chosen if it goes before.
    pub(super) fn take_hot(&mut self) -> Option<Arc<Program>> {
        self.sweep();
        let mut programs = self.programs.iter().enumerate();
        let (index, program) = programs.find_map(|(index, program)| {
            Some((index, program.upgrade().filter(|program| program.is_hot())?))
        })?;
        self.programs.swap_remove(index);
        Some(program)
    }
}
