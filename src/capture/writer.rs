//! Writing captures, block by block.

use super::block::{Blocks, CALLS, CHIP, END, FLIPPER, Kind, NOTE, PROGRAM, UNIT};
use super::calls::{self, Call, Recorded, Stream};
use super::{MOST_PROGRAMS, MOST_VERTICES, flipper, unit};
use crate::chip::Chip;
use crate::flipper::FlipperUnit;
use crate::flipper::trace::Item as FlipperItem;
use crate::xf::XfUnit;
use crate::xf::trace::Item;
use std::io::{self, Write};

/// Bytes from which on a block is written.
const FULL: usize = 1 << 18;

/// Content of blocks that follow each other.
#[derive(Debug)]
struct Content<W> {
    blocks: Blocks<W>,
    /// Of the block that is being filled.
    kind: Kind,
    content: Vec<u8>,
    items: u64,
}

fn no_place(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{what} has no place in a capture"))
}

impl<W: Write> Content<W> {
    fn new(out: W, of: &str, kind: Kind) -> io::Result<Content<W>> {
        let mut blocks = Blocks::new(out)?;
        blocks.block(CHIP, of.as_bytes())?;
        Ok(Content { blocks, kind, content: Vec::new(), items: 0 })
    }

    fn note(&mut self, text: &str) -> io::Result<()> {
        self.write()?;
        let end = (0..=text.len().min(FULL)).rev().find(|&end| text.is_char_boundary(end));
        self.blocks.block(NOTE, &text.as_bytes()[..end.unwrap_or(0)])
    }

    /// Items have been added.
    fn added(&mut self) -> io::Result<()> {
        self.items += 1;
        if self.content.len() >= FULL { self.write() } else { Ok(()) }
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
        self.blocks.out().flush()
    }

    fn finish(mut self) -> io::Result<W> {
        self.write()?;
        self.blocks.block(END, &self.items.to_le_bytes())?;
        self.blocks.out().flush()?;
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
            /// Those of the writer below.
            pub fn note(&mut self, text: &str) -> io::Result<()> {
                self.content.note(text)
            }

            /// Bytes so far: those written, and those kept back as they are before they are compressed.
            pub fn size(&self) -> u64 {
                self.content.blocks.size + self.content.content.len() as u64
            }

            /// Writes what has been kept back, so that whoever reads the capture from now on finds it.
            ///
            /// # Errors
            /// Those of the writer below.
            pub fn flush(&mut self) -> io::Result<()> {
                self.content.flush()
            }

            /// Ends the capture. One that is not ended reads as one that has been cut off.
            ///
            /// # Errors
            /// Those of the writer below.
            pub fn finish(self) -> io::Result<W> {
                self.content.finish()
            }
        }
    };
}

/// Writes a capture of a unit of NVIDIA's. It keeps up to a block in memory, some 256 KB.
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
    /// Those of the writer below; here and in what follows.
    pub fn new(out: W, chip: Chip) -> io::Result<UnitWriter<W>> {
        Ok(UnitWriter { content: Content::new(out, chip.name(), UNIT)?, chip })
    }

    /// Adds an item. What a chip has no address or no register for changes nothing, and is left out.
    ///
    /// # Errors
    /// Those of the writer below.
    pub fn item(&mut self, item: &Item) -> io::Result<()> {
        let Some(item) = unit::wired(self.chip, item) else { return Ok(()) };
        unit::write(&item, &mut self.content.content);
        self.content.added()
    }

    /// Adds what a unit has recorded since the last time: between [`XfUnit::record`] and [`XfUnit::recorded`], now and then.
    ///
    /// # Errors
    /// Those of the writer below, and a unit of another chip.
    pub fn take(&mut self, unit: &mut XfUnit) -> io::Result<()> {
        if unit.chip() != self.chip {
            return Err(no_place("another chip"));
        }
        let mut written = Ok(());
        unit.drain_recorded(|item| {
            if written.is_ok() {
                written = self.item(item);
            }
        });
        written
    }
}

/// Writes a capture of Flipper. It keeps up to a block in memory, some 256 KB, and a draw.
#[derive(Debug)]
pub struct FlipperWriter<W> {
    content: Content<W>,
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
    /// Those of the writer below; here and in what follows.
    pub fn new(out: W) -> io::Result<FlipperWriter<W>> {
        Ok(FlipperWriter { content: Content::new(out, FLIPPER_NAME, FLIPPER)? })
    }

    /// Adds an item. Memory of more than a megabyte becomes several.
    ///
    /// # Errors
    /// Those of the writer below, and an item that no unit records: words that do not exist, a draw without a primitive.
    pub fn item(&mut self, item: &FlipperItem) -> io::Result<()> {
        if let FlipperItem::Memory(address, bytes) = item
            && bytes.len() > flipper::PIECE
        {
            for (piece, at) in bytes.chunks(flipper::PIECE).zip((0u32..).step_by(flipper::PIECE)) {
                self.item(&FlipperItem::Memory(address.saturating_add(at), piece.to_vec()))?;
            }
            return Ok(());
        }
        if !flipper::write(item, &mut self.content.content) {
            return Err(no_place("such an item"));
        }
        self.content.added()
    }

    /// Adds what a unit has recorded since the last time: between [`FlipperUnit::record`] and [`FlipperUnit::recorded`], now and
    /// then.
    ///
    /// # Errors
    /// Those of the writer below.
    pub fn take(&mut self, unit: &mut FlipperUnit) -> io::Result<()> {
        let mut written = Ok(());
        unit.drain_recorded(|item| {
            if written.is_ok() {
                written = self.item(item);
            }
        });
        written
    }
}

/// Writes a capture of calls: programs, and batches of vertices that they run on. It keeps a call in memory, and up to a block, some
/// 256 KB.
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
    /// Those of the writer below; here and in what follows.
    pub fn new(out: W) -> io::Result<CallWriter<W>> {
        Ok(CallWriter { content: Content::new(out, CALLS_NAME, CALLS)?, rows: Vec::new() })
    }

    /// Adds a program; its number is how many there were.
    ///
    /// # Errors
    /// Those of the writer below, and more programs than [`MOST_PROGRAMS`].
    pub fn program(&mut self, program: &Recorded) -> io::Result<usize> {
        if self.rows.len() >= MOST_PROGRAMS {
            return Err(no_place("one more program"));
        }
        let number = self.rows.len();
        let mut content = (number as u32).to_le_bytes().to_vec();
        if !calls::write_program(program, &mut content) {
            return Err(no_place("such a program"));
        }
        self.content.write()?;
        self.content.blocks.block(PROGRAM, &content)?;
        self.content.items += 1;
        self.rows.push(program.config.generation.constants());
        Ok(number)
    }

    /// Adds a call.
    ///
    /// # Errors
    /// Those of the writer below; a program or a row that is not there; a stream that has not as many vertices as the call, or more than
    /// [`MOST_VERTICES`] of them.
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
            || call.constants.iter().any(|&(row, _)| usize::from(row) >= rows)
        {
            return Err(no_place("such a call"));
        }
        calls::write_call(call, &mut self.content.content);
        self.content.added()
    }
}

const _: () = assert!(FULL + 16 * 16 * MOST_VERTICES + 0x10000 < super::MOST_BLOCK);
const _: () = assert!(FULL + 0xffff * crate::flipper::vertex::LONGEST + 8 < super::MOST_BLOCK);
