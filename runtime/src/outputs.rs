//! The memory where a batch writes its outputs.

use crate::error::StreamError;
use crate::registers::{OUTPUTS, Row, registers};
use std::cell::Cell;

/// The memory layout of outputs. It is part of the compiled code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// A float4 per vertex at `base + vertex * stride` (array of structures).
    Rows,
    /// A plane for component `c` of all vertices at `base + c * stride` (structure of arrays).
    Planes,
}

/// The place of one output register in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Byte offset of vertex 0 (rows) or of plane x (planes).
    pub offset: usize,
    /// Bytes from vertex to vertex (rows), or from plane to plane (planes).
    pub stride: usize,
}

/// The memory of one output register: its base, its length and its stride. Registers may lie in each other's gaps, as in interleaved
/// vertices, so the bytes are shared cells.
#[derive(Clone, Copy)]
pub struct Output<'a> {
    memory: &'a [Cell<u8>],
    stride: usize,
    /// Whether nobody but outputs reaches the memory while it is lent.
    is_alone: bool,
}

impl std::fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output")
            .field("base", &self.memory.as_ptr())
            .field("length", &self.memory.len())
            .field("stride", &self.stride)
            .finish()
    }
}

impl<'a> Output<'a> {
    /// Memory for this register alone. The stride is the distance from vertex to vertex (rows), or from plane to plane (planes).
    #[inline]
    pub fn new(memory: &'a mut [u8], stride: usize) -> Self {
        let memory = Cell::from_mut(memory).as_slice_of_cells();
        Output { memory, stride, is_alone: true }
    }

    /// Memory that other registers may share. If two of them, or two vertices, write the same bytes, one of the values remains. A batch
    /// that writes such memory runs on one thread, since cells belong to one thread.
    #[inline]
    pub fn shared(memory: &'a [Cell<u8>], stride: usize) -> Self {
        Output { memory, stride, is_alone: false }
    }

    /// As [`Output::shared`], for several threads.
    ///
    /// # Safety
    /// Until `'a` ends, nothing reads or writes the memory except through outputs that this function makes.
    #[expect(unsafe_code, reason = "cells tell nothing of other threads")]
    #[inline]
    #[doc(hidden)]
    pub unsafe fn alone(memory: &'a [Cell<u8>], stride: usize) -> Self {
        Output { memory, stride, is_alone: true }
    }

    /// Whether no vertex of this register shares a byte with another vertex of that one. This finds only plain cases: the first `count`
    /// vertices of both are apart, or each register lies in the gaps of the other. Both have passed [`Outputs::check`].
    fn is_apart(&self, other: &Output<'_>, layout: Layout, count: usize) -> bool {
        let end = |output: &Output<'_>| {
            let (last, component) = if layout == Layout::Rows { (count - 1, 0) } else { (count - 1, 3) };
            let bytes = if layout == Layout::Rows { 16 } else { 4 };
            output.base().addr() + output.at(layout, last, component) + bytes
        };
        let (here, there) = (self.base().addr(), other.base().addr());
        let is_in_gaps = layout == Layout::Rows
            && self.stride == other.stride
            && here.abs_diff(there).saturating_add(16) <= self.stride;
        is_in_gaps || end(self) <= there || end(other) <= here
    }

    /// The address where it begins.
    #[inline]
    pub fn base(&self) -> *mut u8 {
        self.memory.as_ptr().cast_mut().cast()
    }

    /// Bytes from vertex to vertex (rows), or from plane to plane (planes).
    #[inline]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The number of bytes that this many vertices take; none if that overflows.
    #[inline]
    fn needed(&self, layout: Layout, last: usize) -> Option<usize> {
        match layout {
            Layout::Rows => last.checked_mul(self.stride)?.checked_add(16),
            Layout::Planes => self.stride.checked_mul(3)?.checked_add(last.checked_mul(4)?)?.checked_add(4),
        }
    }

    /// Stores the components in the mask of one vertex.
    #[inline]
    pub(crate) fn store(&self, layout: Layout, position: usize, row: Row, mask: u8) {
        match layout {
            Layout::Rows if mask == 15 => put::<16>(self.memory, position * self.stride, bytemuck::cast(row)),
            Layout::Rows | Layout::Planes => {
                for (c, word) in row.iter().enumerate().filter(|&(c, _)| mask >> c & 1 != 0) {
                    put(self.memory, self.at(layout, position, c), word.to_ne_bytes());
                }
            }
        }
    }

    /// Stores all components of vertices that follow each other, where outputs are rows.
    #[inline]
    pub(crate) fn put_rows(&self, position: usize, rows: &[Row]) {
        let mut at = position * self.stride;
        for row in rows {
            put::<16>(self.memory, at, bytemuck::cast(*row));
            at += self.stride;
        }
    }

    /// Copies the components in the mask to each position from its place, which is none behind it.
    pub(crate) fn spread(&self, layout: Layout, places: &[u32], mask: u8) {
        for (position, &place) in places.iter().enumerate().rev() {
            // From the end, so that no place has been overwritten.
            let place = place as usize;
            if place == position || place >= places.len() {
                continue;
            }
            for component in (0..4).filter(|component| mask >> component & 1 != 0) {
                let (to, from) = (self.at(layout, position, component), self.at(layout, place, component));
                for (to, from) in self.memory[to..to + 4].iter().zip(&self.memory[from..from + 4]) {
                    to.set(from.get());
                }
            }
        }
    }

    /// Where a component of a vertex lies.
    #[inline]
    pub(crate) fn at(&self, layout: Layout, position: usize, component: usize) -> usize {
        match layout {
            Layout::Rows => position * self.stride + 4 * component,
            Layout::Planes => component * self.stride + 4 * position,
        }
    }

    /// Writes words at an offset.
    #[inline]
    pub(crate) fn put(&self, at: usize, words: &[u32]) {
        let memory = &self.memory[at..at + 4 * words.len()];
        for (i, word) in words.iter().enumerate() {
            put(memory, 4 * i, word.to_ne_bytes());
        }
    }
}

/// Writes bytes, which have a known number and are nobody's memory: so the compiler makes one store of them.
#[inline]
fn put<const N: usize>(memory: &[Cell<u8>], at: usize, bytes: [u8; N]) {
    for (cell, byte) in memory[at..at + N].iter().zip(&bytes) {
        cell.set(*byte);
    }
}

/// The memory that a batch writes. Registers must not overlap, nor rows of one register (a stride below 16 bytes, with several vertices):
/// otherwise it is unspecified which value remains, and depends on what runs.
#[derive(Clone, Debug)]
pub struct Outputs<'a> {
    layout: Layout,
    registers: [Option<Output<'a>>; OUTPUTS],
    keeps: bool,
    /// A register that was named and does not exist: the batch is refused.
    absent: Option<u8>,
}

impl<'a> Outputs<'a> {
    /// Outputs without memory, see [`Outputs::with`].
    #[inline]
    pub fn none(layout: Layout) -> Self {
        Outputs { layout, registers: [None; OUTPUTS], keeps: false, absent: None }
    }

    /// Outputs at places of the caller's choice in some memory.
    #[inline]
    pub fn new(data: &'a mut [u8], layout: Layout, places: [Option<Place>; OUTPUTS]) -> Self {
        let data = Cell::from_mut(data).as_slice_of_cells();
        let registers = places.map(|place| place.map(|place| placed(data, place)));
        Outputs { registers, ..Outputs::none(layout) }
    }

    /// Interleaved rows: the given registers, 16 bytes each, in this order, vertex after vertex. A register that does not
    /// exist makes [`Outputs::check`] fail, and so the run.
    #[inline(always)]
    pub fn interleaved(words: &'a mut [u32], registers: &[u8]) -> Self {
        let mut outputs = Outputs::none(Layout::Rows);
        outputs.interleave(words, registers);
        outputs
    }

    /// Gives registers interleaved rows, as [`Outputs::interleaved`] does, without moving the outputs, which saves some 12 ns for a batch.
    #[inline(always)]
    pub fn interleave(&mut self, words: &'a mut [u32], registers: &[u8]) {
        let data = cells(words);
        for (i, &register) in registers.iter().enumerate() {
            self.put(register, placed(data, Place { offset: 16 * i, stride: 16 * registers.len() }));
        }
    }

    /// Planes: for each of the given registers four planes of `capacity` words. A register that does not exist makes
    /// [`Outputs::check`] fail, and so the run.
    pub fn planes(words: &'a mut [u32], registers: &[u8], capacity: usize) -> Self {
        let data = cells(words);
        let mut outputs = Outputs::none(Layout::Planes);
        for (i, &register) in registers.iter().enumerate() {
            // Planes beyond all memory are refused when the batch is checked.
            let offset = (16 * i).saturating_mul(capacity);
            outputs.put(register, placed(data, Place { offset, stride: capacity.saturating_mul(4) }));
        }
        outputs
    }

    /// Sets the memory of one register. A register that does not exist makes [`Outputs::check`], and so the run, fail.
    #[must_use]
    pub fn with(mut self, register: u8, output: Output<'a>) -> Self {
        self.put(register, output);
        self
    }

    /// Sets the memory of a register, as [`Outputs::with`] does, without moving the outputs.
    #[inline(always)]
    pub fn set(&mut self, register: u8, output: Output<'a>) {
        self.put(register, output);
    }

    /// Makes registers and components for which the program has no instruction keep their values; such registers then need no memory. By
    /// default such a register gets (0, 0, 0, 1), and so do unwritten components of other registers.
    #[must_use]
    pub fn keeping(self) -> Self {
        Outputs { keeps: true, ..self }
    }

    #[inline(always)]
    fn put(&mut self, register: u8, output: Output<'a>) {
        match self.registers.get_mut(usize::from(register)) {
            Some(slot) => *slot = Some(output),
            None => self.absent = Some(register),
        }
    }

    /// Whether threads can write different vertices of these registers at the same time: the memory is theirs alone, and no byte belongs to
    /// two vertices. They have passed [`Outputs::check`] for so many vertices.
    #[cold]
    pub(crate) fn are_apart(&self, stored: u32, count: usize) -> bool {
        let places = || registers(stored).filter_map(|register| self.register(register));
        let is_apart = |(number, a): (usize, &Output<'a>)| {
            let is_one = self.layout == Layout::Planes || a.stride >= 16;
            a.is_alone && is_one && places().skip(number + 1).all(|b| a.is_apart(b, self.layout, count))
        };
        count > 0 && places().enumerate().all(is_apart)
    }

    /// The memory layout.
    #[inline]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Whether outputs for which the program has no instruction keep their values.
    #[inline]
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// The memory of a register, if it has any.
    #[inline]
    pub fn register(&self, register: usize) -> Option<&Output<'a>> {
        self.registers.get(register).and_then(Option::as_ref)
    }

    /// Returns these outputs from some vertex on.
    #[must_use]
    pub fn behind(&self, position: usize) -> Self {
        let behind = |output: Output<'a>| Output {
            memory: output.memory.get(output.at(self.layout, position, 0)..).unwrap_or_default(),
            ..output
        };
        Outputs { registers: self.registers.map(|output| output.map(behind)), ..self.clone() }
    }

    /// The registers that have memory, as a mask.
    #[inline]
    pub fn live(&self) -> u32 {
        (0..OUTPUTS).filter(|&r| self.registers[r].is_some()).fold(0, |mask, r| mask | 1 << r)
    }

    /// Proves that `count` vertices of every register in the mask `live` fit.
    ///
    /// # Errors
    /// A register without memory, or with too little; a register that was set and does not exist; planes that overlap.
    #[inline]
    #[doc(hidden)]
    pub fn check(&self, live: u32, count: usize) -> Result<(), StreamError> {
        if let Some(register) = self.absent {
            return Err(StreamError::NoSuchOutput { register });
        }
        let Some(last) = count.checked_sub(1) else { return Ok(()) };
        for register in registers(live) {
            let output = self.register(register).ok_or(StreamError::NoPlace { register })?;
            let (needed, got) = (output.needed(self.layout, last), output.memory.len());
            let plane = count.saturating_mul(4);
            if self.layout == Layout::Planes && output.stride < plane {
                return Err(StreamError::PlanesOverlap { register, stride: output.stride, needed: plane });
            }
            if needed.is_none_or(|needed| needed > got) {
                return Err(StreamError::OutputTooShort {
                    register,
                    needed: needed.unwrap_or(usize::MAX),
                    got,
                });
            }
        }
        Ok(())
    }

    /// Stores one output of the vertex at `position`, which [`Outputs::check`] has accepted. Registers without memory are
    /// not stored.
    ///
    /// # Panics
    /// If it has not accepted the outputs: the memory does not hold the vertex.
    #[inline]
    #[doc(hidden)]
    pub fn store(&self, register: usize, position: usize, row: Row) {
        if let Some(output) = self.register(register) {
            output.store(self.layout, position, row, 15);
        }
    }

    /// Makes a vector a copy of all bytes, each once, however the registers share them. Returns the place of each register in it.
    ///
    /// # Errors
    /// Missing memory. A vector with the capacity of a copy is enough.
    #[doc(hidden)]
    pub fn copy_into(&self, copy: &mut Vec<u8>) -> Result<[Option<Place>; OUTPUTS], StreamError> {
        let address = |output: &Output<'_>| output.base().addr();
        let mut sorted: Vec<&Output<'_>> = self.registers.iter().flatten().collect();
        sorted.sort_by_key(|output| address(output));
        // Pieces of memory without gaps: where each begins and ends, and where its copy begins.
        let mut pieces: Vec<(usize, usize, usize)> = Vec::new();
        copy.clear();
        for output in sorted {
            let start = address(output);
            let end = start + output.memory.len();
            let new = match pieces.last_mut() {
                Some((_, until, _)) if *until >= start => {
                    let known = (*until - start).min(output.memory.len());
                    *until = end.max(*until);
                    &output.memory[known..]
                }
                Some(_) | None => {
                    pieces.push((start, end, copy.len()));
                    output.memory
                }
            };
            copy.try_reserve(new.len())?;
            copy.extend(new.iter().map(Cell::get));
        }
        let place = |output: &Output<'_>| {
            let at = address(output);
            let (start, _, copied) = pieces.iter().rev().find(|(start, ..)| *start <= at)?;
            Some(Place { offset: copied + (at - start), stride: output.stride })
        };
        Ok(self.registers.each_ref().map(|output| output.as_ref().and_then(place)))
    }
}

/// A register's part of memory that is lent to be written by all of them; none if it begins behind it.
#[inline]
fn placed(data: &[Cell<u8>], place: Place) -> Output<'_> {
    Output { memory: data.get(place.offset..).unwrap_or_default(), stride: place.stride, is_alone: true }
}

#[inline]
fn cells(words: &mut [u32]) -> &[Cell<u8>] {
    Cell::from_mut(bytemuck::cast_slice_mut(words)).as_slice_of_cells()
}
