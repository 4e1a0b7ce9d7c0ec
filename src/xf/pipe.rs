//! Readback of Celsius, with which drivers save the context: read commands, and the PIPE windows of the host.
//!
//! On the chip a read that is not valid is ignored, VTX waits for the word for ever, and the machine hangs; here it is an
//! error. XF2VTX carries the word; here it is returned, after all pending vertices have run.

use super::XfUnit;
use super::command::{COMPONENTS, Command, Payload, Type};
use super::item::Item;
use std::fmt;
use xfjit_isa::chip::Family;

/// Why nothing can be read. This is the fault of the guest's driver, or of a caller that asks the wrong chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// Only Celsius has read commands.
    NotCelsius,
    /// The machine would hang.
    NotReadable {
        /// Type of the command.
        kind: Type,
        /// Vector.
        slot: u16,
        /// Word of it.
        word: u8,
    },
    /// The address is not in a PIPE window of XF.
    NotForXf {
        /// The address.
        address: u32,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ReadError::NotCelsius => write!(f, "only Celsius supports read commands"),
            ReadError::NotReadable { kind, slot, word } => {
                let component = COMPONENTS[usize::from(word & 3)];
                write!(f, "reading {} {slot:#x}.{component} hangs the machine", kind.name())
            }
            ReadError::NotForXf { address } => write!(f, "address {address:#x} is outside all windows of XF"),
        }
    }
}

impl std::error::Error for ReadError {}

impl XfUnit {
    /// Executes a read command: a word of VAB (without the passthrough slot), XFCTX, LTCTX or LTC0 to LTC3 (the sizes are those of
    /// fixed_function.md 7). Numbers of LT are left-aligned, as they are loaded (UNKNOWN). UNKNOWN: what word W of LTCTX, and all words of
    /// LTC except X, read; here this is an error.
    ///
    /// # Errors
    /// A read that is not valid.
    pub fn read(&mut self, kind: Type, slot: u16, word: u8) -> Result<u32, ReadError> {
        let (family, word) = (self.ram.chip.family(), word & 3);
        // No command names a slot beyond its bits.
        if let Some(items) = &mut self.recording
            && slot >> family.slot_bits() == 0
        {
            items.push(Item::Read { kind, slot, word });
        }
        if family != Family::Celsius {
            return Err(ReadError::NotCelsius);
        }
        self.flush();
        let (row, column) = (usize::from(slot), usize::from(word));
        let value = match kind {
            Type::Vab if slot < self.vab.attributes() => Some(self.vab.rows[row][column]),
            Type::Xfctx if row < self.ram.sizes.xfctx => Some(self.ram.xfctx.row(row)[column]),
            Type::Ltctx => self.ram.ltctx.get(row).and_then(|row| row.get(column)).copied(),
            Type::Ltc0 | Type::Ltc1 | Type::Ltc2 | Type::Ltc3 if word == 0 => {
                self.ram.ltc[kind as usize - Type::Ltc0 as usize].get(row).copied()
            }
            _ => None,
        };
        value.ok_or(ReadError::NotReadable { kind, slot, word })
    }

    /// Reads a word of a PIPE window: 0x4400 VAB, 0x6400 XFCTX, 0x6800 LTCTX, 0x6c00, 0x7000, 0x7400 and 0x7800 LTC0 to
    /// LTC3.
    ///
    /// # Errors
    /// A read that is not valid, or an address outside of XF.
    pub fn pipe_read(&mut self, address: u32) -> Result<u32, ReadError> {
        if self.ram.chip.family() != Family::Celsius {
            return Err(ReadError::NotCelsius);
        }
        let command = Command::wrapped(Family::Celsius, address, Payload::Word(0))
            .map_err(|_| ReadError::NotForXf { address })?;
        self.read(command.kind, command.slot, command.word)
    }
}
