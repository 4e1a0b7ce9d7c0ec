//! Registers that the command 08 loads (flipper.md 1.2).

use super::Console;
use super::vcd::Vcd;

/// How many arrays there are: twelve for attributes ([`Attribute::array`](super::vcd::Attribute::array)), and
/// four for words of the transform unit.
pub const ARRAYS: usize = 16;
/// How many tables of formats there are.
pub const VATS: usize = 8;
/// The first array of the four for indexed loads.
pub const INDEXED: usize = 12;

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Register {
    /// A register of the vertex cache or of measurements.
    Control(u8),
    /// Matrix indices of the position and of texture coordinates 0 to 3, six bits each.
    MatrixIndexA,
    /// Matrix indices of texture coordinates 4 to 7.
    MatrixIndexB,
    /// The lower half of the vertex descriptor.
    VcdLo,
    /// The upper half.
    VcdHi,
    /// Word A, B or C (0 to 2) of a table of formats.
    Vat(u8, u8),
    /// The address of an array.
    ArrayBase(u8),
    /// The distance between the elements of an array.
    ArrayStride(u8),
    /// No known register.
    Unknown(u8),
}

impl Register {
    /// The register that has this number. Most ignore the lower four bits; tables of formats ignore bit 3.
    pub const fn of(number: u8) -> Register {
        let (low, vat) = (number & 15, number & 7);
        match number >> 4 {
            0..=2 => Register::Control(number),
            3 => Register::MatrixIndexA,
            4 => Register::MatrixIndexB,
            5 => Register::VcdLo,
            6 => Register::VcdHi,
            7 => Register::Vat(0, vat),
            8 => Register::Vat(1, vat),
            9 => Register::Vat(2, vat),
            10 => Register::ArrayBase(low),
            11 => Register::ArrayStride(low),
            _ => Register::Unknown(number),
        }
    }

    /// Its number; the lowest one if it has several.
    pub const fn number(self) -> u8 {
        match self {
            Register::Control(number) | Register::Unknown(number) => number,
            Register::MatrixIndexA => 0x30,
            Register::MatrixIndexB => 0x40,
            Register::VcdLo => 0x50,
            Register::VcdHi => 0x60,
            Register::Vat(word, vat) => 0x70 + 16 * word + vat,
            Register::ArrayBase(array) => 0xa0 | array,
            Register::ArrayStride(array) => 0xb0 | array,
        }
    }

    /// The bits that it holds.
    pub const fn mask(self, console: Console) -> u32 {
        match self {
            Register::Control(_) | Register::Unknown(_) | Register::Vat(..) => u32::MAX,
            Register::MatrixIndexA => 0x3fff_ffff,
            Register::MatrixIndexB => 0x00ff_ffff,
            Register::VcdLo => Vcd::LO,
            Register::VcdHi => Vcd::HI,
            Register::ArrayBase(_) => console.addresses(),
            Register::ArrayStride(_) => 0xff,
        }
    }
}
