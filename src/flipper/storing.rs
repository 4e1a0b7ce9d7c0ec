//! Where what leaves goes: to a function, draws in the layout that a host has declared.

use super::layout::Layout;
use super::memory::Memory;
use super::output::{Drawn, Output};
use crate::xf::Vertices as Sent;
use std::ops::Range;

/// The layout of draws, and the memory of what is stored.
#[derive(Debug, Default)]
pub(super) struct Storing {
    layout: Layout,
    /// Bytes from one vertex to the next, if all of a vertex lies within these: then vertices of several draws are stored at once. And bytes
    /// to the end of what is stored of a vertex.
    stride: Option<usize>,
    end: usize,
    bytes: Vec<u8>,
}

impl Storing {
    /// In a layout of outputs.
    pub(super) fn new(layout: Layout) -> Storing {
        Storing { stride: layout.stride(), end: layout.bytes(1).unwrap_or(0), layout, bytes: Vec::new() }
    }

    /// Stores vertices, if there is memory for them.
    fn store(&mut self, sent: &Sent<'_>) -> Option<&[u8]> {
        let bytes = self.layout.bytes(sent.count)?;
        if self.stride.is_none() {
            // Where vertices of before lie there may be none of these.
            self.bytes.clear();
        }
        if let Some(more) = bytes.checked_sub(self.bytes.len()) {
            self.bytes.try_reserve(more).ok()?;
            self.bytes.resize(bytes, 0);
        }
        let bytes = &mut self.bytes[..bytes];
        self.layout.store_outputs(sent, bytes);
        Some(bytes)
    }
}

/// Draws that were made together are stored so, if the layout allows it.
pub(super) struct Together<'a> {
    storing: &'a mut Storing,
    stride: Option<usize>,
}

impl Together<'_> {
    /// The bytes of a draw, which has a part of the vertices that were made.
    pub(super) fn part(&mut self, part: Range<usize>, sent: &Sent<'_>) -> Option<&[u8]> {
        let Some(stride) = self.stride else { return self.storing.store(sent) };
        match part.end.checked_sub(1).filter(|_| !part.is_empty()) {
            Some(last) => self.storing.bytes.get(part.start * stride..last * stride + self.storing.end),
            None => Some(&[]),
        }
    }
}

/// Where what leaves within a call goes, and the memory that its draws are read from.
pub(super) struct Outlet<'a, T> {
    pub(super) memory: Memory<'a>,
    pub(super) storing: &'a mut Storing,
    pub(super) take: T,
}

impl<T: FnMut(Output<'_>)> Outlet<'_, T> {
    /// Hands on a draw by itself.
    pub(super) fn draw(&mut self, drawn: Drawn<'_>) {
        let stored = self.storing.store(&drawn.vertices);
        (self.take)(Output::Drawn(Drawn { stored, ..drawn }));
    }

    /// Hands on draws that were made together: all of their vertices, and the part of each.
    pub(super) fn draw_together<'d>(
        &mut self,
        all: &Sent<'_>,
        draws: impl ExactSizeIterator<Item = (Range<usize>, Drawn<'d>)>,
    ) {
        let Outlet { storing, take, .. } = self;
        // What there is no memory for may fit draw by draw.
        let stride = storing.stride.filter(|_| draws.len() > 1 && storing.store(all).is_some());
        let mut together = Together { storing, stride };
        for (part, drawn) in draws {
            let stored = together.part(part, &drawn.vertices);
            take(Output::Drawn(Drawn { stored, ..drawn }));
        }
    }
}
