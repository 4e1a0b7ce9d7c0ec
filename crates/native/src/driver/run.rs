//! The run of one batch.

use super::super::code::Compiled;
use super::guarded::{guarded, vertices_of};
use super::memory::Memory;
use super::routine::Native;
use crate::backend::{Outcome, Worker};
use std::ops::Range;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::bound::{Bound, Call, Streams};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpGuard;
use xfjit_runtime::staging::BLOCK;

/// A run in progress.
pub(super) struct Run<'a, 'b, 'c> {
    pub(super) native: &'a Native,
    pub(super) compiled: &'a Compiled,
    pub(super) call: &'a Call,
    pub(super) env: FpGuard,
    pub(super) worker: &'a mut Worker,
    pub(super) constants: &'a mut Constants<'b>,
    pub(super) bound: &'a mut Bound<'c>,
    pub(super) outcome: Outcome,
    /// Vertices of deoptimised groups that the fallback has not run yet.
    pub(super) deferred: Range<usize>,
    /// Whether there are more of them in the memory of the worker ([`Memory::guarded`]).
    pub(super) has_guarded: bool,
    /// Where the run began, and how many vertices there are up to the last one that was left to the fallback.
    pub(super) begun: usize,
    pub(super) reached: usize,
}

impl<'a> Run<'a, '_, '_> {
    /// Runs independent vertices directly on the caller's streams, if they have a form that code can access, and else through the
    /// staging area. What is before the first whole group, or behind the last one, is for code with tails. If there is none,
    /// what is before goes through the staging area, as do batches of less than a group; what remains behind is a whole group with
    /// vertices of the one before it.
    pub(super) fn part(&mut self, part: Range<usize>) {
        let &Call { live_inputs, live_outputs, lanes, has_tails, .. } = self.call;
        let mut done = part.start;
        if has_tails {
            if self.bound.is_in_place(live_inputs, live_outputs) {
                done = self.in_place(part.clone());
            }
        } else if part.len() >= lanes && self.bound.is_in_place(live_inputs, live_outputs) {
            // Groups are counted from the beginning of the batch.
            let first = (done + lanes - 1) >> lanes.trailing_zeros();
            let groups = first..part.end >> lanes.trailing_zeros();
            if !groups.is_empty() {
                let head = groups.start * lanes;
                let few = self.native.small.as_ref().filter(|small| small.call().has_tails);
                if done < head {
                    match few {
                        Some(few) => self.few(few, done..head),
                        None => self.block(done, head - done),
                    }
                }
                done = groups.end * lanes;
                let is_done = self.direct(groups);
                if done == part.end {
                    return;
                }
                if let Some(few) = few {
                    self.few(few, done..part.end);
                    return;
                }
                if is_done && self.last(part.end - lanes) {
                    return;
                }
            }
        }
        while done < part.end && !self.gives_up() {
            let count = BLOCK.min(part.end - done);
            self.block(done, count);
            done += count;
        }
        self.defer(done..part.end);
    }

    /// Runs vertices directly on the caller's streams, the last ones with code for as many as there are. Returns which one
    /// is to be run next.
    fn in_place(&mut self, part: Range<usize>) -> usize {
        let lanes = self.call.lanes;
        // Groups are counted from the beginning of the streams.
        let first = if part.start.is_multiple_of(lanes) { 0 } else { part.start };
        let mut next = part.start;
        while next < part.end && !self.gives_up() {
            let Memory { io, scratch, .. } = self.worker.memory();
            let streams = match first {
                0 => self.bound.streams(scratch, self.call),
                _ => self.bound.behind(io, scratch, first, self.call),
            };
            let Some(mut streams) = streams else { break };
            let status = self.compiled.run(self.constants, &mut streams, next - first..part.end - first);
            let guarded = vertices_of(status, lanes, next - first..part.end - first);
            next = first + guarded.end;
            self.defer_lanes(status, first + guarded.start..next);
        }
        next
    }

    /// Runs vertices directly on the caller's streams, with other code than the rest, which has tails.
    fn few(&mut self, code: &'a Compiled, part: Range<usize>) {
        let most = (self.compiled, self.call);
        (self.compiled, self.call) = (code, code.call());
        let next = self.in_place(part.clone());
        self.defer(next..part.end);
        (self.compiled, self.call) = most;
    }

    /// Runs whole groups directly on the caller's streams. Tells whether the last one is done.
    fn direct(&mut self, groups: Range<usize>) -> bool {
        let lanes = self.call.lanes;
        let vertices =
            |groups: Range<usize>, count: usize| groups.start * lanes..count.min(groups.end * lanes);
        let count = self.bound.count();
        let mut next = groups.start;
        let mut is_done = false;
        while next < groups.end && !self.gives_up() {
            let scratch = &mut self.worker.memory::<Memory>().scratch;
            let Some(mut streams) = self.bound.streams(scratch, self.call) else { break };
            let status = self.compiled.run(self.constants, &mut streams, next * lanes..groups.end * lanes);
            let guarded = guarded(status, next..groups.end);
            is_done = guarded.is_empty();
            next = guarded.end;
            self.defer_lanes(status, vertices(guarded, count));
        }
        self.defer(vertices(next..groups.end, count));
        is_done
    }

    /// Runs the last group of a part, some of whose vertices are done: native code computes the same again. (The fallback
    /// would count what it finds wrong with them again; so the group before must not have been left to it.) Tells whether
    /// the streams have a form that code can access.
    fn last(&mut self, position: usize) -> bool {
        let Memory { io, scratch, .. } = self.worker.memory();
        let Some(mut streams) = self.bound.behind(io, scratch, position, self.call) else { return false };
        let status = self.compiled.run(self.constants, &mut streams, 0..self.call.lanes);
        if !guarded(status, 0..1).is_empty() {
            self.defer_lanes(status, position..position + self.call.lanes);
        }
        true
    }

    /// Runs up to [`BLOCK`] vertices from batch position `position` on: a single one directly on the streams if possible,
    /// others through the staging area.
    fn block(&mut self, position: usize, count: usize) {
        let compiled = self.compiled;
        let &Call { live_outputs, lanes, has_tails, .. } = self.call;
        if count == 1 {
            let Memory { io, scratch, .. } = self.worker.memory();
            let streams = match has_tails {
                true => self.bound.behind(io, scratch, position, self.call),
                false => self.bound.single(io, scratch, position, self.call),
            };
            if let Some(mut streams) = streams {
                let vertices = 0..if has_tails { 1 } else { lanes };
                let status = compiled.run(self.constants, &mut streams, vertices);
                self.defer(if guarded(status, 0..1).is_empty() { 0..0 } else { position..position + 1 });
                return;
            }
        }
        let groups = count.div_ceil(lanes);
        let last = if has_tails { count } else { groups * lanes };
        let mut next = 0;
        loop {
            let Memory { scratch, staging, .. } = self.worker.memory();
            if next == 0 {
                staging.load_bound(self.bound, self.call, position, count);
            }
            let mut streams = Streams::staged(scratch, staging, self.call);
            let status = compiled.run(self.constants, &mut streams, next * lanes..last);
            let guarded = guarded(status, next..groups);
            let at = |group: usize| count.min(group * lanes);
            let ran = if status == ALL_GUARDED { at(next) } else { at(guarded.end) };
            staging.store(self.bound, live_outputs, position, at(next)..ran);
            self.defer_lanes(status, position + at(guarded.start)..position + at(guarded.end));
            next = guarded.end;
            if next >= groups {
                break;
            }
        }
    }

    /// Runs one vertex after the other; all lanes of a group are the same vertex.
    pub(super) fn serial(&mut self, part: Range<usize>) {
        for position in part.clone() {
            if self.gives_up() {
                self.defer(position..part.end);
                break;
            }
            self.block(position, 1);
            if self.deferred.is_empty() {
                self.native.note_rows(self.worker, self.constants);
            }
            // The next vertex reads the constants that this one writes.
            self.interpret();
        }
    }
}
