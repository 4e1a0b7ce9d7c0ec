//! Captures of what passes through units and workers (`docs/CAPTURES.md`), whose bytes the caller is handed as they are made.

use crate::batch::{Draw, Lent, xfjit_batch};
use crate::indices::Lists;
use crate::program::xfjit_program;
use crate::status::{Failure, XFJIT_E_FILE, argument, call, xfjit_status};
use crate::table::{Function, Item, functions};
use crate::unit::{self, xfjit_unit};
use crate::worker::{self, Working, xfjit_worker};
use std::collections::HashMap;
use std::ffi::c_void;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;
use xfjit::Program;
use xfjit::capture::{Call, CallWriter, MOST_PROGRAMS, MOST_VERTICES, Recorded, Stream, UnitWriter};
use xfjit::runtime::batch::{Inputs, registers};
use xfjit::runtime::state::Row;

/// Takes bytes of a capture.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_record =
    Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_void, size: usize) -> i32>;

pub(crate) const RECORD: Item = Item::Callback(Function {
    doc: &[
        " Takes the next bytes of a capture, to be written to a file one behind the other. A null pointer tells that the capture has ended",
        " and is whole. It returns 0, or something else if they cannot be taken: then it is not called again. It does not use what is",
        " recorded, and returns: no exception and no longjmp leaves it.",
    ],
    name: "xfjit_record",
    parameters: &[("user", "*mut c_void"), ("bytes", "*const c_void"), ("size", "usize")],
    returns: "i32",
});

/// Where the bytes go.
#[derive(Debug)]
pub(crate) struct Taker {
    take: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> i32,
    user: *mut c_void,
}

// SAFETY: nothing is done with the pointer but to hand it back, in a call that has the unit or the worker to itself.
unsafe impl Send for Taker {}

impl Taker {
    fn new(record: xfjit_record, user: *mut c_void) -> Result<Taker, Failure> {
        let take = record.ok_or_else(|| argument("record is a null pointer"))?;
        Ok(Taker { take, user })
    }

    fn call(&self, bytes: *const c_void, size: usize) -> io::Result<()> {
        // SAFETY: it is a function of the caller, which takes this.
        match unsafe { (self.take)(self.user, bytes, size) } {
            0 => Ok(()),
            _ => Err(io::Error::other("the bytes of the capture were not taken")),
        }
    }
}

impl Write for Taker {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.is_empty() {
            self.call(bytes.as_ptr().cast(), bytes.len())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn not_taken(error: io::Error) -> Failure {
    Failure::new(XFJIT_E_FILE, error)
}

/// Tells that a capture is whole.
fn tell_end(taker: &Taker) -> io::Result<()> {
    taker.call(std::ptr::null(), 0)
}

/// A recording of a unit.
pub(crate) type UnitRecording = UnitWriter<Taker>;

/// A recording of a worker.
#[derive(Debug)]
pub(crate) struct CallRecording {
    writer: CallWriter<Taker>,
    /// Bytes that it may have.
    budget: u64,
    /// Numbers of programs by address; they are held, so that no other gets the address.
    programs: HashMap<usize, (Arc<Program>, usize)>,
    /// What the capture says that constants are.
    constants: Vec<Row>,
}

/// Bytes that the end of a capture takes, and what stands around two blocks.
const FRAME: u64 = 128;
/// Bytes that the text of a configuration takes at most.
const TEXT: u64 = 2048;

/// Bytes of a capture in which nothing is.
fn least() -> io::Result<u64> {
    Ok(CallWriter::new(Vec::new())?.finish()?.len() as u64)
}

/// What a program is in a capture.
enum Numbered {
    As(usize),
    /// It has no instructions.
    Nothing,
    NoRoom,
}

impl CallRecording {
    fn new(taker: Taker, budget: u64) -> io::Result<CallRecording> {
        let constants = vec![[0; 4]; xfjit::Generation::Curie.constants()];
        Ok(CallRecording { writer: CallWriter::new(taker)?, budget, programs: HashMap::new(), constants })
    }

    /// The number of a program.
    fn program(&mut self, program: &Arc<Program>) -> io::Result<Numbered> {
        let key = Arc::as_ptr(program).addr();
        if let Some((_, number)) = self.programs.get(&key) {
            return Ok(Numbered::As(*number));
        }
        let Some(recorded) = Recorded::of(program) else { return Ok(Numbered::Nothing) };
        let size = 4 * recorded.words.len() as u64 + TEXT;
        if !self.has_room(size) || self.programs.len() >= MOST_PROGRAMS {
            return Ok(Numbered::NoRoom);
        }
        let number = self.writer.program(&recorded)?;
        self.programs.insert(key, (Arc::clone(program), number));
        Ok(Numbered::As(number))
    }

    fn has_room(&self, bytes: u64) -> bool {
        self.writer.size() + bytes + FRAME <= self.budget
    }

    /// Notes `count` vertices, which `give` gives, with the constants that they find. Whether the recording goes on.
    fn note(
        &mut self,
        program: &Arc<Program>,
        given: &[Row],
        count: usize,
        give: impl FnOnce(&mut Noting<'_>) -> io::Result<bool>,
    ) -> io::Result<bool> {
        let needs = program.needs();
        // A call that is too long is several, unless a vertex sees what others have written.
        if count > MOST_VERTICES && needs.writes_constants {
            return Ok(true);
        }
        let number = match self.program(program)? {
            Numbered::As(number) => number,
            Numbered::Nothing => return Ok(true),
            Numbered::NoRoom => return Ok(false),
        };
        let changed = (0..).zip(given.iter().zip(&self.constants));
        let constants: Vec<(u16, Row)> =
            changed.filter(|(_, (row, known))| row != known).map(|(at, (row, _))| (at, *row)).collect();
        let call = Call { program: number, count: 0, constants, attributes: Vec::new() };
        let columns = registers(needs.inputs).map(|register| (register as u8, Vec::new())).collect();
        let mut noting = Noting { recording: self, call, columns };
        Ok(give(&mut noting)? && noting.write()?)
    }

    /// Ends it.
    fn finish(self) -> io::Result<()> {
        tell_end(&self.writer.finish()?)
    }
}

/// Vertices on their way into a recording. No more of them are in memory than a call of a capture may have, however many the batch
/// has.
struct Noting<'a> {
    recording: &'a mut CallRecording,
    /// The call that they become, as far as it is known.
    call: Call,
    /// Rows of the attributes that the program reads.
    columns: Vec<(u8, Vec<Row>)>,
}

impl Noting<'_> {
    /// Adds vertices. Whether there is room for them.
    fn vertices(&mut self, inputs: &Inputs<'_>, positions: Range<usize>) -> io::Result<bool> {
        let mut start = positions.start;
        while start < positions.end {
            if self.call.count == MOST_VERTICES && !self.write()? {
                return Ok(false);
            }
            let end = positions.end.min(start + (MOST_VERTICES - self.call.count));
            for (register, rows) in &mut self.columns {
                rows.try_reserve(end - start)?;
                rows.extend((start..end).map(|position| inputs.fetch(usize::from(*register), position)));
            }
            self.call.count += end - start;
            start = end;
        }
        Ok(true)
    }

    /// Writes what there is as a call, if there is room for it.
    fn write(&mut self) -> io::Result<bool> {
        let streams = self.columns.iter_mut().map(|(register, rows)| match rows[..] {
            [first, ..] if rows.iter().all(|row| *row == first) => {
                rows.clear();
                (*register, Stream::One(first))
            }
            _ => (*register, Stream::Each(std::mem::take(rows))),
        });
        self.call.attributes = streams.collect();
        let sizes = self.call.attributes.iter().map(|(_, stream)| match stream {
            Stream::One(_) => 16,
            Stream::Each(rows) => 16 * rows.len(),
        });
        let size = sizes.sum::<usize>() + 20 * self.call.constants.len() + 32;
        if !self.recording.has_room(size as u64) {
            return Ok(false);
        }
        self.recording.writer.call(&self.call)?;
        for (row, value) in self.call.constants.drain(..) {
            self.recording.constants[usize::from(row)] = value;
        }
        self.call.attributes.clear();
        self.call.count = 0;
        Ok(true)
    }
}

/// Adds a call; the recording ends if there is no room for it, or its bytes are not taken.
fn add(
    working: &mut Working,
    program: &xfjit_program,
    given: &[Row],
    count: usize,
    give: impl FnOnce(&mut Noting<'_>) -> io::Result<bool>,
) {
    let Some(recording) = &mut working.recording else { return };
    match recording.note(program.get(), given, count, give) {
        Ok(true) => {}
        Ok(false) => {
            // A caller that takes no more bytes has been told so by itself.
            let _ = working.recording.take().map_or(Ok(()), |recording| recording.finish());
        }
        Err(_) => working.recording = None,
    }
}

/// Notes a batch that is going to run. What is wrong with it the run tells.
///
/// # Safety
/// The batch says what is there.
#[cold]
#[inline(never)]
pub(crate) unsafe fn note_batch(program: &xfjit_program, batch: &xfjit_batch, working: &mut Working) {
    let mut lists = Lists::default();
    // SAFETY: as the caller says.
    let Ok(mut draw) = (unsafe { Draw::of(program, batch, &mut lists) }) else { return };
    let (numbers, lists) = (&draw.numbers, draw.lists);
    let (is_indexed, count) = (numbers.is_indexed, numbers.count);
    let each = if is_indexed { numbers.parts(lists).map(|part| part.len()).sum() } else { count };
    let given = draw.lent.constants.rows().to_vec();
    let instances = if each == 0 { 0 } else { draw.instances };
    add(working, program, &given, each * instances, |noting| {
        for instance in 0..instances {
            if instance > 0 && draw.divided != 0 {
                let number = batch.first_instance.wrapping_add(instance as u32);
                // SAFETY: as the caller says.
                if unsafe { draw.next_instance(batch, number) }.is_err() {
                    return Ok(true);
                }
            }
            let whole = (!is_indexed).then_some(0..count);
            let listed = is_indexed.then(|| draw.numbers.parts(lists)).into_iter().flatten();
            for part in listed.chain(whole) {
                if !noting.vertices(&draw.lent.inputs, part)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    });
}

/// Notes vertices that are going to run, whose registers lie one after the other.
#[cold]
#[inline(never)]
pub(crate) fn note_lent(program: &xfjit_program, lent: Lent<'_>, working: &mut Working) {
    let count = lent.inputs.count;
    add(working, program, lent.constants.rows(), count, |noting| noting.vertices(&lent.inputs, 0..count));
}

functions! {
    FUNCTIONS;
    /// Records a unit from now on, whatever state it is in: `record` is handed bytes of a capture, now and then, in calls of this unit,
    /// and in the end by xfjit_unit_record_end. A recording that there is goes on no more, and is not ended, even if this one does not
    /// begin because `record` refuses the bytes (XFJIT_E_FILE). Destroying the unit drops what has not been handed over. One thread at
    /// a time.
    fn xfjit_unit_record(unit: *mut xfjit_unit, record: xfjit_record, user: *mut c_void) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let mut unit = unsafe { unit::enter(unit) }?;
            let taker = Taker::new(record, user)?;
            unit.forget_recording();
            let chip = unit.unit.chip();
            unit.recording = Some(UnitWriter::new(taker, chip).map_err(not_taken)?);
            unit.unit.record();
            unit.take_recorded().map_err(not_taken)
        })
    }
    /// Ends the recording of a unit, if there is one: `record` is handed the rest, then a null pointer. XFJIT_E_FILE if it does not take
    /// them; there is no recording any more then, either. One thread at a time.
    fn xfjit_unit_record_end(unit: *mut xfjit_unit) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let mut unit = unsafe { unit::enter(unit) }?;
            unit.take_recorded().map_err(not_taken)?;
            unit.unit.recorded();
            let ended = unit.recording.take().map(|writer| writer.finish().and_then(|taker| tell_end(&taker)));
            ended.unwrap_or(Ok(())).map_err(not_taken)
        })
    }
    /// Records what xfjit_run and xfjit_run_rows run with a worker from now on, before it runs: programs, constants, attributes of the vertices
    /// as rows. `record` is handed bytes of a capture of calls, in calls of this worker. They are at most `budget`, and one that is too
    /// small for an empty capture is refused (XFJIT_E_ARGUMENT): the call that there is no room for ends the recording, with a null pointer.
    /// A call of more than 65,536 vertices is recorded as several of at most so many, as far as there is room; if its program writes
    /// constants it is left out, and so are programs without instructions. Calls take several times as long. A recording that there is
    /// goes on no more, and is not ended, nor is one for which memory ends. Destroying the worker drops what has not been handed over. One
    /// thread at a time.
    fn xfjit_worker_record(worker: *mut xfjit_worker, budget: u64, record: xfjit_record, user: *mut c_void) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let mut working = unsafe { worker::enter(worker) }?;
            let taker = Taker::new(record, user)?;
            let least = least().map_err(not_taken)?;
            if budget < least {
                return Err(argument(format_args!("a budget of {budget} bytes is less than the {least} of an empty capture")));
            }
            working.recording = None;
            working.recording = Some(Box::new(CallRecording::new(taker, budget).map_err(not_taken)?));
            Ok(())
        })
    }
    /// Ends the recording of a worker, if there is one: `record` is handed the rest, then a null pointer. One thread at a time.
    fn xfjit_worker_record_end(worker: *mut xfjit_worker) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let mut working = unsafe { worker::enter(worker) }?;
            working.recording.take().map_or(Ok(()), |recording| recording.finish().map_err(not_taken))
        })
    }
}

#[cfg(test)]
mod tests;
