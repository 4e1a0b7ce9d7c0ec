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
    programs: HashMap<usize, (Arc<Program>, Option<usize>)>,
    /// What the capture says that constants are.
    constants: Vec<Row>,
}

/// Bytes that the end of a capture takes, and what stands around two blocks.
const FRAME: u64 = 128;
/// Bytes that the text of a configuration takes at most.
const TEXT: u64 = 2048;

/// What a program is in a capture.
enum Numbered {
    As(usize),
    /// It has no instructions.
    Nothing,
    NoRoom,
}

impl CallRecording {
    /// The number of a program.
    fn program(&mut self, program: &Arc<Program>) -> io::Result<Numbered> {
        let key = Arc::as_ptr(program).addr();
        if let Some((_, number)) = self.programs.get(&key) {
            return Ok(number.map_or(Numbered::Nothing, Numbered::As));
        }
        let number = match Recorded::of(program) {
            Some(recorded) => {
                let size = 4 * recorded.words.len() as u64 + TEXT;
                if !self.has_room(size) || self.programs.len() >= MOST_PROGRAMS {
                    return Ok(Numbered::NoRoom);
                }
                Some(self.writer.program(&recorded)?)
            }
            None => None,
        };
        self.programs.insert(key, (Arc::clone(program), number));
        Ok(number.map_or(Numbered::Nothing, Numbered::As))
    }

    fn has_room(&self, bytes: u64) -> bool {
        self.writer.size() + bytes + FRAME <= self.budget
    }

    /// Notes vertices with the constants that they find. Whether the recording goes on.
    fn note(
        &mut self,
        program: &Arc<Program>,
        given: &[Row],
        columns: Vec<(u8, Vec<Row>)>,
        count: usize,
    ) -> io::Result<bool> {
        // A call that is too long is several, unless a vertex sees what others have written.
        if count > MOST_VERTICES && program.needs().writes_constants {
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
        let streams = columns.into_iter().map(|(register, rows)| match rows[..] {
            [first, ..] if rows.iter().all(|row| *row == first) => (register, Stream::One(first)),
            _ => (register, Stream::Each(rows)),
        });
        let streams: Vec<(u8, Stream)> = streams.collect();
        let size: usize = streams
            .iter()
            .map(|(_, stream)| match stream {
                Stream::One(_) => 16,
                Stream::Each(rows) => 16 * rows.len(),
            })
            .sum();
        let size = size
            + 20 * constants.len()
            + 32 * (1 + count / MOST_VERTICES)
            + 16 * streams.len() * (count / MOST_VERTICES);
        if !self.has_room(size as u64) {
            return Ok(false);
        }
        for (row, value) in &constants {
            self.constants[usize::from(*row)] = *value;
        }
        let mut call = Call { program: number, count, constants, attributes: streams };
        if count <= MOST_VERTICES {
            self.writer.call(&call)?;
            return Ok(true);
        }
        let whole = std::mem::take(&mut call.attributes);
        for start in (0..count).step_by(MOST_VERTICES) {
            let end = count.min(start + MOST_VERTICES);
            call.count = end - start;
            call.attributes = whole
                .iter()
                .map(|(register, stream)| match stream {
                    Stream::One(row) => (*register, Stream::One(*row)),
                    Stream::Each(rows) => (*register, Stream::Each(rows[start..end].to_vec())),
                })
                .collect();
            self.writer.call(&call)?;
            call.constants.clear();
        }
        Ok(true)
    }

    /// Ends it.
    fn finish(self) -> io::Result<()> {
        tell_end(&self.writer.finish()?)
    }
}

/// Rows of the attributes that a program reads.
fn columns(inputs: u16) -> Vec<(u8, Vec<Row>)> {
    registers(inputs).map(|register| (register as u8, Vec::new())).collect()
}

fn fetch(inputs: &Inputs<'_>, positions: std::ops::Range<usize>, columns: &mut [(u8, Vec<Row>)]) {
    for (register, rows) in columns {
        rows.extend(positions.clone().map(|position| inputs.fetch(usize::from(*register), position)));
    }
}

/// Adds a call; the recording ends if there is no room for it, or its bytes are not taken.
fn add(
    working: &mut Working,
    program: &xfjit_program,
    given: &[Row],
    columns: Vec<(u8, Vec<Row>)>,
    count: usize,
) {
    let Some(recording) = &mut working.recording else { return };
    match recording.note(program.get(), given, columns, count) {
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
    let needs = program.get().needs();
    let mut lists = Lists::default();
    // SAFETY: as the caller says.
    let Ok(mut draw) = (unsafe { Draw::of(program, batch, &mut lists) }) else { return };
    let mut columns = columns(needs.inputs);
    let mut count = 0;
    if draw.numbers.last.is_some() {
        for instance in 0..draw.instances {
            if instance > 0 && draw.divided != 0 {
                // SAFETY: as the caller says.
                if unsafe { draw.next_instance(batch, batch.first_instance.wrapping_add(instance as u32)) }
                    .is_err()
                {
                    return;
                }
            }
            let inputs = draw.lent.inputs;
            match draw.numbers.is_indexed {
                false => {
                    fetch(&inputs, 0..inputs.count, &mut columns);
                    count += inputs.count;
                }
                true => {
                    for part in draw.numbers.parts(draw.lists) {
                        count += part.len();
                        fetch(&inputs, part, &mut columns);
                    }
                }
            }
        }
    }
    let given = draw.lent.constants.rows().to_vec();
    add(working, program, &given, columns, count);
}

/// Notes vertices that are going to run, whose registers lie one after the other.
#[cold]
#[inline(never)]
pub(crate) fn note_lent(program: &xfjit_program, lent: Lent<'_>, working: &mut Working) {
    let mut columns = columns(program.get().needs().inputs);
    fetch(&lent.inputs, 0..lent.inputs.count, &mut columns);
    add(working, program, lent.constants.rows(), columns, lent.inputs.count);
}

functions! {
    FUNCTIONS;
    /// Records a unit from now on, whatever state it is in: `record` is handed bytes of a capture, now and then, in calls of this unit,
    /// and in the end by xfjit_unit_record_end. A recording that there is goes on no more, and is not ended. One thread at a time.
    fn xfjit_unit_record(unit: *mut xfjit_unit, record: xfjit_record, user: *mut c_void) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let mut unit = unsafe { unit::enter(unit) }?;
            let taker = Taker::new(record, user)?;
            unit.recording = None;
            let chip = unit.unit.chip();
            unit.recording = Some(UnitWriter::new(taker, chip).map_err(not_taken)?);
            unit.unit.record();
            unit.hand_over();
            Ok(())
        })
    }
    /// Ends the recording of a unit, if there is one: `record` is handed the rest, then a null pointer. One thread at a time.
    fn xfjit_unit_record_end(unit: *mut xfjit_unit) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let mut unit = unsafe { unit::enter(unit) }?;
            unit.hand_over();
            unit.unit.recorded();
            let ended = unit.recording.take().map(|writer| writer.finish().and_then(|taker| tell_end(&taker)));
            ended.unwrap_or(Ok(())).map_err(not_taken)
        })
    }
    /// Records what xfjit_run and xfjit_run_rows run with a worker from now on, before it runs: programs, constants, attributes of the vertices
    /// as rows. `record` is handed bytes of a capture of calls, in calls of this worker. They are at most `budget`: the call that there is no
    /// room for ends the recording, with a null pointer. A call of more than 65,536 vertices whose program writes constants is left out.
    /// Calls take several times as long. A recording that there is goes on no more, and is not ended. One thread at a time.
    fn xfjit_worker_record(worker: *mut xfjit_worker, budget: u64, record: xfjit_record, user: *mut c_void) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let mut working = unsafe { worker::enter(worker) }?;
            let taker = Taker::new(record, user)?;
            working.recording = None;
            let writer = CallWriter::new(taker).map_err(not_taken)?;
            let rows = xfjit::Generation::Curie.constants();
            let (programs, constants) = (HashMap::new(), vec![[0; 4]; rows]);
            working.recording = Some(Box::new(CallRecording { writer, budget, programs, constants }));
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
