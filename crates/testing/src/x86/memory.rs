//! The memory that code may access: what a call lends it, byte by byte.
#![expect(
    unsafe_code,
    reason = "the code that is evaluated has addresses, and what is there belongs to others"
)]

use super::fault::Fault;
use crate::native::CodeCall;
use std::marker::PhantomData;
use std::ops::Range;
use xfjit_runtime::batch::{Layout, registers};
use xfjit_runtime::bound::Call;
use xfjit_runtime::lookup::Lookup;
use xfjit_runtime::state::{Io, Row, Scratch, Stream};

/// Bytes that may be read, and bytes that may be written, by their addresses.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Memory<'a> {
    /// In order, with others between any two.
    readable: Vec<Range<usize>>,
    writable: Vec<Range<usize>>,
    lent: PhantomData<&'a mut [u8]>,
}

impl<'a> Memory<'a> {
    /// Some bytes that may be read, and some that may also be written.
    pub fn new(readable: &[&'a [u8]], writable: &mut [&'a mut [u8]]) -> Self {
        let writable: Vec<_> =
            writable.iter_mut().map(|bytes| bytes_at(bytes.as_mut_ptr(), bytes.len())).collect();
        let readable = readable.iter().map(|bytes| bytes_at(bytes.as_ptr(), bytes.len()));
        Memory::of(readable.chain(writable.iter().cloned()).collect(), writable)
    }

    fn of(readable: Vec<Range<usize>>, writable: Vec<Range<usize>>) -> Self {
        Memory { readable: merged(readable), writable: merged(writable), lent: PhantomData }
    }

    /// What a call of code may access, as [`Entry`](xfjit_runtime::abi::Entry) has it: of streams the vertices that it is called for,
    /// each byte of them and none between them.
    pub(super) fn of_call(call: &'a mut CodeCall<'_, '_, '_>) -> Self {
        let at = call.streams.io(call.vertices.len());
        // SAFETY: `Streams` borrows an `Io`.
        let io = unsafe { (*at).clone() };
        let Call { live_inputs, input_layout, live_outputs, layout, .. } = **call.streams.call();
        let vertices = call.vertices.clone();
        let block = |base: usize, bytes: usize| base..base.wrapping_add(bytes);
        let scratch = block(io.scratch, size_of::<Scratch>());
        let rows = block(call.constants.base().expose_provenance(), call.rows * size_of::<Row>());
        let mut readable = vec![
            bytes_at(call.code.as_ptr(), call.code.len()),
            bytes_at(at, size_of::<Io>()),
            block(io.lookup, size_of::<Lookup>()),
            scratch.clone(),
            rows.clone(),
        ];
        let mut writable = vec![scratch];
        if call.writes_constants {
            writable.push(rows);
        }
        let rows = |stream: Stream, bytes: usize| {
            vertices.clone().map(move |vertex| block(stream.base + vertex * stream.stride, bytes))
        };
        let list = |register| input_layout.indices().of(register).list(register);
        // Where the next attribute of a vertex begins at the next word, bytes between them are read with both.
        let padded = |register: usize| {
            let bytes = input_layout.format(register).bytes();
            let (own, end) = (io.input[register], bytes.next_multiple_of(4));
            let is_next = |other: usize| {
                let Stream { base, stride } = io.input[other];
                base == own.base.wrapping_add(end) && stride == own.stride && list(other) == list(register)
            };
            if registers(live_inputs).any(is_next) { end } else { bytes }
        };
        for register in registers(live_inputs) {
            let (stream, bytes) = (io.input[register], padded(register));
            let Some((list, width)) = list(register) else {
                readable.extend(rows(stream, bytes));
                continue;
            };
            let list = Stream { base: io.index[list], stride: width.bytes() };
            for at in rows(list, width.bytes()) {
                let mut number = [0; 4];
                let from = std::ptr::with_exposed_provenance::<u8>(at.start);
                // SAFETY: `Streams` proves that the list has a number for each vertex, of so many bytes, two or four.
                unsafe { from.copy_to_nonoverlapping(number.as_mut_ptr(), width.bytes()) };
                let distance = (u32::from_le_bytes(number) as usize).wrapping_mul(stream.stride);
                readable.push(block(stream.base.wrapping_add(distance), bytes));
                readable.push(at);
            }
        }
        for stream in registers(live_outputs).map(|register| io.output[register]) {
            match layout {
                Layout::Rows => writable.extend(rows(stream, size_of::<Row>())),
                Layout::Planes => writable.extend((0..4).map(|plane| {
                    let plane = stream.base + plane * stream.stride;
                    plane + 4 * vertices.start..plane + 4 * vertices.end
                })),
            }
        }
        Memory::of(readable, writable)
    }

    /// Reads bytes.
    pub(super) fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Fault> {
        let fault = Fault::Read { address, bytes: into.len() };
        if !holds(&self.readable, address, into.len()) {
            return Err(fault);
        }
        let from = std::ptr::with_exposed_provenance::<u8>(address as usize);
        // SAFETY: all of these bytes have been lent for `'a`, as slices or as what streams and constants prove to be there: they are
        // initialised, and nobody writes them meanwhile. `into` is memory of its own, of as many bytes.
        unsafe { from.copy_to_nonoverlapping(into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    /// Writes bytes.
    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let fault = Fault::Write { address, bytes: bytes.len() };
        if !holds(&self.writable, address, bytes.len()) {
            return Err(fault);
        }
        let to = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        // SAFETY: all of these bytes have been lent for `'a` to be written, as slices or as what streams and constants prove to be there
        // and borrow mutably: nobody else accesses them meanwhile. `bytes` is memory of its own.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

/// So many bytes from an address on, which code may use from now on.
fn bytes_at<T>(first: *const T, count: usize) -> Range<usize> {
    let first = first.expose_provenance();
    first..first + count
}

/// Ranges in order, those that touch each other in one.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Whether one of the ranges, which are in order, has all of these bytes.
fn holds(ranges: &[Range<usize>], address: u64, bytes: usize) -> bool {
    let (Ok(start), Some(end)) = (usize::try_from(address), (address as usize).checked_add(bytes)) else {
        return false;
    };
    let behind = ranges.partition_point(|range| range.start <= start);
    behind.checked_sub(1).is_some_and(|at| end <= ranges[at].end)
}
