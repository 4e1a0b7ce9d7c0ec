//! The contract between generated code and its caller.

pub use crate::registers::MOST_LANES;
use crate::registers::Row;
use crate::state::Io;

/// The version of this contract. It changes whenever older code could no longer run: with the
/// layout of [`Io`], the entry's signature, or the meaning of a status. It is part of every
/// cache key.
pub const ABI_VERSION: u32 = 8;

/// The entry point of a compiled program. It runs the vertices from `first` up to the one before `end`, at least one, in groups of as
/// many vertices as it has lanes. `first` may be any vertex. Vertices are counted from the beginning of the streams.
///
/// The code decides how a call ends. The last group may have fewer vertices, each with its own lane. Or the last group ends with the
/// last vertex. Then it may contain vertices of the group before it, whose results are computed and stored again. In a call of fewer
/// vertices than lanes, lanes share vertices as [`Io::share`] says. Code of many lanes has no such calls
/// ([`crate::bound::Call::fewest`]).
///
/// It returns the first vertex of the first group that it left because a guard was raised in it. The caller runs that
/// group, or its guarded vertices, in the interpreter, and enters again after it. If no guard was raised, it returns
/// `end` or a vertex after it. If the constants alone raise a guard, it returns [`ALL_GUARDED`].
///
/// For a group that it left, the first words of scratch memory, one for each lane, say in which lanes a guard
/// was raised: these words are not 0, and the outputs of the other lanes are right
/// ([`Scratch::guarded`](crate::state::Scratch::guarded)). Guards of whole rows (`RowGuard`) may be reported
/// for other lanes than those of the vertices, so the caller tests these rows itself.
///
/// The code reads rows of constants, aligned for words. If it has relative reads and writes no constants, it
/// also reads a row of zeros after them. It reads the streams of the [`Io`] for these vertices: index lists
/// at these positions, and attributes at the indices found there. If attributes are in one array, it may also
/// read the bytes between two attributes of a vertex. It writes the same range of the output streams, and the
/// scratch part of the [`Io`]. It touches nothing else. Programs that write constants also write their rows.
/// For each row that the vertex may have written, a word of scratch memory says whether it has
/// ([`Scratch::has_written`](crate::state::Scratch::has_written)). The code uses at most 32 KiB of its
/// caller's stack, and probes each page of them.
///
/// On x86-64 the calling convention is System V's on every system, including Windows, so there is one kind of code. On Windows the
/// compiler makes callers save the registers that Windows preserves in addition (RSI, RDI, XMM6 to XMM15).
#[cfg(target_arch = "x86_64")]
pub type Entry = unsafe extern "sysv64" fn(rows: *mut Row, io: *mut Io, first: u64, end: u64) -> u64;

/// The entry point of a compiled program, as on x86-64, with the system's calling convention.
#[cfg(not(target_arch = "x86_64"))]
pub type Entry = unsafe extern "C" fn(rows: *mut Row, io: *mut Io, first: u64, end: u64) -> u64;

/// A status of an [`Entry`]: the constants alone raised a guard, so no vertex can run natively.
pub const ALL_GUARDED: u64 = u64::MAX;
