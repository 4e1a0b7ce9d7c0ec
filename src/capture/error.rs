//! What is wrong with a capture, and where.

use super::{MOST_BLOCK, MOST_BYTES, MOST_ITEMS, MOST_PROGRAMS, MOST_VERTICES_IN_ALL, VERSION};
use std::fmt;

/// Why bytes are not a capture, or not a further part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptureError {
    /// The byte of the file: in its header, or where the block begins.
    pub offset: u64,
    /// The byte of the block's unpacked content, if the error is in it.
    pub inside: Option<usize>,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// It does not begin like a capture.
    NoCapture,
    /// It ends before it says what it is a capture of.
    TooShort,
    /// It has another version of the format.
    Version(u32),
    /// It has unknown flags.
    Flags(u32),
    /// A checksum is wrong: that of the file's header, of a block's header, or of a block's content.
    Checksum(&'static str),
    /// The block does not have the next number.
    Number {
        /// It has this one.
        got: u32,
        /// This one is missing.
        expected: u32,
    },
    /// A block has an unknown type that readers must know.
    Block([u8; 4]),
    /// A block is in the wrong place.
    Place([u8; 4]),
    /// A block has this many bytes, which is too many.
    Large(u32),
    /// All blocks together have too many bytes.
    All,
    /// There are too many programs.
    Programs,
    /// There are too many items.
    Items,
    /// There are too many vertices in all.
    Vertices,
    /// Compressed content cannot be unpacked, has another size than the block says, or is followed by further bytes.
    Packed,
    /// The content has no meaning.
    Content(String),
    /// The content ends inside an item.
    Item,
    /// The last block of the capture says that there are this many items.
    Count {
        /// There were so many.
        got: u64,
        /// It says so.
        expected: u64,
    },
    /// There are bytes after the last block.
    Behind,
    /// The file cannot be read.
    Unreadable(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoCapture => f.write_str("this is not a capture"),
            Problem::TooShort => f.write_str("the capture ends before its header is complete"),
            Problem::Version(version) => {
                write!(
                    f,
                    "the capture has version {version} of the format; this library reads version {VERSION}"
                )
            }
            Problem::Flags(flags) => write!(f, "flags {flags:#x} are not known"),
            Problem::Checksum(what) => write!(f, "the checksum of {what} is wrong: the file is damaged"),
            Problem::Number { got, expected } => write!(f, "block {got} is in the place of block {expected}"),
            Problem::Block(kind) => write!(f, "blocks `{}` are not known", kind.escape_ascii()),
            Problem::Place(kind) => write!(f, "a block `{}` is not allowed here", kind.escape_ascii()),
            Problem::Large(bytes) => write!(f, "a block of {bytes} bytes, more than {MOST_BLOCK}"),
            Problem::All => write!(f, "all blocks together have more than {MOST_BYTES} bytes"),
            Problem::Programs => write!(f, "there are more than {MOST_PROGRAMS} programs"),
            Problem::Items => write!(f, "there are more than {MOST_ITEMS} items"),
            Problem::Vertices => write!(f, "there are more than {MOST_VERTICES_IN_ALL} vertices in all"),
            Problem::Packed => f.write_str("the compressed data is damaged"),
            Problem::Content(message) => f.write_str(message),
            Problem::Item => f.write_str("the block ends inside an item"),
            Problem::Count { got, expected } => write!(f, "the block has {got} items instead of {expected}"),
            Problem::Behind => f.write_str("extra data follows the last block"),
            Problem::Unreadable(message) => write!(f, "the file cannot be read: {message}"),
        }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inside {
            None => write!(f, "byte {:#x}: {}", self.offset, self.problem),
            Some(inside) => {
                write!(f, "block at {:#x}, byte {inside:#x} of its content: {}", self.offset, self.problem)
            }
        }
    }
}

impl std::error::Error for CaptureError {}
