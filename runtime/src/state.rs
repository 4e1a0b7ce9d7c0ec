//! The memory that generated code sees, and the byte offsets that it uses.
//!
//! ```text
//! rows of the caller                   constants (XFCTX), 16 bytes each, aligned for words; none but the generation's,
//!                                      and a row of zeros for code that asks for it
//! Io       input  [ATTRIBUTES]         base and stride of each vertex attribute
//!          output [OUTPUTS]            base and stride of each output register
//!          scratch                     -> Scratch
//!          lookup                      -> Lookup, the tables
//!          index  [ATTRIBUTES + 1]     -> index lists: of each attribute, of the batch
//!          near, far                   how lanes share the vertices of a call that has fewer
//! Scratch  SCRATCH vectors             uniform values, one splatted vector each; how wide they are is the code's matter
//!          written [MAX_ROWS]          of each row of constants that only some vertices write, whether this one has
//! ```

use crate::constants::Constants;
use crate::lookup::LOOKUP;
use crate::registers::MOST_LANES;
pub use crate::registers::{ATTRIBUTES, DEFAULT_ROW, MAX_ROWS, OUTPUTS, Row};
use memoffset::offset_of;

/// Uniform values that a program can keep; what exceeds it is computed per group.
#[doc(hidden)]
pub const SCRATCH: usize = 1024;

/// The constants of a program (XFCTX), for callers that have no memory of their own for them. Runs borrow [`Constants`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Context {
    /// Those behind the limit are zero for ever.
    rows: [Row; MAX_ROWS + 1],
    limit: usize,
}

impl Context {
    /// All constants zero; `limit` is the generation's number of rows.
    ///
    /// # Panics
    /// If `limit` exceeds [`MAX_ROWS`].
    pub fn new(limit: usize) -> Self {
        assert!(limit <= MAX_ROWS, "no generation has {limit} rows");
        Context { rows: [[0; 4]; MAX_ROWS + 1], limit }
    }

    /// Lends them to a run, with a row of zeros after them.
    #[inline]
    pub fn constants(&mut self) -> Constants<'_> {
        Constants::new(&mut self.rows[..=self.limit]).with_zero_row()
    }

    /// The rows that the generation has.
    #[inline]
    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.limit]
    }

    /// The rows that the generation has, mutable.
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.rows[..self.limit]
    }

    /// One row; (0, 0, 0, 0) out of range (kelvin.md 2: what the GL specification says; UNKNOWN on silicon).
    #[inline]
    pub fn row(&self, index: usize) -> Row {
        if index < self.limit { self.rows[index] } else { [0; 4] }
    }

    /// Writes one row; writes out of range are dropped.
    #[inline]
    pub fn set_row(&mut self, index: usize, value: Row) {
        if index < self.limit {
            self.rows[index] = value;
        }
    }
}

/// Byte offset of a row of constants, for generated code.
#[doc(hidden)]
pub const fn row_offset(index: usize) -> i32 {
    (index * size_of::<Row>()) as i32
}

/// One stream as generated code sees it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[doc(hidden)]
pub struct Stream {
    /// Address of vertex 0 of the batch, or of what number 0 of an index list means. A number: it is only ever used by generated code, through
    /// [`crate::bound::Bound`].
    pub base: usize,
    /// Bytes from one vertex to the next (rows), or from one component plane to the next (planes).
    pub stride: usize,
}

impl Stream {
    /// A stream that nothing may read.
    pub const NONE: Stream = Stream { base: 0, stride: 0 };

    /// Byte offset of the address.
    pub const BASE: usize = offset_of!(Stream, base);

    /// Byte offset of the stride.
    pub const STRIDE: usize = offset_of!(Stream, stride);
}

/// What a call of generated code works on; filled by [`crate::bound::Bound`] for one call.
#[derive(Clone, Debug)]
#[repr(C)]
#[doc(hidden)]
pub struct Io {
    /// Vertex attributes.
    pub input: [Stream; ATTRIBUTES],
    /// Output registers.
    pub output: [Stream; OUTPUTS],
    /// Address of the [`Scratch`].
    pub scratch: usize,
    /// Address of the [`crate::lookup::Lookup`].
    pub lookup: usize,
    /// Addresses of index lists: those of attributes, and that of the batch ([`crate::indices::SHARED`]).
    pub index: [usize; ATTRIBUTES + 1],
    /// Which vertices the lanes of code of four have, counted from the first of the group, see [`Io::share`].
    pub near: usize,
    /// As `near`.
    pub far: usize,
}

/// Lanes of code that goes back to end with the last vertex, and shares vertices.
const SHARING: usize = 4;

impl Default for Io {
    fn default() -> Self {
        Self::new()
    }
}

impl Io {
    /// No streams, no scratch memory.
    #[inline]
    pub fn new() -> Self {
        Io {
            input: [Stream::NONE; ATTRIBUTES],
            output: [Stream::NONE; OUTPUTS],
            index: [0; ATTRIBUTES + 1],
            scratch: 0,
            lookup: (&raw const LOOKUP).expose_provenance(),
            near: 0,
            far: 0,
        }
    }

    /// Sets which vertices the four lanes of a group have in a call of so many, at least one. The second lane is `near` vertices behind the
    /// first, the third `far`, and the fourth both:
    ///
    /// | vertices | near | far | lanes |
    /// |---|---|---|---|
    /// | 1 | 0 | 0 | 0 0 0 0 |
    /// | 2 | 1 | 0 | 0 1 0 1 |
    /// | 3 | 1 | 1 | 0 1 1 2 |
    /// | more | 1 | 2 | 0 1 2 3 |
    #[inline]
    pub fn share(&mut self, vertices: usize) {
        self.near = usize::from(vertices > 1);
        self.far = vertices.clamp(2, SHARING) - 2;
    }

    /// Byte offset of the address of the [`Scratch`].
    pub const SCRATCH: usize = offset_of!(Io, scratch);

    /// Byte offset of the address of the [`crate::lookup::Lookup`].
    pub const LOOKUP: usize = offset_of!(Io, lookup);

    /// Byte offset of an attribute's [`Stream`].
    pub const fn input(register: usize) -> usize {
        offset_of!(Io, input) + register * size_of::<Stream>()
    }

    /// Byte offset of the address of an index list.
    pub const fn index(list: usize) -> usize {
        offset_of!(Io, index) + list * size_of::<usize>()
    }

    /// Byte offset of the number of vertices from the first lane to the second, and from the third to the fourth.
    pub const NEAR: usize = offset_of!(Io, near);

    /// Byte offset of the number of vertices from the first lane to the third, and from the second to the fourth.
    pub const FAR: usize = offset_of!(Io, far);

    /// Byte offset of an output's [`Stream`].
    pub const fn output(register: usize) -> usize {
        offset_of!(Io, output) + register * size_of::<Stream>()
    }
}

/// Uniform values of a batch, one splatted vector each; written by the prologue of generated code, read by its loop. There
/// is room for [`SCRATCH`] of the widest vectors; code with narrower ones uses the beginning, densely packed.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
#[doc(hidden)]
pub struct Scratch {
    words: [u32; MOST_LANES * SCRATCH],
    /// A word for each row of constants, which code sets that may or may not write it: 0 if it has not.
    written: [u32; MAX_ROWS],
}

impl Scratch {
    /// Room for the values.
    pub fn new() -> Box<Self> {
        Box::new(Scratch { words: [0; MOST_LANES * SCRATCH], written: [0; MAX_ROWS] })
    }

    /// The vertices of a group of so many in which the code that has just returned, of so many lanes, has raised guards, as a mask
    /// ([`crate::abi::Entry`]).
    ///
    /// # Panics
    /// If no code has this many lanes, or no group has this many vertices.
    pub fn guarded(&self, lanes: usize, vertices: usize) -> u32 {
        assert!(vertices <= lanes && lanes <= MOST_LANES, "no group has {vertices} of {lanes} vertices");
        let words = self.words[..lanes].iter().rev();
        let told = words.fold(0, |mask, &word| mask << 1 | u32::from(word != 0));
        // Of three vertices the last one has the last lane, see `Io::share`.
        let told = if (lanes, vertices) == (SHARING, 3) { told & 3 | told >> 1 & 4 } else { told };
        told & ((1 << vertices) - 1)
    }

    /// Whether the vertex has written a row of constants, for which the code that has just returned may or may not write it
    /// ([`crate::abi::Entry`]).
    #[inline]
    pub fn has_written(&self, row: usize) -> bool {
        self.written.get(row).is_some_and(|&word| word != 0)
    }

    /// The byte offset of the word that says whether a row of constants has been written.
    pub const fn written(row: usize) -> i32 {
        (offset_of!(Scratch, written) + row * size_of::<u32>()) as i32
    }

    /// The byte offset of a uniform value, in code with this many lanes.
    pub const fn offset(slot: usize, lanes: usize) -> i32 {
        (offset_of!(Scratch, words) + slot * lanes * size_of::<u32>()) as i32
    }
}

const _: () = assert!(size_of::<Stream>() == 2 * size_of::<usize>());
const _: () = assert!(Scratch::offset(SCRATCH, MOST_LANES) == Scratch::written(0));
const _: () = assert!(Scratch::written(MAX_ROWS) as usize <= size_of::<Scratch>());
