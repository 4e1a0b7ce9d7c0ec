//! What a shader's code is, and which of it runs how many vertices.

use super::super::code::Compiled;
use super::guarded::guarded;
use super::memory::Memory;
use super::run::Run;
use crate::backend::{Cost, MachineCode, Outcome, Repeated, Routine, Source, Stages, Worker};
use crate::ir::func::{Func, Value};
use crate::ir::imm::Element;
use crate::ir::ops::{Kind, Op};
use crate::shader::Rows;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use xfjit_runtime::batch::{StreamError, registers};
use xfjit_runtime::bound::{Bound, Call, Needs, Repeat};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
use xfjit_runtime::state::{Row, Scratch};

/// Numbers of routines; 0 is nobody's.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// A number that no other routine of the process has.
pub(super) fn next_number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

#[derive(Debug)]
pub(super) struct Native {
    /// See [`next_number`].
    pub(super) number: u64,
    pub(super) source: Source,
    /// Code for any number of vertices.
    pub(super) any: Compiled,
    /// Code of more lanes for many vertices, see [`Native::code`].
    pub(super) many: Option<Compiled>,
    /// Its groups that are not few, and see [`far`].
    pub(super) few: usize,
    pub(super) far: usize,
    pub(super) env: FpEnv,
    /// What runs groups again in which a guard was raised; until it is there, the interpreter runs their vertices.
    pub(super) slow: OnceLock<Arc<dyn Routine>>,
    /// Rows of constants that a vertex writes.
    pub(super) rows_written: Vec<Written>,
    /// Attributes of which a NaN in any component raises a guard, as a mask.
    pub(super) rows_guarded: u16,
    /// Rows of constants that are read by their numbers.
    pub(super) rows_read: Rows,
    /// See [`operations`].
    pub(super) operations: usize,
    pub(super) memory_bytes: usize,
    pub(super) compile_time: Duration,
    pub(super) stages: Stages,
}

impl Routine for Native {
    fn lanes(&self) -> usize {
        self.many.as_ref().unwrap_or(&self.any).lanes()
    }

    fn runs_beside_itself(&self) -> bool {
        true
    }

    fn settle(&self, worker: &mut Worker) {
        worker.memory::<Memory>();
    }

    #[inline]
    fn run_repeat(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        batch: &mut Repeat<'_>,
    ) -> Repeated {
        let serve = constants.check(self.source.needs.rows, self.source.needs.writes_constants);
        if batch.runner() != self.number || serve.is_err() {
            return Repeated::Undone;
        }
        let _env = FpGuard::enter(self.env);
        let all = 0..batch.count();
        let code = self.code(all.len(), all.len());
        let Stopped { next, guarded } = self.at_once(code, worker.memory(), constants, batch, all.clone());
        let repeated = match guarded {
            None if next == all.end => return Repeated::Plainly,
            None => Repeated::Undone,
            Some(left) => self.repeat_slowly(left, worker, constants, batch),
        };
        if repeated == Repeated::Undone {
            // Where guards are raised once that the slow path cannot take, they often are again: then code would run for nothing.
            batch.was_run_by(0);
        }
        repeated
    }

    fn run_in_place(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        batch: &mut Repeat<'_>,
        part: Range<usize>,
    ) -> bool {
        if self.any.reads_zero_row() && !constants.has_zero_row() {
            return false;
        }
        let code = self.code(part.len(), part.len());
        let Stopped { next, guarded } = self.at_once(code, worker.memory(), constants, batch, part.clone());
        next == part.end && guarded.is_none()
    }

    fn needs(&self) -> &Needs {
        &self.source.needs
    }

    fn run_bound(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        self.source.check(constants, bound, &part)?;
        if !self.any.reads_zero_row() || constants.has_zero_row() {
            return Ok(self.run_checked(worker, constants, bound, part));
        }
        let mut rows = std::mem::take(&mut worker.memory::<Memory>().rows);
        rows.clear();
        rows.extend_from_slice(constants.rows());
        rows.push([0; 4]);
        let mut copy = Constants::read_only(&rows).with_zero_row();
        let outcome = self.run_checked(worker, &mut copy, bound, part);
        worker.memory::<Memory>().rows = rows;
        Ok(outcome)
    }

    fn machine_code(&self) -> Vec<MachineCode<'_>> {
        let codes = self.codes();
        codes
            .map(|code| MachineCode { bytes: code.code(), lanes: code.lanes(), lines: code.lines() })
            .collect()
    }

    fn cost(&self) -> Cost {
        let slow = self.slow.get().map(|slow| slow.cost()).unwrap_or_default();
        let mut stages = self.stages;
        stages += slow.stages;
        Cost {
            code_bytes: self.codes().map(Compiled::code_bytes).sum::<usize>() + slow.code_bytes,
            memory_bytes: self.memory_bytes + slow.memory_bytes,
            stack_bytes: self.codes().map(Compiled::stack_bytes).fold(slow.stack_bytes, usize::max),
            compile_time: self.compile_time + slow.compile_time,
            stages,
        }
    }

    fn rows_read(&self) -> Rows {
        self.rows_read
    }

    fn operations(&self) -> usize {
        self.operations
    }

    fn back_with(&self, slow: Arc<dyn Routine>) {
        let _ = self.slow.set(slow);
    }
}

/// Where a call of code has stopped: at a vertex, before which all have been run, and what it has left, if that is a guard.
pub(super) struct Stopped<'a> {
    pub(super) next: usize,
    pub(super) guarded: Option<Left<'a>>,
}

/// A call of code that has returned because of a guard: the code, its status, and the vertices that it was to run.
pub(super) type Left<'a> = (&'a Compiled, u64, Range<usize>);

impl Native {
    fn codes(&self) -> impl Iterator<Item = &Compiled> {
        self.many.iter().chain([&self.any])
    }

    /// The code that runs so many vertices at the end of a run of `all`.
    #[inline]
    pub(super) fn code(&self, count: usize, all: usize) -> &Compiled {
        let serves = |many: &&Compiled| {
            let Call { fewest, lanes, .. } = **many.call();
            count >= fewest && all < self.far && fills(count, lanes, self.few)
        };
        self.many.as_ref().filter(serves).unwrap_or(&self.any)
    }

    /// Runs vertices of a batch on the caller's own streams, up to where a guard is raised; none if code cannot work there.
    #[inline(always)]
    pub(super) fn at_once<'n>(
        &'n self,
        code: &'n Compiled,
        memory: &mut Memory,
        constants: &mut Constants<'_>,
        batch: &mut Repeat<'_>,
        part: Range<usize>,
    ) -> Stopped<'n> {
        let undone = Stopped { next: part.start, guarded: None };
        if part.is_empty() {
            return undone;
        }
        let Some(mut streams) = batch.streams(&mut memory.scratch, code.call()) else { return undone };
        let status = code.run(constants, &mut streams, part.clone());
        if !guarded(status, code.lanes(), part.clone()).is_empty() {
            return Stopped { guarded: Some((code, status, part)), ..undone };
        }
        self.note_rows(&memory.scratch, constants);
        Stopped { next: part.end, guarded: None }
    }

    /// Notes the rows of constants that the vertex has written for which code has just returned.
    #[inline]
    pub(super) fn note_rows(&self, scratch: &Scratch, constants: &mut Constants<'_>) {
        if self.source.needs.writes_constants {
            let has_written = |written: &&Written| !written.is_told || scratch.has_written(written.row);
            self.rows_written.iter().filter(has_written).for_each(|written| constants.note(written.row));
        }
    }

    /// Runs some vertices of a batch that is known to serve the code, on constants that do.
    #[inline]
    fn run_checked(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Outcome {
        // Vertices that write constants run one by one.
        let is_serial = self.source.needs.writes_constants;
        let env = FpGuard::enter(self.env);
        // For a few vertices every instruction counts, so there is no `Run` unless a guard is raised.
        let at_once = if is_serial { part.end.min(part.start + 1) } else { part.end };
        let run = bound.run_of(&part);
        let (all, behind) = (run.len(), run.end - part.end);
        let code = self.code(at_once - part.start + behind, all);
        let Stopped { next, guarded } =
            self.at_once(code, worker.memory(), constants, &mut bound.repeat(), part.start..at_once);
        let can_repeat = part == (0..bound.count()) && !self.any.reads_zero_row();
        if guarded.is_none() && next == part.end {
            if can_repeat {
                bound.repeat().was_run_by(self.number);
            }
            return Outcome::default();
        }
        // So can what the slow path alone runs again.
        let is_left_to_code =
            guarded.is_some() && !is_serial && self.slow_in_place(&bound.repeat()).is_some();
        let can_repeat = can_repeat && is_left_to_code;
        let (outcome, deferred) = (Outcome::default(), 0..0);
        let (begun, reached, has_guarded) = (part.start, 0, false);
        let mut run = Run {
            native: self,
            env,
            worker,
            constants,
            bound,
            outcome,
            deferred,
            has_guarded,
            slow: self.slow.get().map(|slow| &**slow),
            begun,
            reached,
            all,
            behind,
            can_repeat,
        };
        let next = guarded.map_or(next, |(code, status, vertices)| run.go_on(code, status, vertices));
        if is_serial {
            run.interpret();
        }
        let part = next..part.end;
        if is_serial {
            run.serial(part);
        } else {
            run.part(part);
        }
        run.interpret();
        let Run { outcome, can_repeat, bound, .. } = run;
        if can_repeat {
            bound.repeat().was_run_by(self.number);
        }
        outcome
    }
}

/// Whether vertices fill groups of so many lanes, a power of two: the last one by more than a half, or it is one of so many that are not few.
#[inline]
fn fills(count: usize, lanes: usize, few: usize) -> bool {
    count >= few * lanes || count.wrapping_sub(1) & (lanes - 1) >= lanes / 2
}

/// From so many bytes on a batch is in no cache near its core.
const FAR: usize = 8 << 20;

/// From how many vertices on a batch runs in smaller groups, since it does little but move memory: a Zen 5 moves a third more with 8
/// lanes than with 16.
pub(super) fn far(func: &Func) -> usize {
    let (inputs, outputs) = func.live_streams();
    let read: usize = registers(inputs).map(|register| func.inputs.format(register).bytes()).sum();
    let moved = read + outputs.count_ones() as usize * size_of::<Row>();
    let computes = |value: &&Value| matches!(func.inst(**value).op.kind(), Kind::Pure(_) | Kind::Double(_));
    let operations = func.body.iter().filter(computes).count();
    if 2 * operations < moved { FAR / moved } else { usize::MAX }
}

/// A row of constants that a vertex writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written {
    row: usize,
    /// Not every vertex does: the code tells in scratch memory whether it has.
    is_told: bool,
}

/// Rows of constants that a function writes.
pub(super) fn rows_written(func: &Func) -> Vec<Written> {
    let told: BTreeSet<u32> = func.told_rows().collect();
    let rows: BTreeSet<u32> = func.stored_rows().collect();
    rows.into_iter().map(|row| Written { row: row as usize, is_told: told.contains(&row) }).collect()
}

/// Groups of a call, to weigh what is computed for each of them against what is computed once.
const GROUPS: usize = 4;

/// Operations of a call.
pub(super) fn operations(func: &Func) -> usize {
    func.prologue.len() + GROUPS * func.body.len()
}

/// Rows of constants that a function reads by their numbers, not relative to an address register.
pub(super) fn rows_read(func: &Func) -> Rows {
    let reads = func.order().map(|value| func.inst(value)).filter(|inst| inst.op == Op::Ctx);
    let mut rows = Rows::NONE;
    reads.for_each(|inst| rows.insert(inst.immediate::<Element>().row));
    rows
}

/// Attributes whose rows are guarded as a whole, as a mask.
pub(super) fn rows_guarded(func: &Func) -> u16 {
    let guards = func.body.iter().map(|&value| func.inst(value)).filter(|inst| inst.op == Op::RowGuard);
    guards.fold(0, |mask, inst| mask | 1 << inst.immediate::<usize>())
}

#[cfg(test)]
mod tests {
    use super::fills;

    #[test]
    fn the_last_of_a_few_groups_is_filled_by_more_than_a_half() {
        for count in 1..200 {
            let is_filled = matches!(count, 9..=16 | 25..=32 | 41..=48 | 57..);
            assert_eq!(fills(count, 16, 4), is_filled, "{count}");
            assert_eq!(fills(count, 16, 1), count > 8, "{count}");
        }
    }
}
