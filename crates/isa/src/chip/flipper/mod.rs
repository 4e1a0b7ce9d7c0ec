//! Flipper, the GameCube's chip: commands and formats of its command processor, registers of its transform unit (also
//! called XF), and where code finds them.
//!
//! ```text
//! opcode.rs      which command a byte begins
//! cp.rs          registers of the command processor that commands load
//! fifo.rs        registers that the processor reaches
//! vcd.rs vat.rs  which attributes vertices have, and in which formats: fields of both
//! format.rs      components and colours
//! registers.rs   addresses, registers and their fields: the one table
//! memory.rs      the words of the unit, as commands write them
//! transform.rs   what of them selects code
//! rows.rs        the rest as rows of constants
//! input.rs       registers of attributes
//! output.rs      registers of outputs
//! triangle.rs    what it decides of three vertices
//! ```
//!
//! Section numbers are those of docs/spec/flipper.md; the evidence for each rule is in docs/isa/flipper.md.

pub mod cp;
pub mod fifo;
pub mod format;
pub mod input;
pub mod memory;
pub mod opcode;
pub mod output;
pub mod registers;
pub mod rows;
pub mod transform;
pub mod triangle;
pub mod vat;
pub mod vcd;

/// The bits of array addresses on the GameCube (flipper.md 1.2).
pub const ADDRESS: u32 = 0x03ff_ffff;
/// The start of the Wii's second memory (flipper.md 1.2).
pub const SECOND: u32 = 0x1000_0000;

/// The console that the chip is in. It decides how long addresses of arrays and lists are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Console {
    /// 26 bits, one memory.
    #[default]
    GameCube,
    /// 29 bits, a second memory from [`SECOND`] on.
    Wii,
}

impl Console {
    /// All of them.
    pub const ALL: [Console; 2] = [Console::GameCube, Console::Wii];

    /// The name in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Console::GameCube => "gamecube",
            Console::Wii => "wii",
        }
    }

    /// The bits that addresses have.
    pub const fn addresses(self) -> u32 {
        match self {
            Console::GameCube => ADDRESS,
            Console::Wii => 0x1fff_ffff,
        }
    }
}
