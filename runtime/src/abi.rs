//! The contract between generated code and its caller.

pub use crate::registers::MOST_LANES;
use crate::registers::Row;
use crate::state::Io;

/// Changes whenever code compiled before could no longer run: the layout of [`Io`], the entry
/// signature, the meaning of a status. Part of every cache key.
pub const ABI_VERSION: u32 = 8;

/// Entry point of a compiled program: runs the vertices from `first` on, whichever that is, up to the one before `end`, at least one, in
/// groups of as many as it has lanes. Vertices are counted from the beginning of the streams.
///
/// How a call ends is the code's matter. Either its last group may have fewer vertices, of which each
/// has its own lane. Or the last group ends with the last vertex, so that it may have vertices of the one before it, for which
/// the same is computed and stored again; in a call of fewer vertices than lanes, these share them, as [`Io::share`] says, if there are
/// such calls: code of many lanes has none ([`crate::bound::Call::fewest`]).
///
/// Returns the first vertex of the first group that it left undone because a guard was raised in it (the caller runs that
/// group, or what is wrong in it, in the interpreter and enters again behind it), `end` or a vertex behind it if
/// there was none, or [`ALL_GUARDED`].
///
/// Of a group that it left undone, the first words of scratch memory, one for each lane, tell in which lanes a guard was raised: those
/// are not 0, and the outputs of the others are right ([`Scratch::guarded`](crate::state::Scratch::guarded)). Guards of whole rows (`RowGuard`) may be told for other lanes than those of the
/// vertices, so the caller looks at these rows itself.
///
/// The code reads rows of constants, aligned for words, and, if it has relative reads and writes no constants, a row of
/// zeros behind them; it reads the streams of the [`Io`] for these vertices (index lists at these positions, and attributes that are found through one at what stands
/// there; where attributes are in one array, bytes between two of the same vertex are read, too), and writes the same range of the output streams and the scratch part of the [`Io`]; nothing
/// else. Programs that write constants also write their rows; of each row that the vertex may or may not have written, a word of
/// scratch memory tells whether it has ([`Scratch::has_written`](crate::state::Scratch::has_written)). It uses at most 32 KiB of its caller's stack, and probes each page of them.
///
/// On x86-64 the calling convention is that of System V under every system, Windows among them, so there is one kind of code for it; the
/// compiler has callers there save what theirs are owed beyond that (RSI, RDI, XMM6 to XMM15).
#[cfg(target_arch = "x86_64")]
pub type Entry = unsafe extern "sysv64" fn(rows: *mut Row, io: *mut Io, first: u64, end: u64) -> u64;

/// Entry point of a compiled program, as on x86-64, with the system's calling convention.
#[cfg(not(target_arch = "x86_64"))]
pub type Entry = unsafe extern "C" fn(rows: *mut Row, io: *mut Io, first: u64, end: u64) -> u64;

/// Status of an [`Entry`]: a guard was raised by the constants alone, so no vertex can run natively.
pub const ALL_GUARDED: u64 = u64::MAX;
