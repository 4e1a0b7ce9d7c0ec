//! Recordings of Dolphin's FIFO player (`.dff`): the initial registers, then frames of commands, and the contents of memory when commands
//! read it.
//!
//! The layout is that of Dolphin's sources (`Core/FifoPlayer/FifoDataFile`, versions 1 to 6); there is no other document of it. Numbers of
//! the file are little-endian; data of the guest are in the guest's form. Positions are byte offsets from the beginning of the file.
//!
//! ```text
//! header   00 0d01f1f0 | 04 version | 08 the version that a reader must know at least
//!          0c BP's registers: position (u64), words | 18 the same of CP's registers | 24 of XF's memory | 30 of XF's registers
//!          3c position of the list of frames (u64) | 44 frames | 48 flags: bit 0 says that it is of a Wii
//!          4c texture memory: position (u64), bytes; from version 4 | 58 bytes of main memory, 5c of the second; from version 5
//!          60 the game's name: 8 characters; from version 6
//! frame    00 commands: position (u64), bytes | 0c where the ring began and ended | 14 list of updates: position (u64), how many
//! update   00 before which byte of the frame's commands | 04 address | 08 data: position (u64), bytes | 14 what for
//! ```
//! A header has 128 bytes, a frame 64, an update 24; other bytes are reserved. Display lists are in the commands, at the places where they
//! were called. The reader ignores texture memory, the place of the ring, the purpose of updates and the game's name. A file says which
//! version a reader must know: every reader can read a file of version 6 that needs only version 1.

use super::memory::Ram;
use super::output::Output;
use super::processor::Budget;
use super::unit::FlipperUnit;
use std::fmt;
use xfjit_isa::chip::flipper::cp::Register;
use xfjit_isa::chip::flipper::registers::REGISTERS;
use xfjit_isa::chip::flipper::{ADDRESS, Console, SECOND};

/// The first bytes of a recording.
const MAGIC: u32 = 0x0d01_f1f0;
/// The version whose fields are known.
const VERSION: u32 = 6;
const HEADER: usize = 128;
const FRAME: usize = 64;
const UPDATE: usize = 24;
/// Words of registers of BP and CP.
const NUMBERED: usize = 256;
/// Words of XF's memory, and of its registers behind it.
const XF_WORDS: [usize; 2] = [REGISTERS as usize, 96];
/// The version from which on files have the size of the memory.
const TELLS_MEMORY: u32 = 5;
/// The memory of consoles in bytes.
const MEMORY: u32 = 24 << 20;
/// Registers of BP that do something when they are loaded, and hold nothing: the end of drawing, tokens, a copy of the frame buffer, loads
/// of texture memory, what is measured. Dolphin's player does not load them.
const COMMANDS: [u8; 7] = [0x45, 0x47, 0x48, 0x52, 0x63, 0x65, 0x67];
/// The size of the Wii's second memory in bytes, for files that do not say it.
const SECOND_MEMORY: u32 = 64 << 20;

/// Why a file is not a recording that can be played.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DffError {
    /// It does not begin like a recording.
    NoRecording,
    /// It needs a reader of this version.
    Newer(u32),
    /// A part of it is outside of the file.
    Outside {
        /// What.
        what: &'static str,
        /// Where it should be.
        position: u64,
        /// How much.
        bytes: u64,
    },
    /// Its frames have more data than the file: several frames share parts of it.
    Shared,
    /// It updates memory that the console does not have.
    NoMemory {
        /// Where.
        address: u32,
        /// How much.
        bytes: u32,
    },
}

impl fmt::Display for DffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DffError::NoRecording => f.write_str("is not a recording for Dolphin's FIFO player"),
            DffError::Newer(version) => {
                write!(f, "needs version {version} of the format; this library reads version {VERSION}")
            }
            DffError::Outside { what, position, bytes } => {
                write!(f, "{what}: {bytes} bytes from {position:#x} on are beyond the end of the file")
            }
            DffError::Shared => f.write_str("its frames are larger than the file"),
            DffError::NoMemory { address, bytes } => {
                write!(f, "{bytes} bytes of memory at {address:#x}: the console has no memory there")
            }
        }
    }
}

impl std::error::Error for DffError {}

/// An update of the guest's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update<'a> {
    /// The byte of the frame's commands before which it applies.
    pub position: u32,
    /// Where.
    pub address: u32,
    /// What.
    pub bytes: &'a [u8],
}

/// The commands between two pictures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// The commands; the last one may continue in the next frame.
    pub commands: &'a [u8],
    /// The updates, in their order.
    pub updates: Vec<Update<'a>>,
}

/// A recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording<'a> {
    /// The version of its format.
    pub version: u32,
    /// Whether it was recorded on a Wii.
    pub is_wii: bool,
    /// The initial registers after the transform unit, by number.
    pub bp: [u32; NUMBERED],
    /// The initial registers of the command processor.
    pub cp: [u32; NUMBERED],
    /// The initial words of the transform unit, including its registers.
    pub xf: Vec<u32>,
    /// The frames.
    pub frames: Vec<Frame<'a>>,
}

/// A file, how much of it frames may still have, and the bits that addresses of its memory have.
struct File<'a> {
    bytes: &'a [u8],
    left: u64,
    is_wii: bool,
    mask: u32,
    /// Those in the second memory.
    second: u32,
}

impl<'a> File<'a> {
    fn part(&self, what: &'static str, position: u64, bytes: u64) -> Result<&'a [u8], DffError> {
        let range = usize::try_from(position).ok().zip(usize::try_from(bytes).ok());
        let part = range.and_then(|(from, count)| self.bytes.get(from..)?.get(..count));
        part.ok_or(DffError::Outside { what, position, bytes })
    }

    /// A part that no other may have, so that work stays in proportion to the file.
    fn own(&mut self, what: &'static str, position: u64, bytes: u64) -> Result<&'a [u8], DffError> {
        let part = self.part(what, position, bytes)?;
        self.left = self.left.checked_sub(bytes).ok_or(DffError::Shared)?;
        Ok(part)
    }

    /// So many words; those that the file does not have are zero.
    fn words(&self, what: &'static str, at: &[u8], most: usize) -> Result<Vec<u32>, DffError> {
        let count = (u32_of(at, 8) as usize).min(most);
        let bytes = self.part(what, u64_of(at, 0), 4 * count as u64)?;
        let mut words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        words.resize(most, 0);
        Ok(words)
    }

    fn frame(&mut self, fields: &[u8]) -> Result<Frame<'a>, DffError> {
        let commands = self.own("commands", u64_of(fields, 0), u32_of(fields, 8).into())?;
        let count = u64::from(u32_of(fields, 28));
        let list = self.own("list of updates", u64_of(fields, 20), UPDATE as u64 * count)?;
        let updates = list.as_chunks::<UPDATE>().0.iter().map(|fields| {
            let bytes = self.own("data of an update", u64_of(fields, 8), u32_of(fields, 16).into())?;
            let address = u32_of(fields, 4);
            let has_second = self.is_wii && address & SECOND != 0;
            let (mask, base) = if has_second { (self.second, SECOND) } else { (self.mask, 0) };
            let end = u64::from(address & mask) + bytes.len() as u64;
            if !self.is_wii && address & SECOND != 0 || end > u64::from(mask) + 1 {
                return Err(DffError::NoMemory { address, bytes: bytes.len() as u32 });
            }
            Ok(Update { position: u32_of(fields, 0), address: base | address & mask, bytes })
        });
        let updates = updates.collect::<Result<_, _>>()?;
        Ok(Frame { commands, updates })
    }
}

/// The bits that addresses have in a memory of this size: those of the next power of two, as far as commands can name them. A file that
/// tells none is taken for one of a console.
fn mask(size: u32, usual: u32) -> u32 {
    let size = if size == 0 { usual } else { size };
    size.checked_next_power_of_two().map_or(u32::MAX, |size| size - 1) & ADDRESS
}

/// A field of a header, which is there.
fn u32_of(fields: &[u8], at: usize) -> u32 {
    fields[at..].first_chunk().map_or(0, |&word| u32::from_le_bytes(word))
}

/// A number of 64 bits, the lower word first.
fn u64_of(fields: &[u8], at: usize) -> u64 {
    u64::from(u32_of(fields, at)) | u64::from(u32_of(fields, at + 4)) << 32
}

impl<'a> Recording<'a> {
    /// Whether a file begins like a recording.
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC.to_le_bytes())
    }

    /// The registers after the transform unit that a player loads first: those that are not zero, which is their value after a reset.
    pub fn loads(&self) -> impl Iterator<Item = (u8, u32)> {
        let all = (0..=u8::MAX).zip(self.bp.map(|value| value & 0xff_ffff));
        all.filter(|(register, value)| *value != 0 && !COMMANDS.contains(register))
    }

    /// Reads a file. Its commands and data are not copied.
    ///
    /// # Errors
    /// A part that cannot be played. Nothing outside of the file is read, whatever its fields say.
    pub fn read(bytes: &'a [u8]) -> Result<Recording<'a>, DffError> {
        if !Recording::is_one(bytes) {
            return Err(DffError::NoRecording);
        }
        let mut file = File { bytes, left: bytes.len() as u64, is_wii: false, mask: 0, second: 0 };
        let header = file.part("header", 0, HEADER as u64)?;
        let needed = u32_of(header, 8);
        if needed > VERSION {
            return Err(DffError::Newer(needed));
        }
        let version = u32_of(header, 4);
        file.is_wii = u32_of(header, 0x48) & 1 != 0;
        let told = |at, usual| if version < TELLS_MEMORY { usual } else { u32_of(header, at) };
        (file.mask, file.second) =
            (mask(told(0x58, MEMORY), MEMORY), mask(told(0x5c, SECOND_MEMORY), SECOND_MEMORY));
        let numbered = |what, at: usize| {
            let words = file.words(what, &header[at..], NUMBERED)?;
            Ok(std::array::from_fn(|number| words[number]))
        };
        let (bp, cp) = (numbered("registers of BP", 0x0c)?, numbered("registers of CP", 0x18)?);
        let mut xf = file.words("memory of XF", &header[0x24..], XF_WORDS[0])?;
        xf.extend(file.words("registers of XF", &header[0x30..], XF_WORDS[1])?);
        let count = u64::from(u32_of(header, 0x44));
        let list = file.own("list of frames", u64_of(header, 0x3c), FRAME as u64 * count)?;
        let frames = list.as_chunks::<FRAME>().0.iter().map(|fields| file.frame(fields));
        let frames = frames.collect::<Result<_, _>>()?;
        Ok(Recording { version, is_wii: file.is_wii, bp, cp, xf, frames })
    }
}

/// Plays a recording on a unit, frame by frame.
///
/// ```
/// use std::sync::Arc;
/// use xfjit::config::FlipperQuirks;
/// use xfjit::flipper::dff::{DffError, Played, Player, Recording};
/// use xfjit::flipper::{Budget, FlipperUnit, Output, Quirks};
/// use xfjit::{Engine, Options};
///
/// fn vertices(file: &[u8]) -> Result<usize, DffError> {
///     let recording = Recording::read(file)?;
///     let engine = Arc::new(Engine::new(Options::default()));
///     let mut unit = FlipperUnit::new(engine, Quirks::default(), FlipperQuirks::SPEC);
///     let mut player = Player::new(&recording, &mut unit);
///     let mut vertices = 0;
///     let mut take = |output: Output<'_>| {
///         if let Output::Drawn(drawn) = output {
///             vertices += drawn.vertices.count;
///         }
///     };
///     while player.frame(&mut unit, Budget::NONE, &mut take) == Played::Frame {}
///     Ok(vertices)
/// }
/// assert_eq!(vertices(b"RIFF"), Err(DffError::NoRecording));
/// ```
#[derive(Clone, Debug)]
pub struct Player<'a> {
    recording: &'a Recording<'a>,
    memory: Ram,
    /// The frame that is played, how many of its commands' bytes have been taken, and how many of its updates.
    frame: usize,
    at: usize,
    updates: usize,
    /// Commands that have been taken, and bytes of them that have been run.
    taken: Vec<u8>,
    run: usize,
    /// Whether nothing has been handed on.
    is_new: bool,
}

/// How far a call has played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Played {
    /// Until the budget was used up.
    Part,
    /// Until the end of a frame.
    Frame,
    /// Nothing was left to play.
    End,
}

impl<'a> Player<'a> {
    /// Loads the initial registers into a unit. Those after the transform unit ([`Recording::loads`]) are passed on with the first frame.
    pub fn new(recording: &'a Recording<'a>, unit: &mut FlipperUnit) -> Player<'a> {
        let console = if recording.is_wii { Console::Wii } else { Console::GameCube };
        unit.fifo.processor.registers.console = console;
        // Of registers that have several numbers the lowest holds the value.
        for number in (0..=u8::MAX).filter(|&number| Register::of(number).number() == number) {
            unit.fifo.processor.registers.load(number, recording.cp[usize::from(number)]);
        }
        unit.load(0, &recording.xf);
        let memory = Ram::default();
        Player { recording, memory, frame: 0, at: 0, updates: 0, taken: Vec::new(), run: 0, is_new: true }
    }

    /// Runs the commands of the next frame, or of the rest of one, each after the updates that apply before it, and passes on the output.
    pub fn frame(
        &mut self,
        unit: &mut FlipperUnit,
        budget: Budget,
        mut take: impl FnMut(Output<'_>),
    ) -> Played {
        let Some(frame) = self.recording.frames.get(self.frame) else { return Played::End };
        if std::mem::take(&mut self.is_new) {
            self.recording.loads().for_each(|(register, value)| unit.hand_on_bp(register, value, &mut take));
        }
        let mut left = budget.0;
        loop {
            let update = frame.updates.get(self.updates);
            // UNKNOWN: what a position behind the commands means; here their end.
            let most = frame.commands.len();
            let to = update.map_or(most, |update| most.min(update.position as usize)).max(self.at);
            self.taken.extend_from_slice(&frame.commands[self.at..to]);
            self.at = to;
            self.run += unit.run_within(&self.taken[self.run..], self.memory.memory(), &mut left, &mut take);
            if left == 0 {
                return Played::Part;
            }
            self.taken.drain(..std::mem::take(&mut self.run));
            let Some(update) = update else {
                (self.frame, self.at, self.updates) = (self.frame + 1, 0, 0);
                return Played::Frame;
            };
            self.memory.write(update.address, update.bytes);
            self.updates += 1;
        }
    }

    /// The number of bytes at the end of the frames so far that are the beginning of a command.
    pub fn left(&self) -> usize {
        self.taken.len() - self.run
    }
}
