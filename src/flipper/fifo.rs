//! How commands come to the command processor: gathered stores, the ring of the processor's interface, and the ring that the command
//! processor reads (flipper.md 1.7).

mod ports;
mod reader;

pub use reader::Progress;

use super::processor::Processor;
use xfjit_isa::chip::flipper::fifo::{BLOCK, Enable, GATHER_ENABLE, GATHER_TARGET, POINTER, Pointer, WRAP};
use xfjit_isa::config::{Interrupt, ProcessorQuirks as Quirks, Ring, Wrap};

/// Bytes of a block.
const BYTES: usize = BLOCK as usize;

/// The command processor with everything that brings it commands.
///
/// The gather buffer sends blocks to a ring in memory. [`Fifo::run`] reads blocks from that ring and runs their commands. An incomplete
/// command waits for its next block.
///
/// ```
/// use xfjit::flipper::{Budget, Draw, Fifo, Memory, Quirks, Registers, Sink};
///
/// struct Loads(Vec<(u16, u32)>);
/// impl Sink for Loads {
///     fn load_xf(&mut self, address: u16, words: &[u32]) {
///         self.0.extend(words.iter().map(|&word| (address, word)));
///     }
///     fn draw(&mut self, _: &Registers, _: &Draw<'_>, _: Memory<'_>) {}
/// }
///
/// let mut memory = vec![0; 0x1000];
/// let mut fifo = Fifo::new(Quirks::default());
/// fifo.write_gather_address(0x0c00_8000);
/// // Both rings are the blocks from 0x100 to 0x1e0.
/// for (offset, value) in [(0x0c, 0x100), (0x10, 0x1e0), (0x14, 0x100)] {
///     fifo.write_pi(offset, value);
/// }
/// for (offset, value) in [(0x20, 0x100), (0x24, 0x1e0), (0x34, 0x100), (0x38, 0x100), (0x02, 0x11)] {
///     fifo.write_cp(offset, value);
/// }
/// fifo.store(0x10, 1, &mut memory);
/// fifo.store(0x1018, 4, &mut memory);
/// fifo.store(7, 4, &mut memory);
/// (0..23).for_each(|_| fifo.store(0, 1, &mut memory));
/// let mut loads = Loads(Vec::new());
/// fifo.run(&memory, &mut loads, Budget::NONE);
/// assert_eq!(loads.0, [(0x1018, 7)]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fifo {
    /// What runs the commands.
    pub processor: Processor,
    /// Where gathered blocks go.
    pub(super) gather_address: u32,
    /// What has been gathered, and how much of it counts.
    pub(super) gathered: [u8; BYTES],
    pub(super) held: u32,
    /// The ring of the processor's interface.
    pub(super) pi_base: u32,
    pub(super) pi_top: u32,
    pub(super) pi_write: u32,
    /// Whether its pointer has come round, and whether a reset is held.
    pub(super) wrapped: bool,
    pub(super) reset: bool,
    pub(super) enable: u16,
    pub(super) perf: u16,
    pub(super) stream_low: u16,
    /// By [`Pointer::index`].
    pub(super) pointers: [u32; 8],
    /// Causes of interrupts that have been raised while enabled: bits of the status.
    pub(super) latched: u16,
    /// Bytes read that are the beginning of a command, and how many it needs.
    pub(super) waiting: Vec<u8>,
    pub(super) needed: usize,
}

impl Fifo {
    /// Creates one in its state after a reset: linked, and not reading.
    pub fn new(quirks: Quirks) -> Fifo {
        Fifo {
            processor: Processor::new(quirks),
            gather_address: 0,
            gathered: [0; BYTES],
            held: 0,
            pi_base: 0,
            pi_top: 0,
            pi_write: 0,
            wrapped: false,
            reset: false,
            enable: Enable::LINK,
            perf: 0,
            stream_low: 0,
            pointers: [0; 8],
            latched: 0,
            waiting: Vec::new(),
            needed: 0,
        }
    }

    fn quirks(&self) -> Quirks {
        self.processor.quirks
    }

    /// A pointer of the command processor's ring, or one of its counts: both halves of the registers of [`Fifo::read_cp`].
    pub fn pointer(&self, pointer: Pointer) -> u32 {
        self.pointers[pointer.index()]
    }

    pub(super) fn set_pointer(&mut self, pointer: Pointer, value: u32) {
        self.pointers[pointer.index()] = value & POINTER;
    }

    /// Whether a store to an address is gathered, and belongs to [`Fifo::store`]. This depends on the processor's register HID2 and on the
    /// upper 27 bits of the address (flipper.md 1.7). Any other store goes to memory.
    ///
    /// UNKNOWN: which data are gathered if the lower bits of the address differ from WPAR's, which are zeros. Documents say wrong data;
    /// here the stored data.
    pub fn gathers(&self, hid2: u32, address: u32) -> bool {
        hid2 & GATHER_ENABLE != 0 && address & !(BLOCK - 1) == self.gather_address
    }

    /// Stores 1, 2, 4 or 8 bytes, big-endian, to the line whose stores are gathered. When 32 bytes are held, they are sent as a block;
    /// blocks after the end of memory are lost.
    ///
    /// # Panics
    /// If the processor has no store of this size.
    pub fn store(&mut self, value: u64, bytes: usize, memory: &mut [u8]) {
        assert!(matches!(bytes, 1 | 2 | 4 | 8), "no store has {bytes} bytes");
        for &byte in &value.to_be_bytes()[8 - bytes..] {
            self.gathered[self.held as usize % BYTES] = byte;
            self.held += 1;
            if self.held == BLOCK {
                self.held = 0;
                self.burst(&self.gathered.clone(), memory);
            }
        }
    }

    /// A block on its way to where gathered ones go.
    pub fn burst(&mut self, block: &[u8; 32], memory: &mut [u8]) {
        put(self.next_block(), block, memory);
        if self.gather_address != GATHER_TARGET {
            return;
        }
        if self.quirks().wrap == Wrap::NextBlock {
            self.wrapped = false;
        }
        let next = self.next(self.pi_write, self.pi_base, self.pi_top);
        // UNKNOWN: whether the flag means that it came round, or that it is at the base; here the former.
        self.wrapped |= next == self.pi_base;
        self.pi_write = next;
        if self.enable & Enable::LINK != 0 {
            let write = self.pointer(Pointer::Write);
            let next = self.next(write, self.pointer(Pointer::Base), self.pointer(Pointer::Top));
            self.set_pointer(Pointer::Write, next);
            self.set_pointer(Pointer::Count, self.pointer(Pointer::Count) + BLOCK);
            self.latch();
        }
    }

    /// Where the next block of gathered stores goes.
    pub(super) fn next_block(&self) -> u32 {
        if self.gather_address == GATHER_TARGET { self.pi_write } else { self.gather_address }
    }

    /// The block behind one in a ring.
    pub(super) fn next(&self, pointer: u32, base: u32, top: u32) -> u32 {
        let behind = (pointer + BLOCK) & POINTER;
        let returns = match self.quirks().ring {
            Ring::Inclusive => pointer == top,
            Ring::Exclusive => behind == top,
        };
        if returns { base } else { behind }
    }

    /// Writes WPAR, special register 921: the address where gathered blocks go. Gathered bytes that have not been sent are lost.
    pub fn write_gather_address(&mut self, value: u32) {
        self.gather_address = value & !(BLOCK - 1);
        self.held = 0;
    }

    /// WPAR. UNKNOWN: how long its lowest bit says that bytes are held. Software waits for it while less than a block is held, so here it
    /// is always 0.
    pub fn gather_address(&self) -> u32 {
        self.gather_address
    }

    /// The number of bytes that are held until they fill a block.
    pub fn held(&self) -> u32 {
        self.held
    }

    /// Whether the command processor raises its interrupt: bit 11 of the causes in the processor's interface.
    pub fn interrupt(&self) -> bool {
        let up = match self.quirks().interrupt {
            Interrupt::Level => self.raised(),
            Interrupt::Latched => self.latched,
        };
        up != 0
    }

    /// WRPTR with its flag.
    pub(super) fn pi_write_word(&self) -> u32 {
        self.pi_write | if self.wrapped { WRAP } else { 0 }
    }
}

/// A block into memory, as far as that reaches.
fn put(address: u32, block: &[u8; BYTES], memory: &mut [u8]) {
    let at = memory.len().min(address as usize);
    let to = &mut memory[at..];
    let count = to.len().min(BYTES);
    to[..count].copy_from_slice(&block[..count]);
}
