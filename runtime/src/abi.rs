//! The contract between generated code and its caller.

pub use crate::registers::MOST_LANES;
use crate::registers::Row;
use crate::state::Io;

/// Changes whenever code compiled before could no longer run: the layout of [`Io`], the entry
/// signature, the meaning of a status. Part of every cache key.
pub const ABI_VERSION: u32 = 6;

/// Entry point of a compiled program: runs groups in order from the group `first` on. For code of whole groups `end` is the
/// group behind the last one. For code whose last group may have fewer vertices ([`crate::bound::Call`]) it is the *vertex*
/// behind the last one, in the group `first` or behind it.
///
/// Returns the number of the first group that it left undone because a guard was raised in it (the caller runs that
/// group, or what is wrong in it, in the interpreter and enters again behind it), the number of the group behind the last one if
/// there was none, or [`ALL_GUARDED`].
///
/// Of a group that it left undone, the first words of scratch memory, one for each lane, tell in which lanes a guard was raised: those
/// are not 0, and the outputs of the others are right. Guards of whole rows (`RowGuard`) may be told for other lanes than those of the
/// vertices, so the caller looks at these rows itself.
///
/// The code reads rows of constants, aligned for words, and, if it has relative reads and writes no constants, a row of
/// zeros behind them; it reads the streams of the [`Io`] for the vertices of these groups, from `first * lanes` up to
/// `end * lanes` or `end`, where `lanes` is its own number of vertices a group (index lists at these positions, and attributes that are found through one at what stands
/// there; where attributes are in one array, bytes between two of the same vertex are read, too), and writes the same range of the output streams and the scratch part of the [`Io`]; nothing
/// else. Programs that write constants also write their rows; of each row that the vertex may or may not have written, a word of
/// scratch memory tells whether it has ([`Scratch::has_written`](crate::state::Scratch::has_written)). It uses at most 32 KiB of its caller's stack, and probes each page of them.
pub type Entry = unsafe extern "C" fn(rows: *mut Row, io: *mut Io, first: u64, end: u64) -> u64;

/// Status of an [`Entry`]: a guard was raised by the constants alone, so no group can run natively.
pub const ALL_GUARDED: u64 = u64::MAX;
