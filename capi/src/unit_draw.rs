//! Draws of the unit: a batch's attributes and indices, as commands would send them.

use crate::batch::{arrays, instances, xfjit_batch};
use crate::indices::{Lists, Numbers};
use crate::memory;
use crate::run::refused;
use crate::status::{Failure, argument, call, xfjit_status};
use crate::table::functions;
use crate::unit::{Recorded, enter, xfjit_unit};
use std::ops::Range;
use xfjit::runtime::batch::StreamError;
use xfjit::xf::MOST_VERTICES;

/// Vertices of a draw whose commands are in memory while they are recorded: some megabytes. Where a draw is cut makes no difference
/// to what comes out.
const RECORDED_AT_ONCE: usize = 1 << 14;

/// Runs all instances of a batch.
///
/// # Safety
/// The batch says what is there.
unsafe fn draw(unit: &mut Recorded, batch: &xfjit_batch) -> Result<(), Failure> {
    let mut lists = Lists::default();
    // SAFETY: as the caller says.
    let numbers = unsafe { Numbers::of(batch, &mut lists, None) }?;
    let (count, last_instance) = instances(batch)?;
    let all =
        numbers.count.checked_mul(count).ok_or_else(|| argument("so many vertices are beyond all memory"))?;
    if all > MOST_VERTICES {
        return Err(refused(StreamError::TooManyVertices { count: all, limit: MOST_VERTICES }));
    }
    // All instances are looked at before one is run.
    // SAFETY: as the caller says.
    unsafe { arrays(batch, &numbers, (batch.first_instance, last_instance)) }?;
    if numbers.last.is_none() {
        return Ok(());
    }
    let begun = unit.unit.begin_draw(all);
    // SAFETY: as the caller says.
    let sent = unsafe { send(unit, batch, (&numbers, &lists), last_instance) };
    unit.unit.end_draw(begun);
    sent
}

/// Sends all instances of a batch that has been looked at.
///
/// # Safety
/// As for [`draw`].
unsafe fn send(
    unit: &mut Recorded,
    batch: &xfjit_batch,
    (numbers, lists): (&Numbers, &Lists),
    last_instance: u32,
) -> Result<(), Failure> {
    let longest = if unit.recording.is_some() { RECORDED_AT_ONCE } else { MOST_VERTICES };
    for instance in batch.first_instance..=last_instance {
        if !numbers.is_indexed {
            for piece in pieces(0..numbers.count, longest) {
                let piece = numbers.piece(piece);
                // SAFETY: as the caller says, and it is part of what has been looked at.
                let (inputs, fetched) = unsafe { arrays(batch, &piece, (instance, instance)) }?;
                unit.draw(inputs, fetched).map_err(refused)?;
                unit.hand_over();
            }
            continue;
        }
        // SAFETY: as the caller says.
        let (inputs, fetched) = unsafe { arrays(batch, numbers, (instance, instance)) }?;
        for piece in numbers.parts(lists).flat_map(|part| pieces(part, longest)) {
            let Some(indices) = numbers.indices(lists, piece) else { continue };
            unit.draw(inputs.indexed(indices), fetched).map_err(refused)?;
            unit.hand_over();
        }
    }
    Ok(())
}

/// A range in pieces of at most so many.
fn pieces(whole: Range<usize>, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let end = whole.end;
    whole.step_by(longest).map(move |start| start..end.min(start + longest))
}

functions! {
    FUNCTIONS;
    /// Runs vertices from arrays, as if commands had sent them one after the other: for each its attributes that have memory, then
    /// XFJIT_COMMAND_VERTEX. Those without memory (XFJIT_FORMAT_NONE, or not given) are what commands have written; afterwards the
    /// others are those of the last vertex. Of the batch its vertices, indices, instances and attributes are looked at; what it says
    /// of outputs and constants may be anything, and XFJIT_BATCH_DISTINCT makes no difference. A restart index sends nothing. If
    /// something is wrong, nothing has been sent; if memory ends (XFJIT_E_MEMORY) whole instances may have been, or pieces between
    /// restart indices. One thread at a time.
    fn xfjit_unit_draw(unit: *mut xfjit_unit, batch: *const xfjit_batch) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            unsafe {
                let (mut unit, batch) = (enter(unit)?, memory::record(batch)?);
                draw(&mut unit, &batch)
            }
        })
    }
}
