//! Runs what a batch asks for: all at once if that can be, else piece by piece: instances, pieces between restart indices where
//! the order of vertices can be seen, each distinct vertex once.

use crate::batch::{Batch, Ran};
use crate::draw::{Arguments, Draw};
use crate::indices::Lists;
use crate::program::xfjit_program;
use crate::status::Failure;
use crate::streams::{last_inputs, store_last};
use std::ops::ControlFlow;
use xfjit::Worker;
use xfjit::backend::Outcome;
use xfjit::engine::Parts;
use xfjit::runtime::batch::{Inputs, Outputs};
use xfjit::runtime::constants::Constants;

/// A pool of the host's.
pub(crate) struct Pool<'a> {
    /// Threads that a batch is worth at most.
    pub(crate) threads: usize,
    /// What has them run the parts of a batch.
    pub(crate) each: &'a mut (dyn FnMut(&Parts<'_>) + Send),
}

/// Runs a batch. Two functions do, and what is inlined here is large.
#[inline(never)]
pub(crate) fn run(
    program: &xfjit_program,
    batch: &mut Batch<'_>,
    worker: &mut Worker,
    lists: &mut Lists,
    mut pool: Option<&mut Pool<'_>>,
) -> Result<Ran, Failure> {
    let mut draw = Draw::of(program, batch, lists)?;
    if !draw.batch.last.is_null() || !draw.batch.places.is_null() {
        return run_and_tell(program, draw, worker, pool);
    }
    if !draw.is_in_pieces(program) {
        let Arguments { constants, inputs, outputs } = &mut draw.arguments;
        let outcome = run_batch(program, constants, (inputs, outputs), worker, &mut pool)?;
        return Ok(Ran::new(outcome, inputs.count));
    }
    run_pieces(program, &mut draw, worker, pool)
}

/// Runs vertices, on the threads of the host's pool if there is one.
#[inline]
fn run_batch(
    program: &xfjit_program,
    constants: &mut Constants<'_>,
    (inputs, outputs): (&Inputs<'_>, &Outputs<'_>),
    worker: &mut Worker,
    pool: &mut Option<&mut Pool<'_>>,
) -> Result<Outcome, Failure> {
    Ok(match pool {
        None => program.get().run_on(worker, constants, inputs, outputs)?,
        Some(Pool { threads, each }) => {
            program.get().run_in_parts(worker, *threads, constants, inputs, outputs, *each)?
        }
    })
}

/// Runs a batch, and stores what its caller wants to know of its vertices.
#[cold]
fn run_and_tell(
    program: &xfjit_program,
    mut draw: Draw<'_>,
    worker: &mut Worker,
    pool: Option<&mut Pool<'_>>,
) -> Result<Ran, Failure> {
    // Before anything is written, since it may be refused.
    let last = match draw.batch.last.is_null() {
        true => None,
        false => Some(last_inputs(draw.batch, &draw.numbers, draw.lists)?),
    };
    let ran = run_pieces(program, &mut draw, worker, pool)?;
    let Draw { batch, numbers, lists, distinct, .. } = draw;
    if !batch.places.is_null() {
        numbers.each_place(lists, distinct.is_some(), |position, place| {
            // SAFETY: `Draw::of` has found that so many numbers can be there as there are positions; the description of the record says
            // that they are, a `Record` promises it, and nothing else is lent of them.
            unsafe { batch.places.add(position).write(place) };
        });
    }
    if let Some(rows) = last {
        store_last(batch, &rows)?;
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
fn run_pieces(
    program: &xfjit_program,
    draw: &mut Draw<'_>,
    worker: &mut Worker,
    mut pool: Option<&mut Pool<'_>>,
) -> Result<Ran, Failure> {
    let count = draw.arguments.inputs.count;
    let mut ran = Ran { outcome: Outcome::default(), done: 0, vertices: 0 };
    if draw.numbers.last.is_none() {
        ran.done = count * draw.instances;
        return Ok(ran);
    }
    // All instances and pieces are one call.
    let all = draw.distinct.unwrap_or(count).saturating_mul(draw.instances);
    // If it has no limit that is no matter, and what is part of a call is not cut.
    if pool.is_some() && program.get().may_be_cut(worker) {
        run_instances(program, draw, worker, &mut pool, &mut ran)?;
    } else {
        worker.as_one_call(all, |worker| run_instances(program, draw, worker, &mut pool, &mut ran))?;
    }
    Ok(ran)
}

/// Runs one instance after the other.
fn run_instances(
    program: &xfjit_program,
    draw: &mut Draw<'_>,
    worker: &mut Worker,
    pool: &mut Option<&mut Pool<'_>>,
    ran: &mut Ran,
) -> Result<(), Failure> {
    let count = draw.arguments.inputs.count;
    for position in 0..draw.instances {
        if position > 0 && draw.divided != 0 {
            draw.next_instance(draw.instance(position))?;
        }
        let start = position * count;
        let outputs = draw.arguments.outputs.behind(start);
        let flow = if draw.distinct.is_some() {
            run_distinct(program, draw, &outputs, worker, pool, ran)?
        } else {
            run_parts(program, draw, &outputs, worker, pool, ran)?
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
#[inline(never)]
fn run_some(
    program: &xfjit_program,
    draw: &mut Draw<'_>,
    (inputs, outputs): (&Inputs<'_>, &Outputs<'_>),
    worker: &mut Worker,
    pool: &mut Option<&mut Pool<'_>>,
    ran: &mut Ran,
) -> Result<Option<usize>, Failure> {
    let outcome = run_batch(program, &mut draw.arguments.constants, (inputs, outputs), worker, pool)?;
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
    pool: &mut Option<&mut Pool<'_>>,
    ran: &mut Ran,
) -> Result<ControlFlow<usize>, Failure> {
    let (inputs, lists) = (draw.arguments.inputs, draw.lists);
    if !(draw.numbers.has_restarts && program.get().needs().writes_constants) {
        let end = run_some(program, draw, (&inputs, outputs), worker, pool, ran)?;
        return Ok(end.map_or(ControlFlow::Continue(()), ControlFlow::Break));
    }
    for part in draw.numbers.parts(lists) {
        let start = part.start;
        let Some(indices) = draw.numbers.indices(lists, part) else { continue };
        let inputs = inputs.indexed(indices);
        if let Some(end) = run_some(program, draw, (&inputs, &outputs.behind(start)), worker, pool, ran)? {
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
    worker: &mut Worker,
    pool: &mut Option<&mut Pool<'_>>,
    ran: &mut Ran,
) -> Result<ControlFlow<usize>, Failure> {
    let lists = draw.lists;
    let inputs = draw.arguments.inputs.indexed(draw.numbers.distinct(lists));
    let end = run_some(program, draw, (&inputs, outputs), worker, pool, ran)?;
    let places = lists.distinct.places();
    let done = end.and_then(|end| places.iter().position(|&place| place as usize >= end));
    // Who asks where outputs are finds them there.
    if draw.batch.places.is_null() {
        let positions = done.unwrap_or(places.len());
        lists.distinct.spread_outputs(outputs, program.get().needs(), positions);
    }
    Ok(done.map_or(ControlFlow::Continue(()), ControlFlow::Break))
}
