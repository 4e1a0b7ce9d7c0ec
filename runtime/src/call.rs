//! The data of a single call of generated code: streams of a number of vertices, and which parts of them the
//! call touches.

use crate::format::InputLayout;
use crate::indexing::IndexWidth;
use crate::outputs::Layout;
use crate::state::Io;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many vertices the staging area holds.
#[doc(hidden)]
pub const BLOCK: usize = 64;

/// Which parts of a batch generated code touches, and how many vertices it runs at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub struct Call {
    /// Attributes that it reads.
    pub live_inputs: u16,
    /// How these are arranged in memory.
    pub input_layout: InputLayout,
    /// Outputs that it writes.
    pub live_outputs: u32,
    /// How these are arranged in memory.
    pub layout: Layout,
    /// How many vertices a group has; a power of two up to [`MOST_LANES`](crate::registers::MOST_LANES).
    pub lanes: usize,
    /// The smallest number of vertices that it runs: one, or a group.
    pub fewest: usize,
}

/// A call with a number that no other one has. Who has found that a batch serves it knows it again by that.
#[derive(Debug)]
#[doc(hidden)]
pub struct NumberedCall {
    number: u64,
    call: Call,
}

impl NumberedCall {
    /// Gives a call a number.
    pub fn new(call: Call) -> Self {
        // 0 is nobody's.
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        NumberedCall { number: NUMBERS.fetch_add(1, Ordering::Relaxed), call }
    }

    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

impl Deref for NumberedCall {
    type Target = Call;

    #[inline]
    fn deref(&self) -> &Call {
        &self.call
    }
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

/// The argument of a call of generated code: an [`Io`] whose streams are valid for a known number of
/// vertices.
#[derive(Debug)]
#[doc(hidden)]
pub struct Streams<'a> {
    pub(crate) io: &'a mut Io,
    pub(crate) count: usize,
    pub(crate) call: &'a NumberedCall,
}

impl Streams<'_> {
    /// How many vertices the streams hold.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The call that they were made for.
    #[inline]
    pub fn call(&self) -> &NumberedCall {
        self.call
    }

    /// The raw streams, for a call with this many vertices.
    #[inline]
    pub fn io(&mut self, vertices: usize) -> *mut Io {
        self.io.share(vertices);
        self.io
    }
}
