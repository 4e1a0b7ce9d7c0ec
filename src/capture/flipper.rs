//! Items of Flipper: a byte that says what, and its fields.
//!
//! ```text
//! 1 register of the command processor   u8 number, u32 value
//! 2 words of the transform unit         u16 address, u16 how many, so many u32
//! 3 register behind it                  u8 number, u32 value of 24 bits
//! 4 what is kept of vertices            u8 0 normal, 1 tangent, 2 binormal; u8 0 none, or 1 and three u32
//! 5 memory                              u32 address, u32 how many, so many bytes
//! 6 the vertex cache is emptied
//! 8 console                             u8 0 GameCube, 1 Wii: the addresses of what follows
//! 7 draw                                u8 first byte of the command, u16 vertices, u32 bytes, so many bytes
//! ```

use super::bytes::Bytes;
use super::error::CaptureError;
use crate::flipper::trace::Item;
use crate::flipper::{Draw, Incomplete, Ram, Registers};
use xfjit_isa::chip::flipper::Console;
use xfjit_isa::chip::flipper::registers::END;

const CP: u8 = 1;
const XF: u8 = 2;
const BP: u8 = 3;
const NORMAL: u8 = 4;
const MEMORY: u8 = 5;
const INVALIDATE: u8 = 6;
const DRAW: u8 = 7;
const CONSOLE: u8 = 8;

/// Bytes of memory that one item has at most: more are several.
pub(super) const PIECE: usize = 1 << 20;

/// How many vertices it draws, and one for what every draw takes.
pub(super) fn vertices(item: &Item) -> u64 {
    match item {
        Item::Draw { count, .. } => u64::from(*count).max(1),
        _ => 0,
    }
}

/// Bytes that the vertices of a draw have.
fn needed(registers: &Registers, opcode: u8, count: u16, bytes: &[u8]) -> usize {
    match Draw::new(registers, opcode, count, bytes) {
        Ok(draw) => draw.bytes.len(),
        Err(Incomplete { needed }) => needed,
    }
}

/// Whether memory has a place for so many bytes.
pub(super) fn fits_memory(address: u32, bytes: usize) -> bool {
    Ram::fits(address, bytes)
}

/// Adds an item to a block; whether there is a place for it, and a reader takes it. Registers of the command processor are those
/// behind the items before.
pub(super) fn write(registers: &Registers, item: &Item, to: &mut Vec<u8>) -> bool {
    match item {
        Item::LoadCp(register, value) => {
            to.extend([CP, *register]);
            to.extend(value.to_le_bytes());
        }
        Item::LoadXf(address, words) => {
            let Some(count) = u16::try_from(words.len()).ok().filter(|_| *address < END) else {
                return false;
            };
            to.push(XF);
            to.extend(address.to_le_bytes());
            to.extend(count.to_le_bytes());
            words.iter().for_each(|word| to.extend(word.to_le_bytes()));
        }
        Item::LoadBp(register, value) => {
            to.extend([BP, *register]);
            to.extend((value & 0xff_ffff).to_le_bytes());
        }
        Item::Normal(which, normal) => {
            if *which >= 3 {
                return false;
            }
            to.extend([NORMAL, *which, u8::from(normal.is_some())]);
            normal.iter().flatten().for_each(|word| to.extend(word.to_le_bytes()));
        }
        Item::Memory(address, bytes) => {
            if bytes.len() > PIECE || !fits_memory(*address, bytes.len()) {
                return false;
            }
            to.push(MEMORY);
            to.extend(address.to_le_bytes());
            to.extend((bytes.len() as u32).to_le_bytes());
            to.extend(bytes);
        }
        Item::Console(console) => to.extend([CONSOLE, u8::from(*console == Console::Wii)]),
        Item::InvalidateVertices => to.push(INVALIDATE),
        // What brings commands is in no capture: it has what they were.
        Item::Gather(_) | Item::Pi(..) | Item::Port(..) | Item::Store(_) | Item::Fifo(_) => return false,
        Item::Draw { opcode, count, bytes } => {
            if !(0x80..0xc0).contains(opcode) || bytes.len() != needed(registers, *opcode, *count, bytes) {
                return false;
            }
            to.extend([DRAW, *opcode]);
            to.extend(count.to_le_bytes());
            to.extend((bytes.len() as u32).to_le_bytes());
            to.extend(bytes);
        }
    }
    true
}

/// Takes an item of a block. Registers of the command processor say how many bytes the vertices of a draw have.
pub(super) fn read(registers: &mut Registers, from: &mut Bytes) -> Result<Item, CaptureError> {
    let at = from.at();
    Ok(match from.u8()? {
        CP => {
            let (register, value) = (from.u8()?, from.u32()?);
            registers.load(register, value);
            Item::LoadCp(register, value)
        }
        XF => {
            let (address, count) = (from.u16()?, from.u16()?);
            if address >= END {
                return from.nonsense(at, format!("the transform unit has no word {address:#x}"));
            }
            Item::LoadXf(address, from.words(count.into())?)
        }
        BP => {
            let (register, value) = (from.u8()?, from.u32()?);
            if value >> 24 != 0 {
                return from.nonsense(at, format!("{value:#x} has more than 24 bits"));
            }
            Item::LoadBp(register, value)
        }
        NORMAL => match (from.u8()?, from.u8()?) {
            (which @ 0..3, 0) => Item::Normal(which, None),
            (which @ 0..3, 1) => Item::Normal(which, Some([from.u32()?, from.u32()?, from.u32()?])),
            _ => return from.nonsense(at, "this is not a normal, tangent or binormal"),
        },
        MEMORY => {
            let (address, count) = (from.u32()?, from.u32()?);
            if !fits_memory(address, count as usize) {
                return from.nonsense(at, format!("{count} bytes of memory at {address:#x}: there is none"));
            }
            Item::Memory(address, from.take(count as usize)?.to_vec())
        }
        CONSOLE => {
            let number = from.u8()?;
            let Some(&console) = Console::ALL.get(usize::from(number)) else {
                return from.nonsense(at, format!("there is no console {number}"));
            };
            registers.console = console;
            Item::Console(console)
        }
        INVALIDATE => Item::InvalidateVertices,
        DRAW => {
            let (opcode, count, size) = (from.u8()?, from.u16()?, from.u32()?);
            if !(0x80..0xc0).contains(&opcode) {
                return from.nonsense(at, format!("{opcode:#x} draws nothing"));
            }
            let bytes = from.take(size as usize)?.to_vec();
            let needed = needed(registers, opcode, count, &bytes);
            if needed != bytes.len() {
                return from.nonsense(at, format!("the vertices need {needed} bytes, but there are {size}"));
            }
            Item::Draw { opcode, count, bytes }
        }
        kind => return from.nonsense(at, format!("{kind} begins no item")),
    })
}
