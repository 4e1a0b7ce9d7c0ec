//! Commands in a stream (flipper.md 1.1). The length of each is known before it is taken.

use super::registers::Registers;
use super::vertex;
use xfjit_isa::chip::flipper::fifo::BLOCK;
use xfjit_isa::chip::flipper::opcode::{Decoding, Opcode, Primitive};

/// The most words of a load.
pub const MOST_WORDS: usize = 16;

/// The words of a load, as a stream has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words<'a>(&'a [[u8; 4]]);

impl Words<'_> {
    /// Each, up to 16.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> {
        self.0.iter().map(|&word| u32::from_be_bytes(word))
    }
}

/// Vertices, as a stream has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw<'a> {
    /// The first byte of the command.
    pub opcode: u8,
    /// The number of vertices.
    pub count: u16,
    /// The size of each in bytes.
    pub size: usize,
    /// The bytes of all of them.
    pub bytes: &'a [u8],
}

impl<'a> Draw<'a> {
    /// Takes this many vertices in the format that the registers describe.
    ///
    /// # Errors
    /// There are too few bytes.
    pub fn new(
        registers: &Registers,
        opcode: u8,
        count: u16,
        bytes: &'a [u8],
    ) -> Result<Draw<'a>, Incomplete> {
        let size = vertex::size(registers.vcd, registers.vats[usize::from(opcode & 7)]);
        let needed = usize::from(count) * size;
        let bytes = bytes.get(..needed).ok_or(Incomplete { needed })?;
        Ok(Draw { opcode, count, size, bytes })
    }
}

impl Draw<'_> {
    /// The primitive that they form.
    pub const fn primitive(&self) -> Primitive {
        Primitive::of(self.opcode)
    }

    /// The number of the table of formats for their bytes.
    pub const fn vat(&self) -> usize {
        (self.opcode & 7) as usize
    }

    /// The bytes of one, of those that there are.
    pub fn vertex(&self, number: usize) -> &[u8] {
        &self.bytes[number * self.size..(number + 1) * self.size]
    }
}

/// A command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command<'a> {
    /// This many consecutive bytes that do nothing.
    Nop(usize),
    /// A register of the command processor, and the loaded value.
    LoadCp(u8, u32),
    /// The first word of the transform unit, and the words that are loaded from there on.
    LoadXf(u16, Words<'a>),
    /// Words for the transform unit from memory.
    LoadIndexed {
        /// Which of the four arrays.
        array: u8,
        /// The element.
        index: u16,
        /// The first word of the transform unit.
        address: u16,
        /// How many, 1 to 16.
        count: u8,
    },
    /// A list of commands: its address and its size in bytes, both in whole blocks.
    Call(u32, u32),
    /// UNKNOWN: of measurements.
    Metrics,
    /// The vertex cache is emptied.
    InvalidateVertices,
    /// A register after the transform unit, and the loaded value of 24 bits.
    LoadBp(u8, u32),
    /// Vertices.
    Draw(Draw<'a>),
    /// A byte that begins no command.
    Unknown(u8),
}

/// A stream ends inside a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Incomplete {
    /// The number of bytes, from the command's first, that are needed to learn its length or to take it.
    pub needed: usize,
}

impl<'a> Command<'a> {
    /// Returns the first command of a stream, and its size in bytes. Consecutive bytes that do nothing are one command.
    ///
    /// # Errors
    /// The stream ends before the command does; an empty one before its first byte.
    pub fn read(
        stream: &'a [u8],
        registers: &Registers,
        decoding: Decoding,
    ) -> Result<(Command<'a>, usize), Incomplete> {
        let Some(&byte) = stream.first() else { return Err(Incomplete { needed: 1 }) };
        let opcode = Opcode::of(byte, decoding);
        let head = opcode.bytes();
        let Some(fixed) = stream.get(1..head) else { return Err(Incomplete { needed: head }) };
        let word = |at: usize| fixed[at..at + 4].iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        let counted =
            |bytes: usize| stream.get(head..head + bytes).ok_or(Incomplete { needed: head + bytes });
        let command = match opcode {
            Opcode::Nop => {
                let is_none = |&&byte: &&u8| Opcode::of(byte, decoding) == Opcode::Nop;
                let count = stream.iter().take_while(is_none).count();
                return Ok((Command::Nop(count), count));
            }
            Opcode::LoadCp => Command::LoadCp(fixed[0], word(1)),
            Opcode::LoadXf => {
                let words = counted(4 * ((word(0) >> 16 & 15) as usize + 1))?;
                return Ok((Command::LoadXf(word(0) as u16, Words(words.as_chunks().0)), head + words.len()));
            }
            Opcode::LoadIndexed(array) => {
                let (index, count) = ((word(0) >> 16) as u16, (word(0) >> 12 & 15) as u8 + 1);
                Command::LoadIndexed { array, index, address: word(0) as u16 & 0xfff, count }
            }
            Opcode::Call => {
                let blocks = registers.console.addresses() & !(BLOCK - 1);
                Command::Call(word(0) & blocks, word(4) & blocks)
            }
            Opcode::Metrics => Command::Metrics,
            Opcode::InvalidateVertices => Command::InvalidateVertices,
            Opcode::LoadBp => Command::LoadBp(fixed[0], word(0) & 0xff_ffff),
            Opcode::Draw => {
                let count = u16::from_be_bytes([fixed[0], fixed[1]]);
                let draw = Draw::new(registers, byte, count, &stream[head..])
                    .map_err(|Incomplete { needed }| Incomplete { needed: head + needed })?;
                return Ok((Command::Draw(draw), head + draw.bytes.len()));
            }
            Opcode::Unknown => Command::Unknown(byte),
        };
        Ok((command, head))
    }
}

/// The commands of a stream, one after the other. It follows loads of the command processor's registers, which decide how long vertices
/// are. It ends at the end of the stream, or at a command that is incomplete.
#[derive(Clone, Debug)]
pub struct Commands<'a> {
    stream: &'a [u8],
    used: usize,
    registers: Registers,
    decoding: Decoding,
}

impl<'a> Commands<'a> {
    /// Iterates over a stream that begins with these registers.
    pub fn new(stream: &'a [u8], registers: Registers, decoding: Decoding) -> Commands<'a> {
        Commands { stream, used: 0, registers, decoding }
    }

    /// The number of bytes in the commands so far.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The registers after these commands.
    pub fn registers(&self) -> &Registers {
        &self.registers
    }

    /// What the next command lacks.
    pub fn missing(&self) -> Option<Incomplete> {
        Command::read(&self.stream[self.used..], &self.registers, self.decoding).err()
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = Command<'a>;

    fn next(&mut self) -> Option<Command<'a>> {
        let stream = self.stream;
        let (command, bytes) = Command::read(&stream[self.used..], &self.registers, self.decoding).ok()?;
        if let Command::LoadCp(register, value) = command {
            self.registers.load(register, value);
        }
        self.used += bytes;
        Some(command)
    }
}
