//! Batches that are bound to the needs of a program: the proof that all memory that the run accesses exists.
//!
//! A [`Bound`] can be made only from checked streams, and it borrows them. Code that takes one need not check again, and generated code
//! that keeps to its contract ([`crate::abi::Entry`]) cannot access memory outside them (invariant I10). A single call of generated code
//! works on [`Streams`].

use crate::batch::{Attribute, Inputs};
use crate::call::BLOCK;
#[doc(hidden)]
pub use crate::call::{Call, NumberedCall, Streams};
use crate::error::StreamError;
use crate::format::{Format, InputLayout};
use crate::indexing::Indexing;
use crate::outputs::{Layout, Outputs};
use crate::registers::{ATTRIBUTES, OUTPUTS, Row, registers};
use crate::state::{Io, Scratch, Stream};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a program needs from a batch and from constants. If two programs have equal needs, each runs on what has been bound for the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// The attributes that it reads, as a mask; the others may be anything.
    pub inputs: u16,
    /// The memory layout in which these need not be copied.
    pub input_layout: InputLayout,
    /// The output registers that receive a value, as a mask.
    pub outputs: u32,
    /// The components that it has instructions for, see [`Needs::mask`]: four bits for each output register, x lowest.
    pub written: u128,
    /// The memory layout of outputs.
    pub layout: Layout,
    /// The number of rows of constants.
    pub rows: usize,
    /// Whether it writes some of them.
    pub writes_constants: bool,
}

impl Needs {
    /// The components of an output register that the program has instructions for, x lowest; the others get their default (0, 0, 0, 1), or
    /// keep their values ([`Outputs::keeping`]).
    #[inline]
    pub fn mask(&self, register: usize) -> u8 {
        debug_assert!(register < OUTPUTS, "there is no such register");
        (self.written >> (4 * register)) as u8 & 15
    }

    /// The output registers that are stored if outputs that are not written keep their values.
    fn kept(&self) -> u32 {
        registers(self.outputs).filter(|&register| self.mask(register) != 0).fold(0, |mask, r| mask | 1 << r)
    }

    /// Whether streams that are bound for these needs also serve others.
    #[inline]
    fn cover(&self, other: &Needs) -> bool {
        other.inputs & !self.inputs == 0
            && other.outputs == self.outputs
            && other.written == self.written
            && other.layout == self.layout
            && other.input_layout == self.input_layout
    }
}

/// A batch that holds what a program needs. It is checked when it is made, and can run any number of times.
#[derive(Debug)]
pub struct Bound<'a> {
    inputs: &'a Inputs<'a>,
    outputs: &'a Outputs<'a>,
    proof: Box<Proof>,
    /// If it is a piece of a run, the vertices of that.
    run: Option<Range<usize>>,
    /// The first vertex of the piece: those before it are others' to run.
    first: usize,
}

/// What has been found out about a batch: all of a [`Bound`] but the borrows. It is numbers, some of them addresses, and owns what no
/// stream has (`values`), so it may be kept while the batch is lent to nobody, and is worth nothing until then ([`Proof::repeat`]).
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Proof {
    needs: Needs,
    count: usize,
    /// Output registers that are stored.
    stored: u32,
    /// Whether each of these is stored with all components, and nothing else gets a value.
    is_whole: bool,
    /// Who has run all of it by calls of code alone, by number; 0 if nobody.
    runner: u64,
    /// The numbers of the last calls that it was found to serve; 0 if there was none. Code and its slow path take turns.
    served: [u64; 2],
    /// Attributes that generated code can read where they are.
    in_place: u16,
    /// Their streams, and those of the outputs.
    io: Io,
    /// Where attributes lie that have one value for all vertices. Streams hold addresses of these rows, so a proof stays in its box.
    values: [Row; ATTRIBUTES],
}

impl Proof {
    /// The batch of the proof for one more run by generated code, without looking at it.
    ///
    /// # Safety
    /// Until `'a` ends the memory is lent of which the batch was: at each address that it had of a stream, as many bytes as then, which
    /// nobody writes that are read, and nobody else uses that are written. The batch had no index list.
    #[expect(unsafe_code, reason = "nothing is checked")]
    #[inline]
    #[doc(hidden)]
    pub unsafe fn repeat<'a>(&'a mut self) -> Repeat<'a> {
        Repeat { proof: self }
    }

    /// Whether a call can work on the caller's own streams: they are where its registers can be, in its layouts.
    #[inline]
    fn serves(&self, need: &Call) -> bool {
        self.is_in_place(need.live_inputs, need.live_outputs)
            && need.layout == self.needs.layout
            && need.input_layout == self.needs.input_layout
    }

    #[inline]
    fn is_in_place(&self, live_inputs: u16, live_outputs: u32) -> bool {
        live_inputs & !self.in_place == 0 && self.is_whole && live_outputs & !self.stored == 0
    }

    /// See [`Bound::streams`].
    #[inline]
    fn streams<'s>(&'s mut self, scratch: &'s mut Scratch, need: &'s NumberedCall) -> Option<Streams<'s>> {
        if !self.served.contains(&need.number()) {
            if !self.serves(need) {
                return None;
            }
            self.served = [need.number(), self.served[0]];
        }
        debug_assert!(self.serves(need), "the batch has changed since");
        self.io.scratch = (&raw mut *scratch).expose_provenance();
        Some(Streams { io: &mut self.io, count: self.count, call: need })
    }
}

/// All of a batch for one more run by generated code, which needs nothing but the addresses of its streams.
#[derive(Debug)]
#[doc(hidden)]
pub struct Repeat<'a> {
    proof: &'a mut Proof,
}

impl Repeat<'_> {
    /// Vertices of the batch.
    #[inline]
    pub fn count(&self) -> usize {
        self.proof.count
    }

    /// Notes who has run all of the batch by calls of code alone: who has no other number can do so again
    /// without asking whether the batch is one for him.
    #[inline]
    pub fn was_run_by(&mut self, number: u64) {
        self.proof.runner = number;
    }

    /// Who that was; 0 if nobody.
    #[inline]
    pub fn runner(&self) -> u64 {
        self.proof.runner
    }

    /// The caller's own streams, as [`Bound::streams`].
    #[inline]
    pub fn streams<'s>(
        &'s mut self,
        scratch: &'s mut Scratch,
        need: &'s NumberedCall,
    ) -> Option<Streams<'s>> {
        self.proof.streams(scratch, need)
    }

    /// Whether [`Repeat::row`] has the rows of these attributes, a mask: generated code reads them where they are, as four floats, without an
    /// index list.
    #[inline]
    pub fn has_rows(&self, attributes: u16) -> bool {
        let layout = &self.proof.needs.input_layout;
        attributes & !self.proof.in_place == 0
            && registers(attributes).all(|register| {
                layout.format(register) == Format::ROW && layout.indices().of(register) == Indexing::Position
            })
    }

    /// The row of an attribute of a vertex.
    ///
    /// # Panics
    /// If the batch has no such vertex, or not the rows ([`Repeat::has_rows`]).
    #[expect(unsafe_code, reason = "of the attribute there is an address")]
    pub fn row(&self, register: usize, position: usize) -> Row {
        assert!(position < self.count() && self.has_rows(1 << register), "there is no such row");
        let Stream { base, stride } = self.proof.io.input[register];
        let row = std::ptr::with_exposed_provenance::<Row>(base + position * stride);
        // SAFETY: the stream has been checked for all vertices of the batch in this format, and is lent as long as `self` is there (`Bound`,
        // or what was asked of the caller of `Proof::repeat`). It needs no alignment.
        unsafe { row.read_unaligned() }
    }
}

impl<'a> Bound<'a> {
    /// Binds a batch.
    ///
    /// # Errors
    /// Streams that do not hold the batch, see [`Inputs::check`] and [`Outputs::check`]; another layout.
    #[inline]
    pub fn new(needs: &Needs, inputs: &'a Inputs<'_>, outputs: &'a Outputs<'_>) -> Result<Self, StreamError> {
        Self::with_memory(&mut None, needs, inputs, outputs)
    }

    /// Binds a batch in memory that another has left ([`Bound::into_proof`]), if there is any: allocates nothing then.
    ///
    /// # Errors
    /// As [`Bound::new`].
    #[inline]
    #[doc(hidden)]
    pub fn with_memory(
        memory: &mut Option<Box<Proof>>,
        needs: &Needs,
        inputs: &'a Inputs<'_>,
        outputs: &'a Outputs<'_>,
    ) -> Result<Self, StreamError> {
        if outputs.layout() != needs.layout {
            return Err(StreamError::WrongLayout);
        }
        let stored = if outputs.keeps() { needs.kept() } else { needs.outputs };
        let are_rows = needs.input_layout.is_rows() && inputs.hold_rows(needs.inputs);
        if !are_rows {
            inputs.check(needs.inputs)?;
            inputs.check_layout(needs.inputs, &needs.input_layout)?;
        }
        outputs.check(stored, inputs.count)?;
        let count = inputs.count;
        let is_whole =
            !outputs.keeps() || registers(needs.outputs).all(|register| needs.mask(register) == 15);
        let mut proof = match memory.take() {
            Some(mut proof) => {
                (proof.needs, proof.count, proof.stored) = (*needs, count, stored);
                (proof.is_whole, proof.runner, proof.served) = (is_whole, 0, [0; 2]);
                proof
            }
            None => {
                let (needs, io, values) = (*needs, Io::new(), [[0; 4]; ATTRIBUTES]);
                let (runner, served, in_place) = (0, [0; 2], 0);
                Box::new(Proof { needs, count, stored, is_whole, runner, served, in_place, io, values })
            }
        };
        let Proof { io, values, .. } = &mut *proof;
        let mut in_place = 0;
        for register in registers(needs.inputs) {
            if !are_rows && !inputs.is_in_place(register, needs.input_layout.format(register)) {
                continue;
            }
            let indexing = needs.input_layout.indices().of(register);
            let Some((mut stream, list)) = inputs.located(register, indexing) else { continue };
            if let Attribute::Constant(row) = &inputs.attributes[register] {
                values[register] = *row;
                stream.base = values[register].as_ptr().expose_provenance();
            }
            io.input[register] = stream;
            if let Some((number, _)) = indexing.list(register) {
                io.index[number] = list;
            }
            in_place |= 1 << register;
        }
        for register in registers(stored) {
            // In an empty batch there may be no memory, and nothing is written.
            io.output[register] = outputs.register(register).map_or(Stream::NONE, |output| Stream {
                base: output.base().expose_provenance(),
                stride: output.stride(),
            });
        }
        proof.in_place = in_place;
        Ok(Bound { inputs, outputs, proof, run: None, first: 0 })
    }

    /// Binds the batch of a proof once more, without looking at it.
    ///
    /// # Safety
    /// The batch is the one that the proof is of: as many vertices, no index lists, and for each register that the needs name
    /// the same value, or memory of the same address and length with the same stride and format.
    #[expect(unsafe_code, reason = "nothing is checked")]
    #[inline]
    #[doc(hidden)]
    pub unsafe fn proved(proof: Box<Proof>, inputs: &'a Inputs<'_>, outputs: &'a Outputs<'_>) -> Self {
        debug_assert!(proof.count == inputs.count && inputs.indices.is_none(), "another batch");
        Bound { inputs, outputs, proof, run: None, first: 0 }
    }

    /// Cuts vertices of the batch into pieces for several threads, so many vertices each, a multiple of [`BLOCK`]; the last piece has
    /// as many at least, or all. Nothing if the memory of the outputs cannot be written by several threads.
    #[cold]
    #[doc(hidden)]
    pub fn cut(&mut self, part: Range<usize>, piece: usize) -> Option<Cut<'_>> {
        debug_assert!(piece > 0 && piece.is_multiple_of(BLOCK) && part.end <= self.count());
        let serves = self.run.is_none() && self.outputs.are_apart(self.proof.stored, self.count());
        let pieces = 1 + part.len().saturating_sub(BLOCK) / piece;
        serves.then(|| Cut { bound: self, run: part, piece, pieces, next: AtomicUsize::new(0) })
    }

    /// The vertices of the run that a part belongs to: the part itself, unless others run the rest.
    #[inline]
    #[doc(hidden)]
    pub fn run_of(&self, part: &Range<usize>) -> Range<usize> {
        self.run.clone().unwrap_or_else(|| part.clone())
    }

    /// Gives back what has been found out: memory for the next one, or for the batch once more ([`Proof::repeat`], [`Bound::proved`]).
    #[inline]
    #[doc(hidden)]
    pub fn into_proof(self) -> Box<Proof> {
        self.proof
    }

    /// All of the batch for one more run by generated code.
    #[inline]
    #[doc(hidden)]
    pub fn repeat(&mut self) -> Repeat<'_> {
        Repeat { proof: &mut self.proof }
    }

    /// Whether the batch is one for a program with these needs, and the range a part of it.
    ///
    /// # Errors
    /// If not.
    #[inline]
    #[doc(hidden)]
    pub fn check(&self, needs: &Needs, part: &Range<usize>) -> Result<(), StreamError> {
        if !self.proof.needs.cover(needs) {
            return Err(StreamError::OtherNeeds);
        }
        if part.start > part.end || part.end > self.count() || part.start < self.first {
            return Err(StreamError::NoSuchPart { end: part.end.max(part.start), count: self.count() });
        }
        Ok(())
    }

    /// Vertices of the batch.
    #[inline]
    pub fn count(&self) -> usize {
        self.proof.count
    }

    /// What the vertices read.
    #[inline]
    pub fn inputs(&self) -> &'a Inputs<'a> {
        self.inputs
    }

    /// Where they write.
    #[inline]
    pub fn outputs(&self) -> &'a Outputs<'a> {
        self.outputs
    }

    /// The output registers that are stored.
    #[inline]
    #[doc(hidden)]
    pub fn stored(&self) -> u32 {
        self.proof.stored
    }

    /// The components of an output register that are stored, x lowest.
    #[inline]
    pub fn mask(&self, register: usize) -> u8 {
        if self.proof.is_whole { 15 } else { self.proof.needs.mask(register) }
    }

    /// Stores one output of the vertex at `position`: what of it is to be stored.
    ///
    /// # Panics
    /// If the vertex does not exist, or does not belong to the piece.
    #[inline]
    #[doc(hidden)]
    pub fn store(&self, register: usize, position: usize, row: Row) {
        assert!(position >= self.first && position < self.count());
        if self.proof.stored >> register & 1 != 0
            && let Some(output) = self.outputs.register(register)
        {
            output.store(self.proof.needs.layout, position, row, self.mask(register));
        }
    }

    /// Whether generated code that reads and writes these registers can do so where they are.
    #[inline]
    #[doc(hidden)]
    pub fn is_in_place(&self, live_inputs: u16, live_outputs: u32) -> bool {
        self.proof.is_in_place(live_inputs, live_outputs)
    }

    /// The caller's own streams; nothing if code that reads and writes these registers must not do so where they are. They hold
    /// the vertices of the batch.
    #[inline]
    #[doc(hidden)]
    pub fn streams<'s>(
        &'s mut self,
        scratch: &'s mut Scratch,
        need: &'s NumberedCall,
    ) -> Option<Streams<'s>> {
        self.proof.streams(scratch, need)
    }
}

/// A batch in pieces, which threads take one after the other. Each piece is taken once.
#[derive(Debug)]
#[doc(hidden)]
pub struct Cut<'a> {
    bound: &'a Bound<'a>,
    run: Range<usize>,
    piece: usize,
    pieces: usize,
    next: AtomicUsize,
}

// SAFETY: of a batch cells alone are one thread's, and these are reached through pieces only, each of which one thread takes. Different
// pieces have different vertices, no two vertices share a byte, and the cells are nobody else's: `Outputs::are_apart`. Whoever takes a
// piece stores its vertices alone (`Cut::take`).
#[expect(unsafe_code, reason = "cells tell nothing of vertices")]
unsafe impl Sync for Cut<'_> {}

impl Cut<'_> {
    /// Pieces.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// Runs the next piece in memory that another has left, if there is one.
    ///
    /// # Safety
    /// `run` stores outputs of the vertices of its range alone, reads none, and keeps nothing.
    #[expect(unsafe_code, reason = "cells tell nothing of vertices")]
    pub unsafe fn take<R>(
        &self,
        memory: &mut Option<Box<Proof>>,
        run: impl FnOnce(&mut Bound<'_>, Range<usize>) -> R,
    ) -> Option<R> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.pieces {
            return None;
        }
        let begin = self.run.start + number * self.piece;
        let end = if number + 1 == self.pieces { self.run.end } else { begin + self.piece };
        let Bound { inputs, outputs, proof, .. } = self.bound;
        let proof = match memory.take() {
            Some(mut memory) => {
                memory.clone_from(proof);
                memory
            }
            None => proof.clone(),
        };
        let mut bound = Bound { inputs, outputs, proof, run: Some(self.run.clone()), first: begin };
        // Nobody runs what lies behind it.
        bound.proof.count = end;
        let result = run(&mut bound, begin..end);
        *memory = Some(bound.proof);
        Some(result)
    }
}
