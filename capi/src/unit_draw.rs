//! Draws of the unit: a batch's attributes and indices, as commands would send them.

use crate::batch::{instances, xfjit_batch};
use crate::export::functions;
use crate::indices::{Lists, Numbers};
use crate::sized::Record;
use crate::status::{Failure, argument, call, xfjit_status};
use crate::streams::arrays;
use crate::unit::{UnitState, enter, xfjit_unit};
use std::ops::Range;
use xfjit::runtime::batch::StreamError;
use xfjit::xf::MOST_VERTICES;

/// Vertices of a draw whose commands are in memory while they are recorded: some megabytes. Where a draw is cut makes no difference
/// to what comes out.
const RECORDED_AT_ONCE: usize = 1 << 14;

/// Runs all instances of a batch.
fn draw(unit: &mut UnitState, batch: Record<'_, xfjit_batch>) -> Result<(), Failure> {
    let mut lists = Lists::default();
    let numbers = Numbers::of(batch, &mut lists, None)?;
    let (count, last_instance) = instances(batch)?;
    let all =
        numbers.count.checked_mul(count).ok_or_else(|| argument("the vertices exceed the address space"))?;
    if all > MOST_VERTICES {
        return Err(StreamError::TooManyVertices { count: all, limit: MOST_VERTICES }.into());
    }
    // All instances are looked at before one is run.
    arrays(batch, &numbers, (batch.first_instance, last_instance), unit.unit.arrays())?;
    if numbers.last.is_none() {
        return Ok(());
    }
    let begun = unit.unit.begin_draw(all);
    let sent = send(unit, batch, (&numbers, &lists), last_instance);
    unit.unit.end_draw(begun);
    sent
}

/// Sends all instances of a batch that has been looked at.
fn send(
    unit: &mut UnitState,
    batch: Record<'_, xfjit_batch>,
    (numbers, lists): (&Numbers, &Lists),
    last_instance: u32,
) -> Result<(), Failure> {
    let wanted = unit.unit.arrays();
    let longest = if unit.recording.is_some() { RECORDED_AT_ONCE } else { MOST_VERTICES };
    for instance in batch.first_instance..=last_instance {
        if !numbers.is_indexed {
            for piece in pieces(0..numbers.count, longest) {
                let piece = numbers.piece(piece);
                let (inputs, fetched) = arrays(batch, &piece, (instance, instance), wanted)?;
                unit.draw(inputs, fetched)?;
                unit.hand_over();
            }
            continue;
        }
        let (inputs, fetched) = arrays(batch, numbers, (instance, instance), wanted)?;
        for piece in numbers.parts(lists).flat_map(|part| pieces(part, longest)) {
            let Some(indices) = numbers.indices(lists, piece) else { continue };
            unit.draw(inputs.indexed(indices), fetched)?;
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
    /// Runs vertices from arrays, as if commands had sent them one after the other: for each vertex, its attributes that have memory, then
    /// XFJIT_COMMAND_VERTEX. Attributes without memory (XFJIT_FORMAT_NONE, or not given) keep the values that commands have written.
    /// Afterwards, the others have the values of the last vertex. The call uses the batch's vertices, indices, instances and attributes; it
    /// ignores outputs, constants and XFJIT_BATCH_DISTINCT. A restart index sends nothing. On an error, nothing has been sent, with one
    /// exception: if memory runs out (XFJIT_E_MEMORY), whole instances, or pieces between restart indices, may have been sent. One thread
    /// at a time.
    fn xfjit_unit_draw(unit: *mut xfjit_unit, batch: *const xfjit_batch) -> xfjit_status {
        call(|| {
            let (mut unit, mut older) = (enter(&unit)?, None);
            draw(&mut unit, batch.borrow(&mut older)?)
        })
    }
}
