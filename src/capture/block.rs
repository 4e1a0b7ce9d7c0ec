//! Blocks: the contents of a file between its header and its end.

use super::error::{CaptureError, Problem};
use super::{MAGIC, MOST_BLOCK, MOST_BYTES, VERSION};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use std::io::{self, Read, Write};

/// What a block holds: four letters. Who does not know one whose first letter is small passes over it.
pub type Kind = [u8; 4];

/// What the capture is of: the first block.
pub const CHIP: Kind = *b"CHIP";
/// Text for people.
pub(super) const NOTE: Kind = *b"note";
/// Items of a unit.
pub const UNIT: Kind = *b"UNIT";
/// Items of Flipper.
pub const FLIPPER: Kind = *b"FLIP";
/// A program.
pub const PROGRAM: Kind = *b"PROG";
/// What a program is called. Readers that do not know names pass over it.
pub const NAME: Kind = *b"name";
/// Batches of vertices.
pub const CALLS: Kind = *b"CALL";
/// How many items there were: the last block.
pub(super) const END: Kind = *b"END ";

/// Bytes of the file's header before its checksum.
const FILE_HEAD: usize = 16;
/// Bytes of a block's header before its checksum.
const HEAD: usize = 20;
/// Bytes of a block beside its content. All blocks together have so few bytes that their numbers do not overflow.
pub(super) const FRAME: u64 = HEAD as u64 + 8;
const _: () = assert!(MOST_BYTES / FRAME < u32::MAX as u64);
/// Flag of a block: its content is compressed (RFC 1951).
const PACKED: u32 = 1;
/// Shorter content is stored as it is.
const WORTH_PACKING: usize = 256;
/// How hard to compress, of 0 to 10: most of what there is to gain at several times the speed of 6.
const LEVEL: u8 = 2;

/// Writes blocks.
#[derive(Debug)]
pub struct Blocks<W> {
    out: W,
    number: u32,
    /// Bytes written.
    pub(super) size: u64,
    /// Bytes that blocks may still have, as a reader counts them.
    left: u64,
    /// Part of a block may have been written, and the rest not.
    is_broken: bool,
}

impl<W: Write> Blocks<W> {
    pub fn new(mut out: W) -> io::Result<Blocks<W>> {
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        head.extend(0u32.to_le_bytes());
        head.extend(crc32fast::hash(&head).to_le_bytes());
        out.write_all(&head)?;
        let size = head.len() as u64;
        Ok(Blocks { out, number: 0, size, left: MOST_BYTES, is_broken: false })
    }

    /// Whether a block of so many bytes has a place, and the end behind it.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        bytes.saturating_add(2 * FRAME + 8) <= self.left
    }

    /// An error if something has not been written that should have been.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.is_broken {
            true => Err(io::Error::other("an earlier write of the capture failed; the recording has ended")),
            false => Ok(()),
        }
    }

    /// What has been written is all that will be.
    pub(super) fn give_up(&mut self) {
        self.is_broken = true;
    }

    pub fn block(&mut self, kind: Kind, content: &[u8]) -> io::Result<()> {
        self.check()?;
        self.is_broken = true;
        let packed = (content.len() >= WORTH_PACKING).then(|| compress_to_vec(content, LEVEL));
        let packed = packed.filter(|packed| packed.len() < content.len());
        let stored = packed.as_deref().unwrap_or(content);
        let flags = if packed.is_some() { PACKED } else { 0 };
        let mut head = kind.to_vec();
        for word in [self.number, flags, stored.len() as u32, content.len() as u32] {
            head.extend(word.to_le_bytes());
        }
        head.extend(crc32fast::hash(&head).to_le_bytes());
        self.out.write_all(&head)?;
        self.out.write_all(stored)?;
        self.out.write_all(&crc32fast::hash(stored).to_le_bytes())?;
        self.number += 1;
        self.size += FRAME + stored.len() as u64;
        self.left = self.left.saturating_sub(FRAME + content.len() as u64);
        self.is_broken = false;
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.check()?;
        self.is_broken = true;
        self.out.flush()?;
        self.is_broken = false;
        Ok(())
    }

    pub fn into_out(self) -> W {
        self.out
    }
}

/// A block as it has been read.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// Where in the file it begins.
    pub(super) offset: u64,
    /// Unpacked.
    pub(super) content: Vec<u8>,
}

/// What comes next in a file.
pub(super) enum Next {
    Block(Block),
    /// The file ends here, between blocks or inside of one.
    Ends,
}

/// Unpacks all of a content to so many bytes; none if it is not that.
fn unpack(content: &[u8], plain: usize) -> Option<Vec<u8>> {
    let mut unpacked = vec![0; plain];
    let mut inflate = Box::<DecompressorOxide>::default();
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, used, made) = decompress(&mut inflate, content, &mut unpacked, 0, flags);
    (status == TINFLStatus::Done && used == content.len() && made == plain).then_some(unpacked)
}

/// Reads blocks.
#[derive(Debug)]
pub(super) struct Blocked<R> {
    from: R,
    /// Where the next block begins.
    pub(super) offset: u64,
    number: u32,
    /// Bytes that blocks may still have.
    left: u64,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |&word| u32::from_le_bytes(word))
}

impl<R: Read> Blocked<R> {
    /// Reads the header of a file.
    pub(super) fn new(from: R) -> Result<Blocked<R>, CaptureError> {
        let mut blocked = Blocked { from, offset: 0, number: 0, left: MOST_BYTES };
        let head = blocked.bytes(FILE_HEAD + 4)?;
        if !head.starts_with(&MAGIC) {
            let problem = match !head.is_empty() && MAGIC.starts_with(&head) {
                true => Problem::TooShort,
                false => Problem::NoCapture,
            };
            return Err(blocked.wrong(problem));
        }
        if head.len() < FILE_HEAD + 4 {
            return Err(blocked.wrong(Problem::TooShort));
        }
        if word(&head, FILE_HEAD) != crc32fast::hash(&head[..FILE_HEAD]) {
            return Err(blocked.wrong(Problem::Checksum("the header")));
        }
        let (version, flags) = (word(&head, 8), word(&head, 12));
        if version != VERSION {
            return Err(blocked.wrong(Problem::Version(version)));
        }
        if flags != 0 {
            return Err(blocked.wrong(Problem::Flags(flags)));
        }
        blocked.offset = head.len() as u64;
        Ok(blocked)
    }

    fn wrong(&self, problem: Problem) -> CaptureError {
        CaptureError { offset: self.offset, inside: None, problem }
    }

    /// So many bytes, or those that are left. Memory is taken for what is there only.
    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, CaptureError> {
        let mut bytes = Vec::new();
        let read = self.from.by_ref().take(count as u64).read_to_end(&mut bytes);
        read.map_err(|error| self.wrong(Problem::Unreadable(error.to_string())))?;
        Ok(bytes)
    }

    /// The next block.
    pub(super) fn block(&mut self) -> Result<Next, CaptureError> {
        let head = self.bytes(HEAD + 4)?;
        if head.len() < HEAD + 4 {
            return Ok(Next::Ends);
        }
        if word(&head, HEAD) != crc32fast::hash(&head[..HEAD]) {
            return Err(self.wrong(Problem::Checksum("a block's header")));
        }
        let (number, flags, stored, plain) =
            (word(&head, 4), word(&head, 8), word(&head, 12), word(&head, 16));
        let kind = [head[0], head[1], head[2], head[3]];
        if number != self.number {
            return Err(self.wrong(Problem::Number { got: number, expected: self.number }));
        }
        if flags & !PACKED != 0 {
            return Err(self.wrong(Problem::Flags(flags)));
        }
        if let Some(bytes) = [stored, plain].into_iter().find(|&bytes| bytes as usize > MOST_BLOCK) {
            return Err(self.wrong(Problem::Large(bytes)));
        }
        let whole = FRAME + u64::from(plain);
        self.left = self.left.checked_sub(whole).ok_or_else(|| self.wrong(Problem::All))?;
        let mut content = self.bytes(stored as usize + 4)?;
        if content.len() < stored as usize + 4 {
            return Ok(Next::Ends);
        }
        let sum = word(&content, stored as usize);
        content.truncate(stored as usize);
        if sum != crc32fast::hash(&content) {
            return Err(self.wrong(Problem::Checksum("a block's content")));
        }
        if flags & PACKED != 0 {
            content = unpack(&content, plain as usize).ok_or_else(|| self.wrong(Problem::Packed))?;
        }
        if content.len() != plain as usize {
            return Err(self.wrong(Problem::Packed));
        }
        let block = Block { kind, offset: self.offset, content };
        self.offset += FRAME + u64::from(stored);
        self.number += 1;
        Ok(Next::Block(block))
    }

    /// Whether there is nothing more.
    pub(super) fn is_at_end(&mut self) -> Result<bool, CaptureError> {
        Ok(self.bytes(1)?.is_empty())
    }
}
