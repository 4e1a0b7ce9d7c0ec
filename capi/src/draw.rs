//! Runs what a batch asks for: all at once if that can be, else piece by piece: instances, pieces between restart indices where
//! the order of vertices can be seen, each distinct vertex once.

use crate::batch::{Draw, Lent, Ran, last_inputs, store_rows, xfjit_batch};
use crate::program::xfjit_program;
use crate::run::refused;
use crate::status::Failure;
use crate::worker::Working;
use std::ops::ControlFlow;
use xfjit::Worker;
use xfjit::backend::Outcome;
use xfjit::runtime::batch::{Inputs, Outputs};

/// Whether a batch is more than vertices that follow each other.
#[inline]
pub(crate) fn is_draw(batch: &xfjit_batch) -> bool {
    let xfjit_batch { indices, last, places, flags, instance_count, first_instance, .. } = batch;
    !(indices.is_null() && last.is_null() && places.is_null())
        || flags | first_instance != 0
        || *instance_count > 1
}

/// Runs a batch.
///
/// # Safety
/// The batch says what is there; what is written nobody else uses.
#[inline]
pub(crate) unsafe fn run(
    program: &xfjit_program,
    batch: &xfjit_batch,
    working: &mut Working,
) -> Result<Ran, Failure> {
    // SAFETY: as the caller says.
    let mut draw = unsafe { Draw::of(program, batch, &mut working.lists) }?;
    if !batch.last.is_null() || !batch.places.is_null() {
        // SAFETY: as the caller says.
        return unsafe { run_and_tell(program, batch, draw, &mut working.worker) };
    }
    if !draw.is_in_pieces(program) {
        let Lent { constants, inputs, outputs } = &mut draw.lent;
        let run = program.get().run_on(&mut working.worker, constants, inputs, outputs);
        return Ok(Ran::new(run.map_err(refused)?, inputs.count));
    }
    // SAFETY: as the caller says.
    unsafe { run_pieces(program, batch, &mut draw, &mut working.worker) }
}

/// Runs a batch, and stores what its caller wants to know of its vertices.
///
/// # Safety
/// As for [`run`].
#[cold]
unsafe fn run_and_tell(
    program: &xfjit_program,
    batch: &xfjit_batch,
    mut draw: Draw<'_>,
    worker: &mut Worker,
) -> Result<Ran, Failure> {
    // Before anything is written, since it may be refused.
    let last = match batch.last.is_null() {
        true => None,
        // SAFETY: as the caller says.
        false => Some(unsafe { last_inputs(batch, &draw.numbers, draw.lists) }?),
    };
    // SAFETY: as the caller says.
    let ran = unsafe { run_pieces(program, batch, &mut draw, worker) }?;
    let Draw { numbers, lists, distinct, .. } = draw;
    if !batch.places.is_null() {
        numbers.each_place(lists, distinct.is_some(), |position, place| {
            // SAFETY: there is memory for as many as there are positions, as the caller says.
            unsafe { batch.places.add(position).write(place) };
        });
    }
    if let Some(rows) = last {
        // SAFETY: as the caller says; nothing is lent any more.
        unsafe { store_rows(batch.last, &rows, "last") }?;
    }
    Ok(ran)
}

impl Draw<'_> {
    /// Whether it is no batch like others.
    #[inline]
    fn is_in_pieces(&self, program: &xfjit_program) -> bool {
        self.instances != 1
            || self.distinct.is_some()
            || self.numbers.has_restarts
                && (program.get().needs().writes_constants || self.numbers.last.is_none())
    }
}

/// Runs one instance after the other, and of each one piece after the other.
///
/// # Safety
/// As for [`run`].
unsafe fn run_pieces(
    program: &xfjit_program,
    batch: &xfjit_batch,
    draw: &mut Draw<'_>,
    worker: &mut Worker,
) -> Result<Ran, Failure> {
    let count = draw.lent.inputs.count;
    let mut ran = Ran { outcome: Outcome::default(), done: 0, vertices: 0 };
    if draw.numbers.last.is_none() {
        ran.done = count * draw.instances;
        return Ok(ran);
    }
    // All instances and pieces are one call.
    let all = draw.distinct.unwrap_or(count).saturating_mul(draw.instances);
    // SAFETY: as the caller says.
    worker.as_one_call(all, |worker| unsafe { run_instances(program, batch, draw, worker, &mut ran) })?;
    Ok(ran)
}

/// Runs one instance after the other.
///
/// # Safety
/// As for [`run`].
unsafe fn run_instances(
    program: &xfjit_program,
    batch: &xfjit_batch,
    draw: &mut Draw<'_>,
    worker: &mut Worker,
    ran: &mut Ran,
) -> Result<(), Failure> {
    let count = draw.lent.inputs.count;
    for instance in 0..draw.instances {
        if instance > 0 && draw.divided != 0 {
            let number = batch.first_instance.wrapping_add(instance as u32);
            // SAFETY: as the caller says.
            unsafe { draw.next_instance(batch, number) }?;
        }
        let start = instance * count;
        let outputs = draw.lent.outputs.behind(start);
        let flow = if draw.distinct.is_some() {
            run_distinct(program, draw, &outputs, batch.places.is_null(), worker, ran)?
        } else {
            run_parts(program, draw, &outputs, worker, ran)?
        };
        match flow {
            ControlFlow::Continue(()) => ran.done = start + count,
            ControlFlow::Break(done) => {
                ran.done = start + done;
                break;
            }
        }
    }
    Ok(())
}

/// Runs vertices, and adds to what has been done; how many of them if the time is up.
fn run_some(
    program: &xfjit_program,
    draw: &mut Draw<'_>,
    (inputs, outputs): (&Inputs<'_>, &Outputs<'_>),
    worker: &mut Worker,
    ran: &mut Ran,
) -> Result<Option<usize>, Failure> {
    let run = program.get().run_on(worker, &mut draw.lent.constants, inputs, outputs);
    let outcome = run.map_err(refused)?;
    let all = &mut ran.outcome;
    all.deopt_groups += outcome.deopt_groups;
    all.faults += outcome.faults;
    all.mismatches += outcome.mismatches;
    all.cancelled |= outcome.cancelled;
    ran.vertices += outcome.out_of_time.unwrap_or(inputs.count);
    Ok(outcome.out_of_time)
}

/// An instance, with its outputs: where it ended, if the time was up.
fn run_parts(
    program: &xfjit_program,
    draw: &mut Draw<'_>,
    outputs: &Outputs<'_>,
    worker: &mut Worker,
    ran: &mut Ran,
) -> Result<ControlFlow<usize>, Failure> {
    let (inputs, lists) = (draw.lent.inputs, draw.lists);
    if !(draw.numbers.has_restarts && program.get().needs().writes_constants) {
        let end = run_some(program, draw, (&inputs, outputs), worker, ran)?;
        return Ok(end.map_or(ControlFlow::Continue(()), ControlFlow::Break));
    }
    for part in draw.numbers.parts(lists) {
        let start = part.start;
        let Some(indices) = draw.numbers.indices(lists, part) else { continue };
        let inputs = inputs.indexed(indices);
        if let Some(end) = run_some(program, draw, (&inputs, &outputs.behind(start)), worker, ran)? {
            return Ok(ControlFlow::Break(start + end));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The distinct vertices of an instance, whose outputs are spread to where the list names them if that is wanted.
fn run_distinct(
    program: &xfjit_program,
    draw: &mut Draw<'_>,
    outputs: &Outputs<'_>,
    is_spread: bool,
    worker: &mut Worker,
    ran: &mut Ran,
) -> Result<ControlFlow<usize>, Failure> {
    let lists = draw.lists;
    let inputs = draw.lent.inputs.indexed(draw.numbers.distinct(lists));
    let end = run_some(program, draw, (&inputs, outputs), worker, ran)?;
    let places = lists.distinct.places();
    let done = end.and_then(|end| places.iter().position(|&place| place as usize >= end));
    if is_spread {
        let positions = done.unwrap_or(places.len());
        lists.distinct.spread_outputs(outputs, program.get().needs(), positions);
    }
    Ok(done.map_or(ControlFlow::Continue(()), ControlFlow::Break))
}
