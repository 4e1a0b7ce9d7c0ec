//! Captures: files that record what happened to a device, or what an emulator ran, and that can be played again. `docs/CAPTURES.md`
//! describes the format bit by bit, for tools that write it without this library.
//!
//! ```text
//! file     magic, version, flags, checksum | blocks | a block `END `
//! block    type, number, flags, lengths, checksum of these | content, compressed or as it is | checksum of it
//! content  of a unit: items, as its traces have them | of Flipper: items likewise | of calls: programs, and batches of vertices
//! ```
//! Writers ([`UnitWriter`], [`FlipperWriter`], [`CallWriter`]) keep one block in memory and write to any [`std::io::Write`]. Their output
//! is a valid capture at any time, but a truncated one until it ends. [`Reader`] returns one part after the other, and also keeps one block
//! in memory.
//!
//! ```
//! use xfjit::capture::{Part, Reader, UnitWriter};
//! use xfjit::xf::{Chip, Command, Type, trace::Item};
//!
//! let mut writer = UnitWriter::new(Vec::new(), Chip::Nv2a)?;
//! writer.item(&Item::Command(Command::word(Type::Vab, 0, 0, 0x3f80_0000)))?;
//! writer.item(&Item::Vertex)?;
//! let file = writer.finish()?;
//! let mut reader = Reader::new(&file[..])?;
//! let mut items = 0;
//! while let Some(part) = reader.part()? {
//!     items += u32::from(matches!(part, Part::Unit(_)));
//! }
//! assert_eq!((items, reader.cut()), (2, None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[doc(hidden)]
pub mod block;
mod bounds;
mod bytes;
mod calls;
mod error;
mod flipper;
mod reader;
mod unit;
mod writer;

pub use calls::{Call, CallPlayer, Played, Recorded, Stream};
pub use error::{CaptureError, Problem};
pub use reader::{Content, Part, Reader};
pub use writer::{CallWriter, FlipperWriter, UnitWriter};

/// The first bytes of a capture. Like those of a PNG, they reveal a transfer as text.
pub const MAGIC: [u8; 8] = *b"\x89XFC\r\n\x1a\n";
/// The version of the format.
pub const VERSION: u32 = 1;
/// The most bytes of a block, stored and unpacked.
pub const MOST_BLOCK: usize = 1 << 25;
/// The most bytes of all blocks of a capture, unpacked, including their headers and checksums.
pub const MOST_BYTES: u64 = 1 << 36;
/// The most programs of a capture of calls.
pub const MOST_PROGRAMS: usize = 1 << 14;
/// The most vertices of a call.
pub const MOST_VERTICES: usize = 1 << 16;
/// The most items of a capture, including programs and calls.
pub const MOST_ITEMS: u64 = 1 << 32;
/// The most vertices of a capture. A state program counts as one, a draw or a call as at least one.
pub const MOST_VERTICES_IN_ALL: u64 = 1 << 28;

/// Whether a file begins like a capture.
pub fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}
