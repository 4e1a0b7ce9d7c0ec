//! Registers that the console's processor reaches: those of its interface and those of the command processor
//! (flipper.md 1.7).

/// How many bytes every transfer moves.
pub const BLOCK: u32 = 32;

/// The bits that pointers have: they count blocks, within 64 MB. UNKNOWN: one emulator keeps all upper bits of the
/// pointers in the processor's interface.
pub const POINTER: u32 = 0x03ff_ffe0;

/// Bursts to this address go to the ring of the processor's interface. Bursts to other addresses go to
/// memory.
pub const GATHER_TARGET: u32 = 0x0c00_8000;

/// The bit of the processor's register HID2 that makes it gather stores. Its position is from an emulator's
/// declarations; documents say only that such a bit exists.
pub const GATHER_ENABLE: u32 = 1 << 30;

/// Registers of the processor's interface. They have 32 bits; the values are byte offsets from 0c003000.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Pi {
    /// Where the ring begins.
    Base = 0x0c,
    /// Its last block.
    Top = 0x10,
    /// The address for the next block, and [`WRAP`].
    Write = 0x14,
    /// Bit 0 drops the bytes that wait.
    Reset = 0x18,
}

/// The write pointer has returned to the beginning of the ring.
pub const WRAP: u32 = 1 << 26;

impl Pi {
    /// All of them.
    pub const ALL: [Pi; 4] = [Pi::Base, Pi::Top, Pi::Write, Pi::Reset];

    /// The register at an offset, if there is one.
    pub fn at(offset: u32) -> Option<Pi> {
        Pi::ALL.into_iter().find(|&register| register as u32 == offset)
    }
}

/// Pairs of 16-bit registers of the command processor. A pair holds one number. The values are byte offsets
/// of the lower half from 0c000000.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Pointer {
    /// Where the ring begins.
    Base = 0x20,
    /// Its last block.
    Top = 0x24,
    /// Bytes above which there is an overflow.
    High = 0x28,
    /// Bytes below which there is an underflow.
    Low = 0x2c,
    /// How many bytes wait.
    Count = 0x30,
    /// The end of the last block that waits.
    Write = 0x34,
    /// The first block that waits.
    Read = 0x38,
    /// The break point: the block before which reading stops.
    Break = 0x3c,
}

impl Pointer {
    /// All of them, in order.
    pub const ALL: [Pointer; 8] = [
        Pointer::Base,
        Pointer::Top,
        Pointer::High,
        Pointer::Low,
        Pointer::Count,
        Pointer::Write,
        Pointer::Read,
        Pointer::Break,
    ];

    /// Its position among all pairs.
    pub const fn index(self) -> usize {
        (self as usize - Pointer::Base as usize) / 4
    }
}

/// A 16-bit register of the command processor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CpPort {
    /// Read only: [`Status`].
    Status,
    /// [`Enable`].
    Enable,
    /// Write only: [`Clear`].
    Clear,
    /// Which event is measured (three bits).
    Perf,
    /// UNKNOWN: the low mark of the streaming buffer, in blocks; it has no effect here.
    StreamLow,
    /// The lower half of a number: bits 15 to 5.
    Lower(Pointer),
    /// Its upper half: bits 25 to 16.
    Upper(Pointer),
}

impl CpPort {
    /// The register at an offset, if there is one.
    pub fn at(offset: u32) -> Option<CpPort> {
        match offset {
            0x00 => Some(CpPort::Status),
            0x02 => Some(CpPort::Enable),
            0x04 => Some(CpPort::Clear),
            0x06 => Some(CpPort::Perf),
            0x0a => Some(CpPort::StreamLow),
            0x20..0x40 if offset.is_multiple_of(2) => {
                let pointer = Pointer::ALL[(offset as usize - 0x20) / 4];
                Some(if offset & 2 == 0 { CpPort::Lower(pointer) } else { CpPort::Upper(pointer) })
            }
            _ => None,
        }
    }
}

/// Bits of the status.
#[derive(Debug)]
pub enum Status {}

impl Status {
    /// More bytes wait than the high mark.
    pub const OVERFLOW: u16 = 1;
    /// Fewer bytes wait than the low mark.
    pub const UNDERFLOW: u16 = 1 << 1;
    /// There is nothing to read.
    pub const READ_IDLE: u16 = 1 << 2;
    /// Nothing is read.
    pub const COMMAND_IDLE: u16 = 1 << 3;
    /// The next block is that of the break point.
    pub const BREAK: u16 = 1 << 4;
}

/// Bits of the register [`CpPort::Enable`].
#[derive(Debug)]
pub enum Enable {}

impl Enable {
    /// The command processor reads blocks.
    pub const READ: u16 = 1;
    /// The break point has an effect.
    pub const BREAK: u16 = 1 << 1;
    /// An overflow interrupts.
    pub const OVERFLOW_INTERRUPT: u16 = 1 << 2;
    /// An underflow interrupts.
    pub const UNDERFLOW_INTERRUPT: u16 = 1 << 3;
    /// The processor's interface and the command processor share their ring: each written block moves the
    /// write pointer.
    pub const LINK: u16 = 1 << 4;
    /// The break point interrupts.
    pub const BREAK_INTERRUPT: u16 = 1 << 5;
    /// All bits that exist.
    pub const ALL: u16 = 0x3f;
}

/// Bits of the register [`CpPort::Clear`], which clear latched events.
#[derive(Debug)]
pub enum Clear {}

impl Clear {
    /// The overflow.
    pub const OVERFLOW: u16 = 1;
    /// The underflow.
    pub const UNDERFLOW: u16 = 1 << 1;
    /// Measurements.
    pub const METRICS: u16 = 1 << 2;
}
