//! Reading captures, part by part.

use super::block::{Block, Blocked, CALLS, CHIP, END, FLIPPER, Kind, NAME, NOTE, Next, PROGRAM, UNIT};
use super::bounds::Count;
use super::bytes::Bytes;
use super::calls::{self, Call, Recorded};
use super::error::{CaptureError, Problem};
use super::writer::{CALLS_NAME, FLIPPER_NAME};
use super::{MOST_PROGRAMS, flipper, unit};
use crate::flipper::Registers;
use crate::flipper::trace::Item as FlipperItem;
use crate::xf::trace::Item;
use std::io::Read;
use xfjit_isa::chip::Chip;

/// The device or the calls that a capture records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A unit of NVIDIA's.
    Unit(Chip),
    /// Flipper.
    Flipper,
    /// Calls.
    Calls,
}

/// A part of a capture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// An event of a unit; for [`XfUnit::play`](crate::xf::XfUnit::play).
    Unit(Item),
    /// An event of Flipper; for [`FlipperUnit::play`](crate::flipper::FlipperUnit::play).
    Flipper(FlipperItem),
    /// A program; for [`CallPlayer::program`](super::CallPlayer::program).
    Program(Box<Recorded>),
    /// The name of a program from here on; for [`CallPlayer::name`](super::CallPlayer::name).
    Name {
        /// Which one, of the programs so far.
        program: usize,
        /// At most [`MOST_LABEL`](crate::engine::MOST_LABEL) bytes on one line; empty if it has no name any more.
        name: String,
    },
    /// A call; for [`CallPlayer::call`](super::CallPlayer::call).
    Call(Call),
    /// Text for people.
    Note(String),
}

/// How blocks of a capture are read.
#[derive(Debug)]
enum State {
    Unit(Chip),
    Flipper(Box<Registers>),
    /// With the rows of constants that each program may have.
    Calls(Vec<u16>),
}

/// Reads a capture. It keeps a block in memory. Its work is in proportion to the unpacked size of blocks, which may be a thousand times the
/// size in the file, and is at most [`MOST_BYTES`](super::MOST_BYTES) in all. It returns at most [`MOST_ITEMS`](super::MOST_ITEMS) items
/// and [`MOST_VERTICES_IN_ALL`](super::MOST_VERTICES_IN_ALL) vertices.
#[derive(Debug)]
pub struct Reader<R> {
    blocks: Blocked<R>,
    state: State,
    /// What is left of a block of items.
    items: Bytes,
    count: Count,
    ends: Option<Ends>,
}

/// How it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Ends {
    Whole,
    Wrong(CaptureError),
    /// What is there of it is good up to this byte.
    Cut(u64),
}

impl<R: Read> Reader<R> {
    /// Begins to read a capture: reads its header, and what it records.
    ///
    /// # Errors
    /// A file that is not a capture, or has another version; here and in the other calls, a file that cannot be read.
    pub fn new(from: R) -> Result<Reader<R>, CaptureError> {
        let mut blocks = Blocked::new(from)?;
        let offset = blocks.offset;
        let wrong = |problem| Err(CaptureError { offset, inside: None, problem });
        let state = match blocks.block()? {
            Next::Ends => return wrong(Problem::TooShort),
            Next::Block(Block { kind: CHIP, content, .. }) => match str::from_utf8(&content) {
                Ok(FLIPPER_NAME) => State::Flipper(Box::default()),
                Ok(CALLS_NAME) => State::Calls(Vec::new()),
                name => match name.ok().and_then(Chip::from_name) {
                    Some(chip) => State::Unit(chip),
                    None => return wrong(Problem::Content(format!("no chip `{}`", content.escape_ascii()))),
                },
            },
            Next::Block(block) => return wrong(Problem::Place(block.kind)),
        };
        Ok(Reader { blocks, state, items: Bytes::default(), count: Count::default(), ends: None })
    }

    /// The device or the calls that the capture records.
    pub fn content(&self) -> Content {
        match self.state {
            State::Unit(chip) => Content::Unit(chip),
            State::Flipper(_) => Content::Flipper,
            State::Calls(_) => Content::Calls,
        }
    }

    /// For a truncated capture, the byte up to which it is usable; known at its end.
    pub fn cut(&self) -> Option<u64> {
        match &self.ends {
            Some(Ends::Cut(offset)) => Some(*offset),
            Some(Ends::Whole | Ends::Wrong(_)) | None => None,
        }
    }

    /// Returns the next part; none at the end.
    ///
    /// # Errors
    /// The first error, and its place. The parts before it are valid; further calls return the same error.
    pub fn part(&mut self) -> Result<Option<Part>, CaptureError> {
        if let Some(Ends::Wrong(error)) = &self.ends {
            return Err(error.clone());
        }
        let part = self.read();
        if let Err(error) = &part {
            self.ends = Some(Ends::Wrong(error.clone()));
        }
        part
    }

    fn read(&mut self) -> Result<Option<Part>, CaptureError> {
        while self.ends.is_none() {
            if !self.items.is_empty() {
                let from = &mut self.items;
                let at = from.at();
                let (part, vertices) = match &mut self.state {
                    State::Unit(chip) => {
                        let item = unit::read(*chip, from)?;
                        let vertices = unit::vertices(&item);
                        (Part::Unit(item), vertices)
                    }
                    State::Flipper(registers) => {
                        let item = flipper::read(registers, from)?;
                        let vertices = flipper::vertices(&item);
                        (Part::Flipper(item), vertices)
                    }
                    State::Calls(rows) => {
                        let call = calls::read_call(rows, from)?;
                        let vertices = calls::vertices(&call);
                        (Part::Call(call), vertices)
                    }
                };
                self.count = self.count.with(vertices).map_err(|problem| from.wrong_at(at, problem))?;
                return Ok(Some(part));
            }
            let offset = self.blocks.offset;
            let wrong = |problem| Err(CaptureError { offset, inside: None, problem });
            let block = match self.blocks.block()? {
                Next::Block(block) => block,
                Next::Ends => {
                    self.ends = Some(Ends::Cut(offset));
                    return Ok(None);
                }
            };
            match (block.kind, &mut self.state) {
                (UNIT, State::Unit(_)) | (FLIPPER, State::Flipper(_)) | (CALLS, State::Calls(_)) => {
                    self.items = Bytes::new(block.content, block.offset);
                }
                (PROGRAM, State::Calls(rows)) => {
                    if rows.len() >= MOST_PROGRAMS {
                        return wrong(Problem::Programs);
                    }
                    let mut bytes = Bytes::new(block.content, block.offset);
                    let program = calls::read_program(rows.len(), &mut bytes)?;
                    rows.push(program.config.rows() as u16);
                    self.count = self.count.with(0).map_err(|problem| bytes.wrong_at(0, problem))?;
                    return Ok(Some(Part::Program(Box::new(program))));
                }
                (NAME, State::Calls(rows)) => {
                    let mut bytes = Bytes::new(block.content, block.offset);
                    let (program, name) = calls::read_name(rows.len(), &mut bytes)?;
                    return Ok(Some(Part::Name { program, name }));
                }
                (NOTE, _) => {
                    return Ok(Some(Part::Note(String::from_utf8_lossy(&block.content).into_owned())));
                }
                (END, _) => {
                    let mut bytes = Bytes::new(block.content, block.offset);
                    let expected = bytes.u64()?;
                    if expected != self.count.items {
                        return wrong(Problem::Count { got: self.count.items, expected });
                    }
                    if !bytes.is_empty() || !self.blocks.is_at_end()? {
                        return wrong(Problem::Behind);
                    }
                    self.ends = Some(Ends::Whole);
                }
                (UNIT | FLIPPER | CALLS | PROGRAM | NAME | CHIP, _) => {
                    return wrong(Problem::Place(block.kind));
                }
                (kind, _) if may_be_skipped(kind) => {}
                (kind, _) => return wrong(Problem::Block(kind)),
            }
        }
        Ok(None)
    }
}

/// Whether who does not know a block passes over it: its first letter is small.
fn may_be_skipped(kind: Kind) -> bool {
    kind[0].is_ascii_lowercase()
}
