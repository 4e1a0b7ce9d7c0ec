//! What native code leaves to its slow path, or to the interpreter.

use super::super::code::Compiled;
use super::memory::{MOST_GUARDED, Memory};
use super::routine::{Left, Native};
use super::run::Run;
use crate::backend::{Outcome, Repeated, Routine};
use crate::shader::Worker;
use std::ops::Range;
use xfjit_runtime::abi::{ALL_GUARDED, MOST_LANES};
use xfjit_runtime::batch::registers;
use xfjit_runtime::bound::Repeat;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::Row;

/// After so many vertices have run into the instruction limit, a run leaves all further ones to the interpreter: native code
/// would execute such vertices up to the limit, and the interpreter again. It does so as well after so many that run for long and
/// then raise a guard, if they are one of [`SHARE`] of those so far. What such vertices have executed, the interpreter
/// counts when it runs them again, so native code need not.
const PATIENCE: u64 = 64;
const SHARE: u64 = 4;

impl Run<'_, '_, '_> {
    /// Leaves vertices to the fallback. Adjacent ones are collected, since the fallback is faster with many.
    #[inline]
    pub(super) fn defer(&mut self, positions: Range<usize>) {
        if !positions.is_empty() {
            self.defer_some(self.native.any.lanes(), positions);
        }
    }

    /// Leaves the vertices of a group to the fallback in which guards were raised: the code has returned with this status.
    #[inline]
    pub(super) fn defer_lanes(&mut self, code: &Compiled, status: u64, positions: Range<usize>) {
        if !positions.is_empty() {
            if self.slow.is_some() {
                let again = self.guarded_part(code, status, positions);
                return self.run_slowly(again);
            }
            self.defer_some_lanes(code.lanes(), status, positions);
        }
    }

    /// Counts a group in which guards were raised, for the slow path; what is to run again of it: from the first such vertex to the last.
    pub(super) fn guarded_part(
        &mut self,
        code: &Compiled,
        status: u64,
        positions: Range<usize>,
    ) -> Range<usize> {
        if positions.is_empty() {
            return positions;
        }
        self.worker.leave(positions.start);
        let mask = self.guarded_lanes(code.lanes(), status, &positions);
        count_part(&mut self.outcome, code.lanes(), positions, mask)
    }

    /// Runs vertices again on the slow path, whose groups need no other than these. What it leaves is the interpreter's.
    pub(super) fn run_slowly(&mut self, positions: Range<usize>) {
        let Some(slow) = self.slow.filter(|_| !positions.is_empty()) else { return };
        if self.can_repeat {
            let (constants, mut batch) = (&mut *self.constants, self.bound.repeat());
            let run =
                |worker: &mut Worker| slow.run_in_place(worker, constants, &mut batch, positions.clone());
            self.can_repeat = self.worker.in_fallback(run);
            if self.can_repeat {
                self.outcome.slow_vertices += positions.len() as u64;
                return;
            }
        }
        let (constants, bound) = (&mut *self.constants, &mut *self.bound);
        let run = |worker: &mut Worker| slow.run_bound(worker, constants, bound, positions.clone());
        match self.worker.in_fallback(run) {
            Ok(outcome) => {
                self.outcome.slow_vertices += positions.len() as u64 - outcome.deopt_vertices;
                self.outcome.faults += outcome.faults;
            }
            Err(error) => unreachable!("the batch is bound for this program: {error}"),
        }
    }

    fn defer_some_lanes(&mut self, lanes: usize, status: u64, positions: Range<usize>) {
        let Some(mask) = self.guarded_lanes(lanes, status, &positions) else {
            return self.defer_some(lanes, positions);
        };
        self.worker.leave(positions.start);
        self.reached = positions.end - self.begun;
        self.outcome.deopt_groups += 1;
        self.outcome.deopt_vertices += u64::from(mask.count_ones());
        self.has_guarded = true;
        let memory = self.worker.memory::<Memory>();
        memory.guarded.extend(
            (0..positions.len()).filter(|lane| mask >> lane & 1 != 0).map(|lane| positions.start + lane),
        );
        let patience =
            if self.native.source.may_run_out_of_time() { PATIENCE as usize } else { MOST_GUARDED };
        if memory.guarded.len() + MOST_LANES > patience {
            self.interpret();
        }
    }

    /// The vertices of a group in which guards were raised, as a mask; nothing if it is all of them.
    fn guarded_lanes(&mut self, lanes: usize, status: u64, positions: &Range<usize>) -> Option<u32> {
        let told = told_lanes(self.worker.memory(), lanes, status, positions.len())?;
        let fetch = |register, position| self.bound.inputs().fetch(register, position);
        some_of(told | self.native.rows_with_nans(positions, fetch), positions.len())
    }

    /// Leaves vertices of groups of so many lanes.
    fn defer_some(&mut self, lanes: usize, positions: Range<usize>) {
        self.worker.leave(positions.start);
        self.reached = positions.end - self.begun;
        self.outcome.deopt_vertices += positions.len() as u64;
        self.outcome.deopt_groups += positions.len().div_ceil(lanes) as u64;
        if self.deferred.end != positions.start {
            self.interpret();
            self.deferred.start = positions.start;
        }
        self.deferred.end = positions.end;
        if self.native.source.may_run_out_of_time() && self.deferred.len() as u64 >= PATIENCE {
            self.interpret();
        }
    }

    /// Whether the remaining vertices are left to the interpreter, see [`PATIENCE`].
    #[inline]
    pub(super) fn gives_up(&self) -> bool {
        let Outcome { faults, in_vain, .. } = self.outcome;
        faults.timeouts >= PATIENCE || in_vain >= PATIENCE && in_vain * SHARE >= self.reached as u64
    }

    /// Runs the collected vertices in the fallback.
    #[inline]
    pub(super) fn interpret(&mut self) {
        if !self.deferred.is_empty() || self.has_guarded {
            self.interpret_some();
        }
    }

    fn interpret_some(&mut self) {
        let positions = std::mem::take(&mut self.deferred);
        let source = &self.native.source;
        let worker = &mut *self.worker;
        let (constants, bound) = (&mut *self.constants, &*self.bound);
        self.has_guarded = false;
        let before = worker.taken();
        let mut guarded = std::mem::take(&mut worker.memory::<Memory>().guarded);
        let run = |worker: &mut Worker| {
            let mut faults = source.run_some(worker, constants, bound, &guarded);
            if !positions.is_empty() {
                faults += source.run(worker, constants, bound, positions);
            }
            faults
        };
        self.outcome.faults += self.env.suspend(FpEnv::Default, || worker.in_fallback(run));
        self.outcome.in_vain += self.worker.taken().since(&before).long;
        guarded.clear();
        self.worker.memory::<Memory>().guarded = guarded;
    }
}

impl Native {
    /// The slow path, if which vertices of the batch it runs can be told where they are.
    pub(super) fn slow_in_place(&self, batch: &Repeat<'_>) -> Option<&dyn Routine> {
        self.slow.get().map(|slow| &**slow).filter(|_| batch.has_rows(self.rows_guarded))
    }

    /// The vertices of a group with a NaN in an attribute whose rows are guarded as a whole, as a mask.
    fn rows_with_nans(&self, positions: &Range<usize>, fetch: impl Fn(usize, usize) -> Row) -> u32 {
        let is_nan = |word: u32| word & 0x7fff_ffff > 0x7f80_0000;
        registers(self.rows_guarded).fold(0, |mask, register| {
            let has_nans = |position| fetch(register, position).into_iter().any(is_nan);
            mask | positions.clone().rev().fold(0, |mask, position| mask << 1 | u32::from(has_nans(position)))
        })
    }

    /// Goes on where code has raised a guard: the slow path runs such groups, and code those behind them.
    #[cold]
    #[inline(never)]
    pub(super) fn repeat_slowly(
        &self,
        left: Left<'_>,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        batch: &mut Repeat<'_>,
    ) -> Repeated {
        let Some(slow) = self.slow_in_place(batch) else { return Repeated::Undone };
        let mut outcome = Outcome::default();
        let (mut left, count) = (Some(left), batch.count());
        while let Some((code, status, vertices)) = left {
            let group = guarded(status, code.lanes(), vertices);
            let fetch = |register, position| batch.row(register, position);
            let mask = told_lanes(worker.memory(), code.lanes(), status, group.len())
                .and_then(|told| some_of(told | self.rows_with_nans(&group, fetch), group.len()));
            let again = count_part(&mut outcome, code.lanes(), group.clone(), mask);
            outcome.slow_vertices += again.len() as u64;
            if !slow.run_in_place(worker, constants, batch, again) {
                return Repeated::Undone;
            }
            let behind = group.end..count;
            if behind.is_empty() {
                break;
            }
            let code = self.code(behind.len(), count);
            let stopped = self.at_once(code, worker.memory(), constants, batch, behind);
            if stopped.guarded.is_none() && stopped.next != count {
                return Repeated::Undone;
            }
            left = stopped.guarded;
        }
        let Outcome { deopt_groups, deopt_vertices, slow_vertices, .. } = outcome;
        match [deopt_groups, deopt_vertices, slow_vertices].map(u32::try_from) {
            [Ok(deopt_groups), Ok(deopt_vertices), Ok(slow_vertices)] => {
                Repeated::Slowly { deopt_groups, deopt_vertices, slow_vertices }
            }
            _ => Repeated::Undone,
        }
    }
}

/// Counts a group in which guards were raised, in some vertices or in all; what is to run again of it: from the first such vertex to the last.
fn count_part(outcome: &mut Outcome, lanes: usize, group: Range<usize>, mask: Option<u32>) -> Range<usize> {
    outcome.deopt_groups += group.len().div_ceil(lanes) as u64;
    let Some(mask) = mask else {
        outcome.deopt_vertices += group.len() as u64;
        return group;
    };
    outcome.deopt_vertices += u64::from(mask.count_ones());
    let (first, end) = (mask.trailing_zeros() as usize, mask.ilog2() as usize + 1);
    group.start + first..group.start + end
}

/// The vertices of a group of so many of which code tells that it has raised guards in them, as a mask; nothing if it is all of them.
fn told_lanes(memory: &Memory, lanes: usize, status: u64, vertices: usize) -> Option<u32> {
    // Of constants alone all vertices are guarded.
    let is_one = status == ALL_GUARDED || vertices == 1;
    (!is_one).then(|| memory.scratch.guarded(lanes, vertices))
}

/// A mask of some of so many vertices; nothing if it is all of them. Code that told of none would leave its group undone.
fn some_of(mask: u32, vertices: usize) -> Option<u32> {
    (mask != u32::MAX >> (u32::BITS as usize - vertices) && mask != 0).then_some(mask)
}

/// The vertices of the group that was deoptimised when native code of so many lanes returned, which was to run these; empty, at the
/// end, if it ran all of them.
#[inline]
pub(super) fn guarded(status: u64, lanes: usize, vertices: Range<usize>) -> Range<usize> {
    if status == ALL_GUARDED {
        return vertices;
    }
    let first = vertices.end.min(status as usize);
    first..vertices.end.min(first + lanes)
}
