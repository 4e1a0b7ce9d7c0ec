//! Writing captures, block by block.

use super::block::{Blocks, CALLS, CHIP, END, FLIPPER, FRAME, Kind, NAME, NOTE, PROGRAM, UNIT};
use super::bounds::Count;
use super::calls::{self, Call, Recorded, Stream};
use super::error::Problem;
use super::{MOST_BLOCK, MOST_PROGRAMS, MOST_VERTICES, flipper, unit};
use crate::engine::check_label;
use crate::flipper::trace::Item as FlipperItem;
use crate::flipper::{FlipperUnit, Registers};
use crate::xf::XfUnit;
use crate::xf::trace::Item;
use std::io::{self, Write};
use xfjit_isa::chip::Chip;

/// Bytes from which on a block is written.
const FULL: usize = 1 << 18;

/// Content of blocks that follow each other.
#[derive(Debug)]
struct Content<W> {
    blocks: Blocks<W>,
    /// Of the block that is being filled.
    kind: Kind,
    content: Vec<u8>,
    count: Count,
}

fn no_place(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("a capture cannot hold {what}"))
}

/// A reader would refuse the whole.
fn too_much(problem: &Problem) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, problem.to_string())
}

/// Adds what is handed over, up to the first that cannot be added; the others are handed over all the same.
fn each<T>(
    hand_over: impl FnOnce(&mut dyn FnMut(&T)),
    mut add: impl FnMut(&T) -> io::Result<()>,
) -> io::Result<()> {
    let mut added = Ok(());
    hand_over(&mut |item| {
        if added.is_ok() {
            added = add(item);
        }
    });
    added
}

impl<W: Write> Content<W> {
    fn new(out: W, of: &str, kind: Kind) -> io::Result<Content<W>> {
        let mut blocks = Blocks::new(out)?;
        blocks.block(CHIP, of.as_bytes())?;
        Ok(Content { blocks, kind, content: Vec::new(), count: Count::default() })
    }

    /// Whether there is a place for so many bytes in a block of their own, behind what is being filled.
    fn check_room(&self, bytes: usize) -> io::Result<()> {
        let filled = if self.content.is_empty() { 0 } else { FRAME + self.content.len() as u64 };
        match self.blocks.has_room(filled + bytes as u64) {
            true => Ok(()),
            false => Err(too_much(&Problem::All)),
        }
    }

    fn note(&mut self, text: &str) -> io::Result<()> {
        if text.len() > MOST_BLOCK {
            return Err(no_place("a text of so many bytes"));
        }
        self.aside(NOTE, text.as_bytes())
    }

    /// Adds a block that does not count as an item.
    fn aside(&mut self, kind: Kind, content: &[u8]) -> io::Result<()> {
        self.blocks.check()?;
        self.check_room(content.len())?;
        self.write()?;
        self.blocks.block(kind, content)
    }

    /// Adds an item, which runs programs so many times. If it has no place nothing has happened.
    fn add(&mut self, vertices: u64, write: impl FnOnce(&mut Vec<u8>) -> bool) -> io::Result<()> {
        self.blocks.check()?;
        let count = self.count.with(vertices).map_err(|problem| too_much(&problem))?;
        let length = self.content.len();
        let added = match write(&mut self.content) {
            true => self.check_room(0),
            false => Err(no_place("such an item")),
        };
        if added.is_err() {
            self.content.truncate(length);
            return added;
        }
        self.count = count;
        if self.content.len() >= FULL { self.write() } else { Ok(()) }
    }

    /// Adds a block that counts as an item.
    fn add_block(&mut self, kind: Kind, content: &[u8]) -> io::Result<()> {
        self.blocks.check()?;
        let count = self.count.with(0).map_err(|problem| too_much(&problem))?;
        self.check_room(content.len())?;
        self.write()?;
        self.blocks.block(kind, content)?;
        self.count = count;
        Ok(())
    }

    /// What a device had recorded has been taken from it: if it has not been added it is lost, and the capture does not go on.
    fn taken(&mut self, added: io::Result<()>) -> io::Result<()> {
        if added.is_err() {
            // What is good of it is kept, if it can be.
            let _ = self.flush();
            self.blocks.give_up();
            return added;
        }
        self.blocks.check()
    }

    /// Writes the block that is being filled, if there is something in it.
    fn write(&mut self) -> io::Result<()> {
        if !self.content.is_empty() {
            self.blocks.block(self.kind, &self.content)?;
            self.content.clear();
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write()?;
        self.blocks.flush()
    }

    fn finish(mut self) -> io::Result<W> {
        self.write()?;
        self.blocks.block(END, &self.count.items.to_le_bytes())?;
        self.blocks.flush()?;
        Ok(self.blocks.into_out())
    }
}

/// What all writers have.
macro_rules! shared {
    ($writer:ident) => {
        impl<W: Write> $writer<W> {
            /// Adds text for people.
            ///
            /// # Errors
            /// Errors of the underlying writer, and a text that is longer than a block.
            pub fn note(&mut self, text: &str) -> io::Result<()> {
                self.content.note(text)
            }

            /// The number of bytes so far: those written, and those kept back, before compression.
            pub fn size(&self) -> u64 {
                self.content.blocks.size + self.content.content.len() as u64
            }

            /// Writes what has been kept back, so that a reader of the capture finds it from now on.
            ///
            /// # Errors
            /// Errors of the underlying writer.
            pub fn flush(&mut self) -> io::Result<()> {
                self.content.flush()
            }

            /// Ends the capture. Without this call, the capture reads as truncated.
            ///
            /// # Errors
            /// Errors of the underlying writer, now or before.
            pub fn finish(self) -> io::Result<W> {
                self.content.finish()
            }
        }
    };
}

/// Writes a capture of a unit of NVIDIA's. It keeps up to a block in memory, some 256 KB.
///
/// After the underlying writer has failed, all further calls fail, including the end: a capture that lacks something never becomes
/// complete. An item that does not fit into a capture, or would exceed what a reader accepts, is refused as invalid input, and changes
/// nothing.
#[derive(Debug)]
pub struct UnitWriter<W> {
    content: Content<W>,
    chip: Chip,
}

shared! { UnitWriter }

impl<W: Write> UnitWriter<W> {
    /// Begins a capture.
    ///
    /// # Errors
    /// Errors of the underlying writer; here and in the other calls.
    pub fn new(out: W, chip: Chip) -> io::Result<UnitWriter<W>> {
        Ok(UnitWriter { content: Content::new(out, chip.name(), UNIT)?, chip })
    }

    /// Adds an item. Items for which the chip has no address or no register change nothing, and are left out.
    ///
    /// # Errors
    /// Errors of the underlying writer, and more than a capture may have.
    pub fn item(&mut self, item: &Item) -> io::Result<()> {
        self.content.blocks.check()?;
        let Some(item) = unit::wired(self.chip, item) else { return Ok(()) };
        self.content.add(unit::vertices(&item), |to| {
            unit::write(&item, to);
            true
        })
    }

    /// Adds what a unit has recorded since the last call. Call this from time to time between [`XfUnit::record`] and [`XfUnit::recorded`].
    ///
    /// # Errors
    /// Errors of the underlying writer, and more than a capture may have: then the recorded items are lost, and the capture cannot
    /// continue. A unit of another chip.
    pub fn take(&mut self, unit: &mut XfUnit) -> io::Result<()> {
        if unit.chip() != self.chip {
            return Err(no_place("another chip"));
        }
        let added = each(|take| unit.drain_recorded(take), |item| self.item(item));
        self.content.taken(added)
    }
}

/// Writes a capture of Flipper. It keeps up to a block in memory, some 256 KB, and a draw. Errors are as for [`UnitWriter`].
#[derive(Debug)]
pub struct FlipperWriter<W> {
    content: Content<W>,
    /// Behind the items so far: they say how many bytes vertices have.
    registers: Box<Registers>,
}

shared! { FlipperWriter }

/// The name of Flipper in captures.
pub(super) const FLIPPER_NAME: &str = "flipper";
/// What captures of calls have in the place of a chip.
pub(super) const CALLS_NAME: &str = "calls";

impl<W: Write> FlipperWriter<W> {
    /// Begins a capture.
    ///
    /// # Errors
    /// Errors of the underlying writer; here and in the other calls.
    pub fn new(out: W) -> io::Result<FlipperWriter<W>> {
        Ok(FlipperWriter { content: Content::new(out, FLIPPER_NAME, FLIPPER)?, registers: Box::default() })
    }

    /// Adds an item. Memory of more than a megabyte becomes several items.
    ///
    /// # Errors
    /// Errors of the underlying writer, more than a capture may have, and an item that no unit records: words that do not exist, a draw
    /// without a primitive, or with another number of bytes than its vertices have.
    pub fn item(&mut self, item: &FlipperItem) -> io::Result<()> {
        if let FlipperItem::Memory(address, bytes) = item
            && bytes.len() > flipper::PIECE
            && flipper::fits_memory(*address, bytes.len())
        {
            // Each piece has a head, and perhaps a block.
            self.content.check_room(bytes.len() + bytes.len() / 1024)?;
            for (piece, at) in bytes.chunks(flipper::PIECE).zip((*address..).step_by(flipper::PIECE)) {
                self.item(&FlipperItem::Memory(at, piece.to_vec()))?;
            }
            return Ok(());
        }
        self.content.add(flipper::vertices(item), |to| flipper::write(&self.registers, item, to))?;
        if let FlipperItem::LoadCp(register, value) = item {
            self.registers.load(*register, *value);
        }
        Ok(())
    }

    /// Adds what a unit has recorded since the last call. Call this from time to time between [`FlipperUnit::record`] and
    /// [`FlipperUnit::recorded`].
    ///
    /// # Errors
    /// Errors of the underlying writer, and more than a capture may have: then the recorded items are lost, and the capture cannot continue.
    pub fn take(&mut self, unit: &mut FlipperUnit) -> io::Result<()> {
        let added = each(|take| unit.drain_recorded(take), |item| self.item(item));
        self.content.taken(added)
    }
}

/// Writes a capture of calls: programs, and batches of vertices that they run on. It keeps a call in memory, and up to a block, some 256
/// KB. Errors are as for [`UnitWriter`].
#[derive(Debug)]
pub struct CallWriter<W> {
    content: Content<W>,
    /// Rows of constants that each program may read.
    rows: Vec<usize>,
}

shared! { CallWriter }

impl<W: Write> CallWriter<W> {
    /// Begins a capture.
    ///
    /// # Errors
    /// Errors of the underlying writer; here and in the other calls.
    pub fn new(out: W) -> io::Result<CallWriter<W>> {
        Ok(CallWriter { content: Content::new(out, CALLS_NAME, CALLS)?, rows: Vec::new() })
    }

    /// Adds a program, and returns its number: the number of programs before it.
    ///
    /// # Errors
    /// Errors of the underlying writer, more programs than [`MOST_PROGRAMS`], and an invalid program: one without slots, or whose words do
    /// not decode from its start slot.
    pub fn program(&mut self, program: &Recorded) -> io::Result<usize> {
        let number = self.rows.len();
        if number >= MOST_PROGRAMS {
            return Err(no_place("one more program"));
        }
        let content = calls::write_program(number, program);
        let content = content.map_err(|problem| no_place(&format!("such a program ({problem})")))?;
        self.content.add_block(PROGRAM, &content)?;
        self.rows.push(program.config.rows());
        Ok(number)
    }

    /// Names a program that has been added, from here on; an empty name removes the existing one.
    ///
    /// # Errors
    /// Errors of the underlying writer; a program that does not exist; a name that is not a valid label
    /// ([`Program::set_label`](crate::engine::Program::set_label)).
    pub fn name(&mut self, program: usize, name: &str) -> io::Result<()> {
        if program >= self.rows.len() {
            return Err(no_place("a name of no program"));
        }
        check_label(name).map_err(|error| no_place(&format!("such a name ({error})")))?;
        self.content.aside(NAME, &calls::write_name(program, name))
    }

    /// Adds a call.
    ///
    /// # Errors
    /// Errors of the underlying writer; a program or a row that does not exist; a stream that has another number of vertices than the call,
    /// or more than [`MOST_VERTICES`]; more than a capture may have.
    pub fn call(&mut self, call: &Call) -> io::Result<()> {
        let rows = self.rows.get(call.program).copied().ok_or_else(|| no_place("a call of no program"))?;
        let is_whole = |stream: &Stream| match stream {
            Stream::One(_) => true,
            Stream::Each(rows) => rows.len() == call.count,
        };
        let registers = call.attributes.iter().map(|(register, _)| u32::from(*register));
        let is_ascending = registers.clone().zip(registers.clone().skip(1)).all(|(a, b)| a < b);
        if call.count > MOST_VERTICES
            || !call.attributes.iter().all(|(_, stream)| is_whole(stream))
            || !is_ascending
            || registers.max().is_some_and(|last| last >= 16)
            || call.constants.len() > rows
            || call.constants.iter().any(|&(row, _)| usize::from(row) >= rows)
        {
            return Err(no_place("such a call"));
        }
        // The largest of items, and as long as a guest likes.
        self.content.content.try_reserve(calls::bytes(call))?;
        self.content.add(calls::vertices(call), |to| {
            calls::write_call(call, to);
            true
        })
    }
}

const _: () = assert!(FULL + 16 * 16 * MOST_VERTICES + 0x10000 < super::MOST_BLOCK);
const _: () = assert!(FULL + 0xffff * crate::flipper::vertex::LONGEST + 8 < super::MOST_BLOCK);
