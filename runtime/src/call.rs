//! What a single call of generated code works on: streams of a number of vertices, and what of them it touches.

use crate::format::InputLayout;
use crate::indexing::IndexWidth;
use crate::outputs::Layout;
use crate::state::Io;

/// Vertices that the staging area holds.
#[doc(hidden)]
pub const BLOCK: usize = 64;

/// What generated code touches of a batch, and how many vertices at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub struct Call {
    /// Attributes that it reads.
    pub live_inputs: u16,
    /// How these lie in memory.
    pub input_layout: InputLayout,
    /// Outputs that it writes.
    pub live_outputs: u32,
    /// How these lie in memory.
    pub layout: Layout,
    /// Vertices of a group; a power of two up to [`MOST_LANES`](crate::registers::MOST_LANES).
    pub lanes: usize,
    /// The fewest vertices that it runs: one, or a group.
    pub fewest: usize,
}

/// Index lists for what has been copied in the order of the batch.
pub(crate) struct Positions {
    halves: [u16; BLOCK],
    words: [u32; BLOCK],
}

pub(crate) static POSITIONS: Positions = {
    let mut lists = Positions { halves: [0; BLOCK], words: [0; BLOCK] };
    let mut position = 0;
    while position < BLOCK {
        (lists.halves[position], lists.words[position]) = (position as u16, position as u32);
        position += 1;
    }
    lists
};

impl Positions {
    #[inline]
    pub(crate) fn address(&self, width: IndexWidth) -> usize {
        match width {
            IndexWidth::Half => self.halves.as_ptr().expose_provenance(),
            IndexWidth::Word => self.words.as_ptr().expose_provenance(),
        }
    }
}

/// An [`Io`] whose streams are valid for a known number of vertices: what a call of generated code takes.
#[derive(Debug)]
#[doc(hidden)]
pub struct Streams<'a> {
    pub(crate) io: &'a mut Io,
    pub(crate) count: usize,
    pub(crate) call: &'a Call,
}

impl Streams<'_> {
    /// Vertices that the streams hold.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// What they were made for.
    #[inline]
    pub fn call(&self) -> &Call {
        self.call
    }

    /// The raw streams, for a call with so many vertices.
    #[inline]
    pub fn io(&mut self, vertices: usize) -> *mut Io {
        self.io.share(vertices);
        self.io
    }
}
