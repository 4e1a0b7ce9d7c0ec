//! What a shader's code is, and which of it runs how many vertices.

use super::super::code::Compiled;
use super::guarded::vertices_of;
use super::memory::Memory;
use super::run::Run;
use crate::backend::{Cost, MachineCode, Outcome, Routine, Source, Stages, Worker};
use crate::ir::func::{Func, Value};
use crate::ir::ops::{Kind, Op};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use xfjit_runtime::batch::{StreamError, registers};
use xfjit_runtime::bound::{Bound, Needs, Repeat};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::{FpEnv, FpGuard};
use xfjit_runtime::state::Row;

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
    pub(super) compiled: Compiled,
    /// Code for smaller groups, see [`Native::code`].
    pub(super) small: Option<Compiled>,
    /// See [`far`].
    pub(super) far: usize,
    pub(super) env: FpEnv,
    /// Rows of constants that a vertex writes.
    pub(super) rows_written: Vec<Written>,
    /// Attributes of which a NaN in any component raises a guard, as a mask.
    pub(super) rows_guarded: u16,
    pub(super) memory_bytes: usize,
    pub(super) compile_time: Duration,
    pub(super) stages: Stages,
}

impl Routine for Native {
    fn lanes(&self) -> usize {
        self.compiled.lanes()
    }

    fn settle(&self, worker: &mut Worker) {
        worker.memory::<Memory>();
    }

    #[inline]
    fn run_repeat(&self, worker: &mut Worker, constants: &mut Constants<'_>, batch: &mut Repeat<'_>) -> bool {
        let serve = constants.check(self.source.needs.rows, self.source.needs.writes_constants);
        if batch.runner() != self.number || serve.is_err() {
            return false;
        }
        let count = batch.count();
        let compiled = self.code(count);
        let call = compiled.call();
        let _env = FpGuard::enter(self.env);
        let groups = (count + call.lanes - 1) >> call.lanes.trailing_zeros();
        let Some(status) = at_once(compiled, worker, constants, batch, count) else { return false };
        let has_run = status == groups as u64;
        if has_run {
            self.note_rows(worker, constants);
        } else {
            // Where guards are raised once they often are again: then code would run for nothing.
            batch.was_run_by(0);
        }
        has_run
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
        if !self.compiled.reads_zero_row() || constants.has_zero_row() {
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
        Cost {
            code_bytes: self.codes().map(Compiled::code_bytes).sum(),
            memory_bytes: self.memory_bytes,
            stack_bytes: self.codes().map(Compiled::stack_bytes).max().unwrap_or_default(),
            compile_time: self.compile_time,
            stages: self.stages,
        }
    }
}

/// Calls code once for the vertices of a batch up to `end`, on the caller's own streams; what it returns, or nothing if it cannot work
/// there. A single vertex is all lanes of a group, unless the code takes fewer.
#[inline]
fn at_once(
    compiled: &Compiled,
    worker: &mut Worker,
    constants: &mut Constants<'_>,
    batch: &mut Repeat<'_>,
    end: usize,
) -> Option<u64> {
    let call = compiled.call();
    let scratch = &mut worker.memory::<Memory>().scratch;
    let mut streams = batch.streams(scratch, call)?;
    let end = if call.has_tails || end != 1 { end } else { call.lanes };
    Some(compiled.run(constants, &mut streams, 0..end))
}

impl Native {
    fn codes(&self) -> impl Iterator<Item = &Compiled> {
        [Some(&self.compiled), self.small.as_ref()].into_iter().flatten()
    }

    /// The code for so many vertices. A few groups have to be full, since what remains takes a second call; where there are more, that
    /// costs little.
    #[inline]
    fn code(&self, count: usize) -> &Compiled {
        let lanes = self.compiled.lanes();
        match &self.small {
            Some(small) if count < FEW * lanes && !count.is_multiple_of(lanes) || count >= self.far => small,
            _ => &self.compiled,
        }
    }

    /// Notes the rows of constants that the vertex has written for which code has just returned.
    #[inline]
    pub(super) fn note_rows(&self, worker: &mut Worker, constants: &mut Constants<'_>) {
        if self.source.needs.writes_constants {
            let scratch = &worker.memory::<Memory>().scratch;
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
        let compiled = self.code(if is_serial { 1 } else { part.len() });
        let (call, env) = (compiled.call(), FpGuard::enter(self.env));
        let (mut status, mut guarded) = (0, part.start..part.start);
        let is_alone = part.len() == 1;
        let is_at_once = match call.has_tails {
            true => part.start == 0 && (is_alone || !is_serial),
            false if is_alone => bound.is_single(),
            false => part.start == 0 && part.end & (call.lanes - 1) == 0 && !is_serial,
        };
        // For a few vertices every instruction counts, so there is no `Run` unless a guard is raised.
        if is_at_once
            && let Some(returned) = at_once(compiled, worker, constants, &mut bound.repeat(), part.end)
        {
            status = returned;
            guarded = vertices_of(status, call.lanes, part.clone());
            if guarded.is_empty() {
                self.note_rows(worker, constants);
                if part.end == bound.count() && !compiled.reads_zero_row() {
                    bound.repeat().was_run_by(self.number);
                }
                return Outcome::default();
            }
        }
        let (outcome, deferred) = (Outcome::default(), 0..0);
        let (begun, reached) = (part.start, 0);
        let part = guarded.end..part.end;
        let has_guarded = false;
        let mut run = Run {
            native: self,
            compiled,
            call,
            env,
            worker,
            constants,
            bound,
            outcome,
            deferred,
            has_guarded,
            begun,
            reached,
        };
        run.defer_lanes(status, guarded);
        if is_serial {
            run.serial(part);
        } else {
            run.part(part);
        }
        run.interpret();
        run.outcome
    }
}

/// So many groups of the longest vectors are not few.
const FEW: usize = 4;

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

/// Attributes whose rows are guarded as a whole, as a mask.
pub(super) fn rows_guarded(func: &Func) -> u16 {
    let guards = func.body.iter().map(|&value| func.inst(value)).filter(|inst| inst.op == Op::RowGuard);
    guards.fold(0, |mask, inst| mask | 1 << inst.immediate::<usize>())
}
