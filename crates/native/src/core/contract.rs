//! What the code of a function promises, as far as memory, registers and the stack are concerned: the contract of [`Entry`].
//!
//! It is stated from the function, the calling convention, which is the same on every system, and the layout of the memory that code shares with the
//! library; nothing here is known of how code is made.

use super::shape::{Ends, Shape};
use crate::ir::func::Func;
use std::mem::size_of;
use std::ops::Range;
#[cfg(doc)]
use xfjit_runtime::abi::Entry;
use xfjit_runtime::batch::{Layout, registers};
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::indices::SHARED;
use xfjit_runtime::lookup::Lookup;
use xfjit_runtime::state::{ATTRIBUTES, Io, OUTPUTS, Row, SCRATCH, Scratch};

/// The integer registers that a state has room for: as many as a processor has whose code this build checks.
pub(super) const INTEGERS: usize =
    if cfg!(any(target_arch = "aarch64", feature = "cross")) { 32 } else { 16 };

/// The registers of a calling convention, by their numbers, and what lies on the stack beside a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Convention {
    /// The registers of the first four arguments, of the result, and the stack pointer.
    pub(super) arguments: [u8; 4],
    pub(super) result: u8,
    pub(super) stack: u8,
    /// The registers that a caller finds as they were, beside the stack pointer.
    pub(super) saved: &'static [u8],
    /// The vector registers whose lowest eight bytes a caller finds as they were.
    pub(super) saved_vectors: Range<u8>,
    /// Bytes of a return address on the stack.
    pub(super) return_bytes: usize,
    /// Bytes between it and the frame.
    pub(super) frame_bytes: usize,
}

/// Bytes of a page of the stack, as far as probing it is concerned.
const PAGE: usize = 4096;

/// A stream: those of attributes come first, those of outputs behind them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stream(u8);

impl Stream {
    /// Some attribute, and some output: which one is not known.
    pub(super) const SOME_INPUT: Stream = Stream(u8::MAX - 1);
    pub(super) const SOME_OUTPUT: Stream = Stream(u8::MAX);

    pub(super) const fn input(attribute: usize) -> Self {
        Stream(attribute as u8)
    }

    pub(super) const fn output(output: usize) -> Self {
        Stream((ATTRIBUTES + output) as u8)
    }

    /// The attribute, if it is a certain one.
    pub(super) fn attribute(self) -> Option<usize> {
        Some(usize::from(self.0)).filter(|&number| number < ATTRIBUTES)
    }

    /// The output, if it is a certain one.
    pub(super) fn of_output(self) -> Option<usize> {
        usize::from(self.0).checked_sub(ATTRIBUTES).filter(|&number| number < OUTPUTS)
    }

    /// What is known of it if it may be another one of its kind.
    pub(super) fn some(self) -> Self {
        let is_input = self == Stream::SOME_INPUT || self.attribute().is_some();
        if is_input { Stream::SOME_INPUT } else { Stream::SOME_OUTPUT }
    }

    /// Whether it is a certain one.
    pub(super) fn is_certain(self) -> bool {
        self != self.some()
    }
}

/// The memory that code may access, the registers that it gives back, and what it gets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contract {
    pub(super) shape: Shape,
    /// The layout of outputs.
    pub(super) layout: Layout,
    /// Bytes of the rows of constants that may be read, and of those that may be written.
    pub(super) rows: i64,
    pub(super) writes: i64,
    /// The attributes that are read and the outputs that are written, as masks.
    pub(super) inputs: u16,
    pub(super) outputs: u32,
    /// Where in scratch memory code tells which rows of constants it has written.
    pub(super) told: (i64, i64),
    /// Bytes of an element of each attribute.
    bytes: [u8; ATTRIBUTES],
    /// The index list through which each attribute is found that is read.
    lists: [Option<u8>; ATTRIBUTES],
    /// Bytes of a number of each index list that is read; 0 of others.
    widths: [u8; SHARED + 1],
    /// Whether a group is one block, so that code goes back nowhere but to its beginning.
    pub(super) is_one_block: bool,
}

impl Contract {
    /// The contract of a host-level function.
    pub(crate) fn new(func: &Func, layout: Layout, shape: Shape) -> Self {
        let bytes_of = |rows: usize| (rows * size_of::<Row>()) as i64;
        let own = usize::from(func.window.end);
        let told = func.told_rows().max().map_or(0, |row| row as usize + 1);
        let (inputs, outputs) = func.live_streams();
        let inputs_at: &InputLayout = &func.inputs;
        let (mut lists, mut widths) = ([None; ATTRIBUTES], [0; SHARED + 1]);
        for attribute in registers(inputs) {
            if let Some((list, width)) = inputs_at.indices().of(attribute).list(attribute) {
                lists[attribute] = Some(list as u8);
                widths[list] = width.bytes() as u8;
            }
        }
        Contract {
            shape,
            layout,
            rows: bytes_of(own + usize::from(func.reads_zero_row())),
            writes: if func.is_serial() { bytes_of(own) } else { 0 },
            inputs,
            outputs,
            told: (Scratch::written(0).into(), Scratch::written(told).into()),
            bytes: std::array::from_fn(|attribute| inputs_at.format(attribute).bytes() as u8),
            lists,
            widths,
            is_one_block: !func.has_blocks(),
        }
    }

    /// Vertices of a group.
    pub(super) const fn lanes(&self) -> i64 {
        self.shape.lanes as i64
    }

    /// The fewest vertices of a call, and from the first one of a group on.
    pub(super) const fn fewest(&self) -> i64 {
        self.shape.fewest() as i64
    }

    /// Whether lanes share the vertices of short calls, as [`Io::share`] says.
    pub(super) fn shares(&self) -> bool {
        self.shape.ends == Ends::Back && self.shape.lanes == 4
    }

    /// How far below its place at the entry the stack pointer may be. Where a frame is longer than a page, below what has been saved
    /// before it each page that it reaches into is probed as a whole.
    pub(super) const fn depth(&self, convention: &Convention) -> i64 {
        let frame = self.shape.stack_bytes.saturating_sub(convention.return_bytes);
        let below = frame.saturating_sub(convention.frame_bytes);
        (if below < PAGE { frame } else { convention.frame_bytes + below.next_multiple_of(PAGE) }) as i64
    }

    /// Bytes of scratch memory for values.
    pub(super) fn scratch(&self) -> i64 {
        Scratch::offset(SCRATCH, self.shape.lanes).into()
    }

    /// Bytes of the tables.
    pub(super) const fn lookup(&self) -> i64 {
        size_of::<Lookup>() as i64
    }

    /// Bytes of the memory that names all others.
    pub(super) const fn io(&self) -> i64 {
        size_of::<Io>() as i64
    }

    /// Bytes of an element of an attribute.
    pub(super) fn element(&self, attribute: usize) -> i64 {
        self.bytes[attribute].into()
    }

    /// The index list through which an attribute is found.
    pub(super) fn list(&self, stream: Stream) -> Option<u8> {
        self.lists[stream.attribute()?]
    }

    /// Bytes of a number of an index list; 0 if it is not read.
    pub(super) fn width(&self, list: u8) -> i64 {
        self.widths.get(usize::from(list)).copied().unwrap_or(0).into()
    }

    /// Whether a stream has its vertices as rows, one behind the other; if not, it has a plane for each component.
    pub(super) fn is_rows(&self, stream: Stream) -> bool {
        stream.some() == Stream::SOME_INPUT || self.layout == Layout::Rows
    }

    /// Bytes of a group in a plane.
    pub(super) const fn plane(&self) -> i64 {
        size_of::<u32>() as i64 * self.lanes()
    }

    /// Whether code may read an attribute, and where its vertices are: at their own rows, or where an index list says.
    pub(super) fn reads(&self, stream: Stream) -> bool {
        stream.attribute().is_some_and(|attribute| self.inputs >> attribute & 1 != 0)
    }

    /// Whether code may write an output.
    pub(super) fn stores(&self, stream: Stream) -> bool {
        stream.of_output().is_some_and(|output| self.outputs >> output & 1 != 0)
    }
}
