//! The whole state as bytes, for saved states of emulators.
//!
//! Bytes, all numbers little-endian 32-bit words:
//!
//! ```text
//! "xfjit GX" | format version 1 | where gathered blocks go | 32 gathered bytes | how many count | base, top, write pointer of PI |
//! it has come round | reset | enable | measured | low mark of the stream | the eight pointers | latched interrupts |
//! registers: control 48, matrix indices 2, vertex descriptor 2, tables of formats 8 x 3, arrays 16 x (base, stride), kept normals
//! 3 x (known, x, y, z) | list: there is one, next, end | bytes that wait for the rest of their command, behind how many they are
//! ```
//! A unit's are `"xfjit GU" | format version 1 | the words of the transform unit`, and behind them those of its [`Fifo`].
//!
//! The state does not include hypotheses and the console.

use super::fifo::Fifo;
use super::processor::List;
use super::unit::FlipperUnit;
use super::vertex;
use std::fmt;
use xfjit_isa::chip::flipper::cp::Register;
use xfjit_isa::chip::flipper::fifo::{BLOCK, Enable, POINTER};
use xfjit_isa::chip::flipper::registers::END;

const MAGIC: &[u8; 8] = b"xfjit GX";
const UNIT_MAGIC: &[u8; 8] = b"xfjit GU";
const VERSION: u32 = 1;
const HEADER: usize = 12;
/// More bytes never wait: the longest command, but for its last, and what a block may have behind it.
const MOST_WAITING: usize = 3 + 0xffff * vertex::LONGEST + BLOCK as usize;

/// Why bytes are not a state. This is the fault of the program that kept them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// They do not begin like a state.
    NotAState,
    /// They have another version of the format.
    Version {
        /// Which one.
        version: u32,
    },
    /// There are too few bytes or too many.
    Length {
        /// Bytes given.
        got: usize,
        /// Bytes that there should be.
        needed: usize,
    },
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::NotAState => write!(f, "this is not a state of Flipper's command processor"),
            RestoreError::Version { version } => write!(f, "states of format {version} are not supported"),
            RestoreError::Length { got, needed } => {
                write!(f, "the state needs {needed} bytes, but there are {got}")
            }
        }
    }
}

impl std::error::Error for RestoreError {}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

fn check_header(bytes: &[u8], magic: &[u8; 8]) -> Result<(), RestoreError> {
    if !bytes.starts_with(magic) || bytes.len() < HEADER {
        return Err(RestoreError::NotAState);
    }
    match word(bytes, 8) {
        Some(VERSION) => Ok(()),
        version => Err(RestoreError::Version { version: version.unwrap_or_default() }),
    }
}

impl FlipperUnit {
    /// Returns the state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = UNIT_MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend(self.words().words().iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(self.fifo.save());
        bytes
    }

    /// Loads a saved state. The hypotheses, the console and the requested outputs stay unchanged.
    ///
    /// # Errors
    /// The bytes are not a state. On an error, nothing has changed.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        check_header(bytes, UNIT_MAGIC)?;
        let end = HEADER + 4 * usize::from(END);
        let (Some(words), Some(rest)) = (bytes.get(HEADER..end), bytes.get(end..)) else {
            return Err(RestoreError::Length { got: bytes.len(), needed: end + HEADER });
        };
        // Of the whole, not of the rest.
        self.fifo.restore(rest).map_err(|error| match error {
            RestoreError::Length { got, needed } => {
                RestoreError::Length { got: end + got, needed: end + needed }
            }
            error => error,
        })?;
        let words: Vec<u32> = words.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        self.load(0, &words);
        Ok(())
    }
}

impl Fifo {
    /// Returns the state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        self.clone().each_word(&mut |word| bytes.extend_from_slice(&word.to_le_bytes()));
        bytes.extend_from_slice(&(self.waiting.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.waiting);
        bytes
    }

    /// Loads a saved state. The hypotheses and the console stay unchanged. Bits that registers lack are dropped.
    ///
    /// # Errors
    /// The bytes are not a state. On an error, nothing has changed.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        check_header(bytes, MAGIC)?;
        let word = |at: usize| word(bytes, at);
        let mut restored = Fifo::new(self.processor.quirks);
        restored.processor.registers.console = self.processor.registers.console;
        let mut at = HEADER;
        restored.each_word(&mut |to| {
            *to = word(at).unwrap_or_default();
            at += 4;
        });
        let waiting = word(at).unwrap_or_default() as usize;
        let needed = at + 4 + waiting;
        if bytes.len() != needed || waiting > MOST_WAITING {
            return Err(RestoreError::Length { got: bytes.len(), needed });
        }
        restored.waiting = bytes[at + 4..].to_vec();
        restored.wire();
        restored.needed = restored.processor.needed(&restored.waiting);
        *self = restored;
        Ok(())
    }

    /// Drops bits that are not there.
    fn wire(&mut self) {
        self.gather_address &= !(BLOCK - 1);
        self.held %= BLOCK;
        self.enable &= Enable::ALL;
        for pointer in
            self.pointers.iter_mut().chain([&mut self.pi_base, &mut self.pi_top, &mut self.pi_write])
        {
            *pointer &= POINTER;
        }
        let registers = &mut self.processor.registers;
        let console = registers.console;
        registers.vcd.lo &= Register::VcdLo.mask(console);
        registers.vcd.hi &= Register::VcdHi.mask(console);
        for array in &mut registers.arrays {
            array.base &= Register::ArrayBase(0).mask(console);
            array.stride &= Register::ArrayStride(0).mask(console);
        }
    }

    /// Each word of the state but what waits, in order.
    fn each_word(&mut self, each: &mut impl FnMut(&mut u32)) {
        fn narrow(each: &mut impl FnMut(&mut u32), to: &mut u16) {
            let mut word = u32::from(*to);
            each(&mut word);
            *to = word as u16;
        }
        fn flag(each: &mut impl FnMut(&mut u32), to: &mut bool) {
            let mut word = u32::from(*to);
            each(&mut word);
            *to = word & 1 != 0;
        }
        each(&mut self.gather_address);
        for bytes in self.gathered.as_chunks_mut::<4>().0 {
            let mut word = u32::from_le_bytes(*bytes);
            each(&mut word);
            *bytes = word.to_le_bytes();
        }
        [&mut self.held, &mut self.pi_base, &mut self.pi_top, &mut self.pi_write]
            .into_iter()
            .for_each(&mut *each);
        flag(each, &mut self.wrapped);
        flag(each, &mut self.reset);
        narrow(each, &mut self.enable);
        narrow(each, &mut self.perf);
        narrow(each, &mut self.stream_low);
        self.pointers.iter_mut().for_each(&mut *each);
        narrow(each, &mut self.latched);
        let registers = &mut self.processor.registers;
        registers.control.iter_mut().for_each(&mut *each);
        registers.matrices.iter_mut().for_each(&mut *each);
        each(&mut registers.vcd.lo);
        each(&mut registers.vcd.hi);
        registers.vats.iter_mut().flat_map(|vat| &mut vat.0).for_each(&mut *each);
        for array in &mut registers.arrays {
            each(&mut array.base);
            each(&mut array.stride);
        }
        for normal in &mut registers.normals {
            let mut is_known = normal.is_some();
            let mut words = normal.unwrap_or_default();
            flag(each, &mut is_known);
            words.iter_mut().for_each(&mut *each);
            *normal = is_known.then_some(words);
        }
        let list = &mut self.processor.list;
        let mut is_there = list.is_some();
        let List { mut next, mut end } = list.unwrap_or(List { next: 0, end: 0 });
        flag(each, &mut is_there);
        each(&mut next);
        each(&mut end);
        *list = is_there.then_some(List { next, end });
    }
}
