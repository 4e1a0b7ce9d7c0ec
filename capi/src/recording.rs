//! Recordings of what workers run (`docs/CAPTURES.md`), before it runs.

use crate::batch::Batch;
use crate::draw::{Arguments, Draw};
use crate::indices::Lists;
use crate::program::xfjit_program;
use crate::sink::{Sink, tell_end};
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use xfjit::Program;
use xfjit::capture::{Call, CallWriter, MOST_PROGRAMS, MOST_VERTICES, Recorded, Stream};
use xfjit::engine::MOST_LABEL;
use xfjit::runtime::batch::{Inputs, registers};
use xfjit::runtime::state::Row;

/// A recording of a worker.
#[derive(Debug)]
pub(crate) struct CallRecording {
    writer: CallWriter<Sink>,
    /// Bytes that it may have.
    budget: u64,
    /// Numbers of programs by address; they are held, so that no other gets the address.
    programs: HashMap<usize, (Arc<Program>, usize)>,
    /// The label of each that the capture has, by number.
    labels: Vec<Option<Arc<str>>>,
    /// What the capture says that constants are.
    constants: Vec<Row>,
}

/// Bytes that the end of a capture takes, and what stands around two blocks.
const FRAME: u64 = 128;
/// Bytes that the text of a configuration takes at most.
const TEXT: u64 = 2048;

/// Bytes of a capture in which nothing is.
pub(crate) fn least() -> io::Result<u64> {
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
    pub(crate) fn new(sink: Sink, budget: u64) -> io::Result<CallRecording> {
        let constants = vec![[0; 4]; xfjit::Config::MOST_ROWS];
        let (programs, labels) = (HashMap::new(), Vec::new());
        Ok(CallRecording { writer: CallWriter::new(sink)?, budget, programs, labels, constants })
    }

    /// The number of a program, whose label the capture has from here on.
    fn labelled(&mut self, program: &Arc<Program>) -> io::Result<Numbered> {
        let numbered = self.program(program)?;
        let Numbered::As(number) = numbered else { return Ok(numbered) };
        let label = program.label();
        if label != self.labels[number] {
            if !self.has_room(MOST_LABEL as u64) {
                return Ok(Numbered::NoRoom);
            }
            self.writer.name(number, label.as_deref().unwrap_or_default())?;
            self.labels[number] = label;
        }
        Ok(numbered)
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
        self.labels.push(None);
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
        let number = match self.labelled(program)? {
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
    pub(crate) fn finish(self) -> io::Result<()> {
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
    recorded: &mut Option<Box<CallRecording>>,
    program: &xfjit_program,
    given: &[Row],
    count: usize,
    give: impl FnOnce(&mut Noting<'_>) -> io::Result<bool>,
) {
    let Some(recording) = recorded else { return };
    match recording.note(program.get(), given, count, give) {
        Ok(true) => {}
        Ok(false) => {
            // A caller that takes no more bytes has been told so by itself.
            let _ = recorded.take().map_or(Ok(()), |recording| recording.finish());
        }
        Err(_) => *recorded = None,
    }
}

/// Notes a batch that is going to run. What is wrong with it the run tells.
#[cold]
#[inline(never)]
pub(crate) fn note_batch(
    recorded: &mut Option<Box<CallRecording>>,
    program: &xfjit_program,
    batch: &mut Batch<'_>,
) {
    let mut lists = Lists::default();
    let Ok(mut draw) = Draw::of(program, batch, &mut lists) else { return };
    let (is_indexed, count, lists) = (draw.numbers.is_indexed, draw.numbers.count, draw.lists);
    let each = if is_indexed { draw.numbers.parts(lists).map(|part| part.len()).sum() } else { count };
    let given = draw.arguments.constants.rows().to_vec();
    let instances = if each == 0 { 0 } else { draw.instances };
    add(recorded, program, &given, each * instances, |noting| {
        for position in 0..instances {
            if position > 0 && draw.divided != 0 && draw.next_instance(draw.instance(position)).is_err() {
                return Ok(true);
            }
            let whole = (!is_indexed).then_some(0..count);
            let listed = is_indexed.then(|| draw.numbers.parts(lists)).into_iter().flatten();
            for part in listed.chain(whole) {
                if !noting.vertices(&draw.arguments.inputs, part)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    });
}

/// Notes vertices that are going to run, of which it is known on what.
#[cold]
#[inline(never)]
pub(crate) fn note_arguments(
    recorded: &mut Option<Box<CallRecording>>,
    program: &xfjit_program,
    Arguments { constants, inputs, .. }: &Arguments<'_>,
) {
    let count = inputs.count;
    add(recorded, program, constants.rows(), count, |noting| noting.vertices(inputs, 0..count));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::c_void;
    use std::ptr::null_mut;
    use xfjit::chip::{Mode, Pipeline};
    use xfjit::front::fixed::Setup;
    use xfjit::{Engine, Options};

    unsafe extern "C" fn take_all(_: *mut c_void, _: *const c_void, _: usize) -> i32 {
        0
    }

    #[test]
    fn programs_without_instructions_take_no_room() {
        let sink = Sink::new(Some(take_all), null_mut()).expect("it is a function");
        let mut recording = CallRecording::new(sink, u64::MAX >> 1).expect("all is taken");
        let engine = Engine::new(Options::default());
        let program = engine.fixed(&Setup::new(Mode::new(Pipeline::Kelvin, &[])));
        assert!(matches!(recording.program(&program), Ok(Numbered::Nothing)));
        assert!(recording.programs.is_empty());
    }
}
