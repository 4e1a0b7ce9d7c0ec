//! The run of one batch.

use super::super::code::Compiled;
use super::guarded::guarded;
use super::memory::Memory;
use super::routine::Native;
use crate::backend::{Outcome, Routine, Worker};
use std::ops::Range;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::bound::{Bound, Call, Streams};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpGuard;
use xfjit_runtime::staging::BLOCK;

// A mask has a bit for each vertex of the staging area.
const _: () = assert!(BLOCK <= u64::BITS as usize);

/// A run in progress.
pub(super) struct Run<'a, 'b, 'c> {
    pub(super) native: &'a Native,
    pub(super) env: FpGuard,
    pub(super) worker: &'a mut Worker,
    pub(super) constants: &'a mut Constants<'b>,
    pub(super) bound: &'a mut Bound<'c>,
    pub(super) outcome: Outcome,
    /// Vertices of deoptimised groups that the fallback has not run yet.
    pub(super) deferred: Range<usize>,
    /// Whether there are more of them in the memory of the worker ([`Memory::guarded`]).
    pub(super) has_guarded: bool,
    /// The slow path, if there was one when the run began.
    pub(super) slow: Option<&'a dyn Routine>,
    /// Where the run began, and how many vertices there are up to the last one that was left to the fallback.
    pub(super) begun: usize,
    pub(super) reached: usize,
    /// Vertices of the run that this is a piece of, and those of them behind it, which others run: which code runs a vertex does not depend
    /// on where a batch is cut.
    pub(super) all: usize,
    pub(super) behind: usize,
    /// Whether code alone, that of the slow path included, has run all so far where it is, and may do so again ([`Routine::run_repeat`]).
    pub(super) can_repeat: bool,
}

/// Where code finds vertices.
#[derive(Clone, Copy)]
enum Found {
    InPlace,
    /// In the staging area, where vertex 0 is the one at this position of the batch.
    Staged(usize),
}

impl Run<'_, '_, '_> {
    /// Runs independent vertices where they are, if they have a form that code can access, and else through the staging area.
    pub(super) fn part(&mut self, part: Range<usize>) {
        let Call { live_inputs, live_outputs, .. } = **self.native.any.call();
        if self.bound.is_in_place(live_inputs, live_outputs) {
            self.calls(Found::InPlace, part);
            return;
        }
        let mut position = part.start;
        while position < part.end && !self.gives_up() {
            let count = BLOCK.min(part.end - position);
            let staging = &mut self.worker.memory::<Memory>().staging;
            staging.load(self.bound.inputs(), self.native.any.call(), position, count);
            let mut again = self.calls(Found::Staged(position), 0..count);
            while again != 0 {
                let first = again.trailing_zeros();
                let length = (!(again >> first)).trailing_zeros();
                let part = position + first as usize..position + (first + length) as usize;
                self.run_slowly(part);
                again &= u64::MAX.checked_shl(first + length).unwrap_or(0);
            }
            position += count;
        }
        self.defer(position..part.end);
    }

    /// Runs vertices by the code for them. It is called again behind each group in which a guard was raised. Returns, as a mask, the
    /// vertices that wait for the slow path: the staging area is its own, too.
    fn calls(&mut self, found: Found, vertices: Range<usize>) -> u64 {
        let mut again = 0;
        let native = self.native;
        let begin = if let Found::Staged(position) = found { position } else { 0 };
        let mut next = vertices.start;
        while next < vertices.end {
            if self.gives_up() {
                self.defer(begin + next..begin + vertices.end);
                break;
            }
            let left = vertices.end - next;
            let code = match found {
                Found::InPlace => native.code(left + self.behind, self.all),
                // What is copied is never far.
                Found::Staged(_) => native.code(left, left),
            };
            let Memory { scratch, staging, .. } = self.worker.memory();
            let streams = match found {
                Found::InPlace => self.bound.streams(scratch, code.call()),
                Found::Staged(_) => Some(Streams::staged(scratch, staging, code.call())),
            };
            let Some(mut streams) = streams else { unreachable!("the batch has been found to be in place") };
            let status = code.run(self.constants, &mut streams, next..vertices.end);
            let guarded = guarded(status, code.lanes(), next..vertices.end);
            if let Found::Staged(position) = found
                && status != ALL_GUARDED
            {
                staging.store(self.bound, code.call().live_outputs, position, next..guarded.end);
            }
            next = guarded.end;
            let positions = begin + guarded.start..begin + next;
            match found {
                Found::Staged(_) if self.slow.is_some() => {
                    let part = self.guarded_part(code, status, positions);
                    again |= part.fold(0, |mask, position| mask | 1 << (position - begin));
                }
                Found::Staged(_) | Found::InPlace => self.defer_lanes(code, status, positions),
            }
        }
        again
    }

    /// Runs one vertex after the other.
    pub(super) fn serial(&mut self, part: Range<usize>) {
        for position in part.clone() {
            if self.gives_up() {
                self.defer(position..part.end);
                break;
            }
            self.part(position..position + 1);
            if self.deferred.is_empty() {
                self.native.note_rows(&self.worker.memory::<Memory>().scratch, self.constants);
            }
            // The next vertex reads the constants that this one writes.
            self.interpret();
        }
    }

    /// Goes on where code has returned, which was to run some vertices of a part.
    pub(super) fn go_on(&mut self, code: &Compiled, status: u64, vertices: Range<usize>) -> usize {
        let guarded = guarded(status, code.lanes(), vertices);
        self.defer_lanes(code, status, guarded.clone());
        guarded.end
    }
}
