//! Runs commands: it loads registers, reads lists, and passes on the rest.

use super::command::{Command, Draw, MOST_WORDS};
use super::memory::Memory;
use super::registers::{NormalCache, Registers};
use xfjit_isa::chip::flipper::cp::INDEXED;
use xfjit_isa::chip::flipper::registers::END;
use xfjit_isa::config::ProcessorQuirks as Quirks;

/// Receives what the command processor passes on. It may ignore whatever it does not need.
pub trait Sink {
    /// Receives words for the transform unit, from an address on. All of these addresses exist.
    fn load_xf(&mut self, address: u16, words: &[u32]) {
        _ = (address, words);
    }

    /// Receives a load of a register after the transform unit.
    fn load_bp(&mut self, register: u8, value: u32) {
        _ = (register, value);
    }

    /// The processor begins to read a list: its address, and its size in bytes.
    fn call(&mut self, address: u32, bytes: u32) {
        _ = (address, bytes);
    }

    /// The vertex cache is emptied.
    fn invalidate_vertices(&mut self) {}

    /// A byte that begins no command.
    fn unknown(&mut self, byte: u8) {
        _ = byte;
    }

    /// Whether the call shall end as if its budget were used up. The processor asks before each command.
    fn is_cancelled(&mut self) -> bool {
        false
    }

    /// Asked before each draw: what a sink that puts off what is kept of normals ([`Sink::puts_off_normals`]) has of draws before.
    fn settle(&mut self, registers: &Registers, draw: &Draw<'_>) -> Option<NormalCache> {
        _ = (registers, draw);
        None
    }

    /// Vertices; what is kept of their normals is taken care of behind this.
    fn draw(&mut self, registers: &Registers, draw: &Draw<'_>, memory: Memory<'_>);

    /// Whether the sink tells later what is kept of the normals of the draw before, of whose vertices none has been left out.
    fn puts_off_normals(&self) -> bool {
        false
    }
}

/// The rest of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct List {
    pub(super) next: u32,
    pub(super) end: u32,
}

/// The work that one call may do, counted in bytes of commands and vertices. Nine bytes can call a list of 64 MB, and a drawing command
/// without vertex bytes can have 65,535 vertices. If you do not trust the stream, set a limit, and call again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget(pub u64);

impl Budget {
    /// No limit.
    pub const NONE: Budget = Budget(u64::MAX);
}

/// The command processor without its FIFO.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Processor {
    /// The registers.
    pub registers: Registers,
    /// The choices for unknown behaviour.
    pub quirks: Quirks,
    pub(super) list: Option<List>,
}

impl Processor {
    /// Creates a processor whose registers are zero.
    pub fn new(quirks: Quirks) -> Processor {
        Processor { quirks, ..Processor::default() }
    }

    /// Whether it is inside a list.
    pub fn is_in_list(&self) -> bool {
        self.list.is_some()
    }

    /// Runs the commands of a stream, and the lists that they call. Returns how many bytes it has used. The bytes after these are the
    /// beginning of a command, or did not fit into the budget; the next stream must begin with them.
    ///
    /// UNKNOWN: a list inside a list is not read. UNKNOWN: a command that the list's end cuts off, or that reaches beyond memory, is
    /// dropped with the rest of the list.
    pub fn run<'m>(
        &mut self,
        stream: &[u8],
        memory: impl Into<Memory<'m>>,
        sink: &mut impl Sink,
        budget: Budget,
    ) -> usize {
        self.run_within(stream, memory.into(), sink, &mut { budget.0 })
    }

    /// Runs commands as far as a budget goes, and tells what is left of it.
    pub(super) fn run_within(
        &mut self,
        stream: &[u8],
        memory: Memory<'_>,
        sink: &mut impl Sink,
        left: &mut u64,
    ) -> usize {
        let mut used = 0;
        while *left > 0 {
            if sink.is_cancelled() {
                *left = 0;
                break;
            }
            let (bytes, in_list) = match self.list {
                Some(List { next, end }) => (memory.part(next, end), true),
                None => (&stream[used..], false),
            };
            let Ok((command, length)) = Command::read(bytes, &self.registers, self.quirks.decoding) else {
                if in_list {
                    self.list = None;
                    continue;
                }
                break;
            };
            let vertices = if let Command::Draw(draw) = command { u64::from(draw.count) } else { 0 };
            *left = left.saturating_sub(length as u64 + vertices);
            match &mut self.list {
                Some(list) => list.next += length as u32,
                None => used += length,
            }
            self.execute(command, memory, sink, in_list);
        }
        used
    }

    /// Bytes that a stream must have for its first command to be run, or for more to be known of it.
    pub(super) fn needed(&self, stream: &[u8]) -> usize {
        match Command::read(stream, &self.registers, self.quirks.decoding) {
            Ok((_, length)) => length,
            Err(incomplete) => incomplete.needed,
        }
    }

    /// Leaves the rest of a list.
    pub(super) fn leave_list(&mut self) {
        self.list = None;
    }

    fn execute(&mut self, command: Command<'_>, memory: Memory<'_>, sink: &mut impl Sink, in_list: bool) {
        match command {
            Command::Nop(_) | Command::Metrics => {}
            Command::LoadCp(register, value) => self.registers.load(register, value),
            Command::LoadXf(address, from) => {
                let mut words = [0; MOST_WORDS];
                words.iter_mut().zip(from.iter()).for_each(|(to, word)| *to = word);
                load_xf(address, &words[..from.iter().len()], sink);
            }
            Command::LoadIndexed { array, index, address, count } => {
                let array = self.registers.arrays[INDEXED + usize::from(array & 3)];
                let count = usize::from(count).min(MOST_WORDS);
                let bytes: [u8; 4 * MOST_WORDS] =
                    memory.element(array.base, array.offset(index.into()), 4 * count);
                let words = bytes.as_chunks().0.iter().map(|&word| u32::from_be_bytes(word));
                let mut all = [0; MOST_WORDS];
                all.iter_mut().zip(words).for_each(|(to, word)| *to = word);
                load_xf(address, &all[..count], sink);
            }
            Command::Call(address, bytes) if !in_list => {
                sink.call(address, bytes);
                self.list = Some(List { next: address, end: address + bytes });
            }
            Command::Call(..) => {}
            Command::InvalidateVertices => sink.invalidate_vertices(),
            Command::LoadBp(register, value) => sink.load_bp(register, value),
            Command::Draw(draw) => self.draw(&draw, memory, sink),
            Command::Unknown(byte) => sink.unknown(byte),
        }
    }

    /// Hands on vertices, then keeps what later ones may lack.
    pub(super) fn draw(&mut self, draw: &Draw<'_>, memory: Memory<'_>, sink: &mut impl Sink) {
        if let Some(normals) = sink.settle(&self.registers, draw) {
            self.registers.keep(normals);
        }
        sink.draw(&self.registers, draw, memory);
        if sink.puts_off_normals() {
            return;
        }
        let fetch = super::Fetch::new(&self.registers, draw.vat(), memory, self.quirks.dialect);
        let backwards = (0..usize::from(draw.count)).rev().map(|number| draw.vertex(number));
        self.registers.normals = fetch.kept(self.registers.normals, backwards);
    }
}

/// Hands on the words of a load that are there. UNKNOWN: those of an indexed load that runs past its 12 bits of address go on
/// into registers, as one emulator has it.
fn load_xf(address: u16, words: &[u32], sink: &mut impl Sink) {
    let there = usize::from(END.saturating_sub(address));
    if there > 0 {
        sink.load_xf(address, &words[..words.len().min(there)]);
    }
}
