//! What is wrong with a capture, and where.

use super::{MOST_BLOCK, MOST_BYTES, MOST_ITEMS, MOST_PROGRAMS, MOST_VERTICES_IN_ALL, VERSION};
use std::fmt;

/// Why bytes are no capture, or no further part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptureError {
    /// Byte of the file: of its header, or where the block begins.
    pub offset: u64,
    /// Byte of the block's content, unpacked, if that is what is wrong.
    pub inside: Option<usize>,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// It does not begin as a capture does.
    NoCapture,
    /// It ends before it has said what it is of.
    TooShort,
    /// Of another version of the format.
    Version(u32),
    /// Flags that are not known.
    Flags(u32),
    /// A checksum does not fit: of the file's header, of a block's, or of its content.
    Checksum(&'static str),
    /// The block has not the number that follows.
    Number {
        /// It has this one.
        got: u32,
        /// This one is missing.
        expected: u32,
    },
    /// A block that is not known and must be.
    Block([u8; 4]),
    /// A block at a place where it does not belong.
    Place([u8; 4]),
    /// A block of so many bytes.
    Large(u32),
    /// All blocks together have more bytes than may be.
    All,
    /// More programs than may be.
    Programs,
    /// More items than may be.
    Items,
    /// More vertices in all than may be.
    Vertices,
    /// What is compressed cannot be unpacked, not to as many bytes as the block says, or there is something behind it.
    Packed,
    /// Content that means nothing.
    Content(String),
    /// It ends inside of an item.
    Item,
    /// The capture's last block says that it has so many items.
    Count {
        /// There were so many.
        got: u64,
        /// It says so.
        expected: u64,
    },
    /// There is something behind the last block.
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
