//! What reads the ring of the command processor.

use super::{BYTES, Fifo};
use crate::flipper::memory::Memory;
use crate::flipper::processor::{Budget, Sink};
use xfjit_isa::chip::flipper::fifo::{BLOCK, Enable, POINTER, Pointer, Status};
use xfjit_isa::config::{Ring, Watermarks};

/// Why the reader has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The ring is empty, or reading is not allowed: it is disabled, or stopped by the break point or by the marks.
    Idle,
    /// The budget is used up, and the ring has more to read.
    Budget,
}

impl Fifo {
    /// Reads blocks and runs their commands, until the ring is empty, reading is not allowed, or the budget is used up. An incomplete
    /// command waits for the next block.
    pub fn run<'m>(
        &mut self,
        memory: impl Into<Memory<'m>>,
        sink: &mut impl Sink,
        budget: Budget,
    ) -> Progress {
        let memory = memory.into();
        let there = memory.part(0, Memory::END).len();
        let mut left = budget.0;
        // Where the bytes that wait end, if they have been read from there by this call, in which memory does not change.
        let mut end = None;
        loop {
            // What an earlier call has left over: the rest of a list, or commands in full.
            if self.processor.is_in_list() || self.waiting.len() >= self.needed.max(1) {
                self.run_waiting(memory, sink, &mut left);
            }
            if left == 0 {
                return Progress::Budget;
            }
            if self.blocked() {
                return Progress::Idle;
            }
            let read = self.pointer(Pointer::Read);
            let follows = self.waiting.is_empty() || self.waiting.len() < BYTES && end == Some(read);
            let bytes = if follows {
                self.run_in_place(memory, sink, &mut left)
            } else {
                self.wait_for_blocks(memory)
            };
            end = Some(read + bytes).filter(|&end| end as usize <= there);
            self.latch();
        }
    }

    /// Whether no block may be read.
    fn blocked(&self) -> bool {
        let marks = Status::OVERFLOW | Status::UNDERFLOW;
        let stops = self.quirks().watermarks == Watermarks::Stop && self.latched & marks != 0;
        self.enable & Enable::READ == 0 || self.pointer(Pointer::Count) == 0 || self.is_at_break() || stops
    }

    /// Bytes from the read pointer on that may be read and follow each other: to the end of the ring, to the break point. At least
    /// a block.
    fn readable(&self) -> u32 {
        let [read, top] = [Pointer::Read, Pointer::Top].map(|pointer| self.pointer(pointer));
        if self.quirks().watermarks == Watermarks::Stop {
            return BLOCK;
        }
        let ring = match self.quirks().ring {
            Ring::Inclusive if read <= top => top - read + BLOCK,
            Ring::Exclusive if read < top => top - read,
            Ring::Inclusive | Ring::Exclusive => POINTER - read + BLOCK,
        };
        let to_break = match self.pointer(Pointer::Break) {
            stop if self.enable & Enable::BREAK != 0 && stop > read => stop - read,
            _ => u32::MAX,
        };
        ring.min(to_break).min(self.pointer(Pointer::Count).max(BLOCK))
    }

    /// Moves the read pointer behind so many bytes, which may be read.
    fn advance(&mut self, bytes: u32) {
        let last = self.pointer(Pointer::Read) + bytes - BLOCK;
        let next = self.next(last & POINTER, self.pointer(Pointer::Base), self.pointer(Pointer::Top));
        self.set_pointer(Pointer::Read, next);
        self.set_pointer(Pointer::Count, self.pointer(Pointer::Count).saturating_sub(bytes));
    }

    /// Runs what waits, whole commands or not.
    fn run_waiting(&mut self, memory: Memory<'_>, sink: &mut impl Sink, left: &mut u64) {
        let waiting = std::mem::take(&mut self.waiting);
        let used = self.processor.run_within(&waiting, memory, sink, left);
        self.waiting = waiting;
        self.waiting.drain(..used);
        self.needed = self.processor.needed(&self.waiting);
    }

    /// Reads blocks behind what waits: as many as its command needs, if they are there. Tells how many bytes.
    fn wait_for_blocks(&mut self, memory: Memory<'_>) -> u32 {
        let missing = self.needed.saturating_sub(self.waiting.len()).next_multiple_of(BYTES).max(BYTES);
        let bytes = self.readable().min(u32::try_from(missing).unwrap_or(u32::MAX));
        self.copy_blocks(memory, bytes)
    }

    fn copy_blocks(&mut self, memory: Memory<'_>, bytes: u32) -> u32 {
        let read = self.pointer(Pointer::Read);
        let from = memory.part(read, read + bytes);
        self.waiting.extend_from_slice(from);
        // What is behind memory reads as zeros.
        let missing = bytes as usize - from.len();
        self.waiting.resize(self.waiting.len() + missing, 0);
        self.advance(bytes);
        bytes
    }

    /// Runs commands where they are, what waits, which is there as well, first; of the last, if it is not whole, the bytes are
    /// kept. Tells how many bytes it has read.
    fn run_in_place(&mut self, memory: Memory<'_>, sink: &mut impl Sink, left: &mut u64) -> u32 {
        let read = self.pointer(Pointer::Read);
        let before = self.waiting.len();
        let there = memory.part(read, read + self.readable()).len() as u32 / BLOCK * BLOCK;
        if there == 0 {
            let bytes = self.copy_blocks(memory, BLOCK);
            self.needed = self.needed.max(1);
            return bytes;
        }
        let blocks = memory.part(read - before as u32, read + there);
        let used = self.processor.run_within(blocks, memory, sink, left);
        // With the budget used up, blocks that no command has reached stay in the ring.
        let taken = match *left {
            0 => used.saturating_sub(before).next_multiple_of(BYTES),
            _ => there as usize,
        };
        self.waiting.clear();
        self.waiting.extend_from_slice(&blocks[used..before + taken]);
        self.needed = self.processor.needed(&self.waiting);
        if taken > 0 {
            self.advance(taken as u32);
        }
        taken as u32
    }
}
